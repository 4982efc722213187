/*
 * The audit record of a command. It never contains values of the environment; output is counted, not kept.
 */
#ifndef BAILEY_AUDIT_RECORD_H
#define BAILEY_AUDIT_RECORD_H

#include <stdint.h>

#include "base/buf.h"

enum audit_kind {
        AUDIT_INTENT,   /* before the command starts */
        AUDIT_OUTCOME,  /* after its end; has the same id */
        AUDIT_REFUSED,  /* by the guard: the only record of that command */
        AUDIT_FAILED,   /* it could not be started */
        AUDIT_TESTED,   /* checked, and not run */
        AUDIT_INPUT,    /* for the standard input of a command, which has the same id; the text stands for the command */
        AUDIT_CHANGED,  /* no command: the user changed the policy of a session, or restored or dropped an item that was set
                           aside */
        AUDIT_ASKED,    /* no command: what the user is asked before one */
        AUDIT_ANSWERED, /* and what came of it */
        AUDIT_REPAIR,   /* a writer was killed inside a record; see file.c */
};

const char *audit_kind_name(enum audit_kind kind);

struct audit_reason {
        struct str rule, message;
        const char *severity;
        uint32_t start, end;
        struct str subject; /* the path, host, program or name; empty: none */
};

/* What in the sandbox a failure was probably due to. */
struct audit_finding {
        const char *kind, *subject; /* "outside", "/etc/x": rows of engine/why_table.c */
        const char *program;        /* that was denied it; NULL: not known */
};

/* A host that a command has used, or was refused. */
struct audit_host {
        const char *host, *by, *verdict, *address; /* address NULL: none */
        int port;
        uint64_t connections, up, down;
};

/* Of what is longer or more, the first is kept; a record has to stay below CHAIN_LINE_MAX however it is escaped. */
enum {
        AUDIT_COMMAND_MAX = 64 << 10,
        AUDIT_TEXT_MAX = 512,
        AUDIT_PATH_MAX = 4096,
        AUDIT_ITEMS_MAX = 32,
};

struct audit_record {
        enum audit_kind kind;
        const char *id;
        struct str command;
        const char *description; /* what it is for, as its caller says; NULL: not said */
        bool argv;               /* a program and its arguments, shown as the command that would start it */
        struct str policy;
        const char *cwd, *workspace; /* NULL: not known */
        const char *action;
        bool bypassed;
        const struct audit_reason *reasons;
        size_t reason_count;

        const char *const *asked; /* of AUDIT_ASKED and AUDIT_ANSWERED, this and the next ones */
        size_t asked_count;
        const char *answer, *client; /* answer: "once"; client: the program that asks, as it says */

        const char *backend; /* NULL: none */
        const char *const *guarantees;
        size_t guarantee_count;

        int exit_code, signal; /* from here on, only of AUDIT_OUTCOME */
        bool timed_out, cancelled, truncated;
        bool output_known;
        bool redactions_partial; /* there were more secrets than were searched for */
        int64_t duration_ms;
        uint64_t output_bytes, redactions;
        const char *message; /* of AUDIT_FAILED too */
        const char *const *notices;
        size_t notice_count;
        const struct audit_finding *findings;
        size_t finding_count;
        bool network; /* its hosts are known */
        uint64_t network_up, network_down;
        const struct audit_host *hosts;
        size_t host_count;
};

/* The fields, without braces. */
void audit_record_json(const struct audit_record *record, const char *session, int64_t time, struct buf *out);

#endif
