/*
 * Programs that are told by words what to do.
 */
#include "guard/options.h"
#include "guard/paths.h"
#include "guard/tables/subcommands.h"

enum { WORDS_DEEP = 4 };

/* ---- matching ---- */

static bool word_matches(struct str pattern, struct str word) {
        if (str_ends(pattern, STR("*")))
                return word.len >= pattern.len - 1 &&
                       str_eq_nocase(str_take(pattern, pattern.len - 1), str_take(word, pattern.len - 1));
        return str_eq_nocase(pattern, word);
}

/* The operands against the words of a row; where those end is where the rest begins. */
static bool words_match(const struct word_row *row, const size_t *operands, size_t count, const struct call *call,
                        size_t *ret_next) {
        struct str rest = str_z(row->words);
        size_t i = 0;

        for (; rest.len; i++) {
                struct str word = str_take(rest, str_find(rest, ' '));

                if (i >= count || !word_matches(word, call->args[operands[i]].text))
                        return false;
                rest = str_skip(rest, word.len + 1);
        }
        *ret_next = i;
        return true;
}

/* -f, in a cluster too, --force or a beginning of it, or name=value anywhere. */
static bool is_option(struct str text, struct str option) {
        bool dash = text.len > 1 && text.ptr[0] == '-';

        if (option.len == 1)
                return dash && text.ptr[1] != '-' && str_find(text, option.ptr[0]) < text.len;
        while (text.len && text.ptr[0] == '-')
                text = str_skip(text, 1);
        if (str_find(option, '=') < option.len) {
                while (text.len && !str_starts(text, option))
                        text = str_skip(text, str_find(text, ' ') + 1);
                return text.len;
        }
        text = str_take(text, str_find(text, '='));
        return dash && text.len > 2 && str_starts(option, text);
}

/* One of a list of options. */
static bool option_given(const struct call *call, struct str list) {
        for (; list.len; list = str_skip(list, str_find(list, ' ') + 1))
                for (size_t i = 1; i < call->count && !arg_is(&call->args[i], "--"); i++)
                        if (is_option(call->args[i].text, str_take(list, str_find(list, ' '))))
                                return true;
        return false;
}

static bool options_match(const struct call *call, const struct word_row *row) {
        if ((row->option && !option_given(call, str_z(row->option))) || (row->unless && option_given(call, str_z(row->unless))))
                return false;
        return row->effect != WORDS_DESTROY || !option_given(call, STR("help dry-run"));
}

/* The words that are no options. An option's value cannot be told from a word when the table does not know the option. */
static size_t collect_operands(struct call *call, size_t *operands, size_t most) {
        struct options options;
        struct option option;
        size_t count = 0;
        enum scan scan;

        options_start(&options, call);
        while (count < most && (scan = options_next(&options, &option)) != SCAN_END)
                if (scan == SCAN_OPERAND)
                        operands[count++] = options.next - 1;
        return count;
}

/* ---- effects ---- */

static void row_effect(struct call *call, const struct word_row *row, const size_t *operands, size_t count, size_t next) {
        static const struct {
                enum effect_kind kind;
                uint32_t flags;
        } effects[] = {
                [WORDS_DESTROY] = { FX_HISTORY, 0 },
                [WORDS_SECRET] = { FX_READ, PATH_CREDENTIAL },
                [WORDS_SEND] = { FX_UPLOAD, HOST_UNKNOWN },
                [WORDS_TUNNEL] = { FX_LISTEN, 0 },
                [WORDS_ESCALATE] = { FX_ESCALATE, 0 },
                [WORDS_SYSTEM] = { FX_RUN, NAME_BLOCKED },
                [WORDS_LATER] = { FX_LATER, 0 },
                [WORDS_WEAKEN] = { FX_WEAKEN, 0 },
                [WORDS_ATTACK] = { FX_ATTACK, 0 },
        };
        struct guard *g = call->guard;
        size_t words = row->option ? call->count : next ? operands[next - 1] + 1 : 1, first = next + row->skip;

        if ((row->effect == WORDS_LAUNCH || row->skip) && row->effect != WORDS_SHELL && first < count)
                guard_rest(call, operands[first]);
        if (row->effect == WORDS_LAUNCH) {
                ;
        } else if (row->effect == WORDS_SHELL) {
                for (size_t i = first; i < count; i++) {
                        const struct arg *arg = &call->args[operands[i]];
                        struct arg code = arg_part(arg, str_find(arg->text, '=') + 1, arg->text.len);

                        guard_shell(call, code.text.len ? &code : arg, NULL, 0);
                }
        } else if (row->effect == WORDS_CODE) {
                if (next < count)
                        judge_code_text(call, program_row(call->name), call->args[operands[next]].text, call->args[0].range);
        } else {
                guard_effect(g, effects[row->effect].kind, effects[row->effect].flags,
                             guard_join(g, call->args, words, &(bool){ false }), call->args[0].range);
        }
}

/* php artisan, python manage.py, bin/rails: the script's name is the program. */
static size_t script_operand(const struct call *call) {
        struct str script = call->count > 1 ? arg_basename(call->args[1].text) : STR("");

        return (str_is(call->name, "php") && str_is(script, "artisan")) ||
                               (str_starts(call->name, STR("python")) && str_is(script, "manage.py"))
                       ? 1
                       : 0;
}

void judge_words(struct call *call) {
        size_t operands[WORDS_DEEP + 2], count, next, low = 0, high = word_row_count, script = script_operand(call);
        struct call inner = *call;

        if (script) {
                inner.args++;
                inner.count--;
                inner.name = arg_basename(call->args[1].text);
                inner.program = NULL;
        }
        while (low < high) { /* the first row of the program */
                size_t middle = (low + high) / 2;

                if (str_cmp(str_z(word_rows[middle].program), inner.name) < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (low == word_row_count || !str_is(inner.name, word_rows[low].program))
                return;
        count = collect_operands(&inner, operands, WORDS_DEEP + 2);
        for (; low < word_row_count && str_is(inner.name, word_rows[low].program); low++) {
                const struct word_row *row = &word_rows[low];

                if (words_match(row, operands, count, &inner, &next) && options_match(&inner, row)) {
                        row_effect(&inner, row, operands, count, next);
                        return;
                }
        }
}

/* ---- SQL ---- */

/* The next word, in upper case as far as it fits; false at the end. */
static bool sql_word(struct str *text, char *word, size_t size) {
        size_t len = 0;

        while (text->len && !is_ascii_alpha((unsigned char)text->ptr[0]) && text->ptr[0] != ';')
                *text = str_skip(*text, 1);
        if (!text->len)
                return false;
        if (text->ptr[0] == ';') {
                memcpy(word, ";", 2);
                *text = str_skip(*text, 1);
                return true;
        }
        while (text->len && (is_ascii_alnum((unsigned char)text->ptr[0]) || text->ptr[0] == '_')) {
                if (len + 1 < size)
                        word[len++] = (char)ascii_upper((unsigned char)text->ptr[0]);
                *text = str_skip(*text, 1);
        }
        word[len] = '\0';
        return true;
}

/* DROP and TRUNCATE of anything; DELETE and UPDATE without WHERE; ALTER that drops. */
bool sql_destroys(struct str text) {
        static const char objects[] = "TABLE DATABASE SCHEMA COLUMN INDEX VIEW USER ROLE COLLECTION KEYSPACE";
        char word[16], before[16] = "";
        bool whole = false; /* a statement that takes all rows, so far */

        while (sql_word(&text, word, sizeof(word))) {
                bool start = !*before || strcmp(before, ";") == 0;

                if (strcmp(before, "DROP") == 0 && in_words(objects, str_z(word)))
                        return true;
                if (start && strcmp(word, "TRUNCATE") == 0)
                        return true;
                whole |= (strcmp(before, "DELETE") == 0 && strcmp(word, "FROM") == 0) || (start && strcmp(word, "UPDATE") == 0);
                if (strcmp(word, "WHERE") == 0)
                        whole = false;
                if (whole && strcmp(word, ";") == 0)
                        return true;
                memcpy(before, word, sizeof(before));
        }
        return whole;
}
