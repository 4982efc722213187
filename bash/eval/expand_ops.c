/*
 * The operators of ${x...} on one text: parts of it, patterns cut off or replaced, upper and lower case.
 */
#include "bash/eval/interp.h"

/* The result of something done to a value that is not all known: unknown for the same reason. */
struct value param_unknown(struct walk *w, struct value value) {
        const struct piece *why = value_unknown_piece(value);
        struct value result;

        result = value_unknown(&w->budget, why ? (enum unknown)why->because : UNKNOWN_ENV, why ? why->text : STR("HOME"));
        if (why && result.pieces) {
                ((struct piece *)result.pieces)->part = why->part;
                ((struct piece *)result.pieces)->origin = why->origin;
        }
        return result;
}

static struct value unknown_for(struct walk *w, enum unknown because) {
        return value_unknown(&w->budget, because, STR(""));
}

struct value param_length(struct walk *w, struct value value) {
        struct str text;

        if (value_known(value, &text) && str_is_ascii(text))
                return value_number(&w->budget, (int64_t)text.len);
        value = param_unknown(w, value);
        if (value.pieces)
                ((struct piece *)value.pieces)->number = true;
        return value;
}

static struct value substring(struct walk *w, const struct param_operands *ops, struct str text) {
        int64_t offset = ops->offset.value, length = ops->length.value, size = (int64_t)text.len;

        if (ops->offset.state != ARITH_KNOWN || (ops->has_length && ops->length.state != ARITH_KNOWN))
                return unknown_for(w, UNKNOWN_ARITHMETIC);
        if (!str_is_ascii(text))
                return unknown_for(w, UNKNOWN_LOCALE);
        if (offset < 0)
                offset += size;
        if (offset < 0 || offset > size)
                return (struct value){ NULL };
        if (!ops->has_length || length > size - offset)
                length = size - offset;
        else if (length < 0)
                length += size - offset; /* counted from the end */
        if (length < 0)
                return unknown_for(w, UNKNOWN_ERROR);
        return value_text(&w->budget, str_from(text.ptr + offset, (size_t)length));
}

static struct value cut(struct walk *w, const struct param_operands *ops, struct str text) {
        uint8_t op = ops->param->op;
        bool longest = op == PARAM_PREFIX_LONG || op == PARAM_SUFFIX_LONG;
        bool prefix = op == PARAM_PREFIX || op == PARAM_PREFIX_LONG;
        size_t length = 0;
        enum truth matched = prefix ? pattern_match_prefix(&w->budget, ops->pattern, text, longest, &length)
                                    : pattern_match_suffix(&w->budget, ops->pattern, text, longest, &length);

        if (matched == TRUTH_MAYBE)
                return unknown_for(w, ops->pattern->unknown ? UNKNOWN_ENV : UNKNOWN_LOCALE);
        return value_text(&w->budget, prefix ? str_skip(text, length) : str_take(text, text.len - length));
}

/* ---- ${x/p/w} ---- */

/* The replacement, with the match in place of each & that is not quoted. False when bash does something we do not follow. */
static bool add_replacement(struct walk *w, const struct param_operands *ops, struct str match, struct builder *out) {
        enum truth ampersand = walk_option(w, "patsub_replacement", true);

        for (const struct piece *p = ops->replacement.pieces; p; p = p->next) {
                struct str rest = p->text;

                if (p->kind != PIECE_TEXT || p->quoted) {
                        builder_piece(out, p, false);
                        continue;
                }
                if (str_find(rest, '\\') < rest.len)
                        return false;
                while (rest.len) {
                        size_t n = ampersand == TRUTH_NO ? rest.len : str_find(rest, '&');

                        builder_text(out, str_take(rest, n), false);
                        if (n < rest.len && ampersand == TRUTH_MAYBE)
                                return false;
                        if (n < rest.len)
                                builder_text(out, match, false);
                        rest = str_skip(rest, n + 1);
                }
        }
        return true;
}

/* /# and /%: one place, if there is any. An empty pattern matches the empty beginning or end. */
static enum truth find_anchored(struct walk *w, const struct param_operands *ops, struct str text, struct pattern_span *span) {
        bool prefix = ops->param->op == PARAM_REPLACE_PREFIX;
        size_t length = 0;
        enum truth found = prefix ? pattern_match_prefix(&w->budget, ops->pattern, text, true, &length)
                                  : pattern_match_suffix(&w->budget, ops->pattern, text, true, &length);

        *span = prefix ? (struct pattern_span){ 0, length } : (struct pattern_span){ text.len - length, text.len };
        return found;
}

static struct value replace(struct walk *w, const struct param_operands *ops, struct str text) {
        uint8_t op = ops->param->op;
        struct builder out = { .budget = &w->budget };
        struct pattern_span *spans = NULL, one;
        size_t count = 0, pos = 0;
        enum truth found;

        if (op == PARAM_REPLACE_PREFIX || op == PARAM_REPLACE_SUFFIX) {
                found = find_anchored(w, ops, text, &one);
                spans = &one;
                count = found == TRUTH_YES;
        } else if (ops->pattern->count == 0) {
                found = TRUTH_NO;
        } else {
                found = pattern_find(&w->budget, ops->pattern, text, op == PARAM_REPLACE_ALL, &spans, &count);
        }
        if (found == TRUTH_MAYBE)
                return unknown_for(w, ops->pattern->unknown ? UNKNOWN_ENV : UNKNOWN_LOCALE);
        for (size_t i = 0; i < count; i++) {
                struct str match = str_from(text.ptr + spans[i].start, spans[i].end - spans[i].start);

                if (i && spans[i].start == text.len) /* bash stops at the end of the text, but for the empty one */
                        break;
                builder_text(&out, str_from(text.ptr + pos, spans[i].start - pos), false);
                if (!add_replacement(w, ops, match, &out))
                        return unknown_for(w, UNKNOWN_OPTION);
                pos = spans[i].end;
        }
        builder_text(&out, str_skip(text, pos), false);
        return builder_finish(&out, false);
}

/* ---- case ---- */

static unsigned char toggle(unsigned char c) {
        return ascii_lower(c) == c ? ascii_upper(c) : ascii_lower(c);
}

static const struct {
        unsigned char (*change)(unsigned char c);
        bool all;
} case_ops[] = {
        [PARAM_UPPER] = { ascii_upper, false }, [PARAM_UPPER_ALL] = { ascii_upper, true },
        [PARAM_LOWER] = { ascii_lower, false }, [PARAM_LOWER_ALL] = { ascii_lower, true },
        [PARAM_TOGGLE] = { toggle, false },     [PARAM_TOGGLE_ALL] = { toggle, true },
};

static struct value change_case(struct walk *w, const struct param_operands *ops, struct str text) {
        bool every = ops->pattern->count == 0; /* no pattern: as if ? */
        char *copy = budget_bytes(&w->budget, text.len);

        if (!str_is_ascii(text))
                return unknown_for(w, UNKNOWN_LOCALE);
        for (size_t i = 0; copy && i < text.len; i++) {
                enum truth match = TRUTH_YES;

                copy[i] = text.ptr[i];
                if (i && !case_ops[ops->param->op].all)
                        continue;
                if (!every)
                        match = pattern_match(&w->budget, ops->pattern, str_from(text.ptr + i, 1));
                if (match == TRUTH_MAYBE)
                        return unknown_for(w, UNKNOWN_LOCALE);
                if (match == TRUTH_YES)
                        copy[i] = (char)case_ops[ops->param->op].change((unsigned char)text.ptr[i]);
        }
        return copy ? value_text(&w->budget, str_from(copy, text.len)) : unknown_for(w, UNKNOWN_TOO_COMPLEX);
}

/* ---- one for all ---- */

/* ${HOME%/} is $HOME, as good as always; scripts like to be careful. */
static bool is_home_without_slash(const struct param_operands *ops, struct value value) {
        const struct part *p = ops->param->arg && ops->param->op == PARAM_SUFFIX ? ops->param->arg->parts : NULL;

        return p && !p->next && p->kind == PART_LITERAL && str_is(p->text, "/") && value.pieces && !value.pieces->next &&
               value.pieces->kind == PIECE_HOME;
}

struct value param_apply(struct walk *w, const struct param_operands *ops, struct value value) {
        struct str text;

        if (is_home_without_slash(ops, value))
                return value;
        if (!value_known(value, &text))
                return param_unknown(w, value);
        if (ops->bad)
                return unknown_for(w, UNKNOWN_OPTION);
        if (ops->param->op == PARAM_SUBSTRING)
                return substring(w, ops, text);
        if (!ops->pattern)
                return unknown_for(w, UNKNOWN_TOO_COMPLEX);
        if (ops->param->op <= PARAM_SUFFIX_LONG)
                return cut(w, ops, text);
        if (ops->param->op <= PARAM_REPLACE_SUFFIX)
                return replace(w, ops, text);
        return change_case(w, ops, text);
}
