#include "guard/code.h"

#include "policy/env.h"

enum {
        CODE_TEXT_MAX = 4096, /* bytes of a string that is put together */
        EXECUTING = WORD_EXECUTES | WORD_EVERYDAY,
        CALLABLE = EXECUTING | WORD_DELETES | WORD_EVALUATES | WORD_FETCHES,
        TAKES = EXECUTING | WORD_DELETES | WORD_READS | WORD_WRITES, /* what a string makes a difference to */
};

/* Unlike strchr() alone, never of a NUL, which ends no text here. */
static const char *pair_of(const char *pairs, char c) {
        return c ? strchr(pairs, c) : NULL;
}

static bool is_any(const char *of, char c) {
        return pair_of(of, c) != NULL;
}

static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char byte_at(struct str code, size_t at) {
        return at < code.len ? code.ptr[at] : '\0';
}

/* Where the blanks in front of `at` begin. */
static size_t before_blanks(const struct scanned *s, size_t at) {
        while (at > 0 && is_blank(s->code.ptr[at - 1]))
                at--;
        return at;
}

static bool before_is(const struct scanned *s, size_t at, const char *text) {
        size_t len = strlen(text);

        at = before_blanks(s, at);
        return at >= len && memcmp(s->code.ptr + at - len, text, len) == 0;
}

static struct code_level *level(struct scanned *s) {
        return &s->levels[s->depth];
}

static unsigned around(struct scanned *s) {
        return s->statement | level(s)->class;
}

static unsigned group(struct scanned *s) {
        return s->last_group ? s->last_group : level(s)->group ? level(s)->group : s->statement_group;
}

/* ---- what a string says ---- */

static struct str joined(struct scanned *s, struct str a, struct str middle, struct str b) {
        size_t len = a.len + middle.len + b.len;
        char *text = len > CODE_TEXT_MAX || !guard_spend(s->g, len / 16) ? NULL : guard_bytes(s->g, len + 1);

        if (!text)
                return b;
        memcpy(text, a.ptr, a.len);
        memcpy(text + a.len, middle.ptr, middle.len);
        memcpy(text + a.len + middle.len, b.ptr, b.len);
        return str_from(text, len);
}

static const struct code_name *name_find(const struct scanned *s, struct str name) {
        for (size_t i = s->name_count; i > 0; i--)
                if (str_eq(s->names[(i - 1) % NAMES_MAX].name, name))
                        return &s->names[(i - 1) % NAMES_MAX];
        return NULL;
}

static bool names_home(struct str text) {
        for (size_t i = 0; i + 4 <= text.len; i++)
                if (str_eq_nocase(str_take(str_skip(text, i), 4), STR("home")))
                        return true;
        return false;
}

/* $HOME, ${x}, #{x}, {x}, $ENV{x}, $env(x) inside a string: how long it is; its name stands in `ret`. */
static size_t interpolation(struct str text, struct str *ret) {
        static const char pairs[] = "(){}";
        size_t at = text.ptr[0] == '$' || text.ptr[0] == '#' || text.ptr[0] == '\\', end = at, start;
        const char *pair;

        while (text.ptr[0] == '$' && end < text.len && is_word((unsigned char)text.ptr[end]))
                end++;
        pair = end < text.len && (end > at || text.ptr[end] == '{' || text.ptr[0] == '\\') ? pair_of(pairs, text.ptr[end])
                                                                                           : NULL;
        *ret = str_from(text.ptr + at, end - at);
        if (!pair || *pair == ')' || *pair == '}' ||
            (text.ptr[0] == '$' && end > at && *pair == '(' && !names_home(*ret) && !str_is(*ret, "env")))
                return end > at ? end : 0;
        start = end + 1;
        end = start + str_find(str_skip(text, start), pair[1]);
        if (end >= text.len || end - start > 64)
                return 0;
        *ret = str_from(text.ptr + start, end - start);
        return end + 1;
}

/* With what is known of the variables in it put in their place. */
static struct str filled_in(struct scanned *s, struct str text) {
        struct str out = STR(""), name;
        size_t done = 0, len;

        if (text.len > CODE_TEXT_MAX || s->language & LANG_PLAIN)
                return text;
        for (size_t i = 0; i < text.len; i += len ? len : 1) {
                const struct code_name *known;

                len = is_any("$#{\\", text.ptr[i]) ? interpolation(str_skip(text, i), &name) : 0;
                if (!len)
                        continue;
                known = name_find(s, str_trim(name));
                if (known && known->count != 1)
                        known = NULL;
                if (!known && !names_home(name))
                        continue;
                out = joined(s, joined(s, out, STR(""), str_from(text.ptr + done, i - done)), STR(""),
                             known ? s->strings[known->first].text : STR("~"));
                done = i + len;
        }
        return done ? joined(s, out, STR(""), str_skip(text, done)) : text;
}

static struct str decoded(struct scanned *s, struct str text) {
        char *out = guard_bytes(s->g, text.len + 1);
        size_t len = out ? hex_decode(text, out) : 0;

        len = len || !out ? len : base64_decode(text, out);
        return len > 2 ? str_from(out, len) : text;
}

/* ---- strings ---- */

/* The operator in front puts the string behind the one before: "a" + "b", "a" . "b", home / "b", join(home, "b"). */
static bool continues(struct scanned *s, size_t start, struct str *ret_between) {
        size_t at = start;
        bool bare; /* a word, where a dot in front makes it a method */
        char c;

        *ret_between = STR("");
        if (!level(s)->open)
                return false;
        while (at > 0 && is_ascii_alpha((unsigned char)s->code.ptr[at - 1]) && start - at < 2)
                at--; /* f"", rb'' */
        while (at > 0 && is_any("$@&", s->code.ptr[at - 1]))
                at--;
        bare = at == start && is_word((unsigned char)s->code.ptr[start]);
        at = before_blanks(s, at);
        c = at ? s->code.ptr[at - 1] : '\0';
        if (c == '+' || (c == '.' && (!bare || before_is(s, at, ".."))) || c == '~' || (c == '>' && before_is(s, at, "<>")))
                return true;
        if ((c == '/' && !before_is(s, at, "//")) || ((c == ',' || s->language & LANG_LISP) && level(s)->class & WORD_JOINS)) {
                *ret_between = STR("/");
                return true;
        }
        return s->language & LANG_ADJACENT && c &&
               (is_any("\"'])", c) || (s->language & LANG_AWK && is_word((unsigned char)c)));
}

/* Where os.path.expanduser begins, which ends at `at`. */
static size_t name_start(const struct scanned *s, size_t at) {
        while (at > 0 && (is_word((unsigned char)s->code.ptr[at - 1]) ||
                          (is_any(".:$", s->code.ptr[at - 1]) && at > 1 && is_word((unsigned char)s->code.ptr[at - 2]))))
                at--;
        return at;
}

static void append(struct scanned *s, struct code_string *string, struct str between, struct str text) {
        if (level(s)->gap)
                between = between.len ? STR("/\1/") : STR("\1");
        else if (between.len && (str_ends(string->text, STR("/")) || str_starts(text, STR("/"))))
                between = STR("");
        string->text = joined(s, string->text, between, text);
        level(s)->gap = false;
}

static void keep_string(struct scanned *s, struct str text, unsigned class, size_t start) {
        struct str between;
        struct code_string *string;

        class |= around(s) | s->last;
        s->classes |= class;
        s->named |= word_class(text, s->language) & (WORD_LAUNCHER | WORD_MODULE_CONNECTS |
                                                     (str_is(s->last_word, "require") ? WORD_FETCHES | WORD_CONNECTS : 0));
        s->setting.class |= word_class(text, s->language) & WORD_FETCHES;
        if (class & WORD_DECODES)
                text = decoded(s, text);
        if (continues(s, start, &between)) {
                string = &s->strings[level(s)->open - 1];
                append(s, string, between, text);
                string->class |= class;
        } else if (s->count < STRINGS_MAX) {
                s->strings[s->count++] = (struct code_string){ text, class, class & EXECUTING ? group(s) : 0 };
                level(s)->open = s->count;
        }
        level(s)->gap = false;
        s->last = 0;
}

/* Called on what stands before the dot: "rm -rf /".execute(), Path("~").unlink(). */
static void take_chain(struct scanned *s, unsigned class) {
        if (!s->groups || class & EXECUTING)
                s->groups++;
        for (size_t i = level(s)->chain; i < s->count; i++) {
                s->strings[i].class |= class;
                if (class & EXECUTING)
                        s->strings[i].group = s->groups;
        }
        s->classes |= class;
}

static bool spans_lines(const struct scanned *s, char quote) {
        return quote == '`' || s->language & (LANG_STATEMENTS | LANG_LISP | LANG_PLAIN);
}

static size_t scan_string(struct scanned *s, size_t start) {
        struct str code = s->code;
        char quote = code.ptr[start];
        size_t i = start + 1, end;
        bool triple = byte_at(code, i) == quote && byte_at(code, i + 1) == quote;
        unsigned class = quote == '`' && (s->language & LANG_BACKQUOTES || before_is(s, start, "$")) ? WORD_EXECUTES : 0;

        i += triple ? 2 : 0;
        for (end = i; end < code.len; end++) {
                if (code.ptr[end] == '\\' && end + 1 < code.len) {
                        end++;
                        continue;
                }
                if (code.ptr[end] == '\n' && !triple && !spans_lines(s, quote))
                        return start + 1; /* an apostrophe */
                if (code.ptr[end] == quote && (!triple || (byte_at(code, end + 1) == quote && byte_at(code, end + 2) == quote)))
                        break;
        }
        if (end > code.len)
                end = code.len;
        s->last_group = class ? ++s->groups : s->last_group;
        if (str_is(str_from(code.ptr + i, end - i), "HOME") || str_is(str_from(code.ptr + i, end - i), "user.home"))
                keep_string(s, STR("~"), 0, start);
        else if (end > i || level(s)->open)
                keep_string(s, filled_in(s, str_from(code.ptr + i, end - i)), class, start);
        s->last_group = 0;
        return end + (triple ? 3 : 1);
}

/* perl's q(...), qq{...}, qx/.../, ruby's %x(...), raku's <...>: strings by another name. */
static size_t scan_quoted(struct scanned *s, size_t start, unsigned class) {
        static const char pairs[] = "()[]{}<>";
        const char *pair = pair_of(pairs, s->code.ptr[start]);
        char close = pair ? pair[1] : s->code.ptr[start];
        size_t end = start + 1 + str_find(str_skip(s->code, start + 1), close);

        s->last_group = class ? ++s->groups : 0;
        keep_string(s, filled_in(s, str_from(s->code.ptr + start + 1, end - start - 1)), class, start);
        s->last_group = 0;
        return end + 1;
}

/* Where a command of Tcl or CMake, whose words are strings without quotes, ends. */
static size_t bare_end(const struct scanned *s, size_t at) {
        size_t parens = 0;

        for (; at < s->code.len && !is_any("]\n;", s->code.ptr[at]); at++) {
                if (s->code.ptr[at] == ')' && !parens)
                        break;
                parens += s->code.ptr[at] == '(';
                parens -= s->code.ptr[at] == ')';
                if (s->code.ptr[at] == '"')
                        at += 1 + str_find(str_skip(s->code, at + 1), '"');
        }
        return at < s->code.len ? at : s->code.len;
}

static size_t scan_bare(struct scanned *s, size_t at) {
        size_t end = bare_end(s, at);
        struct str text = str_trim(str_from(s->code.ptr + at, end - at));

        while (text.len && text.ptr[0] == '-') /* -ignorestderr */
                text = str_trim(str_skip(text, str_find(text, ' ')));
        s->last_group = ++s->groups;
        keep_string(s, filled_in(s, text), 0, at);
        s->last_group = 0;
        return end;
}

/* delete -force a b */
static void bare_words(struct scanned *s, size_t at, unsigned class) {
        struct str rest = str_trim(str_from(s->code.ptr + at, bare_end(s, at) - at));

        while (rest.len) {
                struct str word = str_take(rest, str_find(rest, ' '));

                rest = str_trim(str_skip(rest, word.len));
                if (word.len && !is_any("-[\"", word.ptr[0]))
                        keep_string(s, filled_in(s, word), class & TAKES, at);
                level(s)->open = 0;
        }
}

/* ---- words ---- */

/* The whole environment, and not one variable of it, a copy for another program, or a question whether one is there. */
static bool whole_environment(const struct scanned *s, size_t start, size_t end) {
        static const char *const single[] = { ".copy", ".fetch", ".get", ".pop", ".setdefault", ".update", "|=", ",", "=" };
        struct str after = str_skip(s->code, end);

        while (after.len && after.ptr[0] == ' ')
                after = str_skip(after, 1);
        if (after.len > 1 && (after.ptr[0] == '[' || after.ptr[0] == '{' ||
                              (after.ptr[0] == '<' && is_ascii_alpha((unsigned char)after.ptr[1]))))
                return false;
        if (after.len > 1 && after.ptr[0] == '(')
                return after.ptr[1] == ')'; /* getenv() */
        for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
                if (str_starts(after, str_z(single[i])))
                        return false;
        if (after.len > 1 && after.ptr[0] == '.' && after.ptr[1] <= 'Z' && is_ascii_alpha((unsigned char)after.ptr[1]))
                return false;
        while (start > 0 && (is_word((unsigned char)s->code.ptr[start - 1]) || is_any(".%$", s->code.ptr[start - 1])) &&
               !before_is(s, start, "..."))
                start--;
        if (before_is(s, start, "**") || before_is(s, start, "...") || before_is(s, start, "import") ||
            before_is(s, start, "=") || before_is(s, start, "not in") || before_is(s, start, "len("))
                return false;
        if (!before_is(s, start, " in"))
                return true;
        start = before_blanks(s, before_blanks(s, start) - 2);
        if (start && is_any("\"'", s->code.ptr[start - 1])) /* "X" in os.environ */
                return false;
        return s->code.len && memmem(s->code.ptr, start, "for", 3); /* for k in os.environ */
}

/* ["X"], .X, {X}, .get('X'): the variable that is asked for. */
static bool names_secret(struct str after) {
        size_t start = 0, end;

        while (start < after.len && start < 12 && is_any("[]{}()'\". ", after.ptr[start]))
                start++;
        if (str_starts(str_skip(after, start), STR("get")) && start + 3 < after.len &&
            !is_word((unsigned char)after.ptr[start + 3]))
                return names_secret(str_skip(after, start + 3));
        for (end = start; end < after.len && is_word((unsigned char)after.ptr[end]); end++)
                ;
        return env_is_secret(str_take(str_skip(after, start), end - start));
}

static void setting_ends(struct scanned *s) {
        if (!s->setting.name.len)
                return;
        s->setting.count = s->count - s->setting.first;
        s->setting.class = s->setting.count > 1 ? 0 : s->setting.class;
        s->names[s->name_count++ % NAMES_MAX] = s->setting;
        s->setting.name.len = 0;
}

/* x = os.system, {execSync: x}, import system as x: x is that function. */
static void name_function(struct scanned *s, struct str word, size_t start, unsigned class) {
        struct str between = s->last_end < start ? str_trim(str_from(s->code.ptr + s->last_end, start - s->last_end)) : STR("");
        unsigned before = s->last_class & CALLABLE;

        if (s->setting.name.len && class & CALLABLE)
                s->setting.class = class & CALLABLE;
        if (before && (str_is(between, ":") || str_is(between, "as")))
                s->names[s->name_count++ % NAMES_MAX] = (struct code_name){ .name = word, .class = before };
}

static void setting_starts(struct scanned *s, struct str name) {
        if (s->setting.name.len && s->setting_depth < s->depth)
                return; /* an argument by name inside of what is assigned */
        setting_ends(s);
        s->setting = (struct code_name){ .name = name, .first = s->count };
        s->setting_depth = s->depth;
}

/* x = ..., x := ..., x <- ...; for x in ...; set x ..., (setq x ...). */
static bool is_set(struct scanned *s, struct str word, size_t end) {
        struct str after = str_skip(s->code, end);

        while (after.len && (after.ptr[0] == ' ' || after.ptr[0] == '\t'))
                after = str_skip(after, 1);
        if (in_words("in of", word) && s->last_word.len) {
                setting_starts(s, s->last_word);
                return true;
        }
        if ((byte_at(after, 0) == '=' && (!byte_at(after, 1) || !is_any("=~>", byte_at(after, 1)))) ||
            str_starts(after, STR(":=")) || str_starts(after, STR("<- ")) ||
            (s->language & (LANG_LISP | LANG_BARE) && in_words("set setq define defvar let def", s->last_word))) {
                setting_starts(s, word);
                return true;
        }
        return false;
}

/* A variable that is known stands for its strings. */
static void use_name(struct scanned *s, const struct code_name *name, size_t start) {
        size_t first = name ? name->first : 0, count = name ? name->count : 0;

        for (size_t i = 0; i < count && i < 16 && first + i < s->count; i++)
                keep_string(s, s->strings[first + i].text, s->strings[first + i].class & WORD_FETCHES, start);
        if (!count && level(s)->open)
                level(s)->gap = true;
}

/* Between the word before and this one there is nothing but a dot or colons, and perhaps an empty call. */
static bool is_qualified(const struct scanned *s, size_t start) {
        if (!start || start == s->last_end || start - s->last_end > 4)
                return false;
        for (size_t i = s->last_end; i < start; i++)
                if (!is_any(".:>-!()", s->code.ptr[i]))
                        return false;
        return true;
}

/* Does the dot in front of it follow a string, a call, or a variable that is known? */
static bool is_method(const struct scanned *s, size_t start) {
        size_t at = before_blanks(s, start);

        if (!at || s->code.ptr[at - 1] != '.')
                return false;
        at = before_blanks(s, at - 1);
        return at && (is_any(")]}\"'", s->code.ptr[at - 1]) || (at == s->last_end && name_find(s, s->last_word)));
}

static unsigned class_of(struct scanned *s, struct str word, size_t start) {
        unsigned class = word_class(word, s->language);

        for (size_t i = word.len; !class && s->language & LANG_LISP && i > 0; i--) /* clojure.java.shell/sh */
                if (is_any("/.", word.ptr[i - 1]))
                        class = word_class(str_skip(word, i), s->language);
        if (str_is(word, "env") &&
            (before_is(s, start, "process.") || before_is(s, start, "Deno.") || before_is(s, start, "Bun.")))
                class |= WORD_ENVIRON;
        if (str_is(word, "exec") && s->language & LANG_ADJACENT)
                class |= WORD_EVALUATES;
        if (str_is(word, "file") && before_is(s, start, "Bun."))
                class |= WORD_READS;
        if (str_is(word, "write") && (before_is(s, start, "File.") || before_is(s, start, "IO.")))
                class |= WORD_WRITES;
        if (str_is(word, "home") && (before_is(s, start, "Path.") || before_is(s, start, "Dir.")))
                class |= WORD_HOME;
        if (is_qualified(s, start))
                class |= s->last_class & (EXECUTING | WORD_FETCHES | WORD_DECODES);
        return class;
}

/* What a word that calls something means for what follows it. */
static void call_starts(struct scanned *s, unsigned class, size_t start) {
        bool method = is_method(s, start);
        size_t chain = level(s)->chain;

        if (method && class & (TAKES | WORD_PRINTS))
                take_chain(s, class & (TAKES | WORD_PRINTS));
        if (s->language & LANG_STATEMENTS)
                s->classes |= class & WORD_EXECUTES; /* what it takes may be in a variable */
        s->last = class;
        s->last_group = class & EXECUTING ? ++s->groups : 0;
        if (method && class & WORD_ARGUMENTS && chain < s->count && s->strings[chain].class & EXECUTING) {
                s->last |= s->strings[chain].class; /* Command::new("rm").args(["-rf", "/"]) */
                s->last_group = s->strings[chain].group;
        }
        if (level(s)->head && s->language & LANG_LISP) {
                level(s)->class |= s->last;
                level(s)->group = s->last_group ? s->last_group : level(s)->group;
        } else if (s->language & (LANG_STATEMENTS | LANG_AWK) && class & (TAKES | WORD_PRINTS | WORD_EVALUATES)) {
                s->statement |= class & (TAKES | WORD_PRINTS | WORD_EVALUATES);
                s->statement_group = s->last_group;
        }
}

static size_t scan_word(struct scanned *s, size_t start) {
        struct str code = s->code, word;
        const struct code_name *known;
        size_t end = start;
        unsigned class;

        while (end < code.len && (is_word((unsigned char)code.ptr[end]) ||
                                  (s->language & LANG_LISP && is_any("-*!?/.>", code.ptr[end]) && end > start)))
                end++;
        word = str_from(code.ptr + start, end - start);
        known = name_find(s, word);
        class = known && (known->class || byte_at(code, end) != '(') ? known->class : class_of(s, word, start);
        name_function(s, word, start, class);
        if (class & ~(unsigned)(WORD_ENVIRON | WORD_HOME))
                level(s)->open = 0;
        if (class & WORD_ENVIRON)
                s->names_secret |= names_secret(str_skip(code, end));
        if (class & WORD_ENVIRON && whole_environment(s, start, end)) {
                s->dumps_environment = true;
                keep_string(s, CODE_ENVIRONMENT, 0, start);
        }
        if (class & WORD_LOOPS && level(s)->chain < s->count && str_eq(s->strings[s->count - 1].text, CODE_ENVIRONMENT))
                s->loops_environment = true;
        s->named |= class;
        if (in_words("or and if unless do then else end return", word)) {
                s->statement = s->statement_group = 0;
                level(s)->open = 0;
        }
        if (!is_set(s, word, end) && !class)
                use_name(s, known, start);
        if (class & WORD_HOME) {
                level(s)->gap = false; /* process.env. */
                keep_string(s, STR("~"), 0, name_start(s, start));
        }
        call_starts(s, class, start);
        level(s)->head = false;
        if (!str_is(word, "as")) {
                s->last_word = word;
                s->last_class = class;
                s->last_end = end;
        }
        if (s->language & LANG_BARE && class & EXECUTING)
                return scan_bare(s, end);
        if (s->language & LANG_BARE && class & TAKES)
                bare_words(s, end, class);
        if (in_words("q qq qx qw", word) && s->language & LANG_STATEMENTS && end < code.len) {
                while (end + 1 < code.len && code.ptr[end] == ' ')
                        end++;
                if (is_any("([{</|!", code.ptr[end]))
                        return scan_quoted(s, end, str_is(word, "qx") ? WORD_EXECUTES : 0);
        }
        return end;
}

/* ---- brackets, operators, comments ---- */

static void operand_ends(struct scanned *s) {
        level(s)->chain = s->count;
        level(s)->open = 0;
        level(s)->gap = false;
}

/* getattr(os, "system")(...), cp["exec"](...): the string before says what is called. */
static void call_by_string(struct scanned *s, size_t at) {
        if (at && s->code.ptr[at] == '(' && is_any(")]", s->code.ptr[at - 1]) && level(s)->open) {
                s->last = word_class(s->strings[level(s)->open - 1].text, s->language) & CALLABLE;
                s->last_group = s->last & EXECUTING ? ++s->groups : 0;
        }
}

static void open_bracket(struct scanned *s, size_t at) {
        bool block = s->code.ptr[at] == '{' && (before_is(s, at, ")") || before_is(s, at, ">"));
        struct code_level inner = { .class = block ? 0 : around(s) | s->last,
                                    .group = block ? 0 : group(s),
                                    .chain = s->count,
                                    .head = s->code.ptr[at] == '(' };
        size_t operand;

        operand = before_blanks(s, name_start(s, at));
        inner.continues =
                operand && !is_any(")]\"'", s->code.ptr[operand - 1]) && continues(s, name_start(s, at), &inner.between);
        level(s)->gap &= !inner.continues; /* the words in front are the function's name */

        s->classes |= s->last;
        if (block)
                s->statement = s->statement_group = 0;
        if (s->depth + 1 < PARENS_MAX)
                s->levels[++s->depth] = inner;
        else
                s->too_deep++;
        s->last = s->last_group = 0;
}

static void close_bracket(struct scanned *s) {
        size_t open = level(s)->open;
        struct code_level inner;

        if (s->too_deep) {
                s->too_deep--;
        } else if (s->depth) {
                if (s->setting_depth >= s->depth)
                        setting_ends(s);
                inner = s->levels[s->depth--];
                if (level(s)->open && open && inner.continues && s->count == open) { /* "rm " + f("x") */
                        append(s, &s->strings[level(s)->open - 1], inner.between, s->strings[--s->count].text);
                        s->strings[level(s)->open - 1].class |= s->strings[s->count].class;
                } else if (level(s)->open)
                        level(s)->gap |= !open;
                else
                        level(s)->open = open;
        }
}

/* awk's "cmd" | getline and print | "cmd". */
static void awk_bar(struct scanned *s, size_t i) {
        if (byte_at(s->code, i + 1) == '|' || (i > 0 && s->code.ptr[i - 1] == '|'))
                return;
        if (s->count) {
                s->strings[s->count - 1].class |= WORD_EXECUTES;
                s->strings[s->count - 1].group = ++s->groups;
        }
        s->classes |= WORD_EXECUTES;
        s->last = WORD_EXECUTES;
        s->last_group = ++s->groups;
}

/* "# ...", "// ...", "-- ..." and "; ..." of the languages that have them, so that an apostrophe in it begins no string. */
static bool comment_starts(const struct scanned *s, size_t i) {
        struct str code = str_skip(s->code, i);
        const char *mark = s->language & LANG_LISP    ? ";"
                           : s->language & LANG_PLAIN ? "--"
                           : s->language & LANG_HASH  ? "#"
                                                      : "//";

        if (i && !is_blank(s->code.ptr[i - 1]))
                return false;
        return str_starts(code, str_z(mark)) && (code.len <= strlen(mark) || is_any(" !;#/-\n", code.ptr[strlen(mark)]));
}

static void scan_mark(struct scanned *s, size_t i) {
        char c = s->code.ptr[i];

        call_by_string(s, i);
        if (is_any("([{", c))
                open_bracket(s, i);
        else if (is_any(")]}", c))
                close_bracket(s);
        if (is_any(",;=<>&|?:", c) || (c == '\n' && !s->depth))
                operand_ends(s);
        if ((c == ';' && !(s->language & LANG_LISP)) || (c == '\n' && s->depth <= s->setting_depth) ||
            ((c == ',' || c == ':') && s->depth && s->depth <= s->setting_depth) || c == '{')
                setting_ends(s);
        if (c == ';' || c == '\n')
                s->statement = s->statement_group = 0;
        if (c == '.' && byte_at(s->code, i + 1) == '!' && i && is_any("\"')]", s->code.ptr[i - 1]))
                take_chain(s, WORD_EXECUTES); /* scala's "rm".! */
        if (c != ' ' && !(c == '!' && s->last_end == i))
                s->last = s->last_group = 0;
        if (c == '|' && s->language & LANG_AWK)
                awk_bar(s, i);
        if (s->language & LANG_AWK && (c == '<' || c == '>'))
                s->last = c == '<' ? WORD_READS : WORD_WRITES;
}

static void everyday_names(struct scanned *s) {
        if (!(s->named & WORD_LAUNCHER) && !(s->language & LANG_EVERYDAY))
                return;
        if (s->classes & WORD_EVERYDAY)
                s->classes |= WORD_EXECUTES;
        for (size_t i = 0; i < s->count; i++)
                if (s->strings[i].class & WORD_EVERYDAY)
                        s->strings[i].class |= WORD_EXECUTES;
}

bool code_scan(struct guard *g, struct str code, unsigned language, struct scanned *s) {
        *s = (struct scanned){ .g = g, .code = code, .language = language };
        s->strings = arena_alloc(g->arena, STRINGS_MAX * sizeof(*s->strings));
        g->failed |= !s->strings;
        for (size_t i = 0; s->strings && i < code.len;) {
                unsigned char c = (unsigned char)code.ptr[i];

                if (comment_starts(s, i))
                        i += str_find(str_skip(code, i), '\n');
                else if (c == '"' || c == '`' || (c == '\'' && !(language & LANG_LISP)))
                        i = scan_string(s, i);
                else if (is_word(c))
                        i = scan_word(s, i);
                else if (c == '%' && str_starts(str_skip(code, i), STR("%x")) && is_any("([{|<", byte_at(code, i + 2)) &&
                         language & LANG_STATEMENTS)
                        i = scan_quoted(s, i + 2, WORD_EXECUTES);
                else if (c == '<' && s->last & EXECUTING && language & LANG_STATEMENTS)
                        i = scan_quoted(s, i, WORD_EXECUTES);
                else
                        scan_mark(s, i++);
        }
        setting_ends(s);
        everyday_names(s);
        return s->strings;
}
