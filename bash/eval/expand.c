/*
 * Words to fields: braces, tildes, quotes, and whatever begins with a dollar, in bash's order.
 */
#include "bash/eval/brace.h"
#include "bash/eval/interp.h"

/* ---- tildes ---- */

/* Bytes of `text` that a tilde at its start speaks for, itself included; 0 when it is only a tilde. `more`: something follows
 * the text that belongs to the same word, and a quote or an expansion there would spoil it. */
static size_t tilde_length(struct str text, bool colons, bool more) {
        size_t i;

        if (!text.len || text.ptr[0] != '~')
                return 0;
        for (i = 1; i < text.len; i++) {
                char c = text.ptr[i];

                if (c == '/' || (colons && c == ':'))
                        return i;
                if (!is_ascii_alnum((unsigned char)c) && !strchr("_-+.", c))
                        return 0;
        }
        return more ? 0 : i;
}

static void emit_tilde(struct emit *e, struct str who) {
        struct budget *budget = &e->w->budget;
        struct value value;
        bool unset = false;

        if (who.len == 0)
                value = walk_scalar(e->w, STR("HOME"), &unset);
        else if (str_is(who, "+"))
                value = walk_scalar(e->w, STR("PWD"), &unset);
        else if (str_is(who, "-"))
                value = walk_scalar(e->w, STR("OLDPWD"), &unset);
        else if (who.ptr[0] == '+' || who.ptr[0] == '-' || is_ascii_digit((unsigned char)who.ptr[0]))
                value = value_unknown(budget, UNKNOWN_SPECIAL, STR("DIRSTACK"));
        else
                value = value_home(budget, who);
        if (unset)
                value = value_home(budget, STR("")); /* HOME unset: what the password file says */
        emit_mark(e);
        emit_value(e, value, true);
}

/* A literal in which tildes may stand: at `pos`, and after each colon. */
static void emit_tildes(struct emit *e, struct str text, bool colons, bool at_start, bool more) {
        size_t start = 0;

        for (size_t i = 0; i < text.len; i++) {
                size_t n;

                if (!(i == 0 ? at_start : colons && text.ptr[i - 1] == ':'))
                        continue;
                n = tilde_length(str_skip(text, i), colons, more);
                if (!n)
                        continue;
                emit_text(e, str_from(text.ptr + start, i - start), false);
                emit_tilde(e, str_from(text.ptr + i + 1, n - 1));
                start = i + n;
                i = start - 1;
        }
        emit_text(e, str_skip(text, start), false);
}

/* ---- parts ---- */

/* What stands between one pair of double quotes. */
struct quoted {
        bool at, star;  /* lists */
        bool operators; /* ${x...} that are more than a name */
        bool operands;  /* ${x-...} and its kin */
};

static struct quoted look_into(const struct part *parts) {
        struct quoted q = { false };

        for (const struct part *p = parts; p; p = p->next) {
                char all = p->kind == PART_PARAM ? param_list_kind(p->param) : 0;

                q.star |= all == '*';
                q.at |= all == '@';
                if (p->kind == PART_PARAM) {
                        q.operators |= p->param->op != PARAM_PLAIN;
                        q.operands |= !all && p->param->op >= PARAM_DEFAULT && p->param->op <= PARAM_ALTERNATE;
                }
        }
        return q;
}

/* Mostly plain. But bash splits, drops or keeps things in a way of its own where lists, empty ones above all, stand beside
 * operators or inside an operand; such a field is left unknown. */
static void expand_double_quoted(struct emit *e, const struct part *part, unsigned flags) {
        unsigned empty = e->empty_lists;
        size_t pieces = e->b.count, bytes = e->b.bytes;
        struct quoted q = look_into(part->parts);
        bool nothing, vanishes;

        expand_parts(e, part->parts, EXPAND_QUOTED);
        nothing = part->parts && e->b.count == pieces && e->b.bytes == bytes;
        vanishes = e->empty_lists != empty; /* "$@" without parameters is not even an empty field */
        if ((flags & EXPAND_QUOTED && nothing) || (e->operands && vanishes)) /* "${x-"$empty"y}": bash forgets the y */
                builder_unknown(&e->b, UNKNOWN_OPTION, STR(""), true);
        if ((q.at && (q.operands || (q.star && q.operators))) ||
            (vanishes && part->parts && part->parts->next && q.operators)) {
                emit_mark(e);
                e->may_split |= e->splits;
        } else if (!vanishes) {
                emit_mark(e);
        }
}

static void expand_extglob(struct emit *e, const struct part *part, unsigned flags) {
        char opener[2] = { part->glob, '(' };
        char *copy = budget_bytes(&e->w->budget, 2);

        if (!copy)
                return;
        memcpy(copy, opener, 2);
        e->extglob = true;
        emit_text(e, str_from(copy, 2), false);
        expand_parts(e, part->parts, flags & ~(unsigned)EXPAND_OPERAND);
        emit_text(e, STR(")"), false);
}

static void expand_command(struct emit *e, const struct part *part, unsigned flags) {
        struct value value = walk_substitution(e->w, part);
        bool file = part->style == STYLE_INPUT || part->style == STYLE_OUTPUT;

        emit_value(e, value, (flags & EXPAND_QUOTED) || file);
}

/* One part. Values keep a pointer to it, so it must be the tree's own and no copy. */
static void expand_part(struct emit *e, const struct part *p, unsigned flags) {
        bool quoted = flags & EXPAND_QUOTED;

        budget_spend(&e->w->budget, 1);
        switch ((enum part_kind)p->kind) {
        case PART_LITERAL:
                if (flags & EXPAND_OPERAND && !quoted)
                        emit_value(e, value_text(&e->w->budget, p->text), false);
                else
                        emit_text(e, p->text, quoted);
                break;
        case PART_QUOTED:
                emit_mark(e);
                emit_spelled(e, p->text);
                break;
        case PART_DOUBLE:
                expand_double_quoted(e, p, flags);
                break;
        case PART_PARAM:
                expand_param(e, p->param, flags);
                break;
        case PART_COMMAND:
                expand_command(e, p, flags);
                break;
        case PART_ARITH:
                emit_value(e, expand_arith(e->w, p->parts), quoted);
                break;
        case PART_EXTGLOB:
                expand_extglob(e, p, flags);
                break;
        }
}

void expand_parts(struct emit *e, const struct part *parts, unsigned flags) {
        for (const struct part *p = parts; p && walk_goes_on(e->w); p = p->next)
                expand_part(e, p, flags);
}

/* The first part of a word, or of ${x:-word}, may begin with a tilde. */
static void expand_with_tilde(struct emit *e, const struct part *parts, bool colons, unsigned flags) {
        const struct part *p = parts;

        if (p && p->kind == PART_LITERAL && p->text.ptr[0] == '~' && !(flags & EXPAND_QUOTED) && !colons) {
                size_t n = tilde_length(p->text, false, p->next != NULL);

                if (n) {
                        struct part rest = *p;

                        emit_tilde(e, str_from(p->text.ptr + 1, n - 1));
                        rest.text = str_skip(p->text, n);
                        rest.next = NULL;
                        expand_parts(e, &rest, flags);
                        p = p->next;
                }
                expand_parts(e, p, flags);
                return;
        }
        for (bool first = true; colons && p; p = p->next, first = false) {
                if (p->kind == PART_LITERAL)
                        emit_tildes(e, p->text, true, first, p->next != NULL);
                else
                        expand_part(e, p, flags);
        }
        expand_parts(e, p, flags);
}

void expand_operand(struct emit *e, const struct word *word, unsigned flags) {
        unsigned empty = e->empty_lists;
        struct quoted q = look_into(word ? word->parts : NULL);

        if (word && q.at && (q.star || (flags & EXPAND_QUOTED && word->parts->next)))
                e->may_split |= e->splits; /* as above */
        e->operands++;
        if (word)
                expand_with_tilde(e, word->parts, false, flags | EXPAND_OPERAND);
        e->operands--;
        if (flags & EXPAND_QUOTED)
                e->empty_lists = empty; /* "${x:-$@}" is a field, if an empty one */
}

/* ---- words ---- */

/* Bytes of name= or name+= or name[...]= that the word begins with, 0 when it is no assignment. */
static size_t assignment_prefix(struct str text) {
        size_t i = 0;
        int open = 0;

        if (!text.len || is_ascii_digit((unsigned char)text.ptr[0]))
                return 0;
        while (i < text.len && (is_ascii_alnum((unsigned char)text.ptr[i]) || text.ptr[i] == '_'))
                i++;
        if (i == 0)
                return 0;
        if (i < text.len && text.ptr[i] == '[') {
                do {
                        open += text.ptr[i] == '[' ? 1 : text.ptr[i] == ']' ? -1 : 0;
                        i++;
                } while (i < text.len && open);
        }
        if (i < text.len && text.ptr[i] == '+')
                i++;
        return i < text.len && text.ptr[i] == '=' ? i + 1 : 0;
}

bool word_is_assignment(const struct word *word) {
        return word->parts && word->parts->kind == PART_LITERAL && assignment_prefix(word->parts->text);
}

/* a=~/x:~/y among the arguments: bash expands these tildes too. */
static void expand_assignment_parts(struct emit *e, const struct part *parts) {
        struct part rest = *parts;
        size_t n = assignment_prefix(parts->text);

        emit_text(e, str_take(parts->text, n), false);
        rest.text = str_skip(parts->text, n);
        if (rest.text.len) {
                expand_with_tilde(e, &rest, true, 0);
                return;
        }
        expand_with_tilde(e, parts->next, true, 0);
}

static void expand_one(struct walk *w, const struct word *word, struct field_list *list) {
        struct emit e;

        emit_begin(&e, w, list, word);
        if (word_is_assignment(word))
                expand_assignment_parts(&e, word->parts);
        else
                expand_with_tilde(&e, word->parts, false, 0);
        emit_end(&e);
}

/* What a word is that has too many braces in it: anything; but an assignment's name is not in doubt. */
static void too_complex(struct walk *w, const struct word *word, struct field_list *list) {
        struct builder b = { .budget = &w->budget };

        if (word_is_assignment(word))
                builder_text(&b, str_take(word->parts->text, assignment_prefix(word->parts->text)), false);
        builder_unknown(&b, UNKNOWN_TOO_COMPLEX, STR(""), false);
        field_add(&w->budget, list, field_make(&b, word, false, false, !word_is_assignment(word)));
}

/* The words that braces made of one; NULL: too many. */
static void expand_made(struct walk *w, const struct word *word, const struct word *made, struct field_list *list) {
        if (!made) {
                struct field_list ignored = { 0 };

                expand_one(w, word, &ignored); /* for the commands in it */
                too_complex(w, word, list);
        }
        for (; made && walk_goes_on(w); made = made->next) {
                size_t before = list->count;

                expand_one(w, made, list);
                for (size_t i = before; i < list->count; i++)
                        list->items[i].word = word;
        }
}

void expand_word(struct walk *w, const struct word *word, struct field_list *list) {
        const struct word *made = word;

        if (walk_option(w, "braceexpand", true) == TRUTH_YES)
                made = brace_expand(&w->budget, word);
        if (made == word)
                expand_one(w, word, list);
        else
                expand_made(w, word, made, list);
}

void expand_words(struct walk *w, const struct word *words, struct field_list *list) {
        for (; words && walk_goes_on(w); words = words->next)
                expand_word(w, words, list);
}

void expand_assignment_word(struct walk *w, const struct word *word, struct field_list *list) {
        const struct word *made = word;
        struct emit e;

        if (walk_option(w, "braceexpand", true) == TRUTH_YES)
                made = brace_expand(&w->budget, word);
        if (made != word) { /* what braces made is no assignment any more, but plain words */
                expand_made(w, word, made, list);
                return;
        }
        emit_begin(&e, w, NULL, word);
        e.declares = true;
        expand_assignment_parts(&e, word->parts);
        field_add(&w->budget, list, field_make(&e.b, word, false, false, false));
}

/* ---- texts that are not split ---- */

struct value expand_value(struct walk *w, const struct word *word, enum value_mode mode) {
        struct emit e;

        if (!word)
                return (struct value){ NULL };
        emit_begin(&e, w, NULL, word);
        expand_with_tilde(&e, word->parts, mode == VALUE_ASSIGNED, 0);
        return builder_finish(&e.b, mode == VALUE_PATTERN);
}

struct value expand_double(struct walk *w, const struct part *parts) {
        struct emit e;

        emit_begin(&e, w, NULL, NULL);
        expand_parts(&e, parts, EXPAND_QUOTED);
        return builder_finish(&e.b, false);
}

/* ---- arithmetic ---- */

/* bash drops double quotes from expressions. */
static struct value without_quotes(struct walk *w, struct value value) {
        struct builder b = { .budget = &w->budget };
        bool any = false;

        for (const struct piece *p = value.pieces; p; p = p->next)
                any |= p->kind == PIECE_TEXT && p->text.len && memchr(p->text.ptr, '"', p->text.len);
        if (!any)
                return value;
        for (const struct piece *p = value.pieces; p; p = p->next) {
                struct str rest = p->text;

                while (p->kind == PIECE_TEXT && rest.len) {
                        size_t n = str_find(rest, '"');

                        builder_text(&b, str_take(rest, n), false);
                        rest = str_skip(rest, n + 1);
                }
                if (p->kind != PIECE_TEXT)
                        builder_piece(&b, p, false);
        }
        return builder_finish(&b, false);
}

struct arith_result expand_arith_result(struct walk *w, const struct part *parts) {
        return walk_arith(w, without_quotes(w, expand_double(w, parts)));
}

struct value expand_arith(struct walk *w, const struct part *parts) {
        struct arith_result result = expand_arith_result(w, parts);
        struct value value;

        if (result.state == ARITH_KNOWN)
                return value_number(&w->budget, result.value);
        value = value_unknown(&w->budget, result.state == ARITH_ERROR ? UNKNOWN_ERROR : UNKNOWN_ARITHMETIC, STR(""));
        if (value.pieces && result.state == ARITH_UNKNOWN)
                ((struct piece *)value.pieces)->number = true;
        return value;
}
