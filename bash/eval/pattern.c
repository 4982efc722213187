/*
 * Reading patterns. The text of the pieces is laid out flat, one 16-bit unit for each byte, which says whether it is quoted;
 * from there it becomes nodes. Matching is in pattern_match.c.
 */
#include "bash/eval/pattern_node.h"

enum { UNIT_QUOTED = 0x100, UNIT_UNKNOWN = 0x200, GROUP_MAX_DEPTH = 32 };

struct reader {
        struct budget *budget;
        const uint16_t *units;
        size_t pos, end;
        unsigned flags, depth;
        struct pattern *top; /* collects wild, ascii, unknown */
};

static struct pattern *read_nodes(struct reader *r, bool in_group);

static size_t count_units(struct value value) {
        size_t n = 0;

        for (const struct piece *p = value.pieces; p; p = p->next)
                n += p->kind == PIECE_TEXT ? p->text.len : 1;
        return n;
}

static uint16_t *lay_out(struct budget *budget, struct value value, size_t count) {
        uint16_t *units = budget_spend(budget, count / 16) ? budget_alloc(budget, sizeof(*units) * (count + 1)) : NULL,
                 *to = units;

        for (const struct piece *p = value.pieces; units && p; p = p->next) {
                if (p->kind != PIECE_TEXT)
                        *to++ = UNIT_UNKNOWN;
                for (size_t i = 0; p->kind == PIECE_TEXT && i < p->text.len; i++)
                        *to++ = (uint16_t)((unsigned char)p->text.ptr[i] | (p->quoted ? UNIT_QUOTED : 0));
        }
        return units;
}

/* ---- [...] ---- */

static const struct {
        const char *name, *ranges; /* pairs of first and last byte */
} classes[] = {
        { "alnum", "azAZ09" },
        { "alpha", "azAZ" },
        { "ascii", "\x01\x7f" },
        { "blank", "  \t\t" },
        { "cntrl", "\x01\x1f\x7f\x7f" },
        { "digit", "09" },
        { "graph", "!~" },
        { "lower", "az" },
        { "print", " ~" },
        { "punct", "!/:@[`{~" },
        { "space", "  \t\r" },
        { "upper", "AZ" },
        { "word", "azAZ09__" },
        { "xdigit", "09afAF" },
};

static void set_range(struct pattern_set *set, unsigned first, unsigned last) {
        for (unsigned c = first; c <= last; c++)
                set->bits[c / 64] |= (uint64_t)1 << (c % 64);
}

static bool set_class(struct pattern_set *set, struct str name) {
        for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
                if (!str_is(name, classes[i].name))
                        continue;
                for (const char *c = classes[i].ranges; *c; c += 2)
                        set_range(set, (unsigned char)c[0], (unsigned char)c[1]);
                return true;
        }
        return false;
}

/* [:name:] at `pos`, which is behind the inner [. Moves it behind the inner ]. */
static bool read_class(struct reader *r, size_t *pos, struct pattern_set *set) {
        char name[16];
        size_t n = 0, p = *pos + 1;

        while (p < r->end && r->units[p] < 0x80 && is_ascii_alpha((unsigned char)r->units[p]) && n < sizeof(name))
                name[n++] = (char)r->units[p++];
        if (p + 1 >= r->end || r->units[p] != ':' || r->units[p + 1] != ']')
                return false;
        *pos = p + 2;
        if (!set_class(set, str_from(name, n)))
                r->top->unknown = true;
        return true;
}

/* One member, unescaped; moves past it. */
static unsigned set_member(struct reader *r, size_t *pos) {
        uint16_t unit = r->units[(*pos)++];

        if (unit == '\\' && *pos < r->end)
                unit = r->units[(*pos)++];
        if (unit & UNIT_UNKNOWN)
                r->top->unknown = true;
        if (unit & 0x80)
                r->top->ascii = false;
        return unit & 0xff;
}

static void read_member(struct reader *r, size_t *pos, struct pattern_set *set) {
        unsigned first, last;

        if (r->units[*pos] == '[' && *pos + 1 < r->end && r->units[*pos + 1] < 0x100 && strchr(":.=", r->units[*pos + 1])) {
                size_t inner = *pos + 1;

                if (r->units[inner] == ':' && read_class(r, &inner, set)) {
                        *pos = inner;
                        return;
                }
                if (r->units[inner] != ':') /* [.x.] and [=x=] ask the locale */
                        r->top->unknown = true;
        }
        first = last = set_member(r, pos);
        if (*pos + 1 < r->end && r->units[*pos] == '-' && (r->units[*pos + 1] & 0x1ff) != ']') {
                ++*pos;
                last = set_member(r, pos);
                if (last < first) /* bash: an empty range makes the whole bracket match nothing, or so it should be */
                        r->top->unknown = true;
        }
        set_range(set, first, last);
}

static bool read_set(struct reader *r, struct pattern_node *node) {
        struct pattern_set *set = BUDGET_NEW(r->budget, struct pattern_set);
        size_t pos = r->pos;
        bool negated = false;

        if (!set)
                return false;
        if (pos < r->end && (r->units[pos] == '!' || r->units[pos] == '^')) {
                negated = true;
                pos++;
                r->top->odd |= pos < r->end && r->units[pos] == ']';
        }
        for (size_t first = pos; pos < r->end;) {
                if (r->units[pos] == ']' && pos > first) {
                        r->pos = pos + 1;
                        for (int i = 0; negated && i < 4; i++)
                                set->bits[i] = ~set->bits[i];
                        *node = (struct pattern_node){ .kind = GLOB_SET, .set = set };
                        r->top->wild = true;
                        return true;
                }
                read_member(r, &pos, set);
        }
        budget_spend(r->budget, (pos - r->pos) / 8);
        return false; /* no closing bracket: a plain [ */
}

/* ---- groups ---- */

/* The alternatives of the group whose parenthesis is open. One that never closes makes the rest of the pattern unknown. */
static struct pattern_node read_group(struct reader *r, char op) {
        const struct pattern *first = NULL;
        struct pattern **tail = (struct pattern **)&first;

        r->top->wild = true;
        for (r->depth++; r->depth <= GROUP_MAX_DEPTH; r->pos++) {
                struct pattern *alternative = read_nodes(r, true);

                if (!alternative || r->pos >= r->end)
                        break;
                *tail = alternative;
                tail = (struct pattern **)&alternative->next;
                if (r->units[r->pos] == ')') {
                        r->pos++;
                        r->depth--;
                        return (struct pattern_node){ .kind = GLOB_GROUP, .op = op, .group = first };
                }
        }
        r->pos = r->end;
        r->top->unknown = true;
        return (struct pattern_node){ .kind = GLOB_ANYTHING };
}

static bool opens_group(const struct reader *r, uint16_t unit) {
        return (r->flags & PATTERN_EXTGLOB) && unit < 0x80 && unit && strchr("?*+@!", unit) && r->pos < r->end &&
               r->units[r->pos] == '(';
}

/* ---- nodes ---- */

static struct pattern_node plain(struct reader *r, uint16_t unit) {
        if (unit & 0x80)
                r->top->ascii = false;
        return (struct pattern_node){ .kind = GLOB_BYTE, .byte = (unsigned char)unit };
}

static struct pattern_node read_node(struct reader *r) {
        uint16_t unit = r->units[r->pos++];
        struct pattern_node node;

        if (unit & UNIT_UNKNOWN) {
                r->top->unknown = true;
                return (struct pattern_node){ .kind = GLOB_ANYTHING };
        }
        if (opens_group(r, unit)) {
                r->pos++;
                return read_group(r, (char)unit);
        }
        if (unit == '\\' && r->pos < r->end && !(r->units[r->pos] & UNIT_UNKNOWN))
                return plain(r, r->units[r->pos++]);
        if (unit == '[' && read_set(r, &node))
                return node;
        if (unit == '?')
                r->top->wild = true;
        if (unit == '?' || unit == '*')
                return (struct pattern_node){ .kind = unit == '?' ? GLOB_ANY : GLOB_STAR };
        return plain(r, unit);
}

/* Up to the end, or to the | or ) that ends an alternative. */
static struct pattern *read_nodes(struct reader *r, bool in_group) {
        struct pattern *pattern = BUDGET_NEW(r->budget, struct pattern);
        size_t capacity = 0;

        while (pattern && r->pos < r->end) {
                if (in_group && (r->units[r->pos] == '|' || r->units[r->pos] == ')'))
                        break;
                if (!budget_spend(r->budget, 1) ||
                    !budget_room(r->budget, &pattern->nodes, pattern->count, &capacity, sizeof(*pattern->nodes)))
                        return NULL;
                struct pattern_node node = read_node(r);
                /* ** says no more than * */
                if (node.kind == GLOB_STAR && pattern->count && pattern->nodes[pattern->count - 1].kind == GLOB_STAR)
                        continue;
                pattern->nodes[pattern->count++] = node;
        }
        return pattern;
}

struct pattern *pattern_compile(struct budget *budget, struct value value, unsigned flags) {
        struct pattern seen = { .ascii = true };
        struct reader r = { .budget = budget, .flags = flags, .end = count_units(value), .top = &seen };
        struct pattern *pattern;

        r.units = lay_out(budget, value, r.end);
        pattern = r.units ? read_nodes(&r, false) : NULL;
        if (!pattern)
                return NULL;
        pattern->flags = flags;
        pattern->wild = seen.wild;
        pattern->ascii = seen.ascii;
        pattern->unknown = seen.unknown;
        pattern->odd = seen.odd;
        return pattern;
}

/* ---- is it one at all? ---- */

/* Follows bash: * or ?, a [ with a ] somewhere behind it, an extended opener. A backslash from an expansion hides a byte. */
bool pattern_is_glob(struct value value, bool extglob) {
        bool bracket = false;
        char before = 0;

        for (const struct piece *p = value.pieces; p; p = p->next) {
                if (p->kind != PIECE_TEXT || p->quoted) {
                        before = 0;
                        continue;
                }
                for (size_t i = 0; i < p->text.len; i++) {
                        char c = p->text.ptr[i];

                        if (before == '\\') {
                                before = 0;
                                continue;
                        }
                        if (c == '*' || c == '?' || (c == ']' && bracket) ||
                            (extglob && c == '(' && before && strchr("+@!", before)))
                                return true;
                        bracket |= c == '[';
                        before = c;
                }
        }
        return false;
}

size_t pattern_literal_prefix(const struct piece *piece, bool extglob) {
        size_t i;

        if (piece->kind != PIECE_TEXT)
                return 0;
        for (i = 0; i < piece->text.len && !piece->quoted; i++) {
                char c = piece->text.ptr[i];

                if (c == '*' || c == '?' || c == '[' || c == '\\' ||
                    (extglob && strchr("+@!", c) && i + 1 < piece->text.len && piece->text.ptr[i + 1] == '('))
                        break;
        }
        return piece->quoted ? piece->text.len : i;
}
