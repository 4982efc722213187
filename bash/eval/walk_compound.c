/*
 * Compound commands: branches are all taken, and what they leave behind is joined. Also redirections, and [[ ]].
 */
#include "bash/eval/interp.h"

/* ---- redirections ---- */

/* What `< target` reads, if that is <(...) with known content, a file that the script wrote, or /dev/null. */
static struct input *input_from(struct walk *w, const struct walk_redirect *r) {
        const struct piece *p = r->target_count == 1 ? r->targets[0].value.pieces : NULL;
        struct value content = { NULL };
        struct input *input;

        if (!p || p->next)
                return NULL;
        if (p->content)
                content = *p->content;
        else if (p->kind != PIECE_TEXT || (!str_is(p->text, "/dev/null") && !walk_file(w, p->text, &content)))
                return NULL;
        input = BUDGET_NEW(&w->budget, struct input);
        if (input)
                input->value = content;
        return input;
}

static struct value with_newline(struct walk *w, struct value value) {
        struct builder b = { .budget = &w->budget };

        builder_value(&b, value, false);
        builder_text(&b, STR("\n"), false);
        return builder_finish(&b, false);
}

static void redirect_input(struct walk *w, struct walk_redirect *r, struct redirected *all) {
        const struct redir *redir = r->redir;
        struct input *input = NULL;

        if (redir->op == REDIR_HEREDOC || redir->op == REDIR_HEREDOC_TABS || redir->op == REDIR_HERESTRING) {
                input = BUDGET_NEW(&w->budget, struct input);
                if (input)
                        input->value = redir->op == REDIR_HERESTRING ? with_newline(w, r->body) : r->body;
        } else if (redir->op == REDIR_INPUT) {
                input = input_from(w, r);
        }
        if ((redir->fd != 0 && redir->fd != -1) || redir->fd_name.len)
                return;
        if (input)
                input->loop_depth = w->loop_depth;
        all->input_set = true;
        all->input = input;
}

static void redirect_output(const struct walk_redirect *r, struct redirected *all) {
        const struct redir *redir = r->redir;
        struct str to = STR("");

        if (redir->fd_name.len || (redir->fd != -1 && redir->fd != 1))
                return;
        if (redir->op == REDIR_DUP_OUTPUT && r->target_count == 1 && value_known(r->targets[0].value, &to) && str_is(to, "1"))
                return;
        all->output_gone = true;
        if (redir->op == REDIR_DUP_OUTPUT && !str_is(to, "2"))
                all->output_unclear = true; /* another descriptor may lead back to where it went before */
}

static bool reads(enum redir_op op) {
        return op == REDIR_INPUT || op == REDIR_READ_WRITE || op == REDIR_DUP_INPUT || op >= REDIR_HEREDOC;
}

struct redirected walk_redirects(struct walk *w, const struct redir *redirs) {
        struct redirected all = { NULL };
        struct walk_redirect **tail = &all.list;

        for (const struct redir *redir = redirs; redir && walk_goes_on(w); redir = redir->next) {
                struct walk_redirect *r = BUDGET_NEW(&w->budget, struct walk_redirect);
                struct field_list targets = { 0 };

                if (!r)
                        break;
                r->redir = redir;
                if (redir->heredoc)
                        r->body = expand_double(w, redir->heredoc->body.parts);
                else if (redir->op == REDIR_HERESTRING)
                        r->body = expand_value(w, redir->target, VALUE_WORD);
                else
                        expand_word(w, redir->target, &targets);
                r->targets = targets.items;
                r->target_count = targets.count;
                if (reads(redir->op))
                        redirect_input(w, r, &all);
                else
                        redirect_output(r, &all);
                *tail = r;
                tail = &r->next;
        }
        return all;
}

/* ---- branches ---- */

/* The bodies of if and case are units of their own, and what they print is not followed. */
struct apart {
        struct unit *unit;
        struct builder *output;
        unsigned where;
};

static struct apart set_apart(struct walk *w) {
        struct apart apart = { w->unit, w->output, w->where };

        w->unit = NULL;
        w->output = NULL;
        return apart;
}

static void bring_back(struct walk *w, struct apart apart) {
        w->unit = apart.unit;
        w->output = apart.output;
        w->where = apart.where;
        output_unknown(w);
}

/* What a branch leaves behind. False when its end is not reached. */
static bool walk_branch(struct walk *w, const struct command *body, struct delta *ret) {
        struct scope scope = vars_begin(&w->vars);
        unsigned where = w->where;
        enum status status;

        w->where = (where | WALK_IN_BRANCH) & ~(unsigned)WALK_IN_CONDITION;
        w->branches++;
        status = walk_list(w, body);
        w->branches--;
        w->where = where;
        *ret = vars_leave(&w->vars, scope);
        return status != STATUS_GONE;
}

static enum status walk_if_condition(struct walk *w, const struct if_clause *clause, bool first) {
        unsigned where = w->where;
        enum status status = STATUS_UNKNOWN;

        w->where |= WALK_IN_CONDITION;
        if (first) {
                status = walk_list(w, clause->condition);
        } else { /* an elif may not be reached */
                struct delta delta;

                if (walk_branch(w, clause->condition, &delta))
                        vars_join(&w->vars, &delta, 1, true);
        }
        w->where = where;
        return status;
}

static enum status walk_if(struct walk *w, const struct command *command) {
        struct apart apart = set_apart(w);
        size_t n = 0, count = 0;
        struct delta *deltas, delta;
        bool skipped = true, reached;

        for (const struct if_clause *c = command->clauses; c; c = c->next)
                n++;
        deltas = budget_alloc(&w->budget, n * sizeof(*deltas));
        for (const struct if_clause *c = command->clauses; deltas && c && walk_goes_on(w); c = c->next) {
                enum status status = STATUS_UNKNOWN;

                if (c->condition)
                        status = walk_if_condition(w, c, c == command->clauses);
                else
                        skipped = false;
                reached = walk_branch(w, c->body, &delta);
                if (reached && status != STATUS_FALSE)
                        deltas[count++] = delta;
                if (status == STATUS_TRUE) { /* the others are shown, but leave nothing behind */
                        for (c = c->next; c && walk_goes_on(w); c = c->next) {
                                walk_branch(w, c->condition, &delta);
                                walk_branch(w, c->body, &delta);
                        }
                        skipped = false;
                        break;
                }
        }
        if (deltas)
                vars_join(&w->vars, deltas, count, skipped);
        bring_back(w, apart);
        return count || skipped ? STATUS_UNKNOWN : STATUS_GONE;
}

/* ---- case ---- */

static void case_subject(struct walk *w, void *context) {
        const struct case_clause *choice = context;

        expand_value(w, choice->subject, VALUE_WORD);
        for (const struct case_item *item = choice->items; item; item = item->next)
                for (const struct word *word = item->patterns; word; word = word->next)
                        expand_value(w, word, VALUE_PATTERN);
}

static bool matches_all(const struct case_item *item) {
        for (const struct word *word = item->patterns; word; word = word->next)
                if (word->parts && !word->parts->next && word->parts->kind == PART_LITERAL && str_is(word->parts->text, "*"))
                        return true;
        return false;
}

static enum status walk_case(struct walk *w, const struct command *command) {
        struct case_clause *choice = command->choice;
        struct apart apart = set_apart(w);
        size_t n = 0, count = 0;
        struct delta *deltas;
        bool skipped = true;

        walk_each(w, case_subject, choice);
        for (const struct case_item *item = choice->items; item; item = item->next)
                n++;
        deltas = budget_alloc(&w->budget, (n + 1) * sizeof(*deltas));
        for (const struct case_item *item = choice->items; deltas && item && walk_goes_on(w); item = item->next) {
                struct delta delta;
                bool reached = walk_branch(w, item->body, &delta);

                skipped &= !matches_all(item);
                if (reached && item->end == CASE_BREAK)
                        deltas[count++] = delta;
                if (reached && item->end != CASE_BREAK) { /* the next item may start from what this one leaves */
                        vars_join(&w->vars, &delta, 1, true);
                        skipped = true;
                }
        }
        if (deltas)
                vars_join(&w->vars, deltas, count, skipped);
        bring_back(w, apart);
        return count || skipped ? STATUS_UNKNOWN : STATUS_GONE;
}

/* ---- the rest ---- */

struct arith_command {
        const struct part *part;
        struct arith_result result;
        bool tried;
};

static void arith_command(struct walk *w, void *context) {
        struct arith_command *c = context;
        struct arith_result result = expand_arith_result(w, c->part->parts);

        if (c->tried && (result.state != c->result.state || !result.value != !c->result.value))
                result.state = ARITH_UNKNOWN;
        c->result = result;
        c->tried = true;
}

static enum status walk_arith_command(struct walk *w, const struct part *part) {
        struct arith_command c = { .part = part };

        walk_each(w, arith_command, &c);
        if (c.result.state != ARITH_KNOWN)
                return STATUS_UNKNOWN;
        return c.result.value ? STATUS_TRUE : STATUS_FALSE;
}

struct condition {
        const struct cond *cond;
        enum status status;
        bool tried;
};

static void cond_command(struct walk *w, void *context) {
        struct condition *c = context;
        enum status status = walk_condition(w, c->cond);

        c->status = c->tried && c->status != status ? STATUS_UNKNOWN : status;
        c->tried = true;
}

static void define(struct walk *w, const struct function *function) {
        struct content *content = content_new(&w->budget, 0, 1);

        if (!content)
                return;
        content->alternatives[0] = (struct datum){ .kind = DATUM_CODE, .function = function, .script = w->script };
        walk_put(w, vars_get(&w->vars, SPACE_FUNCTION, function->name), content, false);
}

static enum status walk_coproc(struct walk *w, const struct coproc *coproc) {
        struct apart apart = set_apart(w);
        struct subshell subshell;

        walk_subshell_begin(w, &subshell, WALK_IN_BACKGROUND);
        walk_command(w, coproc->body);
        walk_subshell_end(w, &subshell);
        bring_back(w, apart);
        walk_assign_unknown(w, coproc->name.len ? coproc->name : STR("COPROC"), UNKNOWN_SPECIAL);
        return STATUS_TRUE;
}

static enum status walk_by_kind(struct walk *w, const struct command *command) {
        struct condition condition = { .cond = command->cond };
        struct subshell subshell;
        enum status status;

        switch ((enum command_kind)command->kind) {
        case COMMAND_SUBSHELL:
                walk_subshell_begin(w, &subshell, 0);
                status = walk_list(w, command->body);
                walk_subshell_end(w, &subshell);
                return status == STATUS_GONE ? STATUS_UNKNOWN : status;
        case COMMAND_GROUP:
                return walk_list(w, command->body);
        case COMMAND_IF:
                return walk_if(w, command);
        case COMMAND_CASE:
                return walk_case(w, command);
        case COMMAND_ARITH:
                return walk_arith_command(w, command->arith);
        case COMMAND_COND:
                walk_each(w, cond_command, &condition);
                return condition.status;
        case COMMAND_FUNCTION:
                define(w, command->function);
                return STATUS_TRUE;
        case COMMAND_COPROC:
                return walk_coproc(w, command->coproc);
        default:
                return walk_loop(w, command);
        }
}

struct redirecting {
        const struct command *command;
        struct redirected redirected;
};

static void show_redirects(struct walk *w, void *context) {
        struct redirecting *r = context;
        struct walk_visit visit;

        r->redirected = walk_redirects(w, r->command->redirs);
        visit = walk_visit_here(w, r->command);
        visit.redirects = r->redirected.list;
        if (r->redirected.input_set)
                visit.input = r->redirected.input ? &r->redirected.input->value : NULL;
        walk_show(w, &visit);
}

static void show_written(struct walk *w, const struct redirecting *r, struct builder *printed) {
        struct walk_visit visit = walk_visit_here(w, r->command);
        struct value output = builder_finish(printed, false);

        visit.redirects = r->redirected.list;
        visit.output = &output;
        if (walk_goes_on(w) && w->visitor->written && !w->visitor->written(w->visitor->context, &visit))
                w->stopped = true;
}

enum status walk_compound(struct walk *w, const struct command *command) {
        struct redirecting r = { .command = command };
        struct builder *output = w->output, printed = { .budget = &w->budget };
        struct input *input = w->input;
        enum status status;

        if (command->redirs) {
                walk_each(w, show_redirects, &r);
                if (r.redirected.input_set)
                        w->input = r.redirected.input;
                if (r.redirected.output_gone)
                        w->output = w->visitor->written ? &printed : NULL;
        }
        status = walk_by_kind(w, command);
        if (r.redirected.output_gone)
                show_written(w, &r, &printed);
        w->input = input;
        w->output = output;
        if (r.redirected.output_unclear)
                output_unknown(w);
        return command->redirs && status != STATUS_GONE ? STATUS_UNKNOWN : status;
}
