/*
 * ${x/pattern/...}: where in a text a pattern matches.
 */
#include "bash/eval/pattern_node.h"

static bool fixed_length(const struct pattern *pattern) {
        for (size_t i = 0; i < pattern->count; i++)
                if (pattern->nodes[i].kind > GLOB_SET || pattern->nodes[i].kind == GLOB_STAR)
                        return false;
        return true;
}

/* A fixed-length pattern needs no sets of positions. */
static size_t match_here(const struct matcher *m, const struct pattern *pattern, size_t start) {
        if (pattern->count > m->text.len - start)
                return SIZE_MAX;
        for (size_t i = 0; i < pattern->count; i++)
                if (!matcher_takes(m, &pattern->nodes[i], (unsigned char)m->text.ptr[start + i]))
                        return SIZE_MAX;
        return start + pattern->count;
}

/* The positions where some match starts: all ends of the text backwards, matched from everywhere. */
static bool find_starts(struct matcher *m, const struct pattern *pattern, struct positions *starts) {
        const struct pattern *backwards = pattern_reverse(m->budget, pattern);
        struct matcher back = *m;
        struct positions everywhere = positions_none(m), found = positions_none(m);

        back.text = pattern_reverse_text(m->budget, m->text);
        if (!backwards || !everywhere.words || !found.words || back.text.len != m->text.len)
                return false;
        for (size_t i = 0; i <= m->text.len; i++)
                positions_add(&everywhere, i);
        if (!matcher_run(&back, backwards, &everywhere, &found))
                return false;
        for (size_t i = positions_next(&found, 0); i != SIZE_MAX; i = positions_next(&found, i + 1))
                positions_add(starts, m->text.len - i);
        return true;
}

struct finder {
        struct matcher m;
        const struct pattern *pattern;
        bool fixed;
        struct positions starts, ends;
};

/* The leftmost start at or after `pos` and its longest end. */
static bool find_next(struct finder *f, size_t pos, struct pattern_span *ret) {
        if (f->fixed) {
                for (; pos <= f->m.text.len; pos++) {
                        size_t end = match_here(&f->m, f->pattern, pos);

                        if (end == SIZE_MAX)
                                continue;
                        *ret = (struct pattern_span){ pos, end };
                        return true;
                }
                return false;
        }
        pos = positions_next(&f->starts, pos);
        if (pos == SIZE_MAX)
                return false;
        positions_clear(&f->ends);
        if (!matcher_ends(&f->m, f->pattern, pos, &f->ends) || positions_is_none(&f->ends))
                return false;
        *ret = (struct pattern_span){ pos, positions_last(&f->ends) };
        return true;
}

enum truth pattern_find(struct budget *budget, const struct pattern *pattern, struct str text, bool all,
                        struct pattern_span **ret_spans, size_t *ret_count) {
        struct finder f = { matcher_new(budget, pattern, text), pattern, fixed_length(pattern), { 0 }, { 0 } };
        struct pattern_span *spans = NULL, span;
        size_t count = 0, capacity = 0, pos = 0;

        f.starts = positions_none(&f.m);
        f.ends = positions_none(&f.m);
        if (!pattern_can_tell(pattern, text) || pattern->odd || budget->stop ||
            !budget_spend(budget, 1 + text.len * (pattern->count + 1) / 64) ||
            (!f.fixed && !find_starts(&f.m, pattern, &f.starts)))
                return TRUTH_MAYBE;
        while (pos <= text.len && find_next(&f, pos, &span)) {
                if (!budget_spend(budget, 1) || !budget_room(budget, &spans, count, &capacity, sizeof(*spans)))
                        return TRUTH_MAYBE;
                spans[count++] = span;
                pos = span.end > span.start ? span.end : span.end + 1; /* an empty match moves on by one byte */
                if (!all)
                        break;
        }
        *ret_spans = spans;
        *ret_count = count;
        return budget->stop ? TRUTH_MAYBE : count ? TRUTH_YES : TRUTH_NO;
}
