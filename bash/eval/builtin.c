/*
 * The builtins that change the shell they run in, a row each. Their arguments are in argv, expanded.
 */
#include "bash/eval/interp.h"

/* ---- options ---- */

static bool takes_value(const char *with_value, char letter) {
        return strchr(with_value, letter) != NULL;
}

/* One word of options: -rp prompt, -pprompt. */
static void read_option_word(struct walk *w, const struct simple *s, struct str word, const char *with_value,
                             struct options *o) {
        for (size_t i = 1; i < word.len; i++) {
                char c = word.ptr[i];

                if (c < 'A' || c > 'z')
                        continue;
                *(word.ptr[0] == '-' ? &o->on : &o->off) |= (uint64_t)1 << (c - 'A');
                if (!takes_value(with_value, c))
                        continue;
                if (i + 1 < word.len)
                        o->values[c - 'A'] = value_text(&w->budget, str_skip(word, i + 1));
                else if (o->first < s->argc)
                        o->values[c - 'A'] = s->argv[o->first++].value;
                return;
        }
}

bool builtin_options_read(struct walk *w, const struct simple *s, const char *with_value, struct options *ret) {
        struct str word;

        *ret = (struct options){ .first = 1 };
        while (ret->first < s->argc) {
                const struct field *field = &s->argv[ret->first];

                if (!simple_word(s, ret->first, &word)) /* x=$y is no option, $y may be one */
                        return field->prefix.len && field->prefix.ptr[0] != '-' && !field->may_split;
                if (str_is(word, "--")) {
                        ret->first++;
                        return true;
                }
                if (word.len < 2 || (word.ptr[0] != '-' && word.ptr[0] != '+'))
                        return true;
                ret->first++;
                read_option_word(w, s, word, with_value, ret);
        }
        return true;
}

/* ---- small ones ---- */

static enum status builtin_true(struct walk *w, const struct simple *s) {
        (void)w;
        (void)s;
        return STATUS_TRUE;
}

static enum status builtin_false(struct walk *w, const struct simple *s) {
        (void)w;
        (void)s;
        return STATUS_FALSE;
}

static enum status builtin_printed(struct walk *w, const struct simple *s) {
        output_command(w, s);
        return s->redirected.list ? STATUS_UNKNOWN : STATUS_TRUE;
}

static enum status builtin_unset(struct walk *w, const struct simple *s) {
        struct options o;
        struct str name;

        if (!builtin_options_read(w, s, "", &o))
                return STATUS_UNKNOWN;
        for (size_t i = o.first; i < s->argc; i++) {
                struct target target;
                bool named = walk_parse_target(w, s->argv[i].value, &target);
                struct var *var;

                if (simple_word(s, i, &name) &&
                    (options_has(&o, 'f') || !named || (!options_has(&o, 'v') && !vars_find(&w->vars, SPACE_VARIABLE, name)))) {
                        var = vars_find(&w->vars, SPACE_FUNCTION, name);
                        if (var && var->content)
                                walk_put(w, var, content_unset(&w->budget, 0), false);
                }
                if (!named || options_has(&o, 'f'))
                        continue;
                if (options_has(&o, 'n') && (var = vars_get(&w->vars, SPACE_VARIABLE, target.name)))
                        walk_put(w, var, content_unset(&w->budget, 0), false);
                else
                        walk_unset(w, target.name, target.has_subscript ? &target.subscript : NULL);
        }
        return STATUS_UNKNOWN;
}

static enum status builtin_let(struct walk *w, const struct simple *s) {
        struct arith_result result = { ARITH_UNKNOWN, 0 };

        for (size_t i = 1; i < s->argc; i++)
                result = walk_arith(w, s->argv[i].value);
        if (result.state != ARITH_KNOWN)
                return STATUS_UNKNOWN;
        return result.value ? STATUS_TRUE : STATUS_FALSE;
}

/* An option word of getopts: its letter is one that the name may become, the rest or the next word what OPTARG may. */
static void getopts_word(struct walk *w, const struct target *name, struct str options, struct str word, struct value next) {
        const struct target argument = { .name = STR("OPTARG"), .maybe = true };

        for (size_t i = 1; i < word.len; i++) {
                size_t at = str_find(options, word.ptr[i]);

                walk_assign_value(w, name, value_text(&w->budget, str_from(word.ptr + i, 1)));
                if (at + 1 < options.len && options.ptr[at + 1] == ':') {
                        walk_assign_value(w, &argument,
                                          i + 1 < word.len ? value_text(&w->budget, str_skip(word, i + 1)) : next);
                        return;
                }
        }
}

/* Which option it comes to, only the run can tell: all that the arguments have may be it. */
static enum status builtin_getopts(struct walk *w, const struct simple *s) {
        const struct array *given = s->argc > 3 ? walk_array_of_fields(w, s->argv + 3, s->argc - 3) : walk_positional(w);
        struct str options = STR(""), word;
        struct target target;

        if (s->argc < 3 || !walk_parse_target(w, s->argv[2].value, &target))
                return STATUS_UNKNOWN;
        walk_assign_unknown(w, target.name, UNKNOWN_POSITIONAL);
        walk_assign_unknown(w, STR("OPTARG"), UNKNOWN_POSITIONAL);
        walk_assign_unknown(w, STR("OPTIND"), UNKNOWN_POSITIONAL);
        target.maybe = true;
        simple_word(s, 1, &options);
        for (size_t i = 0; given && i < given->count && walk_goes_on(w); i++) {
                struct value none = { NULL };

                if (value_known(given->items[i].value, &word) && word.len > 1 && word.ptr[0] == '-')
                        getopts_word(w, &target, options, word, i + 1 < given->count ? given->items[i + 1].value : none);
        }
        return STATUS_UNKNOWN;
}

static enum status builtin_wait(struct walk *w, const struct simple *s) {
        struct options o;
        struct target target;

        if (builtin_options_read(w, s, "p", &o) && options_has(&o, 'p') && walk_parse_target(w, o.values['p' - 'A'], &target))
                walk_assign_unknown(w, target.name, UNKNOWN_SPECIAL);
        output_unknown(w);
        return STATUS_UNKNOWN;
}

/* printf -v name: the text goes into the variable. */
static enum status builtin_printf(struct walk *w, const struct simple *s) {
        struct builder b = { .budget = &w->budget };
        struct target target;
        struct str word;

        if (!simple_word(s, 1, &word) || !str_starts(word, STR("-v")))
                return builtin_printed(w, s);
        if (word.len == 2 ? s->argc > 2 && walk_parse_target(w, s->argv[2].value, &target)
                          : walk_parse_target(w, value_text(&w->budget, str_skip(word, 2)), &target)) {
                size_t format = word.len == 2 ? 3 : 2;

                if (simple_word(s, format, &word) && str_is(word, "--"))
                        format++;
                output_printf(w, s, format, &b);
                walk_assign_value(w, &target, builder_finish(&b, false));
        }
        return STATUS_UNKNOWN;
}

/* Absolute, and bash would not shorten it. */
static bool plain_path(struct str path) {
        for (size_t i = 0; i + 1 < path.len; i++)
                if (path.ptr[i] == '/' && (path.ptr[i + 1] == '/' || path.ptr[i + 1] == '.'))
                        return false;
        return path.len && path.ptr[0] == '/';
}

/* PWD and OLDPWD: where the directory surely is, if the cd succeeds. All that PWD can be is moved at once; choosing one of it
 * would show the command once for each. */
static enum status builtin_cd(struct walk *w, const struct simple *s) {
        const unsigned strange = ATTR_NAMEREF | ATTR_READONLY | ATTR_ARRAY | ATTR_ASSOC;
        struct var *pwd = vars_get(&w->vars, SPACE_VARIABLE, STR("PWD"));
        struct var *oldpwd = vars_get(&w->vars, SPACE_VARIABLE, STR("OLDPWD"));
        struct value new = value_unknown(&w->budget, UNKNOWN_SPECIAL, STR("PWD"));
        const struct content *old;
        struct str path;

        if (!pwd || !oldpwd)
                return STATUS_UNKNOWN;

        if (s->argc == 2 && simple_word(s, 1, &path) && plain_path(path)) {
                while (path.len > 1 && path.ptr[path.len - 1] == '/')
                        path.len--;
                new = value_text(&w->budget, path);
        }
        old = pwd->content ? pwd->content : content_scalar(&w->budget, 0, value_unknown(&w->budget, UNKNOWN_ENV, STR("PWD")));
        if (!(oldpwd->content && oldpwd->content->attributes & strange) && !(old && old->attributes & strange))
                walk_put(w, oldpwd, old, true);
        if (!(pwd->content && pwd->content->attributes & strange))
                walk_put(w, pwd, content_scalar(&w->budget, 0, new), true);
        return STATUS_UNKNOWN;
}

/* ---- leaving ---- */

static unsigned levels(const struct simple *s) {
        struct str word;

        return simple_word(s, 1, &word) && word.len == 1 && *word.ptr > '0' && *word.ptr <= '9' ? (unsigned)(*word.ptr - '0')
                                                                                                : 1;
}

static enum status builtin_return(struct walk *w, const struct simple *s) {
        return walk_escape(w, FRAME_FUNCTION, 1) && s->argc <= 2 ? STATUS_GONE : STATUS_UNKNOWN;
}

static enum status builtin_break(struct walk *w, const struct simple *s) {
        return walk_escape(w, FRAME_LOOP, levels(s)) && s->argc == 1 ? STATUS_GONE : STATUS_UNKNOWN;
}

static enum status builtin_continue(struct walk *w, const struct simple *s) {
        return walk_escape(w, FRAME_TURN, levels(s)) && s->argc == 1 ? STATUS_GONE : STATUS_UNKNOWN;
}

static enum status builtin_exit(struct walk *w, const struct simple *s) {
        (void)w;
        return s->argc <= 2 && !(s->argc == 2 && s->argv[1].may_split) ? STATUS_GONE : STATUS_UNKNOWN;
}

/* ---- code ---- */

/* The arguments from `first` on, with blanks between. */
static struct value joined(struct walk *w, const struct simple *s, size_t first) {
        struct builder b = { .budget = &w->budget };

        for (size_t i = first; i < s->argc; i++) {
                if (i > first)
                        builder_text(&b, STR(" "), false);
                builder_value(&b, field_value(&w->budget, &s->argv[i]), false);
        }
        return builder_finish(&b, false);
}

static enum status builtin_eval(struct walk *w, const struct simple *s) {
        struct str word;

        return walk_text(w, WALK_CODE_EVAL, joined(w, s, simple_word(s, 1, &word) && str_is(word, "--") ? 2 : 1));
}

/* source /dev/stdin <<< text, source <(echo text); any other file is code that nobody can read here. */
static enum status source_text(struct walk *w, struct value text) {
        struct frame frame;
        enum status status;

        walk_enter(w, &frame, FRAME_FUNCTION); /* for return */
        status = walk_text(w, WALK_CODE_EVAL, text);
        return walk_leave(w, &frame, status == STATUS_GONE) ? STATUS_GONE : STATUS_UNKNOWN;
}

static enum status builtin_source(struct walk *w, const struct simple *s) {
        const struct piece *p = s->argc > 1 ? s->argv[1].value.pieces : NULL;
        struct value content;
        struct str name;

        if (p && !p->next && p->content)
                return source_text(w, *p->content);
        if (simple_word(s, 1, &name) && walk_file(w, name, &content))
                return source_text(w, content);
        if (simple_word(s, 1, &name) &&
            (str_is(name, "/dev/stdin") || str_is(name, "/proc/self/fd/0") || str_is(name, "/dev/fd/0")) && w->input)
                return source_text(w, w->input->value);
        walk_unread_code(w);
        output_unknown(w);
        return STATUS_UNKNOWN;
}

static enum status builtin_command(struct walk *w, const struct simple *s) {
        struct options o;
        struct simple rest;

        if (!builtin_options_read(w, s, "", &o) || o.first >= s->argc || options_has(&o, 'v') || options_has(&o, 'V')) {
                output_command(w, s);
                return STATUS_UNKNOWN;
        }
        rest = simple_skip(s, o.first);
        return walk_dispatch(w, &rest, false);
}

static enum status builtin_alias(struct walk *w, const struct simple *s) {
        for (size_t i = 1; i < s->argc; i++) {
                struct str prefix = s->argv[i].prefix;
                size_t equals = str_find(prefix, '=');
                struct builder b = { .budget = &w->budget };
                struct value value = s->argv[i].value;

                if (equals == prefix.len || !value.pieces)
                        continue;
                builder_text(&b, str_skip(value.pieces->text, equals + 1), false);
                builder_value(&b, (struct value){ value.pieces->next }, false);
                walk_put(w, vars_get(&w->vars, SPACE_ALIAS, str_take(prefix, equals)),
                         content_scalar(&w->budget, 0, builder_finish(&b, false)), false);
        }
        if (s->argc == 1)
                output_unknown(w);
        return STATUS_UNKNOWN;
}

static enum status builtin_unalias(struct walk *w, const struct simple *s) {
        struct str name;

        for (size_t i = 1; i < s->argc; i++) {
                struct var *var = simple_word(s, i, &name) ? vars_find(&w->vars, SPACE_ALIAS, name) : NULL;

                if (var && var->content)
                        walk_put(w, var, content_unset(&w->budget, 0), true);
        }
        return STATUS_UNKNOWN;
}

/* trap text SIGNAL...: shown now, for what it would do if the signal came at once, and at the end. */
static enum status builtin_trap(struct walk *w, const struct simple *s) {
        size_t first = 1;
        struct str word;
        struct subshell subshell;

        if (simple_word(s, 1, &word) && str_is(word, "--"))
                first = 2;
        if (simple_word(s, first, &word) && (str_is(word, "-") || (word.len > 1 && word.ptr[0] == '-') || word.len == 0))
                return STATUS_TRUE;
        if (s->argc < first + 2)
                return STATUS_UNKNOWN;
        for (size_t i = first + 1; i < s->argc; i++)
                if (simple_word(s, i, &word))
                        walk_put(w, vars_get(&w->vars, SPACE_TRAP, word),
                                 content_scalar(&w->budget, 0, field_value(&w->budget, &s->argv[first])), true);
        walk_subshell_begin(w, &subshell, WALK_IN_BRANCH);
        walk_text(w, WALK_CODE_TRAP, field_value(&w->budget, &s->argv[first]));
        walk_subshell_end(w, &subshell);
        return STATUS_TRUE;
}

/* ---- the table ---- */

static const struct {
        char name[12];
        builtin_fn *run;
} builtins[] = {
        /* clang-format off */
        { ".", builtin_source },          { ":", builtin_true },
        { "[", builtin_test },            { "alias", builtin_alias },
        { "break", builtin_break },       { "builtin", builtin_command },
        { "cd", builtin_cd },             { "command", builtin_command },
        { "continue", builtin_continue }, { "declare", builtin_declare },
        { "echo", builtin_printed },      { "eval", builtin_eval },
        { "exit", builtin_exit },         { "export", builtin_declare },
        { "false", builtin_false },
        { "getopts", builtin_getopts },   { "let", builtin_let },
        { "local", builtin_declare },     { "mapfile", builtin_mapfile },
        { "popd", builtin_cd },           { "printf", builtin_printf },
        { "pushd", builtin_cd },          { "read", builtin_read },
        { "readarray", builtin_mapfile }, { "readonly", builtin_declare },
        { "return", builtin_return },     { "set", builtin_set },
        { "shift", builtin_shift },       { "shopt", builtin_shopt },
        { "source", builtin_source },     { "test", builtin_test },
        { "trap", builtin_trap },         { "true", builtin_true },
        { "typeset", builtin_declare },   { "unalias", builtin_unalias },
        { "unset", builtin_unset },       { "wait", builtin_wait },
        /* clang-format on */
};

builtin_fn *builtin_find(struct str name) {
        size_t low = 0, high = sizeof(builtins) / sizeof(*builtins);

        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = str_cmp(name, str_z(builtins[middle].name));

                if (order == 0)
                        return builtins[middle].run;
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return NULL;
}
