/*
 * A proxy's answer to CONNECT: a head ends within what there is and within its limit, more bytes never turn an answer into
 * another one, and a request has one line for each thing, whatever is in it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/proxy_answer.h"
#include "policy/upstream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int is_so) {
        if (!is_so)
                abort();
}

static size_t lines(const char *text, size_t len) {
        size_t count = 0;

        for (size_t i = 0; i < len; i++)
                count += text[i] == '\n';
        return count;
}

static void request(struct str url) {
        struct upstream_place place;
        char out[PROXY_REQUEST_MAX], header[1024];
        size_t len;

        if (upstream_read(url, &place) < 0)
                return;
        must(place.port && place.host.len && place.login_len <= sizeof(place.login));
        proxy_header_write(str_from(place.login, place.login_len), header, sizeof(header));
        len = proxy_request_write(STR("a.example"), 443, header, out, sizeof(out));
        must(len && lines(out, len) == (place.login_len ? 4 : 3));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        int status = 0, other = 0;
        size_t len = 0, other_len = 0;
        enum proxy_words found = proxy_answer_read(data, size, &status, &len), before;

        if (found == PROXY_HEAD) {
                must(status >= 0 && status <= 999 && len <= size && len <= PROXY_HEAD_MAX && len > 12 && data[len - 1] == '\n');
                must(proxy_answer_read(data, len, &other, &other_len) == PROXY_HEAD && other == status && other_len == len);
                must(proxy_answer_read(data, len - 1, &other, &other_len) == PROXY_MORE);
        }
        before = proxy_answer_read(data, size / 2, &other, &other_len);
        must(before == PROXY_MORE || before == found);
        if (before == PROXY_HEAD)
                must(other == status && other_len == len);
        request(str_from((const char *)data, size));
        return 0;
}
