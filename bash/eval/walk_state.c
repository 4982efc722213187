/*
 * Reading the imagined state: variables through namerefs and alternatives, options, IFS, positional parameters.
 */
#include "bash/eval/interp.h"

enum { NAMEREF_MAX = 8, SOME_MOST = 16 };

/* ---- variables that bash makes itself ---- */

static const struct {
        char name[24];
        uint8_t special;
        bool number;
} specials[] = {
        /* clang-format off */
        { "BASH", SPECIAL_SET, false },          { "BASHOPTS", SPECIAL_DYNAMIC, false },
        { "BASHPID", SPECIAL_DYNAMIC, true },    { "BASH_ALIASES", SPECIAL_DYNAMIC, false },
        { "BASH_ARGC", SPECIAL_DYNAMIC, false }, { "BASH_ARGV", SPECIAL_DYNAMIC, false },
        { "BASH_ARGV0", SPECIAL_DYNAMIC, false }, { "BASH_CMDS", SPECIAL_DYNAMIC, false },
        { "BASH_COMMAND", SPECIAL_DYNAMIC, false }, { "BASH_EXECUTION_STRING", SPECIAL_SET, false },
        { "BASH_LINENO", SPECIAL_DYNAMIC, false }, { "BASH_MONOSECONDS", SPECIAL_DYNAMIC, true },
        { "BASH_REMATCH", SPECIAL_SET, false },  { "BASH_SOURCE", SPECIAL_DYNAMIC, false },
        { "BASH_SUBSHELL", SPECIAL_DYNAMIC, true }, { "BASH_VERSINFO", SPECIAL_SET, false },
        { "BASH_VERSION", SPECIAL_SET, false },  { "COLUMNS", SPECIAL_SET, false },
        { "COMP_WORDBREAKS", SPECIAL_SET, false }, { "DIRSTACK", SPECIAL_DYNAMIC, false },
        { "EPOCHREALTIME", SPECIAL_DYNAMIC, false }, { "EPOCHSECONDS", SPECIAL_DYNAMIC, true },
        { "EUID", SPECIAL_DYNAMIC, true },       { "FUNCNAME", SPECIAL_DYNAMIC, false },
        { "GROUPS", SPECIAL_DYNAMIC, false },    { "HISTCMD", SPECIAL_DYNAMIC, true },
        { "HOSTNAME", SPECIAL_SET, false },      { "HOSTTYPE", SPECIAL_SET, false },
        { "LINENO", SPECIAL_DYNAMIC, true },     { "LINES", SPECIAL_SET, false },
        { "MACHTYPE", SPECIAL_SET, false },      { "OPTARG", SPECIAL_SET, false },
        { "OSTYPE", SPECIAL_SET, false },        { "PIPESTATUS", SPECIAL_DYNAMIC, false },
        { "PPID", SPECIAL_DYNAMIC, true },       { "PS4", SPECIAL_SET, false },
        { "RANDOM", SPECIAL_DYNAMIC, true },     { "REPLY", SPECIAL_SET, false },
        { "SECONDS", SPECIAL_DYNAMIC, true },    { "SHELLOPTS", SPECIAL_DYNAMIC, false },
        { "SHLVL", SPECIAL_SET, false },         { "SRANDOM", SPECIAL_DYNAMIC, true },
        { "UID", SPECIAL_DYNAMIC, true },        { "_", SPECIAL_DYNAMIC, false },
        /* clang-format on */
};

enum special special_variable(struct str name, bool *ret_number) {
        size_t low = 0, high = sizeof(specials) / sizeof(*specials);

        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = str_cmp(name, str_z(specials[middle].name));

                if (order == 0) {
                        *ret_number = specials[middle].number;
                        return specials[middle].special;
                }
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return SPECIAL_NOT;
}

/* Variables that bash sets when the environment does not. */
static bool bash_makes(struct str name) {
        static const char *const names[] = { "OLDPWD", "PATH", "PWD", "SHELL", "TERM" };

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
                if (str_is(name, names[i]))
                        return true;
        return false;
}

/* ---- the beginning ---- */

static void bind(struct walk *w, struct str name, struct value value, unsigned attributes) {
        struct var *var = vars_get(&w->vars, SPACE_VARIABLE, name);

        if (var)
                var->content = content_scalar(&w->budget, attributes, value);
}

int walk_init(struct walk *w) {
        const struct walk_options *o = w->options;

        if (vars_init(&w->vars, &w->budget) < 0)
                return -1;
        bind(w, STR("IFS"), value_text(&w->budget, STR(" \t\n")), 0);
        bind(w, STR("OPTIND"), value_text(&w->budget, STR("1")), 0);
        bind(w, STR("OPTERR"), value_text(&w->budget, STR("1")), 0);
        if (!o->environment_known)
                bind(w, STR("HOME"), value_home(&w->budget, STR("")), ATTR_EXPORT);
        w->vars.environment_known = o->environment_known;
        for (size_t i = 0; i < o->binding_count; i++)
                bind(w, o->bindings[i].name, value_text(&w->budget, o->bindings[i].value), ATTR_EXPORT);
        w->ifs_var = vars_get(&w->vars, SPACE_VARIABLE, STR("IFS"));
        w->unread = vars_get(&w->vars, SPACE_SHELL, STR("code"));
        w->positional = vars_get(&w->vars, SPACE_SHELL, STR("@"));
        if (w->positional && o->arguments_known) {
                const struct array *array = array_new(&w->budget, false);

                for (size_t i = 0; array && i < o->argument_count; i++)
                        array = array_append(&w->budget, array, value_text(&w->budget, o->arguments[i]), false);
                w->positional->content = content_array(&w->budget, 0, array);
        }
        return w->budget.stop ? -1 : 0;
}

/* ---- reading ---- */

static struct datum unknown_datum(struct walk *w, enum unknown because, struct str name, bool number) {
        struct value value = value_unknown(&w->budget, because, name);

        if (value.pieces)
                ((struct piece *)value.pieces)->number = number; /* nobody else has seen it yet */
        return (struct datum){ .kind = DATUM_SCALAR, .value = value };
}

/* A nameref's value: x or x[subscript]. */
static bool follow(struct reading *r, struct str text) {
        size_t open = str_find(text, '[');

        if (open < text.len && text.ptr[text.len - 1] == ']') {
                r->has_subscript = true;
                r->subscript = str_from(text.ptr + open + 1, text.len - open - 2);
        }
        r->name = str_take(text, open);
        return str_is_name(r->name);
}

static bool is_passed(const struct walk *w, const struct var *var) {
        for (const struct saved *saved = w->passed; saved; saved = saved->next)
                if (saved->var == var)
                        return true;
        return false;
}

const struct content *walk_inherited(const struct walk *w, enum space space, struct str name) {
        for (w = w->options->outer; w; w = w->options->outer) {
                const struct var *var = vars_find(&w->vars, space, name);

                if (var && var->content &&
                    (space == SPACE_FUNCTION || var->content->attributes & ATTR_EXPORT || is_passed(w, var)))
                        return var->content;
        }
        return NULL;
}

static void read_once(struct walk *w, struct reading *r) {
        const struct content *content;
        bool number = false;
        enum special special = special_variable(r->name, &number);

        r->var = vars_find(&w->vars, SPACE_VARIABLE, r->name);
        content = r->var ? r->var->content : NULL;
        if (!content && w->options->outer)
                content = walk_inherited(w, SPACE_VARIABLE, r->name);
        r->attributes = content ? content->attributes : 0;
        if (special == SPECIAL_DYNAMIC || (special == SPECIAL_SET && !content)) {
                r->datum = unknown_datum(w, UNKNOWN_SPECIAL, r->name, number);
        } else if (!content && w->options->environment_known && !bash_makes(r->name)) {
                r->datum = (struct datum){ .kind = DATUM_UNSET };
        } else if (!content) {
                r->datum = unknown_datum(w, UNKNOWN_ENV, r->name, false);
                r->maybe_unset = true;
        } else {
                const void *key = r->var && r->var->content ? (const void *)r->var : content;

                r->datum = content->alternatives[walk_choose(w, key, content->count)];
                if (r->datum.kind == DATUM_SCALAR && r->datum.value.pieces && !r->datum.value.pieces->next)
                        r->maybe_unset =
                                r->datum.value.pieces->because == UNKNOWN_ENV && str_eq(r->datum.value.pieces->text, r->name);
        }
}

struct reading walk_read(struct walk *w, struct str name) {
        struct reading r = { .name = name };
        struct str target;

        budget_spend(&w->budget, 1);
        for (unsigned i = 0; i < NAMEREF_MAX; i++) {
                read_once(w, &r);
                if (!(r.attributes & ATTR_NAMEREF) || r.datum.kind == DATUM_UNSET)
                        return r;
                if (r.datum.kind != DATUM_SCALAR || !value_known(r.datum.value, &target) || !follow(&r, target))
                        break;
        }
        r.datum = unknown_datum(w, UNKNOWN_TOO_COMPLEX, name, false);
        return r;
}

struct value walk_some_element(struct walk *w, const struct array *array, struct str name) {
        for (size_t i = array->count > SOME_MOST ? array->count - SOME_MOST : 0; i < array->count; i++) {
                const struct piece *p = value_unknown_piece(array->items[i].value);

                if (p && (p->part || p->origin))
                        return param_unknown(w, array->items[i].value); /* at least where it may be from */
        }
        return value_unknown(&w->budget, UNKNOWN_POSITIONAL, name);
}

/* An element of what was read; unknown when its place is. */
static struct value element_of(struct walk *w, const struct reading *r, const struct array *array, int64_t index,
                               struct str key, bool *ret_unset) {
        const struct element *element;

        *ret_unset = false;
        if (array->uncertain)
                return walk_some_element(w, array, r->name);
        element = array_find(&w->budget, array, index, key);
        *ret_unset = !element;
        return element ? element->value : (struct value){ NULL };
}

struct value walk_scalar(struct walk *w, struct str name, bool *ret_unset) {
        struct reading r = walk_read(w, name);

        *ret_unset = r.datum.kind == DATUM_UNSET;
        if (r.datum.kind == DATUM_ARRAY)
                return element_of(w, &r, r.datum.array, 0, STR("0"), ret_unset);
        return r.datum.value;
}

/* ---- options ---- */

enum truth walk_option(struct walk *w, const char *name, bool at_start) {
        struct var *var = vars_find(&w->vars, SPACE_OPTION, str_z(name));
        enum truth truth = at_start ? TRUTH_YES : TRUTH_NO;

        if (!var || !var->content)
                return truth;
        for (size_t i = 0; i < var->content->count; i++) {
                const struct datum *d = &var->content->alternatives[i];
                enum truth this = d->kind == DATUM_UNSET ? (at_start ? TRUTH_YES : TRUTH_NO)
                                  : d->value.pieces      ? TRUTH_YES
                                                         : TRUTH_NO;

                if (i && this != truth)
                        return TRUTH_MAYBE;
                truth = this;
        }
        return truth;
}

void walk_set_option(struct walk *w, struct str name, bool on) {
        struct var *var = vars_get(&w->vars, SPACE_OPTION, name);
        struct value value = on ? value_text(&w->budget, STR("1")) : (struct value){ NULL };

        walk_put(w, var, content_scalar(&w->budget, 0, value), false);
}

/* ---- IFS ---- */

static void ifs_read(struct ifs *ifs, bool unset, struct value value) {
        struct str text;

        *ifs = (struct ifs){ .known = true };
        if (unset)
                text = STR(" \t\n");
        else if (!value_known(value, &text))
                *ifs = (struct ifs){ .known = false };
        if (!ifs->known)
                return;
        ifs->none = text.len == 0;
        ifs->first = text.len ? text.ptr[0] : 0;
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                ifs->class[(unsigned char)c] = c == ' ' || c == '\t' || c == '\n' ? 1 : 2;
                if ((unsigned char)c >= 0x80) /* characters or bytes? the locale decides */
                        ifs->known = false;
        }
}

const struct ifs *walk_ifs(struct walk *w) {
        struct var *var = w->ifs_var;
        const struct content *content = var->content;
        const struct datum *datum;

        if (!content || (content->attributes & ATTR_NAMEREF)) {
                w->ifs = (struct ifs){ .known = false };
                w->ifs_from = NULL;
                return &w->ifs;
        }
        datum = &content->alternatives[walk_choose(w, var, content->count)];
        if (datum != w->ifs_from) {
                w->ifs_from = datum;
                if (datum->kind == DATUM_ARRAY)
                        w->ifs = (struct ifs){ .known = false };
                else
                        ifs_read(&w->ifs, datum->kind == DATUM_UNSET, datum->value);
        }
        return &w->ifs;
}

/* ---- positional parameters ---- */

const struct array *walk_positional(struct walk *w) {
        const struct content *content = w->positional->content;
        const struct datum *datum;

        if (!content)
                return NULL;
        datum = &content->alternatives[walk_choose(w, w->positional, content->count)];
        return datum->kind == DATUM_ARRAY ? datum->array : NULL;
}

void walk_set_positional(struct walk *w, const struct array *array) {
        if (array)
                walk_put(w, w->positional, content_array(&w->budget, 0, array), false);
}

const struct array *walk_array_of_fields(struct walk *w, const struct field *fields, size_t count) {
        const struct array *array = array_new(&w->budget, false);

        for (size_t i = 0; array && i < count; i++) {
                struct value value = field_value(&w->budget, &fields[i]);

                array = array_append(&w->budget, array, value, fields[i].may_split || fields[i].glob);
        }
        return array;
}
