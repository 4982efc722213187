/*
 * `config init`: the table of keys as a file to start with. All values are comments, so that it changes nothing, and a
 * later bailey's built-in values are not overridden by today's.
 */
#include "policy/show.h"

static const char head[] =
        "# Config file of bailey. `bailey config show` prints the values in force and where they are set;\n"
        "# `bailey config check FILE` checks a file for errors.\n"
        "#\n"
        "# Every key is listed with its built-in value. Lists are added to the built-in ones; to replace a list, write\n"
        "#   domain_allowlist = { replace = true, items = [\"example.com\"] }\n"
        "# Times are seconds, or strings such as \"10s\" and \"2m\"; sizes are bytes, or strings such as \"64 KiB\".\n";

static const char tail[] = "\n"
                           "# A policy of your own, selected with `--policy NAME`. It can contain all sections above.\n"
                           "# [policy.careful]\n"
                           "# extends = \"build\"\n"
                           "# allowed_commands = [\"cargo fmt\"]\n"
                           "# [policy.careful.run]\n"
                           "# timeout = \"30s\"\n"
                           "\n"
                           "# A pattern of your own. There can be several.\n"
                           "# [[guard.dangerous_patterns]]\n"
                           "# name = \"no-force-push\"\n"
                           "# regex = 'git\\s+push\\b.*--force'\n"
                           "# severity = \"warn\"\n"
                           "# message = \"Others may have pushed; ask first.\"\n"
                           "\n"
                           "# Hosts that get a secret which commands do not have.\n"
                           "# [[sandbox.network.credential]]\n"
                           "# host = \"api.github.com\"\n"
                           "# header = \"Authorization: Bearer\"\n"
                           "# env = \"GITHUB_TOKEN\"\n"
                           "# [[sandbox.network.credential]]\n"
                           "# host = \"git.example.com\"\n"
                           "# header = \"Authorization: Basic\"\n"
                           "# user = \"me\"\n"
                           "# file = \"~/.config/git.example.com/token\"\n";

/* A sentence or two, as comments of at most 100 columns. */
static void help_write(struct str text, struct buf *out) {
        const size_t most = 98;

        while (text.len) {
                size_t end = text.len;

                if (end > most)
                        for (end = most; end > 0 && text.ptr[end] != ' ';)
                                end--;
                buf_append(out, STR("# "));
                buf_append(out, str_take(text, end));
                buf_char(out, '\n');
                text = str_skip(text, end + 1);
        }
}

static void words_write(const struct key_row *key, struct buf *out) {
        buf_append(out, STR("# One of"));
        for (size_t i = 0; key->words[i]; i++)
                buf_format(out, "%s %s", i ? "," : "", key->words[i]);
        buf_append(out, STR(".\n"));
}

static void key_write(const struct key_row *key, struct buf *out) {
        buf_char(out, '\n');
        help_write(str_z(key->help), out);
        if (key->type == KEY_WORD)
                words_write(key, out);
        if (key->text && key->type == KEY_STRING && !key->text->valid(key->initial.text)) {
                buf_format(out, "# %s is not set by default.\n", key->name);
                return;
        }
        buf_format(out, "# %s = ", key->name);
        key_value_write(key, &key->initial, SHOW_TOML, out);
        buf_char(out, '\n');
}

void config_template(struct buf *out) {
        enum key_section section = SECTION_TOP;

        buf_append(out, str_z(head));
        for (size_t i = 0; i < key_count; i++) {
                if (!key_is_single(&keys[i]))
                        continue;
                key_heading(&keys[i], &section, out);
                key_write(&keys[i], out);
        }
        buf_append(out, str_z(tail));
}
