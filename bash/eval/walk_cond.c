/*
 * [[ ]]: its words are expanded for what they run, numbers in it are arithmetic, and what it says is worked out where that is
 * easy.
 */
#include "bash/eval/interp.h"

static enum status from_bool(bool value) {
        return value ? STATUS_TRUE : STATUS_FALSE;
}

static enum status negate(enum status status) {
        return status == STATUS_UNKNOWN ? status : status == STATUS_TRUE ? STATUS_FALSE : STATUS_TRUE;
}

static const struct {
        char op[4];
        bool less, equal, greater;
} number_ops[] = {
        { "-eq", false, true, false }, { "-ne", true, false, true },  { "-lt", true, false, false },
        { "-le", true, true, false },  { "-gt", false, false, true }, { "-ge", false, true, true },
};

enum status compare_numbers(struct str op, int64_t left, int64_t right) {
        for (size_t i = 0; i < sizeof(number_ops) / sizeof(*number_ops); i++)
                if (str_is(op, number_ops[i].op))
                        return from_bool(left < right    ? number_ops[i].less
                                         : left == right ? number_ops[i].equal
                                                         : number_ops[i].greater);
        return STATUS_UNKNOWN;
}

static bool compares_numbers(struct str op) {
        return compare_numbers(op, 0, 0) != STATUS_UNKNOWN;
}

static enum status compare_pattern(struct walk *w, const struct cond *cond, struct str left) {
        struct pattern *pattern = pattern_compile(&w->budget, expand_value(w, cond->right, VALUE_PATTERN), PATTERN_EXTGLOB);
        enum truth truth = TRUTH_MAYBE;

        if (pattern && walk_option(w, "nocasematch", false) == TRUTH_NO)
                truth = pattern_match(&w->budget, pattern, left);
        if (truth == TRUTH_MAYBE)
                return STATUS_UNKNOWN;
        return from_bool((truth == TRUTH_YES) != str_is(cond->op, "!="));
}

static enum status walk_binary(struct walk *w, const struct cond *cond) {
        struct value left = expand_value(w, cond->left, VALUE_WORD), right;
        struct str text;

        if (compares_numbers(cond->op)) {
                struct arith_result a, b;

                right = expand_value(w, cond->right, VALUE_WORD);
                a = walk_arith(w, left);
                b = walk_arith(w, right);
                return a.state == ARITH_KNOWN && b.state == ARITH_KNOWN ? compare_numbers(cond->op, a.value, b.value)
                                                                        : STATUS_UNKNOWN;
        }
        if ((str_is(cond->op, "=") || str_is(cond->op, "==") || str_is(cond->op, "!=")) && value_known(left, &text))
                return compare_pattern(w, cond, text);
        expand_value(w, cond->right, VALUE_PATTERN);
        if (str_is(cond->op, "=~"))
                walk_assign_unknown(w, STR("BASH_REMATCH"), UNKNOWN_SPECIAL);
        return STATUS_UNKNOWN;
}

static enum status walk_unary(struct walk *w, const struct cond *cond) {
        struct value value = expand_value(w, cond->left, VALUE_WORD);
        enum truth empty = value_empty(value);
        struct target target;

        if (str_is(cond->op, "-v"))
                walk_parse_target(w, value, &target); /* for the code in its subscript */
        if (empty == TRUTH_MAYBE || !(str_is(cond->op, "-z") || str_is(cond->op, "-n")))
                return STATUS_UNKNOWN;
        return from_bool((empty == TRUTH_YES) == str_is(cond->op, "-z"));
}

/* && and ||: the right side may not be reached. */
static enum status walk_connected(struct walk *w, const struct cond *cond) {
        bool and = cond->kind == COND_AND;
        enum status result = and? STATUS_TRUE : STATUS_FALSE;

        for (const struct cond *c = cond->children; c && walk_goes_on(w); c = c->next) {
                struct scope scope = vars_begin(&w->vars);
                enum status status = walk_condition(w, c);

                if (c == cond->children) {
                        vars_commit(&w->vars, scope);
                } else {
                        struct delta delta = vars_leave(&w->vars, scope);

                        vars_join(&w->vars, &delta, 1, true);
                }
                if (status == STATUS_UNKNOWN && result == (and? STATUS_TRUE : STATUS_FALSE))
                        result = STATUS_UNKNOWN;
                if (status == (and? STATUS_FALSE : STATUS_TRUE))
                        result = status;
        }
        return result;
}

enum status walk_condition(struct walk *w, const struct cond *cond) {
        enum status status = STATUS_UNKNOWN;

        if (!cond || !budget_spend(&w->budget, 1) || ++w->depth > WALK_MAX_DEPTH) {
                w->budget.stop = cond && w->budget.stop == BUDGET_GOES_ON ? BUDGET_TOO_COMPLEX : w->budget.stop;
                return status;
        }
        switch (cond->kind) {
        case COND_AND:
        case COND_OR:
                status = walk_connected(w, cond);
                break;
        case COND_NOT:
                status = negate(walk_condition(w, cond->children));
                break;
        case COND_GROUP:
                status = walk_condition(w, cond->children);
                break;
        case COND_UNARY:
                status = walk_unary(w, cond);
                break;
        case COND_BINARY:
                status = walk_binary(w, cond);
                break;
        case COND_WORD: {
                enum truth empty = value_empty(expand_value(w, cond->left, VALUE_WORD));

                status = empty == TRUTH_MAYBE ? STATUS_UNKNOWN : from_bool(empty == TRUTH_NO);
        }
        }
        w->depth--;
        return status;
}
