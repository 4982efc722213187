/*
 * read and mapfile, from an input that is known: a here string, a here document, the output of a known command.
 */
#include "bash/eval/interp.h"

/* A line, and which of its bytes a backslash has made plain. */
struct line {
        struct str text;
        const bool *plain; /* NULL: none */
};

/* ---- getting the line ---- */

struct reader {
        struct walk *w;
        bool raw, no_split;
        int delimiter;
        size_t limit; /* bytes, for -n and -N */
};

/* Up to the delimiter, which is taken too. Without -r, a backslash protects the next byte and joins lines. */
static struct line take_line(struct reader *r, struct str from, size_t *taken) {
        char *text = budget_bytes(&r->w->budget, from.len + 1);
        bool *plain = budget_alloc(&r->w->budget, from.len + 1);
        size_t n = 0, i;

        *taken = from.len;
        if (!text || !plain)
                return (struct line){ STR(""), NULL };
        for (i = 0; i < from.len && n < r->limit; i++) {
                char c = from.ptr[i];

                if (c == '\\' && !r->raw) {
                        if (++i >= from.len)
                                break;
                        if (from.ptr[i] == '\n')
                                continue;
                        plain[n] = true;
                        text[n++] = from.ptr[i];
                        continue;
                }
                if (r->delimiter >= 0 && c == (char)r->delimiter) {
                        i++;
                        break;
                }
                if (c != '\0')
                        text[n++] = c;
        }
        *taken = i;
        return (struct line){ str_from(text, n), plain };
}

/* ---- splitting it ---- */

static unsigned char class_at(const struct ifs *ifs, const struct line *line, size_t i) {
        return line->plain && line->plain[i] ? 0 : ifs->class[(unsigned char)line->text.ptr[i]];
}

static size_t skip_blanks(const struct ifs *ifs, const struct line *line, size_t i) {
        while (i < line->text.len && class_at(ifs, line, i) == 1)
                i++;
        return i;
}

/* The field at `pos`, and behind its separator. */
static struct str take_field(const struct ifs *ifs, const struct line *line, size_t *pos) {
        size_t start = *pos, i = start;
        struct str field;

        while (i < line->text.len && !class_at(ifs, line, i))
                i++;
        field = str_from(line->text.ptr + start, i - start);
        i = skip_blanks(ifs, line, i);
        if (i < line->text.len && class_at(ifs, line, i) == 2)
                i = skip_blanks(ifs, line, i + 1);
        *pos = i;
        return field;
}

/* All that is left, for the last name: a single separator at the end does not count. */
static struct str take_rest(const struct ifs *ifs, const struct line *line, size_t pos) {
        size_t end = line->text.len, after = pos;
        struct str only;

        only = take_field(ifs, line, &after);
        if (after >= end)
                return only;
        while (end > pos && class_at(ifs, line, end - 1) == 1)
                end--;
        return str_from(line->text.ptr + pos, end - pos);
}

/* ---- assigning ---- */

static void assign_name(struct reader *r, const struct field *name, struct value value) {
        struct target target;

        if (walk_parse_target(r->w, name->value, &target))
                walk_assign_value(r->w, &target, value);
        else if (value_unknown_piece(name->value))
                walk_unread_code(r->w);
}

static void assign_fields(struct reader *r, const struct line *line, const struct field *names, size_t count) {
        const struct ifs *ifs = walk_ifs(r->w);
        size_t pos;

        if (!ifs->known && count && !r->no_split) {
                for (size_t i = 0; i < count; i++)
                        assign_name(r, &names[i], value_unknown(&r->w->budget, UNKNOWN_SPLIT, STR("IFS")));
                return;
        }
        pos = r->no_split || !count ? 0 : skip_blanks(ifs, line, 0);
        for (size_t i = 0; i < count; i++) {
                struct str field = line->text;

                if (r->no_split)
                        field = i ? STR("") : line->text;
                else
                        field = i + 1 < count ? take_field(ifs, line, &pos) : take_rest(ifs, line, pos);
                assign_name(r, &names[i], value_text(&r->w->budget, field));
        }
        if (!count)
                walk_assign_value(r->w, &(struct target){ .name = STR("REPLY") }, value_text(&r->w->budget, line->text));
}

static void assign_array(struct reader *r, const struct line *line, struct value name) {
        const struct ifs *ifs = walk_ifs(r->w);
        const struct array *array = array_new(&r->w->budget, false);
        size_t pos = skip_blanks(ifs, line, 0);
        struct target target;

        if (!array || !walk_parse_target(r->w, name, &target))
                return;
        while (pos < line->text.len && walk_goes_on(r->w))
                array = array_append(&r->w->budget, array, value_text(&r->w->budget, take_field(ifs, line, &pos)), false);
        walk_assign_array(r->w, &target, ifs->known ? array : array_uncertain(&r->w->budget, array));
}

static void assign_unknown(struct reader *r, struct value why, const struct options *o, const struct field *names,
                           size_t count) {
        struct target target;

        if (options_has(o, 'a') && walk_parse_target(r->w, o->values['a' - 'A'], &target))
                walk_assign_array(r->w, &target, array_append(&r->w->budget, NULL, why, true));
        for (size_t i = 0; i < count; i++)
                assign_name(r, &names[i], why);
        if (!count && !options_has(o, 'a'))
                walk_assign_value(r->w, &(struct target){ .name = STR("REPLY") }, why);
}

/* ---- read ---- */

/* What is left of the input, if all of it is known. In a loop that reads on and on, some line of it. */
static bool input_left(struct reader *r, struct str *ret) {
        struct walk *w = r->w;
        struct input *input = w->input;
        size_t start, lines = 0;

        if (!input || !value_known(input->value, ret))
                return false;
        if (w->loop_depth <= input->loop_depth) {
                start = w->unit && w->unit->run ? input->before : input->consumed;
                input->before = start;
                *ret = str_skip(*ret, start);
                return true;
        }
        if (r->delimiter != '\n')
                return false;
        for (size_t i = 0; i < ret->len; i++)
                lines += ret->ptr[i] == '\n' || i + 1 == ret->len;
        if (lines > VARS_MAX_LISTED)
                return false;
        lines = lines ? walk_choose(w, input, (unsigned)lines) : 0;
        while (lines-- && ret->len)
                *ret = str_skip(*ret, str_find(*ret, '\n') + 1);
        return true;
}

static bool read_setup(struct reader *r, const struct options *o) {
        struct str text;

        r->raw = options_has(o, 'r');
        if (options_has(o, 'd')) {
                if (!value_known(o->values['d' - 'A'], &text))
                        return false;
                r->delimiter = text.len ? (unsigned char)text.ptr[0] : '\0';
        }
        for (const char *c = "nN"; *c; c++) {
                if (!options_has(o, *c))
                        continue;
                if (!value_known(o->values[*c - 'A'], &text) || !text.len || text.len > 4)
                        return false;
                r->limit = 0;
                for (size_t i = 0; i < text.len; i++) {
                        if (!is_ascii_digit((unsigned char)text.ptr[i]))
                                return false;
                        r->limit = r->limit * 10 + (size_t)(text.ptr[i] - '0');
                }
                if (*c == 'N') {
                        r->delimiter = -1;
                        r->no_split = true;
                }
        }
        return !options_has(o, 'u');
}

/* Some line of what is read, with what is known of where it comes from. */
static struct value unknown_input(struct walk *w) {
        return w->input && w->input->value.pieces ? param_unknown(w, w->input->value)
                                                  : value_unknown(&w->budget, UNKNOWN_INPUT, STR(""));
}

enum status builtin_read(struct walk *w, const struct simple *s) {
        struct reader r = { .w = w, .delimiter = '\n', .limit = SIZE_MAX };
        const struct field *names;
        struct str left;
        struct options o;
        struct line line;
        size_t count, taken;

        if (!builtin_options_read(w, s, "adinNptu", &o)) {
                walk_unread_code(w);
                return STATUS_UNKNOWN;
        }
        names = s->argv + o.first;
        count = s->argc - o.first;
        if (!read_setup(&r, &o) || !input_left(&r, &left) || (r.limit != SIZE_MAX && !str_is_ascii(left))) {
                assign_unknown(&r, unknown_input(w), &o, names, count);
                return STATUS_UNKNOWN;
        }
        line = take_line(&r, left, &taken);
        w->input->consumed = w->input->before + taken;
        if (options_has(&o, 'a'))
                assign_array(&r, &line, o.values['a' - 'A']);
        else
                assign_fields(&r, &line, names, count);
        return STATUS_UNKNOWN;
}

/* ---- mapfile ---- */

enum status builtin_mapfile(struct walk *w, const struct simple *s) {
        const struct array *array = array_new(&w->budget, false);
        struct target target = { .name = STR("MAPFILE") };
        struct str text;
        struct options o;

        if (!builtin_options_read(w, s, "CcdnOsu", &o) || !array)
                return STATUS_UNKNOWN;
        if (o.first < s->argc && !walk_parse_target(w, s->argv[o.first].value, &target))
                return STATUS_UNKNOWN;
        if (options_has(&o, 'C'))
                walk_text(w, WALK_CODE_EVAL, o.values['C' - 'A']);
        if (!w->input || !value_known(w->input->value, &text) || w->input->consumed || (o.on & ~((uint64_t)1 << ('t' - 'A')))) {
                walk_assign_array(w, &target, array_append(&w->budget, array, unknown_input(w), true));
                return STATUS_UNKNOWN;
        }
        while (text.len && walk_goes_on(w)) {
                size_t n = str_find(text, '\n');

                array = array_append(&w->budget, array,
                                     value_text(&w->budget, str_take(text, options_has(&o, 't') ? n : n + 1)), false);
                text = str_skip(text, n + 1);
        }
        walk_assign_array(w, &target, array);
        return STATUS_TRUE;
}
