/*
 * The parts of the JSON5 reader, for each other: json5.c (space, structure), json5_text.c (strings, names),
 * json5_number.c, json5_unicode.c.
 */
#ifndef BAILEY_BASE_JSON5_PARTS_H
#define BAILEY_BASE_JSON5_PARTS_H

#include "base/json5.h"
#include "base/text_reader.h"

struct json5 {
        struct reader r;
        const struct json5_rules *rules;
        bool strict; /* nothing of JSON5 but comments, if the rules allow them */
};

int json5_string(struct json5 *j, struct str *ret);
int json5_name(struct json5 *j, struct str *ret); /* a key without quotes */
int json5_number(struct json5 *j, struct tree_node *node);

/* Does a number start at the cursor? Infinity and NaN are numbers, a sign without one is a mistake in a number. */
bool json5_number_ahead(const struct json5 *j);

/* Does a comment begin at this byte, and where does it end? The line end behind a comment of one line is not part of it. */
bool json5_comment_at(struct str text, size_t at);
size_t json5_comment_end(struct str text, size_t at, bool *ret_closed);

/* May begin a name; may follow in one. */
bool json5_is_letter(uint32_t rune);
bool json5_is_name(uint32_t rune);

/* For the test of the tables: pairs of first and last, ascending. */
struct json5_range {
        uint32_t first, last;
};
extern const struct json5_range json5_letters[], json5_marks[];
extern const size_t json5_letters_count, json5_marks_count;

#endif
