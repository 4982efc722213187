/*
 * Running patterns: a set of positions in the text, one bit each, goes through the nodes one after the other. Ends of a text are
 * matched by running everything backwards.
 */
#include "shell/pattern_node.h"

/* Bit i: position i, from 0 to the length of the text. All bits outside the words first..last are zero. */
struct positions {
        uint64_t *words;
        size_t first, last; /* first > last: none */
};

struct matcher {
        struct work *work;
        struct str text;
        size_t words;
        unsigned flags;
};

static struct positions none(struct matcher *m) {
        return (struct positions){ work_alloc(m->work, m->words * sizeof(uint64_t)), 1, 0 };
}

static bool is_none(const struct positions *set) {
        return set->first > set->last;
}

static void add(struct positions *set, size_t pos) {
        size_t word = pos / 64;

        set->words[word] |= (uint64_t)1 << (pos % 64);
        if (is_none(set)) {
                set->first = set->last = word;
                return;
        }
        set->first = word < set->first ? word : set->first;
        set->last = word > set->last ? word : set->last;
}

static void add_all(struct positions *set, const struct positions *more) {
        if (is_none(more))
                return;
        for (size_t i = more->first; i <= more->last; i++)
                set->words[i] |= more->words[i];
        if (is_none(set) || more->first < set->first)
                set->first = is_none(set) ? (set->last = more->last, more->first) : more->first;
        set->last = more->last > set->last ? more->last : set->last;
}

static void clear(struct positions *set) {
        if (!is_none(set))
                memset(set->words + set->first, 0, (set->last - set->first + 1) * sizeof(uint64_t));
        set->first = 1;
        set->last = 0;
}

/* The next position at or after `pos`, or SIZE_MAX. */
static size_t next_position(const struct positions *set, size_t pos) {
        size_t word = pos / 64;
        uint64_t bits;

        if (is_none(set) || word > set->last)
                return SIZE_MAX;
        if (word < set->first) {
                word = set->first;
                pos = word * 64;
        }
        bits = set->words[word] & (~(uint64_t)0 << (pos % 64));
        while (!bits) {
                if (++word > set->last)
                        return SIZE_MAX;
                bits = set->words[word];
        }
        return word * 64 + (size_t)__builtin_ctzll(bits);
}

static size_t last_position(const struct positions *set) {
        for (size_t word = set->last + 1; !is_none(set) && word-- > set->first;)
                if (set->words[word])
                        return word * 64 + 63 - (size_t)__builtin_clzll(set->words[word]);
        return SIZE_MAX;
}

/* ---- one node ---- */

static bool node_takes(const struct matcher *m, const struct pattern_node *node, unsigned char c) {
        if (node->kind == GLOB_BYTE)
                return m->flags & PATTERN_NOCASE ? ascii_lower(c) == ascii_lower(node->byte) : c == node->byte;
        if (m->flags & PATTERN_PATH && c == '/')
                return false;
        if (node->kind == GLOB_ANY)
                return true;
        if (node->set->bits[c / 64] >> (c % 64) & 1)
                return true;
        if (!(m->flags & PATTERN_NOCASE))
                return false;
        c = c == ascii_lower(c) ? ascii_upper(c) : ascii_lower(c);
        return node->set->bits[c / 64] >> (c % 64) & 1;
}

static void take_one(struct matcher *m, const struct pattern_node *node, const struct positions *from, struct positions *to) {
        for (size_t i = next_position(from, 0); i < m->text.len; i = next_position(from, i + 1))
                if (node_takes(m, node, (unsigned char)m->text.ptr[i]))
                        add(to, i + 1);
}

static void take_any_number(struct matcher *m, bool path, const struct positions *from, struct positions *to) {
        for (size_t i = next_position(from, 0); i <= m->text.len; i++) {
                add(to, i);
                if (path && i < m->text.len && m->text.ptr[i] == '/') {
                        i = next_position(from, i + 1);
                        if (i == SIZE_MAX)
                                return;
                        i--;
                }
        }
}

static bool run(struct matcher *m, const struct pattern *pattern, const struct positions *from, struct positions *to);

static bool run_alternatives(struct matcher *m, const struct pattern *group, const struct positions *from,
                             struct positions *to) {
        for (; group; group = group->next)
                if (!run(m, group, from, to))
                        return false;
        return true;
}

/* +(...): again from where the last turn ended, as long as that reaches something new. */
static bool take_repeated(struct matcher *m, const struct pattern *group, const struct positions *from, struct positions *to) {
        struct positions front = none(m), reached = none(m);

        if (m->work->stop)
                return false;
        add_all(&front, from);
        while (!is_none(&front)) {
                if (!run_alternatives(m, group, &front, &reached))
                        return false;
                clear(&front);
                for (size_t i = next_position(&reached, 0); i != SIZE_MAX; i = next_position(&reached, i + 1))
                        if (!(to->words[i / 64] >> (i % 64) & 1))
                                add(&front, i);
                add_all(to, &reached);
                clear(&reached);
        }
        return true;
}

/* !(...): from each position to every end that the alternatives do not reach. */
static bool take_other(struct matcher *m, const struct pattern *group, const struct positions *from, struct positions *to) {
        struct positions start = none(m), reached = none(m);

        if (m->work->stop)
                return false;
        for (size_t i = next_position(from, 0); i != SIZE_MAX; i = next_position(from, i + 1)) {
                clear(&start);
                clear(&reached);
                add(&start, i);
                if (!work_spend(m->work, 1 + (m->text.len - i) / 16) || !run_alternatives(m, group, &start, &reached))
                        return false;
                for (size_t end = i; end <= m->text.len; end++) {
                        if (!(reached.words[end / 64] >> (end % 64) & 1))
                                add(to, end);
                        if (m->flags & PATTERN_PATH && end < m->text.len && m->text.ptr[end] == '/')
                                break;
                }
        }
        return true;
}

static bool take_group(struct matcher *m, const struct pattern_node *node, const struct positions *from,
                       struct positions *to) {
        if (node->op == '?' || node->op == '*')
                add_all(to, from);
        if (node->op == '!')
                return take_other(m, node->group, from, to);
        if (node->op == '*' || node->op == '+')
                return take_repeated(m, node->group, from, to);
        return run_alternatives(m, node->group, from, to);
}

/* Adds to `to` every position that can be reached from `from`. False when the work stopped. */
static bool run(struct matcher *m, const struct pattern *pattern, const struct positions *from, struct positions *to) {
        struct arena_mark mark = arena_mark(m->work->arena);
        struct positions now = none(m), after = none(m), swap;
        bool ok = m->work->stop == WORK_GOES_ON;

        if (ok)
                add_all(&now, from);
        for (size_t i = 0; ok && i < pattern->count && !is_none(&now); i++) {
                const struct pattern_node *node = &pattern->nodes[i];

                ok = work_spend(m->work, 1 + (now.last - now.first) * 8);
                if (node->kind == GLOB_STAR || node->kind == GLOB_ANYTHING)
                        take_any_number(m, node->kind == GLOB_STAR && m->flags & PATTERN_PATH, &now, &after);
                else if (node->kind == GLOB_GROUP)
                        ok = ok && take_group(m, node, &now, &after);
                else
                        take_one(m, node, &now, &after);
                clear(&now);
                swap = now;
                now = after;
                after = swap;
        }
        if (ok)
                add_all(to, &now);
        arena_rewind(m->work->arena, mark);
        return ok;
}

/* ---- backwards ---- */

static struct pattern *reverse(struct work *work, const struct pattern *pattern) {
        struct pattern *result = WORK_NEW(work, struct pattern);

        if (!result || !work_spend(work, pattern->count / 4))
                return NULL;
        *result = *pattern;
        result->nodes = work_alloc(work, sizeof(*result->nodes) * (pattern->count + 1));
        for (size_t i = 0; result->nodes && i < pattern->count; i++) {
                struct pattern_node *node = &result->nodes[i];
                const struct pattern **tail;

                *node = pattern->nodes[pattern->count - 1 - i];
                if (node->kind != GLOB_GROUP)
                        continue;
                tail = &node->group;
                for (const struct pattern *p = *tail; p; p = p->next) {
                        struct pattern *alternative = reverse(work, p);

                        if (!alternative)
                                return NULL;
                        alternative->next = NULL;
                        *tail = alternative;
                        tail = &alternative->next;
                }
        }
        return result->nodes ? result : NULL;
}

static struct str reverse_text(struct work *work, struct str text) {
        char *copy = work_spend(work, text.len / 16) ? work_alloc(work, text.len + 1) : NULL;

        for (size_t i = 0; copy && i < text.len; i++)
                copy[i] = text.ptr[text.len - 1 - i];
        return str_from(copy, copy ? text.len : 0);
}

/* ---- the questions ---- */

/* Where bytes and characters may differ we do not know; neither where the pattern is unknown. */
static bool can_tell(const struct pattern *pattern, struct str text) {
        if (pattern->unknown && !(pattern->flags & PATTERN_MAY))
                return false;
        if (pattern->flags & PATTERN_MAY)
                return true;
        return str_is_ascii(text) ? true : pattern->ascii && !pattern->wild && !(pattern->flags & PATTERN_NOCASE);
}

static struct matcher matcher(struct work *work, const struct pattern *pattern, struct str text) {
        return (struct matcher){ work, text, text.len / 64 + 1, pattern->flags };
}

/* All ends of matches that start at `start`. */
static bool ends_from(struct matcher *m, const struct pattern *pattern, size_t start, struct positions *ends) {
        struct positions from = none(m);

        if (m->work->stop)
                return false;
        add(&from, start);
        return run(m, pattern, &from, ends);
}

enum truth pattern_match(struct work *work, const struct pattern *pattern, struct str text) {
        struct matcher m = matcher(work, pattern, text);
        struct arena_mark mark = arena_mark(work->arena);
        struct positions ends = none(&m);
        enum truth truth = TRUTH_MAYBE;

        if (can_tell(pattern, text) && ends.words && ends_from(&m, pattern, 0, &ends))
                truth = last_position(&ends) == text.len ? TRUTH_YES : TRUTH_NO;
        arena_rewind(work->arena, mark);
        return truth;
}

enum truth pattern_match_prefix(struct work *work, const struct pattern *pattern, struct str text, bool longest,
                                size_t *ret_length) {
        struct matcher m = matcher(work, pattern, text);
        struct arena_mark mark = arena_mark(work->arena);
        struct positions ends = none(&m);
        enum truth truth = TRUTH_MAYBE;
        size_t end;

        if (can_tell(pattern, text) && ends.words && ends_from(&m, pattern, 0, &ends)) {
                end = longest ? last_position(&ends) : next_position(&ends, 0);
                truth = end == SIZE_MAX ? TRUTH_NO : TRUTH_YES;
                if (truth == TRUTH_YES)
                        *ret_length = end;
        }
        arena_rewind(work->arena, mark);
        return truth;
}

enum truth pattern_match_suffix(struct work *work, const struct pattern *pattern, struct str text, bool longest,
                                size_t *ret_length) {
        struct arena_mark mark = arena_mark(work->arena);
        const struct pattern *backwards = can_tell(pattern, text) ? reverse(work, pattern) : NULL;
        struct str reversed = backwards ? reverse_text(work, text) : STR("");
        enum truth truth = TRUTH_MAYBE;

        if (backwards && reversed.len == text.len)
                truth = pattern_match_prefix(work, backwards, reversed, longest, ret_length);
        arena_rewind(work->arena, mark);
        return truth;
}

/* ---- searching ---- */

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
                if (!node_takes(m, &pattern->nodes[i], (unsigned char)m->text.ptr[start + i]))
                        return SIZE_MAX;
        return start + pattern->count;
}

/* The positions where some match starts: all ends of the text backwards, matched from everywhere. */
static bool find_starts(struct matcher *m, const struct pattern *pattern, struct positions *starts) {
        const struct pattern *backwards = reverse(m->work, pattern);
        struct matcher back = *m;
        struct positions everywhere = none(m), found = none(m);

        back.text = reverse_text(m->work, m->text);
        if (!backwards || !everywhere.words || !found.words || back.text.len != m->text.len)
                return false;
        for (size_t i = 0; i <= m->text.len; i++)
                add(&everywhere, i);
        if (!run(&back, backwards, &everywhere, &found))
                return false;
        for (size_t i = next_position(&found, 0); i != SIZE_MAX; i = next_position(&found, i + 1))
                add(starts, m->text.len - i);
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
        pos = next_position(&f->starts, pos);
        if (pos == SIZE_MAX)
                return false;
        clear(&f->ends);
        if (!ends_from(&f->m, f->pattern, pos, &f->ends) || is_none(&f->ends))
                return false;
        *ret = (struct pattern_span){ pos, last_position(&f->ends) };
        return true;
}

enum truth pattern_find(struct work *work, const struct pattern *pattern, struct str text, bool all,
                        struct pattern_span **ret_spans, size_t *ret_count) {
        struct finder f = { matcher(work, pattern, text), pattern, fixed_length(pattern), { 0 }, { 0 } };
        struct pattern_span *spans = NULL, span;
        size_t count = 0, capacity = 0, pos = 0;

        f.starts = none(&f.m);
        f.ends = none(&f.m);
        if (!can_tell(pattern, text) || pattern->odd || work->stop || !work_spend(work, 1 + text.len * (pattern->count + 1) / 64) ||
            (!f.fixed && !find_starts(&f.m, pattern, &f.starts)))
                return TRUTH_MAYBE;
        while (pos <= text.len && find_next(&f, pos, &span)) {
                if (!work_spend(work, 1) || !work_room(work, &spans, count, &capacity, sizeof(*spans)))
                        return TRUTH_MAYBE;
                spans[count++] = span;
                pos = span.end > span.start ? span.end : span.end + 1; /* an empty match moves on by one byte */
                if (!all)
                        break;
        }
        *ret_spans = spans;
        *ret_count = count;
        return work->stop ? TRUTH_MAYBE : count ? TRUTH_YES : TRUTH_NO;
}
