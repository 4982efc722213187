/*
 * $(...), `...`, <(...): a subshell whose output is of interest.
 */
#include "bash/eval/interp.h"

static bool remembered(struct walk *w, const struct part *part, struct value *ret) {
        struct unit *unit = w->unit;

        for (size_t i = 0; unit && unit->run && i < unit->remembered; i++) {
                size_t at = (unit->cursor + i) % unit->remembered;

                if (unit->memory[at].part != part)
                        continue;
                unit->cursor = at + 1;
                *ret = unit->memory[at].value;
                return true;
        }
        budget_spend(&w->budget, unit && unit->run ? unit->remembered / 16 : 0);
        return false;
}

static void remember(struct walk *w, const struct part *part, struct value value) {
        struct unit *unit = w->unit;

        if (unit && budget_room(&w->budget, &unit->memory, unit->remembered, &unit->memory_capacity, sizeof(*unit->memory)))
                unit->memory[unit->remembered++] = (struct remembered){ part, value };
}

/* Trailing newlines go, and bytes that no variable can hold. */
static struct value captured(struct walk *w, struct builder *printed, const struct part *part) {
        struct builder b = { .budget = &w->budget };
        struct value value = builder_finish(printed, false);

        for (const struct piece *p = value.pieces; p; p = p->next) {
                struct str text = p->text;

                while (p->kind == PIECE_TEXT && !p->next && text.len && text.ptr[text.len - 1] == '\n')
                        text.len--;
                while (p->kind == PIECE_TEXT && text.len) {
                        size_t n = str_find(text, '\0');

                        builder_text(&b, str_take(text, n), false);
                        text = str_skip(text, n + 1);
                }
                if (p->kind != PIECE_TEXT)
                        builder_piece(&b, p, false);
                if (p->kind == PIECE_UNKNOWN && p->because == UNKNOWN_OUTPUT && !p->part && b.last)
                        b.last->part = part;
        }
        return builder_finish(&b, false);
}

/* What is unknown in it, the commands inside print. */
static struct value printed_by(struct builder *printed, const struct part *part) {
        struct value value = builder_finish(printed, false);

        for (const struct piece *p = value.pieces; p; p = p->next)
                if (p->kind == PIECE_UNKNOWN && p->because == UNKNOWN_OUTPUT && !p->part)
                        ((struct piece *)p)->part = part; /* nobody else has seen it yet */
        return value;
}

static struct value substituted_file(struct walk *w, const struct part *part, struct value content) {
        struct value *kept = BUDGET_NEW(&w->budget, struct value);
        struct value value = value_unknown(&w->budget, UNKNOWN_PROCESS, STR(""));
        struct piece *piece = (struct piece *)value.pieces;

        if (!piece || !kept)
                return value;
        *kept = content;
        piece->part = part;
        if (part->style == STYLE_INPUT)
                piece->content = kept;
        return value;
}

struct place {
        struct builder *output;
        struct input *input;
        const struct command *pipe_from, *pipe_to;
        unsigned where;
};

static struct place leave_place(struct walk *w) {
        struct place place = { w->output, w->input, w->pipe_from, w->pipe_to, w->where };

        w->pipe_from = w->pipe_to = NULL;
        w->where &= ~(unsigned)(WALK_IN_PIPELINE | WALK_IN_CONDITION | WALK_IN_BACKGROUND);
        return place;
}

static void return_to(struct walk *w, const struct place *place) {
        w->output = place->output;
        w->input = place->input;
        w->pipe_from = place->pipe_from;
        w->pipe_to = place->pipe_to;
        w->where = place->where;
}

struct value walk_substitution(struct walk *w, const struct part *part) {
        struct builder printed = { .budget = &w->budget };
        bool file = part->style == STYLE_INPUT || part->style == STYLE_OUTPUT;
        unsigned choices = w->unit ? w->unit->choices : 0;
        struct subshell subshell;
        struct value value = { NULL };
        struct place place;

        if (remembered(w, part, &value) || !walk_goes_on(w))
                return value;
        if (w->depth >= WALK_MAX_DEPTH) {
                w->budget.stop = BUDGET_TOO_COMPLEX;
                return (struct value){ NULL };
        }
        w->depth++;
        place = leave_place(w);
        walk_subshell_begin(w, &subshell, WALK_IN_SUBSTITUTION);
        w->output = part->style == STYLE_OUTPUT ? NULL : &printed;
        if (part->style == STYLE_OUTPUT)
                w->input = NULL;
        walk_list(w, part->body);
        walk_subshell_end(w, &subshell);
        return_to(w, &place);
        w->depth--;
        if (part->soft_error)
                builder_unknown(&printed, UNKNOWN_ERROR, STR(""), false);
        value = file ? printed_by(&printed, part) : captured(w, &printed, part);
        if (file)
                value = substituted_file(w, part, value);
        if (w->unit && w->unit->choices == choices)
                remember(w, part, value);
        return value;
}
