/*
 * The word is laid out flat: one unit for each byte outside quotes, one for each other part. One pass over it pairs the braces,
 * so that any number of them that lead nowhere costs no more than reading them. The rules, odd ones included, are those of
 * bash's braces.c: a { closes at the first } on its own level that has a comma or .. before it.
 */
#include "bash/eval/brace_internal.h"

/* ---- laying out ---- */

static bool worth_trying(const struct word *word) {
        bool open = false;

        for (const struct part *p = word->parts; p; p = p->next) {
                if (p->kind != PART_LITERAL)
                        continue;
                if (open ? memchr(p->text.ptr, '}', p->text.len) != NULL : false)
                        return true;
                const char *brace = p->text.len ? memchr(p->text.ptr, '{', p->text.len) : NULL;
                if (!brace)
                        continue;
                open = true;
                if (memchr(brace, '}', p->text.len - (size_t)(brace - p->text.ptr)))
                        return true;
        }
        return false;
}

/* bash pairs quotes here without minding ${...} and backticks: quotes inside of those, inside double quotes, make it lose
 * count. What it then takes for quoted, and which braces it finds there, we do not follow. */
static bool has_quotes(const struct word *word) {
        for (const struct part *p = word ? word->parts : NULL; p; p = p->next)
                if (p->kind == PART_DOUBLE || (p->kind == PART_QUOTED && p->style != STYLE_BACKSLASH) ||
                    (p->kind == PART_LITERAL && str_find(p->text, '\'') < p->text.len) ||
                    (p->kind == PART_PARAM && (p->param->arg || p->param->index)))
                        return true;
        return false;
}

/* A brace somewhere inside. */
static bool has_brace(const struct part *p, unsigned depth) {
        for (; p; p = p->next) {
                if (depth > 4 || ((p->kind == PART_LITERAL || (p->kind == PART_QUOTED && p->style != STYLE_BACKSLASH)) &&
                                  str_find(p->text, '{') < p->text.len))
                        return true;
                if (p->kind == PART_DOUBLE && has_brace(p->parts, depth + 1))
                        return true;
                if (p->kind == PART_PARAM && ((p->param->arg && has_brace(p->param->arg->parts, depth + 1)) ||
                                              (p->param->arg2 && has_brace(p->param->arg2->parts, depth + 1))))
                        return true;
        }
        return false;
}

static bool has_brace_in_param(const struct part *p) {
        for (; p; p = p->next)
                if (p->kind == PART_PARAM && p->param->arg && has_brace(p->param->arg->parts, 0))
                        return true;
        return false;
}

static bool loses_count(const struct word *word) {
        for (const struct part *p = word->parts; p; p = p->next) {
                if (p->kind != PART_DOUBLE)
                        continue;
                for (const struct part *q = p->parts; q; q = q->next)
                        if ((q->kind == PART_COMMAND && q->style == STYLE_BACKTICK) || q->kind == PART_ARITH ||
                            (q->kind == PART_PARAM &&
                             (has_quotes(q->param->arg) || has_quotes(q->param->arg2) || has_quotes(q->param->index))))
                                return true;
        }
        return false;
}

static bool lay_out(struct brace *b, const struct word *word) {
        size_t n = 0;

        for (const struct part *p = word->parts; p; p = p->next)
                n += p->kind == PART_LITERAL ? p->text.len : 1;
        if (!budget_spend(b->budget, n / 4))
                return false;
        b->units = budget_alloc(b->budget, n * sizeof(*b->units));
        b->parts = budget_alloc(b->budget, n * sizeof(*b->parts));
        b->offsets = budget_alloc(b->budget, n * sizeof(*b->offsets));
        b->closing = budget_alloc(b->budget, n * sizeof(*b->closing));
        if (!b->closing)
                return false;
        for (const struct part *p = word->parts; p; p = p->next) {
                size_t units = p->kind == PART_LITERAL ? p->text.len : 1;

                for (size_t i = 0; i < units; i++, b->count++) {
                        b->units[b->count] = p->kind == PART_LITERAL ? (unsigned char)p->text.ptr[i] : UNIT_PART;
                        b->parts[b->count] = p;
                        b->offsets[b->count] = (int32_t)i;
                }
        }
        return true;
}

/* ---- pairing ---- */

struct pairs {
        int32_t *match, *parent, *separator; /* of each {: its }, the { around it, the last , or .. directly inside */
};

static bool is_separator(const struct brace *b, int32_t i) {
        if (b->units[i] == ',')
                return true;
        return b->units[i] == '.' && i + 1 < b->count && b->units[i + 1] == '.' &&
               !(i + 2 < b->count && b->units[i + 2] == '}');
}

static void pair(const struct brace *b, const struct pairs *p) {
        int32_t open = NOWHERE;

        for (int32_t i = 0; i < b->count; i++) {
                if (b->units[i] == '{') {
                        p->match[i] = p->separator[i] = NOWHERE;
                        p->parent[i] = open;
                        open = i;
                } else if (b->units[i] == '}' && open != NOWHERE) {
                        p->match[open] = i;
                        p->match[i] = open; /* a paired } knows its { */
                        open = p->parent[open];
                } else if (b->units[i] == '}') {
                        p->match[i] = NOWHERE;
                } else if (open != NOWHERE && is_separator(b, i)) {
                        p->separator[open] = i;
                }
        }
}

/* For each outermost { : the } after its partner that could close it, if what is between has a separator. Uses b->closing. */
static void close_outermost(struct brace *b, const struct pairs *p) {
        int32_t after_separator = NOWHERE, any = NOWHERE;

        for (int32_t i = b->count - 1; i >= 0; i--) {
                if (b->units[i] == '}' && p->match[i] == NOWHERE) {
                        any = i;
                } else if (b->units[i] == '}') {
                        if (p->parent[p->match[i]] == NOWHERE)
                                b->closing[p->match[i]] = after_separator;
                        i = p->match[i];
                } else if (is_separator(b, i)) {
                        after_separator = any;
                }
        }
}

/* A { without a separator before its partner goes on looking where the { around it ends. */
static bool close_all(struct brace *b) {
        struct pairs p = { budget_alloc(b->budget, (size_t)b->count * sizeof(int32_t)),
                           budget_alloc(b->budget, (size_t)b->count * sizeof(int32_t)),
                           budget_alloc(b->budget, (size_t)b->count * sizeof(int32_t)) };

        if (b->budget->stop)
                return false;
        pair(b, &p);
        close_outermost(b, &p);
        for (int32_t i = 0; i < b->count; i++) {
                int32_t around;

                if (b->units[i] != '{')
                        continue;
                around = p.parent[i];
                if (p.match[i] == NOWHERE)
                        b->closing[i] = NOWHERE;
                else if (around != NOWHERE)
                        b->closing[i] = p.match[around] == NOWHERE         ? NOWHERE
                                        : p.separator[around] > p.match[i] ? p.match[around]
                                                                           : b->closing[around];
        }
        for (int32_t i = 0; i < b->count; i++)
                if (b->units[i] == '{' && p.match[i] != NOWHERE && p.separator[i] != NOWHERE)
                        b->closing[i] = p.match[i];
        return true;
}

/* ---- putting words together ---- */

static struct strands fail(struct brace *b) {
        b->failed = true;
        return (struct strands){ NULL, 0 };
}

static struct strands one(struct brace *b, struct slice slice) {
        struct strand *strand = BUDGET_NEW(b->budget, struct strand);

        if (!strand || !(strand->slices = BUDGET_NEW(b->budget, struct slice)))
                return fail(b);
        *strand->slices = slice;
        strand->count = slice.start < 0 || slice.start < slice.end;
        return (struct strands){ strand, 1 };
}

/* Every left one with every right one behind it. */
static struct strands product(struct brace *b, struct strands left, struct strands right) {
        struct strands all = { NULL, left.count * right.count };

        if (b->failed || all.count > BRACE_MAX_WORDS ||
            !(all.items = budget_alloc(b->budget, (all.count + 1) * sizeof(*all.items))))
                return fail(b);
        for (size_t i = 0; i < all.count; i++) {
                const struct strand *l = &left.items[i / right.count], *r = &right.items[i % right.count];
                struct strand *s = &all.items[i];

                s->count = l->count + r->count;
                if (!budget_spend(b->budget, 1 + s->count / 4) ||
                    !(s->slices = budget_alloc(b->budget, (s->count + 1) * sizeof(*s->slices))))
                        return fail(b);
                memcpy(s->slices, l->slices, l->count * sizeof(*s->slices));
                memcpy(s->slices + l->count, r->slices, r->count * sizeof(*s->slices));
        }
        return all;
}

static struct strands sum(struct brace *b, struct strands left, struct strands right) {
        struct strands all = { NULL, left.count + right.count };

        if (b->failed || all.count > BRACE_MAX_WORDS || !budget_spend(b->budget, all.count) ||
            !(all.items = budget_alloc(b->budget, (all.count + 1) * sizeof(*all.items))))
                return fail(b);
        if (left.count)
                memcpy(all.items, left.items, left.count * sizeof(*all.items));
        memcpy(all.items + left.count, right.items, right.count * sizeof(*all.items));
        return all;
}

/* ---- {1..9} ---- */

static struct strands sequence(struct brace *b, const struct brace_sequence *q) {
        uint64_t distance =
                q->first < q->last ? (uint64_t)q->last - (uint64_t)q->first : (uint64_t)q->first - (uint64_t)q->last;
        uint64_t count = distance / (uint64_t)q->step + 1;
        struct strands all = { NULL, 0 };

        b->expanded = true;
        if (q->letters && (q->first <= 'Z') != (q->last <= 'Z'))
                return fail(b); /* runs through [\]^_`, which mean something later */
        if (count > BRACE_MAX_WORDS || q->width > 64 || !(all.items = budget_alloc(b->budget, count * sizeof(*all.items))))
                return fail(b);
        for (; all.count < count; all.count++) {
                int64_t by = (int64_t)all.count * q->step;
                struct str text = brace_sequence_member(b->budget, q, q->first < q->last ? q->first + by : q->first - by);
                struct strands made = one(b, (struct slice){ -1, -1, text });

                if (b->failed || !budget_spend(b->budget, 1))
                        return fail(b);
                all.items[all.count] = made.items[0];
        }
        return all;
}

/* ---- expanding ---- */

static struct strands expand(struct brace *b, int32_t start, int32_t end, unsigned depth);

/* The text between braces, when it is all literal and short enough to be a sequence. */
static bool sequence_inside(struct brace *b, int32_t start, int32_t end, struct brace_sequence *q) {
        char text[80];

        if (end - start > (int32_t)sizeof(text))
                return false;
        for (int32_t i = start; i < end; i++) {
                if (b->units[i] >= UNIT_PART)
                        return false;
                text[i - start] = (char)b->units[i];
        }
        return brace_sequence_read(str_from(text, (size_t)(end - start)), q);
}

static struct strands alternatives(struct brace *b, int32_t start, int32_t end, unsigned depth) {
        struct strands all = { NULL, 0 };
        int32_t from = start, level = 0;

        b->expanded = true;
        for (int32_t i = start; i <= end && !b->failed; i++) {
                if (i == end || (b->units[i] == ',' && level == 0)) {
                        all = sum(b, all, expand(b, from, i, depth + 1));
                        from = i + 1;
                } else if (b->units[i] == '{') {
                        level++;
                } else if (b->units[i] == '}' && level) {
                        level--;
                }
        }
        return all;
}

/* What stands between a pair of braces; false when they mean only themselves. */
static bool inside(struct brace *b, int32_t open, int32_t close, unsigned depth, struct strands *ret) {
        struct brace_sequence q;

        if (!budget_spend(b->budget, 1 + (uint64_t)(close - open) / 8) || depth > BRACE_MAX_DEPTH) {
                *ret = fail(b);
                return true;
        }
        for (int32_t i = open + 1; i < close; i++) {
                if (b->units[i] != ',')
                        continue;
                *ret = alternatives(b, open + 1, close, depth);
                return true;
        }
        if (!sequence_inside(b, open + 1, close, &q))
                return false;
        *ret = sequence(b, &q);
        return true;
}

static struct strands expand(struct brace *b, int32_t start, int32_t end, unsigned depth) {
        struct strands all = one(b, (struct slice){ 0, 0, { 0 } }), middle;
        int32_t pos = start;

        for (int32_t i = start; i < end && !b->failed; i++) {
                int32_t open = i;

                /* bash leaves a {} alone that begins what it looks at */
                if (b->units[i] != '{' || b->closing[i] == NOWHERE || b->closing[i] >= end ||
                    (i == start && b->units[i + 1] == '}'))
                        continue;
                i = b->closing[open];
                start = i + 1;
                if (!inside(b, open, i, depth, &middle))
                        continue;
                if (pos < open)
                        all = product(b, all, one(b, (struct slice){ pos, open, { 0 } }));
                all = product(b, all, middle);
                pos = i + 1;
        }
        return pos < end ? product(b, all, one(b, (struct slice){ pos, end, { 0 } })) : all;
}

const struct word *brace_expand(struct budget *budget, const struct word *word) {
        struct brace b = { .budget = budget };
        struct strands all;

        if (!has_brace(word->parts, 0))
                return word;
        if (loses_count(word))
                return NULL;
        if (!worth_trying(word))
                return word;
        if (has_brace_in_param(word->parts))
                return NULL; /* ${x-{}{a,b}: bash counts the brace inside, too */
        if (!lay_out(&b, word) || !close_all(&b))
                return NULL;
        all = expand(&b, 0, b.count, 0);
        if (b.failed)
                return NULL;
        if (!b.expanded)
                return word;
        return brace_make_words(&b, word, all);
}
