/*
 * Code in other languages, given on the command line or through a pipe. It is not parsed, only scanned: which functions
 * are named in it, and what its strings say. That finds what is written plainly; the sandbox holds what is not.
 */
#include "guard/options.h"
#include "guard/paths.h"
#include "guard/tables/interpreters.h"
#include "guard/tables/names.h"
#include "policy/env.h"

/* ---- scanning ---- */

enum { STRINGS_MAX = 64, PARENS_MAX = 32 };

/* A string, and the classes of the functions whose parentheses it stands in. */
struct code_string {
        struct str text;
        unsigned class;
};

struct scanned {
        struct str code;
        bool commands; /* a language that calls programs by functions of its own, without parentheses, or by backticks */
        bool awk;
        unsigned classes; /* of all that is called */
        unsigned named;   /* of all that is mentioned */
        struct code_string strings[STRINGS_MAX];
        size_t count;
        unsigned parens[PARENS_MAX]; /* classes, those further out included */
        size_t depth;
        unsigned statement; /* classes of functions called without parentheses, up to its end */
        unsigned last;      /* class of the word just read, while only blanks follow it */
        bool dumps_environment, names_secret;
};

static bool is_word(unsigned char c) {
        return c == '_' || is_ascii_alnum(c);
}

static unsigned around(const struct scanned *s) {
        return s->statement | (s->depth ? s->parens[(s->depth < PARENS_MAX ? s->depth : PARENS_MAX) - 1] : 0);
}

static void open_paren(struct scanned *s) {
        unsigned class = around(s) | s->last;

        s->classes |= s->last;
        if (s->depth < PARENS_MAX)
                s->parens[s->depth] = class;
        s->depth++;
}

static void keep_string(struct scanned *s, struct str text, unsigned class) {
        s->classes |= s->last | s->statement | class;
        if (s->count < STRINGS_MAX && text.len)
                s->strings[s->count++] = (struct code_string){ text, class | around(s) | s->last };
}

static bool before_is(const struct scanned *s, size_t at, const char *text) {
        size_t len = strlen(text);

        while (at > 0 && s->code.ptr[at - 1] == ' ')
                at--;
        return at >= len && memcmp(s->code.ptr + at - len, text, len) == 0;
}

/* The whole environment, and not one variable of it, a copy for another program, or a question whether one is there. */
static bool whole_environment(const struct scanned *s, size_t start, size_t end) {
        static const char *const single[] = { ".copy", ".fetch", ".get", ".pop", ".setdefault", ".update", "|=", ",", "=" };
        struct str after = str_skip(s->code, end);

        while (after.len && after.ptr[0] == ' ')
                after = str_skip(after, 1);
        if (after.len && (after.ptr[0] == '[' || after.ptr[0] == '{'))
                return false;
        if (after.len > 1 && after.ptr[0] == '(')
                return after.ptr[1] == ')'; /* getenv() */
        for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
                if (str_starts(after, str_z(single[i])))
                        return false;
        if (after.len > 1 && after.ptr[0] == '.' && after.ptr[1] <= 'Z' && is_ascii_alpha((unsigned char)after.ptr[1]))
                return false;
        while (start > 0 && (is_word((unsigned char)s->code.ptr[start - 1]) || strchr(".%$", s->code.ptr[start - 1])) &&
               !before_is(s, start, "..."))
                start--;
        if (before_is(s, start, "**") || before_is(s, start, "...") || before_is(s, start, "import") ||
            before_is(s, start, "=") || before_is(s, start, "not in"))
                return false;
        if (!before_is(s, start, " in"))
                return true;
        return s->code.len && memmem(s->code.ptr, start, "for", 3); /* for k in os.environ */
}

static size_t scan_string(struct scanned *s, size_t start) {
        struct str code = s->code;
        char quote = code.ptr[start];
        size_t i = start + 1, end;
        bool triple = i + 1 < code.len && code.ptr[i] == quote && code.ptr[i + 1] == quote;

        i += triple ? 2 : 0;
        for (end = i; end < code.len; end++) {
                if (code.ptr[end] == '\\' && end + 1 < code.len) {
                        end++;
                        continue;
                }
                if (code.ptr[end] == quote &&
                    (!triple || (end + 2 < code.len && code.ptr[end + 1] == quote && code.ptr[end + 2] == quote)))
                        break;
        }
        if (end > code.len)
                end = code.len;
        keep_string(s, str_from(code.ptr + i, end - i), quote == '`' && s->commands ? WORD_EXECUTES : 0);
        return end + (triple ? 3 : 1);
}

/* perl's q(...), qq{...}, qx/.../: strings by another name. */
static size_t scan_perl_quote(struct scanned *s, struct str word, size_t start) {
        static const char pairs[] = "()[]{}<>";
        const char *pair = strchr(pairs, s->code.ptr[start]);
        char close = pair ? pair[1] : s->code.ptr[start];
        size_t end = start + 1 + str_find(str_skip(s->code, start + 1), close);

        keep_string(s, str_from(s->code.ptr + start + 1, end - start - 1), str_is(word, "qx") ? WORD_EXECUTES : 0);
        return end + 1;
}

/* ["X"], .X, {X}, .get('X'): the variable that is asked for. */
static bool names_secret(struct str after) {
        size_t start = 0, end;

        while (start < after.len && start < 12 && strchr("[]{}()'\". ", after.ptr[start]))
                start++;
        if (str_starts(str_skip(after, start), STR("get")) && start + 3 < after.len &&
            !is_word((unsigned char)after.ptr[start + 3]))
                return names_secret(str_skip(after, start + 3));
        for (end = start; end < after.len && is_word((unsigned char)after.ptr[end]); end++)
                ;
        return env_is_secret(str_take(str_skip(after, start), end - start));
}

static size_t scan_word(struct scanned *s, size_t start) {
        struct str code = s->code, word;
        size_t end = start;
        unsigned class;

        while (end < code.len && is_word((unsigned char)code.ptr[end]))
                end++;
        word = str_from(code.ptr + start, end - start);
        class = word_class(word);
        if (str_is(word, "env") &&
            (before_is(s, start, "process.") || before_is(s, start, "Deno.") || before_is(s, start, "Bun.")))
                class |= WORD_ENVIRON;
        if (str_is(word, "write") && (before_is(s, start, "File.") || before_is(s, start, "IO.")))
                class |= WORD_WRITES;
        if (class & WORD_ENVIRON) {
                s->dumps_environment |= whole_environment(s, start, end);
                s->names_secret |= names_secret(str_skip(code, end));
        }
        s->named |= class;
        s->last = class;
        if (s->commands)
                s->statement |= class & (WORD_EXECUTES | WORD_EVERYDAY | WORD_DELETES | WORD_READS);
        if ((str_is(word, "q") || str_is(word, "qq") || str_is(word, "qx") || str_is(word, "qw")) && end < code.len) {
                while (end + 1 < code.len && code.ptr[end] == ' ')
                        end++;
                if (strchr("([{</|!", code.ptr[end])) {
                        s->last = 0;
                        end = scan_perl_quote(s, word, end);
                }
        }
        return end;
}

/* awk's "cmd" | getline and print | "cmd". */
static void awk_bar(struct scanned *s, size_t i) {
        if (!s->awk || (i + 1 < s->code.len && s->code.ptr[i + 1] == '|') || (i > 0 && s->code.ptr[i - 1] == '|'))
                return;
        if (s->count)
                s->strings[s->count - 1].class |= WORD_EXECUTES;
        s->classes |= WORD_EXECUTES;
        s->last = WORD_EXECUTES;
}

static void scan_code(struct scanned *s) {
        for (size_t i = 0; i < s->code.len;) {
                unsigned char c = (unsigned char)s->code.ptr[i];

                if (c == '"' || c == '\'' || c == '`') {
                        i = scan_string(s, i);
                        s->last = 0;
                        continue;
                }
                if (is_word(c)) {
                        i = scan_word(s, i);
                        continue;
                }
                if (c == '(' || c == '[' || c == '{')
                        open_paren(s);
                else if ((c == ')' || c == ']' || c == '}') && s->depth)
                        s->depth--;
                if (c != ' ')
                        s->last = 0;
                if (c == ';' || c == '\n')
                        s->statement = 0;
                if (c == '|')
                        awk_bar(s, i);
                if (c == '>' && s->awk)
                        s->last = WORD_WRITES;
                if (c == '<' && s->awk)
                        s->last = WORD_READS;
                i++;
        }
        if (s->commands) /* in these, exec and its like are functions of the language */
                s->named |= WORD_LAUNCHER;
        if (s->named & WORD_LAUNCHER && s->classes & WORD_EVERYDAY)
                s->classes |= WORD_EXECUTES;
        for (size_t i = 0; s->named & WORD_LAUNCHER && i < s->count; i++)
                if (s->strings[i].class & WORD_EVERYDAY)
                        s->strings[i].class |= WORD_EXECUTES;
}

/* ---- what follows ---- */

/* What the functions that execute are given. ["rm", "-rf", "/"] is a command too. When they are given no string at all, it is
 * in a variable, and then any string that looks like a command may be it. */
static void run_strings(struct call *call, const struct scanned *s, struct range range) {
        struct guard *g = call->guard;
        struct arg words[STRINGS_MAX];
        size_t count = 0;
        bool known;

        for (size_t i = 0; i < s->count; i++) {
                if (!(s->strings[i].class & WORD_EXECUTES))
                        continue;
                words[count++] = arg_text(g, s->strings[i].text, range);
                guard_shell_text(call, s->strings[i].text, range);
        }
        if (count > 1 && program_find(arg_basename(words[0].text)))
                guard_shell_text(call, guard_join(g, words, count, &known), range);
        for (size_t i = 0; !count && i < s->count; i++)
                if (str_find(s->strings[i].text, ' ') < s->strings[i].text.len)
                        guard_shell_text(call, s->strings[i].text, range);
}

/* open(path, 'w'), but not open(path); file_put_contents(path) anyway. */
static bool opens_to_write(const struct scanned *s, size_t i) {
        static const unsigned both = WORD_READS | WORD_WRITES;

        if ((s->strings[i].class & both) == WORD_READS) /* Path(x).write_text(y) */
                return s->named & WORD_WRITES && memmem(s->code.ptr, s->code.len, "write_", 6);
        struct str mode = i + 1 < s->count && s->strings[i + 1].class & WORD_WRITES ? s->strings[i + 1].text : STR("");

        if (!(s->strings[i].class & WORD_READS))
                return true;
        return mode.len && mode.len < 4 && strchr("wax>+", mode.ptr[0]);
}

static void path_strings(struct call *call, const struct scanned *s, struct range range) {
        for (size_t i = 0; i < s->count; i++) {
                struct arg path = arg_text(call->guard, s->strings[i].text, range);
                unsigned class = s->strings[i].class;
                uint32_t flags;

                if (str_find(path.text, '\n') < path.text.len || path.text.len > 200)
                        continue;
                flags = path_flags(call->guard, &path, path_resolve(call->guard, path.text));
                if (class & (WORD_WRITES | WORD_READS) && opens_to_write(s, i) &&
                    flags & (PATH_SYSTEM | PATH_STARTUP | PATH_DEVICE))
                        guard_path(call->guard, FX_WRITE, 0, &path);
                if (class & WORD_DELETES && flags & (PATH_CRITICAL | PATH_SYSTEM))
                        guard_path(call->guard, FX_DELETE, HOW_RECURSIVE, &path);
                if (class & WORD_READS && flags & (PATH_CREDENTIAL | PATH_DOTENV | PATH_ENVIRON))
                        guard_path(call->guard, FX_READ, 0, &path);
                if (class & WORD_WRITES && flags & (PATH_STARTUP | PATH_DEVICE))
                        guard_path(call->guard, FX_WRITE, 0, &path);
        }
}

static bool has_string(const struct scanned *s, const char *text) {
        for (size_t i = 0; i < s->count; i++)
                if (memmem(s->strings[i].text.ptr, s->strings[i].text.len, text, strlen(text)))
                        return true;
        return false;
}

void judge_code_text(struct call *call, const struct program *program, struct str code, struct range range) {
        struct guard *g = call->guard;
        struct scanned s = { .code = code, .commands = program && name_calls_programs(str_z(program->name)) };

        s.awk = program && str_ends(str_z(program->name), STR("awk"));
        if (++g->depth > GUARD_MAX_DEPTH) {
                guard_effect(g, FX_TEXT, TEXT_LONG, STR("commands nested more than 8 levels deep"), g->range);
                g->depth--;
                return;
        }
        guard_effect(g, FX_CODE, CODE_OPAQUE, call->name, range);
        scan_code(&s);
        if (((s.dumps_environment || s.names_secret) && str_find(code, '(') == code.len &&
             str_find(code, '=') == code.len) || /* node -p process.env */
            ((s.dumps_environment || s.names_secret) && s.named & WORD_PRINTS))
                guard_effect(g, FX_ENVIRON, 0, STR("the environment"), range);
        if ((s.named & WORD_CONNECTS && s.named & (WORD_SHELL | WORD_EXECUTES | WORD_LAUNCHER | WORD_EVERYDAY)) ||
            has_string(&s, "/inet/tcp") || has_string(&s, "/inet/udp"))
                guard_effect(g, FX_LISTEN, 0, STR("another host"), range);
        if (s.named & WORD_FETCHES && (s.classes & WORD_EXECUTES || s.named & WORD_EVALUATES) &&
            (has_string(&s, "http://") || has_string(&s, "https://")))
                guard_effect(g, FX_CODE, CODE_NETWORK, STR("the network"), range);
        for (size_t i = 0; s.named & WORD_FETCHES && i < s.count; i++) {
                struct arg url = arg_text(g, s.strings[i].text, range);

                if (str_starts(url.text, STR("http://")) || str_starts(url.text, STR("https://")))
                        judge_host(call, &url);
        }
        if (s.classes & WORD_EXECUTES)
                run_strings(call, &s, range);
        path_strings(call, &s, range);
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
                    !(after.len && (is_word((unsigned char)after.ptr[0]) || after.ptr[0] == '.' || after.ptr[0] == '[')))
                        guard_effect(call->guard, FX_ENVIRON, 0, STR("the environment"), filter->range);
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
        struct options options;
        struct option option;
        size_t operands = 0;
        bool has_code = false, in_place = false, reads = call->program->traits & TRAIT_READS;
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) != SCAN_END) {
                if (scan == SCAN_OPTION) {
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
                        has_code = true;
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

static void escape_text(struct call *call, const struct arg *text) {
        destroying_text(call, text);
        for (size_t i = 0; i < escape_count; i++) {
                const char *at = text->text.len
                                         ? memmem(text->text.ptr, text->text.len, escapes[i].marker, strlen(escapes[i].marker))
                                         : NULL;
                struct str code;

                if (!str_is(call->name, escapes[i].program) || !at)
                        continue;
                code = str_skip(text->text, (size_t)(at - text->text.ptr) + strlen(escapes[i].marker));
                code = str_take(code, str_find(code, '\n'));
                if (escapes[i].quoted && code.len) {
                        code = str_skip(code, strchr("`\"'", code.ptr[0]) ? 1 : 0);
                        while (code.len && strchr(")'\"` ", code.ptr[code.len - 1]))
                                code.len--;
                }
                guard_effect(call->guard, FX_CODE, CODE_OPTION, call->name, text->range);
                guard_shell_text(call, code, text->range);
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

                escape_text(call, &text);
        }
}

void judge_escapes(struct call *call) {
        struct options options;
        struct option option;
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) != SCAN_END) {
                if (scan == SCAN_OPTION && option.meaning == MEANS_CODE && option.has_value)
                        escape_text(call, &option.value);
                else if (scan == SCAN_OPTION)
                        judge_option(call, &option);
                else if (scan == SCAN_OPERAND && (str_starts(option.value.text, STR("+")) || str_is(call->name, "sqlite3") ||
                                                  str_is(call->name, "duckdb")))
                        escape_text(call, &option.value);
                if (scan == SCAN_OPERAND && call->program->traits & TRAIT_READS &&
                    str_find(option.value.text, ' ') == option.value.text.len)
                        guard_path(call->guard, FX_READ, 0, &option.value);
        }
        if (call->input) {
                struct arg text = guard_arg(call->guard, *call->input, call->args[0].range);

                escape_text(call, &text);
        }
}
