#include "gateway/forwarded.h"

#include <string.h>

enum {
        SIZE_DIGITS_MAX = 15,
        LISTED_MAX = 4, /* headers called Connection */
};

/* ---- heads ---- */

struct head {
        struct str method, path, version; /* version: "HTTP/1.1" */
        struct str fields;                /* lines, each with its end */
        struct str listed[LISTED_MAX];    /* values of Connection */
        bool chunked, upgrade;
        size_t hosts, lengths, list_count;
        uint64_t length;
};

static bool is_token(unsigned char c) {
        return is_ascii_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token_text(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if (!is_token((unsigned char)text.ptr[i]))
                        return false;
        return text.len > 0;
}

static bool is_line_text(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if (((unsigned char)text.ptr[i] < ' ' && text.ptr[i] != '\t') || text.ptr[i] == 0x7f)
                        return false;
        return true;
}

/* Decimal, or hexadecimal: nothing but digits. */
static int read_size(struct str text, unsigned base, uint64_t *ret) {
        uint64_t size = 0;

        if (!text.len || text.len > SIZE_DIGITS_MAX)
                return -1;
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = ascii_lower((unsigned char)text.ptr[i]);
                unsigned digit = is_ascii_digit(c) ? c - (unsigned)'0' : c >= 'a' && c <= 'f' ? c - 'a' + 10u : 99;

                if (digit >= base)
                        return -1;
                size = size * base + digit;
        }
        *ret = size;
        return 0;
}

/* The line before the next CR LF. -1: there is none, or it has a line end of another kind in it. */
static int take_line(struct str *rest, struct str *ret) {
        size_t end = str_find(*rest, '\r');

        if (end + 1 >= rest->len || rest->ptr[end + 1] != '\n')
                return -1;
        *ret = str_take(*rest, end);
        *rest = str_skip(*rest, end + 2);
        return is_line_text(*ret) ? 0 : -1;
}

/* "GET /path HTTP/1.1"; no other form of a target. */
static int read_request_line(struct str line, struct head *head) {
        size_t method = str_find(line, ' '), path;
        struct str rest = str_skip(line, method + 1);

        path = str_find(rest, ' ');
        head->method = str_take(line, method);
        head->path = str_take(rest, path);
        head->version = str_skip(rest, path + 1);
        if (!is_token_text(head->method) || str_is(head->method, "CONNECT") || !str_starts(head->path, STR("/")) ||
            str_find(head->path, '\t') < head->path.len)
                return -1;
        return str_is(head->version, "HTTP/1.1") || str_is(head->version, "HTTP/1.0") ? 0 : -1;
}

static bool is_host(struct str value, const char *host) {
        struct str name = str_take(value, strlen(host)), port = str_skip(value, strlen(host));

        return str_eq_nocase(name, str_z(host)) && (!port.len || str_is(port, ":80"));
}

/* What decides where the request goes, and where it ends. `host`: NULL: any, as it will be replaced. */
static int read_field(struct str line, const char *host, struct head *head) {
        size_t colon = str_find(line, ':');
        struct str name = str_take(line, colon), value = str_trim(str_skip(line, colon + 1));

        if (colon == line.len || !is_token_text(name))
                return -1;
        if (str_eq_nocase(name, STR("host"))) {
                head->hosts++;
                return !host || is_host(value, host) ? 0 : -1;
        }
        if (str_eq_nocase(name, STR("content-length"))) {
                head->lengths++;
                return read_size(value, 10, &head->length);
        }
        if (str_eq_nocase(name, STR("transfer-encoding"))) {
                if (head->chunked || !str_eq_nocase(value, STR("chunked")))
                        return -1;
                head->chunked = true;
        }
        if (str_eq_nocase(name, STR("connection"))) {
                if (head->list_count < LISTED_MAX)
                        head->listed[head->list_count] = value;
                head->list_count++;
        }
        head->upgrade |= str_eq_nocase(name, STR("upgrade"));
        return 0;
}

/* `text` ends with the empty line. */
static int read_head(struct str text, const char *host, struct head *ret) {
        struct head head = {};
        struct str line;

        if (take_line(&text, &line) < 0 || read_request_line(line, &head) < 0)
                return -1;
        head.fields = str_take(text, text.len - 2);
        while (text.len > 2)
                if (take_line(&text, &line) < 0 || read_field(line, host, &head) < 0)
                        return -1;
        if (head.hosts != 1 || head.lengths > 1 || (head.chunked && (head.lengths || str_is(head.version, "HTTP/1.0"))))
                return -1;
        *ret = head;
        return 0;
}

/* What is between the client and a proxy is ours. */
static bool is_for_proxy(struct str line) {
        return str_eq_nocase(str_take(line, 6), STR("proxy-"));
}

static void write_line(struct buf *out, struct str line) {
        buf_append(out, line);
        buf_append(out, STR("\r\n"));
}

static void write_proxied(const struct forwarded *forwarded, const struct head *head, struct buf *out) {
        struct str rest = head->fields, line;

        buf_append(out, head->method);
        buf_append(out, STR(" http://"));
        buf_append(out, str_z(forwarded->host));
        buf_append(out, head->path);
        buf_char(out, ' ');
        buf_append(out, head->version);
        buf_append(out, STR("\r\n"));
        while (take_line(&rest, &line) == 0)
                if (!is_for_proxy(line))
                        write_line(out, line);
        buf_append(out, STR("\r\n"));
}

/* ---- with a secret ---- */

/* Some servers take an underscore for a hyphen. */
static bool is_same_name(struct str a, struct str b) {
        if (a.len != b.len)
                return false;
        for (size_t i = 0; i < a.len; i++) {
                unsigned char x = ascii_lower((unsigned char)a.ptr[i]), y = ascii_lower((unsigned char)b.ptr[i]);

                if ((x == '_' ? '-' : x) != (y == '_' ? '-' : y))
                        return false;
        }
        return true;
}

static bool is_framing(struct str name) {
        return str_eq_nocase(name, STR("content-length")) || str_eq_nocase(name, STR("transfer-encoding"));
}

/* Connection names what is for the next hop only, which is us. What says where a request ends never is. */
static bool is_listed(const struct head *head, struct str name) {
        for (size_t i = 0; i < head->list_count && i < LISTED_MAX; i++)
                for (struct str rest = head->listed[i]; rest.len;) {
                        size_t end = str_find(rest, ',');

                        if (str_eq_nocase(str_trim(str_take(rest, end)), name))
                                return true;
                        rest = str_skip(rest, end + 1);
                }
        return false;
}

static bool is_ours(const struct forwarded_secret *secret, const struct head *head, struct str line) {
        static const char *const names[] = { "host", "connection", "keep-alive", "te", "trailer", "upgrade", "http2-settings" };
        struct str name = str_take(line, str_find(line, ':'));

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
                if (is_same_name(name, str_z(names[i])))
                        return true;
        return is_for_proxy(line) || is_same_name(name, secret->name) || (!is_framing(name) && is_listed(head, name));
}

static void write_with_secret(const struct forwarded_secret *secret, const struct head *head, struct buf *out) {
        struct str rest = head->fields, line;

        buf_append(out, head->method);
        buf_char(out, ' ');
        buf_append(out, head->path);
        buf_char(out, ' ');
        write_line(out, head->version);
        buf_append(out, STR("Host: "));
        write_line(out, secret->host);
        while (take_line(&rest, &line) == 0)
                if (!is_ours(secret, head, line))
                        write_line(out, line);
        buf_append(out, secret->name);
        buf_append(out, STR(": "));
        write_line(out, secret->value);
        buf_append(out, STR("Connection: close\r\n\r\n"));
}

/* TRACE would return what was sent, with the secret. */
static const char *objection(const struct head *head) {
        if (str_is(head->method, "TRACE"))
                return "the method TRACE is not passed on";
        return head->list_count > LISTED_MAX ? "its head has too many lines called Connection" : NULL;
}

/* ---- the stream ---- */

/* Collects until `end` is there; 0: it is not yet. */
static int collect(struct forwarded *forwarded, struct str *in, struct str end, size_t max) {
        while (in->len) {
                if (forwarded->len == max)
                        return -1;
                forwarded->bytes[forwarded->len++] = in->ptr[0];
                *in = str_skip(*in, 1);
                if (str_ends(str_from(forwarded->bytes, forwarded->len), end))
                        return 1;
        }
        return 0;
}

/* Behind the end of a request. */
static unsigned next_state(const struct forwarded *forwarded) {
        return forwarded->secret ? FORWARDED_OVER : FORWARDED_HEAD;
}

static int fail(struct forwarded *forwarded, const char *why) {
        forwarded->why = why;
        return -1;
}

static int write_head(struct forwarded *forwarded, const struct head *head, struct buf *out) {
        if (!forwarded->secret) {
                if (head->upgrade)
                        return -1;
                write_proxied(forwarded, head, out);
                return 0;
        }
        if (objection(head))
                return fail(forwarded, objection(head));
        write_with_secret(forwarded->secret, head, out);
        return 0;
}

static int feed_head(struct forwarded *forwarded, struct str *in, struct buf *out) {
        int found = collect(forwarded, in, STR("\r\n\r\n"), sizeof(forwarded->bytes));
        struct head head;

        if (found < 0)
                return fail(forwarded, "the head of the request is larger than 16 KiB");
        if (found == 0)
                return 0;
        if (read_head(str_from(forwarded->bytes, forwarded->len), forwarded->host, &head) < 0)
                return fail(forwarded, "the head of the request is not one of HTTP/1.1, or can be read in two ways");
        if (write_head(forwarded, &head, out) < 0)
                return -1;
        forwarded->len = 0;
        forwarded->left = head.length;
        forwarded->state = head.chunked ? FORWARDED_CHUNK : head.length ? FORWARDED_BODY : next_state(forwarded);
        return 0;
}

/* "1f\r\n", without anything behind the size. */
static int feed_chunk(struct forwarded *forwarded, struct str *in, struct buf *out) {
        int found = collect(forwarded, in, STR("\n"), SIZE_DIGITS_MAX + 2);
        struct str line = str_from(forwarded->bytes, forwarded->len);

        if (found <= 0)
                return found;
        if (!str_ends(line, STR("\r\n")) || read_size(str_take(line, line.len - 2), 16, &forwarded->left) < 0)
                return -1;
        buf_append(out, line);
        forwarded->len = 0;
        forwarded->state = forwarded->left ? FORWARDED_CHUNK_DATA : FORWARDED_LAST_CHUNK;
        return 0;
}

/* The end of a line, and nothing else: no trailers. */
static int feed_line_end(struct forwarded *forwarded, struct str *in, struct buf *out, int next) {
        int found = collect(forwarded, in, STR("\n"), 2);

        if (found <= 0)
                return found;
        if (!str_is(str_from(forwarded->bytes, forwarded->len), "\r\n"))
                return -1;
        buf_append(out, STR("\r\n"));
        forwarded->len = 0;
        forwarded->state = (unsigned)next;
        return 0;
}

static void feed_data(struct forwarded *forwarded, struct str *in, struct buf *out) {
        size_t len = forwarded->left < in->len ? (size_t)forwarded->left : in->len;

        buf_append(out, str_take(*in, len));
        *in = str_skip(*in, len);
        forwarded->left -= len;
}

int forwarded_feed(struct forwarded *forwarded, struct str in, struct buf *out) {
        int result = 0;

        while (in.len && result == 0)
                switch (forwarded->state) {
                case FORWARDED_HEAD:
                        result = feed_head(forwarded, &in, out);
                        break;
                case FORWARDED_BODY:
                        feed_data(forwarded, &in, out);
                        if (!forwarded->left)
                                forwarded->state = next_state(forwarded);
                        break;
                case FORWARDED_CHUNK:
                        result = feed_chunk(forwarded, &in, out);
                        break;
                case FORWARDED_CHUNK_DATA:
                        if (forwarded->left)
                                feed_data(forwarded, &in, out);
                        else
                                result = feed_line_end(forwarded, &in, out, FORWARDED_CHUNK);
                        break;
                case FORWARDED_LAST_CHUNK:
                        result = feed_line_end(forwarded, &in, out, (int)next_state(forwarded));
                        break;
                case FORWARDED_OVER:
                        return 0;
                }
        if (result < 0 && !forwarded->why)
                forwarded->why = "the body of the request is not chunked as HTTP/1.1 says, or has trailers";
        forwarded->bad |= result < 0;
        return result;
}

bool forwarded_possible(struct str in, const char *host) {
        static const struct str end = STR("\r\n\r\n");
        struct head head;

        in = str_take(in, FORWARDED_HEAD_MAX);
        for (size_t i = 0; i + end.len <= in.len; i++)
                if (memcmp(in.ptr + i, end.ptr, end.len) == 0)
                        return read_head(str_take(in, i + end.len), host, &head) == 0 && !head.upgrade;
        return false;
}
