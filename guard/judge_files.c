/*
 * Programs that read, write, copy, delete: the generic judge, and those whose operands have an order of their own.
 */
#include "base/number.h"
#include "guard/options.h"
#include "guard/paths.h"
#include "policy/env.h"

/* ---- what an option means ---- */

static struct str network_name(const struct call *call) {
        return call->args[0].text;
}

/* What is unpacked may be any file there. */
static void unpacked_into(struct guard *g, const struct arg *dir) {
        struct arg inside = *dir;
        char *path = guard_bytes(g, dir->text.len + 2);

        if (!path)
                return;
        memcpy(path, dir->text.ptr, dir->text.len);
        memcpy(path + dir->text.len, "/*", 2);
        inside.text = str_from(path, dir->text.len + 2);
        inside.glob = true;
        if (path_flags(g, dir, path_resolve(g, dir->text)) & PATH_SYSTEM)
                guard_path(g, FX_WRITE, 0, dir);
        else
                guard_path(g, FX_WRITE, arg_is(dir, "/") ? PATH_SYSTEM : 0, &inside);
}

/* True when the rest of argv belongs to the option: fd -x CMD... */
bool judge_option(struct call *call, const struct option *o) {
        struct guard *g = call->guard;
        struct range range = o->has_value ? o->value.range : call->args[o->index < call->count ? o->index : 0].range;

        switch (o->meaning) {
        case MEANS_SHELL:
        case MEANS_PROGRAM:
                guard_effect(g, FX_CODE, CODE_OPTION, o->name, range);
                if (o->has_value)
                        guard_shell(call, &o->value, NULL, 0);
                break;
        case MEANS_COMMAND:
                guard_effect(g, FX_CODE, CODE_OPTION, o->name, range);
                guard_rest(call, o->has_value ? o->index + 1 : o->index);
                return true;
        case MEANS_RUNS:
                guard_effect(g, FX_CODE, CODE_OPTION, o->name, range);
                break;
        case MEANS_READ:
        case MEANS_SCRIPT_FILE:
                if (o->has_value)
                        guard_path(g, FX_READ, 0, &o->value);
                break;
        case MEANS_WRITE:
                if (o->has_value)
                        guard_path(g, FX_WRITE, 0, &o->value);
                else
                        guard_effect(g, FX_WRITE, 0, o->name, range);
                break;
        case MEANS_INTO:
                if (o->has_value)
                        unpacked_into(g, &o->value);
                break;
        case MEANS_URL:
                if (o->has_value)
                        judge_host(call, &o->value);
                break;
        case MEANS_ENDLESS:
                guard_effect(g, FX_ENDLESS, 0, network_name(call), range);
                break;
        default:
                break;
        }
        return false;
}

/* A secret by its name, where it would be seen. */
static void secret_effect(struct call *call, const struct arg *arg) {
        for (const struct piece *piece = arg->value.pieces; piece; piece = piece->next)
                if (piece->kind == PIECE_UNKNOWN && piece->because == UNKNOWN_ENV && !piece->number &&
                    env_is_secret(piece->text))
                        guard_effect(call->guard, FX_ENVIRON, NAME_SECRET, piece->text, arg->range);
}

static void input_secret(struct call *call) {
        struct arg arg = { .range = call->args[0].range };

        if (!call->input || !call->program || !(call->program->traits & TRAIT_PRINTS))
                return;
        arg.value = *call->input;
        secret_effect(call, &arg);
}

/* ---- operands ---- */

/* An unknown program may read whatever it is given; only certain secrets count. */
static void unknown_operand(struct call *call, const struct arg *operand) {
        uint32_t flags;

        if (!operand->text.len || operand->text.ptr[0] == '-')
                return;
        flags = path_flags(call->guard, operand, path_resolve(call->guard, operand->text));
        if (flags & (PATH_CREDENTIAL | PATH_ENVIRON) || (flags & PATH_DOTENV && !call->program && call->name.len))
                guard_path(call->guard, FX_READ, 0, operand);
}

/* They leave alone what is there. */
static bool makes_only(const struct call *call) {
        return in_words("mkdir touch mkfifo", call->name);
}

/* mkdir -p ~ does nothing. */
static bool makes_nothing(struct call *call, const struct arg *operand) {
        return makes_only(call) && path_flags(call->guard, operand, path_resolve(call->guard, operand->text)) & PATH_CRITICAL;
}

/* Its output goes into a file that can only grow. */
static bool writes_a_file(const struct call *call) {
        for (const struct walk_redirect *r = call->visit ? call->visit->redirects : NULL; r; r = r->next)
                if ((r->redir->op == REDIR_OUTPUT || r->redir->op == REDIR_APPEND) && r->redir->fd <= 1 &&
                    r->target_count == 1 && !str_starts(r->targets[0].text, STR("/dev/")))
                        return true;
        return false;
}

static bool reads_without_end(const struct call *call, const struct arg *operand) {
        return in_words("/dev/zero /dev/random /dev/urandom", operand->text) && !str_is(call->name, "head");
}

/* echo x | tee FILE, dd of=FILE, cp /dev/stdin FILE */
static void input_to_file(struct call *call, const struct arg *file) {
        struct file_fact *fact = call->input && file->known ? guard_file(call->guard, file->text) : NULL;

        if (!fact)
                return;
        fact->content = *call->input;
        fact->content_known = true;
        fact->fetched = call->from_network;
}

static void operand_effect(struct call *call, const struct arg *operand, uint32_t how) {
        unsigned traits = call->program ? call->program->traits : 0;

        switch (call->program ? call->program->act : ACT_SPECIAL) {
        case ACT_READ:
        case ACT_PATTERN:
                if (traits & TRAIT_READS)
                        guard_path(call->guard, FX_READ, how, operand);
                else
                        unknown_operand(call, operand);
                if (reads_without_end(call, operand)) {
                        guard_effect(call->guard, FX_ENDLESS, 0, operand->text, operand->range);
                        if (writes_a_file(call) || in_words("tail tac sort shuf", call->name)) /* they keep it in memory */
                                guard_effect(call->guard, FX_EXHAUST, 0, operand->text, operand->range);
                }
                break;
        case ACT_WRITE:
                if (!makes_nothing(call, operand))
                        guard_path(call->guard, FX_WRITE, how, operand);
                if (str_is(call->name, "tee"))
                        input_to_file(call, operand);
                break;
        case ACT_DELETE:
                guard_path(call->guard, FX_DELETE, how, operand);
                break;
        case ACT_NAMES:
                break;
        default:
                unknown_operand(call, operand);
                break;
        }
        if (traits & TRAIT_PRINTS && call->program->act == ACT_NAMES)
                secret_effect(call, operand);
}

/* sudo, doas, nsenter...: more rights, and the command behind it all the same. */
static void escalate_effect(struct call *call) {
        bool sudo = in_words("sudo su doas", call->name);

        if (asks_for_help(call))
                return;
        if (!sudo || !call->guard->policy->guard.allow_sudo)
                guard_effect(call->guard, FX_ESCALATE, sudo ? NAME_SUDO : 0, call->name, call->args[0].range);
}

/* Recursion is asked for anywhere among the options, so it is looked for first. */
static uint32_t how_flags(const struct call *call) {
        struct option option;
        uint32_t how = call->program && call->program->act == ACT_WRITE && !makes_only(call) ? HOW_EMPTIES : 0;

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_RECURSIVE)
                        how |= HOW_RECURSIVE;
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_ADD)
                        how &= ~(uint32_t)HOW_EMPTIES;
        }
        return how;
}

static bool command_operand(struct call *call, const struct option *option) {
        struct guard *g = call->guard;
        bool known;

        switch (call->program ? call->program->act : ACT_SPECIAL) {
        case ACT_COMMAND:
        case ACT_ESCALATE:
                if (call->program->traits & TRAIT_ORDERED)
                        guard_rest(call, option->index);
                return call->program->traits & TRAIT_ORDERED;
        case ACT_TEXT:
                guard_shell_text(call, guard_join(g, call->args + option->index, call->count - option->index, &known),
                                 option->value.range);
                return true;
        default:
                return false;
        }
}

void judge_generic(struct call *call) {
        struct option option;
        uint32_t how = how_flags(call);
        size_t operands = 0, skip = call->program ? call->program->skip : 0;
        bool scripted = false;

        if (call->program && call->program->act == ACT_ESCALATE)
                escalate_effect(call);
        if (!call->program)
                judge_unknown(call);
        input_secret(call);
        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION) {
                        if (option.meaning == MEANS_ASK) /* command -v, crontab -l: only asks */
                                return;
                        scripted |= option.meaning == MEANS_SCRIPT || option.meaning == MEANS_SCRIPT_FILE;
                        if (judge_option(call, &option))
                                return;
                        continue;
                }
                if (operands++ < skip)
                        continue;
                if (call->program && call->program->act == ACT_PATTERN && operands == 1 && !scripted)
                        continue;
                if (command_operand(call, &option))
                        return;
                operand_effect(call, &option.value, how);
        }
}

void judge_operands(struct call *call, size_t first) {
        struct call inner = *call;

        inner.program = NULL; /* which one it is, is not known */
        for (size_t i = first; i < call->count; i++)
                unknown_operand(&inner, &call->args[i]);
}

void judge_print(struct call *call) {
        for (size_t i = 1; i < call->count; i++)
                secret_effect(call, &call->args[i]);
}

/* ---- copies, moves, links ---- */

/* rsync and scp name other hosts: host:path, user@host:path, rsync://host/path, host::module. */
static bool is_remote(const struct call *call, const struct arg *arg) {
        size_t colon = str_find(arg->text, ':');

        return (str_is(call->name, "rsync") || str_is(call->name, "scp")) && colon < arg->text.len &&
               str_find(arg->text, '/') >= colon;
}

/* u+s, 4755: who runs it becomes its owner. */
static bool mode_is_setuid(struct str mode) {
        if (mode.len == 4 && is_ascii_digit((unsigned char)mode.ptr[0]))
                return (mode.ptr[0] - '0') & 4;
        return str_starts(mode, STR("u+s")) || str_starts(mode, STR("+s")) || str_starts(mode, STR("a+s")) ||
               str_starts(mode, STR("ug+s"));
}

struct copy {
        const struct arg *sources[32];
        struct arg kept[32];
        size_t count;
        struct arg target;
        bool has_target, deletes, asks, in_directory;
};

static void copy_collect(struct call *call, struct copy *copy) {
        struct option option;

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_TARGET && option.has_value) {
                        copy->target = option.value;
                        copy->has_target = copy->in_directory = true;
                } else if (option.scan == SCAN_OPTION) {
                        copy->deletes |= option.meaning == MEANS_DELETE;
                        copy->asks |= option.meaning == MEANS_ASK;
                        if (option.meaning == MEANS_MODE && mode_is_setuid(option.value.text))
                                guard_effect(call->guard, FX_ESCALATE, 0, STR("a set-user-id program"), option.value.range);
                        if (option.meaning == MEANS_SSH_OPTION)
                                judge_ssh_option(call, &option.value);
                        judge_option(call, &option);
                } else if (copy->count < 32) {
                        copy->kept[copy->count++] = option.value;
                }
        }
        if (!copy->has_target && copy->count > 1) {
                copy->target = copy->kept[--copy->count];
                copy->has_target = true;
        }
}

/* Where a source ends up: in the target, when that is a directory. */
static struct arg copy_target(struct call *call, const struct copy *copy, size_t source) {
        struct guard *g = call->guard;
        struct str target = copy->target.text, name = arg_basename(copy->kept[source].text);
        struct arg inside = copy->target;
        char *path;

        if (!copy->in_directory && copy->count < 2 && !str_ends(target, STR("/")) && !str_is(target, ".") &&
            !(path_flags(g, &copy->target, path_resolve(g, target)) & PATH_CRITICAL))
                return copy->target;
        path = guard_bytes(g, target.len + name.len + 1);
        if (!path)
                return copy->target;
        memcpy(path, target.ptr, target.len);
        path[target.len] = '/';
        if (name.len)
                memcpy(path + target.len + 1, name.ptr, name.len);
        inside.text = str_from(path, target.len + 1 + name.len);
        inside.field = NULL;
        return inside;
}

/* After cp /bin/rm ./x or ln -s / r, the new name stands for the old one. */
static void remember_copy(struct call *call, const struct copy *copy) {
        struct guard *g = call->guard;

        for (size_t i = 0; i < copy->count; i++) {
                struct str source = copy->kept[i].text;
                const struct file_fact *written;
                struct file_fact *fact;

                if (!copy->kept[i].known || !copy->target.known)
                        continue;
                written = guard_file_find(g, source);
                if (!str_is(call->name, "ln") && !program_find(arg_basename(source)) && !written &&
                    !(path_flags(g, &copy->kept[i], path_resolve(g, source)) & (PATH_CREDENTIAL | PATH_DOTENV)))
                        continue;
                fact = guard_file(g, copy_target(call, copy, i).text);
                if (fact && written) { /* what is known of the one is known of the other */
                        fact->content = written->content;
                        fact->content_known = written->content_known;
                        fact->fetched = written->fetched;
                        fact->stands_for = written->stands_for;
                } else if (fact) {
                        fact->stands_for = path_resolve(g, source);
                }
        }
}

static void copy_source(struct call *call, const struct arg *source, const struct arg *target) {
        struct guard *g = call->guard;
        bool moves = str_is(call->name, "mv");

        if (str_is(call->name, "ln"))
                return;
        if (moves)
                guard_path(g, FX_DELETE, 0, source);
        else
                guard_path(g, FX_READ, 0, source);
        if (target)
                judge_upload(call, target, source->range);
}

void judge_copy(struct call *call) {
        struct guard *g = call->guard;
        struct copy copy = { 0 };
        bool upload;

        copy_collect(call, &copy);
        if (!copy.has_target) {
                if (copy.count && str_is(call->name, "ln"))
                        copy.target = arg_text(g, STR("."), copy.kept[0].range);
                else
                        return;
        }
        upload = is_remote(call, &copy.target);
        for (size_t i = 0; i < copy.count; i++) {
                if (is_remote(call, &copy.kept[i]))
                        judge_host(call, &copy.kept[i]);
                else
                        copy_source(call, &copy.kept[i], upload ? &copy.target : NULL);
        }
        if (upload)
                return;
        for (size_t i = 0; i < copy.count; i++) {
                struct arg target = copy_target(call, &copy, i);

                guard_path(g, FX_WRITE, arg_is(&copy.kept[i], "/dev/null") ? HOW_EMPTIES : 0, &target);
        }
        if (copy.deletes && !copy.asks)
                guard_path(g, FX_DELETE, HOW_RECURSIVE, &copy.target);
        if (!str_is(call->name, "rsync"))
                remember_copy(call, &copy);
        if (copy.count == 1 && arg_is(&copy.kept[0], "/dev/stdin"))
                input_to_file(call, &copy.target);
}

/* ---- dd, truncate, fallocate, head -c ---- */

/* if=FILE, of=FILE */
void judge_dd(struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                struct arg value = arg_part(&call->args[i], 3, call->args[i].text.len);
                bool writes = str_starts(call->args[i].text, STR("of="));

                if (writes || str_starts(call->args[i].text, STR("if=")))
                        guard_path(call->guard, writes ? FX_WRITE : FX_READ, 0, &value);
                if (writes)
                        input_to_file(call, &value);
        }
}

/* Between a file and a pipe or a temporary file: no more than cat and tee do. */
bool dd_is_plain(struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                struct arg value = arg_part(&call->args[i], 3, call->args[i].text.len);
                struct str path = path_resolve(call->guard, value.text);
                bool writes = str_starts(call->args[i].text, STR("of="));

                if (!value.known ||
                    ((writes || str_starts(call->args[i].text, STR("if="))) &&
                     path_flags(call->guard, &value, path) & ~(uint32_t)PATH_HARMLESS) ||
                    (writes && !(str_starts(value.text, STR("/")) && path_is_temporary(path))))
                        return false;
        }
        return true;
}

enum { SIZE_HUGE_GIB = 64 }; /* nothing that a build or a test needs */

void judge_exhaust(struct call *call) {
        struct option option;
        bool to_pipe = call->visit && call->visit->pipe_to;

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_SIZE && option.has_value &&
                    size_parse(option.value.text) >= (uint64_t)SIZE_HUGE_GIB << 30 && !to_pipe)
                        guard_effect(call->guard, FX_EXHAUST, 0, call->name, option.value.range);
                if (option.scan == SCAN_OPERAND && str_is(call->name, "fallocate"))
                        guard_path(call->guard, FX_WRITE, 0, &option.value);
        }
        if (!str_is(call->name, "fallocate"))
                judge_generic(call);
}

/* ---- permissions ---- */

/* 777, o+w, a=rwx, ugo=rwx. */
static bool mode_is_open(struct str mode) {
        size_t op;

        if (mode.len && is_ascii_digit((unsigned char)mode.ptr[0]))
                return mode.len >= 3 && (mode.ptr[mode.len - 1] - '0') & 2 &&
                       !(mode.len == 4 && mode.ptr[0] == '1'); /* sticky, as /tmp */
        if (str_find(mode, ',') < mode.len)
                return mode_is_open(str_take(mode, str_find(mode, ','))) ||
                       mode_is_open(str_skip(mode, str_find(mode, ',') + 1));
        op = str_find(mode, '+') < str_find(mode, '=') ? str_find(mode, '+') : str_find(mode, '=');
        if (op == mode.len || str_find(str_skip(mode, op), 'w') == mode.len - op)
                return false;
        return str_find(str_take(mode, op), 'o') < op || str_find(str_take(mode, op), 'a') < op;
}

void judge_permit(struct call *call) {
        struct option option;
        bool setuid = false;
        uint32_t how = how_flags(call);
        size_t operands = 0;

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION && str_is(call->name, "chmod")) {
                        how |= mode_is_open(option.name) ? HOW_WORLD : 0;
                        operands += option.name.len == 1 && strchr("rwxst", option.name.ptr[0]) && !operands; /* -x FILE */
                }
                if (option.scan != SCAN_OPERAND)
                        continue;
                setuid |= operands == 0 && str_is(call->name, "chmod") && mode_is_setuid(option.value.text);
                if (operands++ == 0 && !str_is(call->name, "setfacl") &&
                    !(str_is(call->name, "chattr") && option.value.text.ptr[0] == '/')) {
                        how |= str_is(call->name, "chmod") && mode_is_open(option.value.text) ? HOW_WORLD : 0;
                        continue;
                }
                if (setuid &&
                    path_flags(call->guard, &option.value, path_resolve(call->guard, option.value.text)) & PATH_SYSTEM)
                        guard_effect(call->guard, FX_ESCALATE, 0, STR("a set-user-id program"), option.value.range);
                guard_path(call->guard, FX_PERMIT, how | (str_is(call->name, "chmod") ? 0 : HOW_OWNER), &option.value);
        }
}

/* ---- archives ---- */

void judge_tar(struct call *call) {
        struct option option;
        struct call dashed = *call;
        struct arg *args;
        struct arg into = { 0 };
        bool extracts = false, removes = false;

        /* tar xzf a.tgz: the first word is a cluster without its dash. */
        if (call->count > 1 && call->args[1].text.len && call->args[1].text.ptr[0] != '-') {
                char *text = guard_bytes(call->guard, call->args[1].text.len + 1);

                args = arena_alloc(call->guard->arena, call->count * sizeof(*args));
                if (!args || !text)
                        return;
                memcpy(args, call->args, call->count * sizeof(*args));
                text[0] = '-';
                memcpy(text + 1, args[1].text.ptr, args[1].text.len);
                args[1].text = str_from(text, args[1].text.len + 1);
                dashed.args = args;
        }
        EACH_OPTION (&dashed, option) {
                if (option.scan == SCAN_OPERAND) {
                        if (!extracts)
                                guard_path(call->guard, FX_READ, 0, &option.value);
                        if (removes)
                                guard_path(call->guard, FX_DELETE, HOW_RECURSIVE, &option.value);
                        continue;
                }
                extracts |= option.meaning == MEANS_EXTRACT;
                removes |= option.meaning == MEANS_DELETE;
                if (option.meaning == MEANS_CHECKPOINT && str_starts(option.value.text, STR("exec="))) {
                        struct arg code = arg_part(&option.value, 5, option.value.text.len);

                        guard_effect(call->guard, FX_CODE, CODE_OPTION, option.name, option.value.range);
                        guard_shell(&dashed, &code, NULL, 0);
                } else if (option.meaning == MEANS_CD && option.has_value) {
                        into = option.value;
                } else if (option.meaning != MEANS_EXTRACT) {
                        judge_option(&dashed, &option);
                }
        }
        if (extracts && into.text.len)
                unpacked_into(call->guard, &into);
}

/* ---- sed ---- */

/* A command, or what becomes of the input when that is put in its place. */
static void sed_runs(struct call *call, const struct arg *script, struct str code) {
        char *text = guard_bytes(call->guard, code.len + 1);
        size_t len = 0;

        for (size_t i = 0; text && i < code.len; i++)
                if (code.ptr[i] != '\\' || i + 1 == code.len || code.ptr[i + 1] != '/')
                        text[len++] = code.ptr[i];
        guard_effect(call->guard, FX_CODE, CODE_OPTION | CODE_OPAQUE, STR("sed's e"), script->range);
        if (len)
                guard_shell_text(call, str_from(text, len), script->range);
        judge_from_input(call);
}

/* Behind s/x/y/, which starts at `i`: runs what an e among its flags says. The replacement stands between `ends`. */
static size_t sed_substitute(struct call *call, const struct arg *script, struct str line, size_t i, bool *ret_writes) {
        char mark = line.ptr[i + 1];
        size_t ends[2] = { 0, 0 };
        unsigned seen = 0;

        for (i += 2; i < line.len && seen < 2; i++) {
                if (line.ptr[i] == mark)
                        ends[seen++] = i;
                i += line.ptr[i] == '\\';
        }
        for (; i < line.len && strchr("0123456789egiImMp", line.ptr[i]); i++)
                if (line.ptr[i] == 'e' && seen == 2)
                        sed_runs(call, script, str_from(line.ptr + ends[0] + 1, ends[1] - ends[0] - 1));
        *ret_writes = i < line.len && line.ptr[i] == 'w';
        return i - 1;
}

/* The e command, the e flag of s///, and w: GNU sed runs and writes from its script. */
static void sed_line(struct call *call, const struct arg *script, struct str line) {
        bool starts = true; /* a command */

        for (size_t i = 0; i < line.len; i++) {
                char c = line.ptr[i];
                struct arg rest = arg_part(script, (size_t)(line.ptr + i + 1 - script->text.ptr), line.len - i - 1);

                if (c == 's' && starts && i + 1 < line.len) {
                        i = sed_substitute(call, script, line, i, &starts);
                } else if (c == '/' && starts) { /* an address */
                        for (i++; i < line.len && line.ptr[i] != '/'; i++)
                                i += line.ptr[i] == '\\';
                } else if (c == 'e' && starts) {
                        sed_runs(call, script, rest.text);
                        return;
                } else if ((c == 'w' || c == 'W') && starts) {
                        rest.text = str_trim(rest.text);
                        guard_path(call->guard, FX_WRITE, 0, &rest);
                        return;
                } else if (starts && strchr("aicrybt", c)) {
                        return;
                } else if (!strchr("0123456789,$!~+ \t", c)) {
                        starts = strchr(";{}", c);
                }
        }
}

static void sed_script(struct call *call, const struct arg *script) {
        for (struct str rest = script->text; rest.len; rest = str_skip(rest, str_find(rest, '\n') + 1))
                sed_line(call, script, str_take(rest, str_find(rest, '\n')));
}

void judge_sed(struct call *call) {
        struct option option;
        bool in_place = false, scripted = false;

        EACH_OPTION (call, option) {
                in_place |= option.scan == SCAN_OPTION && option.meaning == MEANS_IN_PLACE;
                scripted |= option.meaning == MEANS_SCRIPT || option.meaning == MEANS_SCRIPT_FILE;
                if (option.meaning == MEANS_SCRIPT && option.has_value)
                        sed_script(call, &option.value);
        }
        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION) {
                        judge_option(call, &option);
                } else if (!scripted) {
                        scripted = true;
                        sed_script(call, &option.value);
                } else {
                        guard_path(call->guard, in_place ? FX_WRITE : FX_READ, 0, &option.value);
                }
        }
        input_secret(call);
}
