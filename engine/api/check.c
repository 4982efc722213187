/*
 * Verdicts for the outside: a policy that is loaded once, commands that are checked against it.
 */
#include <stdlib.h>

#include "bash/syntax/print.h"
#include "engine/pipeline/record.h"
#include "engine/pipeline/verdict.h"
#include "engine/policy.h"
#include "guard/guard.h"
#include "guard/rules.h"
#include "include/bailey.h"

/* What a verdict points to. The guard may use up its arena, and then there is a verdict all the same. */
struct check {
        struct arena guard, lists;
        struct verdict verdict;
};

static struct check *check_new(void) {
        struct check *check = calloc(1, sizeof(*check));

        if (check) {
                arena_init(&check->guard, 0);
                arena_init(&check->lists, 0);
        }
        return check;
}

static void check_free(struct check *check) {
        arena_free(&check->guard);
        arena_free(&check->lists);
        free(check);
}

/* ---- lists ---- */

/* Subjects are copied, as some may be the policy's. */
static int put_effects(struct check *check, struct bailey_verdict *ret) {
        struct bailey_effect *effects = NULL;
        size_t count = 0;

        for (const struct effect *e = check->verdict.effects; e; e = e->next)
                count++;
        if (count && !(effects = arena_alloc(&check->lists, count * sizeof(*effects))))
                return -1;
        ret->effects = effects;
        ret->effect_count = count;
        for (const struct effect *e = check->verdict.effects; e; e = e->next) {
                const char *subject = arena_dup(&check->lists, e->subject);

                if (!subject)
                        return -1;
                *effects++ = (struct bailey_effect){
                        .kind = effect_name(e->kind),
                        .subject = { subject, e->subject.len },
                        .start = e->range.start,
                        .end = e->range.end,
                };
        }
        return 0;
}

struct commands {
        struct check *check;
        struct bailey_command *items;
        size_t count;
};

static int count_command(const struct command *simple, void *data) {
        (void)simple;
        ++*(size_t *)data;
        return 0;
}

static int add_command(const struct command *simple, void *data) {
        struct commands *commands = data;
        const char *source = commands->check->verdict.script.source.ptr;
        struct bailey_text *words;
        size_t count = 0;

        for (const struct word *w = simple->simple.words; w; w = w->next)
                count++;
        words = arena_alloc(&commands->check->lists, count * sizeof(*words));
        if (!words)
                return -1;
        commands->items[commands->count++] = (struct bailey_command){ words, count };
        for (const struct word *w = simple->simple.words; w; w = w->next)
                *words++ = (struct bailey_text){ source + w->range.start, w->range.end - w->range.start };
        return 0;
}

static int put_commands(struct check *check, struct bailey_verdict *ret) {
        const struct script *script = &check->verdict.script;
        struct commands commands = { .check = check };
        size_t count = 0;

        shell_each_simple(script, count_command, &count);
        if (count && !(commands.items = arena_alloc(&check->lists, count * sizeof(*commands.items))))
                return -1;
        if (shell_each_simple(script, add_command, &commands) < 0)
                return -1;
        ret->commands = commands.items;
        ret->command_count = commands.count;
        return 0;
}

/* ---- the functions ---- */

static int check_at(const struct bailey_policy *policy, const char *cwd, bool decides, struct str text, struct check *check,
                    struct bailey_verdict *ret) {
        struct verdict *verdict = &check->verdict;
        const char *copy = arena_dup(&check->lists, text);

        if (!copy)
                return -1;
        guard_check_at(str_from(copy, text.len), &(struct guard_place){ .start = cwd ? str_z(cwd) : STR("") }, policy->policy,
                       &check->guard, verdict);
        if (policy->bypassed)
                verdict->action = ACTION_ALLOWED;
        record_checked(policy, text, cwd, decides, verdict, &check->guard);
        *ret = (struct bailey_verdict){
                .action = (enum bailey_action)verdict->action,
                .bypassed = policy->bypassed,
                .would_block = verdict->would_block,
                .empty = !verdict->script.commands,
                .memory = check,
        };
        if (verdict_reasons(verdict, &check->lists, &ret->reasons, &ret->reason_count) < 0)
                return -1;
        return put_commands(check, ret) < 0 || put_effects(check, ret) < 0 ? -1 : 0;
}

int bailey_check(const struct bailey_policy *policy, const char *text, size_t length, struct bailey_verdict *ret) {
        return bailey_check_at(policy, NULL, 0, text, length, ret);
}

int bailey_check_at(const struct bailey_policy *policy, const char *cwd, int decides, const char *text, size_t length,
                    struct bailey_verdict *ret) {
        struct check *check = check_new();
        struct bailey_verdict verdict;

        if (!check)
                return -1;
        if (check_at(policy, cwd, decides, str_from(text, length), check, &verdict) < 0) {
                check_free(check);
                return -1;
        }
        *ret = verdict;
        return (int)verdict.action;
}

void bailey_verdict_free(struct bailey_verdict *verdict) {
        if (verdict->memory)
                check_free(verdict->memory);
        *verdict = (struct bailey_verdict){};
}

/* ---- rules ---- */

static const char *scope_name(enum rule_scope scope) {
        return scope == SCOPE_LISTED ? "readonly, build" : scope == SCOPE_OPEN ? "default" : "all";
}

int bailey_rule(size_t index, struct bailey_rule *ret) {
        const struct rule *r = &rules[index];

        if (index >= rule_count)
                return 0;
        *ret = (struct bailey_rule){
                .id = r->id,
                .blocks = r->severity == SEVERITY_BLOCK,
                .policies = scope_name(r->scope),
                .effect = effect_name(r->kind),
                .message = r->message,
                .instead = r->instead,
                .example = r->example,
        };
        return 1;
}
