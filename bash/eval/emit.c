/*
 * Field splitting. Texts and expansions are poured in; fields come out, split where IFS says so. The rules are those of bash's
 * list_string(): blanks in IFS separate, however many; any other byte of IFS ends a field each time, with the blanks around it.
 */
#include "bash/eval/interp.h"

void emit_begin(struct emit *e, struct walk *w, struct field_list *list, const struct word *word) {
        *e = (struct emit){ .w = w,
                            .list = list,
                            .word = word,
                            .b = { .budget = &w->budget },
                            .splits = list != NULL,
                            .globs = list != NULL && walk_option(w, "noglob", false) != TRUTH_YES,
                            .extglob = walk_option(w, "extglob", false) != TRUTH_NO };
}

static void finish_field(struct emit *e) {
        field_add(&e->w->budget, e->list, field_make(&e->b, e->word, e->globs, e->extglob, e->may_split));
        e->b = (struct builder){ .budget = &e->w->budget };
        e->may_split = false;
}

void emit_mark(struct emit *e) {
        e->state = EMIT_IN_FIELD;
}

void emit_text(struct emit *e, struct str text, bool quoted) {
        if (text.len == 0)
                return;
        e->state = EMIT_IN_FIELD;
        builder_text(&e->b, text, quoted);
}

/* One byte of IFS. */
static void separate(struct emit *e, bool blank) {
        if (e->state == EMIT_IN_FIELD) {
                finish_field(e);
                e->state = blank ? EMIT_AFTER_BLANK : EMIT_BETWEEN;
        } else if (!blank) {
                if (e->state == EMIT_BETWEEN) /* nothing before it: an empty field */
                        finish_field(e);
                e->state = EMIT_BETWEEN;
        }
}

static void split_text(struct emit *e, struct str text) {
        const struct ifs *ifs = walk_ifs(e->w);
        size_t start = 0;

        bool strange = !ifs->known;

        /* What bash does to an operand when IFS has no blank depends on what else stands in it. */
        for (size_t i = 0; e->operands && !ifs->class[' '] && i < text.len; i++)
                strange |= ifs->class[(unsigned char)text.ptr[i]];
        if (strange)
                e->may_split = true;
        if (ifs->none || strange) {
                emit_text(e, text, false);
                return;
        }
        for (size_t i = 0; i <= text.len; i++) {
                unsigned char class = i < text.len ? ifs->class[(unsigned char)text.ptr[i]] : 0;

                if (i < text.len && !class)
                        continue;
                if (i > start)
                        emit_text(e, str_from(text.ptr + start, i - start), false);
                start = i + 1;
                if (class && !budget_spend(&e->w->budget, 1))
                        return;
                if (class)
                        separate(e, class == 1);
        }
}

/* Can a piece of which only this is known be split? */
static bool piece_may_split(const struct ifs *ifs, const struct piece *piece) {
        if (ifs->none && ifs->known)
                return false;
        if (piece->kind == PIECE_HOME || piece->number) {
                const char *bytes = piece->number ? "-0123456789" : "/";

                for (; *bytes; bytes++)
                        if (!ifs->known || ifs->class[(unsigned char)*bytes])
                                return true;
                return false;
        }
        return true;
}

void emit_value(struct emit *e, struct value value, bool quoted) {
        for (const struct piece *p = value.pieces; p; p = p->next) {
                if (p->kind == PIECE_TEXT && !quoted && e->splits) {
                        split_text(e, p->text);
                        continue;
                }
                if (p->kind != PIECE_TEXT && !quoted && e->splits && piece_may_split(walk_ifs(e->w), p))
                        e->may_split = true;
                /* a file name that bash makes for <(...) has nothing to split or glob */
                e->state = EMIT_IN_FIELD;
                builder_piece(&e->b, p, quoted);
        }
}

void emit_break(struct emit *e) {
        if (e->state == EMIT_IN_FIELD)
                finish_field(e);
        e->state = EMIT_BETWEEN;
}

void emit_separator(struct emit *e) {
        const struct ifs *ifs = walk_ifs(e->w);

        if (ifs->first && ifs->known && !ifs->none)
                separate(e, ifs->class[(unsigned char)ifs->first] == 1);
        else
                emit_break(e);
}

void emit_end(struct emit *e) {
        if (e->list && e->state == EMIT_IN_FIELD)
                finish_field(e);
}
