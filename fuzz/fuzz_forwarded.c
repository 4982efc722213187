/*
 * Requests to a proxy: the same bytes in other pieces give the same; what comes out, read as strictly as a proxy could, is
 * requests for one host only, and as many of them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/forwarded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int is_so) {
        if (!is_so)
                abort();
}

static int feed(const uint8_t *data, size_t size, size_t step, struct buf *out) {
        struct forwarded *forwarded = calloc(1, sizeof(*forwarded));
        int result = 0;

        must(forwarded != NULL);
        forwarded->host = "a.example";
        for (size_t i = 0; i < size && result == 0; i += step)
                result = forwarded_feed(forwarded, str_from((const char *)data + i, step < size - i ? step : size - i), out);
        free(forwarded);
        return result;
}

/* Every head that begins where one may begin names the host. */
static void check_first(const struct buf *out) {
        struct str text = buf_str(out);
        size_t space = str_find(text, ' ');

        if (text.len)
                must(str_starts(str_skip(text, space), STR(" http://a.example/")) && !str_starts(text, STR("CONNECT ")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        BUF_AUTO whole;
        BUF_AUTO pieces;
        int result;

        buf_init(&whole, 16 << 20);
        buf_init(&pieces, 16 << 20);
        result = feed(data, size, size ? size : 1, &whole);
        must(feed(data, size, size > 3 ? 3 : 1, &pieces) == result);
        must(!whole.failed && !pieces.failed && str_eq(buf_str(&whole), buf_str(&pieces)));
        check_first(&whole);
        if (forwarded_possible(str_from((const char *)data, size), "a.example"))
                must(whole.len > 0);
        return 0;
}
