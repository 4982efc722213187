#include "guard/options.h"

#include "guard/paths.h"

struct options options_of(const struct call *call) {
        return (struct options){ .call = call, .next = 1 };
}

/* ---- lists of options ---- */

static const char *const meaning_words[] = {
#define AS_WORD(name, word) word,
        OPTION_MEANINGS(AS_WORD)
#undef AS_WORD
};

enum meaning meaning_find(struct str word) {
        size_t low = 0, high = sizeof(meaning_words) / sizeof(*meaning_words);

        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = str_cmp(word, str_z(meaning_words[middle]));

                if (order == 0)
                        return (enum meaning)(middle + 1);
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return MEANS_NOTHING;
}

/* One option of the program's list. */
struct row {
        struct str name;
        char arity; /* = ? ! */
        enum meaning meaning;
};

static bool ends_name(char c) {
        return c == '=' || c == '?' || c == '!' || c == ' ' || c == '\0';
}

/* The first byte is of the name, whatever it is. */
static size_t name_length(const char *row) {
        size_t len = 1;

        while (!ends_name(row[len]))
                len++;
        return len;
}

static const char *row_end(const char *row) {
        while (*row && *row != ' ')
                row++;
        return row;
}

static const char *row_after(const char *row) {
        row = row_end(row);
        while (*row == ' ')
                row++;
        return row;
}

static struct row row_read(const char *text) {
        struct row row = { .name = { text, name_length(text) } };
        const char *end = row_end(text);

        text += row.name.len;
        if (text < end)
                row.arity = *text++;
        if (text < end)
                row.meaning = meaning_find(str_from(text, (size_t)(end - text)));
        return row;
}

static const char *rows_of(const struct program *program) {
        return program && program->options ? program->options : "";
}

static bool find_short(const struct program *program, char name, struct row *ret) {
        for (const char *row = rows_of(program); *row; row = row_after(row)) {
                if (row[0] != name || !ends_name(row[1]))
                        continue;
                *ret = row_read(row);
                return true;
        }
        *ret = (struct row){ 0 };
        return false;
}

/* Exactly, or by a beginning of it, as getopt_long takes it; between several the first, which is the more suspicious
 * one. */
static bool find_long(const struct program *program, struct str name, struct row *ret) {
        const char *found = NULL;

        for (const char *row = rows_of(program); name.len && *row; row = row_after(row)) {
                size_t len = row[0] == name.ptr[0] ? name_length(row) : 0;

                if (len < 2 || !str_starts(str_from(row, len), name))
                        continue;
                if (!found || len == name.len)
                        found = row;
                if (len == name.len)
                        break;
        }
        if (found)
                *ret = row_read(found);
        return found;
}

/* ---- argv ---- */

static void take_value(struct options *o, struct option *ret) {
        if (o->next >= o->call->count)
                return;
        ret->value = o->call->args[o->next++];
        ret->has_value = true;
}

static enum scan long_option(struct options *o, const struct arg *arg, size_t dashes, struct option *ret) {
        struct str text = str_skip(arg->text, dashes);
        size_t equals = str_find(text, '=');
        struct row row = { 0 };
        bool found;

        ret->name = str_take(text, equals);
        found = find_long(o->call->program, ret->name, &row);
        if (found) {
                ret->name = row.name;
                ret->meaning = row.meaning;
        }
        if (equals < text.len) {
                ret->value = arg_part(arg, dashes + equals + 1, text.len - equals - 1);
                ret->has_value = true;
        } else if (found && row.arity == '=') {
                take_value(o, ret);
                o->next += row.meaning == MEANS_PAIR; /* two of them: bwrap --bind FROM TO */
        }
        return SCAN_OPTION;
}

static enum scan short_option(struct options *o, const struct arg *arg, struct option *ret) {
        struct row row = { 0 };

        ret->name = str_take(str_skip(arg->text, o->cluster), 1);
        if (find_short(o->call->program, ret->name.ptr[0], &row))
                ret->meaning = row.meaning;
        o->cluster++;
        if (row.arity == '=' || row.arity == '?') {
                if (o->cluster < arg->text.len) {
                        ret->value = arg_part(arg, o->cluster, arg->text.len - o->cluster);
                        ret->has_value = true;
                } else if (row.arity == '=') {
                        o->cluster = 0;
                        o->next++;
                        take_value(o, ret);
                        return SCAN_OPTION;
                }
                o->cluster = arg->text.len;
        }
        if (o->cluster >= arg->text.len) {
                o->cluster = 0;
                o->next++;
        }
        return SCAN_OPTION;
}

static enum scan operand(struct options *o, const struct arg *arg, struct option *ret) {
        ret->value = *arg;
        ret->has_value = true;
        o->next++;
        return SCAN_OPERAND;
}

/* -C DIR: the rest of the call happens there. Only places that do not depend on where we are, as options are read twice. */
static void go_there(struct options *o, const struct option *option) {
        struct str to = option->value.text;

        if (option->meaning == MEANS_CD && option->has_value && to.len && (to.ptr[0] == '/' || to.ptr[0] == '~'))
                o->call->guard->cwd = path_resolve(o->call->guard, to);
}

static enum scan next_word(struct options *o, struct option *ret);

enum scan options_next(struct options *o, struct option *ret) {
        enum scan scan = next_word(o, ret);

        if (scan == SCAN_OPTION)
                go_there(o, ret);
        return ret->scan = scan;
}

static enum scan next_word(struct options *o, struct option *ret) {
        const struct arg *arg;
        unsigned traits = o->call->program ? o->call->program->traits : 0;

        *ret = (struct option){ .index = o->next };
        if (o->next >= o->call->count)
                return SCAN_END;
        arg = &o->call->args[o->next];
        if (o->cluster)
                return short_option(o, arg, ret);
        if (o->only_operands || arg->text.len < 2 || arg->text.ptr[0] != '-') {
                o->only_operands |= traits & TRAIT_ORDERED;
                return operand(o, arg, ret);
        }
        if (arg_is(arg, "--")) {
                o->only_operands = true;
                o->next++;
                return next_word(o, ret);
        }
        if (arg->text.ptr[1] == '-') {
                o->next++;
                return long_option(o, arg, 2, ret);
        }
        if (traits & TRAIT_ONE_DASH && arg->text.len > 2) {
                o->next++;
                return long_option(o, arg, 1, ret);
        }
        o->cluster = 1;
        return short_option(o, arg, ret);
}
