/*
 * What the parts of the walk share. Nobody outside includes this.
 *
 * walk.c        lists, pipelines, compound commands      walk_simple.c   one simple command
 * walk_compound.c, walk_loop.c, walk_frame.c             walk_unit.c     trying alternatives
 * walk_state.c  reading variables, options, IFS          walk_assign.c   assigning, arithmetic
 * walk_code.c   texts that are code: eval, aliases       builtin_*.c     commands that change the state
 * expand.c      words -> fields                          emit.c          field splitting
 * expand_param.c, expand_ops.c, expand_transform.c       ${...}
 * output*.c     what commands print
 */
#ifndef BAILEY_SHELL_INTERP_H
#define BAILEY_SHELL_INTERP_H

#include "bash/eval/arith.h"
#include "bash/eval/field.h"
#include "bash/eval/vars.h"
#include "bash/eval/walk.h"

/* What of IFS matters. */
struct ifs {
        bool known;
        bool none;                /* IFS='': nothing is split */
        char first;               /* joins "$*"; 0 when there is none */
        unsigned char class[256]; /* 1: blank, 2: other separator */
};

/* What standard input holds. */
struct input {
        struct value value;
        size_t consumed, before; /* bytes that `read` has taken, and those when the present unit began */
        unsigned loop_depth;     /* where it was opened: a read in a loop inside gets every line */
};

/* Which alternatives the present try takes. */
struct digit {
        const void *key;
        unsigned radix, stride; /* stride 0: goes along with the others */
};

struct remembered {
        const struct part *part;
        struct value value;
};

struct unit {
        struct digit digits[16];
        unsigned count, product, diagonal, run;
        unsigned choices; /* made so far, in this try */
        bool sampled;
        struct remembered *memory; /* substitutions without choices: walked once */
        size_t remembered, memory_capacity, cursor;
};

/* A function, a loop, one turn of it, the script: where return, break and continue lead, and locals end. */
enum frame_kind { FRAME_SCRIPT, FRAME_FUNCTION, FRAME_LOOP, FRAME_TURN, FRAME_SUBSHELL };
enum { FRAME_MAX_ESCAPES = 8 };

struct local {
        struct local *next;
        struct var *var;
        const struct content *before;
        bool maybe; /* declared in a branch: it may be the global one all along */
};

struct frame {
        struct frame *outer;
        enum frame_kind kind;
        struct scope scope;
        struct local *locals;
        unsigned branches;                       /* that it was entered in */
        struct delta escapes[FRAME_MAX_ESCAPES]; /* the state at each return or break */
        size_t escape_count;
        bool weak; /* too many of them: from here on assignments add, and do not replace */
};

enum status {
        STATUS_UNKNOWN,
        STATUS_TRUE,
        STATUS_FALSE,
        STATUS_GONE, /* exit, return, break: what follows is not reached */
};

/* A variable that an assignment before a command's name has changed for as long as the command runs. */
struct saved {
        struct saved *next;
        struct var *var;
        const struct content *before;
};

struct walk {
        struct budget budget;
        struct vars vars;
        const struct walk_options *options;
        const struct walk_visitor *visitor;
        const struct script *script;
        struct frame *frame;
        struct unit *unit;
        struct builder *output; /* what the present command prints is of interest; NULL: of none */
        struct input *input;    /* NULL: nobody knows */
        const struct walk_call *call;
        const struct saved *passed; /* to the present command */
        const struct command *pipe_from, *pipe_to;
        unsigned branches; /* that may not be taken, one in the other, around here */
        unsigned where, depth, eval_depth, call_depth, loop_depth, arith_depth;
        unsigned turns; /* of loops that may still be walked one by one */
        bool stopped;
        bool by_name; /* since the last simple command was shown, the value of an unknown name was asked for */
        struct ifs ifs;
        const void *ifs_from;                      /* the datum that `ifs` was made of */
        struct var *positional, *ifs_var, *unread; /* $@, IFS; set once code ran that could not be read */
};

static inline bool walk_goes_on(const struct walk *w) {
        return !w->stopped && w->budget.stop == BUDGET_GOES_ON;
}

/* ---- walk_unit.c ---- */

/* Which of `radix` alternatives to take in this try. */
unsigned walk_choose(struct walk *w, const void *key, unsigned radix);

/* Does it once for every alternative that it asks for, each from the same state, and joins what they leave. */
void walk_each(struct walk *w, void (*once)(struct walk *w, void *context), void *context);

/* ---- walk_state.c ---- */

int walk_init(struct walk *w);

/* A variable as it is read: namerefs followed, an alternative chosen. */
struct reading {
        struct var *var; /* may be NULL */
        struct str name; /* after namerefs */
        struct str subscript;
        bool has_subscript; /* a nameref may point at an element */
        unsigned attributes;
        struct datum datum;
        bool maybe_unset; /* only the environment knows */
};

struct reading walk_read(struct walk *w, struct str name);
struct value walk_scalar(struct walk *w, struct str name, bool *ret_unset); /* $name, element 0 of arrays */

/* One of an array of which it is not known what is where. */
struct value walk_some_element(struct walk *w, const struct array *array, struct str name);
/* name[subscript] */
struct value walk_element(struct walk *w, struct str name, struct value subscript, bool *ret_unset, bool *ret_maybe);

/* Where an assignment goes. */
struct target {
        struct str name;
        struct value subscript;
        bool has_subscript;
        bool append;
        bool maybe; /* it may also not happen */
};

const struct array *walk_array_of(struct walk *w, const struct reading *reading); /* a scalar becomes element 0 */
void walk_assign_value(struct walk *w, const struct target *target, struct value value);
void walk_assign_array(struct walk *w, const struct target *target, const struct array *array);
void walk_assign_unknown(struct walk *w, struct str name, enum unknown because);
void walk_unset(struct walk *w, struct str name, const struct value *subscript);
void walk_put(struct walk *w, struct var *var, const struct content *content, bool maybe);
/* name or name[subscript] given as text, by somebody else: code may hide in the subscript. False when it is no name. */
bool walk_parse_target(struct walk *w, struct value text, struct target *target);

/* Attributes that change what is assigned: -i -l -u. */
struct value walk_coerce(struct walk *w, unsigned attributes, struct value value);

enum truth walk_option(struct walk *w, const char *name, bool at_start); /* shell options, by long name */
void walk_set_option(struct walk *w, struct str name, bool on);
const struct ifs *walk_ifs(struct walk *w);

/* The value of a subscript: a number, or the key of an associative array. */
enum arith_state walk_index(struct walk *w, struct value subscript, int64_t *ret);
struct arith_result walk_arith(struct walk *w, struct value text);

/* The positional parameters, and whether which is which is known. */
const struct array *walk_positional(struct walk *w);
void walk_set_positional(struct walk *w, const struct array *array);
const struct array *walk_array_of_fields(struct walk *w, const struct field *fields, size_t count);

/* ---- special variables ---- */

enum special { SPECIAL_NOT, SPECIAL_SET, SPECIAL_DYNAMIC }; /* SET: until the script assigns it */
enum special special_variable(struct str name, bool *ret_number);

/* ---- expand.c ---- */

enum value_mode {
        VALUE_ASSIGNED, /* the right side of an assignment: tildes after colons */
        VALUE_WORD,     /* as in [[ ]], case, <<< */
        VALUE_PATTERN,  /* keeps apart what is quoted */
};

void expand_words(struct walk *w, const struct word *words, struct field_list *list);
void expand_word(struct walk *w, const struct word *word, struct field_list *list);
struct value expand_value(struct walk *w, const struct word *word, enum value_mode mode);
struct value expand_double(struct walk *w, const struct part *parts); /* as inside double quotes */
struct value expand_arith(struct walk *w, const struct part *parts);  /* the number */
struct arith_result expand_arith_result(struct walk *w, const struct part *parts);
/* An argument of declare and its kin that is spelled as an assignment: not split, not globbed. */
void expand_assignment_word(struct walk *w, const struct word *word, struct field_list *list);
bool word_is_assignment(const struct word *word);
struct value expand_subscript(struct walk *w, const struct word *index, bool assoc);

/* ---- emit.c ---- */

struct emit {
        struct walk *w;
        struct field_list *list;
        const struct word *word;
        struct builder b;
        enum { EMIT_BETWEEN, EMIT_IN_FIELD, EMIT_AFTER_BLANK } state;
        bool splits, globs, may_split, extglob;
        bool declares;        /* an argument of declare and its kin */
        unsigned empty_lists; /* "$@" that were nothing */
        unsigned operands;    /* inside so many ${x-...} */
};

void emit_begin(struct emit *e, struct walk *w, struct field_list *list, const struct word *word);
void emit_text(struct emit *e, struct str text, bool quoted);
void emit_value(struct emit *e, struct value value, bool quoted); /* the result of an expansion */
void emit_mark(struct emit *e);                                   /* there were quotes: an empty field is one too */
void emit_break(struct emit *e);                                  /* the next one is another field */
void emit_separator(struct emit *e);                              /* between the elements of an unquoted $* or $@ */
void emit_end(struct emit *e);
void emit_spelled(struct emit *e, struct str text); /* quoted; may hold placeholders, see walk_code.c */

/* ---- expand_param.c, expand_ops.c, expand_transform.c ---- */

enum { EXPAND_QUOTED = 1, EXPAND_OPERAND = 2 };
void expand_parts(struct emit *e, const struct part *parts, unsigned flags);
void expand_operand(struct emit *e, const struct word *word, unsigned flags);
char param_list_kind(const struct param *param); /* @ or * for $@, ${a[*]} and the like; else 0 */
void expand_param(struct emit *e, const struct param *param, unsigned flags);

struct item {
        struct value value;
        struct str key; /* of an associative array */
        int64_t index;
        bool may_split;
};

/* What a parameter holds. */
struct operand {
        enum { OPERAND_SET, OPERAND_UNSET, OPERAND_MAYBE } state;
        bool list, star;   /* $@ and ${a[@]}; $* and ${a[*]} */
        bool positional;   /* $@ and $* */
        bool array, assoc; /* the variable is one */
        bool count_known;
        bool operated; /* on: bash joins the results by IFS here, by a blank there */
        struct value value;
        struct item *items;
        size_t count;
        struct str name;
        unsigned attributes;
        struct target target; /* for ${x:=...} */
};

/* ---- expand_resolve.c ---- */

void operand_resolve(struct walk *w, const struct param *p, struct operand *o);
void operand_list_one(struct walk *w, struct operand *o, struct value value, bool may_split); /* a list of one */
struct value operand_number_unknown(struct walk *w, enum unknown because, struct str name);

struct param_operands {
        const struct param *param;
        struct pattern *pattern;
        struct value replacement; /* quotes kept apart */
        struct arith_result offset, length;
        bool has_length;
        bool bad;
};

struct value param_unknown(struct walk *w, struct value value);
struct value param_apply(struct walk *w, const struct param_operands *ops, struct value value);
struct value param_length(struct walk *w, struct value value);
struct value param_transform(struct walk *w, char letter, struct value value, struct str name, unsigned attributes);
struct value param_transform_list(struct walk *w, char letter, const struct item *items, size_t count, struct str name,
                                  bool assoc);
struct str attribute_letters(unsigned attributes, char *buffer);

/* ---- walk.c ---- */

enum status walk_list(struct walk *w, const struct command *commands);
enum status walk_command(struct walk *w, const struct command *command);
struct value walk_substitution(struct walk *w, const struct part *part);

/* Shows a command to the visitor, with all about where it stands. */
void walk_show(struct walk *w, struct walk_visit *visit);
/* What is in a file that the script itself has made, if somebody kept count. */
bool walk_file(struct walk *w, struct str path, struct value *ret);
/* What a script that runs inside another one has from that one; NULL: nothing. */
const struct content *walk_inherited(const struct walk *w, enum space space, struct str name);
struct walk_visit walk_visit_here(struct walk *w, const struct command *command);

/* What redirections do to standard input and output. */
struct redirected {
        struct walk_redirect *list;
        bool input_set; /* then this is it, NULL: nobody knows */
        struct input *input;
        bool output_gone;    /* printed to somewhere else */
        bool output_unclear; /* perhaps, perhaps not */
};
struct redirected walk_redirects(struct walk *w, const struct redir *redirs);

/* ---- walk_frame.c ---- */

struct frame *walk_enter(struct walk *w, struct frame *frame, enum frame_kind kind);
/* `gone`: its end is not reached. Returns whether what follows it is not either. */
bool walk_leave(struct walk *w, struct frame *frame, bool gone);
/* return, break, continue: the state as it is now is one of those after the frame. False: leads nowhere. */
bool walk_escape(struct walk *w, enum frame_kind kind, unsigned levels);
/* A scope whose changes are forgotten; return and break do not lead out of it. */
struct subshell {
        struct frame frame;
        struct scope scope;
        unsigned where;
};
void walk_subshell_begin(struct walk *w, struct subshell *subshell, unsigned where);
void walk_subshell_end(struct walk *w, struct subshell *subshell);

/* ---- walk_compound.c, walk_loop.c ---- */

enum status walk_compound(struct walk *w, const struct command *command);
enum status walk_loop(struct walk *w, const struct command *command);
enum status walk_condition(struct walk *w, const struct cond *cond); /* [[ ]] */
enum status compare_numbers(struct str op, int64_t left, int64_t right);

/* ---- walk_simple.c ---- */

enum status walk_simple(struct walk *w, const struct command *command);

/* A simple command, expanded. */
struct simple {
        const struct command *command;
        struct field *argv;
        size_t argc;
        struct walk_assign *assigns;   /* before the name */
        struct walk_assign *arguments; /* declare a=(...) */
        struct redirected redirected;
};

bool simple_word(const struct simple *s, size_t i, struct str *ret); /* argv[i], if it is known */
struct walk_assign *walk_expand_assign(struct walk *w, const struct assign *assign);
void walk_do_assign(struct walk *w, const struct walk_assign *assign, bool maybe);
/* The same command without its first words: command, builtin. */
struct simple simple_skip(const struct simple *s, size_t count);
enum status walk_dispatch(struct walk *w, const struct simple *s, bool functions);

/* ---- builtins ---- */

typedef enum status builtin_fn(struct walk *w, const struct simple *s);
builtin_fn *builtin_find(struct str name);
builtin_fn builtin_declare, builtin_read, builtin_mapfile, builtin_set, builtin_shift, builtin_shopt, builtin_test;

/* Letters of the options that precede the operands, at most once each; `with_value` have one, the last given is kept. False
 * when they cannot be told, being unknown. */
struct options {
        uint64_t on, off; /* bit (letter - 'A') */
        struct value values[64];
        size_t first; /* operand */
};
bool builtin_options_read(struct walk *w, const struct simple *s, const char *with_value, struct options *ret);
static inline bool options_has(const struct options *o, char letter) {
        return o->on >> (letter - 'A') & 1;
}

/* ---- walk_code.c ---- */

/* Expands the text as inside double quotes, if that can run anything. */
void walk_data(struct walk *w, enum walk_code code, struct value text);
/* Walks a text as commands, in the present state. */
enum status walk_text(struct walk *w, enum walk_code code, struct value text);
/* What stands in such a text for a piece that is not known, up to the closing brace. */
#define CODE_PLACEHOLDER "${__unknown_"
bool walk_alias(struct walk *w, const struct command *command, enum status *ret);
/* From here on nothing is sure: code has run that nobody could read. */
void walk_unread_code(struct walk *w);
/* The texts given to trap. */
void walk_traps(struct walk *w);

/* ---- output.c ---- */

/* Adds what the command prints to w->output, if that is of interest. */
void output_command(struct walk *w, const struct simple *s);
void output_unknown(struct walk *w);

/* A command whose output can be worked out: adds it to `out`, or returns false. */
typedef bool output_fn(struct walk *w, const struct simple *s, struct builder *out);
output_fn output_base64, output_rev, output_tr, output_xxd, output_cut, output_head, output_tail, output_tac;

/* Standard input, if all of it is known. */
bool output_input(struct walk *w, struct str *ret);

/* The text of a format, argv[format], and the arguments behind it. */
void output_printf(struct walk *w, const struct simple *s, size_t format, struct builder *out);

/* One backslash escape at *pos, which moves behind it. */
enum escape_mode { ESCAPE_ECHO, ESCAPE_FORMAT, ESCAPE_PERCENT_B, ESCAPE_ANSI };
enum escape { ESCAPE_DONE, ESCAPE_STOP, ESCAPE_UNKNOWN }; /* STOP: \c, print nothing more */
enum escape output_escape(struct str text, size_t *pos, enum escape_mode mode, struct builder *out);
/* A text with escapes. */
enum escape output_escapes(struct str text, enum escape_mode mode, struct builder *out);

#endif
