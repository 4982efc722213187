/*
 * Any bytes: the guard answers, the same each time; what it says lies inside the command, the action is that of the
 * most severe reason, and reasons come in that order.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "guard/judge.h"
#include "guard/rules.h"
#include "policy/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
        INPUT_MAX = 1 << 16,
        MEMORY_MAX = 64 << 20,
};

static const char *const names[] = { "default", "readonly" };

static void require(bool truth) {
        if (!truth)
                abort();
}

static void read_text(struct str text) {
        for (size_t i = 0; i < text.len; i++) {
                volatile char byte = text.ptr[i];
                (void)byte;
        }
}

static void check_range(struct range range, size_t size) {
        require(range.start <= range.end && range.end <= size);
}

static void check_effects(const struct verdict *verdict, size_t size) {
        size_t count = 0;

        for (const struct effect *effect = verdict->effects; effect; effect = effect->next) {
                require(++count <= GUARD_MAX_EFFECTS);
                require(effect->kind < FX_KINDS && effect_name(effect->kind));
                check_range(effect->range, size);
                read_text(effect->subject);
        }
}

static void check_reasons(const struct verdict *verdict, size_t size) {
        const struct reason *first = verdict->reasons;
        enum severity before = SEVERITY_BLOCK;
        size_t count = 0;

        for (const struct reason *reason = verdict->reasons; reason; reason = reason->next) {
                require(++count <= GUARD_MAX_REASONS);
                require(reason->rule && reason->id.len && reason->message.len);
                require(reason->severity == reason->rule->severity && reason->severity <= before);
                check_range(reason->range, size);
                read_text(reason->message);
                before = reason->severity;
        }
        require((verdict->action == ACTION_ALLOWED) == !first && !verdict->would_block);
        require((verdict->action == ACTION_BLOCKED) == (first && first->severity == SEVERITY_BLOCK));
}

static bool same(const struct verdict *a, const struct verdict *b) {
        const struct effect *x = a->effects, *y = b->effects;
        const struct reason *p = a->reasons, *q = b->reasons;

        for (; x && y; x = x->next, y = y->next)
                if (x->kind != y->kind || x->flags != y->flags || !str_eq(x->subject, y->subject) ||
                    x->range.start != y->range.start || x->range.end != y->range.end)
                        return false;
        for (; p && q; p = p->next, q = q->next)
                if (p->rule != q->rule || !str_eq(p->message, q->message) || p->range.start != q->range.start ||
                    p->range.end != q->range.end)
                        return false;
        return !x && !y && !p && !q && a->action == b->action;
}

static void check(struct str command, const struct policy *policy) {
        struct verdict verdict, again;
        ARENA_AUTO arena, other;

        arena_init(&arena, MEMORY_MAX);
        arena_init(&other, MEMORY_MAX);
        if (guard_check(command, policy, &arena, &verdict) < 0) {
                require(verdict.action == ACTION_BLOCKED);
                return;
        }
        check_effects(&verdict, command.len);
        check_reasons(&verdict, command.len);
        require(guard_check(command, policy, &other, &again) == 0);
        require(same(&verdict, &again));
}

/* They live as long as the process: one that a pointer still leads to is no leak. */
static const struct policy *policy_of(size_t i) {
        static struct arena arena;
        static const struct policy *policies[2];
        struct policy_request request = { .name = names[i], .builtin_only = true };
        struct policy *copy;

        if (policies[i])
                return policies[i];
        if (!arena.limit)
                arena_init(&arena, 0);
        require(policy_load(&request, &arena, &policies[i], NULL) == 0);
        copy = ARENA_NEW(&arena, struct policy);
        require(copy);
        *copy = *policies[i];
        copy->guard.max_command_length = INPUT_MAX;
        policies[i] = copy;
        return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        if (size > INPUT_MAX)
                return 0;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                check(str_from((const char *)data, size), policy_of(i));
        return 0;
}
