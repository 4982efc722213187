/*
 * Shell arithmetic over text that is already expanded, as bash 5.2 does it: 64-bit integers that wrap, variables whose values
 * are expressions themselves, assignments. What depends on something unknown is unknown.
 */
#ifndef BAILEY_SHELL_ARITH_H
#define BAILEY_SHELL_ARITH_H

#include "bash/eval/value.h"

/* Stands in the text for a piece that is not known. */
#define ARITH_UNKNOWN_BYTE '\x01'

enum arith_state {
        ARITH_KNOWN,
        ARITH_UNKNOWN,
        ARITH_ERROR, /* bash complains, and the command is not run */
};

struct arith_result {
        enum arith_state state;
        int64_t value;
};

/* x or a[subscript]; the subscript is still to be expanded, and bash does expand it: code may hide there. */
struct arith_name {
        struct str name, subscript;
        bool has_subscript;
};

struct arith_host {
        void *context;
        /* The text of a variable, empty when it is unset. UNKNOWN when nobody can tell. */
        enum arith_state (*read)(void *context, const struct arith_name *name, struct str *ret_text);
        /* `maybe`: whether it is assigned at all depends on something unknown. */
        void (*write)(void *context, const struct arith_name *name, struct arith_result value, bool maybe);
};

struct arith_result arith_evaluate(struct budget *budget, struct str text, const struct arith_host *host);

/* ---- its parts: arith_number.c ---- */

/* 12 012 0x1f 16#ff 64#@_ */
struct arith_result arith_number(struct str text);

/* One byte for each operator: + - * / % & | ^ as they are, p **, < <<, > >>, = ==, ! !=, l <=, g >=, L <, G >. */
struct arith_result arith_apply(char op, struct arith_result left, struct arith_result right);

#endif
