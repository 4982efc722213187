/*
 * The parts of the TOML reader, for each other: toml.c (statements, tables), toml_value.c, toml_string.c, toml_date.c.
 * Each fails with -1 and a message in the reader; the cursor is then of no interest.
 */
#ifndef BAILEY_POLICY_TOML_PARTS_H
#define BAILEY_POLICY_TOML_PARTS_H

#include "base/text_reader.h"

struct toml {
        struct reader r;
        uint32_t section; /* how many [headers] have been read, plus one */
};

/*
 * What may still be done to a table; `mark` of a node. Any other value is the number of the section in which dotted
 * keys made or extended the table: more of them may follow there, nothing else, and nowhere else.
 */
#define TOML_IMPLIED 0u               /* there only because [a.b] needs an a: [a] may still come */
#define TOML_DEFINED (UINT32_MAX - 1) /* by its own header */
#define TOML_FROZEN UINT32_MAX        /* written as a value: complete */

/* KEY = VALUE into `table`, in a section or in an inline table. */
int toml_pair(struct toml *t, struct tree_node *table);

int toml_value(struct toml *t, struct tree_node *parent, const struct reader_key *key);

/* 0: neither a date nor a time; 1: read. */
int toml_date(struct reader *r, struct tree_node *node);

/* A string at the cursor; a key may not have several lines. */
int toml_string(struct reader *r, bool key, struct str *ret);

void toml_blanks(struct reader *r);
bool toml_newline(struct reader *r);
int toml_comment(struct reader *r); /* if there is one */

#endif
