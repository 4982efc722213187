/*
 * declare, typeset, local, export, readonly: attributes, locals, and assignments that are arguments.
 */
#include "bash/eval/interp.h"

static const struct {
        char letter;
        uint16_t attribute;
} attribute_options[] = {
        { 'a', ATTR_ARRAY },   { 'A', ATTR_ASSOC },    { 'c', ATTR_CAPITAL }, { 'i', ATTR_INTEGER }, { 'l', ATTR_LOWER },
        { 'n', ATTR_NAMEREF }, { 'r', ATTR_READONLY }, { 'u', ATTR_UPPER },   { 'x', ATTR_EXPORT },
};

struct declaration {
        unsigned on, off; /* attributes */
        bool local;       /* a variable of its own for the function */
};

static void read_attributes(const struct options *o, struct declaration *d) {
        for (size_t i = 0; i < sizeof(attribute_options) / sizeof(*attribute_options); i++) {
                uint64_t bit = (uint64_t)1 << (attribute_options[i].letter - 'A');

                d->on |= o->on & bit ? attribute_options[i].attribute : 0u;
                d->off |= o->off & bit ? attribute_options[i].attribute : 0u;
        }
}

static struct frame *local_frame(struct walk *w) {
        struct frame *frame = w->frame;

        while (frame && frame->kind != FRAME_FUNCTION && frame->kind != FRAME_SUBSHELL)
                frame = frame->outer;
        return frame;
}

/* Until the function returns the name means something new. */
static void make_local(struct walk *w, struct str name) {
        struct frame *frame = local_frame(w);
        struct var *var = vars_get(&w->vars, SPACE_VARIABLE, name);
        struct local *local;

        if (!frame || !var)
                return;
        for (local = frame->locals; local; local = local->next)
                if (local->var == var)
                        return;
        local = BUDGET_NEW(&w->budget, struct local);
        if (!local)
                return;
        *local = (struct local){ frame->locals, var, var->content, w->branches > frame->branches };
        frame->locals = local;
        vars_put(&w->vars, var, content_unset(&w->budget, 0));
}

/* The content with the attributes changed; something that nobody assigned keeps being the environment's. */
static void set_attributes(struct walk *w, struct str name, const struct declaration *d, bool assigned) {
        struct var *var = vars_get(&w->vars, SPACE_VARIABLE, name);
        const struct content *content = var ? var->content : NULL;
        unsigned attributes;

        if (var && !content && assigned) {
                walk_put(w, var, content_unset(&w->budget, d->on), false);
                return;
        }
        if (!var || (!content && !(d->on & ~(unsigned)(ATTR_EXPORT | ATTR_READONLY))))
                return;
        if (!content) {
                content = content_scalar(&w->budget, 0, value_unknown(&w->budget, UNKNOWN_ENV, name));
                if (!content)
                        return;
        }
        attributes = (content->attributes | d->on) & ~d->off;
        if (d->on & (ATTR_ARRAY | ATTR_ASSOC) && content->count == 1 && content->alternatives[0].kind == DATUM_SCALAR &&
            value_unknown_piece(content->alternatives[0].value))
                walk_put(w, var, content_unset(&w->budget, attributes), true);
        else
                walk_put(w, var, content_with(&w->budget, content, attributes), false);
}

/* ---- operands ---- */

/* name, name=value, name+=value, name[subscript]=value */
struct operand_text {
        struct value name; /* with its subscript */
        struct value value;
        bool assigns, append;
};

static void split_operand(struct walk *w, const struct field *field, struct operand_text *o) {
        const struct piece *first = field->value.pieces;
        struct builder b = { .budget = &w->budget };
        size_t equals;

        *o = (struct operand_text){ .name = field->value };
        if (!first || first->kind != PIECE_TEXT)
                return;
        equals = str_find(first->text, '=');
        if (equals == first->text.len)
                return;
        o->assigns = true;
        o->append = equals && first->text.ptr[equals - 1] == '+';
        o->name = value_text(&w->budget, str_take(first->text, equals - o->append));
        builder_text(&b, str_skip(first->text, equals + 1), false);
        builder_value(&b, (struct value){ first->next }, false);
        o->value = builder_finish(&b, false);
}

/* declare -a "x=(a b)": a text that is a compound value is read as one. */
static bool is_compound_text(struct value value) {
        struct str text;

        return value_known(value, &text) && text.len > 1 && text.ptr[0] == '(' && text.ptr[text.len - 1] == ')';
}

static bool is_array(struct walk *w, struct str name) {
        struct var *var = vars_find(&w->vars, SPACE_VARIABLE, name);

        return var && var->content && var->content->attributes & (ATTR_ARRAY | ATTR_ASSOC);
}

static void declare_nameref(struct walk *w, const struct target *target, const struct operand_text *o,
                            const struct declaration *d) {
        struct var *var = vars_get(&w->vars, SPACE_VARIABLE, target->name);
        const struct content *content = var ? var->content : NULL;

        if (o->assigns) {
                walk_data(w, WALK_CODE_NAME, o->value);
                walk_put(w, var, content_scalar(&w->budget, d->on, o->value), false);
        } else if (content) {
                walk_put(w, var, content_with(&w->budget, content, content->attributes | d->on), false);
        } else {
                walk_put(w, var, content_unset(&w->budget, d->on), false);
        }
}

static void declare_operand(struct walk *w, const struct field *field, const struct declaration *d) {
        struct declaration before = *d, after = { .on = d->on & ATTR_READONLY };
        struct operand_text o;
        struct target target;

        split_operand(w, field, &o);
        if (!walk_parse_target(w, o.name, &target)) {
                if (value_unknown_piece(o.name)) /* whatever its name is */
                        walk_unread_code(w);
                return;
        }
        if (d->local)
                make_local(w, target.name);
        if (d->on & ATTR_NAMEREF) {
                declare_nameref(w, &target, &o, d);
                return;
        }
        before.on &= ~(unsigned)ATTR_READONLY;
        if (target.has_subscript)
                before.on |= is_array(w, target.name) || before.on & ATTR_ASSOC ? 0 : ATTR_ARRAY;
        set_attributes(w, target.name, &before, o.assigns && !o.append);
        target.append = o.append;
        if (o.assigns && is_array(w, target.name) && !target.has_subscript && is_compound_text(o.value))
                walk_text(w, WALK_CODE_EVAL, field->value);
        else if (o.assigns)
                walk_assign_value(w, &target, o.value);
        if (after.on)
                set_attributes(w, target.name, &after, false);
}

static void declare_compound(struct walk *w, const struct walk_assign *assign, const struct declaration *d) {
        struct declaration before = *d, after = { .on = d->on & ATTR_READONLY };

        if (d->local)
                make_local(w, assign->name);
        before.on &= ~(unsigned)ATTR_READONLY;
        before.on |= before.on & ATTR_ASSOC || is_array(w, assign->name) ? 0 : ATTR_ARRAY;
        set_attributes(w, assign->name, &before, !assign->append);
        walk_do_assign(w, assign, false);
        if (after.on)
                set_attributes(w, assign->name, &after, false);
}

/* Without knowing the options: what is assigned could become anything. */
static void assign_unknown(struct walk *w, const struct simple *s) {
        struct operand_text o;
        struct target target;

        for (size_t i = 1; i < s->argc; i++) {
                split_operand(w, &s->argv[i], &o);
                if (o.assigns && walk_parse_target(w, o.name, &target))
                        walk_assign_value(w, &target, value_unknown(&w->budget, UNKNOWN_OPTION, STR("")));
        }
        for (const struct walk_assign *a = s->arguments; a; a = a->next)
                walk_assign_unknown(w, a->name, UNKNOWN_OPTION);
}

enum status builtin_declare(struct walk *w, const struct simple *s) {
        const struct walk_assign *argument = s->arguments;
        struct declaration d = { 0 };
        struct options o;
        struct str name = STR("");

        simple_word(s, 0, &name);
        if (!builtin_options_read(w, s, "", &o)) {
                assign_unknown(w, s);
                walk_unread_code(w);
                return STATUS_UNKNOWN;
        }
        if (o.first >= s->argc || options_has(&o, 'p') || options_has(&o, 'f') || options_has(&o, 'F')) {
                output_unknown(w);
                return STATUS_UNKNOWN;
        }
        if (str_is(name, "local") && !w->call)
                return STATUS_FALSE;
        read_attributes(&o, &d);
        if (str_is(name, "export")) {
                if (options_has(&o, 'n'))
                        d = (struct declaration){ .off = ATTR_EXPORT };
                else
                        d.on |= ATTR_EXPORT;
        } else if (str_is(name, "readonly")) {
                d.on |= ATTR_READONLY;
        } else {
                d.local = w->call && !options_has(&o, 'g');
        }
        for (size_t i = o.first; i < s->argc && walk_goes_on(w); i++) {
                if (argument && s->argv[i].word && argument->assign->range.start == s->argv[i].word->range.start) {
                        declare_compound(w, argument, &d);
                        argument = argument->next;
                } else {
                        declare_operand(w, &s->argv[i], &d);
                }
        }
        return s->redirected.list ? STATUS_UNKNOWN : STATUS_TRUE;
}
