#include "hook/wrap.h"

#include <string.h>

/* ---- quoting ---- */

/* Neither ~ nor = nor anything else that is special somewhere in a word. */
static bool is_plain(struct str word) {
        for (size_t i = 0; i < word.len; i++)
                if (!is_ascii_alnum((unsigned char)word.ptr[i]) && !(word.ptr[i] && strchr("_./:,+@%-", word.ptr[i])))
                        return false;
        return word.len > 0;
}

/* Between single quotes nothing is special but the quote itself, in every shell that agents use. */
static void quoted(struct buf *out, struct str word) {
        buf_char(out, '\'');
        while (word.len) {
                size_t quote = str_find(word, '\'');

                buf_append(out, str_take(word, quote));
                if (quote < word.len)
                        buf_append(out, STR("'\\''"));
                word = str_skip(word, quote + 1);
        }
        buf_char(out, '\'');
}

void wrap_word(struct buf *out, struct str word) {
        if (is_plain(word))
                buf_append(out, word);
        else
                quoted(out, word);
}

/* ---- the command ---- */

static void option(struct buf *out, const char *name, const char *value) {
        if (!value)
                return;
        buf_format(out, " %s ", name);
        wrap_word(out, str_z(value));
}

void wrap_options(struct buf *out, const char *policy, const char *config, const char *const *overrides) {
        option(out, "--policy", policy);
        option(out, "--config", config);
        for (size_t i = 0; overrides && overrides[i]; i++)
                option(out, "--set", overrides[i]);
}

/* All that stands before the command. The agent's shell knows best where it is; bailey refuses what is not in the workspace. */
static void beginning(struct buf *out, const struct wrap *wrap) {
        wrap_word(out, str_z(wrap->program));
        buf_append(out, STR(" run"));
        wrap_options(out, wrap->policy, wrap->config, wrap->overrides);
        option(out, "--workspace", wrap->workspace);
        buf_append(out, STR(" --cwd \"$PWD\""));
        if (wrap->timeout != 0)
                buf_format(out, " --timeout %.10g", wrap->timeout < 0 ? 0.0 : wrap->timeout);
        buf_char(out, ' ');
}

/* One that begins with a dash is no option, and to bash a space before it is nothing. */
static void argument(struct buf *out, struct str command) {
        BUF_AUTO spaced;

        buf_init(&spaced, command.len + 1);
        if (!command.len || command.ptr[0] != '-') {
                quoted(out, command);
                return;
        }
        buf_char(&spaced, ' ');
        buf_append(&spaced, command);
        quoted(out, buf_str(&spaced));
        out->failed |= spaced.failed;
}

void wrap_command(struct buf *out, const struct wrap *wrap, struct str command) {
        beginning(out, wrap);
        argument(out, command);
}

/* ---- and back ---- */

/* What bash makes of a word of single-quoted parts and \'. False when there is anything else in it. */
static bool unquoted(struct str word, struct buf *out) {
        while (word.len) {
                size_t end;

                if (str_starts(word, STR("\\'"))) {
                        buf_char(out, '\'');
                        word = str_skip(word, 2);
                        continue;
                }
                if (word.ptr[0] != '\'')
                        return false;
                word = str_skip(word, 1);
                end = str_find(word, '\'');
                if (end == word.len)
                        return false;
                buf_append(out, str_take(word, end));
                word = str_skip(word, end + 1);
        }
        return !out->failed;
}

bool wrap_is(struct str text, const struct wrap *wrap, struct buf *inner) {
        BUF_AUTO start, again;
        struct str rest;

        buf_init(&start, text.len + 1);
        buf_init(&again, text.len + 1);
        beginning(&start, wrap);
        if (start.failed || !str_starts(text, buf_str(&start)))
                return false;
        rest = str_skip(text, start.len);
        if (!unquoted(rest, inner))
                return false;
        argument(&again, buf_str(inner));
        return !again.failed && str_eq(buf_str(&again), rest);
}
