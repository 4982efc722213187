/*
 * Programs that are told by words what to do: which of them throw something away, show a secret, send something off, or run
 * the command behind the word. A row each; a word of a row stands for itself, its beginning (delete-*), or any word (*).
 */
#include "guard/options.h"
#include "guard/paths.h"

enum word_effect {
        WORDS_DESTROY, /* throws away what nobody can bring back */
        WORDS_SECRET,  /* prints credentials */
        WORDS_SEND,    /* local data leaves the machine */
        WORDS_TUNNEL,  /* others come in */
        WORDS_LAUNCH,  /* the words behind are a command */
};

static const struct word_row {
        const char *program;
        const char *words;  /* in this order, options left out */
        const char *option; /* that must be there too: a letter, a name, or both as "f force" */
        enum word_effect effect;
        unsigned skip; /* LAUNCH: operands before the command */
} word_rows[] = {
        { "ansible", "", "state=absent", WORDS_DESTROY, 0 },
        { "artisan", "db:wipe", NULL, WORDS_DESTROY, 0 },
        { "artisan", "migrate:fresh", NULL, WORDS_DESTROY, 0 },
        { "artisan", "migrate:reset", NULL, WORDS_DESTROY, 0 },
        { "asdf", "exec", NULL, WORDS_LAUNCH, 0 },
        { "aws", "* delete-*", NULL, WORDS_DESTROY, 0 },
        { "aws", "* terminate-*", NULL, WORDS_DESTROY, 0 },
        { "aws", "configure export-credentials", NULL, WORDS_SECRET, 0 },
        { "aws", "configure get aws_*", NULL, WORDS_SECRET, 0 },
        { "aws", "ecr get-login-password", NULL, WORDS_SECRET, 0 },
        { "aws", "s3 rb", NULL, WORDS_DESTROY, 0 },
        { "aws", "s3 rm", NULL, WORDS_DESTROY, 0 },
        { "aws", "secretsmanager get-secret-value", NULL, WORDS_SECRET, 0 },
        { "aws", "ssm get-parameter*", "with-decryption", WORDS_SECRET, 0 },
        { "aws", "sts get-session-token", NULL, WORDS_SECRET, 0 },
        { "aws-vault", "exec", NULL, WORDS_LAUNCH, 1 },
        { "az", "* * delete", NULL, WORDS_DESTROY, 0 },
        { "az", "* delete", NULL, WORDS_DESTROY, 0 },
        { "az", "account get-access-token", NULL, WORDS_SECRET, 0 },
        { "az", "keyvault secret show", NULL, WORDS_SECRET, 0 },
        { "az", "storage blob upload*", NULL, WORDS_SEND, 0 },
        { "btrfs", "subvolume delete", NULL, WORDS_DESTROY, 0 },
        { "bundle", "exec", NULL, WORDS_LAUNCH, 0 },
        { "bw", "export", NULL, WORDS_SECRET, 0 },
        { "bw", "get", NULL, WORDS_SECRET, 0 },
        { "chamber", "exec", NULL, WORDS_LAUNCH, 1 },
        { "cloudflared", "tunnel", "url", WORDS_TUNNEL, 0 },
        { "cloudflared", "tunnel run", NULL, WORDS_TUNNEL, 0 },
        { "conda", "run", NULL, WORDS_LAUNCH, 0 },
        { "croc", "send", NULL, WORDS_SEND, 0 },
        { "dbmate", "drop", NULL, WORDS_DESTROY, 0 },
        { "direnv", "exec", NULL, WORDS_LAUNCH, 1 },
        { "docker", "* prune", NULL, WORDS_DESTROY, 0 },
        { "docker", "compose down", "v volumes", WORDS_DESTROY, 0 },
        { "docker", "compose rm", "f force", WORDS_DESTROY, 0 },
        { "docker", "container rm", "f force", WORDS_DESTROY, 0 },
        { "docker", "image rm", "f force", WORDS_DESTROY, 0 },
        { "docker", "rm", "f force", WORDS_DESTROY, 0 },
        { "docker", "rmi", "f force", WORDS_DESTROY, 0 },
        { "docker", "volume rm", NULL, WORDS_DESTROY, 0 },
        { "docker-compose", "down", "v volumes", WORDS_DESTROY, 0 },
        { "docker-compose", "rm", "f force", WORDS_DESTROY, 0 },
        { "doppler", "run", NULL, WORDS_LAUNCH, 0 },
        { "doppler", "secrets", NULL, WORDS_SECRET, 0 },
        { "dropdb", "*", NULL, WORDS_DESTROY, 0 },
        { "fnm", "exec", NULL, WORDS_LAUNCH, 0 },
        { "gcloud", "* * delete", NULL, WORDS_DESTROY, 0 },
        { "gcloud", "* delete", NULL, WORDS_DESTROY, 0 },
        { "gcloud", "auth application-default print-access-token", NULL, WORDS_SECRET, 0 },
        { "gcloud", "auth print-*", NULL, WORDS_SECRET, 0 },
        { "gcloud", "secrets versions access", NULL, WORDS_SECRET, 0 },
        { "gh", "auth token", NULL, WORDS_SECRET, 0 },
        { "gh", "release delete", NULL, WORDS_DESTROY, 0 },
        { "gh", "repo delete", NULL, WORDS_DESTROY, 0 },
        { "git", "credential fill", NULL, WORDS_SECRET, 0 },
        { "git", "credential-store get", NULL, WORDS_SECRET, 0 },
        { "gsutil", "rb", NULL, WORDS_DESTROY, 0 },
        { "gsutil", "rm", NULL, WORDS_DESTROY, 0 },
        { "hatch", "run", NULL, WORDS_LAUNCH, 0 },
        { "helm", "delete", NULL, WORDS_DESTROY, 0 },
        { "helm", "rollback", NULL, WORDS_DESTROY, 0 },
        { "helm", "uninstall", NULL, WORDS_DESTROY, 0 },
        { "heroku", "apps:destroy", NULL, WORDS_DESTROY, 0 },
        { "heroku", "config", NULL, WORDS_SECRET, 0 },
        { "heroku", "pg:reset", NULL, WORDS_DESTROY, 0 },
        { "keyring", "get", NULL, WORDS_SECRET, 0 },
        { "kubectl", "delete", NULL, WORDS_DESTROY, 0 },
        { "kubectl", "drain", NULL, WORDS_DESTROY, 0 },
        { "kubectl", "get secret*", "o output", WORDS_SECRET, 0 },
        { "lvremove", "*", NULL, WORDS_DESTROY, 0 },
        { "manage.py", "flush", NULL, WORDS_DESTROY, 0 },
        { "manage.py", "reset_db", NULL, WORDS_DESTROY, 0 },
        { "micromamba", "run", NULL, WORDS_LAUNCH, 0 },
        { "mise", "exec", NULL, WORDS_LAUNCH, 0 },
        { "mise", "x", NULL, WORDS_LAUNCH, 0 },
        { "mix", "ecto.drop", NULL, WORDS_DESTROY, 0 },
        { "mix", "ecto.reset", NULL, WORDS_DESTROY, 0 },
        { "mongorestore", "", "drop", WORDS_DESTROY, 0 },
        { "mysqladmin", "drop", NULL, WORDS_DESTROY, 0 },
        { "ngrok", "*", NULL, WORDS_TUNNEL, 0 },
        { "nix", "develop", NULL, WORDS_LAUNCH, 1 },
        { "nix", "shell", NULL, WORDS_LAUNCH, 1 },
        { "npm", "exec", NULL, WORDS_LAUNCH, 0 },
        { "npm", "unpublish", NULL, WORDS_DESTROY, 0 },
        { "npm", "x", NULL, WORDS_LAUNCH, 0 },
        { "npx", "", NULL, WORDS_LAUNCH, 0 },
        { "nvm", "exec", NULL, WORDS_LAUNCH, 0 },
        { "op", "item get", NULL, WORDS_SECRET, 0 },
        { "op", "read", NULL, WORDS_SECRET, 0 },
        { "op", "run", NULL, WORDS_LAUNCH, 0 },
        { "pass", "show", NULL, WORDS_SECRET, 0 },
        { "pdm", "run", NULL, WORDS_LAUNCH, 0 },
        { "pg_restore", "", "c clean", WORDS_DESTROY, 0 },
        { "pipenv", "run", NULL, WORDS_LAUNCH, 0 },
        { "pipx", "run", NULL, WORDS_LAUNCH, 0 },
        { "pixi", "run", NULL, WORDS_LAUNCH, 0 },
        { "pnpm", "dlx", NULL, WORDS_LAUNCH, 0 },
        { "pnpm", "exec", NULL, WORDS_LAUNCH, 0 },
        { "podman", "* prune", NULL, WORDS_DESTROY, 0 },
        { "podman", "volume rm", NULL, WORDS_DESTROY, 0 },
        { "poetry", "run", NULL, WORDS_LAUNCH, 0 },
        { "prisma", "migrate reset", NULL, WORDS_DESTROY, 0 },
        { "pulumi", "destroy", NULL, WORDS_DESTROY, 0 },
        { "pvremove", "*", NULL, WORDS_DESTROY, 0 },
        { "pyenv", "exec", NULL, WORDS_LAUNCH, 0 },
        { "rails", "db:drop*", NULL, WORDS_DESTROY, 0 },
        { "rails", "db:reset", NULL, WORDS_DESTROY, 0 },
        { "rake", "db:drop*", NULL, WORDS_DESTROY, 0 },
        { "rake", "db:reset", NULL, WORDS_DESTROY, 0 },
        { "rbenv", "exec", NULL, WORDS_LAUNCH, 0 },
        { "rclone", "delete", NULL, WORDS_DESTROY, 0 },
        { "rclone", "purge", NULL, WORDS_DESTROY, 0 },
        { "redis-cli", "debug", NULL, WORDS_DESTROY, 0 },
        { "redis-cli", "del", NULL, WORDS_DESTROY, 0 },
        { "redis-cli", "flushall", NULL, WORDS_DESTROY, 0 },
        { "redis-cli", "flushdb", NULL, WORDS_DESTROY, 0 },
        { "redis-cli", "shutdown", NULL, WORDS_DESTROY, 0 },
        { "redis-cli", "unlink", NULL, WORDS_DESTROY, 0 },
        { "rustup", "run", NULL, WORDS_LAUNCH, 1 },
        { "rye", "run", NULL, WORDS_LAUNCH, 0 },
        { "secret-tool", "lookup", NULL, WORDS_SECRET, 0 },
        { "terraform", "apply", "destroy", WORDS_DESTROY, 0 },
        { "terraform", "destroy", NULL, WORDS_DESTROY, 0 },
        { "terragrunt", "destroy", NULL, WORDS_DESTROY, 0 },
        { "tofu", "destroy", NULL, WORDS_DESTROY, 0 },
        { "uv", "run", NULL, WORDS_LAUNCH, 0 },
        { "uv", "tool run", NULL, WORDS_LAUNCH, 0 },
        { "uvx", "", NULL, WORDS_LAUNCH, 0 },
        { "vault", "auth disable", NULL, WORDS_DESTROY, 0 },
        { "vault", "kv delete", NULL, WORDS_DESTROY, 0 },
        { "vault", "kv destroy", NULL, WORDS_DESTROY, 0 },
        { "vault", "kv get", NULL, WORDS_SECRET, 0 },
        { "vault", "policy delete", NULL, WORDS_DESTROY, 0 },
        { "vault", "read", NULL, WORDS_SECRET, 0 },
        { "vault", "secrets disable", NULL, WORDS_DESTROY, 0 },
        { "vgremove", "*", NULL, WORDS_DESTROY, 0 },
        { "volta", "run", NULL, WORDS_LAUNCH, 0 },
        { "wormhole", "send", NULL, WORDS_SEND, 0 },
        { "yarn", "dlx", NULL, WORDS_LAUNCH, 0 },
        { "yarn", "exec", NULL, WORDS_LAUNCH, 0 },
        { "zfs", "destroy", NULL, WORDS_DESTROY, 0 },
        { "zpool", "destroy", NULL, WORDS_DESTROY, 0 },
};

enum { WORD_ROWS = sizeof(word_rows) / sizeof(*word_rows), WORDS_DEEP = 4 };

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

/* -f, in a cluster too, or --force, or name=value anywhere. */
static bool option_given(const struct call *call, const char *option) {
        struct str letter = str_take(str_z(option), str_find(str_z(option), ' '));
        struct str name = letter.len == 1 ? str_skip(str_z(option), 2) : letter;

        for (size_t i = 1; i < call->count; i++) {
                struct str text = call->args[i].text;

                if (text.len > 1 && text.ptr[0] == '-' && text.ptr[1] != '-' && letter.len == 1 &&
                    str_find(text, letter.ptr[0]) < text.len)
                        return true;
                while (text.len && text.ptr[0] == '-')
                        text = str_skip(text, 1);
                if (name.len && str_starts(text, name))
                        return true;
        }
        return false;
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

static void launch(struct call *call, const struct word_row *row, const size_t *operands, size_t count, size_t next) {
        size_t first = next + row->skip;

        if (first < count)
                guard_rest(call, operands[first]);
}

static void row_effect(struct call *call, const struct word_row *row, const size_t *operands, size_t count, size_t next) {
        struct guard *g = call->guard;
        struct str what = guard_join(g, call->args, next ? operands[next - 1] + 1 : 1, &(bool){ false });

        switch (row->effect) {
        case WORDS_DESTROY:
                guard_effect(g, FX_HISTORY, BUDGET_LOST, what, call->args[0].range);
                break;
        case WORDS_SECRET:
                guard_effect(g, FX_READ, PATH_CREDENTIAL, what, call->args[0].range);
                break;
        case WORDS_SEND:
                guard_effect(g, FX_UPLOAD, HOST_UNKNOWN, what, call->args[0].range);
                break;
        case WORDS_TUNNEL:
                guard_effect(g, FX_LISTEN, 0, what, call->args[0].range);
                break;
        case WORDS_LAUNCH:
                launch(call, row, operands, count, next);
                break;
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
        size_t operands[WORDS_DEEP + 2], count, next, low = 0, high = WORD_ROWS, script = script_operand(call);
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
        if (low == WORD_ROWS || !str_is(inner.name, word_rows[low].program))
                return;
        count = collect_operands(&inner, operands, WORDS_DEEP + 2);
        for (; low < WORD_ROWS && str_is(inner.name, word_rows[low].program); low++) {
                const struct word_row *row = &word_rows[low];

                if (words_match(row, operands, count, &inner, &next) && (!row->option || option_given(&inner, row->option))) {
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
        static const char *const objects[] = { "TABLE", "DATABASE", "SCHEMA", "COLUMN",    "INDEX",
                                               "VIEW",  "USER",     "ROLE",   "COLLECTION" };
        char word[16], before[16] = "";
        bool whole = false; /* a statement that takes all rows, so far */

        while (sql_word(&text, word, sizeof(word))) {
                bool start = !*before || strcmp(before, ";") == 0;

                for (size_t i = 0; strcmp(before, "DROP") == 0 && i < sizeof(objects) / sizeof(*objects); i++)
                        if (strcmp(word, objects[i]) == 0)
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
