/*
 * Any secrets, any bytes in any pieces: what comes out is what a search at every place finds. The first byte says how large
 * the pieces are; then come secrets, each behind its length, up to an empty one; the rest is the stream.
 */
#include <stdlib.h>

#include "run/redact.h"
#include "tests/job/redact_naive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SECRETS_MAX = 16, STREAM_MAX = 4096 };

static void require(bool truth) {
        if (!truth)
                abort();
}

static size_t take_secrets(struct str *input, struct redact_secret secrets[SECRETS_MAX]) {
        static const struct str names = STR("ABCDEFGHIJKLMNOP");
        size_t count = 0;

        while (count < SECRETS_MAX && input->len > 0) {
                size_t len = (unsigned char)input->ptr[0] % REDACT_SPANS; /* so short that there are always spans left */

                *input = str_skip(*input, 1);
                if (len == 0)
                        break;
                secrets[count].name = str_take(str_skip(names, count), 1);
                secrets[count++].value = str_take(*input, len);
                *input = str_skip(*input, len);
        }
        return count;
}

static void take(void *context, struct str bytes) {
        require(bytes.len > 0);
        buf_append(context, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct redact_secret secrets[SECRETS_MAX];
        struct redact_state state = { 0 };
        const struct redactor *redactor = NULL;
        struct str input = str_from((const char *)data + 1, size - 1);
        size_t count;
        BUF_AUTO expected, got;

        buf_init(&expected, SIZE_MAX);
        buf_init(&got, SIZE_MAX);
        if (size < 2)
                return 0;
        count = take_secrets(&input, secrets);
        input = str_take(input, STREAM_MAX);
        require(redactor_new(secrets, count, NULL, &redactor, NULL) == 0);
        for (struct str rest = input; rest.len > 0; rest = str_skip(rest, (size_t)data[0] + 1))
                redact_feed(redactor, &state, str_take(rest, (size_t)data[0] + 1), take, &got);
        redact_end(redactor, &state, take, &got);
        redactor_leave(redactor);
        require(naive_redact(secrets, count, input, &expected) == state.redactions);
        require(str_eq(buf_str(&got), buf_str(&expected)));
        return 0;
}
