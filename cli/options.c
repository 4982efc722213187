#include "cli/options.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/program.h"

/* ---- near misses ---- */

enum { NAME_MAX_LEN = 31 };

static size_t smallest(size_t a, size_t b, size_t c) {
        size_t ab = a < b ? a : b;

        return ab < c ? ab : c;
}

/* How many letters have to be put in, left out, changed, or swapped with their neighbour. */
static size_t name_distance(const char *a, const char *b) {
        size_t rows[3][NAME_MAX_LEN + 1], *older = rows[0], *old = rows[1], *row = rows[2], b_len = strlen(b);

        if (strlen(a) > NAME_MAX_LEN || b_len > NAME_MAX_LEN)
                return SIZE_MAX;
        for (size_t j = 0; j <= b_len; j++)
                row[j] = j;
        for (size_t i = 1; a[i - 1]; i++) {
                size_t *free_row = older;

                older = old;
                old = row;
                row = free_row;
                row[0] = i;
                for (size_t j = 1; j <= b_len; j++) {
                        row[j] = smallest(old[j] + 1, row[j - 1] + 1, old[j - 1] + (a[i - 1] != b[j - 1]));
                        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && older[j - 2] + 1 < row[j])
                                row[j] = older[j - 2] + 1;
                }
        }
        return row[b_len];
}

const char *name_nearest(const char *given, const void *names, size_t count, size_t stride) {
        const char *best = NULL;
        size_t best_distance = (strlen(given) + 1) / 3 + 1; /* a third of the letters may differ: more is another word */

        for (size_t i = 0; i < count; i++) {
                const char *name;
                size_t distance;

                memcpy(&name, (const char *)names + i * stride, sizeof(name));
                distance = name_distance(given, name);
                if (distance < best_distance) {
                        best = name;
                        best_distance = distance;
                }
        }
        return best;
}

/* ---- reading ---- */

struct reader {
        const struct option_row *table;
        struct options *out;
        int argc, next;
        char **argv;
        struct err *err;
};

static size_t table_length(const struct option_row *table) {
        size_t count = 0;

        while (table[count].name)
                count++;
        return count;
}

static int option_unknown(const struct reader *r, struct str name) {
        char given[NAME_MAX_LEN + 1];
        const char *near;

        memcpy(given, name.ptr, name.len > NAME_MAX_LEN ? 0 : name.len);
        given[name.len > NAME_MAX_LEN ? 0 : name.len] = '\0';
        near = name_nearest(given, &r->table[0].name, table_length(r->table), sizeof(*r->table));
        if (near)
                return err_set(r->err, ERR_INVALID, "unknown option --%.*s; did you mean --%s?", (int)name.len, name.ptr, near);
        return err_set(r->err, ERR_INVALID, "unknown option --%.*s", (int)name.len, name.ptr);
}

bool choice_is(struct str argument) {
        bool bar = false;

        for (size_t i = 0; i < argument.len; i++) {
                if (argument.ptr[i] != (char)ascii_lower((unsigned char)argument.ptr[i]))
                        return false;
                bar = bar || argument.ptr[i] == '|';
        }
        return bar;
}

static bool choice_has(struct str choice, struct str value) {
        while (choice.len > 0) {
                struct str word = str_take(choice, str_find(choice, '|'));

                if (str_eq(word, value))
                        return true;
                choice = str_skip(choice, word.len + 1);
        }
        return false;
}

static int option_take(struct reader *r, size_t row, const char *value) {
        struct str argument = str_z(r->table[row].argument ? r->table[row].argument : "");
        struct options *out = r->out;
        bool left_out = false;

        if (str_starts(argument, STR("["))) {
                argument = str_take(str_skip(argument, 1), argument.len - 2);
                left_out = !*value;
        }
        if (choice_is(argument) && !left_out && !choice_has(argument, str_z(value)))
                return err_set(r->err, ERR_INVALID, "option --%s: expected %.*s, found \"%.64s\"", r->table[row].name,
                               (int)argument.len, argument.ptr, value);
        if (str_is(argument, "DIR") || str_is(argument, "FILE") || str_is(argument, "PATH"))
                value = program_path(value);
        if (!value)
                return err_memory(r->err);
        if (out->given_count == OPTIONS_GIVEN_MAX)
                return err_set(r->err, ERR_TOO_COMPLEX, "more than %d options", OPTIONS_GIVEN_MAX);
        out->given[out->given_count++] = (struct option_given){ .row = (int)row, .value = value };
        out->values[row] = value;
        return 0;
}

bool option_is_optional(const struct option_row *row) {
        return row->argument && row->argument[0] == '[';
}

/* `--name` or `--name=value`, or the argument after it. */
static int read_long(struct reader *r, const char *text) {
        struct str whole = str_z(text), name = str_take(whole, str_find(whole, '='));
        const char *value = name.len < whole.len ? text + name.len + 1 : NULL;
        size_t i = 0;

        while (r->table[i].name && !str_is(name, r->table[i].name))
                i++;
        if (!r->table[i].name)
                return option_unknown(r, name);
        if (!r->table[i].argument && value)
                return err_set(r->err, ERR_INVALID, "option --%s takes no value", r->table[i].name);
        if (option_is_optional(&r->table[i]))
                return option_take(r, i, value ? value : "");
        if (r->table[i].argument && !value && r->next < r->argc)
                value = r->argv[r->next++];
        if (r->table[i].argument && !value)
                return err_set(r->err, ERR_INVALID, "option --%s requires an argument: %s", r->table[i].name,
                               r->table[i].argument);
        return option_take(r, i, value ? value : "");
}

/* `-x`, `-xy`, `-xvalue`. */
static int read_short(struct reader *r, const char *letters) {
        for (; *letters; letters++) {
                size_t i = 0;

                while (r->table[i].name && r->table[i].letter != *letters)
                        i++;
                if (!r->table[i].name)
                        return err_set(r->err, ERR_INVALID, "unknown option -%c", *letters);
                if (!r->table[i].argument) {
                        if (option_take(r, i, "") < 0)
                                return -1;
                        continue;
                }
                if (!letters[1] && r->next >= r->argc)
                        return err_set(r->err, ERR_INVALID, "option -%c requires an argument: %s", *letters,
                                       r->table[i].argument);
                return option_take(r, i, letters[1] ? letters + 1 : r->argv[r->next++]);
        }
        return 0;
}

int options_read(const struct option_row *table, int argc, char **argv, struct options *ret, struct err *err) {
        struct options options = { .operands = argv };
        struct reader reader = { .table = table, .out = &options, .argc = argc, .argv = argv, .err = err };
        bool ended = false;

        while (reader.next < argc) {
                char *text = argv[reader.next++];
                int status = 0;

                if (ended || text[0] != '-' || !text[1]) {
                        argv[options.operand_count++] = text;
                } else if (strcmp(text, "--") == 0) {
                        ended = true;
                        options.after_dashes = options.operand_count == 0;
                } else {
                        status = text[1] == '-' ? read_long(&reader, text + 2) : read_short(&reader, text + 1);
                }
                if (status)
                        return status;
        }
        argv[options.operand_count] = NULL;
        *ret = options;
        return 0;
}

bool option_is_of(const struct option_row *row, const char *subcommand) {
        struct str rest = str_z(row->of ? row->of : "");

        while (rest.len > 0) {
                size_t length = str_find(rest, ' ');

                if (str_is(str_take(rest, length), subcommand))
                        return true;
                rest = str_skip(rest, length + 1);
        }
        return !row->of;
}

/* ---- operands ---- */

/* One that stands where a choice is asked for has to be part of it. */
static int operand_check(struct str word, const char *given, struct err *err) {
        if (!choice_is(word) || choice_has(word, str_z(given)))
                return 0;
        return err_set(err, ERR_INVALID, "expected %.*s, found \"%.64s\"", (int)word.len, word.ptr, given);
}

int operands_check(const char *syntax, const struct options *options, struct err *err) {
        struct str rest = str_z(syntax);
        int least = 0, most = 0;

        if (strstr(syntax, " | "))
                return 0;
        for (int i = 0; rest.len > 0; i++) {
                struct str word = str_take(rest, str_find(rest, ' '));

                least += word.ptr[0] != '[';
                most = str_ends(word, STR("...")) || str_ends(word, STR("...]")) ? INT_MAX : most + 1;
                if (i < options->operand_count && operand_check(word, options->operands[i], err) < 0)
                        return -1;
                rest = str_skip(rest, word.len + 1);
        }
        if (options->operand_count >= least && options->operand_count <= most)
                return 0;
        return *syntax ? err_set(err, ERR_INVALID, "expected %s", syntax) : err_set(err, ERR_INVALID, "no operands expected");
}
