/*
 * Runs a script in the mind: in the order of execution, with what is known of its variables, and shows every simple command it
 * would run, expanded as far as that can be known. Nothing is executed, read or looked up.
 *
 * It is a MAY analysis. Where the script can take several ways, all are taken, and what they leave behind is joined: a variable
 * then has several values, and a command that uses it is shown once for each. Nothing is left out silently: what a limit cuts
 * short makes the end WALK_TOO_COMPLEX.
 */
#ifndef BAILEY_SHELL_WALK_H
#define BAILEY_SHELL_WALK_H

#include "base/buf.h"
#include "bash/eval/field.h"
#include "bash/syntax/parse.h"

enum {
        WALK_STEPS_PER_BYTE = 5,
        WALK_STEPS_LEAST = 192 << 10,
        WALK_BYTES_PER_BYTE = 64,
        WALK_BYTES_LEAST = 4 << 20,
        WALK_MEMORY_PER_BYTE = 144,
        WALK_MEMORY_LEAST = 5 << 20,
        WALK_MEMORY_MOST = 128 << 20,
        WALK_MAX_DEPTH = 400,  /* of commands in commands, calls, evals and walks in walks included */
        WALK_MAX_EVAL = 8,     /* eval in eval, alias in alias */
        WALK_MAX_CALLS = 32,   /* functions that call functions */
        WALK_MAX_TURNS = 256,  /* of all loops, that are walked one by one; the rest are walked as one that stands for all */
        WALK_MAX_PRODUCT = 16, /* combinations of alternatives, all tried; beyond, the first with the first, and so on */
};

struct walk_binding {
        struct str name, value;
};

/* What several walks may spend together; each takes off what it spent. */
struct walk_budget {
        uint64_t steps, memory;
};

struct walk_options {
        struct walk_budget *budget;          /* NULL: what its length allows it */
        const struct walk *outer;            /* whose exported variables and functions this script inherits, or NULL */
        const struct walk_binding *bindings; /* variables that the environment is known to have */
        size_t binding_count;
        bool environment_known;      /* and it has no others: a variable that nobody assigned is unset */
        struct str name;             /* $0; empty: not known */
        const struct str *arguments; /* $1... */
        size_t argument_count;
        bool arguments_known; /* false: anything */
};

/* Where a command stands. */
enum walk_where {
        WALK_IN_SUBSHELL = 1,
        WALK_IN_BACKGROUND = 2,
        WALK_IN_PIPELINE = 4,
        WALK_IN_CONDITION = 8, /* its status is asked for: if, while, &&, ||, ! */
        WALK_IN_BRANCH = 16,   /* may not run at all */
        WALK_IN_LOOP = 32,
        WALK_IN_FUNCTION = 64,
        WALK_IN_SUBSTITUTION = 128, /* $(...) `...` <(...) */
        WALK_IN_EVAL = 256,         /* of eval, source /dev/stdin, an alias */
        WALK_IN_TRAP = 512,
        WALK_IN_DATA = 1024,    /* a command that hid in a text which bash evaluates a second time */
        WALK_AGAIN = 4096,      /* a later turn of a loop: shown before, with what was known then */
        WALK_AFTER_CODE = 2048, /* code that could not be read has run before: all that is known may have changed */
};

struct walk_assign {
        struct walk_assign *next;
        const struct assign *assign;
        struct str name;
        struct value index, value;    /* value: not for compound ones */
        struct walk_assign *elements; /* compound ones */
        bool indexed, append, compound;
        bool may_split; /* an element that may be none or several */
};

struct walk_redirect {
        struct walk_redirect *next;
        const struct redir *redir;
        struct field *targets; /* more or less than one: bash calls it ambiguous, and does not run the command */
        size_t target_count;
        struct value body; /* here documents and here strings */
};

struct walk_call {
        const struct walk_call *outer;
        const struct function *function;
        const struct command *caller;
};

struct walk;

struct walk_visit {
        const struct walk *walk;       /* while it is being shown: for walk_options.outer */
        const struct script *script;   /* whose source the ranges speak of: eval's text is one of its own */
        const struct command *command; /* a simple one; or a compound one that has redirections, and then there is no argv */
        const struct field *argv;
        size_t argc;
        const struct walk_assign *assigns; /* that precede the name */
        const struct walk_redirect *redirects;
        const struct value *input;  /* what standard input holds, as far as it is known; NULL: nobody knows */
        const struct value *output; /* what it writes to a file, when a redirection sends it there and it is known */
        const struct command *pipe_from, *pipe_to; /* its neighbours in a pipeline */
        const struct walk_call *call;              /* the function it runs in */
        const struct function *callee;             /* the function it calls */
        bool recursive;                            /* and that one is already running */
        bool by_name;                              /* ${!x} in it, where only the run can tell what x holds */
        bool sampled;                              /* not all combinations of alternatives are shown */
        unsigned alternative, alternatives;        /* this is number so of so many, as far as is known by now */
        unsigned where;                            /* enum walk_where */
        unsigned eval_depth;
};

/* Why bash evaluates a text as code, or as something in which code can hide. */
enum walk_code {
        WALK_CODE_ARITHMETIC, /* (( )), $(( )), let, subscripts, [[ -eq ]]: code hides in subscripts */
        WALK_CODE_NAME,       /* a variable name with a subscript: read, unset, printf -v, test -v, declare -n */
        WALK_CODE_PROMPT,     /* ${x@P} */
        WALK_CODE_EVAL,       /* eval, source /dev/stdin */
        WALK_CODE_ALIAS,
        WALK_CODE_TRAP,
};

/* Each may be NULL. Returning false stops the walk. */
struct walk_visitor {
        void *context;
        bool (*command)(void *context, const struct walk_visit *visit);
        /* Before what can be read of the text is walked. `visit` says where; it has no argv. */
        bool (*code)(void *context, const struct walk_visit *visit, enum walk_code code, struct value text);
        /* After a compound command whose output goes into a file: `visit` has the redirections and the output. */
        bool (*written)(void *context, const struct walk_visit *visit);
        /* What is in a file, if the visitor knows; false: no. */
        bool (*file)(void *context, struct str path, struct value *ret);
};

enum walk_end {
        WALK_COMPLETE,
        WALK_TOO_COMPLEX,
        WALK_NO_MEMORY,
        WALK_STOPPED, /* by the visitor */
};

/* `options` may be NULL. All that the visitor is shown lives in the arena. */
enum walk_end shell_walk(const struct script *script, const struct walk_options *options, const struct walk_visitor *visitor,
                         struct arena *arena);

/*
 * What a walk over a script shows, as JSON, for people and for tests.
 */

/* An array with an object for each command, in the order of execution. */
enum walk_end shell_expand_json(const struct script *script, struct buf *out, struct arena *arena);

#endif
