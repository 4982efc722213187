/*
 * Lists and pipelines: who runs after whom, whether surely, and in which shell.
 */
#include "bash/eval/interp.h"

enum { CHAIN_MAX = 32 };

/* ---- showing ---- */

struct walk_visit walk_visit_here(struct walk *w, const struct command *command) {
        struct walk_visit visit = { .walk = w,
                                    .script = w->script,
                                    .command = command,
                                    .pipe_from = w->pipe_from,
                                    .pipe_to = w->pipe_to,
                                    .call = w->call,
                                    .where = w->where | (w->unread->content ? WALK_AFTER_CODE : 0),
                                    .by_name = w->by_name,
                                    .eval_depth = w->eval_depth };

        if (w->input)
                visit.input = &w->input->value;
        if (w->unit) {
                visit.alternative = w->unit->run;
                visit.alternatives = w->unit->product > w->unit->diagonal ? w->unit->product : w->unit->diagonal;
                visit.sampled = w->unit->sampled;
        }
        return visit;
}

void walk_show(struct walk *w, struct walk_visit *visit) {
        if (walk_goes_on(w) && w->visitor->command && !w->visitor->command(w->visitor->context, visit))
                w->stopped = true;
}

bool walk_file(struct walk *w, struct str path, struct value *ret) {
        return walk_goes_on(w) && w->visitor->file && w->visitor->file(w->visitor->context, path, ret);
}

/* ---- one command ---- */

enum status walk_command(struct walk *w, const struct command *command) {
        enum status status = STATUS_UNKNOWN;

        if (!walk_goes_on(w) || !budget_spend(&w->budget, 1))
                return status;
        if (++w->depth > WALK_MAX_DEPTH)
                w->budget.stop = BUDGET_TOO_COMPLEX;
        else if (command->kind == COMMAND_SIMPLE)
                status = walk_simple(w, command);
        else
                status = walk_compound(w, command);
        w->depth--;
        return status;
}

/* ---- pipelines ---- */

struct pipeline {
        const struct command *first, *end; /* end: behind the last */
        enum status status;
        bool tried;
};

static bool last_in_shell(struct walk *w) {
        return walk_option(w, "lastpipe", false) == TRUTH_YES;
}

/* One element; `output` takes what it prints. */
static enum status walk_piped(struct walk *w, const struct command *command, bool last, struct builder *output) {
        struct builder *outer = w->output;
        struct subshell subshell;
        enum status status;

        w->output = output;
        if (last && last_in_shell(w)) {
                status = walk_command(w, command);
        } else {
                walk_subshell_begin(w, &subshell, WALK_IN_PIPELINE);
                status = walk_command(w, command);
                walk_subshell_end(w, &subshell);
        }
        w->output = outer;
        return status;
}

/* What came out of this element came out of all before it, too. */
static void set_origin(struct walk *w, struct value value, const struct command *first, const struct command *last) {
        struct origin *origin = NULL;

        for (const struct piece *p = value.pieces; p; p = p->next) {
                if (p->kind != PIECE_UNKNOWN || p->because != UNKNOWN_OUTPUT || p->part || p->origin)
                        continue;
                if (!origin && !(origin = BUDGET_NEW(&w->budget, struct origin)))
                        return;
                *origin = (struct origin){ .first = first, .last = last };
                ((struct piece *)p)->origin = origin; /* nobody else has seen it yet */
        }
}

static void walk_elements(struct walk *w, void *context) {
        struct pipeline *p = context;
        const struct command *from = w->pipe_from, *to = w->pipe_to, *previous = NULL;
        struct input *outer = w->input;
        enum status status = STATUS_UNKNOWN;

        for (const struct command *c = p->first; c != p->end && walk_goes_on(w); c = c->next) {
                bool last = c->next == p->end;
                struct builder printed = { .budget = &w->budget };
                struct input *input;

                w->pipe_from = previous;
                w->pipe_to = last ? NULL : c->next;
                status = walk_piped(w, c, last, last ? w->output : &printed);
                previous = c;
                if (last || !(input = BUDGET_NEW(&w->budget, struct input)))
                        break;
                input->value = builder_finish(&printed, false);
                set_origin(w, input->value, p->first, c);
                input->loop_depth = w->loop_depth;
                w->input = input;
        }
        w->input = outer;
        w->pipe_from = from;
        w->pipe_to = to;
        if (status == STATUS_GONE && !last_in_shell(w))
                status = STATUS_UNKNOWN; /* only a subshell is */
        p->status = p->tried && p->status != status ? STATUS_UNKNOWN : status;
        p->tried = true;
}

static void walk_single(struct walk *w, void *context) {
        struct pipeline *p = context;
        enum status status = walk_command(w, p->first);

        p->status = p->tried && p->status != status ? STATUS_UNKNOWN : status;
        p->tried = true;
}

static bool all_simple(const struct pipeline *p) {
        for (const struct command *c = p->first; c != p->end; c = c->next)
                if (c->kind != COMMAND_SIMPLE)
                        return false;
        return true;
}

static enum status walk_pipeline(struct walk *w, const struct command *first, const struct command *end) {
        struct pipeline p = { .first = first, .end = end };
        unsigned where = w->where;

        if (first->negated)
                w->where |= WALK_IN_CONDITION;
        if (first->next == end) {
                if (first->kind == COMMAND_SIMPLE)
                        walk_each(w, walk_single, &p);
                else
                        walk_single(w, &p);
        } else if (all_simple(&p)) {
                walk_each(w, walk_elements, &p);
        } else {
                walk_elements(w, &p);
        }
        w->where = where;
        if (!first->negated || p.status == STATUS_UNKNOWN || p.status == STATUS_GONE)
                return p.status;
        return p.status == STATUS_TRUE ? STATUS_FALSE : STATUS_TRUE;
}

/* ---- && and || ---- */

/* What runs only if something else did. */
struct chain {
        bool gone; /* and the innermost of it does not come back */
        struct scope scopes[CHAIN_MAX];
        size_t count;
        struct builder *output;
        unsigned where;
};

static void chain_open(struct walk *w, struct chain *chain) {
        if (!chain->count) {
                chain->where = w->where;
                chain->output = w->output;
                w->output = NULL;
        }
        w->where |= WALK_IN_BRANCH;
        w->branches++;
        chain->scopes[chain->count++] = vars_begin(&w->vars);
}

static void chain_close(struct walk *w, struct chain *chain) {
        if (!chain->count)
                return;
        while (chain->count) {
                struct delta delta = vars_leave(&w->vars, chain->scopes[--chain->count]);

                w->branches--;
                if (!chain->gone)
                        vars_join(&w->vars, &delta, 1, true);
                chain->gone = false;
        }
        w->where = chain->where;
        w->output = chain->output;
        output_unknown(w);
}

/* Decides whether what follows `op` is surely run, and opens a scope if not. */
static void chain_link(struct walk *w, struct chain *chain, enum join op, enum join before, enum status status) {
        bool sure;

        if (op == JOIN_OR || before == JOIN_OR || chain->count == CHAIN_MAX) {
                if (chain->count && before != JOIN_OR)
                        status = STATUS_UNKNOWN; /* of all that precedes */
                chain_close(w, chain);
        }
        sure = (op == JOIN_AND && status == STATUS_TRUE) || (op == JOIN_OR && status == STATUS_FALSE);
        if (!sure)
                chain_open(w, chain);
}

static bool joins_pipeline(const struct command *c) {
        return c->next && (c->join == JOIN_PIPE || c->join == JOIN_PIPE_BOTH);
}

/* Up to and including `last`. */
static enum status walk_and_or(struct walk *w, const struct command *first, const struct command *last) {
        struct chain chain = { .count = 0 };
        enum join before = JOIN_END, op = JOIN_END;
        enum status status = STATUS_UNKNOWN;
        bool surely = true;

        for (const struct command *c = first; walk_goes_on(w);) {
                const struct command *tail = c;
                unsigned where = w->where;

                while (tail != last && joins_pipeline(tail))
                        tail = tail->next;
                if (op != JOIN_END)
                        chain_link(w, &chain, op, before, status);
                where = w->where;
                if (tail != last)
                        w->where |= WALK_IN_CONDITION;
                status = walk_pipeline(w, c, tail->next);
                w->where = where;
                chain.gone = status == STATUS_GONE;
                if (tail == last)
                        break;
                before = op;
                op = tail->join;
                c = tail->next;
        }
        surely = chain.count == 0;
        chain_close(w, &chain);
        return surely ? status : STATUS_UNKNOWN;
}

/* ---- lists ---- */

static void walk_background(struct walk *w, const struct command *first, const struct command *last) {
        struct builder *output = w->output;
        struct subshell subshell;

        w->output = NULL;
        walk_subshell_begin(w, &subshell, WALK_IN_BACKGROUND);
        walk_and_or(w, first, last);
        walk_subshell_end(w, &subshell);
        w->output = output;
        output_unknown(w); /* when it prints is anybody's guess */
}

/* What an exit or return keeps from running is still shown, but leaves nothing behind. */
static void walk_unreached(struct walk *w, const struct command *commands) {
        struct builder *output = w->output;
        struct subshell subshell;

        if (!commands)
                return;
        w->output = NULL;
        walk_subshell_begin(w, &subshell, WALK_IN_BRANCH);
        w->where = subshell.where | WALK_IN_BRANCH;
        walk_list(w, commands);
        walk_subshell_end(w, &subshell);
        w->output = output;
}

enum status walk_list(struct walk *w, const struct command *commands) {
        enum status status = STATUS_TRUE;

        for (const struct command *c = commands, *last; c && walk_goes_on(w); c = last->next) {
                for (last = c; last->next && last->join != JOIN_END && last->join != JOIN_BACKGROUND;)
                        last = last->next;
                if (last->join == JOIN_BACKGROUND) {
                        walk_background(w, c, last);
                        status = STATUS_TRUE;
                        continue;
                }
                status = walk_and_or(w, c, last);
                if (status == STATUS_GONE) {
                        walk_unreached(w, last->next);
                        return status;
                }
        }
        return status;
}

/* ---- the whole ---- */

static struct walk_budget walk_budget(size_t bytes) {
        struct walk_budget budget = { .steps = WALK_STEPS_LEAST + (uint64_t)WALK_STEPS_PER_BYTE * bytes,
                                      .memory = WALK_MEMORY_LEAST + (uint64_t)WALK_MEMORY_PER_BYTE * bytes };

        if (budget.memory > WALK_MEMORY_MOST)
                budget.memory = WALK_MEMORY_MOST;
        return budget;
}

static void budget_take(struct walk_budget *budget, uint64_t steps, uint64_t memory) {
        budget->steps -= steps < budget->steps ? steps : budget->steps;
        budget->memory -= memory < budget->memory ? memory : budget->memory;
}

enum walk_end shell_walk(const struct script *script, const struct walk_options *options, const struct walk_visitor *visitor,
                         struct arena *arena) {
        static const struct walk_options nothing;
        struct walk *w = ARENA_NEW(arena, struct walk);
        struct walk_budget *budget = options ? options->budget : NULL, own = walk_budget(script->source.len);
        struct frame frame;

        if (!w)
                return WALK_NO_MEMORY;
        if (budget) {
                own.steps = own.steps < budget->steps ? own.steps : budget->steps;
                own.memory = own.memory < budget->memory ? own.memory : budget->memory;
        }
        w->budget = (struct budget){ .arena = arena,
                                     .steps = own.steps,
                                     .bytes = WALK_BYTES_LEAST + (uint64_t)WALK_BYTES_PER_BYTE * script->source.len,
                                     .memory_limit = own.memory + 1 }; /* 0 would be no limit */
        w->options = options ? options : &nothing;
        w->visitor = visitor;
        w->script = script;
        w->turns = WALK_MAX_TURNS;
        w->depth = w->options->outer ? w->options->outer->depth : 0; /* on the same stack, which may be a thread's */
        if (walk_init(w) == 0) {
                walk_enter(w, &frame, FRAME_SCRIPT);
                walk_list(w, script->commands);
                walk_traps(w);
                walk_leave(w, &frame, false);
        }
        if (budget)
                budget_take(budget, own.steps - w->budget.steps, w->budget.memory);
        if (w->stopped)
                return WALK_STOPPED;
        return w->budget.stop == BUDGET_NO_MEMORY ? WALK_NO_MEMORY : w->budget.stop ? WALK_TOO_COMPLEX : WALK_COMPLETE;
}
