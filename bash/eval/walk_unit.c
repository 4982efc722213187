/*
 * Trying alternatives. A unit is a pipeline, or a piece of a compound command, that is expanded as a whole: it asks for choices
 * as it meets variables with several values, and is done again until every choice had its turn, or, where that would be too
 * many, every value.
 */
#include "bash/eval/interp.h"

enum { RUNS_MAX = VARS_MAX_LISTED + 1, CHOICES_MANY = 512 };

static unsigned runs(const struct unit *unit) {
        return unit->product > unit->diagonal ? unit->product : unit->diagonal;
}

static struct digit *find_digit(struct unit *unit, const void *key, unsigned radix) {
        struct digit *digit;

        for (unsigned i = 0; i < unit->count; i++)
                if (unit->digits[i].key == key && unit->digits[i].radix == radix)
                        return &unit->digits[i];
        if (unit->count == sizeof(unit->digits) / sizeof(*unit->digits))
                return NULL;
        digit = &unit->digits[unit->count++];
        *digit = (struct digit){ .key = key, .radix = radix };
        if (unit->product * radix <= WALK_MAX_PRODUCT) {
                digit->stride = unit->product;
                unit->product *= radix;
        }
        return digit;
}

unsigned walk_choose(struct walk *w, const void *key, unsigned radix) {
        struct unit *unit = w->unit;
        const struct digit *digit;

        if (radix < 2 || !unit)
                return 0;
        if (radix > RUNS_MAX)
                radix = RUNS_MAX;
        unit->choices++;
        digit = find_digit(unit, key, radix);
        if (digit && digit->stride)
                return unit->run / digit->stride % radix;
        unit->sampled |= unit->count > 1 || !digit;
        unit->diagonal = radix > unit->diagonal ? radix : unit->diagonal;
        return unit->run < radix ? unit->run : radix - 1;
}

/* A command with very many choices is tried with each value only, not with each combination: it is long, and so is a try. */
static void only_diagonal(struct unit *unit) {
        for (unsigned i = 0; i < unit->count; i++) {
                unit->digits[i].stride = 0;
                if (unit->digits[i].radix > unit->diagonal)
                        unit->diagonal = unit->digits[i].radix;
        }
        unit->product = 1;
        unit->sampled = true;
}

static void widen_all(struct walk *w, const struct delta *deltas, size_t count) {
        for (size_t i = 0; i < count; i++) {
                for (size_t j = 0; j < deltas[i].count && walk_goes_on(w); j++) {
                        struct var *var = deltas[i].changes[j].var;

                        if (var->space == SPACE_VARIABLE || var == w->positional)
                                vars_put(&w->vars, var, content_widen(&w->vars, var, var->content, UNKNOWN_TOO_COMPLEX));
                }
        }
}

void walk_each(struct walk *w, void (*once)(struct walk *w, void *context), void *context) {
        struct unit unit = { .product = 1, .diagonal = 1 };
        struct delta deltas[RUNS_MAX];
        struct builder *output = w->output;
        struct builder_mark before = { 0 };
        size_t count = 0;

        if (w->unit) { /* part of somebody else's try */
                once(w, context);
                return;
        }
        if (output)
                before = builder_mark(output);
        /* cppcheck-suppress autoVariables; taken back before this returns */
        w->unit = &unit;
        for (; unit.run < runs(&unit) && walk_goes_on(w); unit.run++) {
                struct scope scope = vars_begin(&w->vars);

                unit.choices = 0;
                unit.cursor = 0;
                if (unit.run && output)
                        builder_rewind(output, before);
                once(w, context);
                if (unit.run == 0 && unit.choices > CHOICES_MANY)
                        only_diagonal(&unit);
                if (unit.run == 0 && runs(&unit) == 1) {
                        vars_commit(&w->vars, scope);
                        break;
                }
                deltas[count++] = vars_leave(&w->vars, scope);
        }
        w->unit = NULL;
        if (!count)
                return;
        vars_join(&w->vars, deltas, count, false);
        if (unit.sampled) /* what else these could be was not tried */
                widen_all(w, deltas, count);
        if (output) { /* which of them it prints nobody knows */
                builder_rewind(output, before);
                output_unknown(w);
        }
}
