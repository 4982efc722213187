/*
 * The parts of the JSON5 reader, for each other: json5.c (space, structure), json5_text.c (strings, names),
 * json5_number.c, json5_unicode.c.
 */
#ifndef BAILEY_BASE_JSON5_PARTS_H
#define BAILEY_BASE_JSON5_PARTS_H

#include "base/text_reader.h"

struct json5 {
        struct reader r;
        bool strict; /* plain JSON */
};

int json5_string(struct json5 *j, struct str *ret);
int json5_name(struct json5 *j, struct str *ret); /* a key without quotes */
int json5_number(struct json5 *j, struct tree_node *node);

/* Does a number start at the cursor? Infinity and NaN are numbers, a sign without one is a mistake in a number. */
bool json5_number_ahead(const struct json5 *j);

/* U+2028, U+2029, CR, LF. */
bool json5_is_line_end(uint32_t rune);
bool json5_is_space(uint32_t rune);

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
