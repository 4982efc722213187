/*
 * See text_reader.h. Messages hold only printable ASCII: they end up in terminals, and a config file may be hostile.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l() */
#endif
#include "base/text_reader.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static int reader_check(struct reader *r) {
        const char *p = r->start;

        while (p < r->end) {
                size_t len = str_utf8(str_from(p, (size_t)(r->end - p)));

                if (!len)
                        return reader_fail(r, reader_pos(r, p), "byte 0x%02x is not UTF-8", (unsigned char)*p);
                p += len;
        }
        return 0;
}

int reader_init(struct reader *r, struct str text, size_t max, struct arena *arena, struct tree_error *error) {
        *r = (struct reader){ .arena = arena, .before = arena_mark(arena), .error = error, .at = { 1, 1 } };
        r->text = r->start = r->next = r->marked = text.len ? text.ptr : "";
        r->end = r->start + text.len;
        r->depth_max = TREE_DEPTH_MAX;
        if (text.len > max) {
                if (error) {
                        *error = (struct tree_error){ .code = ERR_TOO_COMPLEX };
                        snprintf(error->message, sizeof(error->message), "is %zu bytes long; the limit is %zu", text.len, max);
                }
                return -1;
        }
        if (reader_check(r) < 0)
                return -1;
        r->decoded = arena_bytes(arena, text.len + 1);
        return r->decoded ? 0 : reader_fail_memory(r);
}

int reader_abort(struct reader *r) {
        arena_rewind(r->arena, r->before);
        return -1;
}

struct tree_pos reader_pos(struct reader *r, const char *place) {
        if (place < r->marked) {
                r->marked = r->start;
                r->at = (struct tree_pos){ 1, 1 };
        }
        for (; r->marked < place; r->marked++) {
                if (*r->marked == '\n')
                        r->at = (struct tree_pos){ r->at.line + 1, 1 };
                else if (((unsigned char)*r->marked & 0xc0) != 0x80)
                        r->at.column++;
        }
        return r->at;
}

bool reader_take(struct reader *r, const char *word) {
        if (!reader_starts(r, word))
                return false;
        r->next += strlen(word);
        return true;
}

uint32_t reader_rune(const struct reader *r, size_t *ret_len) {
        const unsigned char *p = (const unsigned char *)r->next;

        *ret_len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
        switch (*ret_len) {
        case 1:
                return p[0];
        case 2:
                return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
        case 3:
                return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
        default:
                return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
        }
}

char *reader_put(char *out, uint32_t rune) {
        if (rune < 0x80) {
                *out++ = (char)rune;
                return out;
        }
        if (rune < 0x800) {
                *out++ = (char)(0xc0 | rune >> 6);
        } else {
                if (rune < 0x10000) {
                        *out++ = (char)(0xe0 | rune >> 12);
                } else {
                        *out++ = (char)(0xf0 | rune >> 18);
                        *out++ = (char)(0x80 | (rune >> 12 & 0x3f));
                }
                *out++ = (char)(0x80 | (rune >> 6 & 0x3f));
        }
        *out++ = (char)(0x80 | (rune & 0x3f));
        return out;
}

struct reader_key reader_key_start(struct reader *r) {
        return (struct reader_key){ .at = reader_pos(r, r->next), .start = (uint32_t)(r->next - r->text) };
}

struct tree_node *reader_add(struct reader *r, struct tree_node *parent, const struct reader_key *key) {
        struct tree_node *node = tree_add(r->arena, parent, key->name);

        if (!node) {
                reader_fail_memory(r);
                return NULL;
        }
        node->key_at = key->at;
        node->at = reader_pos(r, r->next);
        node->start = (uint32_t)(r->next - r->text);
        node->item = key->at.line ? key->start : node->start;
        return node;
}

int reader_open(struct reader *r, struct tree_node *node, enum tree_kind kind) {
        if (node->depth > r->depth_max) {
                reader_fail(r, node->at, "tables and arrays nested more than %u levels deep", r->depth_max);
                if (r->error)
                        r->error->code = ERR_TOO_COMPLEX;
                return -1;
        }
        node->kind = kind;
        return 0;
}

struct str reader_slot_end(char *from, char *to) {
        *to = '\0';
        return str_from(from, (size_t)(to - from));
}

struct str reader_copy(const struct reader *r, const char *from, const char *to) {
        char *slot = reader_slot(r, from);
        size_t len = (size_t)(to - from);

        memcpy(slot, from, len);
        return reader_slot_end(slot, slot + len);
}

int hex_value(int c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int64_t reader_hex(struct reader *r, unsigned count) {
        int64_t value = 0;

        for (unsigned i = 0; i < count; i++) {
                int digit = hex_value(reader_ahead(r, i));

                if (digit < 0)
                        return -1;
                value = value << 4 | digit;
        }
        r->next += count;
        return value;
}

int integer_parse(struct str digits, unsigned base, bool negative, int64_t *ret) {
        const uint64_t most = (uint64_t)INT64_MAX + negative;
        uint64_t value = 0;

        for (size_t i = 0; i < digits.len; i++) {
                unsigned digit = (unsigned)hex_value((unsigned char)digits.ptr[i]);

                if (digits.ptr[i] == '_')
                        continue;
                if (value > (most - digit) / base)
                        return -1;
                value = value * base + digit;
        }
        *ret = (int64_t)(negative ? 0 - value : value);
        return 0;
}

/*
 * strtod() rounds correctly and takes linear time, but reads the point of the program's locale, which a library can
 * neither know nor set; so strtod_l() with the C locale, which newlocale() hands out without allocating (glibc, musl).
 */
int reader_double(struct reader *r, struct str number, double *ret) {
        locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        struct arena_mark mark = arena_mark(r->arena);
        char *copy = arena_bytes(r->arena, number.len + 1), *to = copy;

        if (copy && locale) {
                for (size_t i = 0; i < number.len; i++)
                        if (number.ptr[i] != '_')
                                *to++ = number.ptr[i];
                *to = '\0';
                *ret = strtod_l(copy, NULL, locale);
        }
        arena_rewind(r->arena, mark);
        if (locale)
                freelocale(locale);
        return copy && locale ? 0 : reader_fail_memory(r);
}
