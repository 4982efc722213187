/*
 * Programs that the guard does not know: what their arguments say when they are taken for files, for commands, or for orders
 * to destroy something.
 */
#include "guard/judge.h"
#include "guard/paths.h"
#include "guard/tables/names.h"

enum {
        TAILS_TRIED = 8, /* ways to read the arguments as a command */
        TEXT_LOOKED_AT = 4096,
        ORDERS_MOST = 4, /* operands that may say what is to be done */
};

/* ---- files ---- */

/* --file=~/.ssh/id_rsa, name=@~/.aws/credentials, @.env: what follows the last mark may be a file. */
static void option_file(struct call *call, const struct arg *arg) {
        size_t start = arg->text.len;
        struct arg path;

        while (start > 0 && arg->text.ptr[start - 1] != '=' && arg->text.ptr[start - 1] != '@')
                start--;
        if (!start || start == arg->text.len)
                return;
        path = arg_part(arg, start, arg->text.len);
        if (path_flags(call->guard, &path, path_resolve(call->guard, path.text)) & (PATH_CREDENTIAL | PATH_ENVIRON))
                guard_path(call->guard, FX_READ, 0, &path);
}

/* ---- commands ---- */

static bool is_path(struct str word) {
        return str_find(word, '/') < word.len;
}

static bool is_dashed(struct str word) {
        return word.len && word.ptr[0] == '-';
}

static struct str without_dashes(struct str word) {
        struct str rest = word;

        while (is_dashed(rest))
                rest = str_skip(rest, 1);
        return rest.len ? rest : word;
}

/* --post-hook, on_exit_cmd: a part of the name says it. */
static unsigned kind_of(struct str word) {
        unsigned kind;

        word = without_dashes(word);
        kind = word_kind(word);
        while (!kind && word.len) {
                size_t end = 0;

                while (end < word.len && !strchr("-_:.", word.ptr[end]))
                        end++;
                kind = word_kind(str_take(word, end)) & (WORD_IS_LAUNCHING | WORD_IS_TEXT);
                word = str_skip(word, end + 1);
        }
        return kind;
}

/* What stands in front of an argument says more about it than what it looks like. */
static unsigned kind_before(const struct call *call, size_t i) {
        struct str before = call->args[i - 1].text;

        return i > 1 && str_find(before, ' ') == before.len ? kind_of(before) : 0;
}

static const struct program *program_first(struct str text) {
        size_t end = 0;

        text = str_trim(text);
        while (end < text.len && !strchr(" \t\n;|&<>()", text.ptr[end]))
                end++;
        return program_find(arg_basename(str_take(text, end)));
}

static bool is_sentence(struct str text) {
        size_t start = 0;

        for (size_t i = 0; i <= text.len; i++) {
                if (i < text.len && !strchr(" \t\n,.;:!?", text.ptr[i]))
                        continue;
                if (i > start + 1 && word_kind(str_from(text.ptr + start, i - start)) & WORD_IS_ENGLISH)
                        return true;
                start = i + 1;
        }
        return false;
}

bool text_is_command(struct str text) {
        return str_find(text, ' ') < text.len && program_first(text) && !is_sentence(text);
}

/* 'curl x | sh' as one argument, in one that is NAME=VALUE, or as an option's value. */
static void text_argument(struct call *call, size_t i) {
        struct guard *g = call->guard;
        const struct arg *arg = &call->args[i];
        size_t equals = str_find(arg->text, '='), blank = str_find(arg->text, ' ');
        bool named = equals < blank && equals > 0, supposed = g->supposed;
        struct arg code = named ? arg_part(arg, equals + 1, arg->text.len) : *arg;
        unsigned kind = named ? kind_of(str_take(arg->text, equals)) : kind_before(call, i);

        if (blank == arg->text.len || arg->text.len > TEXT_LOOKED_AT || kind & WORD_IS_TEXT || !program_first(code.text) ||
            (!(kind & WORD_IS_LAUNCHING) && (named ? !is_dashed(arg->text) : is_sentence(code.text))))
                return;
        g->supposed |= !(kind & WORD_IS_LAUNCHING);
        guard_shell(call, &code, NULL, 0);
        g->supposed = supposed;
}

/* Could the arguments from here on be a command? `ret_sure`: then it is one. */
static bool starts_command(const struct call *call, size_t i, bool *ret_sure) {
        const struct arg *arg = &call->args[i];
        struct str name = arg_basename(arg->text);

        if (is_dashed(arg->text) || !arg->known || !program_find(name))
                return false;
        *ret_sure = kind_before(call, i) & WORD_IS_LAUNCHING;
        return *ret_sure || (i + 1 < call->count && !(word_kind(name) & WORD_IS_SUBCOMMAND && arg->text.len == name.len));
}

/* acme-run --level 3 rm -rf /: many programs run what follows. */
static void tail_commands(struct call *call) {
        struct guard *g = call->guard;
        bool sure, supposed = g->supposed;
        unsigned tried = 0;

        for (size_t i = 1; i < call->count && tried < TAILS_TRIED; i++) {
                if (!is_dashed(call->args[i].text) && kind_of(call->args[i].text) & WORD_IS_TEXT &&
                    !is_dashed(call->args[i - 1].text))
                        return;
                if (!starts_command(call, i, &sure) || !guard_spend(g, call->count))
                        continue;
                tried++;
                g->supposed |= !sure && i > 1;
                guard_rest(call, i);
                g->supposed = supposed;
                if (!is_dashed(call->args[i - 1].text) || sure) /* else it may be the option's value */
                        return;
        }
}

/* A text with blanks may be a script of the program's own: the files in it. */
void judge_text_files(struct call *call, const struct arg *arg) {
        size_t end;

        if (arg->text.len > TEXT_LOOKED_AT || is_sentence(arg->text))
                return;
        for (size_t start = 0; start < arg->text.len; start += end + 1) {
                struct arg word = arg_part(arg, start, str_find(str_skip(arg->text, start), ' '));

                end = word.text.len;
                if (end > 1 && strchr("~/.", word.text.ptr[0]) &&
                    path_flags(call->guard, &word, path_resolve(call->guard, word.text)) & (PATH_CREDENTIAL | PATH_DOTENV))
                        guard_path(call->guard, FX_READ, 0, &word);
        }
}

/* ---- orders ---- */

/* The kinds of the parts of a word: apps:destroy, drop-database, delete_queue. A part in the middle says nothing. */
static unsigned order_kind(struct str word) {
        unsigned kind = word_kind(word);
        size_t first = 0, last = word.len;

        while (first < word.len && !strchr(":-_", word.ptr[first]))
                first++;
        while (last > 0 && !strchr(":-_", word.ptr[last - 1]))
                last--;
        if (first == word.len)
                return kind;
        if (word.ptr[first] == ':' || (word.ptr[first] == '-' && word_kind(str_skip(word, last)) & WORD_IS_SECRET))
                kind |= word_kind(str_skip(word, last));
        return kind | (word.ptr[first] == ':' ? 0 : word_kind(str_take(word, first)));
}

/* What the words tell the program to do. An option says so only by all of its name: --delete, but not --delete-branch. */
static void judge_orders(struct call *call) {
        static const unsigned telling = WORD_IS_SECRET | WORD_IS_TELLING;
        struct guard *g = call->guard;
        size_t destroys = 0, tells = 0, operands = 0;
        unsigned seen = 0;

        if (!call->name.len || is_path(call->args[0].text) || program_row(call->name))
                return;
        for (size_t i = 1; i < call->count; i++) {
                struct str word = without_dashes(call->args[i].text);
                bool dashed = is_dashed(call->args[i].text), value = i > 1 && is_dashed(call->args[i - 1].text);
                unsigned kind = word_kind(word), order = dashed && word.len < 2 ? 0 : dashed ? kind : order_kind(word);

                if (kind & WORD_IS_HARMLESS || (!destroys && !dashed && kind & WORD_IS_TEXT && !(kind & WORD_IS_TELLING)))
                        return;
                if (dashed && (order_kind(word) & telling) == telling)
                        tells = i; /* --show-secrets */
                if (dashed && str_starts(word, STR("dangerously-")))
                        guard_effect(g, FX_ESCALATE, 0, call->args[i].text, call->args[i].range);
                if (!dashed && operands++ >= ORDERS_MOST)
                        continue;
                if (!destroys && order & WORD_IS_DESTROYING)
                        destroys = i;
                seen |= dashed || value ? 0 : order & telling;
                if (seen == telling && !tells)
                        tells = i;
        }
        if (destroys)
                guard_effect(g, FX_HISTORY, 0, guard_join(g, call->args, destroys + 1, &(bool){ false }), call->args[0].range);
        if (tells)
                guard_effect(g, FX_READ, PATH_CREDENTIAL, guard_join(g, call->args, tells + 1, &(bool){ false }),
                             call->args[0].range);
}

/* system("..."), DROP TABLE x: a text may be code in a language of the program's own. */
static void text_code(struct call *call, const struct arg *arg) {
        struct guard *g = call->guard;
        bool supposed = g->supposed;

        if (arg->text.len > TEXT_LOOKED_AT || str_find(arg->text, ' ') == arg->text.len)
                return;
        if (!program_row(call->name) && call->name.len && sql_destroys(arg->text) && !is_sentence(arg->text))
                guard_effect(g, FX_HISTORY, 0, arg->text, arg->range);
        if (str_find(arg->text, '(') == arg->text.len)
                return;
        g->supposed = true;
        judge_code_text(call, NULL, arg->text, arg->range);
        g->supposed = supposed;
}

void judge_unknown(struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                option_file(call, &call->args[i]);
                if (!str_ends(call->name, STR("grep"))) {
                        text_argument(call, i);
                        if (!(kind_before(call, i) & WORD_IS_TEXT)) {
                                judge_text_files(call, &call->args[i]);
                                text_code(call, &call->args[i]);
                        }
                }
        }
        tail_commands(call);
        judge_orders(call);
}
