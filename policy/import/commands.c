/*
 * Commands that are allowed, denied or asked about: as words of guard.command_blocklist and its like where these mean as much,
 * and as a regular expression otherwise.
 */
#include "policy/import/take.h"

/* The shell runs these itself, as part of its grammar: they are no commands of their own. */
static const char *const keywords[] = { "!",     "[[",     "case", "coproc", "do",       "done",  "elif",
                                        "else",  "esac",   "fi",   "for",    "function", "if",    "in",
                                        "local", "select", "then", "time",   "until",    "while", NULL };

static bool has_only(struct str text, const char *others) {
        for (size_t i = 0; i < text.len; i++)
                if (!is_ascii_alnum((unsigned char)text.ptr[i]) && (!text.ptr[i] || !strchr(others, text.ptr[i])))
                        return false;
        return text.len > 0;
}

static bool is_keyword(struct str word) {
        for (size_t i = 0; keywords[i]; i++)
                if (str_is(word, keywords[i]))
                        return true;
        return false;
}

/* A name, and words that the shell leaves as they are, with single spaces between them. */
static bool is_words(struct str text) {
        struct str word = str_take(text, str_find(text, ' '));

        if (!has_only(word, "_.+-") || word.ptr[0] == '-' || is_keyword(word))
                return false;
        while (word.len < text.len) {
                text = str_skip(text, word.len + 1);
                word = str_take(text, str_find(text, ' '));
                if (!has_only(word, "_.+-/:@=,%"))
                        return false;
        }
        return true;
}

/* ---- as an expression ---- */

/* Stars are any text, and a space is as many of them as there are. */
static void put_expression(struct buf *out, struct str text, bool stars) {
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                if (c == ' ' || c == '\t' || c == '\n') {
                        while (i + 1 < text.len && text.ptr[i + 1] == ' ')
                                i++;
                        buf_append(out, STR("\\s+"));
                } else if (c == '*' && stars) {
                        buf_append(out, STR(".*"));
                } else {
                        if (!c || strchr("\\^$.[]|()?*+{}", (char)c))
                                buf_char(out, '\\');
                        buf_char(out, (char)c);
                }
        }
}

/* A command begins behind anything but a part of a word; ends are where a word ends, or do not matter. */
static void command_pattern(struct importer *im, struct setting_place at, enum import_kind kind, struct str text, bool stars,
                            bool word_end) {
        BUF_AUTO regex;

        buf_init(&regex, TREE_TEXT_MAX);
        buf_append(&regex, STR("(?s)"));
        if (text.len && !(stars && text.ptr[0] == '*'))
                buf_append(&regex, STR("(?<![\\w.-])"));
        put_expression(&regex, text, stars);
        if (word_end)
                buf_append(&regex, STR("(?![\\w-])"));
        if (regex.failed)
                im->failed = true;
        else
                import_pattern(im, at, kind, buf_str(&regex));
}

enum { REGEX_MAX = 4096 }; /* policy/pattern.h: PATTERN_REGEX_MAX */

void import_pattern(struct importer *im, struct setting_place at, enum import_kind kind, struct str regex) {
        struct import_value *value;

        if (kind == IMPORT_ALLOWS || regex.len > REGEX_MAX) {
                import_leave(im, at, kind, kind == IMPORT_ALLOWS ? "bailey cannot allow commands by a pattern" : "too long");
                return;
        }
        value = import_add(im, at, "guard.dangerous_patterns", regex);
        if (!value)
                return;
        value->asks = kind == IMPORT_ASKS;
        value->denies = true;
}

/* ---- one rule ---- */

static const char *const lists[] = {
        [IMPORT_ALLOWS] = "guard.allowed_commands",
        [IMPORT_ASKS] = "guard.ask",
        [IMPORT_DENIES] = "guard.command_blocklist",
};

static void allow(struct importer *im, struct setting_place at, struct str words, bool any_arguments) {
        if (!im->only_listed)
                import_leave(im, at, IMPORT_ALLOWS, "not needed: commands are allowed by default");
        else if (!any_arguments)
                import_leave(im, at, IMPORT_ALLOWS, "guard.allowed_commands would also allow it with arguments");
        else if (!is_words(words))
                import_leave(im, at, IMPORT_ALLOWS, "guard.allowed_commands accepts only words");
        else
                import_take(im, at, IMPORT_ALLOWS, lists[IMPORT_ALLOWS], words);
}

/* The text without what stands for any arguments: ":*", " *", or nothing in front of a lone star. */
static struct str without_rest(struct str text, bool *ret_rest) {
        *ret_rest = str_ends(text, STR(":*")) || str_ends(text, STR(" *"));
        return *ret_rest ? str_trim(str_take(text, text.len - 2)) : text;
}

static bool ends_word(struct str text) {
        return text.len && is_ascii_alnum((unsigned char)text.ptr[text.len - 1]);
}

void import_command(struct importer *im, struct setting_place at, enum import_kind kind, enum command_form form,
                    struct str text) {
        bool rest = form == COMMAND_PREFIX, stars = form == COMMAND_GLOB, words;

        text = str_trim(text);
        if (form == COMMAND_GLOB)
                text = without_rest(text, &rest);
        words = is_words(text) && (form == COMMAND_GLOB || ends_word(text));
        if (kind == IMPORT_ALLOWS)
                allow(im, at, words ? text : STR(""), rest);
        else if (words)
                import_take(im, at, kind, lists[kind], text);
        else
                command_pattern(im, at, kind, text, stars, ends_word(text));
}
