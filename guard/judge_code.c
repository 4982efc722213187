/*
 * Code in other languages, given on the command line or through a pipe. It is not parsed, only scanned: which functions
 * are named in it, and what its strings say. That finds what is written plainly; the sandbox holds what is not.
 */
#include "guard/code.h"
#include "guard/options.h"
#include "guard/paths.h"
#include "guard/tables/names.h"

enum { CALL_MAX = 32 }; /* strings of a call */

/* ---- what follows ---- */

/* What one call takes, from string number `first` on. */
static size_t call_strings(struct guard *g, const struct scanned *s, size_t first, struct range range, struct arg *words) {
        size_t count = 0;

        for (size_t i = first; i < s->count && count < CALL_MAX; i++)
                if (s->strings[i].group == s->strings[first].group && s->strings[i].class & WORD_EXECUTES)
                        words[count++] = arg_text(g, s->strings[i].text, range);
        return count;
}

static bool is_text(struct str text) {
        return str_find(text, ' ') < text.len || str_find(text, '\n') < text.len;
}

/* "rm", "-rf", "/" are the words of a command; "rm -rf /" is code for a shell, and what stands beside it are options. */
static void run_call(struct call *call, const struct scanned *s, size_t first, struct range range) {
        struct arg words[CALL_MAX];
        struct call inner = { .guard = call->guard, .visit = call->visit, .args = words };
        size_t start = 0;

        inner.count = call_strings(call->guard, s, first, range, words);
        if (is_text(words[0].text) || !program_find(arg_basename(words[0].text))) {
                for (size_t i = 0; i < inner.count; i++)
                        if (i == 0 || is_text(words[i].text))
                                guard_shell_text(call, words[i].text, range);
                return;
        }
        if (inner.count > 2 && str_eq(arg_basename(words[0].text), arg_basename(words[1].text)))
                start = 1; /* execvp("rm", ["rm", ...]) */
        guard_rest(&inner, start);
}

/* Does an earlier string belong to the same call? */
static bool is_later(const struct scanned *s, size_t i) {
        for (size_t before = i; before > 0; before--)
                if (s->strings[before - 1].group == s->strings[i].group && s->strings[before - 1].class & WORD_EXECUTES)
                        return true;
        return false;
}

/* What the functions that execute are given. When they are given no string at all, it is in a variable, and then any string
 * that looks like a command, and that nothing else takes, may be it. */
static void run_strings(struct call *call, const struct scanned *s, struct range range) {
        bool any = false;

        for (size_t i = 0; i < s->count; i++) {
                if (!(s->strings[i].class & WORD_EXECUTES))
                        continue;
                any = true;
                if (!is_later(s, i))
                        run_call(call, s, i, range);
        }
        for (size_t i = 0; !any && i < s->count; i++)
                if (!s->strings[i].class && str_find(s->strings[i].text, ' ') < s->strings[i].text.len)
                        guard_shell_text(call, s->strings[i].text, range);
}

/* open(path, 'w'), but not open(path); file_put_contents(path) anyway. */
static bool opens_to_write(const struct scanned *s, size_t i) {
        static const unsigned both = WORD_READS | WORD_WRITES;

        if ((s->strings[i].class & both) == WORD_READS) /* Path(x).write_text(y) */
                return false;
        struct str mode = i + 1 < s->count && s->strings[i + 1].class & WORD_WRITES ? s->strings[i + 1].text : STR("");

        if (!(s->strings[i].class & WORD_READS) || (s->strings[i].class & WORD_JOINS))
                return true;
        return mode.len && mode.len < 4 && strchr("wax>+", mode.ptr[0]);
}

/* What is deleted is in a variable that was set elsewhere, and this is a path that nothing else takes. */
static bool deletes_unknown(const struct scanned *s, size_t string) {
        struct str text = s->strings[string].text;

        unsigned other = s->strings[string].class & ~(unsigned)WORD_EVERYDAY;

        if (str_starts(text, STR("~")))
                other &= ~(unsigned)(WORD_READS | WORD_JOINS);
        if (s->g->is_source || !(s->classes & WORD_DELETES) || other || str_is(text, "/") ||
            !(str_starts(text, STR("~")) || str_starts(text, STR("/"))))
                return false;
        for (size_t i = 0; i < s->count; i++)
                if (s->strings[i].class & WORD_DELETES)
                        return false;
        return true;
}

/* "\n" in a string, as a file has it. */
static size_t put_unescaped(char *out, struct str text) {
        size_t len = 0;

        for (size_t i = 0; i < text.len; i++) {
                bool line = text.ptr[i] == '\\' && i + 1 < text.len && text.ptr[i + 1] == 'n';

                out[len++] = line ? '\n' : text.ptr[i];
                i += line;
        }
        return len;
}

/* open("x", "w").write("..."), writeFile("x", "..."): what the strings behind it say is in the file. */
static void written_string(struct call *call, const struct scanned *s, size_t i) {
        struct guard *g = call->guard;
        size_t size = 0, len = 0;
        struct file_fact *fact;
        char *text;

        for (size_t next = i + 1; next < s->count; next++)
                size += s->strings[next].text.len + 1;
        if (g->file_count >= GUARD_MAX_FILES || !size || !guard_spend(g, size / 16) || !(text = guard_bytes(g, size)) ||
            !(fact = guard_file(g, s->strings[i].text)))
                return;
        for (size_t next = i + 1; next < s->count; next++) {
                if (!(s->strings[next].class & (WORD_PRINTS | WORD_WRITES)))
                        continue;
                len += put_unescaped(text + len, s->strings[next].text);
                text[len++] = '\n';
        }
        fact->content = value_text(&g->budget, str_from(text, len));
        fact->content_known = len > 0;
}

static void path_strings(struct call *call, const struct scanned *s, struct range range) {
        for (size_t i = 0; i < s->count; i++) {
                struct arg path = arg_text(call->guard, s->strings[i].text, range);
                unsigned class = s->strings[i].class | (deletes_unknown(s, i) ? WORD_DELETES : 0);
                uint32_t flags;

                if (class & (WORD_WRITES | WORD_READS) && s->language & LANG_BACKQUOTES && /* open(F, "rm x |") */
                    (str_ends(path.text, STR("|")) || str_starts(path.text, STR("|"))))
                        guard_shell_text(call, str_take(str_skip(path.text, path.text.ptr[0] == '|'), path.text.len - 1),
                                         range);
                if (!(class & (WORD_WRITES | WORD_READS | WORD_DELETES)) || str_find(path.text, '\n') < path.text.len ||
                    path.text.len > 200)
                        continue;
                flags = path_flags(call->guard, &path, path_resolve(call->guard, path.text));
                if (class & WORD_WRITES && opens_to_write(s, i) && !is_text(path.text))
                        written_string(call, s, i);
                if (class & (WORD_WRITES | WORD_READS) && opens_to_write(s, i) &&
                    flags & (PATH_SYSTEM | PATH_STARTUP | PATH_DEVICE))
                        guard_path(call->guard, FX_WRITE, 0, &path);
                if (class & WORD_DELETES && flags & (PATH_CRITICAL | PATH_SYSTEM))
                        guard_path(call->guard, FX_DELETE, HOW_RECURSIVE, &path);
                if (class & WORD_READS && flags & (PATH_CREDENTIAL | PATH_DOTENV | PATH_ENVIRON))
                        guard_path(call->guard, FX_READ, 0, &path);
        }
}

static bool has_string(const struct scanned *s, const char *text) {
        for (size_t i = 0; i < s->count; i++)
                if (memmem(s->strings[i].text.ptr, s->strings[i].text.len, text, strlen(text)))
                        return true;
        return false;
}

/* https://$HOST/ says nothing. */
static bool names_host(struct str url) {
        struct str host = str_skip(url, str_starts(url, STR("https://")) ? 8 : 7);

        return host.len && !strchr("$#{%/\\", host.ptr[0]);
}

/* A command names a file that the same code writes: open("x", "wb").write(get(url)); system("sh x"). */
static bool runs_written(const struct scanned *s) {
        for (size_t i = 0; i < s->count; i++) {
                struct str file = s->strings[i].text;
                unsigned class = s->strings[i].class;

                if (file.len < 3 || is_text(file) || is_url(file) ||
                    !(class & WORD_FETCHES || (class & WORD_WRITES && opens_to_write(s, i))))
                        continue;
                for (size_t c = 0; c < s->count; c++)
                        if (s->strings[c].class & WORD_EXECUTES && s->strings[c].text.len &&
                            memmem(s->strings[c].text.ptr, s->strings[c].text.len, file.ptr, file.len))
                                return true;
        }
        return false;
}

static void network_strings(struct call *call, const struct scanned *s, struct range range) {
        static const unsigned runs = WORD_EXECUTES | WORD_EVALUATES;
        struct guard *g = call->guard;
        bool evaluates = false; /* something that is in a variable */
        unsigned taken = 0;

        if ((s->named & (WORD_CONNECTS | WORD_MODULE_CONNECTS) && (s->named & WORD_SHELL || s->classes & WORD_EXECUTES)) ||
            has_string(s, "/inet/tcp") || has_string(s, "/inet/udp"))
                guard_effect(g, FX_LISTEN, 0, STR("another host"), range);
        if (s->named & WORD_FETCHES && (runs_written(s) || (s->language & LANG_POWERSHELL && s->named & WORD_EVALUATES)))
                guard_effect(g, FX_CODE, CODE_NETWORK, STR("the network"), range);
        for (size_t i = 0; i < s->count; i++)
                taken |= s->strings[i].class;
        for (size_t i = 0; (s->named & WORD_FETCHES || taken & WORD_EVALUATES) && i < s->count; i++) {
                struct arg url = arg_text(g, s->strings[i].text, range);
                unsigned class = s->strings[i].class;

                if (!is_url(url.text) || !names_host(url.text))
                        continue;
                evaluates |= (class & WORD_FETCHES || !class) && s->named & WORD_FETCHES && s->classes & WORD_EVALUATES &&
                             !(taken & WORD_EVALUATES);
                if (class & WORD_EVALUATES || (class & WORD_FETCHES && class & runs) || evaluates)
                        guard_effect(g, FX_CODE, CODE_NETWORK, url.text, range);
                if (class & WORD_FETCHES || !(taken & WORD_FETCHES))
                        judge_host(call, &url);
        }
}

static void environment_shown(struct call *call, const struct scanned *s, struct range range) {
        bool expression =
                str_find(s->code, '(') == s->code.len && str_find(s->code, '=') == s->code.len; /* node -p process.env */
        bool shown = s->loops_environment && s->named & WORD_PRINTS;

        shown |= expression && s->dumps_environment;
        shown |= s->names_secret && (expression || s->named & WORD_PRINTS);
        for (size_t i = 0; i < s->count; i++) {
                unsigned class = s->strings[i].class;

                if (str_eq(s->strings[i].text, CODE_ENVIRONMENT))
                        shown |= class & (WORD_PRINTS | WORD_FETCHES | WORD_CONNECTS) ||
                                 (class & WORD_LOOPS && s->named & WORD_PRINTS);
        }
        if (shown)
                guard_effect(call->guard, FX_ENVIRON, 0, STR("the environment"), range);
}

void judge_code_text(struct call *call, const struct program *program, struct str code, struct range range) {
        struct guard *g = call->guard;
        struct scanned s;

        if (++g->depth > GUARD_MAX_DEPTH) {
                guard_effect(g, FX_TEXT, TEXT_LONG, STR("commands nested more than 8 levels deep"), g->range);
                g->depth--;
                return;
        }
        guard_effect(g, FX_CODE, CODE_OPAQUE, call->name, range);
        if (guard_spend(g, GUARD_STEPS_SCRIPT + code.len / 2) &&
            code_scan(g, code, program ? language_of(str_z(program->name)) : 0, &s)) {
                if (s.named & WORD_FORKS && code_repeats(code))
                        guard_effect(g, FX_EXHAUST, 0, call->name, range);
                environment_shown(call, &s, range);
                network_strings(call, &s, range);
                if (s.classes & WORD_EXECUTES)
                        run_strings(call, &s, range);
                path_strings(call, &s, range);
                for (size_t i = 0; i < s.count; i++)
                        if (s.strings[i].class & WORD_EVALUATES && str_find(s.strings[i].text, '(') < s.strings[i].text.len)
                                judge_code_text(call, program, s.strings[i].text, range);
        }
        g->depth--;
}

static void code_value(struct call *call, const struct arg *code) {
        if (guard_value_network(call->guard, &code->value))
                guard_effect(call->guard, FX_CODE, CODE_NETWORK, STR("the network"), code->range);
        else
                judge_code_text(call, call->program, code->text, code->range);
}

static bool takes_script(const struct call *call) {
        return str_ends(call->name, STR("awk")) || str_is(call->name, "jq");
}

/* jq -n env, $ENV: the whole environment. */
static void jq_filter(struct call *call, const struct arg *filter) {
        struct str text = filter->text;

        for (size_t i = 0; i + 3 <= text.len; i++) {
                bool starts = i == 0 || !is_word((unsigned char)text.ptr[i - 1]);
                struct str after = str_skip(text, i + 3);

                if ((memcmp(text.ptr + i, "env", 3) == 0 || memcmp(text.ptr + i, "ENV", 3) == 0) && starts &&
                    !(i && text.ptr[i - 1] == '.') &&
                    !(after.len && (is_word((unsigned char)after.ptr[0]) || after.ptr[0] == '.' || after.ptr[0] == '['))) {
                        guard_effect(call->guard, FX_ENVIRON, 0, STR("the environment"), filter->range);
                        return;
                }
        }
}

/* python -m pytest is pytest. */
static void python_module(struct call *call, const struct option *option) {
        struct need_mark mark = need_begin(call->guard);
        struct call inner = *call;
        size_t index = 1;

        while (index < call->count && call->args[index].text.ptr != option->value.text.ptr)
                index++;
        inner.program = option->has_value ? program_find(option->value.text) : NULL;
        if (!inner.program || index >= call->count) {
                judge_operands(call, index + 1);
                for (size_t i = index + 1; i < call->count; i++) /* -m timeit CODE */
                        if (str_find(call->args[i].text, '(') < call->args[i].text.len)
                                judge_code_text(call, call->program, call->args[i].text, call->args[i].range);
                return;
        }
        inner.args += index;
        inner.count -= index;
        inner.name = option->value.text;
        if (inner.program->judge)
                inner.program->judge(&inner);
        else
                judge_generic(&inner);
        need_end(&inner, inner.program, mark);
}

void judge_code(struct call *call) {
        struct option option;
        size_t operands = 0;
        bool has_code = false, in_place = false, reads = call->program->traits & TRAIT_READS;

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION) {
                        in_place |= str_is(option.name, "i") && (str_is(call->name, "perl") || str_is(call->name, "ruby"));
                        has_code |= option.meaning == MEANS_CODE || option.meaning == MEANS_SCRIPT_FILE ||
                                    option.meaning == MEANS_SCRIPT || option.meaning == MEANS_MODULE;
                        if (option.meaning == MEANS_CODE && option.has_value)
                                code_value(call, &option.value);
                        else if (option.meaning == MEANS_SCRIPT_FILE && option.has_value &&
                                 !guard_run_file(call, &option.value, call->program))
                                guard_opaque(call->guard, option.value.text, option.value.range);
                        else if (option.meaning == MEANS_RUNS)
                                guard_effect(call->guard, FX_CODE, CODE_OPTION, option.name, call->args[0].range);
                        if (option.meaning == MEANS_MODULE) { /* python -m: a module that is installed */
                                python_module(call, &option);
                                return;
                        }
                        continue;
                }
                if (operands++ == 0 && !has_code) {
                        has_code = !(word_kind(option.value.text) & WORD_IS_LAUNCHING); /* bun run FILE */
                        operands -= !has_code;
                        if (!has_code)
                                continue;
                        if (str_is(call->name, "jq"))
                                jq_filter(call, &option.value);
                        else if (takes_script(call))
                                code_value(call, &option.value);
                        else if (arg_is(&option.value, "-"))
                                judge_from_input(call);
                        else
                                judge_script(call, &option.value);
                        continue;
                }
                if (reads || in_place)
                        guard_path(call->guard, in_place ? FX_WRITE : FX_READ, 0, &option.value);
        }
        if (!has_code && call->program->traits & TRAIT_FROM_INPUT)
                judge_from_input(call);
}

/* ---- programs whose own commands can run a shell ---- */

static void destroying_text(struct call *call, const struct arg *text);

/* What stands behind a marker, up to the end of the line. */
static void escape_at(struct call *call, const struct escape *escape, struct str code, struct range range) {
        const struct program *program;
        struct arg path;

        code = str_trim(str_take(code, str_find(code, '\n')));
        if (escape->kind == ESCAPE_READS) {
                path = arg_text(call->guard, code, range);
                guard_path(call->guard, FX_READ, 0, &path);
                return;
        }
        if (escape->kind == ESCAPE_QUOTED && code.len) {
                code = str_skip(code, strchr("`\"'", code.ptr[0]) ? 1 : 0);
                while (code.len && strchr(")'\"` ", code.ptr[code.len - 1]))
                        code.len--;
        }
        guard_effect(call->guard, FX_CODE, CODE_OPTION, call->name, range);
        guard_shell_text(call, code, range);
        program = program_find(arg_basename(code));
        if (program && program->act == ACT_SHELL) /* :w !sh */
                judge_from_input(call);
}

void judge_escape_text(struct call *call, const struct arg *text) {
        destroying_text(call, text);
        judge_text_files(call, text);
        judge_code_text(call, call->program, text->text, text->range);
        for (size_t i = 0; i < escape_count; i++) {
                struct str marker = str_z(escapes[i].marker), rest = text->text;

                if (!str_is(call->name, escapes[i].program) ||
                    (escapes[i].kind == ESCAPE_READS &&
                     !str_starts(str_skip(text->text, str_starts(text->text, STR(":"))), marker)))
                        continue;
                for (const char *at; rest.len && (at = memmem(rest.ptr, rest.len, marker.ptr, marker.len));) {
                        rest = str_skip(rest, (size_t)(at - rest.ptr) + marker.len);
                        escape_at(call, &escapes[i], rest, text->range);
                        rest = str_skip(rest, str_find(rest, '\n'));
                }
        }
}

/* Statements that throw data away. */
static void destroying_text(struct call *call, const struct arg *text) {
        static const char *const mongo[] = { "dropDatabase(", ".drop(", ".deleteMany({", ".remove({", ".dropIndex" };
        bool destroys = name_is_database(call->name) && sql_destroys(text->text);

        for (size_t i = 0; str_starts(call->name, STR("mongo")) && i < sizeof(mongo) / sizeof(*mongo); i++)
                destroys |= text->text.len && memmem(text->text.ptr, text->text.len, mongo[i], strlen(mongo[i]));
        if (destroys)
                guard_effect(call->guard, FX_HISTORY, 0, text->text, text->range);
}

/* ftp and its kin run a shell for a line that begins with !. */
void judge_ftp(struct call *call) {
        judge_connect(call);
        if (call->input) {
                struct arg text = guard_arg(call->guard, *call->input, call->args[0].range);

                judge_escape_text(call, &text);
        }
}

void judge_escapes(struct call *call) {
        struct option option;

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_CODE && option.has_value)
                        judge_escape_text(call, &option.value);
                else if (option.scan == SCAN_OPTION && option.meaning == MEANS_SCRIPT_FILE && option.has_value &&
                         guard_run_file(call, &option.value, call->program))
                        continue;
                else if (option.scan == SCAN_OPTION)
                        judge_option(call, &option);
                else if (option.scan == SCAN_OPERAND && (str_starts(option.value.text, STR("+")) ||
                                                         str_is(call->name, "sqlite3") || str_is(call->name, "duckdb")))
                        judge_escape_text(call, &option.value);
                if (option.scan == SCAN_OPERAND && call->program->traits & TRAIT_READS &&
                    (str_find(option.value.text, ' ') == option.value.text.len || strchr("~/", option.value.text.ptr[0])))
                        guard_path(call->guard, FX_READ, 0, &option.value);
        }
        if (call->input) {
                struct arg text = guard_arg(call->guard, *call->input, call->args[0].range);

                judge_escape_text(call, &text);
        }
}
