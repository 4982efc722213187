/*
 * Where return, break and continue lead. The state at each of them is one of the states after the function or loop.
 */
#include "bash/eval/interp.h"

struct frame *walk_enter(struct walk *w, struct frame *frame, enum frame_kind kind) {
        *frame = (struct frame){ .outer = w->frame, .kind = kind, .scope = vars_begin(&w->vars) };
        frame->branches = w->branches;
        frame->weak = w->frame && w->frame->weak;
        w->frame = frame;
        return frame;
}

bool walk_leave(struct walk *w, struct frame *frame, bool gone) {
        struct delta deltas[FRAME_MAX_ESCAPES + 1];
        size_t count = frame->escape_count;

        if (gone && frame->weak && !(frame->outer && frame->outer->weak))
                gone = false; /* some escapes are only in the state itself */
        if (count) {
                memcpy(deltas, frame->escapes, count * sizeof(*deltas));
                if (gone)
                        vars_undo(&w->vars, frame->scope);
                else
                        deltas[count++] = vars_leave(&w->vars, frame->scope);
                vars_join(&w->vars, deltas, count, false);
        } else {
                vars_commit(&w->vars, frame->scope);
        }
        w->frame = frame->outer;
        for (struct local *local = frame->locals; local; local = local->next)
                vars_put(&w->vars, local->var,
                         local->maybe ? content_join(&w->vars, local->var, local->before, local->var->content, VARS_MAX_JOINED)
                                      : local->before);
        return gone && !count;
}

bool walk_escape(struct walk *w, enum frame_kind kind, unsigned levels) {
        struct frame *frame = w->frame;

        for (; frame && frame->kind != FRAME_SUBSHELL; frame = frame->outer) {
                if (frame->kind == FRAME_FUNCTION && kind != FRAME_FUNCTION)
                        return false; /* a break does not leave the function, or not in a way we follow */
                if (frame->kind == kind && levels-- <= 1)
                        break;
        }
        if (!frame || frame->kind != kind)
                return false;
        if (frame->escape_count < FRAME_MAX_ESCAPES) {
                frame->escapes[frame->escape_count++] = vars_peek(&w->vars, frame->scope);
                return true;
        }
        for (struct frame *inner = w->frame; inner != frame->outer; inner = inner->outer)
                inner->weak = true;
        return false;
}

void walk_subshell_begin(struct walk *w, struct subshell *subshell, unsigned where) {
        subshell->where = w->where;
        subshell->scope = vars_begin(&w->vars);
        w->where |= where | WALK_IN_SUBSHELL;
        walk_enter(w, &subshell->frame, FRAME_SUBSHELL);
}

void walk_subshell_end(struct walk *w, struct subshell *subshell) {
        walk_leave(w, &subshell->frame, false);
        vars_undo(&w->vars, subshell->scope);
        w->where = subshell->where;
}
