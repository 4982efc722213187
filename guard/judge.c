/*
 * One command at a time: its arguments made readable, its redirections and assignments, which program it is, and what
 * runs inside it.
 */
#include "guard/judge.h"

#include "guard/options.h"
#include "guard/paths.h"
#include "guard/tables/names.h"
#include "policy/env.h"
#include "bash/syntax/visit.h"

/* ---- arguments ---- */

struct arg arg_text(struct guard *g, struct str text, struct range range) {
        (void)g;
        return (struct arg){ .text = text, .range = range, .known = str_find(text, UNKNOWN_BYTE) == text.len };
}

struct arg arg_part(const struct arg *arg, size_t start, size_t len) {
        struct arg part = *arg;

        part.text = str_take(str_skip(arg->text, start), len);
        part.known = str_find(part.text, UNKNOWN_BYTE) == part.text.len;
        part.field = NULL;
        if (start && arg->value.pieces && arg->value.pieces->kind == PIECE_TEXT && arg->value.pieces->text.len == start)
                part.value.pieces = arg->value.pieces->next;
        return part;
}

struct str arg_basename(struct str text) {
        size_t start = text.len;

        while (start > 0 && text.ptr[start - 1] != '/')
                start--;
        return str_skip(text, start);
}

/* $PWD and $(pwd), but for $PWD/..: how deep that is, is not to be relied on. */
static struct str here_of(const struct guard *g, const struct piece *piece) {
        const struct command *c = piece->part && piece->part->kind == PART_COMMAND ? piece->part->body : NULL;
        const struct word *w = c && !c->next && c->kind == COMMAND_SIMPLE && !c->redirs ? c->simple.words : NULL;
        bool pwd = (piece->because == UNKNOWN_ENV && str_is(piece->text, "PWD")) ||
                   (w && !w->next && w->parts->kind == PART_LITERAL && str_is(w->parts->text, "pwd"));

        if (piece->kind != PIECE_UNKNOWN || !pwd || (piece->next && str_starts(piece->next->text, STR("/.."))))
                return STR("");
        return g->cwd.len ? g->cwd : g->start;
}

/* What `while read x` reads of the names that find prints: one of them. */
static struct str found_of(const struct guard *g, const struct piece *piece) {
        bool read = piece->because == UNKNOWN_INPUT || (piece->because == UNKNOWN_OUTPUT && !piece->part);
        bool inside = piece->kind == PIECE_UNKNOWN && read && g->found_for && g->visit &&
                      g->found_for->range.start <= g->visit->command->range.start &&
                      g->visit->command->range.end <= g->found_for->range.end;

        return inside && !g->depth ? g->found[0].text : here_of(g, piece);
}

/* Known bytes as they are, ~ for a home directory, one byte for whatever is unknown. */
static struct str value_text_shape(struct guard *g, struct value value) {
        size_t size = 0;
        char *out, *to;

        if (value_known(value, &(struct str){ 0 }) && value.pieces && !value.pieces->next)
                return value.pieces->text;
        for (const struct piece *piece = value.pieces; piece; piece = piece->next)
                size += piece->text.len + 1 + found_of(g, piece).len;
        to = out = guard_bytes(g, size + 1);
        for (const struct piece *piece = value.pieces; out && piece; piece = piece->next) {
                struct str here = found_of(g, piece);

                if (here.len) {
                        memcpy(to, here.ptr, here.len);
                        to += here.len;
                } else if (piece->kind == PIECE_UNKNOWN && piece->because == UNKNOWN_FILES && piece->text.len) {
                        memcpy(to, piece->text.ptr, piece->text.len); /* some file that the pattern matches */
                        to += piece->text.len;
                } else if (piece->kind == PIECE_UNKNOWN)
                        *to++ = UNKNOWN_BYTE;
                if (piece->kind == PIECE_HOME)
                        *to++ = '~';
                if (piece->kind != PIECE_UNKNOWN && piece->text.len) {
                        memcpy(to, piece->text.ptr, piece->text.len);
                        to += piece->text.len;
                }
        }
        return out ? str_from(out, (size_t)(to - out)) : STR("");
}

struct arg guard_arg(struct guard *g, struct value value, struct range range) {
        struct arg arg = arg_text(g, value_text_shape(g, value), range);

        arg.value = value;
        for (const struct piece *piece = value.pieces; piece; piece = piece->next)
                arg.glob |= piece->kind == PIECE_UNKNOWN && piece->because == UNKNOWN_FILES;
        return arg;
}

static struct arg arg_from_field(struct guard *g, const struct walk_visit *visit, const struct field *field) {
        struct range range = field->word && visit->script == g->root ? field->word->range : g->range;
        struct arg arg = guard_arg(g, field->value, range);

        arg.field = field;
        arg.glob |= field->glob;
        arg.may_split = field->may_split;
        return arg;
}

/* The words with blanks between them, as eval, ssh and watch put them together. */
struct str guard_join(struct guard *g, const struct arg *args, size_t count, bool *ret_known) {
        size_t size = 1;
        char *out, *to;

        *ret_known = true;
        for (size_t i = 0; i < count; i++) {
                size += args[i].text.len + 1;
                *ret_known &= args[i].known;
        }
        to = out = guard_bytes(g, size);
        for (size_t i = 0; out && i < count; i++) {
                if (i)
                        *to++ = ' ';
                if (args[i].text.len)
                        memcpy(to, args[i].text.ptr, args[i].text.len);
                to += args[i].text.len;
        }
        return out ? str_from(out, (size_t)(to - out)) : STR("");
}

/* ---- what comes from the network ---- */

struct trait_search {
        const struct guard *g;
        unsigned trait;
};

/* By its name, or because it was seen to. */
static bool command_has(const struct guard *g, const struct command *c, unsigned trait) {
        for (size_t i = 0; trait & TRAIT_NETWORK && i < g->network_count && i < NETWORK_KEPT; i++)
                if (g->network_commands[i] == c)
                        return true;
        for (const struct word *w = c->kind == COMMAND_SIMPLE ? c->simple.words : NULL; w; w = w->next) {
                const struct part *p = w->parts;
                const struct program *program = p && !p->next && (p->kind == PART_LITERAL || p->kind == PART_QUOTED)
                                                        ? program_find(arg_basename(p->text))
                                                        : NULL;

                if (program && program->traits & trait)
                        return true;
                if (!program || program->act != ACT_COMMAND)
                        break; /* a wrapper: the next word may be it */
        }
        return false;
}

static int trait_node(const struct node *node, void *data) {
        const struct trait_search *search = data;

        if (node->kind == NODE_COMMAND && command_has(search->g, node->command, search->trait))
                return 1;
        return shell_visit_children(node, trait_node, data);
}

static bool list_has(struct guard *g, const struct command *list, unsigned trait) {
        struct trait_search search = { g, trait };

        return shell_visit_list(list, ROLE_COMMAND, trait_node, &search) != 0;
}

bool guard_list_network(struct guard *g, const struct command *list) {
        return list_has(g, list, TRAIT_NETWORK);
}

static bool origin_has(struct guard *g, const struct origin *origin, unsigned trait) {
        for (const struct command *c = origin->first; c; c = c->next) {
                struct command alone = *c;

                alone.next = NULL;
                if (command_has(g, c, trait) || list_has(g, &alone, trait))
                        return true;
                if (c == origin->last)
                        break;
        }
        return origin->marked && trait & TRAIT_NETWORK;
}

bool guard_value_has(struct guard *g, const struct value *value, unsigned trait) {
        for (const struct piece *piece = value ? value->pieces : NULL; piece; piece = piece->next) {
                if (piece->kind != PIECE_UNKNOWN)
                        continue;
                if (piece->part && piece->part->kind == PART_COMMAND && list_has(g, piece->part->body, trait))
                        return true;
                if (piece->origin && origin_has(g, piece->origin, trait))
                        return true;
        }
        return false;
}

/* The command, and the functions that it runs in: what they print comes from the network too. */
static void network_seen(struct guard *g, const struct walk_visit *visit) {
        g->network_commands[g->network_count++ % NETWORK_KEPT] = visit->command;
        for (const struct walk_call *call = visit->call; call; call = call->outer)
                g->network_commands[g->network_count++ % NETWORK_KEPT] = call->caller;
}

bool guard_value_reads(struct guard *g, const struct value *value) {
        (void)g;
        for (const struct piece *piece = value->pieces; piece; piece = piece->next)
                if (piece->kind == PIECE_UNKNOWN && piece->because == UNKNOWN_OUTPUT)
                        return true;
        return false;
}

/* ---- code inside ---- */

void guard_shell_text(struct call *call, struct str text, struct range range) {
        struct guard *g = call->guard;
        struct arg arg = arg_text(g, text, range);

        guard_shell(call, &arg, NULL, 0);
}

/* Text that a shell will run, with $0 and the positional parameters. What is unknown in it stays unknown. */
void guard_shell(struct call *call, const struct arg *text, const struct arg *arguments, size_t count) {
        struct guard *g = call->guard;
        struct walk_options options = { .arguments_known = count > 0,
                                        .argument_count = count > 1 ? count - 1 : 0,
                                        .outer = call->visit ? call->visit->walk : NULL };
        struct str words[16];
        struct script *script = ARENA_NEW(g->arena, struct script);
        struct frame frame = { g->frame, call->visit };
        struct str cwd = g->cwd;
        size_t used;

        if (guard_value_network(g, &text->value)) {
                guard_effect(g, FX_CODE, CODE_NETWORK, STR("the network"), text->range);
                return;
        }
        if (!text->known)
                guard_opaque(g, text->text, text->range);
        if (!text->known && guard_value_has(g, &text->value, TRAIT_DECODES)) /* bash -c "$(zcat x)" */
                guard_effect(g, FX_CODE, CODE_PIPED, STR("a shell"), text->range);
        if (!guard_spend(g, GUARD_STEPS_SCRIPT + text->text.len / 2) || !g->inner.memory) {
                guard_effect(g, FX_TEXT, TEXT_LONG, STR("too many nested commands to analyse"), g->range);
                g->inner.steps = 0;
                return;
        }
        if (++g->depth > GUARD_MAX_DEPTH || !script) {
                guard_effect(g, FX_TEXT, TEXT_LONG, STR("commands nested more than 8 levels deep"), g->range);
                g->depth--;
                return;
        }
        for (size_t i = 0; i < count && i < 16; i++)
                words[i] = arguments[i].text;
        if (count)
                options.name = words[0];
        options.arguments = words + 1;
        if (options.argument_count > 15)
                options.argument_count = 15;
        used = g->arena->used;
        if (shell_parse(text->text, g->arena, script) < 0 && text->known)
                guard_opaque(g, STR("code that bash cannot parse"), text->range);
        if (text_is_long(g, script)) {
                g->depth--;
                return;
        }
        used = g->arena->used - used + sizeof(*script);
        g->inner.memory -= used < g->inner.memory ? used : g->inner.memory;
        g->frame = &frame;
        guard_script(g, script, &options);
        g->frame = frame.outer;
        g->depth--;
        g->cwd = cwd;
}

/* The arguments from `first` on are a command of their own. */
void guard_rest(struct call *call, size_t first) {
        struct guard *g = call->guard;
        struct call inner = *call;

        if (first >= call->count)
                return;
        if (++g->depth > GUARD_MAX_DEPTH) {
                guard_effect(g, FX_TEXT, TEXT_LONG, STR("commands nested more than 8 levels deep"), g->range);
        } else if (arg_is(&call->args[first], "-c") && first + 1 < call->count) { /* flock FILE -c CODE */
                guard_shell(call, &call->args[first + 1], NULL, 0);
        } else {
                inner.args += first;
                inner.count -= first;
                guard_call(&inner);
        }
        g->depth--;
}

/* ---- files of the command itself ---- */

/* Paths begin alike; most differ in their last byte. */
static bool same_path(struct str a, struct str b) {
        return a.len == b.len && (!a.len || (a.ptr[a.len - 1] == b.ptr[a.len - 1] && str_eq(a, b)));
}

const struct file_fact *guard_file_find(struct guard *g, struct str path) {
        struct str normal = path_normal(g, path);

        for (const struct file_fact *f = g->files; f; f = f->next)
                if (same_path(f->path, normal) || same_path(f->path, path))
                        return f;
        return NULL;
}

struct file_fact *guard_file(struct guard *g, struct str path) {
        struct file_fact *fact = g->files;

        path = path_normal(g, path);
        while (fact && !same_path(fact->path, path))
                fact = fact->next;
        if (fact) { /* written once more */
                *fact = (struct file_fact){ .next = fact->next, .path = path };
                return fact;
        }
        if (g->file_count++ >= GUARD_MAX_FILES) {
                guard_effect(g, FX_TEXT, TEXT_LONG, STR("writes more files than can be tracked"), g->range);
                return NULL;
        }
        fact = ARENA_NEW(g->arena, struct file_fact);
        if (!fact) {
                g->failed = true;
                return NULL;
        }
        fact->path = path;
        fact->next = g->files;
        g->files = fact;
        return fact;
}

/* A file that this very command has put there is run: by a shell, by `program`, or by itself. */
bool guard_run_file(struct call *call, const struct arg *path, const struct program *program) {
        const struct file_fact *fact = guard_file_find(call->guard, path->text);
        struct arg content;

        if (!fact)
                return false;
        if (fact->fetched) {
                guard_effect(call->guard, FX_CODE, CODE_NETWORK, path->text, path->range);
                return true;
        }
        if (!fact->content_known)
                return false;
        content = guard_arg(call->guard, fact->content, path->range);
        if (program && program->act == ACT_CODE)
                judge_code_text(call, program, content.text, path->range);
        else if (program && program->act == ACT_ESCAPES)
                judge_escape_text(call, &content);
        else
                guard_shell(call, &content, NULL, 0);
        return true;
}

/* ---- the program ---- */

static bool in_list(const struct str_list *list, struct str name) {
        for (size_t i = 0; i < list->count; i++)
                if (str_eq_nocase(list->items[i], name))
                        return true;
        return false;
}

/* mkfs stands for mkfs.ext4 too. */
static bool is_blocked(const struct guard_policy *policy, struct str name) {
        struct str stem = str_take(name, str_find(name, '.')), related = name_related(name);

        if (in_list(&policy->command_allow_overrides, name))
                return false;
        if (related.len && in_list(&policy->command_blocklist, related))
                return true;
        return in_list(&policy->command_blocklist, name) || (str_is(stem, "mkfs") && in_list(&policy->command_blocklist, stem));
}

/* Does argv begin with these words? Options may stand between them, and the word behind an option may be its value; what only
 * the run can tell may be any word. */
static bool begins_with(const struct call *call, struct str name, struct str words) {
        struct str word = str_take(words, str_find(words, ' '));

        if (!str_eq_nocase(word, name))
                return false;
        words = str_skip(words, word.len + 1);
        for (size_t i = 1; i < call->count && words.len; i++) {
                const struct arg *arg = &call->args[i];
                bool option = str_starts(arg->text, STR("-")), value = str_starts(call->args[i - 1].text, STR("-"));

                word = str_take(words, str_find(words, ' '));
                if (str_eq_nocase(word, arg->text) || (!arg->known && !value))
                        words = str_skip(words, word.len + 1);
                else if (!option && !value && !str_starts(word, STR("-")))
                        return false;
        }
        return words.len == 0;
}

/* "git push" on the blocklist. */
static const struct str *blocked_words(const struct call *call, struct str name) {
        const struct guard_policy *policy = &call->guard->policy->guard;

        for (size_t i = 0; i < policy->command_blocklist.count; i++) {
                const struct str *words = &policy->command_blocklist.items[i];

                if (str_find(*words, ' ') < words->len && begins_with(call, name, *words) &&
                    !in_list(&policy->command_allow_overrides, *words))
                        return words;
        }
        return NULL;
}

/* What of guard.ask it is: an effect for each. */
static void ask_effects(const struct call *call, struct str name) {
        const struct str_list *ask = &call->guard->policy->guard.ask;

        for (size_t i = 0; i < ask->count; i++)
                if (begins_with(call, name, ask->items[i]))
                        guard_effect(call->guard, FX_RUN, NAME_ASKED, ask->items[i], call->args[0].range);
}

/* Programs are looked for where the system keeps them; ./ls is another one. */
static bool is_standard_place(struct str program) {
        size_t dir = program.len - arg_basename(program).len;

        return dir == 0 || in_words("/bin/ /usr/bin/ /usr/local/bin/ /sbin/ /usr/sbin/", str_take(program, dir));
}

/* Is argv among "ls", "npm run", "python -m pytest"? */
static bool is_listed(const struct call *call) {
        const struct str_list *list = &call->guard->policy->guard.allowed_commands;

        if (!is_standard_place(call->args[0].text))
                return false;
        for (size_t i = 0; i < list->count; i++) {
                struct str rest = list->items[i];
                size_t at = 0;

                for (; rest.len && at < call->count; at++) {
                        struct str word = str_take(rest, str_find(rest, ' '));

                        if (!str_eq(word, at ? call->args[at].text : arg_basename(call->args[0].text)))
                                break;
                        rest = str_skip(rest, word.len + 1);
                }
                if (!rest.len)
                        return true;
        }
        return false;
}

struct str guard_lower(struct guard *g, struct str name) {
        char *copy = NULL;

        for (size_t i = 0; i < name.len; i++) {
                if (ascii_lower((unsigned char)name.ptr[i]) == (unsigned char)name.ptr[i])
                        continue;
                if (!copy && !(copy = arena_dup(g->arena, name))) {
                        g->failed = true;
                        return name;
                }
                copy[i] = (char)ascii_lower((unsigned char)name.ptr[i]);
        }
        return copy ? str_from(copy, name.len) : name;
}

/* A pattern as the program's name: which file it becomes, only the run can tell. */
static bool name_hidden(const struct call *call) {
        const struct arg *program = &call->args[0];
        static const char *const risky[] = { "rm", "dd", "sh", "bash", "cat", "env", "curl", "wget", "nc", "python3", "perl" };

        if (!program->glob || !program->field)
                return false;
        if (program->text.len && program->text.ptr[0] == '/')
                return true;
        for (size_t i = 0; i < sizeof(risky) / sizeof(*risky); i++)
                if (field_may_be(&call->guard->budget, program->field, str_z(risky[i])))
                        return true;
        return false;
}

/* dd --version, mount -l -t ext4, sysctl kernel.hostname: nothing is changed. */
static bool only_asks(struct call *call, struct str name) {
        if (asks_for_help(call))
                return true;
        for (size_t i = 1; i < call->count; i++) {
                bool typed = i > 1 && (arg_is(&call->args[i - 1], "-t") || arg_is(&call->args[i - 1], "-O"));

                if (!typed && !str_is(name, "dd") && !name_asks(name, call->args[i].text))
                        return false;
        }
        return str_is(name, "dd") ? dd_is_plain(call) : name_asks(name, STR(""));
}

static void run_effect(struct call *call, struct str name) {
        struct guard *g = call->guard;
        const struct str *words = blocked_words(call, name);
        uint32_t flags = 0;

        if (words)
                guard_effect(g, FX_RUN, NAME_BLOCKED, *words, call->args[0].range);
        ask_effects(call, name);
        if (is_blocked(&g->policy->guard, name) && !only_asks(call, name))
                flags |= NAME_BLOCKED;
        if (!call->unlisted && g->policy->guard.allow_only_listed && !is_listed(call)) {
                flags |= NAME_UNLISTED;
                call->unlisted = true; /* so what it runs is not told apart: allowing that would not help */
        }
        guard_effect(g, FX_RUN, flags, name, call->args[0].range);
}

/* stratum+tcp://..., --url=stratum+ssl://... */
static bool is_pool(struct str word) {
        size_t equals = str_find(word, '=');
        struct str value = equals < word.len ? str_skip(word, equals + 1) : word;

        return str_starts(value, STR("stratum+")) || str_starts(value, STR("stratum://"));
}

/* By name, also of an image, or by what every miner is told: a pool, a share for its author, an algorithm. */
static void miner_effect(struct call *call) {
        bool mines = name_is_miner(call->name), container = call->program && call->program->judge == judge_container;

        for (size_t i = 1; i < call->count; i++) {
                struct str text = call->args[i].text;

                mines |= is_pool(text) || str_starts(text, STR("--donate-level")) ||
                         ((!call->program || container) && (name_is_pool(text) || (container && name_is_miner(text))));
        }
        if (mines)
                guard_effect(call->guard, FX_MINE, 0, call->name, call->args[0].range);
}

/* PowerShell's ways to the environment: Get-ChildItem env:, $env:NAME. */
static void powershell_effect(struct call *call) {
        for (size_t i = 0; i < call->count; i++) {
                const struct piece *piece = call->args[i].value.pieces;
                bool variable = piece && piece->because == UNKNOWN_ENV && str_eq_nocase(piece->text, STR("env")) &&
                                piece->next && str_starts(piece->next->text, STR(":"));

                if (variable || str_eq_nocase(str_take(call->args[i].text, 4), STR("env:")))
                        guard_effect(call->guard, FX_ENVIRON, 0, STR("the environment"), call->args[i].range);
        }
}

/* r${nope}m: an unset variable is empty, and then this is rm. */
static struct str name_without_unset(struct call *call) {
        const struct arg *program = &call->args[0];
        char *name;
        size_t len = 0;

        for (const struct piece *piece = program->value.pieces; piece; piece = piece->next)
                if (piece->kind == PIECE_UNKNOWN && piece->because != UNKNOWN_ENV)
                        return STR("");
        name = guard_bytes(call->guard, program->text.len + 1);
        for (size_t i = 0; name && i < program->text.len; i++)
                if (program->text.ptr[i] != UNKNOWN_BYTE)
                        name[len++] = program->text.ptr[i];
        return len > 1 ? str_from(name, len) : STR("");
}

/* $(which rm), $(command -v rm): where it is does not matter. */
static struct str name_looked_up(const struct piece *piece) {
        const struct command *c =
                piece && !piece->next && piece->part && piece->part->kind == PART_COMMAND ? piece->part->body : NULL;
        const struct word *w = c && !c->next && c->kind == COMMAND_SIMPLE ? c->simple.words : NULL;

        if (!w || !w->parts || w->parts->kind != PART_LITERAL || !in_words("which command type", w->parts->text))
                return STR("");
        while (w->next)
                w = w->next;
        return w->parts && w->parts->kind == PART_LITERAL ? w->parts->text : STR("");
}

/* $SHELL and its kin are a shell, whichever. */
static struct str name_of_shell(const struct piece *piece) {
        bool shell = piece && !piece->next && piece->kind == PIECE_UNKNOWN &&
                     (piece->because == UNKNOWN_ENV || piece->because == UNKNOWN_SPECIAL) &&
                     in_words("SHELL BASH ZSH BASH_EXECUTABLE 0", piece->text);

        return shell ? STR("bash") : STR("");
}

/* What a name that is not known may stand for: the same command, by a name that is known. */
static void call_by_name(struct call *call, struct str name) {
        struct call inner = *call;
        struct arg *args;

        if (!name.len || str_find(name, UNKNOWN_BYTE) < name.len || !program_find(arg_basename(name)) ||
            !(args = arena_alloc(call->guard->arena, call->count * sizeof(*args))))
                return;
        memcpy(args, call->args, call->count * sizeof(*args));
        args[0] = arg_text(call->guard, name, call->args[0].range);
        inner.args = args;
        guard_call(&inner);
}

/* Only the run can tell its name. */
static void judge_opaque(struct call *call) {
        struct guard *g = call->guard;
        const struct arg *program = &call->args[0];

        if (guard_value_network(g, &program->value))
                guard_effect(g, FX_CODE, CODE_NETWORK, STR("the network"), program->range);
        powershell_effect(call);
        if (program->value.pieces && program->value.pieces->because == UNKNOWN_SPECIAL && call->visit &&
            str_is(program->value.pieces->text, "0") && call->visit->where & (WALK_IN_BACKGROUND | WALK_IN_PIPELINE))
                guard_effect(g, FX_EXHAUST, 0, STR("a script that starts itself repeatedly"), program->range);
        guard_opaque(g, program->text, program->range);
        call_by_name(call, name_without_unset(call));
        call_by_name(call, name_looked_up(program->value.pieces));
        call_by_name(call, name_of_shell(program->value.pieces));
        if (str_find(program->text, '/') < program->text.len) /* $DIR/rm: where it is does not matter */
                call_by_name(call, arg_basename(program->text));
        call->program = NULL;
        call->name = STR("");
        judge_generic(call);
}

/* ls, ls -A: all that is here. */
static void list_found(struct call *call) {
        struct arg all = arg_text(call->guard, STR("*"), call->args[0].range);
        size_t operands = 0;

        for (size_t i = 1; i < call->count; i++)
                operands += !str_starts(call->args[i].text, STR("-"));
        guard_found(call, operands ? call->args + 1 : &all, operands ? call->count - 1 : 1, NULL);
}

/* python3 -m http.server -d ~, php -S 0.0.0.0:80 -t /: everybody may read what is in a home directory. */
static void serves_files(struct call *call) {
        bool serves = false, all = false;

        for (size_t i = 1; i < call->count; i++)
                serves |= arg_is(&call->args[i], "http.server") || str_starts(call->args[i].text, STR("0.0.0.0"));
        for (size_t i = 0; i < call->count && serves; i++) {
                struct arg dir = i ? call->args[i] : arg_text(call->guard, STR("."), call->args[0].range);

                all |= path_flags(call->guard, &dir, path_resolve(call->guard, dir.text)) & PATH_CRITICAL;
        }
        if (all)
                guard_effect(call->guard, FX_UPLOAD, HOST_UNKNOWN, STR("everybody on the network"), call->args[0].range);
}

/* Its name is known. */
static void judge_program(struct call *call) {
        struct guard *g = call->guard;
        const struct arg *program = &call->args[0];

        g->connected += call->program && call->program->traits & TRAIT_NETWORK;
        run_effect(call, call->name);
        miner_effect(call);
        powershell_effect(call);
        serves_files(call);
        if (str_is(call->name, "ls"))
                list_found(call);
        if (str_find(program->text, '/') < program->text.len && guard_run_file(call, program, NULL))
                return;
        if (call->program && call->program->judge)
                call->program->judge(call);
        else
                judge_generic(call);
        judge_words(call);
        judge_told(call);
        if (name_is_client(call->name) ||
            (call->program && (call->program->judge == judge_package || call->program->judge == judge_container)))
                judge_urls(call);
        judge_written(call);
}

/* On Windows, and where Linux runs its programs, powershell.exe is powershell. */
static struct str name_of(struct guard *g, const struct arg *program) {
        struct str name = guard_lower(g, arg_basename(program->text)), end = STR(".exe");

        return name.len > end.len && str_ends(name, end) ? str_take(name, name.len - end.len) : name;
}

void guard_call(struct call *call) {
        struct guard *g = call->guard;
        struct need_mark mark = need_begin(g);
        const struct arg *program = &call->args[0];
        const struct program *row;
        const struct file_fact *fact;
        struct str cwd = g->cwd;

        if (name_hidden(call))
                guard_effect(g, FX_CODE, CODE_HIDDEN, program->text, program->range);
        if (!program->known || program->may_split) {
                judge_opaque(call);
                need_end(call, NULL, mark);
                return;
        }
        if (program->text.len == 0)
                return;
        fact = g->files ? guard_file_find(g, program->text) : NULL;
        if (fact && fact->stands_for.len && !(call->visit && call->visit->callee)) {
                struct arg *args = arena_alloc(g->arena, call->count * sizeof(*args));

                if (!args)
                        return;
                memcpy(args, call->args, call->count * sizeof(*args));
                args[0].text = fact->stands_for;
                call->args = args;
                program = &args[0];
        }
        call->name = name_of(g, program);
        row = program_row(call->name);
        call->program = row && row->act != ACT_UNKNOWN ? row : NULL;
        judge_program(call);
        need_end(call, row, mark);
        if (!call->program || call->program->judge != judge_cd)
                g->cwd = cwd; /* what -C changed */
}

/* ---- one visit of the walk ---- */

static void visit_redirect(struct guard *g, const struct walk_visit *visit, const struct walk_redirect *redirect) {
        enum redir_op op = redirect->redir->op;
        bool duplicates = op == REDIR_DUP_INPUT || op == REDIR_DUP_OUTPUT,
             appends = op == REDIR_APPEND || op == REDIR_BOTH_APPEND;
        bool reads = op == REDIR_INPUT || op == REDIR_READ_WRITE || op == REDIR_DUP_INPUT;
        bool body = op == REDIR_HEREDOC || op == REDIR_HEREDOC_TABS || op == REDIR_HERESTRING;

        for (size_t i = 0; i < redirect->target_count; i++) {
                struct arg target = arg_from_field(g, visit, &redirect->targets[i]);
                size_t digits = 0;
                bool file;

                while (digits < target.text.len && is_ascii_digit((unsigned char)target.text.ptr[digits]))
                        digits++;
                file = !body && !(duplicates && (digits == target.text.len || str_is(str_skip(target.text, digits), "-")));
                if (file && reads)
                        guard_path(g, FX_READ, 0, &target);
                if (file && (!reads || op == REDIR_READ_WRITE))
                        guard_path(g, FX_WRITE, duplicates || appends || reads ? 0 : HOW_EMPTIES, &target);
                for (const struct piece *piece = target.value.pieces; piece; piece = piece->next)
                        if (piece->kind == PIECE_UNKNOWN && piece->because == UNKNOWN_ENV && env_is_secret(piece->text))
                                guard_effect(g, FX_ENVIRON, NAME_SECRET, piece->text, target.range);
        }
}

/* 3<<<TEXT, 3< <(COMMAND): what /dev/fd/3 and <&3 stand for, later too if it is exec that opens it. */
static void visit_descriptors(struct guard *g, const struct walk_visit *visit) {
        for (const struct walk_redirect *r = visit->redirects; r; r = r->next) {
                bool text =
                        r->redir->op == REDIR_HERESTRING || r->redir->op == REDIR_HEREDOC || r->redir->op == REDIR_HEREDOC_TABS;
                const struct piece *piece =
                        r->redir->op == REDIR_INPUT && r->target_count == 1 ? r->targets[0].value.pieces : NULL;
                bool process = piece && piece->because == UNKNOWN_PROCESS;
                char *path = r->redir->fd > 0 && r->redir->fd < 10 && (text || process) ? arena_dup(g->arena, STR("/dev/fd/0"))
                                                                                        : NULL;
                struct file_fact *fact;

                if (!path)
                        continue;
                path[8] = (char)('0' + r->redir->fd);
                fact = guard_file(g, str_from(path, 9));
                if (!fact)
                        return;
                fact->content_known = text || piece->content;
                fact->content = text ? r->body : piece->content ? *piece->content : fact->content;
                fact->fetched = process && piece->part && guard_list_network(g, piece->part->body);
        }
}

/* A shell whose input or output is a network connection. */
static void visit_socket_shell(struct guard *g, const struct walk_visit *visit, const struct call *call) {
        bool shell = call && call->program && call->program->act == ACT_SHELL;

        for (const struct walk_redirect *r = visit->redirects; r; r = r->next) {
                for (size_t i = 0; i < r->target_count; i++) {
                        struct arg target = arg_from_field(g, visit, &r->targets[i]);

                        struct str path = path_resolve(g, target.text);

                        if ((visit->argc == 0 && path_flags(g, &target, path) & PATH_SOCKET) ||
                            (shell && (str_starts(path, STR("/dev/tcp/")) || str_starts(path, STR("/dev/udp/")))))
                                guard_effect(g, FX_LISTEN, 0, target.text, target.range);
                }
        }
}

/* GOPROXY=https://a,https://b */
static void assigned_hosts(struct call *call, const struct arg *value) {
        size_t end;

        for (size_t start = 0; start < value->text.len; start += end + 1) {
                struct str rest = str_skip(value->text, start);
                struct arg one;

                for (end = 0; end < rest.len && !strchr(",| ", rest.ptr[end]); end++)
                        ;
                one = arg_part(value, start, end);
                if (str_find(one.text, '.') < end)
                        judge_host(call, &one);
        }
}

/* LD_PRELOAD=/tmp/x.so, NODE_OPTIONS='--require /tmp/x': what everybody can put there. */
static bool loads_temporary(struct str value) {
        for (size_t i = 0; i < value.len; i++)
                if ((i == 0 || strchr(" =:", value.ptr[i - 1])) && value.ptr[i] == '/' && path_is_temporary(str_skip(value, i)))
                        return true;
        return false;
}

/* NAME=VALUE, however it is set: hosts that are fetched from, and code. */
void guard_assigned(struct call *call, struct str name, const struct arg *value) {
        static const char commands[] = "LESSOPEN LESSCLOSE GIT_PAGER GIT_EDITOR PROMPT_COMMAND BASH_ALIASES PS0 PS1 PS4";
        const struct env_rule *rule = env_rule_find(name);
        enum env_code code = rule ? rule->code : ENV_CODE_NONE;
        struct arg text = *value;

        if (variable_names_host(name) && value->known)
                assigned_hosts(call, value);
        if ((code == ENV_CODE_FILE || code == ENV_CODE_TEXT) && loads_temporary(text.text))
                guard_effect(call->guard, FX_INJECT, PATH_OUTSIDE, name, value->range);
        if (text.text.len && strchr("|!", text.text.ptr[0]))
                text = arg_part(&text, 1, text.text.len);
        if (in_words("BASH_ENV ENV", name))
                judge_script(call, value);
        else if (str_starts(name, STR("GIT_CONFIG_VALUE_")) || (code == ENV_CODE_COMMAND && text.text.len) ||
                 in_words(commands, name))
                guard_shell(call, &text, NULL, 0); /* GIT_SSH_COMMAND, PAGER */
        else if (code == ENV_CODE_TEXT && str_starts(name, STR("PERL")))
                judge_code_text(call, program_find(STR("perl")), value->text, value->range); /* PERL5DB */
        else if (code == ENV_CODE_TEXT)
                judge_recipes(call, value->text, value->range); /* MAKEFLAGS */
}

/* What is set for a command may make it run code; in a strict policy only what would be inherited anyway may be set. */
static void visit_assigns(struct guard *g, const struct walk_visit *visit) {
        struct call call = { .guard = g, .visit = visit };

        for (const struct walk_assign *a = visit->assigns; a; a = a->next) {
                struct range range = visit->script == g->root ? a->assign->range : g->range;
                struct arg value = guard_arg(g, a->value, range);
                const struct env_rule *rule = env_rule_find(a->name);

                if ((rule && (rule->verdict == ENV_RUNS_CODE || (rule->verdict == ENV_PASS && rule->code != ENV_CODE_NONE))) ||
                    (g->policy->guard.allow_only_listed && visit->argc && !(rule && rule->verdict == ENV_PASS)))
                        guard_effect(g, FX_INJECT, 0, a->name, range);
                guard_assigned(&call, a->name, &value);
        }
}

/* Directories are left with the subshell that went there. */
static void visit_place(struct guard *g, const struct walk_visit *visit) {
        bool inside = visit->where & (WALK_IN_SUBSHELL | WALK_IN_SUBSTITUTION | WALK_IN_PIPELINE);

        if (g->depth)
                return;
        if (inside && !g->in_subshell)
                g->outer_cwd = g->cwd;
        else if (!inside && g->in_subshell)
                g->cwd = g->outer_cwd;
        g->in_subshell = inside;
}

/* What flows down a pipeline: a command behind curl runs on what the network sent, however many stand between. */
static bool pipe_is_network(struct guard *g, const struct walk_visit *visit, const struct call *call) {
        bool network = false;

        for (size_t i = 0; visit->pipe_from && i < PIPES_KEPT; i++)
                network |= g->network_pipes[i] == visit->command;
        if (visit->pipe_from && visit->pipe_from->kind != COMMAND_SIMPLE) {
                struct command alone = *visit->pipe_from;

                alone.next = NULL;
                network |= guard_list_network(g, &alone);
        }
        if (visit->pipe_to && (network || (call && call->program && call->program->traits & TRAIT_NETWORK)))
                g->network_pipes[g->pipes_seen++ % PIPES_KEPT] = visit->pipe_to;
        return network;
}

/* >> adds to what is there, if this command has put it there. */
static struct value appended(struct guard *g, const struct file_fact *before, struct value more) {
        struct builder b = { .budget = &g->budget };

        if (before && before->content_known)
                builder_value(&b, before->content, false);
        builder_value(&b, more, false);
        return builder_finish(&b, false);
}

void guard_written(struct guard *g, const struct walk_visit *visit, bool from_network) {
        for (const struct walk_redirect *r = visit->redirects; r; r = r->next) {
                bool append = r->redir->op == REDIR_APPEND;
                const struct file_fact *before;
                struct file_fact old = { 0 }, *fact;

                if (r->target_count != 1 || r->targets[0].kind != FIELD_KNOWN ||
                    (r->redir->op != REDIR_OUTPUT && r->redir->op != REDIR_CLOBBER && !append) || r->redir->fd > 1)
                        continue;
                before = append && g->files ? guard_file_find(g, r->targets[0].text) : NULL;
                if (before)
                        old = *before;
                fact = guard_file(g, r->targets[0].text);
                if (!fact)
                        continue;
                if (visit->output) {
                        fact->content = appended(g, &old, *visit->output);
                        fact->content_known = true;
                }
                fact->fetched = from_network || old.fetched;
        }
}

static void visit_command(struct guard *g, const struct walk_visit *visit) {
        struct arg *args;
        struct call call = { .guard = g, .visit = visit, .input = visit->input };
        size_t connected;

        if (visit->script == g->root)
                g->range = visit->command->range;
        if (visit->by_name)
                guard_effect(g, FX_ENVIRON, 0, STR("variables whose names are computed at run time"), g->range);
        visit_place(g, visit);
        for (const struct walk_redirect *r = visit->redirects; r; r = r->next)
                visit_redirect(g, visit, r);
        visit_assigns(g, visit);
        if (visit->argc == 0) {
                visit_socket_shell(g, visit, NULL);
                guard_written(g, visit, false);
                pipe_is_network(g, visit, NULL);
                return;
        }
        args = arena_alloc(g->arena, visit->argc * sizeof(*args));
        if (!args) {
                g->failed = true;
                return;
        }
        for (size_t i = 0; i < visit->argc; i++)
                args[i] = arg_from_field(g, visit, &visit->argv[i]);
        call.args = args;
        call.count = visit->argc;
        text_keep(g, args, visit->argc);
        if (visit->recursive && visit->where & (WALK_IN_PIPELINE | WALK_IN_BACKGROUND))
                guard_effect(g, FX_EXHAUST, 0, STR("a function that starts itself repeatedly"), g->range);
        call.program = args[0].known ? program_find(arg_basename(args[0].text)) : NULL;
        call.from_network = pipe_is_network(g, visit, &call);
        call.piped = visit->pipe_from && !visit->input;
        g->last_network = call.from_network || (call.program && call.program->traits & TRAIT_NETWORK);
        if (visit->callee && !g->policy->guard.allow_only_listed)
                return; /* its body is walked */
        visit_socket_shell(g, visit, &call);
        visit_descriptors(g, visit);
        connected = g->connected;
        guard_call(&call);
        if (g->connected != connected) { /* curl, however it was spelled, or inside of what was run */
                g->last_network = true;
                network_seen(g, visit);
                if (visit->pipe_to)
                        g->network_pipes[g->pipes_seen++ % PIPES_KEPT] = visit->pipe_to;
        }
        guard_written(g, visit, g->last_network);
}

void guard_visit(struct guard *g, const struct walk_visit *visit) {
        const struct walk_visit *outer = g->visit;

        g->visit = visit;
        visit_command(g, visit);
        g->visit = outer;
}
