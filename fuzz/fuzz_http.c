/*
 * The head of a request is read, refused, or waited for; what is read lies within it. More bytes never turn a refusal into
 * something to wait for.
 */
#include <stdint.h>
#include <stdlib.h>

#include "cli/http.c" // NOLINT(bugprone-suspicious-include): the program's front end is no library

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_so) {
        if (!is_so)
                abort();
}

static bool is_inside(struct str part, struct str whole) {
        return !part.len || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct str bytes = str_from((const char *)data, size);
        struct http_request request = {};
        enum http_status status = http_read(bytes, &request);

        if (status == HTTP_OK) {
                must(request.path.len && request.path.ptr[0] == '/' && request.host.ptr);
                must(is_inside(request.path, bytes) && is_inside(request.query, bytes) && is_inside(request.host, bytes) &&
                     is_inside(request.cookies, bytes) && is_inside(http_cookie(&request, "bailey"), bytes));
                must(size <= HTTP_HEAD_MAX && memcmp(data + size - 4, "\r\n\r\n", 4) == 0);
                must(http_read(str_take(bytes, size - 1), &request) == HTTP_INCOMPLETE);
        } else if (status == HTTP_INCOMPLETE) {
                must(size < HTTP_HEAD_MAX);
        } else {
                must(status >= HTTP_BAD_REQUEST && strcmp(http_reason(status), http_reason(HTTP_FAILED)) != 0);
        }
        return 0;
}
