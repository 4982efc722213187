/*
 * The state of the shell that is being imagined: variables, functions, aliases, options. Each name holds a set of alternatives,
 * as different ways through the script leave different values behind. Changes are logged, so that a subshell or a branch can be
 * taken back, and branches be joined, at the price of what they changed.
 */
#ifndef BAILEY_SHELL_VARS_H
#define BAILEY_SHELL_VARS_H

#include "bash/eval/value.h"

enum {
        VARS_MAX_JOINED = 16, /* alternatives that branches may pile up; then one is "too complex" */
        VARS_MAX_LISTED = 64, /* values of a `for` */
        ARRAY_MAX = 64 << 10, /* elements */
};

enum space {
        SPACE_VARIABLE,
        SPACE_FUNCTION,
        SPACE_ALIAS,
        SPACE_OPTION, /* of set and shopt, by long name; scalar "1" or "" */
        SPACE_TRAP,
        SPACE_SHELL, /* what has no name in bash: "@" the positional parameters, "code" seen that could not be read */
};

enum attribute {
        ATTR_INTEGER = 1,
        ATTR_LOWER = 2,
        ATTR_UPPER = 4,
        ATTR_NAMEREF = 8,
        ATTR_READONLY = 16,
        ATTR_EXPORT = 32,
        ATTR_ARRAY = 64,
        ATTR_ASSOC = 128,
        ATTR_CAPITAL = 256, /* declare -c */
};

struct element {
        int64_t index;  /* indexed arrays, ascending */
        struct str key; /* associative ones, in order of assignment */
        struct value value;
        bool may_split; /* stands for none or several */
};

/* Immutable, but for one thing: arrays that only grow share one buffer. */
struct array {
        struct element *items;
        size_t count, *used, capacity; /* *used: of the shared buffer */
        bool assoc;
        bool uncertain; /* which element has which index is not known */
};

enum datum_kind { DATUM_UNSET, DATUM_SCALAR, DATUM_ARRAY, DATUM_CODE };

struct datum {
        uint8_t kind;
        struct value value;
        const struct array *array;
        const struct function *function; /* CODE */
        const struct script *script;     /* that it was defined in */
};

struct content {
        uint16_t attributes;
        uint16_t count; /* at least 1 */
        struct datum alternatives[];
};

struct var {
        struct var *next;
        struct str name;
        enum space space;
        const struct content *content; /* NULL: never assigned; only the environment knows */
        uint32_t logged;               /* the scope that has its old content in the log */
        uint32_t joining;
        size_t slot;
};

struct vars_log {
        struct var *var;
        const struct content *before;
};

struct vars {
        struct budget *budget;
        struct var **table;
        size_t mask, count;
        struct vars_log *log;
        size_t logged, log_capacity;
        uint32_t scope, last_scope, joins;
        uint32_t spaces;        /* bits of those that hold any name: few scripts have aliases or set options */
        bool environment_known; /* what nobody assigned is unset */
};

int vars_init(struct vars *vars, struct budget *budget);

/* The variable, made when it is not there yet; NULL only when the work stopped. */
struct var *vars_get(struct vars *vars, enum space space, struct str name);
/* Without making it. */
struct var *vars_find(const struct vars *vars, enum space space, struct str name);

void vars_put(struct vars *vars, struct var *var, const struct content *content);

struct content *content_new(struct budget *budget, unsigned attributes, size_t count);
const struct content *content_scalar(struct budget *budget, unsigned attributes, struct value value);
const struct content *content_array(struct budget *budget, unsigned attributes, const struct array *array);
const struct content *content_unset(struct budget *budget, unsigned attributes);
/* The union, in this order; past `limit` alternatives the last one says TOO_COMPLEX. Either may be NULL: the environment. */
const struct content *content_join(struct vars *vars, const struct var *var, const struct content *a, const struct content *b,
                                   size_t limit);
const struct content *content_with(struct budget *budget, const struct content *content, unsigned attributes);
/* Adds an alternative that is unknown. */
const struct content *content_widen(struct vars *vars, const struct var *var, const struct content *content,
                                    enum unknown because);

/* ---- scopes ---- */

struct scope {
        size_t log;
        uint32_t outer;
};

struct delta {
        struct vars_log *changes; /* `before` is what the branch left behind */
        size_t count;
};

struct scope vars_begin(struct vars *vars);
void vars_commit(struct vars *vars, struct scope scope); /* the changes stay */
void vars_undo(struct vars *vars, struct scope scope);
struct delta vars_leave(struct vars *vars, struct scope scope); /* undoes them, and says what they were */
struct delta vars_peek(struct vars *vars, struct scope scope);  /* says what they are */

/* The state after one of several branches; `skipped`: or after none. Returns whether anything changed. */
bool vars_join(struct vars *vars, const struct delta *deltas, size_t count, bool skipped);

/* ---- arrays ---- */

struct array *array_new(struct budget *budget, bool assoc);
/* A new array, with the element set. Indices count from 0. */
const struct array *array_set(struct budget *budget, const struct array *array, int64_t index, struct str key,
                              struct value value);
/* Behind all others. */
const struct array *array_append(struct budget *budget, const struct array *array, struct value value, bool may_split);
const struct array *array_skip(struct budget *budget, const struct array *array,
                               size_t count); /* the rest, indices as they are */
const struct array *array_remove(struct budget *budget, const struct array *array, int64_t index, struct str key);
const struct element *array_find(struct budget *budget, const struct array *array, int64_t index, struct str key);
bool array_count_known(const struct array *array);
int64_t array_next_index(const struct array *array);
const struct array *array_uncertain(struct budget *budget, const struct array *array);
/* Some element was changed, nobody knows which: each may be there no more. */
const struct array *array_blurred(struct budget *budget, const struct array *array);
/* The order in which bash 5.2 lists the keys of an associative array. */
const struct array *array_listed(struct budget *budget, const struct array *array);

#endif
