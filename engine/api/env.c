/*
 * `bailey env`: what of an environment would reach a command, and why the rest would not. Names only.
 */
#include "bailey.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "policy/env.h"

enum { ANSWER_MAX = 64 << 20 };

static const char *action_name(enum env_verdict verdict) {
        return verdict == ENV_PASS ? "pass" : verdict == ENV_SET ? "set" : "drop";
}

/* A name may hold any byte but = and NUL; those that could do something to a terminal are shown as ?. */
static void name_write(struct buf *out, struct str name) {
        for (size_t i = 0; i < name.len; i++) {
                unsigned char c = (unsigned char)name.ptr[i];

                buf_char(out, c < ' ' || c >= 0x7f ? '?' : (char)c);
        }
}

/* "looks like a secret: a token (*_TOKEN)" */
static void reason_write(struct buf *out, enum env_verdict verdict, const struct env_rule *rule) {
        if (verdict == ENV_PASS && !rule)
                buf_append(out, STR("listed in [env]"));
        else if (verdict == ENV_PASS)
                buf_append(out, str_z(rule->why));
        else
                buf_append(out, str_z(env_verdict_text(verdict)));
        if (rule && verdict != ENV_PASS)
                buf_format(out, ": %s", rule->why);
        if (rule && strchr(rule->pattern, '*'))
                buf_format(out, " (%s)", rule->pattern);
}

/* ---- for people ---- */

static void text_line(struct buf *out, struct str name, enum env_verdict verdict, const struct env_rule *rule) {
        const size_t width = 32;

        buf_format(out, "%-5s ", action_name(verdict));
        name_write(out, name);
        buf_format(out, "%*s  ", name.len < width ? (int)(width - name.len) : 0, "");
        reason_write(out, verdict, rule);
        buf_char(out, '\n');
}

/* ---- for programs ---- */

static void json_item(struct buf *out, struct str name, enum env_verdict verdict, const struct env_rule *rule) {
        BUF_AUTO reason;

        buf_init(&reason, 1 << 12);
        reason_write(&reason, verdict, rule);
        buf_append(out, STR("{\"name\": "));
        buf_json(out, name);
        buf_format(out, ", \"action\": \"%s\", \"reason\": ", action_name(verdict));
        buf_json(out, buf_str(&reason));
        if (rule)
                buf_format(out, ", \"rule\": \"%s\"", rule->pattern);
        buf_char(out, '}');
}

/* ---- both ---- */

struct env_writer {
        const struct env_policy *policy;
        enum bailey_answer answer;
        struct buf *out;
        size_t count;
};

static void writer_add(struct env_writer *w, struct str name, enum env_verdict verdict, const struct env_rule *rule) {
        if (w->answer == BAILEY_ANSWER_TEXT) {
                text_line(w->out, name, verdict, rule);
                return;
        }
        buf_append(w->out, w->count++ ? STR(",\n  ") : STR("\n  "));
        json_item(w->out, name, verdict, rule);
}

static void passed_or_dropped(struct env_writer *w, const char *const *environment, bool passed) {
        for (; environment && *environment; environment++) {
                const struct env_rule *rule;
                struct str name = env_name(*environment);
                enum env_verdict verdict = env_judge(w->policy, name, &rule);

                if (verdict != ENV_SET && verdict != ENV_INVALID && (verdict == ENV_PASS) == passed)
                        writer_add(w, name, verdict, rule);
        }
}

int bailey_env_show(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                    char **ret_text, size_t *ret_length) {
        struct buf out;
        struct env_writer w = { &policy->policy->env, answer, &out, 0 };

        buf_init(&out, ANSWER_MAX);
        if (answer == BAILEY_ANSWER_JSON) {
                buf_append(&out, STR("{\"schemaVersion\": 1, \"policy\": "));
                buf_json(&out, policy->policy->name);
                buf_append(&out, STR(", \"variables\": ["));
        }
        passed_or_dropped(&w, environment, true);
        for (size_t i = 0; i < w.policy->set.count; i++)
                writer_add(&w, w.policy->set.items[i].name, ENV_SET, NULL);
        passed_or_dropped(&w, environment, false);
        if (answer == BAILEY_ANSWER_JSON)
                buf_append(&out, STR("\n]}\n"));
        return config_hand_text(&out, ret_text, ret_length);
}
