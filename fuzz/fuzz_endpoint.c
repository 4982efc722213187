/*
 * One request to a host with a credential: the same bytes in other pieces give the same; what comes out is the head of one
 * request for that host, with the secret once, whatever names the client uses, and nothing behind the end of its body.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/forwarded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct forwarded_secret secret = { .host = STR("a.example"),
                                                .name = STR("Authorization"),
                                                .value = STR("S/e/c/r/e/t") };

static void must(int is_so) {
        if (!is_so)
                abort();
}

static int feed(const uint8_t *data, size_t size, size_t step, struct buf *out, bool *ret_over) {
        struct forwarded *forwarded = calloc(1, sizeof(*forwarded));
        int result = 0;

        must(forwarded != NULL);
        forwarded->secret = &secret;
        for (size_t i = 0; i < size && result == 0; i += step)
                result = forwarded_feed(forwarded, str_from((const char *)data + i, step < size - i ? step : size - i), out);
        must(result == 0 || forwarded->why);
        *ret_over = forwarded->state == FORWARDED_OVER;
        free(forwarded);
        return result;
}

/* The next line, which ends with CR LF and has no other line end. */
static struct str take(struct str *text) {
        size_t end = str_find(*text, '\r');
        struct str line = str_take(*text, end);

        must(end + 1 < text->len && text->ptr[end + 1] == '\n' && str_find(line, '\n') == line.len);
        *text = str_skip(*text, end + 2);
        return line;
}

static void check_head(struct str text) {
        size_t secrets = 0, hosts = 0, closes = 0, framing = 0;
        struct str line = take(&text);

        must(!str_starts(line, STR("CONNECT ")) && !str_starts(line, STR("TRACE ")));
        must(str_starts(str_skip(line, str_find(line, ' ')), STR(" /")));
        while ((line = take(&text)).len) {
                struct str name = str_take(line, str_find(line, ':'));

                must(name.len && name.len < line.len && line.ptr[0] != ' ' && line.ptr[0] != '\t');
                if (str_eq_nocase(name, secret.name)) {
                        secrets++;
                        must(str_is(line, "Authorization: S/e/c/r/e/t"));
                }
                hosts += str_eq_nocase(name, STR("host"));
                closes += str_eq_nocase(name, STR("connection"));
                framing += str_eq_nocase(name, STR("content-length")) || str_eq_nocase(name, STR("transfer-encoding"));
        }
        must(secrets == 1 && hosts == 1 && closes == 1 && framing <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        BUF_AUTO whole;
        BUF_AUTO pieces;
        bool over, pieces_over;
        int result;

        buf_init(&whole, 16 << 20);
        buf_init(&pieces, 16 << 20);
        result = feed(data, size, size ? size : 1, &whole, &over);
        must(feed(data, size, size > 3 ? 3 : 1, &pieces, &pieces_over) == result && over == pieces_over);
        must(!whole.failed && !pieces.failed && str_eq(buf_str(&whole), buf_str(&pieces)));
        if (whole.len)
                check_head(buf_str(&whole));
        if (over) { /* what follows changes nothing */
                must(result == 0);
                buf_clear(&pieces);
                {
                        uint8_t *more = malloc(size + 18);

                        must(more != NULL);
                        memcpy(more, data, size);
                        memcpy(more + size, "GET / HTTP/1.1\r\n\r\n", 18);
                        must(feed(more, size + 18, size + 18, &pieces, &pieces_over) == 0 && pieces_over);
                        free(more);
                }
                must(str_eq(buf_str(&whole), buf_str(&pieces)));
        }
        return 0;
}
