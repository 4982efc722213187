/*
 * Programs that run other programs: shells, env, find, xargs and their kin, and the builtins that set things up to run.
 */
#include "guard/options.h"
#include "guard/paths.h"
#include "guard/tables/tools.h"
#include "policy/env.h"

/* ---- shells ---- */

static struct str text_join(struct guard *g, struct str directory, struct str name) {
        char *path = guard_bytes(g, directory.len + name.len + 1);

        if (!path)
                return name;
        if (directory.len)
                memcpy(path, directory.ptr, directory.len);
        memcpy(path + directory.len, name.ptr, name.len);
        return str_from(path, directory.len + name.len);
}

/* bash < FILE, when this command has written the file. */
static bool input_file(struct call *call) {
        for (const struct walk_redirect *r = call->visit ? call->visit->redirects : NULL; r; r = r->next) {
                struct arg path;

                if ((r->redir->op != REDIR_INPUT && r->redir->op != REDIR_DUP_INPUT) || r->target_count != 1)
                        continue;
                if (guard_value_network(call->guard, &r->targets[0].value)) { /* < <(curl) */
                        guard_effect(call->guard, FX_CODE, CODE_NETWORK, STR("the network"), call->args[0].range);
                        return true;
                }
                if (r->targets[0].kind != FIELD_KNOWN)
                        continue;
                path = arg_text(call->guard, r->targets[0].text, call->args[0].range);
                if (r->redir->op == REDIR_DUP_INPUT) /* <&3 */
                        path.text = text_join(call->guard, STR("/dev/fd/"), path.text);
                if (guard_run_file(call, &path, call->program))
                        return true;
        }
        return false;
}

/* A shell, an interpreter, or what else runs what it reads from standard input. */
void judge_from_input(struct call *call) {
        struct guard *g = call->guard;
        struct range range = call->args[0].range;
        bool shell = !call->program || call->program->act != ACT_CODE;

        if (call->from_network) {
                guard_effect(g, FX_CODE, CODE_NETWORK, STR("the network"), range);
        } else if (input_file(call)) {
                ;
        } else if (call->input) {
                struct arg text = guard_arg(g, *call->input, range);

                if (shell && !text.known && call->visit && call->visit->pipe_from)
                        guard_effect(g, FX_CODE, CODE_PIPED, call->name, range);
                if (shell)
                        guard_shell(call, &text, NULL, 0);
                else if (guard_value_network(g, call->input))
                        guard_effect(g, FX_CODE, CODE_NETWORK, STR("the network"), range);
                else
                        judge_code_text(call, call->program, text.text, range);
        } else if (call->piped) {
                guard_effect(g, FX_CODE, shell ? CODE_PIPED : CODE_OPAQUE, call->name, range);
        } else {
                g->verdict->reads_code |= shell;
        }
}

/* A script given by name: <(...) tells what is in it, others are files. */
void judge_script(struct call *call, const struct arg *script) {
        struct guard *g = call->guard;
        const struct piece *piece = script->value.pieces;

        if (piece && piece->because == UNKNOWN_PROCESS) {
                struct arg text = guard_arg(g, piece->content ? *piece->content : script->value, script->range);

                if (piece->part && guard_list_network(g, piece->part->body))
                        guard_effect(g, FX_CODE, CODE_NETWORK, STR("the network"), script->range);
                else if (piece->content && call->program && call->program->act == ACT_CODE)
                        judge_code_text(call, call->program, text.text, script->range);
                else if (piece->content)
                        guard_shell(call, &text, NULL, 0);
                else
                        guard_effect(g, FX_CODE, call->program && call->program->act == ACT_CODE ? CODE_OPAQUE : CODE_PIPED,
                                     call->name, script->range);
                return;
        }
        if (guard_value_network(g, &script->value) || is_url(script->text)) /* deno run https://... */
                guard_effect(g, FX_CODE, CODE_NETWORK, script->text, script->range);
        if (arg_is(script, "/dev/stdin") || arg_is(script, "/dev/fd/0") || arg_is(script, "/proc/self/fd/0"))
                judge_from_input(call);
        else if (!guard_run_file(call, script, call->program))
                guard_opaque(g, script->text, script->range);
}

void judge_shell(struct call *call) {
        struct options options;
        struct option option;
        bool wants_code = false, reads_input = false;
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) == SCAN_OPTION) {
                if (str_is(option.name, "n"))
                        return; /* only reads the syntax */
                wants_code |= option.meaning == MEANS_SHELL;
                reads_input |= str_is(option.name, "s");
                if (option.meaning == MEANS_SCRIPT_FILE && option.has_value)
                        judge_script(call, &option.value);
                if (option.meaning == MEANS_SHELL && option.has_value) { /* fish -c attached */
                        guard_shell(call, &option.value, NULL, 0);
                        return;
                }
        }
        while (scan == SCAN_OPERAND && option.value.text.len > 1 && option.value.text.ptr[0] == '+') { /* bash +x -c */
                options.only_operands = false;
                while ((scan = options_next(&options, &option)) == SCAN_OPTION)
                        wants_code |= option.meaning == MEANS_SHELL;
        }
        if (scan == SCAN_END || reads_input) {
                judge_from_input(call);
                return;
        }
        if (arg_is(&option.value, "-") && !wants_code) {
                judge_from_input(call);
                return;
        }
        if (wants_code && call->program->traits & TRAIT_ONE_DASH) /* PowerShell, as far as it is not like a shell */
                judge_code_text(call, call->program, option.value.text, option.value.range);
        if (wants_code)
                guard_shell(call, &option.value, call->args + option.index + 1, call->count - option.index - 1);
        else
                judge_script(call, &option.value);
}

void judge_source(struct call *call) {
        if (call->count > 1)
                judge_script(call, &call->args[1]);
}

/* ---- env ---- */

void judge_env(struct call *call) {
        struct guard *g = call->guard;
        struct option option;
        bool empty = false;

        EACH_OPTION (call, option) {
                struct arg value;
                size_t equals;

                if (option.scan == SCAN_OPTION) {
                        empty |= str_is(option.name, "i") || str_is(option.name, "ignore-environment");
                        if (option.meaning == MEANS_SHELL && option.has_value) {
                                guard_shell(call, &option.value, NULL, 0);
                                return;
                        }
                        continue;
                }
                equals = str_find(option.value.text, '=');
                if (equals == option.value.text.len) {
                        guard_rest(call, option.index);
                        return;
                }
                value = arg_part(&option.value, equals + 1, option.value.text.len);
                guard_assigned(call, str_take(option.value.text, equals), &value);
                if (env_runs_code(str_take(option.value.text, equals)))
                        guard_effect(g, FX_INJECT, 0, str_take(option.value.text, equals), option.value.range);
        }
        if (!empty)
                guard_effect(g, FX_ENVIRON, 0, STR("the environment"), call->args[0].range);
}

/* ---- find ---- */

enum { FIND_ROOTS_ALONE = 8, FIND_FOUND_MOST = 8 };

static void find_put(struct arg *arg, const struct arg *root) {
        arg->glob = root->glob;
        arg->text = root->text;
        arg->known = root->known;
        arg->value = root->value;
}

static size_t count_found(const struct call *call, size_t first, size_t count) {
        size_t found = 0;

        for (size_t i = 0; i < count; i++)
                found += arg_is(&call->args[first + i], "{}");
        return found;
}

/* {} in the command stands for what is found: at worst, where it starts to look. */
static void find_command(struct call *call, size_t first, size_t count, const struct arg *roots, size_t root_count) {
        struct guard *g = call->guard;
        size_t found = count_found(call, first, count), most = found > FIND_FOUND_MOST ? 0 : found * root_count;
        struct call inner = *call;
        struct arg *args;

        if (found > FIND_FOUND_MOST && root_count > 1) {
                guard_effect(g, FX_TEXT, TEXT_LONG, STR("too complex to analyse"), g->range);
                return;
        }
        if (!guard_spend(g, GUARD_STEPS_SCRIPT + 16 * (count + most)))
                return;
        args = arena_alloc(g->arena, (count + most + 1) * sizeof(*args));
        guard_effect(g, FX_CODE, CODE_OPTION, STR("find -exec"), call->args[first ? first - 1 : 0].range);
        for (size_t r = 0; args && count && r < root_count; r++) {
                size_t all = r + 1 == FIND_ROOTS_ALONE ? root_count - r : 1; /* the last ones all at once */

                inner.count = 0;
                for (size_t i = 0; i < count; i++) {
                        bool here = arg_is(&call->args[first + i], "{}");

                        for (size_t at = 0; at < (here ? all : 1); at++) {
                                args[inner.count] = call->args[first + i];
                                if (here)
                                        find_put(&args[inner.count], &roots[r + at]);
                                inner.count++;
                        }
                }
                inner.args = args;
                guard_rest(&inner, 0);
                if (all > 1)
                        break;
        }
}

/* With a test that picks files, what is found is something below; without one, it is everything from the start on. */
static bool find_picks(const struct call *call) {
        static const char tests[] = "-amin -anewer -atime -cmin -cnewer -ctime -empty -gid -group -iname -inum -ipath -iregex "
                                    "-links -lname -mmin -mtime -name -nogroup -nouser -path -perm -regex -samefile -size -uid "
                                    "-used -user -wholename";

        for (size_t i = 1; i < call->count; i++)
                if (in_words(tests, call->args[i].text) || str_starts(call->args[i].text, STR("-newer")))
                        return true;
        return false;
}

/* find / -name id_rsa -exec cat {} +: the name says what will be found. */
static const struct arg *find_name(const struct call *call) {
        for (size_t i = 1; i + 1 < call->count; i++)
                if (in_words("-name -iname -path", call->args[i].text))
                        return &call->args[i + 1];
        return NULL;
}

static void find_action(struct call *call, size_t *i, const struct arg *roots, size_t root_count, const struct arg *name) {
        struct guard *g = call->guard;
        const struct arg *arg = &call->args[*i];

        for (size_t a = 0; find_actions[a].name; a++) {
                size_t end = *i + 1;

                if (!arg_is(arg, find_actions[a].name))
                        continue;
                switch (find_actions[a].meaning) {
                case MEANS_DELETE:
                        for (size_t r = 0; r < root_count; r++)
                                guard_path(g, FX_DELETE, HOW_RECURSIVE, &roots[r]);
                        break;
                case MEANS_COMMAND:
                        while (end < call->count && !arg_is(&call->args[end], ";") &&
                               !(arg_is(&call->args[end], "+") && arg_is(&call->args[end - 1], "{}")))
                                end++;
                        find_command(call, *i + 1, end - *i - 1, roots, root_count);
                        if (name) {
                                struct arg pattern = *name;

                                pattern.glob = true;
                                find_command(call, *i + 1, end - *i - 1, &pattern, 1);
                        }
                        *i = end;
                        break;
                case MEANS_WRITE:
                        if (end < call->count)
                                guard_path(g, FX_WRITE, 0, &call->args[end]);
                        break;
                default:
                        if (end < call->count)
                                guard_path(g, FX_READ, 0, &call->args[end]);
                        break;
                }
        }
}

/* The names that a command prints, for the one behind the pipe: xargs rm. */
void guard_found(struct call *call, const struct arg *paths, size_t count, const struct arg *name) {
        struct guard *g = call->guard;
        struct arg *found = call->visit && call->visit->pipe_to ? arena_alloc(g->arena, (count + 1) * sizeof(*found)) : NULL;

        if (!found)
                return;
        memcpy(found, paths, count * sizeof(*found));
        if (name) {
                found[count] = *name;
                found[count++].glob = true;
        }
        g->found = found;
        g->found_count = count;
        g->found_for = call->visit->pipe_to;
}

/* start/?, for each start. */
static const struct arg *find_below(struct call *call, const struct arg *roots, size_t count) {
        struct arg *below = arena_alloc(call->guard->arena, count * sizeof(*below));

        for (size_t i = 0; below && i < count; i++) {
                below[i] = arg_text(call->guard, text_join(call->guard, roots[i].text, STR("/\1")), roots[i].range);
        }
        return below ? below : roots;
}

void judge_find(struct call *call) {
        struct arg here = arg_text(call->guard, STR("."), call->args[0].range);
        const struct arg *roots, *name = find_name(call);
        size_t first = 1, end;

        while (first < call->count &&
               (arg_is(&call->args[first], "-L") || arg_is(&call->args[first], "-H") || arg_is(&call->args[first], "-P")))
                first++;
        for (end = first; end < call->count; end++)
                if (call->args[end].text.len && strchr("-(!", call->args[end].text.ptr[0]))
                        break;
        roots = end > first ? &call->args[first] : &here;
        if (find_picks(call))
                roots = find_below(call, roots, end > first ? end - first : 1);
        for (size_t i = end; i < call->count; i++)
                find_action(call, &i, roots, end > first ? end - first : 1, name);
        guard_found(call, roots, end > first ? end - first : 1, name);
}

/* fd PATTERN DIR... -x COMMAND */
void judge_fd(struct call *call) {
        struct arg roots[FIND_ROOTS_ALONE] = { arg_text(call->guard, STR("."), call->args[0].range) };
        struct options options;
        struct option option;
        size_t operands = 0, count = 1;
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) != SCAN_END &&
               !(scan == SCAN_OPTION && option.meaning == MEANS_COMMAND))
                if (scan == SCAN_OPERAND && operands++ && operands < FIND_ROOTS_ALONE)
                        roots[(count = operands - 1) - 1] = option.value;
        guard_found(call, roots, count, NULL);
        if (scan == SCAN_END)
                return;
        for (size_t i = 1; i < call->count; i++)
                if (call->args[i].text.ptr == option.value.text.ptr)
                        find_command(call, i, call->count - i, find_below(call, roots, count), count);
}

/* ---- xargs, parallel ---- */

/* xargs -I X: X stands for what is piped in, inside of words, too. */
static void fill_mark(struct guard *g, struct arg *arg, struct str mark, const struct arg *word) {
        const char *at = mark.len && arg->text.len ? memmem(arg->text.ptr, arg->text.len, mark.ptr, mark.len) : NULL;
        struct str before, after;

        if (!at)
                return;
        before = str_take(arg->text, (size_t)(at - arg->text.ptr));
        after = str_skip(arg->text, before.len + mark.len);
        if (before.len + after.len == 0)
                *arg = *word;
        else
                *arg = arg_text(g, text_join(g, text_join(g, before, word->text), after), arg->range);
}

/* What is piped in becomes arguments: known words are put there, unknown ones are one unknown argument. */
static void rest_with_input(struct call *call, size_t first, const struct value *input, const char *blanks, struct str mark) {
        struct guard *g = call->guard;
        struct arg words[32];
        size_t count = 0, base = call->count - first;
        struct arg *args;
        struct call inner = *call;

        if (call->visit && g->found_for == call->visit->command) {
                for (size_t i = 0; i < g->found_count && count < 32; i++)
                        words[count++] = g->found[i];
        } else if (input) {
                struct arg text = guard_arg(g, *input, call->args[0].range);
                struct str rest = text.text;

                while (rest.len && count < 32) {
                        size_t start = 0, end;

                        while (start < rest.len && strchr(blanks, rest.ptr[start]))
                                start++;
                        rest = str_skip(rest, start);
                        for (end = 0; end < rest.len && !strchr(blanks, rest.ptr[end]); end++)
                                ;
                        if (end)
                                words[count++] = arg_text(g, str_take(rest, end), text.range);
                        rest = str_skip(rest, end);
                }
        } else {
                words[count++] = arg_text(g, STR("\1"), call->args[0].range);
        }
        args = arena_alloc(g->arena, (base + count + 1) * sizeof(*args));
        if (!args)
                return;
        memcpy(args, call->args + first, base * sizeof(*args));
        memcpy(args + base, words, count * sizeof(*args));
        for (size_t i = 0; i < base && count; i++)
                fill_mark(g, &args[i], mark, &words[0]);
        inner.args = args;
        inner.count = base + count;
        inner.input = NULL;
        inner.piped = false;
        if (inner.count)
                guard_rest(&inner, 0);
}

/* xargs sh -c {}: the input itself is the code. */
static void input_is_code(struct call *call, size_t first, struct str mark) {
        const struct program *program = first < call->count ? program_find(arg_basename(call->args[first].text)) : NULL;

        if (!program || program->act != ACT_SHELL || (call->input && !value_unknown_piece(*call->input)))
                return;
        for (size_t i = first + 1; i < call->count; i++)
                if (arg_is(&call->args[i], "-c") && (i + 1 == call->count || str_eq(call->args[i + 1].text, mark)))
                        guard_effect(call->guard, FX_CODE, call->from_network ? CODE_NETWORK : CODE_PIPED, call->name,
                                     call->args[i].range);
}

void judge_xargs(struct call *call) {
        struct options options;
        struct option option;
        struct str mark = STR("{}");
        bool lines = false; /* a line is one argument */
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) == SCAN_OPTION) {
                lines |= in_words("I i d 0 null replace delimiter", option.name);
                if (str_is(option.name, "I") && option.has_value)
                        mark = option.value.text;
                if (option.meaning == MEANS_READ && option.has_value)
                        guard_path(call->guard, FX_READ, 0, &option.value);
        }
        guard_effect(call->guard, FX_CODE, CODE_OPTION, call->name, call->args[0].range);
        if (scan == SCAN_OPERAND) {
                input_is_code(call, option.index, mark);
                rest_with_input(call, option.index, call->input, lines ? "\n" : " \t\n", mark);
        }
}

/* 'rm -rf /home/{}': any item may stand there. */
static struct str with_unknown_item(struct guard *g, struct str text) {
        char *out = guard_bytes(g, text.len + 1);
        size_t len = 0;

        for (size_t i = 0; out && i < text.len; i++) {
                bool item = str_starts(str_skip(text, i), STR("{}"));

                out[len++] = item ? UNKNOWN_BYTE : text.ptr[i];
                i += item;
        }
        return out ? str_from(out, len) : text;
}

/* parallel rm -rf ::: /: the words behind ::: are arguments, and without a command they are the commands. */
void judge_parallel(struct call *call) {
        struct options options;
        struct option option;
        size_t first = call->count, colons;
        bool known;

        options_start(&options, call);
        while (options_next(&options, &option) == SCAN_OPTION)
                ;
        first = option.index;
        for (colons = first; colons < call->count && !str_starts(call->args[colons].text, STR(":::")); colons++)
                ;
        if (colons >= call->count) {
                if (first >= call->count)
                        judge_from_input(call);
                else if (first + 1 == call->count && str_find(call->args[first].text, ' ') < call->args[first].text.len)
                        guard_shell_text(call, with_unknown_item(call->guard, call->args[first].text), call->args[first].range);
                else
                        rest_with_input(call, first, call->input, "\n", STR("{}"));
                return;
        }
        for (size_t i = colons + 1; i < call->count; i++) {
                struct arg words[34];
                size_t count = 0;

                for (size_t w = first; w < colons && count < 32; w++)
                        words[count++] = call->args[w];
                words[count++] = call->args[i];
                guard_shell_text(call, guard_join(call->guard, words, count, &known), call->args[i].range);
        }
}

/* ---- tmux, screen ---- */

void judge_tmux(struct call *call) {
        bool known;

        for (size_t i = 1; i < call->count; i++) {
                const struct arg *arg = &call->args[i];

                if (str_find(arg->text, ' ') < arg->text.len) { /* tmux new -d "rm -rf /" */
                        guard_shell(call, arg, NULL, 0);
                } else if (str_is(call->name, "screen") && arg->text.len > 1 && arg->text.ptr[0] == '-' &&
                           strchr("Scehprst", arg->text.ptr[arg->text.len - 1])) {
                        i++; /* its argument: -S NAME, -dmS NAME */
                } else if (str_is(call->name, "screen") && arg->text.len && arg->text.ptr[0] != '-' && !arg_is(arg, "stuff")) {
                        guard_rest(call, i);
                        return;
                } else if (arg_is(arg, "send-keys") || arg_is(arg, "send") || arg_is(arg, "stuff")) {
                        while (i + 2 < call->count && arg_is(&call->args[i + 1], "-t"))
                                i += 2;
                        guard_shell_text(call, guard_join(call->guard, call->args + i + 1, call->count - i - 1, &known),
                                         arg->range);
                        return;
                }
        }
}

/* /lib64/ld-linux-x86-64.so.2 /bin/rm: the loader runs the program without its being executed. */
void judge_loader(struct call *call) {
        struct options options;
        struct option option;

        options_start(&options, call);
        while (options_next(&options, &option) == SCAN_OPTION)
                ;
        if (option.has_value)
                guard_rest(call, option.index);
}

/* start-stop-daemon --exec /bin/rm -- -rf /: what follows the dashes are the program's arguments. */
void judge_daemon(struct call *call) {
        struct option option;
        struct call inner = *call;
        struct arg *args = arena_alloc(call->guard->arena, (call->count + 1) * sizeof(*args));

        if (!args)
                return;
        inner.args = args;
        inner.count = 0;
        EACH_OPTION (call, option)
                if ((option.scan == SCAN_OPTION && option.meaning == MEANS_PROGRAM && option.has_value && !inner.count) ||
                    (option.scan == SCAN_OPERAND && inner.count))
                        args[inner.count++] = option.value;
        if (inner.count)
                guard_rest(&inner, 0);
}

/* ---- builtins ---- */

void judge_cd(struct call *call) {
        struct guard *g = call->guard;
        const struct arg *to = NULL;

        for (size_t i = 1; i < call->count && !to; i++)
                if (!(call->args[i].text.len > 1 && call->args[i].text.ptr[0] == '-') &&
                    !(call->args[i].text.len && call->args[i].text.ptr[0] == '+'))
                        to = &call->args[i];
        if (str_is(call->name, "popd") || (to && arg_is(to, "-"))) {
                g->cwd = STR("");
                return;
        }
        if (!to)
                g->cwd = STR("~");
        else
                g->cwd = to->known ? path_resolve(g, to->text) : STR("\1");
        if (g->cwd.len > (str_starts(g->cwd, STR("..")) ? GUARD_MAX_PLACE / 4 : GUARD_MAX_PLACE))
                g->cwd = STR("\1");
}

/* alias x=CODE, bind -x, complete -C, mapfile -C: code for later. */
void judge_alias(struct call *call) {
        struct option option;

        EACH_OPTION (call, option) {
                struct arg code = option.value;
                size_t equals = str_find(code.text, '=');

                if (option.scan == SCAN_OPERAND && str_is(call->name, "alias") && equals < code.text.len) {
                        code = arg_part(&code, equals + 1, code.text.len);
                        guard_shell(call, &code, NULL, 0);
                } else if (option.scan == SCAN_OPTION && option.meaning == MEANS_SHELL && option.has_value) {
                        size_t colon = str_find(code.text, ':');

                        if (str_is(call->name, "bind") && colon < code.text.len)
                                code = arg_part(&code, colon + 1, code.text.len);
                        guard_shell(call, &code, NULL, 0);
                }
        }
}

/* hash -p /bin/rm ls makes ls run rm; enable -f loads code into the shell. */
void judge_hash(struct call *call) {
        struct option option;
        struct arg path = { 0 };

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_PROGRAM)
                        path = option.value;
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_RUNS)
                        guard_effect(call->guard, FX_LATER, 0, call->name, call->args[0].range);
                if (option.scan == SCAN_OPERAND && path.text.len) {
                        struct file_fact *fact = guard_file(call->guard, option.value.text);

                        if (fact) {
                                fact->path = option.value.text;
                                fact->stands_for = path.text;
                        }
                        guard_effect(call->guard, FX_INJECT, 0, option.value.text, option.value.range);
                }
        }
}

static bool only_options(const struct call *call, const char *allowed) {
        for (size_t i = 1; i < call->count; i++) {
                struct str text = call->args[i].text;

                if (text.len < 2 || text.ptr[0] != '-')
                        return false;
                for (size_t c = 1; c < text.len; c++)
                        if (!strchr(allowed, text.ptr[c]))
                                return false;
        }
        return true;
}

/* Without names they list everything; with them they may set what makes programs run code. */
void judge_declare(struct call *call) {
        struct guard *g = call->guard;

        if (only_options(call, "pxgrAaf") && !str_is(call->name, "local")) {
                for (size_t i = 1; i < call->count; i++)
                        if (str_find(call->args[i].text, 'f') < call->args[i].text.len)
                                return; /* functions, not variables */
                guard_effect(g, FX_ENVIRON, 0, STR("all variables"), call->args[0].range);
        }
        for (size_t i = 1; i < call->count; i++) {
                struct str name = str_take(call->args[i].text, str_find(call->args[i].text, '='));

                if (name.len < call->args[i].text.len) {
                        struct arg value = arg_part(&call->args[i], name.len + 1, call->args[i].text.len);

                        guard_assigned(call, name, &value);
                }
                if (env_runs_code(name) && (name.len < call->args[i].text.len || str_is(call->name, "export")))
                        guard_effect(g, FX_INJECT, 0, name, call->args[i].range);
                if (arg_is(&call->args[i], "-p") && i + 1 < call->count && env_is_secret(call->args[i + 1].text))
                        guard_effect(g, FX_ENVIRON, NAME_SECRET, call->args[i + 1].text, call->args[i + 1].range);
        }
}

void judge_set(struct call *call) {
        if (call->count == 1)
                guard_effect(call->guard, FX_ENVIRON, 0, STR("all variables"), call->args[0].range);
}

/* compgen -v and -e list variables; printenv prints them. */
/* printenv NAME shows that one. */
void judge_printenv(struct call *call) {
        bool all = true;

        for (size_t i = 1; i < call->count; i++) {
                const struct arg *arg = &call->args[i];

                if (str_starts(arg->text, STR("-")))
                        continue;
                all &= !arg->known;
                if (env_is_secret(arg->text))
                        guard_effect(call->guard, FX_ENVIRON, NAME_SECRET, arg->text, arg->range);
        }
        if (all)
                guard_effect(call->guard, FX_ENVIRON, 0, STR("the environment"), call->args[0].range);
}

static bool only_letters(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if (!is_ascii_alpha((unsigned char)text.ptr[i]))
                        return false;
        return text.len > 0;
}

/* ps e and ps auxe show the environment of processes; ps -e does not. */
void judge_ps(struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                struct str text = call->args[i].text;

                if (text.len && text.ptr[0] != '-' && only_letters(text) && str_find(text, 'e') < text.len &&
                    (i == 1 || only_letters(call->args[i - 1].text)) && !(i > 1 && str_ends(call->args[i - 1].text, STR("o"))))
                        guard_effect(call->guard, FX_ENVIRON, 0, STR("the environment of processes"), call->args[i].range);
        }
}
