/*
 * `bailey env`: what of an environment would reach a command, and why the rest would not. Names only.
 */
#include "bailey.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "policy/env.h"

enum { REASON_MAX = 1 << 12 };

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

struct env_list {
        struct arena *arena;
        const struct env_policy *policy;
        struct bailey_variable *items;
        size_t count;
        bool failed;
};

static void list_add(struct env_list *list, struct str name, enum env_verdict verdict, const struct env_rule *rule) {
        struct bailey_variable *item = &list->items[list->count++];
        const char *copy = arena_dup(list->arena, name);
        BUF_AUTO reason;

        buf_init(&reason, REASON_MAX);
        reason_write(&reason, verdict, rule);
        *item = (struct bailey_variable){
                .name = { copy, name.len },
                .action = verdict == ENV_PASS  ? BAILEY_VARIABLE_PASSED
                          : verdict == ENV_SET ? BAILEY_VARIABLE_SET
                                               : BAILEY_VARIABLE_DROPPED,
                .reason = arena_dup(list->arena, buf_str(&reason)),
                .rule = rule ? rule->pattern : NULL,
        };
        list->failed = list->failed || !copy || !item->reason;
}

static bool is_set(const struct env_list *list, struct str name) {
        for (size_t i = 0; i < list->count; i++)
                if (list->items[i].action == BAILEY_VARIABLE_SET &&
                    str_eq(str_from(list->items[i].name.text, list->items[i].name.length), name))
                        return true;
        return false;
}

static void passed_or_dropped(struct env_list *list, const char *const *environment, bool passed) {
        for (; environment && *environment; environment++) {
                const struct env_rule *rule;
                struct str name = env_name(*environment);
                enum env_verdict verdict = env_judge(list->policy, name, &rule);

                if (verdict != ENV_SET && verdict != ENV_INVALID && (verdict == ENV_PASS) == passed && !is_set(list, name))
                        list_add(list, name, verdict, rule);
        }
}

static void set_offline(struct env_list *list, const char *const *environment) {
        const struct offline_row **rows = arena_alloc(list->arena, offline_count * sizeof(*rows));
        size_t count = rows ? env_offline(list->policy, environment, rows) : 0;

        list->failed = list->failed || !rows;
        for (size_t i = 0; i < count; i++) {
                BUF_AUTO reason;

                buf_init(&reason, REASON_MAX);
                buf_format(&reason, "no network: %s", rows[i]->why);
                list->items[list->count++] = (struct bailey_variable){
                        .name = { rows[i]->name, strlen(rows[i]->name) },
                        .action = BAILEY_VARIABLE_SET,
                        .reason = arena_dup(list->arena, buf_str(&reason)),
                };
                list->failed = list->failed || !list->items[list->count - 1].reason;
        }
}

static int put_variables(const struct policy *policy, const char *const *environment, struct arena *arena,
                         struct bailey_variables *ret) {
        struct env_list list = { .arena = arena, .policy = &policy->env };
        const char *name = arena_dup(arena, policy->name);
        size_t most = policy->env.set.count + offline_count + 1;

        for (size_t i = 0; environment && environment[i]; i++)
                most++;
        list.items = arena_alloc(arena, most * sizeof(*list.items));
        if (!list.items || !name)
                return -1;
        passed_or_dropped(&list, environment, true);
        for (size_t i = 0; i < policy->env.set.count; i++)
                list_add(&list, policy->env.set.items[i].name, ENV_SET, NULL);
        if (policy->sandbox.network == NETWORK_DENY)
                set_offline(&list, environment);
        passed_or_dropped(&list, environment, false);
        *ret = (struct bailey_variables){ list.items, list.count, name, arena };
        return list.failed ? -1 : 0;
}

int bailey_env_show(const struct bailey_policy *policy, const char *const *environment, struct bailey_variables *ret) {
        struct bailey_variables variables;
        struct err ignored;
        struct arena *arena = config_memory_new(&ignored);

        if (!arena || put_variables(policy->policy, environment, arena, &variables) < 0) {
                config_memory_free(arena);
                return -1;
        }
        *ret = variables;
        return 0;
}

void bailey_variables_free(struct bailey_variables *variables) {
        config_memory_free(variables->memory);
        *variables = (struct bailey_variables){};
}
