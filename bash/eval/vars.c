/*
 * Names and their alternatives, the log, and the joining of branches.
 */
#include "bash/eval/vars.h"

enum { TABLE_FIRST = 64, ALTERNATIVES_MAX = VARS_MAX_LISTED + 1 };

int vars_init(struct vars *vars, struct budget *budget) {
        *vars = (struct vars){ .budget = budget, .mask = TABLE_FIRST - 1, .scope = 1, .last_scope = 1 };
        vars->table = budget_alloc(budget, TABLE_FIRST * sizeof(struct var *));
        return vars->table ? 0 : -1;
}

/* ---- names ---- */

static size_t hash(enum space space, struct str name) {
        uint64_t h = 1469598103934665603u + space;

        for (size_t i = 0; i < name.len; i++)
                h = (h ^ (unsigned char)name.ptr[i]) * 1099511628211u;
        return (size_t)(h ^ h >> 32);
}

struct var *vars_find(const struct vars *vars, enum space space, struct str name) {
        if (!(vars->spaces >> space & 1))
                return NULL;
        for (struct var *var = vars->table[hash(space, name) & vars->mask]; var; var = var->next)
                if (var->space == space && str_eq(var->name, name))
                        return var;
        return NULL;
}

static void grow(struct vars *vars) {
        size_t size = (vars->mask + 1) * 4;
        struct var **table = budget_alloc(vars->budget, size * sizeof(*table));

        for (size_t i = 0; table && i <= vars->mask; i++) {
                for (struct var *var = vars->table[i], *next; var; var = next) {
                        size_t to = hash(var->space, var->name) & (size - 1);

                        next = var->next;
                        var->next = table[to];
                        table[to] = var;
                }
        }
        if (table) {
                vars->table = table;
                vars->mask = size - 1;
        }
}

struct var *vars_get(struct vars *vars, enum space space, struct str name) {
        struct var *var;
        size_t at;

        budget_spend(vars->budget, 1 + name.len / 16);
        var = vars_find(vars, space, name);
        if (var)
                return var;
        if (vars->count > vars->mask)
                grow(vars);
        var = BUDGET_NEW(vars->budget, struct var);
        if (!var)
                return NULL;
        var->space = space;
        var->name = name;
        at = hash(space, name) & vars->mask;
        var->next = vars->table[at];
        vars->table[at] = var;
        vars->spaces |= 1u << space;
        vars->count++;
        return var;
}

void vars_put(struct vars *vars, struct var *var, const struct content *content) {
        if (!var || (!content && vars->budget->stop))
                return;
        if (var->logged != vars->scope) {
                if (!budget_spend(vars->budget, 1) ||
                    !budget_room(vars->budget, &vars->log, vars->logged, &vars->log_capacity, sizeof(*vars->log)))
                        return;
                vars->log[vars->logged++] = (struct vars_log){ var, var->content };
                var->logged = vars->scope;
        }
        var->content = content;
}

/* ---- contents ---- */

struct content *content_new(struct budget *budget, unsigned attributes, size_t count) {
        struct content *content = NULL;

        if (budget_spend(budget, 1 + count))
                content = budget_alloc(budget, sizeof(*content) + count * sizeof(content->alternatives[0]));
        if (content) {
                content->attributes = (uint16_t)attributes;
                content->count = (uint16_t)count;
        }
        return content;
}

const struct content *content_scalar(struct budget *budget, unsigned attributes, struct value value) {
        struct content *content = content_new(budget, attributes, 1);

        if (content)
                content->alternatives[0] = (struct datum){ .kind = DATUM_SCALAR, .value = value };
        return content;
}

const struct content *content_array(struct budget *budget, unsigned attributes, const struct array *array) {
        struct content *content = array ? content_new(budget, attributes, 1) : NULL;

        if (content) {
                content->attributes |= array->assoc ? ATTR_ASSOC : ATTR_ARRAY;
                content->alternatives[0] = (struct datum){ .kind = DATUM_ARRAY, .array = array };
        }
        return content;
}

const struct content *content_unset(struct budget *budget, unsigned attributes) {
        return content_new(budget, attributes, 1);
}

const struct content *content_with(struct budget *budget, const struct content *content, unsigned attributes) {
        struct content *copy;

        if (content->attributes == attributes)
                return content;
        copy = content_new(budget, attributes, content->count);
        if (copy)
                memcpy(copy->alternatives, content->alternatives, content->count * sizeof(copy->alternatives[0]));
        return copy;
}

static bool datum_equal(struct budget *budget, const struct datum *a, const struct datum *b) {
        if (a->kind != b->kind)
                return false;
        if (a->kind == DATUM_SCALAR)
                return value_equal(budget, a->value, b->value);
        if (a->kind == DATUM_CODE)
                return a->function == b->function;
        if (a->kind == DATUM_UNSET || a->array == b->array)
                return true;
        if (a->array->count != b->array->count || a->array->uncertain != b->array->uncertain)
                return false;
        for (size_t i = 0; i < a->array->count; i++) {
                const struct element *x = &a->array->items[i], *y = &b->array->items[i];

                if (!budget_spend(budget, 1) || x->index != y->index || !str_eq(x->key, y->key) ||
                    !value_equal(budget, x->value, y->value))
                        return false;
        }
        return true;
}

static bool content_equal(struct budget *budget, const struct content *a, const struct content *b) {
        if (a == b)
                return true;
        if (!a || !b || a->count != b->count || a->attributes != b->attributes)
                return false;
        for (size_t i = 0; i < a->count; i++)
                if (!datum_equal(budget, &a->alternatives[i], &b->alternatives[i]))
                        return false;
        return true;
}

/* What a name holds that nobody assigned. */
static struct datum from_environment(struct vars *vars, const struct var *var) {
        if (var->space != SPACE_VARIABLE || vars->environment_known)
                return (struct datum){ .kind = DATUM_UNSET };
        return (struct datum){ .kind = DATUM_SCALAR, .value = value_unknown(vars->budget, UNKNOWN_ENV, var->name) };
}

/* Alternatives that are being collected. */
struct collection {
        struct datum all[ALTERNATIVES_MAX];
        size_t count, limit;
        bool overflow;
};

static void collect(struct vars *vars, struct collection *c, const struct datum *datum) {
        for (size_t i = 0; i < c->count; i++)
                if (datum_equal(vars->budget, &c->all[i], datum))
                        return;
        if (c->count < c->limit) {
                c->all[c->count++] = *datum;
                return;
        }
        if (!c->overflow)
                c->all[c->limit - 1] = (struct datum){ .kind = DATUM_SCALAR,
                                                       .value = value_unknown(vars->budget, UNKNOWN_TOO_COMPLEX, STR("")) };
        c->overflow = true;
}

static void collect_all(struct vars *vars, struct collection *c, const struct var *var, const struct content *content) {
        struct datum environment;

        if (!content) {
                environment = from_environment(vars, var);
                collect(vars, c, &environment);
        }
        for (size_t i = 0; content && i < content->count; i++)
                collect(vars, c, &content->alternatives[i]);
}

/* Has it been cut before? */
static bool is_cut(const struct content *content) {
        const struct piece *last = content->alternatives[content->count - 1].value.pieces;

        return last && last->because == UNKNOWN_TOO_COMPLEX;
}

const struct content *content_join(struct vars *vars, const struct var *var, const struct content *a, const struct content *b,
                                   size_t limit) {
        struct collection c; /* large; only what is used is set */
        struct content *joined;

        if (a == b || (a && b && content_equal(vars->budget, a, b)))
                return a;
        c.count = 0;
        c.overflow = false;
        c.limit = a && a->count > limit ? a->count : limit;
        if (c.limit > ALTERNATIVES_MAX)
                c.limit = ALTERNATIVES_MAX;
        collect_all(vars, &c, var, a);
        collect_all(vars, &c, var, b);
        if (a && c.count == a->count && (!c.overflow || is_cut(a)) && (!b || !(b->attributes & ~a->attributes)))
                return a; /* nothing new */
        joined = content_new(vars->budget, (a ? a->attributes : 0u) | (b ? b->attributes : 0u), c.count);
        if (joined)
                memcpy(joined->alternatives, c.all, c.count * sizeof(*c.all));
        return joined;
}

const struct content *content_widen(struct vars *vars, const struct var *var, const struct content *content,
                                    enum unknown because) {
        const struct content *unknown = content_scalar(vars->budget, content ? content->attributes : 0,
                                                       value_unknown(vars->budget, because, var->name));

        return unknown ? content_join(vars, var, content, unknown, ALTERNATIVES_MAX) : content;
}

/* ---- scopes ---- */

struct scope vars_begin(struct vars *vars) {
        struct scope scope = { vars->logged, vars->scope };

        vars->scope = ++vars->last_scope;
        return scope;
}

void vars_commit(struct vars *vars, struct scope scope) {
        vars->scope = scope.outer;
}

void vars_undo(struct vars *vars, struct scope scope) {
        while (vars->logged > scope.log) {
                const struct vars_log *entry = &vars->log[--vars->logged];

                entry->var->content = entry->before;
                entry->var->logged = 0; /* an outer scope may have to log it again: harmless, the log is undone backwards */
        }
        vars->scope = scope.outer;
}

struct delta vars_peek(struct vars *vars, struct scope scope) {
        struct delta delta = { .count = 0 };
        uint32_t mark = ++vars->joins;
        size_t count = vars->logged - scope.log;

        if (!count || !budget_spend(vars->budget, count) ||
            !(delta.changes = budget_alloc(vars->budget, count * sizeof(*delta.changes))))
                return delta;
        for (size_t i = scope.log; i < vars->logged; i++) {
                struct var *var = vars->log[i].var;

                if (var->joining == mark)
                        continue;
                var->joining = mark;
                delta.changes[delta.count++] = (struct vars_log){ var, var->content };
        }
        return delta;
}

struct delta vars_leave(struct vars *vars, struct scope scope) {
        struct delta delta = vars_peek(vars, scope);

        vars_undo(vars, scope);
        return delta;
}

/* ---- joining ---- */

struct join_slot {
        struct var *var;
        const struct content *content;
        size_t branches;
};

static void join_change(struct vars *vars, struct join_slot *slots, size_t *count, uint32_t mark,
                        const struct vars_log *change) {
        struct var *var = change->var;
        struct join_slot *slot;

        if (var->joining != mark) {
                var->joining = mark;
                var->slot = (*count)++;
                slots[var->slot] = (struct join_slot){ var, change->before, 1 };
                return;
        }
        slot = &slots[var->slot];
        slot->content = content_join(vars, var, slot->content, change->before, VARS_MAX_JOINED);
        slot->branches++;
}

bool vars_join(struct vars *vars, const struct delta *deltas, size_t count, bool skipped) {
        size_t changes = 0, used = 0;
        struct join_slot *slots;
        uint32_t mark;
        bool changed = false;

        for (size_t i = 0; i < count; i++)
                changes += deltas[i].count;
        if (!changes || !budget_spend(vars->budget, changes) || !(slots = budget_alloc(vars->budget, changes * sizeof(*slots))))
                return false;
        mark = ++vars->joins;
        for (size_t i = 0; i < count; i++)
                for (size_t j = 0; j < deltas[i].count; j++)
                        join_change(vars, slots, &used, mark, &deltas[i].changes[j]);
        for (size_t i = 0; i < used; i++) {
                struct join_slot *slot = &slots[i];

                if (skipped || slot->branches < count)
                        slot->content = content_join(vars, slot->var, slot->var->content, slot->content, VARS_MAX_JOINED);
                if (slot->content == slot->var->content)
                        continue;
                changed = true;
                vars_put(vars, slot->var, slot->content);
        }
        return changed;
}
