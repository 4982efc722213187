/*
 * $x and ${x...}: which parameter is meant, what it holds, and what becomes of that in the word. The operators on texts are in
 * expand_ops.c and expand_transform.c.
 */
#include "shell/interp.h"

struct operand {
        enum { OPERAND_SET, OPERAND_UNSET, OPERAND_MAYBE } state;
        bool list, star;   /* $@ and ${a[@]}; $* and ${a[*]} */
        bool positional;   /* $@ and $* */
        bool array, assoc; /* the variable is one */
        bool count_known;
        bool operated;     /* on: bash joins the results by IFS here, by a blank there */
        struct value value;
        struct item *items;
        size_t count;
        struct str name;
        unsigned attributes;
        struct target target; /* for ${x:=...} */
};

/* ---- lists ---- */

static void list_array(struct walk *w, const struct array *array, struct operand *o) {
        o->list = true;
        o->assoc = array->assoc;
        o->count_known = array_count_known(array);
        array = array_listed(&w->work, array);
        o->count_known = o->count_known && !array->uncertain;
        if (!array->count || !work_spend(&w->work, array->count) ||
            !(o->items = work_alloc(&w->work, array->count * sizeof(*o->items))))
                return;
        for (; o->count < array->count; o->count++) {
                const struct element *e = &array->items[o->count];

                o->items[o->count] = (struct item){ e->value, e->key, e->index, e->may_split };
        }
}

static void list_one(struct walk *w, struct operand *o, struct value value, bool may_split) {
        o->list = true;
        o->count_known = !may_split;
        o->items = WORK_NEW(&w->work, struct item);
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
                list_one(w, o, value_unknown(&w->work, UNKNOWN_POSITIONAL, STR("@")), true);
        for (size_t i = 0; i < o->count; i++)
                o->items[i].index = (int64_t)i + 1;
        o->state = !o->count ? OPERAND_UNSET : o->count_known ? OPERAND_SET : OPERAND_MAYBE;
}

/* ---- scalars ---- */

static struct value number_unknown(struct walk *w, enum unknown because, struct str name) {
        struct value value = value_unknown(&w->work, because, name);

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
                o->value = w->options->name.len && !w->call ? value_text(&w->work, w->options->name)
                                                            : value_unknown(&w->work, UNKNOWN_SPECIAL, STR("0"));
                return;
        }
        if (!array || (array->uncertain && n > 0)) {
                o->value = value_unknown(&w->work, UNKNOWN_POSITIONAL, name);
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
                o->value = array && array_count_known(array) ? value_number(&w->work, (int64_t)array->count)
                                                             : number_unknown(w, UNKNOWN_POSITIONAL, name);
                break;
        case '?':
        case '$':
                o->value = number_unknown(w, UNKNOWN_SPECIAL, name);
                break;
        default: /* $! may be empty, $- is letters */
                o->value = value_unknown(&w->work, UNKNOWN_SPECIAL, name);
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
                index = value_text(&w->work, r.subscript);
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
                        list_one(w, o, r.datum.value, r.maybe_unset);
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
        return p->index                                              ? index_all(p->index)
               : p->name.len == 1 && (*p->name.ptr == '@' || *p->name.ptr == '*') ? *p->name.ptr
                                                                                   : 0;
}

/* Single quotes are plain bytes to the parser here, but not around the key of an associative array. */
struct value expand_subscript(struct walk *w, const struct word *index, bool assoc) {
        struct value value = expand_double(w, index->parts);
        struct str text;

        if (assoc && value_known(value, &text) && text.len > 1 && text.ptr[0] == '\'' && text.ptr[text.len - 1] == '\'' &&
            index->parts->kind == PART_LITERAL && index->parts->text.ptr[0] == '\'')
                return value_text(&w->work, str_from(text.ptr + 1, text.len - 2));
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
                unknown_operand(w, o, value);
        } else if (is_parameter_without_name(name)) {
                resolve_name(w, name, 0, NULL, o);
        } else if (name.len == 0 || !walk_parse_target(w, value, &target)) {
                o->value = value_unknown(&w->work, UNKNOWN_ERROR, STR(""));
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
                o->items[i].value = !o->count_known ? value_unknown(&w->work, UNKNOWN_ARITHMETIC, o->name)
                                    : o->assoc      ? value_text(&w->work, o->items[i].key)
                                                    : value_number(&w->work, o->items[i].index);
}

static void resolve(struct walk *w, const struct param *p, struct operand *o) {
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
        char *joint = work_bytes(&e->w->work, 1);

        if (!joint)
                return;
        *joint = star ? ifs->first : ' ';
        if (quoted)
                emit_mark(e);
        for (size_t i = 0; i < o->count; i++) {
                if (i && (!ifs->known || (ifs->first != ' ' && (star ? e->declares : o->operated))))
                        emit_value(e, value_unknown(&e->w->work, UNKNOWN_SPLIT, STR("IFS")), true);
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
        if (!quoted && (e->operands || o->operated) && walk_ifs(e->w)->first != ' ' && o->count) { /* bash is of several minds */
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

        if (o->list || !old || old->next || old->kind != PIECE_UNKNOWN || !(copy = WORK_NEW(&w->work, struct piece)))
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
                emit_value(e, value_unknown(&e->w->work, UNKNOWN_ERROR, o->name), true);
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
                struct value value = value_unknown(&w->work, UNKNOWN_POSITIONAL, o->name);

                *o = (struct operand){ .name = o->name, .star = o->star };
                list_one(w, o, value, true);
                return;
        }
        if (offset < 0)
                offset += top;
        if (offset < 0)
                length = 0;
        if (o->positional && offset == 0 && length > 0) {
                struct item *items = work_alloc(&w->work, (o->count + 1) * sizeof(*items));
                struct operand zero = { .state = OPERAND_SET };

                if (!items)
                        return;
                resolve_position(w, STR("0"), &zero);
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
        if (walk_option(w, "extglob", false) == TRUTH_MAYBE || walk_option(w, "nocasematch", false) != TRUTH_NO)
                ops->bad = true;
        ops->pattern = pattern_compile(&w->work, expand_value(w, p->arg, VALUE_PATTERN), flags);
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
                o->value = value_text(&w->work, STR("/"));
        } else if (o->state != OPERAND_UNSET) {
                o->value = param_apply(w, &ops, o->value);
        }
}

/* ${a[@]@A} is three words: declare -a a=(...). */
static void transform_whole(struct walk *w, char letter, struct operand *o) {
        struct item *items = work_alloc(&w->work, 3 * sizeof(*items));
        struct value value = param_transform_list(w, letter, o->items, o->count, o->name, o->assoc);
        bool known = o->count_known && !o->positional && o->count && letter != 'k' && walk_ifs(w)->first == ' ';
        char buffer[16];

        if (!items)
                return;
        if (letter == 'A' && known) {
                struct builder b = { .work = &w->work };
                struct str letters = attribute_letters(o->attributes, buffer);

                builder_text(&b, STR("-"), false);
                for (size_t i = 0; i < letters.len; i++)
                        builder_char(&b, letters.ptr[i], false);
                items[0].value = value_text(&w->work, STR("declare"));
                items[1].value = builder_finish(&b, false);
                items[2].value = value;
                o->count = o->attributes ? 3 : 1;
                o->items = o->attributes ? items : items + 2;
                return;
        }
        items[0] = (struct item){ .value = known ? value : value_unknown(&w->work, UNKNOWN_OPTION, o->name),
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
                list_one(w, o, value_unknown(&w->work, UNKNOWN_OPTION, o->name), true);
                return;
        }
        for (size_t i = 0; i < o->count; i++)
                o->items[i].value = param_transform(w, c, o->items[i].value, o->name, attributes);
        if (!o->list && o->state != OPERAND_UNSET)
                o->value = o->state == OPERAND_SET ? param_transform(w, c, o->value, o->name, attributes)
                                                   : param_unknown(w, o->value);
        if (!o->list && o->state == OPERAND_UNSET && attributes && (c == 'a' || c == 'A')) {
                o->value = c == 'a' ? param_transform(w, c, o->value, o->name, attributes)
                                    : value_unknown(&w->work, UNKNOWN_OPTION, o->name);
                o->state = OPERAND_SET;
        }
}

static struct value operand_length(struct walk *w, const struct operand *o) {
        struct str index;

        if (o->list)
                return o->count_known ? value_number(&w->work, (int64_t)o->count)
                                      : number_unknown(w, UNKNOWN_POSITIONAL, o->name);
        if (o->state == OPERAND_UNSET && value_known(o->target.subscript, &index) && index.len && index.ptr[0] == '-')
                return value_unknown(&w->work, UNKNOWN_ERROR, o->name); /* a bad subscript is an error here, and only here */
        if (o->state == OPERAND_UNSET)
                return value_number(&w->work, 0);
        return param_length(w, o->value);
}

void expand_param(struct emit *e, const struct param *p, unsigned flags) {
        bool quoted = flags & EXPAND_QUOTED;
        struct operand o;

        if (p->op == PARAM_BAD || p->op == PARAM_NAMES) {
                if (p->arg)
                        expand_value(e->w, p->arg, VALUE_WORD);
                emit_value(e, value_unknown(&e->w->work, p->op == PARAM_BAD ? UNKNOWN_ERROR : UNKNOWN_ENV, p->name), quoted);
                e->may_split |= p->op == PARAM_NAMES && e->splits;
                return;
        }
        resolve(e->w, p, &o);
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
