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

/* ---- orders ---- */

/* delete, apps:destroy, drop-database. */
static bool destroys(struct str word) {
        size_t colon = str_find(word, ':'), dash = str_find(word, '-');

        return word_kind(word) & WORD_IS_DESTROYING ||
               (colon < word.len && word_kind(str_skip(word, colon + 1)) & WORD_IS_DESTROYING) ||
               (dash < word.len && word_kind(str_take(word, dash)) & WORD_IS_DESTROYING);
}

static void destroying_order(struct call *call) {
        size_t order = 0, operands = 0;

        if (!call->name.len || str_find(call->args[0].text, '/') < call->args[0].text.len || program_row(call->name))
                return;
        for (size_t i = 1; i < call->count; i++) {
                struct str word = call->args[i].text;
                unsigned kind = word_kind(without_dashes(word));

                if (kind & WORD_IS_HARMLESS || (!order && kind & WORD_IS_TEXT))
                        return;
                if (!is_dashed(word) && operands++ < ORDERS_MOST && !order && destroys(word))
                        order = i;
        }
        if (order)
                guard_effect(call->guard, FX_HISTORY, 0, guard_join(call->guard, call->args, order + 1, &(bool){ false }),
                             call->args[0].range);
}

void judge_unknown(struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                option_file(call, &call->args[i]);
                if (!str_ends(call->name, STR("grep")))
                        text_argument(call, i);
        }
        tail_commands(call);
        destroying_order(call);
}
