/*
 * Verdicts for the outside: a policy that is loaded once, commands that are checked against it, answers as text or
 * JSON.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "engine/policy.h"
#include "engine/pipeline/record.h"
#include "engine/pipeline/verdict.h"
#include "guard/guard.h"
#include "guard/rules.h"
#include "include/bailey.h"
#include "bash/syntax/list.h"

enum { ANSWER_MAX = 64 << 20 };

static const char *severity_name(enum severity severity) {
        return severity == SEVERITY_BLOCK ? "block" : "warn";
}

/* ---- JSON ---- */

static void json_range(struct buf *out, struct range range) {
        buf_format(out, ",\"range\":[%u,%u]", range.start, range.end);
}

static void json_reasons(const struct verdict *verdict, struct buf *out) {
        buf_append(out, STR("\"reasons\":["));
        for (const struct reason *r = verdict->reasons; r; r = r->next) {
                buf_append(out, STR("{\"rule\":"));
                buf_json(out, r->id);
                buf_format(out, ",\"severity\":\"%s\",\"message\":", severity_name(r->severity));
                buf_json(out, r->message);
                json_range(out, r->range);
                if (r->effect)
                        buf_format(out, ",\"effect\":\"%s\"", effect_name(r->effect->kind));
                buf_append(out, r->next ? STR("},") : STR("}"));
        }
        buf_char(out, ']');
}

static void json_effects(const struct verdict *verdict, struct buf *out) {
        buf_append(out, STR("\"effects\":["));
        for (const struct effect *e = verdict->effects; e; e = e->next) {
                buf_format(out, "{\"effect\":\"%s\",\"subject\":", effect_name(e->kind));
                buf_json(out, e->subject);
                json_range(out, e->range);
                buf_append(out, e->next ? STR("},") : STR("}"));
        }
        buf_char(out, ']');
}

static void answer_json(const struct verdict *verdict, bool bypassed, struct buf *out) {
        buf_format(out, "{\"action\":\"%s\",", action_name(verdict->action));
        if (bypassed)
                buf_append(out, STR("\"bypassed\":true,"));
        if (verdict->would_block)
                buf_append(out, STR("\"would_block\":true,"));
        json_reasons(verdict, out);
        buf_append(out, STR(",\"commands\":"));
        shell_commands_json(&verdict->script, out);
        buf_char(out, ',');
        json_effects(verdict, out);
        buf_char(out, '}');
}

/* ---- for people ---- */

/* The line in which the range begins, and a row of carets under it. */
static void mark_range(struct str source, struct range range, struct buf *out) {
        size_t start = range.start < source.len ? range.start : source.len, end = start, line = start;

        while (line > 0 && source.ptr[line - 1] != '\n')
                line--;
        while (end < source.len && source.ptr[end] != '\n')
                end++;
        if (end - line > 160)
                return;
        buf_append(out, STR("    "));
        buf_columns(out, str_take(str_skip(source, line), end - line));
        buf_append(out, STR("\n    "));
        for (size_t i = line; i < start; i++)
                if (((unsigned char)source.ptr[i] & 0xc0) != 0x80)
                        buf_char(out, source.ptr[i] == '\t' ? '\t' : ' ');
        for (size_t i = start; i < end && (i < range.end || i == start); i++)
                if (((unsigned char)source.ptr[i] & 0xc0) != 0x80)
                        buf_char(out, '^');
        buf_char(out, '\n');
}

struct words_writer {
        struct buf *out;
        struct str source;
};

static int print_words(const struct command *simple, void *data) {
        const struct words_writer *writer = data;
        struct buf *out = writer->out;

        buf_append(out, STR("  "));
        for (const struct word *w = simple->simple.words; w; w = w->next) {
                buf_visible(out, str_from(writer->source.ptr + w->range.start, w->range.end - w->range.start));
                buf_char(out, w->next ? ' ' : '\n');
        }
        return out->failed;
}

static void answer_text(const struct verdict *verdict, bool bypassed, struct buf *out) {
        struct words_writer context = { out, verdict->script.source };

        buf_format(out, "%s%s\n", action_name(verdict->action),
                   bypassed               ? " (the guard is disabled by the environment)"
                   : verdict->would_block ? " (mode warn: would be blocked)"
                                          : "");
        for (const struct reason *r = verdict->reasons; r; r = r->next) {
                buf_format(out, "  %s %.*s: ", severity_name(r->severity), (int)r->id.len, r->id.ptr);
                buf_visible(out, r->message);
                buf_char(out, '\n');
                mark_range(verdict->script.source, r->range, out);
        }
        if (verdict->script.commands)
                buf_append(out, STR("commands\n"));
        shell_each_simple(&verdict->script, print_words, &context);
        if (verdict->effects)
                buf_append(out, STR("effects\n"));
        for (const struct effect *e = verdict->effects; e; e = e->next) {
                buf_format(out, "  %s ", effect_name(e->kind));
                buf_visible(out, e->subject);
                buf_char(out, '\n');
        }
}

/* ---- the functions ---- */

static int hand_out(struct buf *out, char **ret_text, size_t *ret_length) {
        buf_char(out, '\0');
        if (out->failed) {
                buf_free(out);
                return -1;
        }
        *ret_text = out->ptr;
        *ret_length = out->len - 1;
        return 0;
}

int bailey_check(const struct bailey_policy *policy, const char *text, size_t length, enum bailey_answer answer,
                 char **ret_text, size_t *ret_length) {
        return bailey_check_at(policy, NULL, text, length, answer, ret_text, ret_length);
}

int bailey_check_at(const struct bailey_policy *policy, const char *cwd, const char *text, size_t length,
                    enum bailey_answer answer, char **ret_text, size_t *ret_length) {
        ARENA_AUTO arena;
        struct verdict verdict;
        struct buf out;

        arena_init(&arena, 0);
        buf_init(&out, ANSWER_MAX);
        guard_check_at(str_from(text, length), cwd ? str_z(cwd) : STR(""), policy->policy, &arena, &verdict);
        if (policy->bypassed)
                verdict.action = ACTION_ALLOWED;
        record_tested(policy, str_from(text, length), cwd, &verdict, &arena);
        if (answer == BAILEY_ANSWER_JSON)
                answer_json(&verdict, policy->bypassed, &out);
        else
                answer_text(&verdict, policy->bypassed, &out);
        return hand_out(&out, ret_text, ret_length) < 0 ? -1 : (int)verdict.action;
}

static const char *scope_name(enum rule_scope scope) {
        return scope == SCOPE_LISTED ? "readonly, build" : scope == SCOPE_OPEN ? "default" : "all";
}

int bailey_rules(enum bailey_answer answer, char **ret_text, size_t *ret_length) {
        struct buf out;

        buf_init(&out, ANSWER_MAX);
        if (answer == BAILEY_ANSWER_JSON)
                buf_char(&out, '[');
        for (size_t i = 0; i < rule_count; i++) {
                const struct rule *r = &rules[i];

                if (answer == BAILEY_ANSWER_JSON) {
                        buf_format(&out,
                                   "%s{\"id\":\"%s\",\"severity\":\"%s\",\"policies\":\"%s\",\"effect\":\"%s\","
                                   "\"message\":",
                                   i ? "," : "", r->id, severity_name(r->severity), scope_name(r->scope), effect_name(r->kind));
                        buf_json(&out, str_z(r->message));
                        buf_append(&out, STR(",\"instead\":"));
                        buf_json(&out, str_z(r->instead));
                        buf_append(&out, STR(",\"example\":"));
                        buf_json(&out, str_z(r->example));
                        buf_char(&out, '}');
                } else {
                        buf_format(&out, "%-22s %-5s  %-15s  %s\n", r->id, severity_name(r->severity), scope_name(r->scope),
                                   r->example);
                }
        }
        if (answer == BAILEY_ANSWER_JSON)
                buf_append(&out, STR("]\n"));
        return hand_out(&out, ret_text, ret_length);
}
