#include "bash/eval/value.h"

static const char *const unknown_names[UNKNOWN_COUNT] = {
        [UNKNOWN_NOTHING] = "known",
        [UNKNOWN_ENV] = "environment",
        [UNKNOWN_OUTPUT] = "output",
        [UNKNOWN_PROCESS] = "process",
        [UNKNOWN_POSITIONAL] = "positional",
        [UNKNOWN_SPECIAL] = "special",
        [UNKNOWN_FILES] = "files",
        [UNKNOWN_INPUT] = "input",
        [UNKNOWN_ARITHMETIC] = "arithmetic",
        [UNKNOWN_CODE] = "code",
        [UNKNOWN_LOOP] = "loop",
        [UNKNOWN_LOCALE] = "locale",
        [UNKNOWN_SPLIT] = "split",
        [UNKNOWN_OPTION] = "option",
        [UNKNOWN_ERROR] = "error",
        [UNKNOWN_TOO_COMPLEX] = "too complex",
};

const char *unknown_name(enum unknown because) {
        return because < UNKNOWN_COUNT ? unknown_names[because] : "unknown";
}

/* ---- building ---- */

static void builder_add(struct builder *b, const struct piece *piece, bool quoted) {
        static const struct piece too_complex = { .kind = PIECE_UNKNOWN, .because = UNKNOWN_TOO_COMPLEX };
        struct piece *copy;

        if (b->full)
                return;
        if (piece->because == UNKNOWN_TOO_COMPLEX && b->last && b->last->because == UNKNOWN_TOO_COMPLEX)
                return; /* once is enough */
        if (b->count >= VALUE_MAX_PIECES || piece->text.len > VALUE_MAX_BYTES - b->bytes) {
                b->full = true;
                if (b->last && b->last->because == UNKNOWN_TOO_COMPLEX)
                        return;
                piece = &too_complex;
        }
        if (!budget_spend(b->budget, 1) || !(copy = BUDGET_NEW(b->budget, struct piece)))
                return;
        *copy = *piece;
        copy->next = NULL;
        copy->quoted = quoted;
        if (b->last)
                b->last->next = copy;
        else
                b->first = copy;
        b->last = copy;
        b->count++;
        b->bytes += piece->kind == PIECE_TEXT ? piece->text.len : 0;
}

void builder_text(struct builder *b, struct str text, bool quoted) {
        struct piece *last = b->last;

        if (text.len == 0 || b->full)
                return;
        /* what stood side by side in memory still does: no new piece */
        if (last && last->kind == PIECE_TEXT && last->quoted == quoted && last->text.ptr + last->text.len == text.ptr &&
            text.len <= VALUE_MAX_BYTES - b->bytes) {
                last->text.len += text.len;
                b->bytes += text.len;
                return;
        }
        builder_add(b, &(const struct piece){ .kind = PIECE_TEXT, .text = text }, quoted);
}

#define BYTES_4(n) (char)(n), (char)((n) + 1), (char)((n) + 2), (char)((n) + 3)
#define BYTES_16(n) BYTES_4(n), BYTES_4((n) + 4), BYTES_4((n) + 8), BYTES_4((n) + 12)
#define BYTES_64(n) BYTES_16(n), BYTES_16((n) + 16), BYTES_16((n) + 32), BYTES_16((n) + 48)

void builder_char(struct builder *b, char c, bool quoted) {
        static const char every_byte[256] = { BYTES_64(0), BYTES_64(64), BYTES_64(128), BYTES_64(192) };

        builder_text(b, str_from(&every_byte[(unsigned char)c], 1), quoted);
}

void builder_piece(struct builder *b, const struct piece *piece, bool quoted) {
        if (piece->kind == PIECE_TEXT)
                builder_text(b, piece->text, quoted);
        else
                builder_add(b, piece, quoted);
}

void builder_value(struct builder *b, struct value value, bool quoted) {
        for (const struct piece *p = value.pieces; p && !b->full; p = p->next)
                builder_piece(b, p, quoted);
}

void builder_unknown(struct builder *b, enum unknown because, struct str name, bool quoted) {
        builder_add(b, &(const struct piece){ .kind = PIECE_UNKNOWN, .because = because, .text = name }, quoted);
}

struct builder_mark builder_mark(const struct builder *b) {
        return (struct builder_mark){ *b, b->last ? b->last->text : STR("") };
}

void builder_rewind(struct builder *b, struct builder_mark mark) {
        *b = mark.builder;
        if (b->last) {
                b->last->next = NULL;
                b->last->text = mark.last_text;
        }
}

static bool mergeable(const struct piece *a, const struct piece *b, bool keep_quotes) {
        return a->kind == PIECE_TEXT && b->kind == PIECE_TEXT && (!keep_quotes || a->quoted == b->quoted);
}

/* One text out of those from `piece` up to `end`. */
static struct piece *merge(struct budget *budget, const struct piece *piece, const struct piece *end, size_t bytes) {
        struct piece *merged = BUDGET_NEW(budget, struct piece);
        char *text = budget_bytes(budget, bytes), *to = text;

        if (!merged || !text)
                return NULL;
        *merged = *piece;
        merged->text = str_from(text, bytes);
        for (; piece != end; piece = piece->next) {
                memcpy(to, piece->text.ptr, piece->text.len);
                to += piece->text.len;
        }
        return merged;
}

struct value builder_finish(struct builder *b, bool keep_quotes) {
        const struct piece *first = NULL, *end;
        struct piece *last = NULL, *made;

        for (const struct piece *p = b->first; p; p = end) {
                size_t bytes = p->text.len;

                for (end = p->next; end && mergeable(p, end, keep_quotes); end = end->next)
                        bytes += end->text.len;
                made = (struct piece *)p;
                if (end != p->next && !(made = merge(b->budget, p, end, bytes)))
                        break;
                if (last)
                        last->next = made;
                else
                        first = made;
                last = made;
        }
        if (last)
                last->next = NULL;
        return (struct value){ first };
}

struct value value_text(struct budget *budget, struct str text) {
        struct builder b = { .budget = budget };

        builder_text(&b, text, false);
        return (struct value){ b.first };
}

struct value value_unknown(struct budget *budget, enum unknown because, struct str name) {
        struct builder b = { .budget = budget };

        builder_unknown(&b, because, name, false);
        return (struct value){ b.first };
}

struct value value_home(struct budget *budget, struct str user) {
        struct builder b = { .budget = budget };

        builder_add(&b, &(const struct piece){ .kind = PIECE_HOME, .text = user }, false);
        return (struct value){ b.first };
}

struct value value_number(struct budget *budget, int64_t number) {
        uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
        char digits[24], *to, *p = digits + sizeof(digits);
        size_t len;

        do
                *--p = (char)('0' + rest % 10);
        while (rest /= 10);
        if (number < 0)
                *--p = '-';
        len = (size_t)(digits + sizeof(digits) - p);
        to = budget_bytes(budget, len);
        if (!to)
                return (struct value){ NULL };
        memcpy(to, p, len);
        return value_text(budget, str_from(to, len));
}

/* ---- asking ---- */

bool value_known(struct value value, struct str *ret_text) {
        const struct piece *p = value.pieces;

        if (p && (p->next || p->kind != PIECE_TEXT))
                return false;
        *ret_text = p ? p->text : STR("");
        return true;
}

static bool piece_equal(const struct piece *a, const struct piece *b) {
        return a->kind == b->kind && a->because == b->because && a->part == b->part && a->content == b->content &&
               a->origin == b->origin && str_eq(a->text, b->text);
}

bool value_equal(struct budget *budget, struct value a, struct value b) {
        const struct piece *p = a.pieces, *q = b.pieces;

        for (; p && q && p != q; p = p->next, q = q->next)
                if (!budget_spend(budget, 1 + p->text.len / 64) || !piece_equal(p, q))
                        return false;
        return p == q;
}

enum truth value_empty(struct value value) {
        enum truth truth = TRUTH_YES;

        for (const struct piece *p = value.pieces; p; p = p->next) {
                if (p->kind == PIECE_HOME || p->number || p->nonempty || p->because == UNKNOWN_PROCESS ||
                    (p->kind == PIECE_TEXT && p->text.len))
                        return TRUTH_NO;
                truth = p->kind == PIECE_UNKNOWN ? TRUTH_MAYBE : truth;
        }
        return truth;
}

const struct piece *value_unknown_piece(struct value value) {
        const struct piece *p = value.pieces;

        while (p && p->kind != PIECE_UNKNOWN)
                p = p->next;
        return p;
}

bool str_is_name(struct str s) {
        if (s.len == 0 || is_ascii_digit((unsigned char)s.ptr[0]))
                return false;
        for (size_t i = 0; i < s.len; i++)
                if (!is_ascii_alnum((unsigned char)s.ptr[i]) && s.ptr[i] != '_')
                        return false;
        return true;
}

bool str_is_ascii(struct str s) {
        for (size_t i = 0; i < s.len; i++)
                if ((unsigned char)s.ptr[i] >= 0x80)
                        return false;
        return true;
}
