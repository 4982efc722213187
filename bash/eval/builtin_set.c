/*
 * set, shift, shopt: positional parameters and options; and test, whose answer is worked out where that is easy.
 */
#include "bash/eval/interp.h"

static const struct {
        char letter;
        char name[12];
} set_letters[] = {
        { 'B', "braceexpand" }, { 'C', "noclobber" }, { 'E', "errtrace" }, { 'H', "histexpand" }, { 'P', "physical" },
        { 'T', "functrace" },   { 'a', "allexport" }, { 'b', "notify" },   { 'e', "errexit" },    { 'f', "noglob" },
        { 'h', "hashall" },     { 'k', "keyword" },   { 'm', "monitor" },  { 'n', "noexec" },     { 'p', "privileged" },
        { 't', "onecmd" },      { 'u', "nounset" },   { 'v', "verbose" },  { 'x', "xtrace" },
};

static void set_letter(struct walk *w, char letter, bool on) {
        for (size_t i = 0; i < sizeof(set_letters) / sizeof(*set_letters); i++)
                if (set_letters[i].letter == letter)
                        walk_set_option(w, str_z(set_letters[i].name), on);
}

/* Options up to the first operand. False when an operand can follow without -- and be taken for one, being unknown. */
static bool set_options(struct walk *w, const struct simple *s, size_t *first, bool *positional) {
        struct str word, name;

        for (; *first < s->argc; ++*first) {
                if (!simple_word(s, *first, &word))
                        return !s->argv[*first].may_split && s->argv[*first].prefix.len;
                if (str_is(word, "--")) {
                        *positional = true;
                        ++*first;
                        return true;
                }
                if (word.len < 2 || (word.ptr[0] != '-' && word.ptr[0] != '+'))
                        return true;
                for (size_t i = 1; i < word.len; i++) {
                        set_letter(w, word.ptr[i], word.ptr[0] == '-');
                        if (word.ptr[i] == 'o' && simple_word(s, *first + 1, &name)) {
                                walk_set_option(w, name, word.ptr[0] == '-');
                                ++*first;
                        }
                }
        }
        return true;
}

enum status builtin_set(struct walk *w, const struct simple *s) {
        size_t first = 1;
        bool positional = false, sure;

        if (s->argc == 1) {
                output_unknown(w);
                return STATUS_TRUE;
        }
        sure = set_options(w, s, &first, &positional);
        if (positional || first < s->argc) {
                const struct array *array = walk_array_of_fields(w, s->argv + first, s->argc - first);

                walk_set_positional(w, sure || !array ? array : array_uncertain(&w->budget, array));
        }
        return STATUS_TRUE;
}

static bool read_number(struct str text, int64_t *ret) {
        bool negative = text.len > 1 && text.ptr[0] == '-';
        int64_t value = 0;

        if (negative || (text.len > 1 && text.ptr[0] == '+'))
                text = str_skip(text, 1);
        if (!text.len)
                return false;
        for (size_t i = 0; i < text.len; i++)
                if (!is_ascii_digit((unsigned char)text.ptr[i]) || __builtin_mul_overflow(value, 10, &value) ||
                    __builtin_add_overflow(value, text.ptr[i] - '0', &value))
                        return false;
        *ret = negative ? -value : value;
        return true;
}

enum status builtin_shift(struct walk *w, const struct simple *s) {
        const struct array *array = walk_positional(w);
        struct str word;
        int64_t n = 1;

        if (!array)
                return STATUS_UNKNOWN;
        if (s->argc > 1 && (!simple_word(s, 1, &word) || !read_number(word, &n)))
                array = array_uncertain(&w->budget, array);
        if (array->uncertain) { /* some go, nobody knows which */
                walk_set_positional(w, array);
                return STATUS_UNKNOWN;
        }
        if (n < 0 || (size_t)n > array->count)
                return STATUS_FALSE;
        walk_set_positional(w, array_skip(&w->budget, array, (size_t)n));
        return STATUS_TRUE;
}

enum status builtin_shopt(struct walk *w, const struct simple *s) {
        struct options o;
        struct str name;

        if (!builtin_options_read(w, s, "", &o) || options_has(&o, 's') == options_has(&o, 'u')) {
                output_unknown(w);
                return STATUS_UNKNOWN;
        }
        for (size_t i = o.first; i < s->argc; i++)
                if (simple_word(s, i, &name))
                        walk_set_option(w, name, options_has(&o, 's'));
        return STATUS_UNKNOWN;
}

/* ---- test ---- */

static enum status from_truth(enum truth truth) {
        return truth == TRUTH_MAYBE ? STATUS_UNKNOWN : truth == TRUTH_YES ? STATUS_TRUE : STATUS_FALSE;
}

static enum truth field_empty(const struct field *field) {
        return field->may_split || field->glob ? TRUTH_MAYBE : value_empty(field->value);
}

static enum status test_unary(struct walk *w, struct str op, const struct field *field) {
        enum truth empty = field_empty(field);
        struct target target;

        if (str_is(op, "-v") || str_is(op, "-R"))
                walk_parse_target(w, field->value, &target); /* for the code in its subscript */
        if (str_is(op, "-z"))
                return from_truth(empty);
        if (str_is(op, "-n") && empty != TRUTH_MAYBE)
                return empty == TRUTH_YES ? STATUS_FALSE : STATUS_TRUE;
        return STATUS_UNKNOWN;
}

static enum status test_binary(struct str op, struct str left, struct str right) {
        int64_t a, b;

        if (str_is(op, "=") || str_is(op, "=="))
                return from_truth(str_eq(left, right) ? TRUTH_YES : TRUTH_NO);
        if (str_is(op, "!="))
                return from_truth(str_eq(left, right) ? TRUTH_NO : TRUTH_YES);
        if (read_number(left, &a) && read_number(right, &b))
                return compare_numbers(op, a, b);
        return STATUS_UNKNOWN;
}

enum status builtin_test(struct walk *w, const struct simple *s) {
        struct str name, left, op, right;
        size_t argc = s->argc;

        if (simple_word(s, 0, &name) && str_is(name, "["))
                argc--;                       /* the closing bracket */
        for (size_t i = 1; i + 1 < argc; i++) /* -v may stand anywhere among -a and -o */
                if (simple_word(s, i, &op) && str_is(op, "-v"))
                        test_unary(w, op, &s->argv[i + 1]);
        for (size_t i = 1; i < argc; i++)
                if (s->argv[i].may_split || s->argv[i].glob)
                        return STATUS_UNKNOWN;
        if (argc == 2 && field_empty(&s->argv[1]) != TRUTH_MAYBE)
                return field_empty(&s->argv[1]) == TRUTH_YES ? STATUS_FALSE : STATUS_TRUE;
        if (argc == 3 && simple_word(s, 1, &op))
                return test_unary(w, op, &s->argv[2]);
        if (argc == 4 && simple_word(s, 1, &left) && simple_word(s, 2, &op) && simple_word(s, 3, &right))
                return test_binary(op, left, right);
        return STATUS_UNKNOWN;
}
