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

/* -o FILE, --output=FILE: only places where a file does harm. */
static void written_option(struct call *call, size_t i) {
        struct str text = call->args[i].text, key = str_take(text, str_find(text, '='));
        bool set = key.len<text.len, dashed = text.len> 1 && text.ptr[0] == '-';
        struct arg path = set ? arg_part(&call->args[i], key.len + 1, text.len) : call->args[i + 1 < call->count ? i + 1 : i];

        while (key.len && key.ptr[0] == '-')
                key = str_skip(key, 1);
        if ((dashed || set) && word_kind(key) & WORD_IS_OUTPUT &&
            path_flags(call->guard, &path, path_resolve(call->guard, path.text)) & (PATH_SYSTEM | PATH_STARTUP | PATH_DEVICE))
                guard_path(call->guard, FX_WRITE, 0, &path);
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
        unsigned kind = word_kind(without_dashes(word));

        return kind || is_path(word) ? kind : word_parts_kind(word) & (WORD_IS_LAUNCHING | WORD_IS_TEXT);
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
        bool named = equals < blank && equals > 0;
        unsigned muted = g->muted;
        struct arg code = named ? arg_part(arg, equals + 1, arg->text.len) : *arg;
        unsigned kind = named ? kind_of(str_take(arg->text, equals)) : kind_before(call, i);

        if (blank == arg->text.len || arg->text.len > TEXT_LOOKED_AT || kind & WORD_IS_TEXT || !program_first(code.text) ||
            (!(kind & WORD_IS_LAUNCHING) && (named ? !is_dashed(arg->text) : is_sentence(code.text))))
                return;
        g->muted |= kind & WORD_IS_LAUNCHING ? 0 : MUTED_SUPPOSED;
        guard_shell(call, &code, NULL, 0);
        g->muted = muted;
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
        bool sure;
        unsigned tried = 0, muted = g->muted;

        for (size_t i = 1; i < call->count && tried < TAILS_TRIED; i++) {
                if (!is_dashed(call->args[i].text) && kind_of(call->args[i].text) & WORD_IS_TEXT &&
                    !is_dashed(call->args[i - 1].text))
                        return;
                if (!starts_command(call, i, &sure) || !guard_spend(g, call->count))
                        continue;
                tried++;
                g->muted |= !sure && i > 1 ? MUTED_SUPPOSED : 0;
                guard_rest(call, i);
                g->muted = muted;
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

/* Everything about one word of a command line. */
struct told {
        struct str word;    /* without dashes */
        bool dashed, value; /* an option; it stands behind one */
        unsigned kind, order;
};

static struct told told_of(const struct call *call, size_t i) {
        struct str word = call->args[i].text;
        struct told t = { .word = without_dashes(word),
                          .dashed = is_dashed(word),
                          .value = i > 1 && is_dashed(call->args[i - 1].text) };

        t.kind = t.dashed && t.word.len < 2 ? word_kind(t.word) & (WORD_IS_FORCING | WORD_IS_HARMLESS) : word_kind(t.word);
        t.order = t.dashed ? t.kind : word_order_kind(t.word);
        if (t.dashed && word_kind(word_next_part(&word)) & WORD_IS_FORCING)
                t.order |= word_parts_kind(word) & WORD_IS_WEAK ? WORD_IS_DESTROYING : WORD_IS_FORCING; /* --force-reset */
        return t;
}

/* Nothing is done: --dry-run, list, help; but not -n NAMESPACE. */
static bool only_shows(const struct call *call, size_t i, const struct told *t) {
        return t->kind & WORD_IS_HARMLESS && !(t->dashed && t->word.len == 1 && i + 1 < call->count &&
                                               !is_dashed(call->args[i + 1].text) && str_is(t->word, "n"));
}

/* What the words tell the program to do. An option says so only by all of its name: --delete, but not --delete-branch. */
static void judge_orders(struct call *call) {
        static const unsigned telling = WORD_IS_SECRET | WORD_IS_TELLING;
        struct guard *g = call->guard;
        size_t destroys = 0, tells = 0, weak = 0, operands = 0;
        unsigned seen = 0;
        bool forced = false;

        for (size_t i = 1; i < call->count; i++) {
                struct told t = told_of(call, i);

                if (only_shows(call, i, &t) ||
                    (!destroys && !weak && !t.dashed && t.kind & WORD_IS_TEXT && !(t.kind & (WORD_IS_TELLING | WORD_IS_NOUN))))
                        return;
                if (t.dashed && (word_order_kind(t.word) & telling) == telling)
                        tells = i; /* --show-secrets */
                if (t.dashed && str_starts(t.word, STR("dangerously-")))
                        guard_effect(g, FX_ESCALATE, 0, call->args[i].text, call->args[i].range);
                forced |= t.dashed && t.order & WORD_IS_FORCING;
                if (!t.dashed && operands++ >= ORDERS_MOST)
                        continue;
                if (!destroys && t.order & WORD_IS_DESTROYING)
                        destroys = i;
                if (!weak && !t.dashed && t.order & WORD_IS_WEAK)
                        weak = i;
                seen |= t.dashed || t.value ? 0 : t.order & telling;
                if (seen == telling && !tells)
                        tells = i;
        }
        if (!destroys && weak && forced)
                destroys = weak;
        if (destroys)
                guard_effect(g, FX_HISTORY, 0, guard_join(g, call->args, destroys + 1, &(bool){ false }), call->args[0].range);
        if (tells)
                guard_effect(g, FX_READ, PATH_CREDENTIAL, guard_join(g, call->args, tells + 1, &(bool){ false }),
                             call->args[0].range);
}

/* sslVerify with false, --acl with public-read. */
static bool weakens(unsigned setting, unsigned value) {
        return (setting & WORD_IS_GUARDING && value & WORD_IS_OFF) || (setting & WORD_IS_ACCESS && value & WORD_IS_OPENING);
}

static unsigned value_kind(struct str word) {
        size_t colon = str_find(word, ':');
        unsigned kind = word_kind(word) | (colon < word.len ? word_kind(str_take(word, colon)) : 0);

        return kind | (is_path(word) ? word_kind(arg_basename(word)) : word_parts_kind(word) & WORD_IS_OPENING);
}

/* disable firewalld, strict-ssl false, http.sslVerify=0, --no-verify-ssl, --nodeps, --visibility public. */
static void judge_protections(struct call *call, bool packages) {
        unsigned before = 0, value;
        bool disables = false, hit = false;

        for (size_t i = 0; i < call->count && !hit; i++) {
                struct str text = call->args[i].text, key = str_take(text, str_find(text, '='));
                bool set = key.len < text.len, dashed = i && is_dashed(text);
                unsigned whole = word_kind(without_dashes(text)), setting = is_path(key) ? 0 : word_parts_kind(key);

                if (str_find(text, ' ') < text.len || text.len > 120) {
                        before = 0;
                        continue;
                }
                value = value_kind(set ? str_skip(text, key.len + 1) : text);
                hit = (set && weakens(setting, value) && !(setting & WORD_IS_OFF)) ||
                      (!set && !dashed && weakens(before, value)) || (dashed && whole & WORD_IS_UNCHECKED) ||
                      (whole & WORD_IS_ACCESS && whole & WORD_IS_OPENING) ||
                      ((dashed || set) && setting & WORD_IS_OFF && setting & WORD_IS_GUARDING &&
                       !(set && value & WORD_IS_OFF)) ||
                      (disables && !dashed && (whole | (packages ? 0 : setting)) & WORD_IS_SERVICE) ||
                      (!packages && i && i < ORDERS_MOST && !dashed && setting & WORD_IS_DISABLING &&
                       setting & (WORD_IS_GUARDING | WORD_IS_SERVICE));
                disables |= i && !dashed && whole & WORD_IS_DISABLING;
                before = set ? 0 : setting | whole;
                if (hit)
                        guard_effect(call->guard, FX_WEAKEN, 0, guard_join(call->guard, call->args, i + 1, &(bool){ false }),
                                     call->args[0].range);
        }
}

/* A program that is told by words, and is none of the project's own. */
void judge_told(struct call *call) {
        void (*judge)(struct call * call) = call->program ? call->program->judge : NULL;
        const struct program *row = program_row(call->name);
        bool packages = judge == judge_package || (row && row->online && strstr(row->online, "install"));

        if (!call->name.len || is_path(call->args[0].text))
                return;
        if (!call->program || judge == judge_package || judge == judge_remote ||
            (judge == judge_git && call->count > 1 && (arg_is(&call->args[1], "config") || arg_is(&call->args[1], "-c"))))
                judge_protections(call, packages);
        for (size_t i = 1; judge == judge_remote && !str_is(call->name, "ssh") && i < call->count; i++)
                text_argument(call, i); /* gcloud compute ssh vm --command CODE */
        if (!packages && (!call->program || (judge == judge_remote && !str_is(call->name, "ssh")))) /* those remove packages */
                judge_orders(call);
}

/* system("..."), DROP TABLE x: a text may be code in a language of the program's own. */
static void text_code(struct call *call, const struct arg *arg) {
        struct guard *g = call->guard;
        unsigned muted = g->muted;

        if (arg->text.len > TEXT_LOOKED_AT || str_find(arg->text, ' ') == arg->text.len)
                return;
        if (!program_row(call->name) && call->name.len && sql_destroys(arg->text) && !is_sentence(arg->text))
                guard_effect(g, FX_HISTORY, 0, arg->text, arg->range);
        if (str_find(arg->text, '(') == arg->text.len)
                return;
        g->muted |= MUTED_SUPPOSED;
        judge_code_text(call, NULL, arg->text, arg->range);
        g->muted = muted;
}

void judge_unknown(struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                const struct piece *piece = call->args[i].value.pieces;
                struct arg content =
                        piece && piece->content ? guard_arg(call->guard, *piece->content, call->args[i].range) : call->args[i];

                option_file(call, &call->args[i]);
                if (piece && piece->content) /* a script for the program's own interpreter: most have Lua */
                        judge_code_text(call, program_find(STR("lua")), content.text, content.range);
                written_option(call, i);
                if (!str_ends(call->name, STR("grep"))) {
                        text_argument(call, i);
                        if (!(kind_before(call, i) & WORD_IS_TEXT)) {
                                judge_text_files(call, &call->args[i]);
                                text_code(call, &call->args[i]);
                        }
                }
        }
        tail_commands(call);
}
