/*
 * Explains why a command probably failed, only from evidence: how it ended, what it printed, what the guard knows of it, and
 * what the policy forbids. Without evidence the result is empty. No side effects.
 */
#ifndef BAILEY_RUN_EXPLAIN_H
#define BAILEY_RUN_EXPLAIN_H

#include "base/arena.h"
#include "base/err.h"
#include "guard/guard.h"
#include "policy/policy.h"

enum { EXPLAIN_OUTPUT_MAX = 64 << 10 }; /* so much of the end of the output is examined */

enum explain_place {
        EXPLAIN_ALONE,   /* a command in the foreground, as in `bailey run` */
        EXPLAIN_SESSION, /* the same in a session, which supports background commands */
        EXPLAIN_BACKGROUND,
};

/* What a line of the text is about: a row of engine/why_table.c, and the path, host or limit. */
struct explain_finding {
        const char *kind;
        const char *subject;
};

enum { EXPLAIN_FINDINGS_MAX = 16 };

struct explain_findings {
        struct explain_finding items[EXPLAIN_FINDINGS_MAX];
        size_t count;
};

struct explain_input {
        const struct policy *policy;
        const struct verdict *verdict; /* what the guard knows of the command */
        int exit_code;                 /* -1: ended by a signal */
        int signal;
        enum explain_place place;
        bool timed_out, cancelled;
        bool memory_killed;         /* the cgroup says so */
        bool user_memory_killed;    /* the one of all commands of the user does: this one, or another */
        bool output_known;          /* false: it was passed on, and `output` is what is known of it */
        int64_t timeout;            /* ns; 0: there was none */
        struct str output;          /* captured */
        const char *const *refused; /* what the network gateway refused, a sentence for each; NULL: nothing is known of that */
        const char *served; /* ports that background commands of the session listen at: "3000, 5173", or ""; NULL: none runs
                               whose ports could be reached */
        const char *const *masked;    /* paths that cannot be read in the sandbox; these lists end in NULL, or are NULL */
        const char *const *read_only; /* protected paths inside the writable ones */
        const char *const *matched;   /* those of both that the policy's patterns deny */
        const char *const *programs;  /* those of `read_only` that are files of bailey's own program */
        const char *const *writable;  /* the workspace if it is, and fs_write_allow; /tmp and its like are known */
        const char *workspace, *home; /* NULL: none */
        const char *cwd;

        /* Returns true if the host has this absolute path, but commands do not see it: it is not shown in their home. NULL:
         * everything is shown. */
        bool (*is_hidden)(void *context, const char *path);
        void *context;
        struct explain_findings *ret_findings; /* in the arena; may be NULL */
};

/* A line for each finding, of one to three sentences: what happened, what an agent can do instead, which setting the user can
 * change. No newline at the end; empty if there is no finding. */
int explain(const struct explain_input *in, struct arena *arena, struct str *ret_text, struct err *err);

/*
 * Paths as they stand in what programs print: absolute, with ~, relative to the workspace, in quotes of all sorts.
 */

/* Returns true if the line contains the path, or one below it. */
bool explain_names(const struct explain_input *in, struct str line, struct str path);

/* The next absolute path on the line from *at on: true with *at where it begins. One at the very beginning does not count: it
 * is the program that prints the message (/usr/bin/install: ...), or the file in which grep found the text. */
bool explain_next_path(struct str line, size_t *at);

/* Returns true if the text begins with this path or one below it. */
bool explain_is_under(struct str text, struct str path);

/* Returns the path, up to its probable end. */
struct str explain_path_text(struct str text);

#endif
