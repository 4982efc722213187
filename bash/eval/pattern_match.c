/*
 * Running patterns: a set of positions in the text, one bit each, goes through the nodes one after the other. Ends of a text
 * are matched by running everything backwards.
 */
#include "bash/eval/pattern_node.h"

struct positions positions_none(struct matcher *m) {
        return (struct positions){ budget_alloc(m->budget, m->words * sizeof(uint64_t)), 1, 0 };
}

bool positions_is_none(const struct positions *set) {
        return set->first > set->last;
}

void positions_add(struct positions *set, size_t pos) {
        size_t word = pos / 64;

        set->words[word] |= (uint64_t)1 << (pos % 64);
        if (positions_is_none(set)) {
                set->first = set->last = word;
                return;
        }
        set->first = word < set->first ? word : set->first;
        set->last = word > set->last ? word : set->last;
}

static void add_all(struct positions *set, const struct positions *more) {
        if (positions_is_none(more))
                return;
        for (size_t i = more->first; i <= more->last; i++)
                set->words[i] |= more->words[i];
        if (positions_is_none(set) || more->first < set->first)
                set->first = positions_is_none(set) ? (set->last = more->last, more->first) : more->first;
        set->last = more->last > set->last ? more->last : set->last;
}

void positions_clear(struct positions *set) {
        if (!positions_is_none(set))
                memset(set->words + set->first, 0, (set->last - set->first + 1) * sizeof(uint64_t));
        set->first = 1;
        set->last = 0;
}

/* The next position at or after `pos`, or SIZE_MAX. */
size_t positions_next(const struct positions *set, size_t pos) {
        size_t word = pos / 64;
        uint64_t bits;

        if (positions_is_none(set) || word > set->last)
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

size_t positions_last(const struct positions *set) {
        for (size_t word = set->last + 1; !positions_is_none(set) && word-- > set->first;)
                if (set->words[word])
                        return word * 64 + 63 - (size_t)__builtin_clzll(set->words[word]);
        return SIZE_MAX;
}

/* ---- one node ---- */

bool matcher_takes(const struct matcher *m, const struct pattern_node *node, unsigned char c) {
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
        for (size_t i = positions_next(from, 0); i < m->text.len; i = positions_next(from, i + 1))
                if (matcher_takes(m, node, (unsigned char)m->text.ptr[i]))
                        positions_add(to, i + 1);
}

static void take_any_number(struct matcher *m, bool path, const struct positions *from, struct positions *to) {
        for (size_t i = positions_next(from, 0); i <= m->text.len; i++) {
                positions_add(to, i);
                if (path && i < m->text.len && m->text.ptr[i] == '/') {
                        i = positions_next(from, i + 1);
                        if (i == SIZE_MAX)
                                return;
                        i--;
                }
        }
}

static bool run_alternatives(struct matcher *m, const struct pattern *group, const struct positions *from,
                             struct positions *to) {
        for (; group; group = group->next)
                if (!matcher_run(m, group, from, to))
                        return false;
        return true;
}

/* +(...): again from where the last turn ended, as long as that reaches something new. */
static bool take_repeated(struct matcher *m, const struct pattern *group, const struct positions *from, struct positions *to) {
        struct positions front = positions_none(m), reached = positions_none(m);

        if (m->budget->stop)
                return false;
        add_all(&front, from);
        while (!positions_is_none(&front)) {
                if (!run_alternatives(m, group, &front, &reached))
                        return false;
                positions_clear(&front);
                for (size_t i = positions_next(&reached, 0); i != SIZE_MAX; i = positions_next(&reached, i + 1))
                        if (!(to->words[i / 64] >> (i % 64) & 1))
                                positions_add(&front, i);
                add_all(to, &reached);
                positions_clear(&reached);
        }
        return true;
}

/* !(...): from each position to every end that the alternatives do not reach. */
static bool take_other(struct matcher *m, const struct pattern *group, const struct positions *from, struct positions *to) {
        struct positions start = positions_none(m), reached = positions_none(m);

        if (m->budget->stop)
                return false;
        for (size_t i = positions_next(from, 0); i != SIZE_MAX; i = positions_next(from, i + 1)) {
                positions_clear(&start);
                positions_clear(&reached);
                positions_add(&start, i);
                if (!budget_spend(m->budget, 1 + (m->text.len - i) / 16) || !run_alternatives(m, group, &start, &reached))
                        return false;
                for (size_t end = i; end <= m->text.len; end++) {
                        if (!(reached.words[end / 64] >> (end % 64) & 1))
                                positions_add(to, end);
                        if (m->flags & PATTERN_PATH && end < m->text.len && m->text.ptr[end] == '/')
                                break;
                }
        }
        return true;
}

static bool take_group(struct matcher *m, const struct pattern_node *node, const struct positions *from, struct positions *to) {
        if (node->op == '?' || node->op == '*')
                add_all(to, from);
        if (node->op == '!')
                return take_other(m, node->group, from, to);
        if (node->op == '*' || node->op == '+')
                return take_repeated(m, node->group, from, to);
        return run_alternatives(m, node->group, from, to);
}

/* Adds to `to` every position that can be reached from `from`. False when the work stopped. */
bool matcher_run(struct matcher *m, const struct pattern *pattern, const struct positions *from, struct positions *to) {
        struct arena_mark mark = arena_mark(m->budget->arena);
        struct positions now = positions_none(m), after = positions_none(m), swap;
        bool ok = m->budget->stop == BUDGET_GOES_ON;

        if (ok)
                add_all(&now, from);
        for (size_t i = 0; ok && i < pattern->count && !positions_is_none(&now); i++) {
                const struct pattern_node *node = &pattern->nodes[i];

                ok = budget_spend(m->budget, 1 + (now.last - now.first) * 8);
                if (node->kind == GLOB_STAR || node->kind == GLOB_ANYTHING)
                        take_any_number(m, node->kind == GLOB_STAR && m->flags & PATTERN_PATH, &now, &after);
                else if (node->kind == GLOB_GROUP)
                        ok = ok && take_group(m, node, &now, &after);
                else
                        take_one(m, node, &now, &after);
                positions_clear(&now);
                swap = now;
                now = after;
                after = swap;
        }
        if (ok)
                add_all(to, &now);
        arena_rewind(m->budget->arena, mark);
        return ok;
}

/* ---- backwards ---- */

struct pattern *pattern_reverse(struct budget *budget, const struct pattern *pattern) {
        struct pattern *result = BUDGET_NEW(budget, struct pattern);

        if (!result || !budget_spend(budget, pattern->count / 4))
                return NULL;
        *result = *pattern;
        result->nodes = budget_alloc(budget, sizeof(*result->nodes) * (pattern->count + 1));
        for (size_t i = 0; result->nodes && i < pattern->count; i++) {
                struct pattern_node *node = &result->nodes[i];
                const struct pattern **tail;

                *node = pattern->nodes[pattern->count - 1 - i];
                if (node->kind != GLOB_GROUP)
                        continue;
                tail = &node->group;
                for (const struct pattern *p = *tail; p; p = p->next) {
                        struct pattern *alternative = pattern_reverse(budget, p);

                        if (!alternative)
                                return NULL;
                        alternative->next = NULL;
                        *tail = alternative;
                        tail = &alternative->next;
                }
        }
        return result->nodes ? result : NULL;
}

struct str pattern_reverse_text(struct budget *budget, struct str text) {
        char *copy = budget_spend(budget, text.len / 16) ? budget_alloc(budget, text.len + 1) : NULL;

        for (size_t i = 0; copy && i < text.len; i++)
                copy[i] = text.ptr[text.len - 1 - i];
        return str_from(copy, copy ? text.len : 0);
}

/* ---- the questions ---- */

/* Where bytes and characters may differ we do not know; neither where the pattern is unknown. */
bool pattern_can_tell(const struct pattern *pattern, struct str text) {
        if (pattern->unknown && !(pattern->flags & PATTERN_MAY))
                return false;
        if (pattern->flags & PATTERN_MAY)
                return true;
        return str_is_ascii(text) ? true : pattern->ascii && !pattern->wild && !(pattern->flags & PATTERN_NOCASE);
}

struct matcher matcher_new(struct budget *budget, const struct pattern *pattern, struct str text) {
        return (struct matcher){ budget, text, text.len / 64 + 1, pattern->flags };
}

/* All ends of matches that start at `start`. */
bool matcher_ends(struct matcher *m, const struct pattern *pattern, size_t start, struct positions *ends) {
        struct positions from = positions_none(m);

        if (m->budget->stop)
                return false;
        positions_add(&from, start);
        return matcher_run(m, pattern, &from, ends);
}

enum truth pattern_match(struct budget *budget, const struct pattern *pattern, struct str text) {
        struct matcher m = matcher_new(budget, pattern, text);
        struct arena_mark mark = arena_mark(budget->arena);
        struct positions ends = positions_none(&m);
        enum truth truth = TRUTH_MAYBE;

        if (pattern_can_tell(pattern, text) && ends.words && matcher_ends(&m, pattern, 0, &ends))
                truth = positions_last(&ends) == text.len ? TRUTH_YES : TRUTH_NO;
        arena_rewind(budget->arena, mark);
        return truth;
}

enum truth pattern_match_prefix(struct budget *budget, const struct pattern *pattern, struct str text, bool longest,
                                size_t *ret_length) {
        struct matcher m = matcher_new(budget, pattern, text);
        struct arena_mark mark = arena_mark(budget->arena);
        struct positions ends = positions_none(&m);
        enum truth truth = TRUTH_MAYBE;
        size_t end;

        if (pattern_can_tell(pattern, text) && ends.words && matcher_ends(&m, pattern, 0, &ends)) {
                end = longest ? positions_last(&ends) : positions_next(&ends, 0);
                truth = end == SIZE_MAX ? TRUTH_NO : TRUTH_YES;
                if (truth == TRUTH_YES)
                        *ret_length = end;
        }
        arena_rewind(budget->arena, mark);
        return truth;
}

enum truth pattern_match_suffix(struct budget *budget, const struct pattern *pattern, struct str text, bool longest,
                                size_t *ret_length) {
        struct arena_mark mark = arena_mark(budget->arena);
        const struct pattern *backwards = pattern_can_tell(pattern, text) ? pattern_reverse(budget, pattern) : NULL;
        struct str reversed = backwards ? pattern_reverse_text(budget, text) : STR("");
        enum truth truth = TRUTH_MAYBE;

        if (backwards && reversed.len == text.len)
                truth = pattern_match_prefix(budget, backwards, reversed, longest, ret_length);
        arena_rewind(budget->arena, mark);
        return truth;
}
