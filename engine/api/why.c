/*
 * Why a command was stopped: its records in the audit log, and what is known of each reason.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "engine/api/audit.h"
#include "engine/why_table.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "guard/guard.h"

enum { FINDINGS_MAX = 64, TEXT_MAX = 64 << 10 };

struct answer {
        const struct bailey_policy *policy;
        const struct tree_node *record;
        struct arena *arena;
        struct bailey_why_finding *items;
        size_t count;
        bool failed; /* no memory */
};

/* ---- the record ---- */

static bool is_stopped(const struct tree_node *record) {
        struct str kind = audit_field(record, "kind");

        if (str_is(kind, "outcome"))
                return audit_integer(record, "exit_code", 0) != 0 || audit_integer(record, "signal", 0) != 0 ||
                       audit_is_true(record, "timed_out");
        return str_is(kind, "refused") || str_is(kind, "failed") ||
               (str_is(kind, "tested") && str_is(audit_field(record, "action"), "blocked"));
}

static bool is_end(const struct tree_node *record) {
        struct str kind = audit_field(record, "kind");

        return !str_is(kind, "intent") && !str_is(kind, "changed") && !str_is(kind, "repair");
}

/* The last that is asked for. Returns 1, or 0: there is none. */
static int record_find(const struct bailey_policy *policy, const char *id, struct arena *arena, const struct tree_node **ret,
                       struct err *err) {
        const struct bailey_audit_query query = { .id = id, .format = BAILEY_AUDIT_JSON };
        struct bailey_audit_reader *reader;
        const struct tree_node *record;
        struct str line;
        BUF_AUTO last;
        int got;

        buf_init(&last, TREE_TEXT_MAX);
        if (records_open(policy, &query, &reader, err) < 0)
                return -1;
        while ((got = records_next(reader, &line, &record, err)) > 0)
                if (id ? is_end(record) : is_stopped(record)) {
                        buf_clear(&last);
                        buf_append(&last, line);
                }
        bailey_audit_close(reader);
        if (got < 0)
                return -1;
        if (last.failed)
                return err_memory(err);
        *ret = last.len ? audit_parse(buf_str(&last), arena) : NULL;
        return *ret ? 1 : 0;
}

/* ---- texts ---- */

static const char *text_of(struct answer *a, struct str text) {
        const char *copy = arena_dup(a->arena, text);

        a->failed |= !copy;
        return copy ? copy : "";
}

static const char *field(struct answer *a, const char *name) {
        struct str text = audit_field(a->record, name);

        return text.ptr ? text_of(a, text) : NULL;
}

/* ---- findings ---- */

static void add(struct answer *a, const struct why_row *row, struct str kind, struct str subject, struct str text,
                struct str program) {
        const struct why_subject about = { .kind = kind, .subject = subject, .text = text, .program = program };

        if (a->count < FINDINGS_MAX && why_finding_make(row, &about, a->arena, &a->items[a->count++]) < 0)
                a->failed = true;
}

static const struct tree_node *list_of(const struct tree_node *record, const char *name) {
        static const struct tree_node empty = { .kind = TREE_ARRAY };
        const struct tree_node *list = tree_get(record, str_z(name));

        return list && list->kind == TREE_ARRAY ? list : &empty;
}

/* A reason of the guard that a user has written has the name of its pattern. */
static const struct why_row *row_of_rule(struct str rule) {
        struct bailey_rule known;

        for (size_t i = 0; bailey_rule(i, &known); i++)
                if (str_is(rule, known.id))
                        return why_rule(known.id);
        return why_rule("user-pattern");
}

static void add_reasons(struct answer *a) {
        if (str_is(audit_field(a->record, "kind"), "outcome") || str_is(audit_field(a->record, "kind"), "failed"))
                return;
        TREE_EACH(reason, list_of(a->record, "reasons")) {
                struct str rule = audit_field(reason, "rule");

                if (str_is(audit_field(reason, "severity"), "block"))
                        add(a, row_of_rule(rule), rule, audit_field(reason, "subject"), audit_field(reason, "message"),
                            STR(""));
        }
}

static void add_findings(struct answer *a) {
        TREE_EACH(finding, list_of(a->record, "findings")) {
                struct str kind = audit_field(finding, "kind");
                const struct why_row *row = why_finding(text_of(a, kind));

                if (row)
                        add(a, row, kind, audit_field(finding, "subject"), STR(""), audit_field(finding, "program"));
        }
}

static bool has(const struct answer *a, struct str subject) {
        for (size_t i = 0; i < a->count; i++)
                if (str_is(subject, a->items[i].subject))
                        return true;
        return false;
}

/* What the gateway has refused. */
static void add_hosts(struct answer *a) {
        const struct tree_node *network = tree_get(a->record, STR("network"));

        if (!network)
                return;
        TREE_EACH(host, list_of(network, "hosts")) {
                const char *kind = why_host_kind(audit_field(host, "verdict"), a->policy->policy);
                struct str name = str_z(why_host_subject(audit_field(host, "host"), audit_integer(host, "port", 0),
                                                         a->policy->policy, a->arena));

                if (kind && !has(a, name))
                        add(a, why_finding(kind), str_z(kind), name, STR(""), STR(""));
        }
}

/* ---- the answer ---- */

static const char *end_of(struct answer *a) {
        struct str kind = audit_field(a->record, "kind");
        int64_t signal = audit_integer(a->record, "signal", 0);
        char text[64];

        if (str_is(kind, "refused") || str_is(kind, "tested"))
                return str_is(audit_field(a->record, "action"), "blocked") ? "blocked by the guard" : "checked only";
        if (str_is(kind, "failed"))
                return "not started";
        if (audit_is_true(a->record, "timed_out"))
                return "timed out";
        if (signal)
                snprintf(text, sizeof(text), "killed by signal %lld", (long long)signal);
        else
                snprintf(text, sizeof(text), "exit status %lld", (long long)audit_integer(a->record, "exit_code", 0));
        return text_of(a, str_z(text));
}

/* What the guard reads in the command now: the record has only the verdict. */
static const char *const *effects_of(struct answer *a, struct str command) {
        const char **texts, *cwd = field(a, "cwd");
        struct guard_place place = { .start = cwd ? str_z(cwd) : STR("") };
        struct verdict verdict = {};
        size_t count = 0;

        if (guard_check_at(command, &place, a->policy->policy, a->arena, &verdict) < 0)
                verdict.effects = NULL;
        for (const struct effect *effect = verdict.effects; effect; effect = effect->next)
                count++;
        texts = arena_alloc(a->arena, (count + 1) * sizeof(*texts));
        a->failed |= !texts;
        count = 0;
        for (const struct effect *effect = verdict.effects; texts && effect; effect = effect->next) {
                BUF_AUTO text;

                buf_init(&text, TEXT_MAX);
                buf_format(&text, "%s ", effect_name(effect->kind));
                buf_visible(&text, effect->subject);
                texts[count++] = text_of(a, buf_str(&text));
        }
        return texts;
}

static int answer_make(struct answer *a, struct bailey_why *ret, struct err *err) {
        struct str command = audit_field(a->record, "command");

        a->items = arena_alloc(a->arena, FINDINGS_MAX * sizeof(*a->items));
        if (!a->items)
                return err_memory(err);
        add_reasons(a);
        add_findings(a);
        add_hosts(a);
        *ret = (struct bailey_why){
                .id = text_of(a, audit_field(a->record, "id")),
                .time = text_of(a, audit_field(a->record, "time")),
                .command = { text_of(a, command), command.len },
                .cwd = field(a, "cwd"),
                .policy = field(a, "policy"),
                .backend = field(a, "backend"),
                .action = text_of(a, audit_field(a->record, "action")),
                .end = end_of(a),
                .message = field(a, "message"),
                .output_known = tree_get(a->record, STR("output_bytes")) != NULL,
                .effects = effects_of(a, command),
                .findings = a->items,
                .finding_count = a->count,
                .memory = a->arena,
        };
        return a->failed ? err_memory(err) : 1;
}

int bailey_why(const struct bailey_policy *policy, const char *id, struct bailey_why *ret, char *ret_error, size_t error_size) {
        struct err err = {};
        struct answer answer = { .policy = policy, .arena = config_memory_new(&err) };
        int found = -1;

        if (answer.arena && !policy->policy->audit.enabled)
                err_set(&err, ERR_NOT_FOUND,
                        "there is no audit log: audit.enabled is false. Set audit.enabled = true, and run the command again");
        else if (answer.arena)
                found = record_find(policy, id, answer.arena, &answer.record, &err);
        if (found == 1)
                found = answer_make(&answer, ret, &err);
        if (found != 1)
                config_memory_free(answer.arena);
        return found < 0 ? config_hand_error(&err, ret_error, error_size) : found;
}

void bailey_why_free(struct bailey_why *why) {
        config_memory_free(why->memory);
        *why = (struct bailey_why){};
}
