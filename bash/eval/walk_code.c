/*
 * Texts that bash takes for code: eval, aliases, traps; and data that it evaluates a second time, in which code can hide.
 */
#include "bash/eval/interp.h"

static bool show_code(struct walk *w, enum walk_code code, struct value text) {
        struct walk_visit visit = walk_visit_here(w, NULL);

        if (walk_goes_on(w) && w->visitor->code && !w->visitor->code(w->visitor->context, &visit, code, text))
                w->stopped = true;
        return walk_goes_on(w);
}

void walk_unread_code(struct walk *w) {
        walk_put(w, w->unread, content_scalar(&w->budget, 0, (struct value){ NULL }), false);
}

/* ---- parsing texts ---- */

/* A script of its own, whose commands live as long as the walk. */
static struct script *parse(struct walk *w, struct str text) {
        struct script *script = budget_spend(&w->budget, 1 + text.len) ? BUDGET_NEW(&w->budget, struct script) : NULL;

        if (!script || text.len > SHELL_MAX_BYTES)
                return NULL;
        shell_parse(text, w->budget.arena, script);
        if (script->error.kind == SYNTAX_NO_MEMORY)
                w->budget.stop = BUDGET_NO_MEMORY;
        if (script->error.kind == SYNTAX_TOO_COMPLEX)
                w->budget.stop = BUDGET_TOO_COMPLEX;
        return w->budget.stop ? NULL : script;
}

/* The text with a parameter in place of each piece that is not known: the parameter's value is that piece. */
static struct str spell_out(struct walk *w, struct value text) {
        struct builder b = { .budget = &w->budget };
        struct str spelled = STR("");
        unsigned n = 0;

        if (value_known(text, &spelled))
                return spelled;
        for (const struct piece *p = text.pieces; p && walk_goes_on(w); p = p->next) {
                struct builder name = { .budget = &w->budget };
                struct piece alone = *p;
                struct str known;

                if (p->kind == PIECE_TEXT) {
                        builder_text(&b, p->text, false);
                        continue;
                }
                builder_text(&name, str_skip(STR(CODE_PLACEHOLDER), 2), false);
                builder_value(&name, value_number(&w->budget, w->eval_depth * 1000 + n++), false);
                value_known(builder_finish(&name, false), &known);
                alone.next = NULL;
                struct piece *kept = BUDGET_NEW(&w->budget, struct piece);
                if (!kept)
                        break;
                *kept = alone;
                walk_put(w, vars_get(&w->vars, SPACE_VARIABLE, known), content_scalar(&w->budget, 0, (struct value){ kept }),
                         false);
                builder_text(&b, STR("${"), false);
                builder_text(&b, known, false);
                builder_text(&b, STR("}"), false);
        }
        value_known(builder_finish(&b, false), &spelled);
        return spelled;
}

/* Inside single quotes the parameters are plain text to the parser; here they are found again. */
void emit_spelled(struct emit *e, struct str text) {
        for (;;) {
                const char *found = e->w->eval_depth && text.len
                                            ? memmem(text.ptr, text.len, CODE_PLACEHOLDER, sizeof(CODE_PLACEHOLDER) - 1)
                                            : NULL;
                size_t at = found ? (size_t)(found - text.ptr) : text.len;
                struct str name = str_skip(text, at + 2);
                bool unset;

                emit_text(e, str_take(text, at), true);
                if (!found)
                        return;
                name = str_take(name, str_find(name, '}'));
                emit_value(e, walk_scalar(e->w, name, &unset), true);
                text = str_skip(text, at + 2 + name.len + 1);
        }
}

/* ---- commands ---- */

enum status walk_text(struct walk *w, enum walk_code code, struct value text) {
        const struct script *outer = w->script;
        struct unit *unit = w->unit;
        unsigned where = w->where;
        enum status status = STATUS_UNKNOWN;
        struct script *script;

        if (!show_code(w, code, text))
                return status;
        if (value_unknown_piece(text))
                walk_unread_code(w);
        if (w->eval_depth >= WALK_MAX_EVAL) {
                w->budget.stop = BUDGET_TOO_COMPLEX;
                return status;
        }
        script = parse(w, spell_out(w, text));
        if (!script)
                return status;
        w->script = script;
        w->unit = NULL;
        w->eval_depth++;
        w->where |= code == WALK_CODE_TRAP ? WALK_IN_TRAP | WALK_IN_EVAL : WALK_IN_EVAL;
        status = walk_list(w, script->commands);
        w->eval_depth--;
        w->where = where;
        w->unit = unit;
        w->script = outer;
        return script->error.kind == SYNTAX_OK ? status : STATUS_UNKNOWN;
}

/* ---- aliases ---- */

/* The text that the first word stands for, if it is an alias that is not being expanded already. */
static bool find_alias(struct walk *w, const struct command *command, struct var **ret, struct value *ret_text) {
        const struct word *word = command->simple.words;
        struct var *var;

        if (!word || !word->parts || word->parts->next || word->parts->kind != PART_LITERAL ||
            walk_option(w, "expand_aliases", false) == TRUTH_NO)
                return false;
        var = vars_find(&w->vars, SPACE_ALIAS, word->parts->text);
        if (!var || !var->content || var->content->alternatives[0].kind != DATUM_SCALAR)
                return false;
        *ret = var;
        *ret_text = var->content->alternatives[0].value;
        return true;
}

bool walk_alias(struct walk *w, const struct command *command, enum status *ret) {
        struct builder b = { .budget = &w->budget };
        struct str source = w->script->source;
        const struct content *alias;
        struct value text;
        struct var *var;
        uint32_t end;

        if (!find_alias(w, command, &var, &text))
                return false;
        end = command->simple.words->range.end;
        if (command->range.end > source.len || end > command->range.end || command->simple.assigns)
                return false;
        builder_value(&b, text, false);
        builder_text(&b, STR(" "), false);
        builder_text(&b, str_from(source.ptr + end, command->range.end - end), false);
        alias = var->content;
        vars_put(&w->vars, var, content_unset(&w->budget, 0)); /* not again inside itself */
        *ret = walk_text(w, WALK_CODE_ALIAS, builder_finish(&b, false));
        vars_put(&w->vars, var, alias);
        return true;
}

/* ---- traps ---- */

void walk_traps(struct walk *w) {
        for (size_t i = 0; i <= w->vars.mask && walk_goes_on(w); i++) {
                for (struct var *var = w->vars.table[i]; var && walk_goes_on(w); var = var->next) {
                        struct subshell subshell;

                        if (var->space != SPACE_TRAP || !var->content)
                                continue;
                        for (size_t j = 0; j < var->content->count; j++) {
                                if (var->content->alternatives[j].kind != DATUM_SCALAR)
                                        continue;
                                walk_subshell_begin(w, &subshell, WALK_IN_BRANCH);
                                w->where &= ~(unsigned)WALK_IN_SUBSHELL;
                                walk_text(w, WALK_CODE_TRAP, var->content->alternatives[j].value);
                                walk_subshell_end(w, &subshell);
                        }
                }
        }
}

/* ---- data ---- */

/* Could something in it run? Only expansions do, and for names and numbers only inside a subscript. */
static bool dangerous(enum walk_code code, struct str text) {
        bool subscript = code == WALK_CODE_PROMPT;

        for (size_t i = 0; i < text.len; i++) {
                char next = i + 1 < text.len ? text.ptr[i + 1] : 0;

                subscript |= text.ptr[i] == '[';
                if (subscript && (text.ptr[i] == '`' || (text.ptr[i] == '$' && (next == '(' || next == '{' || next == '['))))
                        return true;
        }
        return false;
}

/* A here document of the text: bash reads that as it does what stands between double quotes. Its delimiter ends in one
 * underscore more than the text has anywhere in a row, so that no line of the text can be it. */
static struct str as_document(struct walk *w, struct str text) {
        struct builder b = { .budget = &w->budget };
        struct str document = STR("");
        size_t longest = 0, run = 0;

        for (size_t i = 0; i < text.len; i++) {
                run = text.ptr[i] == '_' ? run + 1 : 0;
                longest = run > longest ? run : longest;
        }
        builder_text(&b, STR(": <<TEXT"), false);
        for (int lines = 0; lines < 2; lines++) {
                for (size_t i = 0; i <= longest; i++)
                        builder_text(&b, STR("_"), false);
                builder_text(&b, STR("\n"), false);
                if (lines == 0) {
                        builder_text(&b, text, false);
                        builder_text(&b, STR("\nTEXT"), false);
                }
        }
        if (b.full || !value_known(builder_finish(&b, false), &document))
                w->budget.stop = w->budget.stop ? w->budget.stop : BUDGET_TOO_COMPLEX;
        return document;
}

void walk_data(struct walk *w, enum walk_code code, struct value text) {
        const struct script *outer = w->script;
        unsigned where = w->where;
        const struct redir *redir;
        struct script *script;
        bool any = false;

        for (const struct piece *p = text.pieces; p; p = p->next)
                any |= p->kind == PIECE_TEXT && dangerous(code, p->text);
        if (!any || !show_code(w, code, text))
                return;
        if (w->eval_depth >= WALK_MAX_EVAL) {
                w->budget.stop = BUDGET_TOO_COMPLEX;
                return;
        }
        script = parse(w, as_document(w, spell_out(w, text)));
        if (!script || !script->commands || script->commands->kind != COMMAND_SIMPLE)
                return;
        redir = script->commands->redirs;
        w->script = script;
        w->eval_depth++;
        w->where |= WALK_IN_DATA;
        if (redir && redir->heredoc)
                expand_double(w, redir->heredoc->body.parts);
        w->eval_depth--;
        w->where = where;
        w->script = outer;
}
