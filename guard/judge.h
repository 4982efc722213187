/*
 * What the judges share: a command that is being read, its arguments, and the ways to say what it would do.
 */
#ifndef BAILEY_GUARD_JUDGE_H
#define BAILEY_GUARD_JUDGE_H

#include "guard/guard.h"
#include "guard/tables/programs.h"
#include "bash/eval/walk.h"

enum {
        GUARD_MAX_DEPTH = 8,       /* commands that run commands that run commands */
        GUARD_MAX_TEXT = 64 << 10, /* bytes, code or not */
        GUARD_MAX_EFFECTS = 512,
        GUARD_MAX_FILES = 128, /* that a command writes and that are followed */
        GUARD_MAX_PLACE = 256, /* bytes of a directory that is followed; of one above the start, a quarter */
        EFFECTS_RECENT = 16,
        GUARD_MAX_REASONS = 32,
        PIPES_KEPT = 8,
        NETWORK_KEPT = 32,
        /* Steps and bytes for all the code inside the command, however often it is run; a script costs some by itself. */
        GUARD_STEPS_LEAST = 192 << 10,
        GUARD_STEPS_PER_BYTE = 4,
        GUARD_STEPS_SCRIPT = 128,
        GUARD_MEMORY_LEAST = 3 << 20,
        GUARD_MEMORY_PER_BYTE = 128,
        UNKNOWN_BYTE = 1, /* stands in an argument's text for something that only the run can tell */
};

/* An argument, as text one can look at: ~ in front for a home directory, UNKNOWN_BYTE for each unknown piece. */
struct arg {
        struct str text;
        struct value value;
        const struct field *field; /* NULL for one that was made here */
        struct range range;
        bool known; /* no UNKNOWN_BYTE in it */
        bool glob;
        bool may_split;
};

/* A file that an earlier part of the command wrote, linked or fetched. */
struct file_fact {
        struct file_fact *next;
        struct str path;
        struct str stands_for; /* a link or copy of this; or empty */
        struct value content;
        bool content_known;
        bool fetched;     /* from the network */
        bool looked_up;   /* `readers` is right */
        uint64_t readers; /* a bit for each row of readers.c that its name is for */
        unsigned obeyed;  /* a bit for each enum content that it has been judged as */
};

/* A command as text, for patterns. */
struct kept_line {
        struct kept_line *next;
        struct str text;
};

struct byte_set {
        uint64_t bits[4];
};

struct guard {
        const struct policy *policy;
        struct arena *arena;
        struct budget budget;
        struct verdict *verdict;
        struct effect **effect_tail;
        const struct effect *recent[EFFECTS_RECENT];
        size_t effect_count, reason_count, file_count;
        struct walk_budget inner; /* what is left for code inside code */
        const struct script *root;
        const struct walk_visit *visit;    /* the present command */
        const struct script *named_script; /* it was looked at whether it defines names of programs */
        struct range range;                /* of the command of the root script that is being judged */
        struct str start;                  /* where the command starts; empty: unknown */
        struct str own_home;               /* `home` of struct guard_place */
        struct str cwd;                    /* absolute, ~..., or empty for where the command started */
        struct str outer_cwd;              /* the same outside the present subshell */
        struct file_fact *files;
        const struct command *network_pipes[PIPES_KEPT]; /* that what the network sent flows into */
        size_t pipes_seen;
        const struct command *found_for; /* the command that reads the names another one prints, */
        const struct arg *found;         /* and what is known of them */
        size_t found_count;
        struct kept_line *kept, **kept_tail;
        size_t kept_count;
        const struct egress *egress;                          /* what the gateway goes by; NULL: not asked for yet */
        struct byte_set table_beginnings;                     /* of the tables of paths, see paths.c */
        const struct command *network_commands[NETWORK_KEPT]; /* that were seen to talk to the network, however spelled */
        size_t network_count, connected;                      /* connected: how often by now */
        const struct frame *frame;                            /* the commands that run the present script */
        size_t call_count, need_count;
        unsigned depth;
        unsigned searches; /* for what a substitution is an argument of */
        unsigned muted;    /* kinds of effects that do not count, a bit each */
        bool has_names;    /* the script that was looked at may define names of programs */
        bool contained;    /* that of struct guard_place counts */
        bool in_subshell;
        bool is_source;    /* what is judged is a file, which may hold much that never runs */
        bool failed;       /* no memory, or too complex */
        bool last_network; /* the present command prints what the network sent */
        bool acts;         /* some command does more than print */
        bool errexit;      /* set -e */
        bool leaves;       /* exit or return may have ended the script */
};

/* What is judged may be no command at all: only what it would do counts, not how it is called. */
#define MUTED_SUPPOSED                                                                                             \
        (1U << FX_RUN | 1U << FX_ESCALATE | 1U << FX_ENVIRON | 1U << FX_TEXT | 1U << FX_LATER | 1U << FX_CONNECT | \
         1U << FX_HISTORY | 1U << FX_INJECT | 1U << FX_ENDLESS | 1U << FX_WEAKEN | 1U << FX_ATTACK)

/* It happens in a container, whose files, users and settings are its own. */
#define MUTED_INSIDE (~(1U << FX_CODE | 1U << FX_HISTORY | 1U << FX_LISTEN | 1U << FX_MINE | 1U << FX_EXHAUST))

/* A command whose argument is a script that is being judged. */
struct frame {
        const struct frame *outer;
        const struct walk_visit *visit;
};

/* A command: argv with what surrounds it. */
struct call {
        struct guard *guard;
        const struct arg *args; /* args[0] is the program */
        size_t count;
        struct str name;                /* base name of the program, in lower case */
        const struct value *input;      /* what it reads from standard input, as far as that is known */
        const struct walk_visit *visit; /* NULL for a command that another one runs */
        const struct program *program;
        bool piped;        /* something unknown is piped into it */
        bool from_network; /* and that comes from the network */
        bool unlisted;     /* the policy does not list it, or what runs it */
};

/* ---- saying ---- */
void guard_effect(struct guard *g, enum effect_kind kind, uint32_t flags, struct str subject, struct range range);
void guard_assigned(struct call *call, struct str name, const struct arg *value);
void guard_path(struct guard *g, enum effect_kind kind, uint32_t flags, const struct arg *path);
void guard_opaque(struct guard *g, struct str what, struct range range);

/* ---- going deeper ---- */
bool guard_spend(struct guard *g, uint64_t steps); /* false: enough; the command will be called too complex */
void guard_script(struct guard *g, const struct script *script, const struct walk_options *options);
void guard_visit(struct guard *g, const struct walk_visit *visit);
void guard_call(struct call *call);               /* judges argv */
void guard_rest(struct call *call, size_t first); /* argv from `first` on is a command */
void guard_shell(struct call *call, const struct arg *text, const struct arg *arguments, size_t count); /* bash code */
void guard_shell_text(struct call *call, struct str text, struct range range);
bool guard_shows_names(struct guard *g, enum effect_kind kind); /* only names and counts of what the present command reads */
struct file_fact *guard_file(struct guard *g, struct str path); /* a new one */
const struct file_fact *guard_file_find(struct guard *g, struct str path);
bool guard_run_file(struct call *call, const struct arg *path, const struct program *program);
bool guard_value_reads(struct guard *g, const struct value *value); /* part of it is what commands print */
/* Part of it is what a program with one of these traits prints. */
bool guard_value_has(struct guard *g, const struct value *value, unsigned traits);
static inline bool guard_value_network(struct guard *g, const struct value *value) {
        return guard_value_has(g, value, TRAIT_NETWORK);
}
bool guard_list_network(struct guard *g, const struct command *list);
/* What a command has written into the files it is redirected to. */
void guard_written(struct guard *g, const struct walk_visit *visit, bool from_network);

/* ---- arguments ---- */
struct arg guard_arg(struct guard *g, struct value value, struct range range);
struct arg arg_text(struct guard *g, struct str text, struct range range);
struct arg arg_part(const struct arg *arg, size_t start, size_t len);
static inline bool is_url(struct str text) {
        return str_starts(text, STR("http://")) || str_starts(text, STR("https://"));
}
static inline bool arg_is(const struct arg *arg, const char *text) {
        return str_is(arg->text, text);
}
/* dd --version: all of it, so that nothing is done. */
static inline bool asks_for_help(const struct call *call) {
        return call->count == 2 && (arg_is(&call->args[1], "--version") || arg_is(&call->args[1], "--help"));
}
struct str arg_basename(struct str text);
char *guard_bytes(struct guard *g, size_t size);
struct str guard_lower(struct guard *g, struct str name);
struct str guard_join(struct guard *g, const struct arg *args, size_t count, bool *ret_known);

/* ---- the text: control bytes, characters that look like others, constructs that a strict policy refuses as such ---- */
bool text_is_long(struct guard *g, const struct script *script); /* it has more code than allowed, and that was said */
void text_check_bytes(struct guard *g, struct str command);
void text_check_tree(struct guard *g, const struct script *script);
/* The commands with their words as they will be, one a line, for the user's patterns. */
void text_keep(struct guard *g, const struct arg *args, size_t count);
struct str text_normalised(struct guard *g);

/* ---- what a failure can be explained by ---- */
struct need_mark {
        struct effect **effects; /* where those of the call will be */
        size_t calls, needs;
};

struct need_mark need_begin(struct guard *g);
void need_end(struct call *call, const struct program *row, struct need_mark mark); /* `row`: NULL if it has none */

/* ---- judges with files of their own ---- */
void judge_shell(struct call *call);
void judge_script(struct call *call, const struct arg *script); /* a file that a shell or interpreter is to run */
void judge_from_input(struct call *call);
void judge_code(struct call *call);
void judge_code_text(struct call *call, const struct program *program, struct str code, struct range range);
void judge_escapes(struct call *call);
void judge_escape_text(struct call *call, const struct arg *text);
void judge_find(struct call *call);
void judge_fd(struct call *call);
void judge_xargs(struct call *call);
void judge_env(struct call *call);
void judge_git(struct call *call);
void judge_bailey(struct call *call);
void judge_container(struct call *call);
void judge_dd(struct call *call);
bool dd_is_plain(struct call *call);
void judge_permit(struct call *call);
void judge_fetch(struct call *call);
void judge_connect(struct call *call);
void judge_remote(struct call *call);
void judge_copy(struct call *call);
void judge_sed(struct call *call);
void judge_tar(struct call *call);
void judge_make(struct call *call);
void judge_set(struct call *call);
void judge_declare(struct call *call);
void judge_source(struct call *call);
void judge_cd(struct call *call);
void judge_kill(struct call *call);
void judge_alias(struct call *call);
void judge_hash(struct call *call);
void judge_ps(struct call *call);
void judge_printenv(struct call *call);
void judge_gpg(struct call *call);
void judge_package(struct call *call);
void judge_parallel(struct call *call);
void judge_exhaust(struct call *call);
void judge_generic(struct call *call);
void judge_operands(struct call *call, size_t first); /* of an unknown program */
void judge_written(struct call *call);                /* what this command wrote, and the program now runs */
void judge_recipes(struct call *call, struct str text, struct range range); /* of a makefile */
void judge_mount(struct call *call, const struct arg *mount);               /* HOST:CONTAINER */
bool text_is_command(struct str text);                                      /* rather than words for people */
void judge_text_files(struct call *call, const struct arg *arg);            /* named in a script of an unknown language */
void judge_told(struct call *call);                                         /* in words, of any program */
void judge_unknown(struct call *call);                                      /* the rest of what it is told */
void guard_found(struct call *call, const struct arg *paths, size_t count, const struct arg *name);
void judge_peer(struct call *call, const struct arg *name);
void judge_host(struct call *call, const struct arg *host);
void judge_urls(struct call *call);
void judge_image(struct call *call, const struct arg *image, bool registry); /* of a container; or only its registry */
bool socket_is_local(struct guard *g, struct str path);
void judge_upload(struct call *call, const struct arg *url, struct range range);
void judge_ssh_option(struct call *call, const struct arg *option);
void judge_print(struct call *call);
void judge_tmux(struct call *call);
void judge_loader(struct call *call);
void judge_daemon(struct call *call);
void judge_ftp(struct call *call);
void judge_words(struct call *call); /* of any program: whether its words destroy, tell or run something */
bool sql_destroys(struct str text);

#endif
