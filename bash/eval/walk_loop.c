/*
 * Loops. As long as it is known that there is another turn, and there are not too many, they are walked one by one. What then
 * remains is walked as one turn that stands for all, at most four times: from the state before, from what that leaves, and,
 * should values still change, with "or something else" added to those that do, and at last to all that are assigned.
 */
#include "bash/eval/interp.h"

enum { LIST_TURNS = 16, ARITH_TURNS = 64, DEEP = 3 };

/* One turn: condition and body. FALSE: there is surely no other. */
struct turn {
        const struct command *command;
        const struct content *values; /* for: what the variable gets */
        struct var *var;
};

static struct var *loop_variable(struct walk *w, struct str name) {
        return str_is_name(name) ? vars_get(&w->vars, SPACE_VARIABLE, name) : NULL;
}

static enum status loop_condition(struct walk *w, const struct command *command) {
        unsigned where = w->where;
        enum status status = STATUS_UNKNOWN;
        struct command arith = { .kind = COMMAND_ARITH };

        w->where |= WALK_IN_CONDITION;
        if (command->kind == COMMAND_WHILE || command->kind == COMMAND_UNTIL) {
                status = walk_list(w, command->loop.condition);
        } else if (command->kind == COMMAND_FOR_ARITH && command->each->arith[1]) {
                arith.arith = command->each->arith[1];
                arith.range = command->range;
                status = walk_command(w, &arith);
        }
        w->where = where;
        if (command->kind != COMMAND_UNTIL || status == STATUS_UNKNOWN)
                return status;
        return status == STATUS_TRUE ? STATUS_FALSE : STATUS_TRUE;
}

static void loop_step(struct walk *w, const struct command *command, int which) {
        struct command arith = { .kind = COMMAND_ARITH, .range = command->range };

        if (command->kind != COMMAND_FOR_ARITH || !command->each->arith[which])
                return;
        arith.arith = command->each->arith[which];
        walk_command(w, &arith);
}

/* False when the turn surely was the last one. */
static bool loop_body(struct walk *w, const struct command *command) {
        bool conditional = command->kind == COMMAND_WHILE || command->kind == COMMAND_UNTIL;
        struct frame frame;
        enum status status;

        walk_enter(w, &frame, FRAME_TURN);
        status = walk_list(w, conditional ? command->loop.body : command->each->body);
        if (walk_leave(w, &frame, status == STATUS_GONE))
                return false;
        loop_step(w, command, 2);
        return true;
}

static bool one_turn(struct walk *w, const struct turn *turn) {
        if (turn->var)
                walk_put(w, turn->var, turn->values, false);
        if (turn->command->kind == COMMAND_SELECT)
                walk_assign_unknown(w, STR("REPLY"), UNKNOWN_INPUT);
        loop_condition(w, turn->command);
        return loop_body(w, turn->command);
}

/* ---- all turns as one ---- */

static struct delta pass(struct walk *w, const struct turn *turn) {
        struct scope scope = vars_begin(&w->vars);
        bool reached = one_turn(w, turn);
        struct delta delta = vars_leave(&w->vars, scope);

        return reached ? delta : (struct delta){ .count = 0 };
}

/* Joins, and lets what changed be anything from now on; or all that was assigned. Returns whether anything changed. */
static bool join_widened(struct walk *w, const struct delta *delta, bool all) {
        bool changed = false;

        for (size_t i = 0; i < delta->count && walk_goes_on(w); i++) {
                struct var *var = delta->changes[i].var;
                const struct content *joined =
                        content_join(&w->vars, var, var->content, delta->changes[i].before, VARS_MAX_JOINED);

                changed |= joined != var->content;
                if (!joined || (joined == var->content && !all))
                        continue;
                if (var->space == SPACE_VARIABLE || var == w->positional)
                        joined = content_widen(&w->vars, var, joined, UNKNOWN_LOOP);
                vars_put(&w->vars, var, joined);
        }
        return changed;
}

/* Once more is enough when nothing changes any more, or when all that could change may be anything. */
static void many_turns(struct walk *w, const struct turn *turn) {
        struct delta delta = pass(w, turn);

        if (w->loop_depth < DEEP) {
                if (!vars_join(&w->vars, &delta, 1, true))
                        return;
                w->where |= WALK_AGAIN;
                delta = pass(w, turn);
                if (!join_widened(w, &delta, false))
                        return;
                delta = pass(w, turn);
        }
        if (!join_widened(w, &delta, true))
                return;
        w->where |= WALK_AGAIN;
        delta = pass(w, turn);
        vars_join(&w->vars, &delta, 1, true);
}

/* ---- turn by turn ---- */

/* A condition that may well be known, and change: (( )), [[ ]], [ ], test. */
static bool countable(const struct command *command) {
        const struct command *condition = command->loop.condition;
        const struct part *name;

        if (command->kind == COMMAND_FOR_ARITH)
                return command->each->arith[1] != NULL;
        if (!condition || condition->next)
                return false;
        if (condition->kind == COMMAND_ARITH || condition->kind == COMMAND_COND)
                return true;
        if (condition->kind != COMMAND_SIMPLE || !condition->simple.words)
                return false;
        name = condition->simple.words->parts;
        return name && !name->next && name->kind == PART_LITERAL && (str_is(name->text, "[") || str_is(name->text, "test"));
}

/* True when the loop is over; `gone`: by a break, so that its end is not reached. */
static bool counted_turns(struct walk *w, const struct turn *turn, bool *gone) {
        if (!countable(turn->command))
                return false;
        for (unsigned i = 0; i < ARITH_TURNS && w->turns && walk_goes_on(w); i++) {
                size_t escapes = w->frame->escape_count, changes;
                struct scope scope = vars_begin(&w->vars);
                enum status status = loop_condition(w, turn->command);

                if (status == STATUS_UNKNOWN) { /* the condition is walked again, as part of what stands for all */
                        vars_undo(&w->vars, scope);
                        return false;
                }
                vars_commit(&w->vars, scope);
                if (status == STATUS_FALSE)
                        return true;
                w->turns--;
                changes = w->vars.logged;
                *gone = !loop_body(w, turn->command);
                if (*gone)
                        return true;
                if (w->frame->escape_count != escapes || w->vars.logged == changes)
                        return false;
        }
        return false;
}

/* ---- for x in ... ---- */

struct listing {
        const struct for_clause *each;
        const struct content *values; /* all of them */
        struct field_list fields;     /* in the first try */
        unsigned tries;
        bool exact; /* `fields` is what bash will see */
        struct var *var;
};

static void list_positional(struct walk *w, struct field_list *fields) {
        static const struct param at = { .name = { "@", 1 } };
        struct emit e;

        emit_begin(&e, w, fields, NULL);
        expand_param(&e, &at, EXPAND_QUOTED);
        emit_end(&e);
}

static void list_words(struct walk *w, void *context) {
        struct listing *l = context;
        struct field_list fields = { 0 };

        if (l->each->has_in)
                expand_words(w, l->each->words, &fields);
        else
                list_positional(w, &fields);
        l->exact = l->tries++ == 0;
        for (size_t i = 0; i < fields.count; i++)
                l->exact &= !fields.items[i].may_split && !fields.items[i].glob;
        for (size_t i = 0; i < fields.count && i <= VARS_MAX_LISTED && walk_goes_on(w); i++) {
                const struct content *one = content_scalar(&w->budget, 0, field_value(&w->budget, &fields.items[i]));

                l->values = l->values ? content_join(&w->vars, l->var, l->values, one, VARS_MAX_LISTED) : one;
        }
        l->fields = fields;
}

/* False when a break surely ended it. */
static bool each_turn(struct walk *w, const struct listing *l, const struct command *command) {
        for (size_t i = 0; i < l->fields.count && walk_goes_on(w); i++) {
                if (i)
                        w->turns--;
                walk_assign_value(w, &(struct target){ .name = l->each->name }, l->fields.items[i].value);
                if (!loop_body(w, command))
                        return false;
        }
        return true;
}

static bool walk_for(struct walk *w, const struct command *command) {
        struct listing l = { .each = command->each, .var = loop_variable(w, command->each->name) };
        struct turn turn = { .command = command, .var = l.var };

        if (!l.var)
                return true;
        walk_each(w, list_words, &l);
        if (!l.values) /* no words at all */
                return true;
        turn.values = l.values;
        if (command->kind == COMMAND_FOR && l.exact && l.fields.count <= LIST_TURNS && w->turns >= l.fields.count)
                return each_turn(w, &l, command);
        many_turns(w, &turn);
        return true;
}

enum status walk_loop(struct walk *w, const struct command *command) {
        struct unit *unit = w->unit;
        struct builder *output = w->output;
        struct turn turn = { .command = command };
        unsigned where = w->where;
        struct frame frame;
        bool gone = false;

        w->unit = NULL;
        w->output = NULL;
        w->where = (where | WALK_IN_LOOP | WALK_IN_BRANCH) & ~(unsigned)WALK_IN_CONDITION;
        w->loop_depth++;
        w->branches++;
        walk_enter(w, &frame, FRAME_LOOP);
        if (command->kind == COMMAND_FOR || command->kind == COMMAND_SELECT) {
                gone = !walk_for(w, command);
        } else {
                loop_step(w, command, 0);
                if (!counted_turns(w, &turn, &gone))
                        many_turns(w, &turn);
        }
        gone = walk_leave(w, &frame, gone);
        w->loop_depth--;
        w->branches--;
        w->where = where;
        w->unit = unit;
        w->output = output;
        output_unknown(w);
        return gone ? STATUS_GONE : STATUS_UNKNOWN;
}
