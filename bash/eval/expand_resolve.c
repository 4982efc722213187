/*
 * Which parameter a ${...} means, through subscripts and indirection, and what it holds.
 */
#include "bash/eval/interp.h"

/* ---- lists ---- */

static void list_array(struct walk *w, const struct array *array, struct operand *o) {
        o->list = true;
        o->assoc = array->assoc;
        o->count_known = array_count_known(array);
        array = array_listed(&w->budget, array);
        o->count_known = o->count_known && !array->uncertain;
        if (!array->count || !budget_spend(&w->budget, array->count) ||
            !(o->items = budget_alloc(&w->budget, array->count * sizeof(*o->items))))
                return;
        for (; o->count < array->count; o->count++) {
                const struct element *e = &array->items[o->count];

                o->items[o->count] = (struct item){ e->value, e->key, e->index, e->may_split };
        }
}

void operand_list_one(struct walk *w, struct operand *o, struct value value, bool may_split) {
        o->list = true;
        o->count_known = !may_split;
        o->items = BUDGET_NEW(&w->budget, struct item);
        if (!o->items)
                return;
        o->items[0] = (struct item){ .value = value, .may_split = may_split };
        o->count = 1;
}

static void resolve_positionals(struct walk *w, struct operand *o) {
        const struct array *array = walk_positional(w);

        o->positional = true;
        if (array)
                list_array(w, array, o);
        else
                operand_list_one(w, o, value_unknown(&w->budget, UNKNOWN_POSITIONAL, STR("@")), true);
        for (size_t i = 0; i < o->count; i++)
                o->items[i].index = (int64_t)i + 1;
        o->state = !o->count ? OPERAND_UNSET : o->count_known ? OPERAND_SET : OPERAND_MAYBE;
}

/* ---- scalars ---- */

struct value operand_number_unknown(struct walk *w, enum unknown because, struct str name) {
        struct value value = value_unknown(&w->budget, because, name);

        if (value.pieces)
                ((struct piece *)value.pieces)->number = true;
        return value;
}

static void resolve_position(struct walk *w, struct str name, struct operand *o) {
        const struct array *array = walk_positional(w);
        uint64_t n = 0;

        for (size_t i = 0; i < name.len && n < 1000000; i++)
                n = n * 10 + (uint64_t)(name.ptr[i] - '0');
        if (n == 0) {
                o->value = w->options->name.len && !w->call ? value_text(&w->budget, w->options->name)
                                                            : value_unknown(&w->budget, UNKNOWN_SPECIAL, STR("0"));
                return;
        }
        if (!array || (array->uncertain && n > 0)) {
                o->value = value_unknown(&w->budget, UNKNOWN_POSITIONAL, name);
                o->state = OPERAND_MAYBE;
        } else if (n <= array->count) {
                o->value = array->items[n - 1].value;
        } else {
                o->state = OPERAND_UNSET;
        }
}

static void resolve_special(struct walk *w, struct str name, struct operand *o) {
        const struct array *array;

        switch (name.ptr[0]) {
        case '#':
                array = walk_positional(w);
                o->value = array && array_count_known(array) ? value_number(&w->budget, (int64_t)array->count)
                                                             : operand_number_unknown(w, UNKNOWN_POSITIONAL, name);
                break;
        case '?':
        case '$':
                o->value = operand_number_unknown(w, UNKNOWN_SPECIAL, name);
                break;
        default: /* $! may be empty, $- is letters */
                o->value = value_unknown(&w->budget, UNKNOWN_SPECIAL, name);
        }
}

/* name, name[subscript], name[@]: `all` is @ or *, or 0. */
static void resolve_variable(struct walk *w, struct str name, char all, const struct value *subscript, struct operand *o) {
        struct reading r = walk_read(w, name);
        struct value index;
        bool unset = r.datum.kind == DATUM_UNSET, maybe = r.maybe_unset;

        o->attributes = r.attributes;
        o->array = r.attributes & (ATTR_ARRAY | ATTR_ASSOC);
        o->assoc = r.attributes & ATTR_ASSOC;
        if (r.has_subscript && !subscript && !all) {
                index = value_text(&w->budget, r.subscript);
                subscript = &index;
                name = r.name;
        }
        if (all && r.datum.kind == DATUM_ARRAY) {
                list_array(w, r.datum.array, o);
                o->state = o->count ? OPERAND_SET : OPERAND_UNSET;
                return;
        }
        if (all) {
                if (!unset)
                        operand_list_one(w, o, r.datum.value, r.maybe_unset);
                o->list = true;
                o->count_known |= unset;
        } else if (subscript) {
                o->value = walk_element(w, name, *subscript, &unset, &maybe);
        } else if (r.datum.kind == DATUM_ARRAY) {
                o->value = walk_scalar(w, name, &unset);
        } else {
                o->value = r.datum.value;
        }
        o->state = unset ? OPERAND_UNSET : maybe ? OPERAND_MAYBE : OPERAND_SET;
}

static void resolve_name(struct walk *w, struct str name, char all, const struct value *subscript, struct operand *o) {
        o->name = name;
        o->target = (struct target){ .name = name, .has_subscript = subscript != NULL };
        if (subscript)
                o->target.subscript = *subscript;
        o->star = all == '*' || str_is(name, "*");
        if (str_is(name, "@") || str_is(name, "*"))
                resolve_positionals(w, o);
        else if (name.len && is_ascii_digit((unsigned char)name.ptr[0]))
                resolve_position(w, name, o);
        else if (str_is_name(name))
                resolve_variable(w, name, all, subscript, o);
        else
                resolve_special(w, name, o);
}

/* ---- subscripts and indirection ---- */

static char index_all(const struct word *index) {
        const struct part *p = index ? index->parts : NULL;

        return p && !p->next && p->kind == PART_LITERAL && p->text.len == 1 && (*p->text.ptr == '@' || *p->text.ptr == '*')
                       ? *p->text.ptr
                       : 0;
}

char param_list_kind(const struct param *p) {
        return p->index                                                           ? index_all(p->index)
               : p->name.len == 1 && (*p->name.ptr == '@' || *p->name.ptr == '*') ? *p->name.ptr
                                                                                  : 0;
}

/* Single quotes are plain bytes to the parser here, but not around the key of an associative array. */
struct value expand_subscript(struct walk *w, const struct word *index, bool assoc) {
        struct value value = expand_double(w, index->parts);
        struct str text;

        if (assoc && value_known(value, &text) && text.len > 1 && text.ptr[0] == '\'' && text.ptr[text.len - 1] == '\'' &&
            index->parts->kind == PART_LITERAL && index->parts->text.ptr[0] == '\'')
                return value_text(&w->budget, str_from(text.ptr + 1, text.len - 2));
        return value;
}

static void unknown_operand(struct walk *w, struct operand *o, struct value from) {
        o->value = param_unknown(w, from);
        o->state = OPERAND_MAYBE;
}

/* 1, 12, @ and the like. */
static bool is_parameter_without_name(struct str s) {
        if (s.len == 1 && s.ptr[0] && strchr("@*#?$!-", s.ptr[0]))
                return true;
        for (size_t i = 0; i < s.len; i++)
                if (!is_ascii_digit((unsigned char)s.ptr[i]))
                        return false;
        return s.len > 0;
}

/* ${!x}: the parameter whose name x holds. */
static void resolve_indirect(struct walk *w, const struct param *p, const struct value *subscript, struct operand *o) {
        struct var *var = vars_find(&w->vars, SPACE_VARIABLE, p->name);
        struct target target;
        struct str name;
        struct value value;

        if (var && var->content && var->content->attributes & ATTR_NAMEREF) { /* of a nameref: the name itself */
                o->value = var->content->alternatives[walk_choose(w, var, var->content->count)].value;
                return;
        }
        resolve_name(w, p->name, 0, subscript, o);
        value = o->value;
        *o = (struct operand){ .name = p->name };
        if (!value_known(value, &name)) {
                w->by_name = true;
                unknown_operand(w, o, value);
        } else if (is_parameter_without_name(name)) {
                resolve_name(w, name, 0, NULL, o);
        } else if (name.len == 0 || !walk_parse_target(w, value, &target)) {
                o->value = value_unknown(&w->budget, UNKNOWN_ERROR, STR(""));
        } else {
                struct str key;
                char all = target.has_subscript && value_known(target.subscript, &key) && key.len == 1 &&
                                           (*key.ptr == '@' || *key.ptr == '*')
                                   ? *key.ptr
                                   : 0;

                resolve_name(w, target.name, all, target.has_subscript && !all ? &target.subscript : NULL, o);
        }
}

static void list_keys(struct walk *w, struct operand *o) {
        for (size_t i = 0; i < o->count; i++)
                o->items[i].value = !o->count_known ? value_unknown(&w->budget, UNKNOWN_ARITHMETIC, o->name)
                                    : o->assoc      ? value_text(&w->budget, o->items[i].key)
                                                    : value_number(&w->budget, o->items[i].index);
}

void operand_resolve(struct walk *w, const struct param *p, struct operand *o) {
        char all = index_all(p->index);
        struct var *var = p->index ? vars_find(&w->vars, SPACE_VARIABLE, p->name) : NULL;
        struct value subscript;

        *o = (struct operand){ .name = p->name };
        if (p->index && !all)
                subscript = expand_subscript(w, p->index, var && var->content && var->content->attributes & ATTR_ASSOC);
        if (p->indirect && all) {
                resolve_name(w, p->name, all, NULL, o);
                list_keys(w, o);
        } else if (p->indirect) {
                resolve_indirect(w, p, p->index ? &subscript : NULL, o);
        } else {
                resolve_name(w, p->name, all, p->index && !all ? &subscript : NULL, o);
        }
}
