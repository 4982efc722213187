/*
 * $x and ${x...}: what becomes of a parameter in the word. Which one is meant is found out in expand_resolve.c; the operators
 * on texts are in expand_ops.c and expand_transform.c.
 */
#include "bash/eval/interp.h"

/* ---- pouring ---- */

static void emit_item(struct emit *e, const struct item *item, bool quoted) {
        if (quoted)
                emit_mark(e);
        emit_value(e, item->value, quoted);
        e->may_split |= item->may_split && e->splits;
}

/* All in one: "$*", and every list where nothing is split. */
static void emit_joined(struct emit *e, const struct operand *o, bool quoted) {
        const struct ifs *ifs = walk_ifs(e->w);
        bool star = o->star;
        char *joint = budget_bytes(&e->w->budget, 1);

        if (!joint)
                return;
        *joint = star ? ifs->first : ' ';
        if (quoted)
                emit_mark(e);
        for (size_t i = 0; i < o->count; i++) {
                if (i && (!ifs->known || (ifs->first != ' ' && (star ? e->declares : o->operated))))
                        emit_value(e, value_unknown(&e->w->budget, UNKNOWN_SPLIT, STR("IFS")), true);
                else if (i && *joint)
                        emit_text(e, str_from(joint, 1), true);
                emit_value(e, o->items[i].value, quoted);
        }
}

static void emit_list(struct emit *e, const struct operand *o, bool quoted) {
        if (!o->count && quoted && !o->star)
                e->empty_lists++;
        if (!e->splits || (quoted && o->star)) {
                emit_joined(e, o, quoted);
                return;
        }
        if (!quoted && (e->operands || o->operated) && walk_ifs(e->w)->first != ' ' &&
            o->count) { /* bash is of several minds */
                emit_mark(e);
                e->may_split = true;
        }
        for (size_t i = 0; i < o->count && walk_goes_on(e->w); i++) {
                if (i && quoted)
                        emit_break(e);
                else if (i)
                        emit_separator(e);
                emit_item(e, &o->items[i], quoted);
        }
}

static void emit_operand(struct emit *e, const struct operand *o, bool quoted) {
        if (o->list)
                emit_list(e, o, quoted);
        else if (o->state != OPERAND_UNSET)
                emit_value(e, o->value, quoted);
}

/* ---- ${x-w} and its kin ---- */

/* Is there nothing to take? With a colon, the empty text is nothing too. */
static enum truth operand_missing(const struct operand *o, bool colon) {
        enum truth empty;

        if (o->state == OPERAND_UNSET)
                return TRUTH_YES;
        if (!colon)
                return o->state == OPERAND_MAYBE ? TRUTH_MAYBE : TRUTH_NO;
        if (o->list && o->count > 1)
                return o->state == OPERAND_MAYBE ? TRUTH_MAYBE : TRUTH_NO;
        empty = value_empty(o->list && o->count ? o->items[0].value : o->value);
        return o->state == OPERAND_MAYBE && empty == TRUTH_NO ? TRUTH_MAYBE : empty;
}

/* Once ${x:?} or ${x:-} has looked at it, the value is not empty. */
static void mark_nonempty(struct walk *w, struct operand *o) {
        const struct piece *old = o->value.pieces;
        struct piece *copy;

        if (o->list || !old || old->next || old->kind != PIECE_UNKNOWN || !(copy = BUDGET_NEW(&w->budget, struct piece)))
                return;
        *copy = *old;
        copy->nonempty = true;
        o->value.pieces = copy;
}

static void assign_default(struct emit *e, const struct param *p, struct operand *o, bool quoted) {
        struct emit operand;
        struct value value;

        emit_begin(&operand, e->w, NULL, NULL);
        expand_operand(&operand, p->arg, quoted ? EXPAND_QUOTED : 0);
        value = builder_finish(&operand.b, false);
        if (str_is_name(o->name) && !o->list)
                walk_assign_value(e->w, &o->target, value);
        emit_value(e, value, quoted);
}

static void expand_default(struct emit *e, const struct param *p, struct operand *o, unsigned flags) {
        bool quoted = flags & EXPAND_QUOTED;
        enum truth missing = operand_missing(o, p->colon);

        if (o->list && o->count == 1 && missing == TRUTH_YES && !e->splits)
                missing = TRUTH_MAYBE; /* x=${a[@]:-y}: one empty element is something to bash, but not in "..." */
        if (missing == TRUTH_MAYBE && p->op == PARAM_ERROR) { /* if it goes on at all, there was a value */
                expand_value(e->w, p->arg, VALUE_WORD);
                missing = TRUTH_NO;
        } else if (missing == TRUTH_MAYBE) {
                missing = walk_choose(e->w, p, 2) ? TRUTH_YES : TRUTH_NO;
        }
        if (missing == TRUTH_NO && p->colon && p->op != PARAM_ALTERNATE)
                mark_nonempty(e->w, o);
        if (p->op == PARAM_ALTERNATE) {
                if (missing == TRUTH_NO)
                        expand_operand(e, p->arg, flags);
                else if (o->list && quoted && !o->star)
                        e->empty_lists++;
        } else if (missing == TRUTH_NO) {
                emit_operand(e, o, quoted);
        } else if (p->op == PARAM_DEFAULT) {
                expand_operand(e, p->arg, flags);
        } else if (p->op == PARAM_ASSIGN) {
                assign_default(e, p, o, quoted);
        } else {
                expand_value(e->w, p->arg, VALUE_WORD);
                emit_value(e, value_unknown(&e->w->budget, UNKNOWN_ERROR, o->name), true);
        }
}

/* ---- the other operators ---- */

/* ${@:2:3}: by position, $0 included; by index for arrays. */
static void slice_list(struct walk *w, const struct param_operands *ops, struct operand *o) {
        int64_t offset = ops->offset.value, length = ops->has_length ? ops->length.value : INT64_MAX;
        int64_t top = o->positional ? (int64_t)o->count + 1 : o->count ? o->items[o->count - 1].index + 1 : 0;
        size_t kept = 0;

        if (!o->count_known || ops->offset.state != ARITH_KNOWN || (ops->has_length && ops->length.state != ARITH_KNOWN) ||
            o->assoc || length < 0) {
                struct value value = value_unknown(&w->budget, UNKNOWN_POSITIONAL, o->name);

                *o = (struct operand){ .name = o->name, .star = o->star };
                operand_list_one(w, o, value, true);
                return;
        }
        if (offset < 0)
                offset += top;
        if (offset < 0)
                length = 0;
        if (o->positional && offset == 0 && length > 0) {
                struct item *items = budget_alloc(&w->budget, (o->count + 1) * sizeof(*items));
                struct operand zero;

                if (!items)
                        return;
                operand_resolve(w, &(const struct param){ .name = STR("0") }, &zero);
                items[0] = (struct item){ .value = zero.value };
                if (o->count)
                        memcpy(items + 1, o->items, o->count * sizeof(*items));
                o->items = items;
                o->count++;
        }
        for (size_t i = 0; i < o->count; i++)
                if (o->items[i].index >= offset && (int64_t)kept < length)
                        o->items[kept++] = o->items[i];
        o->count = kept;
}

static void read_operands(struct walk *w, const struct param *p, struct param_operands *ops) {
        unsigned flags = walk_option(w, "extglob", false) == TRUTH_YES ? PATTERN_EXTGLOB : 0;

        *ops = (struct param_operands){ .param = p };
        if (p->op == PARAM_SUBSTRING) {
                ops->offset = expand_arith_result(w, p->arg->parts);
                ops->has_length = p->arg2 != NULL;
                if (p->arg2)
                        ops->length = expand_arith_result(w, p->arg2->parts);
                return;
        }
        if (p->op == PARAM_REPLACE_ALL && p->arg2 && !p->arg->parts)
                ops->bad = true; /* ${x///y}: bash takes the third slash for the pattern's first byte */
        if (walk_option(w, "extglob", false) == TRUTH_MAYBE || walk_option(w, "nocasematch", false) != TRUTH_NO)
                ops->bad = true;
        ops->pattern = pattern_compile(&w->budget, expand_value(w, p->arg, VALUE_PATTERN), flags);
        if (p->arg2)
                ops->replacement = expand_value(w, p->arg2, VALUE_PATTERN);
}

/* ${PATH:0:1} is a slash, wherever it is any use to write it. */
static bool begins_with_slash(struct str name) {
        return str_is(name, "HOME") || str_is(name, "PATH") || str_is(name, "PWD") || str_is(name, "OLDPWD") ||
               str_is(name, "SHELL");
}

static bool is_slash(struct walk *w, const struct param_operands *ops, const struct operand *o) {
        struct str text;

        return ops->param->op == PARAM_SUBSTRING && ops->has_length && ops->offset.state == ARITH_KNOWN &&
               ops->length.state == ARITH_KNOWN && ops->offset.value == 0 && ops->length.value == 1 &&
               begins_with_slash(o->name) && !value_known(o->value, &text) && walk_choose(w, ops->param, 2) == 0;
}

static void apply_operator(struct walk *w, const struct param *p, struct operand *o) {
        struct param_operands ops;

        read_operands(w, p, &ops);
        o->operated = true;
        if (o->list && p->op == PARAM_SUBSTRING) {
                slice_list(w, &ops, o);
        } else if (o->list) {
                for (size_t i = 0; i < o->count; i++)
                        o->items[i].value = param_apply(w, &ops, o->items[i].value);
        } else if (is_slash(w, &ops, o)) {
                o->value = value_text(&w->budget, STR("/"));
        } else if (o->state != OPERAND_UNSET) {
                o->value = param_apply(w, &ops, o->value);
        }
}

/* ${a[@]@A} is three words: declare -a a=(...). */
static void transform_whole(struct walk *w, char letter, struct operand *o) {
        struct item *items = budget_alloc(&w->budget, 3 * sizeof(*items));
        struct value value = param_transform_list(w, letter, o->items, o->count, o->name, o->assoc);
        bool known = o->count_known && !o->positional && o->count && letter != 'k' && walk_ifs(w)->first == ' ';
        char buffer[16];

        if (!items)
                return;
        if (letter == 'A' && known) {
                struct builder b = { .budget = &w->budget };
                struct str letters = attribute_letters(o->attributes, buffer);

                builder_text(&b, STR("-"), false);
                for (size_t i = 0; i < letters.len; i++)
                        builder_char(&b, letters.ptr[i], false);
                items[0].value = value_text(&w->budget, STR("declare"));
                items[1].value = builder_finish(&b, false);
                items[2].value = value;
                o->count = o->attributes ? 3 : 1;
                o->items = o->attributes ? items : items + 2;
                return;
        }
        items[0] = (struct item){ .value = known ? value : value_unknown(&w->budget, UNKNOWN_OPTION, o->name),
                                  .may_split = !known };
        o->items = items;
        o->count = 1;
        o->count_known = known;
}

static void apply_transform(struct walk *w, const struct param *p, struct operand *o) {
        unsigned attributes = o->attributes;
        char c = p->transform;

        o->operated = true;
        if (c == 'P') {
                for (size_t i = 0; i < o->count; i++)
                        walk_data(w, WALK_CODE_PROMPT, o->items[i].value);
                walk_data(w, WALK_CODE_PROMPT, o->value);
        }
        if (o->list && (c == 'A' || c == 'K' || c == 'k')) {
                transform_whole(w, c, o);
                return;
        }
        if (o->list && c == 'a' && !o->count && attributes) { /* an array without elements has attributes, for @ or for * */
                operand_list_one(w, o, value_unknown(&w->budget, UNKNOWN_OPTION, o->name), true);
                return;
        }
        for (size_t i = 0; i < o->count; i++)
                o->items[i].value = param_transform(w, c, o->items[i].value, o->name, attributes);
        if (!o->list && o->state != OPERAND_UNSET)
                o->value = o->state == OPERAND_SET ? param_transform(w, c, o->value, o->name, attributes)
                                                   : param_unknown(w, o->value);
        if (!o->list && o->state == OPERAND_UNSET && attributes && (c == 'a' || c == 'A')) {
                o->value = c == 'a' ? param_transform(w, c, o->value, o->name, attributes)
                                    : value_unknown(&w->budget, UNKNOWN_OPTION, o->name);
                o->state = OPERAND_SET;
        }
}

static struct value operand_length(struct walk *w, const struct operand *o) {
        struct str index;

        if (o->list)
                return o->count_known ? value_number(&w->budget, (int64_t)o->count)
                                      : operand_number_unknown(w, UNKNOWN_POSITIONAL, o->name);
        if (o->state == OPERAND_UNSET && value_known(o->target.subscript, &index) && index.len && index.ptr[0] == '-')
                return value_unknown(&w->budget, UNKNOWN_ERROR, o->name); /* a bad subscript is an error here, and only here */
        if (o->state == OPERAND_UNSET)
                return value_number(&w->budget, 0);
        return param_length(w, o->value);
}

void expand_param(struct emit *e, const struct param *p, unsigned flags) {
        bool quoted = flags & EXPAND_QUOTED;
        struct operand o;

        if (p->op == PARAM_BAD || p->op == PARAM_NAMES) {
                if (p->arg)
                        expand_value(e->w, p->arg, VALUE_WORD);
                emit_value(e, value_unknown(&e->w->budget, p->op == PARAM_BAD ? UNKNOWN_ERROR : UNKNOWN_ENV, p->name), quoted);
                e->may_split |= p->op == PARAM_NAMES && e->splits;
                return;
        }
        operand_resolve(e->w, p, &o);
        if (p->length) {
                emit_value(e, operand_length(e->w, &o), quoted);
                return;
        }
        if (p->op >= PARAM_DEFAULT && p->op <= PARAM_ALTERNATE) {
                expand_default(e, p, &o, flags);
                return;
        }
        if (p->op == PARAM_TRANSFORM)
                apply_transform(e->w, p, &o);
        else if (p->op != PARAM_PLAIN)
                apply_operator(e->w, p, &o);
        emit_operand(e, &o, quoted);
}
