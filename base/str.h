/*
 * A slice of bytes that somebody else owns. Never NUL-terminated by promise, may hold any byte.
 */
#ifndef BAILEY_BASE_STR_H
#define BAILEY_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
        const char *ptr;
        size_t len;
};

/* A slice of a string literal: STR("rm"). */
#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })

static inline struct str str_from(const char *ptr, size_t len) {
        return (struct str){ ptr, len };
}

static inline struct str str_z(const char *zero_terminated) {
        return (struct str){ zero_terminated, strlen(zero_terminated) };
}

static inline bool str_eq(struct str a, struct str b) {
        return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Compares with a C string without measuring it twice. */
static inline bool str_is(struct str a, const char *z) {
        return strlen(z) == a.len && (a.len == 0 || memcmp(a.ptr, z, a.len) == 0);
}

/* Order by bytes, shorter first when one is a prefix of the other; for sorted tables. */
int str_cmp(struct str a, struct str b);

bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* ASCII letters only, never the locale. */
bool str_eq_nocase(struct str a, struct str b);

/* Index of the first byte `c`, or s.len. */
size_t str_find(struct str s, char c);

/* Is it one of the words that blanks separate? */
bool in_words(const char *list, struct str word);

/* Without spaces and tabs at both ends. */
struct str str_trim(struct str s);

/* Bytes of the UTF-8 character that `s` starts with, 0 when it starts with none: overlong forms, surrogates, numbers
 * past U+10FFFF and cut characters are not UTF-8. */
size_t str_utf8(struct str s);

enum { STR_VISIBLE_SIZE = sizeof("\\U0010ffff") };

/* The first character of `s`, which is not empty, as it may stand in a line on a terminal: as it is, or escaped in `room`
 * when it would not be seen (rune_unseen()) or is no UTF-8: \n, \x1b, \u202e. No more than four bytes for each of those that it
 * has, `ret_taken`. */
struct str str_visible(struct str s, char room[static STR_VISIBLE_SIZE], size_t *ret_taken);

/* The part from `start` on, clamped to the slice. An empty slice may have no pointer, and C adds nothing to that. */
static inline struct str str_skip(struct str s, size_t start) {
        if (start > s.len)
                start = s.len;
        return start ? (struct str){ s.ptr + start, s.len - start } : s;
}

/* The first `len` bytes, clamped. */
static inline struct str str_take(struct str s, size_t len) {
        return (struct str){ s.ptr, len < s.len ? len : s.len };
}

static inline bool is_ascii_digit(unsigned char c) {
        return c >= '0' && c <= '9';
}
static inline bool is_ascii_alpha(unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline bool is_ascii_alnum(unsigned char c) {
        return is_ascii_alpha(c) || is_ascii_digit(c);
}
static inline unsigned char ascii_lower(unsigned char c) {
        return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}
static inline unsigned char ascii_upper(unsigned char c) {
        return c >= 'a' && c <= 'z' ? (unsigned char)(c - 32) : c;
}

/* What hexadecimal digits, or those of base64 up to the first =, stand for; `out` has room for as many bytes as there are. 0:
 * something else is among them. */
size_t hex_decode(struct str digits, char *out);
size_t base64_decode(struct str digits, char *out);

/*
 * Characters: what a few bytes of UTF-8 stand for, and which of them people would not see.
 */

enum { RUNE_REPLACEMENT = 0xfffd };

/* The character that `s`, which is not empty, starts with, and how many bytes it has: RUNE_REPLACEMENT and 1 when that is no
 * UTF-8. */
uint32_t rune_first(struct str s, size_t *ret_size);

/* Controls, marks of direction, what has no width or looks like a space, and what no font has: text with them in it is not
 * what it looks like. */
bool rune_unseen(uint32_t rune);

#endif
