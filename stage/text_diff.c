#include "stage/text_diff.h"

#include <stdint.h>
#include <string.h>

/*
 * E. W. Myers, An O(ND) Difference Algorithm and Its Variations (1986): the furthest point that can be reached on each diagonal
 * with so many differences, until one is the end. All steps are kept, and followed back.
 */
enum { CONTEXT = 3, DIFFERENCES_MAX = 2000, BINARY_LOOK = 8000, LINES_LONGEST = 1 << 22 };

struct lines {
        const struct str *items; /* with their newline */
        size_t count;
};

/* A line of the answer: of both, or only of one. */
enum side { BOTH, BEFORE, AFTER };

struct script {
        unsigned char *sides; /* from the end on, while it is made */
        size_t count;
};

bool text_is_binary(struct str text) {
        return memchr(text.ptr ? text.ptr : "", 0, text.len < BINARY_LOOK ? text.len : BINARY_LOOK) != NULL;
}

static int split(struct str text, struct arena *arena, struct lines *ret, struct err *err) {
        static const struct str none;
        size_t count = 0, room = 0, at = 0;
        struct str *items = NULL;

        while (at < text.len) {
                const char *end = memchr(text.ptr + at, '\n', text.len - at);
                size_t len = end ? (size_t)(end - text.ptr) + 1 - at : text.len - at;

                if (!arena_room(arena, &items, count, &room, sizeof(*items)))
                        return err_memory(err);
                items[count++] = str_from(text.ptr + at, len);
                at += len;
        }
        *ret = (struct lines){ items ? items : &none, count };
        return count > LINES_LONGEST ? err_set(err, ERR_TOO_COMPLEX, "more than %d lines", LINES_LONGEST) : 0;
}

static void put(struct script *script, enum side side) {
        script->sides[script->count++] = (unsigned char)side;
}

static void put_many(struct script *script, enum side side, size_t count) {
        for (size_t i = 0; i < count; i++)
                put(script, side);
}

/* One step of the search: how far each diagonal got. Diagonal k is at index k + d. */
struct step {
        int32_t *far;
};

static int32_t further(const struct step *last, int d, int k) {
        /* of the step before, diagonal j is at j + d - 1 */
        if (k == -d || (k != d && last->far[k - 1 + d - 1] < last->far[k + 1 + d - 1]))
                return last->far[k + 1 + d - 1];
        return last->far[k - 1 + d - 1] + 1;
}

/* Returns the number of differences; -1: too many, or no memory. */
static int search(const struct lines *a, const struct lines *b, struct arena *arena, struct step *steps) {
        int n = (int)a->count, m = (int)b->count, most = n + m < DIFFERENCES_MAX ? n + m : DIFFERENCES_MAX;

        for (int d = 0; d <= most; d++) {
                steps[d].far = arena_alloc(arena, (size_t)(2 * d + 1) * sizeof(int32_t));
                if (!steps[d].far)
                        return -1;
                for (int k = -d; k <= d; k += 2) {
                        int32_t x = d == 0 ? 0 : further(&steps[d - 1], d, k);
                        int32_t y = x - k;

                        while (x < n && y >= 0 && y < m && str_eq(a->items[x], b->items[y])) {
                                x++;
                                y++;
                        }
                        steps[d].far[k + d] = x;
                        if (x >= n && y >= m)
                                return d;
                }
        }
        return -1;
}

/* From the end to the beginning. */
static void follow(const struct lines *a, const struct lines *b, const struct step *steps, int differences,
                   struct script *out) {
        int32_t x = (int32_t)a->count, y = (int32_t)b->count;

        for (int d = differences; d > 0; d--) {
                const struct step *last = &steps[d - 1];
                int k = x - y;
                bool down = k == -d || (k != d && last->far[k - 1 + d - 1] < last->far[k + 1 + d - 1]);
                int from = down ? k + 1 : k - 1;
                int32_t start = last->far[from + d - 1];
                int32_t from_y = start - from;

                put_many(out, BOTH, (size_t)(x - (down ? start : start + 1)));
                put(out, down ? AFTER : BEFORE);
                x = start;
                y = from_y;
        }
        put_many(out, BOTH, (size_t)x);
}

static size_t common_start(const struct lines *a, const struct lines *b) {
        size_t i = 0;

        while (i < a->count && i < b->count && str_eq(a->items[i], b->items[i]))
                i++;
        return i;
}

static size_t common_end(const struct lines *a, const struct lines *b, size_t start) {
        size_t i = 0;

        while (i < a->count - start && i < b->count - start && str_eq(a->items[a->count - 1 - i], b->items[b->count - 1 - i]))
                i++;
        return i;
}

static int compare(const struct lines *a, const struct lines *b, struct arena *arena, struct script *ret, struct err *err) {
        size_t start = common_start(a, b), end = common_end(a, b, start);
        const struct lines one = { a->items + start, a->count - start - end },
                           other = { b->items + start, b->count - start - end };
        struct step *steps = arena_alloc(arena, (DIFFERENCES_MAX + 1) * sizeof(*steps));
        int differences;

        ret->sides = arena_alloc(arena, a->count + b->count + 1);
        if (!steps || !ret->sides)
                return err_memory(err);
        differences = search(&one, &other, arena, steps);
        put_many(ret, BOTH, end);
        if (differences >= 0) {
                follow(&one, &other, steps, differences, ret);
        } else {
                put_many(ret, AFTER, other.count);
                put_many(ret, BEFORE, one.count);
        }
        put_many(ret, BOTH, start);
        for (size_t i = 0, j = ret->count; i + 1 < j; i++) { /* in order */
                unsigned char side = ret->sides[i];

                ret->sides[i] = ret->sides[--j];
                ret->sides[j] = side;
        }
        return 0;
}

/* ---- hunks ---- */

struct printer {
        const struct lines *a, *b;
        const struct script *script;
        struct buf *out;
};

static void put_line(struct printer *p, char mark, struct str line) {
        buf_char(p->out, mark);
        buf_append(p->out, line);
        if (!str_ends(line, STR("\n")))
                buf_append(p->out, STR("\n\\ No newline at end of file\n"));
}

static void put_range(struct printer *p, size_t first, size_t count) {
        buf_format(p->out, count == 1 ? "%zu" : "%zu,%zu", count ? first + 1 : first, count);
}

/* The end of the hunk that begins with the difference at `i`: where more than twice the context is the same. */
static size_t hunk_end(const struct script *script, size_t i) {
        size_t last = i;

        for (; i < script->count && i <= last + 2 * (size_t)CONTEXT; i++)
                if (script->sides[i] != BOTH)
                        last = i;
        return last + 1;
}

static void put_hunk(struct printer *p, size_t from, size_t to, size_t x, size_t y) {
        size_t removed = 0, added = 0;

        for (size_t i = from; i < to; i++) {
                removed += p->script->sides[i] != AFTER;
                added += p->script->sides[i] != BEFORE;
        }
        buf_append(p->out, STR("@@ -"));
        put_range(p, x, removed);
        buf_append(p->out, STR(" +"));
        put_range(p, y, added);
        buf_append(p->out, STR(" @@\n"));
        for (size_t i = from; i < to; i++)
                switch ((enum side)p->script->sides[i]) {
                case BOTH:
                        put_line(p, ' ', p->a->items[x++]);
                        y++;
                        break;
                case BEFORE:
                        put_line(p, '-', p->a->items[x++]);
                        break;
                case AFTER:
                        put_line(p, '+', p->b->items[y++]);
                        break;
                }
}

static void put_hunks(struct printer *p) {
        size_t x = 0, y = 0, i = 0;

        while (i < p->script->count) {
                size_t first = i, from, to;

                while (first < p->script->count && p->script->sides[first] == BOTH)
                        first++;
                if (first == p->script->count)
                        return;
                from = first - i > CONTEXT ? first - CONTEXT : i;
                x += from - i;
                y += from - i;
                to = hunk_end(p->script, first);
                for (int k = 0; k < CONTEXT && to < p->script->count; k++)
                        to++;
                put_hunk(p, from, to, x, y);
                for (i = from; i < to; i++) {
                        x += p->script->sides[i] != AFTER;
                        y += p->script->sides[i] != BEFORE;
                }
        }
}

int text_diff(struct str before, struct str after, struct arena *arena, struct text_diff *ret, struct buf *out,
              struct err *err) {
        struct script script = {};
        struct lines a, b;
        struct printer printer = { &a, &b, &script, out };

        if (split(before, arena, &a, err) < 0 || split(after, arena, &b, err) < 0 || compare(&a, &b, arena, &script, err) < 0)
                return -1;
        *ret = (struct text_diff){};
        for (size_t i = 0; i < script.count; i++) {
                ret->removed += script.sides[i] == BEFORE;
                ret->added += script.sides[i] == AFTER;
        }
        put_hunks(&printer);
        return out->failed ? err_set(err, ERR_TOO_COMPLEX, "the differences are too large to be shown") : 0;
}
