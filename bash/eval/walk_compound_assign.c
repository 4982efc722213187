/*
 * Assignments as the parser found them: a=b, a[i]+=b, a=(b [i]=c).
 */
#include "bash/eval/interp.h"

static void add_elements(struct walk *w, const struct assign *assign, struct walk_assign *out) {
        struct walk_assign **tail = &out->elements;

        for (const struct assign *e = assign->elements; e && walk_goes_on(w); e = e->next) {
                struct field_list fields = { 0 };

                if (e->index) {
                        *tail = walk_expand_assign(w, e);
                        if (*tail)
                                tail = &(*tail)->next;
                        continue;
                }
                expand_word(w, e->value, &fields);
                for (size_t i = 0; i < fields.count; i++) {
                        struct walk_assign *element = BUDGET_NEW(&w->budget, struct walk_assign);

                        if (!element)
                                return;
                        element->assign = e;
                        element->value = field_value(&w->budget, &fields.items[i]);
                        element->may_split = fields.items[i].may_split || fields.items[i].glob;
                        *tail = element;
                        tail = &element->next;
                }
        }
}

static bool names_assoc(struct walk *w, struct str name) {
        struct var *var = name.len ? vars_find(&w->vars, SPACE_VARIABLE, name) : NULL;

        return var && var->content && var->content->attributes & ATTR_ASSOC;
}

/* x=(...) makes an array of x before the elements are expanded. */
static void become_array(struct walk *w, struct str name) {
        struct reading r = walk_read(w, name);

        if (!r.var)
                r.var = vars_get(&w->vars, SPACE_VARIABLE, r.name);
        if (r.var && r.datum.kind == DATUM_UNSET && !(r.attributes & (ATTR_ARRAY | ATTR_ASSOC | ATTR_NAMEREF)))
                walk_put(w, r.var, content_unset(&w->budget, r.attributes | ATTR_ARRAY), false);
}

struct walk_assign *walk_expand_assign(struct walk *w, const struct assign *assign) {
        struct walk_assign *out = BUDGET_NEW(&w->budget, struct walk_assign);

        if (!out)
                return NULL;
        out->assign = assign;
        out->name = assign->name;
        out->append = assign->append;
        out->compound = assign->compound;
        if (assign->index) {
                out->indexed = true;
                out->index = expand_subscript(w, assign->index, names_assoc(w, assign->name) || !assign->name.len);
        }
        if (assign->compound) {
                become_array(w, assign->name);
                add_elements(w, assign, out);
        }
        if (assign->value)
                out->value = expand_value(w, assign->value, VALUE_ASSIGNED);
        return out;
}

/* (a b [5]=c): what the elements make of the array they are added to. */
static const struct array *fill_array(struct walk *w, const struct walk_assign *assign, const struct array *array,
                                      unsigned attributes) {
        int64_t next = array ? array_next_index(array) : 0; /* behind the one before */

        for (const struct walk_assign *e = assign->elements; e && array && walk_goes_on(w); e = e->next) {
                struct value value = walk_coerce(w, attributes, e->value);
                struct str key = STR("");
                int64_t index = next;

                if (!e->indexed && array->assoc) { /* (k v k v) */
                        const struct walk_assign *other = e->next;

                        if (!value_known(e->value, &key) || (other && other->indexed))
                                return array_uncertain(&w->budget, array_append(&w->budget, array, value, true));
                        array = array_set(&w->budget, array, 0, key, other ? other->value : (struct value){ NULL });
                        if (!other)
                                break;
                        e = other;
                        continue;
                }
                if (!e->indexed) {
                        array = e->may_split || array->uncertain ? array_append(&w->budget, array, value, e->may_split)
                                                                 : array_set(&w->budget, array, next++, STR(""), value);
                        continue;
                }
                if (array->assoc ? !value_known(e->index, &key) : walk_index(w, e->index, &index) != ARITH_KNOWN || index < 0)
                        array = array_append(&w->budget, array_blurred(&w->budget, array), value, true);
                else if (e->append)
                        array = array_uncertain(&w->budget, array);
                else
                        array = array_set(&w->budget, array, index, key, value);
                next = index + 1;
        }
        return array;
}

static void assign_compound(struct walk *w, const struct walk_assign *assign, bool maybe) {
        struct reading r = walk_read(w, assign->name);
        const struct array *array = assign->append ? walk_array_of(w, &r) : array_new(&w->budget, r.attributes & ATTR_ASSOC);

        if (array && assign->append && r.maybe_unset)
                array = array_uncertain(&w->budget, array); /* whether the new ones start at 0 or 1 */
        walk_assign_array(w, &(struct target){ .name = assign->name, .maybe = maybe },
                          fill_array(w, assign, array, r.attributes));
}

void walk_do_assign(struct walk *w, const struct walk_assign *assign, bool maybe) {
        struct target target = { .name = assign->name,
                                 .subscript = assign->index,
                                 .has_subscript = assign->indexed,
                                 .append = assign->append,
                                 .maybe = maybe };

        if (assign->compound)
                assign_compound(w, assign, maybe);
        else
                walk_assign_value(w, &target, assign->value);
}
