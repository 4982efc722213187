/*
 * Changing the imagined state: assignments with their attributes and subscripts, and arithmetic, which both reads and assigns.
 */
#include "bash/eval/interp.h"

enum { ARITH_MAX_NESTING = 16 };

/* ---- arithmetic ---- */

/* A subscript inside an expression. bash may put backslashes before [ ] and ~ in there, and then trips over them. */
static struct value subscript_value(struct walk *w, struct str subscript) {
        for (size_t i = 0; i < subscript.len; i++)
                if (strchr("$`[]~"
                           "\x01",
                           subscript.ptr[i])) /* \x01: ARITH_UNKNOWN_BYTE */
                        return value_unknown(&w->budget, UNKNOWN_ARITHMETIC, STR(""));
        return value_text(&w->budget, subscript);
}

static bool is_assoc(const struct reading *r) {
        return (r->attributes & ATTR_ASSOC) || (r->datum.kind == DATUM_ARRAY && r->datum.array->assoc);
}

/* The element of what was read that the subscript names. */
static struct value read_element(struct walk *w, const struct reading *r, struct value subscript, bool *ret_unset) {
        const struct element *element = NULL;
        struct str key = STR("");
        enum arith_state state;
        int64_t index = 0;

        *ret_unset = false;
        if (!subscript.pieces)
                return value_unknown(&w->budget, UNKNOWN_ERROR, r->name);
        if (is_assoc(r))
                state = value_known(subscript, &key) ? ARITH_KNOWN : ARITH_UNKNOWN;
        else
                state = walk_index(w, subscript, &index);
        if (state != ARITH_KNOWN)
                return value_unknown(&w->budget, state == ARITH_ERROR ? UNKNOWN_ERROR : UNKNOWN_ARITHMETIC, r->name);
        *ret_unset = r->datum.kind == DATUM_UNSET;
        if (*ret_unset)
                return (struct value){ NULL };
        if (r->datum.kind == DATUM_SCALAR) { /* a scalar is its own element 0; an unknown one could be any array */
                const struct piece *unknown = value_unknown_piece(r->datum.value);

                if (index == 0 || (unknown && !unknown->number))
                        return r->datum.value;
                *ret_unset = true;
                return (struct value){ NULL };
        }
        if (r->datum.array->uncertain)
                return walk_some_element(w, r->datum.array, r->name);
        if (index < 0 && !r->datum.array->assoc)
                index += array_next_index(r->datum.array);
        element = array_find(&w->budget, r->datum.array, index, key);
        *ret_unset = !element;
        return element ? element->value : (struct value){ NULL };
}

struct value walk_element(struct walk *w, struct str name, struct value subscript, bool *ret_unset, bool *ret_maybe) {
        struct reading r = walk_read(w, name);

        *ret_maybe = r.maybe_unset;
        return read_element(w, &r, subscript, ret_unset);
}

static enum arith_state host_read(void *context, const struct arith_name *name, struct str *ret_text) {
        struct walk *w = context;
        bool unset, maybe = false;
        struct value value;

        if (name->has_subscript)
                value = walk_element(w, name->name, subscript_value(w, name->subscript), &unset, &maybe);
        else
                value = walk_scalar(w, name->name, &unset);
        if (unset) {
                *ret_text = STR("");
                return ARITH_KNOWN;
        }
        if (!value_known(value, ret_text))
                return value.pieces->because == UNKNOWN_ERROR ? ARITH_ERROR : ARITH_UNKNOWN;
        walk_data(w, WALK_CODE_ARITHMETIC, value);
        return ARITH_KNOWN;
}

static void host_write(void *context, const struct arith_name *name, struct arith_result value, bool maybe) {
        struct walk *w = context;
        struct target target = { .name = name->name, .has_subscript = name->has_subscript, .maybe = maybe };
        struct value result;

        if (!str_is_name(name->name))
                return;
        if (name->has_subscript)
                target.subscript = subscript_value(w, name->subscript);
        if (value.state == ARITH_KNOWN) {
                result = value_number(&w->budget, value.value);
        } else {
                result = value_unknown(&w->budget, UNKNOWN_ARITHMETIC, name->name);
                if (result.pieces)
                        ((struct piece *)result.pieces)->number = true;
        }
        walk_assign_value(w, &target, result);
}

/* Known bytes as they are, one byte for each unknown piece. */
static struct str arith_text(struct walk *w, struct value value) {
        struct builder b = { .budget = &w->budget };
        struct str text = STR("");

        if (value_known(value, &text))
                return text;
        for (const struct piece *p = value.pieces; p; p = p->next)
                builder_text(&b, p->kind == PIECE_TEXT ? p->text : STR("\x01"), false);
        value_known(builder_finish(&b, false), &text);
        return text;
}

struct arith_result walk_arith(struct walk *w, struct value text) {
        const struct arith_host host = { w, host_read, host_write };
        struct arith_result result = { ARITH_UNKNOWN, 0 };

        walk_data(w, WALK_CODE_ARITHMETIC, text);
        if (w->arith_depth < ARITH_MAX_NESTING && walk_goes_on(w)) { /* a[a[...]]: a subscript is an expression too */
                w->arith_depth++;
                result = arith_evaluate(&w->budget, arith_text(w, text), &host);
                w->arith_depth--;
        }
        return result;
}

enum arith_state walk_index(struct walk *w, struct value subscript, int64_t *ret) {
        struct arith_result result = walk_arith(w, subscript);

        if (result.state == ARITH_KNOWN)
                *ret = result.value;
        return result.state;
}

/* ---- attributes ---- */

struct value walk_coerce(struct walk *w, unsigned attributes, struct value value) {
        struct str text;
        char *copy;

        if (attributes & ATTR_INTEGER) {
                struct arith_result result = walk_arith(w, value);

                if (result.state == ARITH_KNOWN)
                        return value_number(&w->budget, result.value);
                value = value_unknown(&w->budget, UNKNOWN_ARITHMETIC, STR(""));
                if (value.pieces)
                        ((struct piece *)value.pieces)->number = true;
                return value;
        }
        if (!(attributes & (ATTR_LOWER | ATTR_UPPER | ATTR_CAPITAL)))
                return value;
        if (!value_known(value, &text))
                return param_unknown(w, value);
        if (!str_is_ascii(text))
                return value_unknown(&w->budget, UNKNOWN_LOCALE, STR(""));
        copy = budget_bytes(&w->budget, text.len);
        for (size_t i = 0; copy && i < text.len; i++) {
                bool upper = attributes & ATTR_UPPER || (attributes & ATTR_CAPITAL && i == 0);

                copy[i] = (char)(upper ? ascii_upper((unsigned char)text.ptr[i]) : ascii_lower((unsigned char)text.ptr[i]));
        }
        return copy ? value_text(&w->budget, str_from(copy, text.len)) : value;
}

/* ---- assigning ---- */

void walk_put(struct walk *w, struct var *var, const struct content *content, bool maybe) {
        if (!var || !content)
                return;
        if (maybe || w->frame->weak)
                content = content_join(&w->vars, var, var->content, content, VARS_MAX_JOINED);
        vars_put(&w->vars, var, content);
}

static struct value concatenate(struct walk *w, unsigned attributes, struct value old, struct value more) {
        struct builder b = { .budget = &w->budget };

        if (attributes & ATTR_INTEGER) {
                builder_text(&b, STR("("), false);
                if (!old.pieces)
                        builder_text(&b, STR("0"), false);
                builder_value(&b, old, false);
                builder_text(&b, STR(")+("), false);
                builder_value(&b, more, false);
                builder_text(&b, STR(")"), false);
        } else {
                builder_value(&b, old, false);
                builder_value(&b, more, false);
        }
        return builder_finish(&b, false);
}

/* The array that an element is put into: the variable's own, or one that its scalar becomes element 0 of. */
const struct array *walk_array_of(struct walk *w, const struct reading *r) {
        const struct array *array;
        const struct piece *unknown;

        if (r->datum.kind == DATUM_ARRAY)
                return r->datum.array;
        array = array_new(&w->budget, r->attributes & ATTR_ASSOC);
        if (!array || r->datum.kind != DATUM_SCALAR)
                return array;
        array = array_set(&w->budget, array, 0, STR("0"), r->datum.value);
        if (!array->count) /* the work stopped */
                return array;
        array->items[0].may_split = r->maybe_unset; /* there, if the environment has it */
        unknown = value_unknown_piece(r->datum.value);
        if (unknown && (unknown->because == UNKNOWN_TOO_COMPLEX || unknown->because == UNKNOWN_LOOP)) {
                array->items[0].may_split = true; /* stands for all it could be, arrays too */
                array = array_uncertain(&w->budget, array);
        }
        return array;
}

static const struct array *set_element(struct walk *w, const struct reading *r, const struct target *t, struct value value) {
        const struct array *array = walk_array_of(w, r);
        struct str key = STR("");
        int64_t index = 0;
        bool known, unset;

        if (!array)
                return NULL;
        known = array->assoc ? value_known(t->subscript, &key) : walk_index(w, t->subscript, &index) == ARITH_KNOWN;
        if (index < 0)
                index += array_next_index(array);
        if (!known || index < 0 || array->uncertain) /* some element, nobody knows which */
                return array_append(&w->budget, array_blurred(&w->budget, array), value, true);
        if (t->append)
                value = concatenate(w, r->attributes, read_element(w, r, t->subscript, &unset), value);
        return array_set(&w->budget, array, index, key, walk_coerce(w, r->attributes, value));
}

/* Only what bash lets be assigned. */
static struct var *assignable(struct walk *w, const struct reading *r) {
        bool number;

        if (special_variable(r->name, &number) == SPECIAL_DYNAMIC || (r->attributes & ATTR_READONLY) || !str_is_name(r->name))
                return NULL;
        return r->var ? r->var : vars_get(&w->vars, SPACE_VARIABLE, r->name);
}

void walk_assign_value(struct walk *w, const struct target *target, struct value value) {
        struct reading r = walk_read(w, target->name);
        struct target t = *target;
        struct var *var;

        if (r.attributes & ATTR_NAMEREF && r.datum.kind == DATUM_UNSET) { /* the first value of a nameref is its target */
                walk_put(w, r.var, content_scalar(&w->budget, r.attributes, value), t.maybe);
                return;
        }
        var = assignable(w, &r);
        if (!var)
                return;
        if (r.has_subscript && !t.has_subscript) {
                t.has_subscript = true;
                t.subscript = value_text(&w->budget, r.subscript);
        }
        if (!t.has_subscript && (r.datum.kind == DATUM_ARRAY || r.attributes & (ATTR_ARRAY | ATTR_ASSOC))) {
                t.has_subscript = true; /* a=x assigns a[0] */
                t.subscript = value_text(&w->budget, STR("0"));
        }
        if (t.has_subscript) {
                walk_put(w, var, content_array(&w->budget, r.attributes, set_element(w, &r, &t, value)), t.maybe);
                return;
        }
        if (t.append && r.datum.kind != DATUM_UNSET)
                value = concatenate(w, r.attributes, r.datum.value, value);
        walk_put(w, var, content_scalar(&w->budget, r.attributes, walk_coerce(w, r.attributes, value)), t.maybe);
}

void walk_assign_array(struct walk *w, const struct target *target, const struct array *array) {
        struct reading r = walk_read(w, target->name);
        struct var *var = assignable(w, &r);

        if (var && array)
                walk_put(w, var, content_array(&w->budget, r.attributes & ~(unsigned)(ATTR_ARRAY | ATTR_ASSOC), array),
                         target->maybe);
}

void walk_assign_unknown(struct walk *w, struct str name, enum unknown because) {
        walk_assign_value(w, &(struct target){ .name = name }, value_unknown(&w->budget, because, name));
}

void walk_unset(struct walk *w, struct str name, const struct value *subscript) {
        struct reading r = walk_read(w, name);
        struct var *var = assignable(w, &r);
        struct str key = STR("");
        int64_t index = 0;

        if (!var)
                return;
        if (!subscript) {
                walk_put(w, var, content_unset(&w->budget, 0), false);
                return;
        }
        if (r.datum.kind != DATUM_ARRAY)
                return;
        if (r.datum.array->uncertain ? true
            : r.datum.array->assoc   ? !value_known(*subscript, &key)
                                     : walk_index(w, *subscript, &index) != ARITH_KNOWN) {
                walk_put(w, var, content_array(&w->budget, r.attributes, array_blurred(&w->budget, r.datum.array)), false);
                return;
        }
        if (index < 0)
                index += array_next_index(r.datum.array);
        walk_put(w, var, content_array(&w->budget, r.attributes, array_remove(&w->budget, r.datum.array, index, key)), false);
}

/* ---- names given as text ---- */

bool walk_parse_target(struct walk *w, struct value text, struct target *target) {
        struct str known;
        size_t open;

        if (!text.pieces || text.pieces->kind != PIECE_TEXT)
                return false;
        known = text.pieces->text;
        open = str_find(known, '[');
        *target = (struct target){ .name = str_take(known, open) };
        if (open < known.len) {
                walk_data(w, WALK_CODE_NAME, text);
                target->has_subscript = true;
                if (text.pieces->next || known.ptr[known.len - 1] != ']')
                        target->subscript = value_unknown(&w->budget, UNKNOWN_ARITHMETIC, STR(""));
                else
                        target->subscript = subscript_value(w, str_from(known.ptr + open + 1, known.len - open - 2));
        } else if (text.pieces->next) {
                return false;
        }
        return str_is_name(target->name);
}
