/*
 * A field: one element of an argv that bash will make, as far as it can be known.
 */
#ifndef BAILEY_SHELL_FIELD_H
#define BAILEY_SHELL_FIELD_H

#include "bash/eval/pattern.h"

enum field_kind {
        FIELD_KNOWN,   /* text */
        FIELD_HOME,    /* known but for where a home directory is */
        FIELD_GLOB,    /* becomes the names of files, or stays as it is when there are none */
        FIELD_UNKNOWN, /* because */
};

struct field {
        struct value value;      /* all pieces; in a glob `quoted` says which bytes mean only themselves */
        struct str text;         /* KNOWN: all of it. GLOB: what stays when no file matches; empty if there is a home in it */
        struct str prefix;       /* how it surely begins */
        const struct word *word; /* it came from; NULL when it is a parameter's, or made of output */
        uint8_t kind;            /* enum field_kind */
        uint8_t because;         /* enum unknown */
        bool may_split;          /* may turn out to be no field, or several */
        bool glob, home;         /* has such a part, whatever the kind */
};

struct field_list {
        struct field *items;
        size_t count, capacity;
};

struct field field_make(struct builder *b, const struct word *word, bool globs, bool extglob, bool may_split);
void field_add(struct budget *budget, struct field_list *list, struct field field);

/* The glob, with a backslash before each byte that means only itself. */
struct str field_pattern(struct budget *budget, const struct field *field);

/* What a variable holds that is assigned the field: in place of a glob, some file's name. */
struct value field_value(struct budget *budget, const struct field *field);

/* Can the field be this text, when bash is done with it? What is unknown could be anything. */
bool field_may_be(struct budget *budget, const struct field *field, struct str text);

#endif
