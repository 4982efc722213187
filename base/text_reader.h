/*
 * What the TOML and the JSON5 reader share: a cursor over checked UTF-8, places, messages, numbers, new nodes.
 */
#ifndef BAILEY_BASE_TEXT_READER_H
#define BAILEY_BASE_TEXT_READER_H

#include "base/value_tree.h"

struct reader {
        struct arena *arena;
        struct arena_mark before;       /* what the arena held before */
        struct tree_error *error;       /* may be NULL */
        const char *text;               /* all of it */
        const char *start, *next, *end; /* of what lines and columns are counted in; the cursor */
        unsigned depth_max;
        char *decoded;      /* room for what strings mean, see reader_slot() */
        const char *marked; /* a place in the text... */
        struct tree_pos at; /* ...and what it is called */
};

struct reader_key {
        struct str name;
        struct tree_pos at;
        uint32_t start;
};

/* Refuses a text that is too long (`max` bytes, at most 4 GiB) or not UTF-8. A byte order mark in front is left to the
 * language.
 */
int reader_init(struct reader *r, struct str text, size_t max, struct arena *arena, struct tree_error *error);

/* Gives back what was allocated since reader_init(). Returns -1. */
int reader_abort(struct reader *r);

/* The line and column of a place in the text. Linear over all calls as long as the places come in order. */
struct tree_pos reader_pos(struct reader *r, const char *place);

/* The key that begins at the cursor, without its name. */
struct reader_key reader_key_start(struct reader *r);

/* The byte `ahead` of the cursor; -1 past the end. */
static inline int reader_ahead(const struct reader *r, size_t ahead) {
        return ahead < (size_t)(r->end - r->next) ? (unsigned char)r->next[ahead] : -1;
}

static inline int reader_peek(const struct reader *r) {
        return reader_ahead(r, 0);
}

static inline bool reader_starts(const struct reader *r, const char *word) {
        return str_starts(str_from(r->next, (size_t)(r->end - r->next)), str_z(word));
}

/* Steps over `word` if the text goes on with it. */
bool reader_take(struct reader *r, const char *word);

/* The code point at the cursor (not at the end) and its length in bytes. */
uint32_t reader_rune(const struct reader *r, size_t *ret_len);

/* Appends a code point as UTF-8; returns the new end. */
char *reader_put(char *out, uint32_t rune);

/*
 * A new node with `key` (empty for an array's element), found where the cursor is. reader_open() makes it a table or an
 * array, if that is not too deep.
 */
struct tree_node *reader_add(struct reader *r, struct tree_node *parent, const struct reader_key *key);
int reader_open(struct reader *r, struct tree_node *node, enum tree_kind kind);

/*
 * Where the meaning of the string that starts at `place` is to be written. No escape is shorter than what it stands
 * for, so the room is as long as the text, each string has the part at its own offset, and nothing is measured
 * beforehand.
 */
static inline char *reader_slot(const struct reader *r, const char *place) {
        return r->decoded + (place - r->start);
}

/* Ends what was written to a slot: `from` to `to`, and a NUL behind it, which the closing quote has room for. */
struct str reader_slot_end(char *from, char *to);

/* A copy, in its slot, of a part of the text that is followed by something that is no string. */
struct str reader_copy(const struct reader *r, const char *from, const char *to);

/* `count` hexadecimal digits at the cursor; -1 (and the cursor stays) when there are fewer. */
int64_t reader_hex(struct reader *r, unsigned count);
int hex_value(int c);

/* Digits of a base, underscores skipped. -1: does not fit. */
int integer_parse(struct str digits, unsigned base, bool negative, int64_t *ret);

/* A number already checked, underscores skipped, in the C locale. */
int reader_double(struct reader *r, struct str number, double *ret);

/* All return -1. The first says what is wrong at `at`, the second what should be at the cursor. */
int reader_fail(struct reader *r, struct tree_pos at, const char *format, ...) __attribute__((format(printf, 3, 4)));
int reader_expected(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
int reader_fail_memory(struct reader *r);

/* A key for a message: quoted, printable, short. */
struct reader_quoted {
        char text[64];
};
struct reader_quoted reader_quote(struct str key);

#endif
