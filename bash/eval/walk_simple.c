/*
 * One simple command: expanded in bash's order, shown, and then done, as far as it changes the shell it runs in.
 */
#include "bash/eval/interp.h"

bool simple_word(const struct simple *s, size_t i, struct str *ret) {
        if (i >= s->argc || s->argv[i].kind != FIELD_KNOWN)
                return false;
        *ret = s->argv[i].text;
        return true;
}

struct simple simple_skip(const struct simple *s, size_t count) {
        struct simple rest = *s;

        rest.argv += count;
        rest.argc -= count;
        return rest;
}

/* ---- expanding ---- */

/* The arguments spelled a=(...) come last among the assignments; the first of them, or NULL. */
static const struct assign *argument_assigns(const struct command *command) {
        const struct assign *assign = command->simple.words ? command->simple.assigns : NULL;

        while (assign && assign->range.start <= command->simple.words->range.start)
                assign = assign->next;
        return assign;
}

/* Is it the one that this word spells? Then the cursor moves on. */
static const struct assign *argument_of_word(const struct assign **cursor, const struct word *word) {
        const struct assign *assign = *cursor;

        if (!assign || assign->range.start != word->range.start || assign->range.end != word->range.end)
                return NULL;
        *cursor = assign->next;
        return assign;
}

/* The builtins whose arguments are assignments, if they are spelled so. */
static bool literal_is(const struct word *word, struct str *ret) {
        if (!word || !word->parts || word->parts->next || word->parts->kind != PART_LITERAL)
                return false;
        *ret = word->parts->text;
        return true;
}

static bool declares(const struct word *words) {
        static const char *const names[] = { "alias", "declare", "export", "local", "readonly", "typeset" };
        struct str name;

        while (literal_is(words, &name) && (str_is(name, "command") || str_is(name, "builtin")))
                words = words->next;
        if (!literal_is(words, &name))
                return false;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
                if (str_is(name, names[i]))
                        return true;
        return false;
}

static void expand_argument(struct walk *w, struct simple *s, const struct assign *assign, const struct word *word,
                            struct field_list *fields) {
        struct walk_assign *expanded = walk_expand_assign(w, assign), **tail = &s->arguments;
        struct builder b = { .budget = &w->budget };
        struct str source = w->script->source;

        while (*tail)
                tail = &(*tail)->next;
        *tail = expanded;
        if (word->range.end <= source.len && word->range.start <= word->range.end)
                builder_text(&b, str_from(source.ptr + word->range.start, word->range.end - word->range.start), true);
        field_add(&w->budget, fields, field_make(&b, word, false, false, false));
}

static void expand_simple(struct walk *w, const struct command *command, struct simple *s) {
        const struct assign *cursor = argument_assigns(command), *argument;
        bool declaring = declares(command->simple.words);
        struct field_list fields = { 0 };

        for (const struct word *word = command->simple.words; word && walk_goes_on(w); word = word->next) {
                argument = argument_of_word(&cursor, word);
                if (argument)
                        expand_argument(w, s, argument, word, &fields);
                else if (declaring && word_is_assignment(word))
                        expand_assignment_word(w, word, &fields);
                else
                        expand_word(w, word, &fields);
        }
        s->argv = fields.items;
        s->argc = fields.count;
}

/* ---- assignments before the name ---- */

/* They hold as long as the command runs; without a command, they stay. */
static struct saved *assign_before(struct walk *w, const struct command *command, struct simple *s) {
        const struct assign *end = argument_assigns(command);
        struct walk_assign **tail = &s->assigns;
        struct saved *all = NULL;

        for (const struct assign *a = command->simple.assigns; a && a != end && walk_goes_on(w); a = a->next) {
                struct saved *saved = s->argc ? BUDGET_NEW(&w->budget, struct saved) : NULL;

                if (saved && (saved->var = vars_get(&w->vars, SPACE_VARIABLE, a->name))) {
                        saved->before = saved->var->content;
                        saved->next = all;
                        all = saved;
                }
                *tail = walk_expand_assign(w, a);
                if (!*tail)
                        break;
                walk_do_assign(w, *tail, false);
                tail = &(*tail)->next;
        }
        return all;
}

/* ---- functions ---- */

static bool running(const struct walk *w, const struct function *function) {
        for (const struct walk_call *call = w->call; call; call = call->outer)
                if (call->function == function)
                        return true;
        return false;
}

static enum status call_function(struct walk *w, const struct datum *datum, const struct simple *s) {
        struct walk_call call = { .outer = w->call, .function = datum->function, .caller = s->command };
        struct walk_call *kept = BUDGET_NEW(&w->budget, struct walk_call);
        const struct content *positional = w->positional->content;
        const struct script *script = w->script;
        struct unit *unit = w->unit;
        unsigned where = w->where, loops = w->loop_depth;
        struct frame frame;
        enum status status;

        if (!kept || running(w, datum->function))
                return STATUS_UNKNOWN;
        if (w->call_depth >= WALK_MAX_CALLS) {
                w->budget.stop = BUDGET_TOO_COMPLEX;
                return STATUS_UNKNOWN;
        }
        *kept = call;
        w->call = kept;
        w->call_depth++;
        w->where |= WALK_IN_FUNCTION;
        w->script = datum->script;
        walk_enter(w, &frame, FRAME_FUNCTION);
        walk_set_positional(w, walk_array_of_fields(w, s->argv + 1, s->argc - 1));
        w->unit = NULL; /* its commands are units of their own */
        status = walk_command(w, datum->function->body);
        w->unit = unit;
        walk_leave(w, &frame, status == STATUS_GONE);
        vars_put(&w->vars, w->positional, positional);
        w->script = script;
        w->where = where;
        w->loop_depth = loops;
        w->call_depth--;
        w->call = call.outer;
        return STATUS_UNKNOWN;
}

/* The function of that name, if there may be one. */
static const struct content *find_function(const struct walk *w, struct str name) {
        struct var *var = vars_find(&w->vars, SPACE_FUNCTION, name);

        return var && var->content ? var->content : walk_inherited(w, SPACE_FUNCTION, name);
}

/* ---- doing ---- */

enum status walk_dispatch(struct walk *w, const struct simple *s, bool functions) {
        const struct content *content;
        struct str name;
        builtin_fn *builtin;

        if (!simple_word(s, 0, &name))
                return STATUS_UNKNOWN;
        content = functions ? find_function(w, name) : NULL;
        if (content) {
                const struct datum *datum = &content->alternatives[walk_choose(w, content->alternatives, content->count)];

                if (datum->kind == DATUM_CODE)
                        return call_function(w, datum, s);
        }
        builtin = builtin_find(name);
        if (builtin)
                return builtin(w, s);
        output_command(w, s);
        return STATUS_UNKNOWN;
}

/* Some of it is known, or at least where it came from. */
static bool worth_keeping(struct value value) {
        for (const struct piece *p = value.pieces; p; p = p->next)
                if (p->kind != PIECE_UNKNOWN || p->part || p->origin)
                        return true;
        return !value.pieces;
}

/* What a command writes into the file it is redirected to: somebody may run that file later. */
static const struct value *written_output(struct walk *w, const struct simple *s) {
        struct builder printed = { .budget = &w->budget }, *outer = w->output;
        struct value *value = s->argc && s->redirected.output_gone ? BUDGET_NEW(&w->budget, struct value) : NULL;

        if (!value)
                return NULL;
        w->output = &printed;
        output_command(w, s);
        w->output = outer;
        *value = builder_finish(&printed, false);
        return worth_keeping(*value) ? value : NULL;
}

static void show_simple(struct walk *w, const struct simple *s) {
        struct walk_visit visit = walk_visit_here(w, s->command);
        const struct content *content;
        struct str name;

        visit.argv = s->argv;
        visit.argc = s->argc;
        visit.assigns = s->assigns;
        visit.redirects = s->redirected.list;
        visit.output = written_output(w, s);
        content = simple_word(s, 0, &name) ? find_function(w, name) : NULL;
        for (size_t i = 0; content && i < content->count; i++) {
                if (content->alternatives[i].kind != DATUM_CODE)
                        continue;
                visit.callee = content->alternatives[i].function;
                visit.recursive |= running(w, visit.callee);
        }
        w->by_name = false;
        walk_show(w, &visit);
}

static bool runs_substitution(const struct assign *assigns) {
        for (const struct assign *a = assigns; a; a = a->next)
                for (const struct part *p = a->value ? a->value->parts : NULL; p; p = p->next)
                        if (p->kind != PART_LITERAL && p->kind != PART_QUOTED)
                                return true;
        return false;
}

/* An error in an expansion keeps the command from being run, and so from printing anything. */
static bool has_error(const struct simple *s) {
        for (size_t i = 0; i < s->argc; i++)
                for (const struct piece *p = s->argv[i].value.pieces; p; p = p->next)
                        if (p->because == UNKNOWN_ERROR)
                                return true;
        return false;
}

static enum status run_simple(struct walk *w, const struct simple *s) {
        struct builder *output = w->output;
        enum status status;

        if (output && has_error(s)) {
                output_unknown(w);
                w->output = NULL;
        }
        if (s->redirected.output_gone)
                w->output = NULL;
        if (s->argc)
                status = walk_dispatch(w, s, true);
        else
                status = s->redirected.list || runs_substitution(s->command->simple.assigns) ? STATUS_UNKNOWN : STATUS_TRUE;
        w->output = output;
        /* $(< file) */
        if (!s->argc && !s->assigns && s->redirected.input_set && w->where & WALK_IN_SUBSTITUTION) {
                if (s->redirected.input && w->output)
                        builder_value(w->output, s->redirected.input->value, false);
                else
                        output_unknown(w);
        }
        if (s->redirected.output_unclear)
                output_unknown(w);
        return status;
}

enum status walk_simple(struct walk *w, const struct command *command) {
        struct simple s = { .command = command };
        struct input *input = w->input;
        struct saved *saved;
        enum status status;

        if (walk_alias(w, command, &status))
                return status;
        expand_simple(w, command, &s);
        s.redirected = walk_redirects(w, command->redirs);
        saved = assign_before(w, command, &s);
        if (s.redirected.input_set)
                w->input = s.redirected.input;
        w->passed = saved;
        show_simple(w, &s);
        w->passed = NULL;
        status = run_simple(w, &s);
        w->input = input;
        for (; saved; saved = saved->next)
                vars_put(&w->vars, saved->var, saved->before);
        return status;
}
