/*
 * Files that the command itself has written, and that a program now runs or obeys.
 */
#include "guard/code.h"
#include "guard/paths.h"
#include "guard/tables/readers.h"

/* ---- forms ---- */

/* A command of a makefile as the shell gets it: without the marks in front, $(HOME) as ${HOME}, $$ as $. */
static void recipe(struct call *call, struct str line, struct range range) {
        char *text = guard_bytes(call->guard, line.len + 1);
        size_t len = 0;

        while (line.len && strchr("@-+ \t", line.ptr[0]))
                line = str_skip(line, 1);
        for (size_t i = 0, close = 0; text && i < line.len; i++) {
                size_t end = i + 2 + str_find(str_skip(line, i + 2), ')');

                if (line.ptr[i] == '$' && i + 1 < line.len && line.ptr[i + 1] == '(' && end < line.len &&
                    str_is_name(str_from(line.ptr + i + 2, end - i - 2))) {
                        text[len++] = '$';
                        text[len++] = '{';
                        close = end;
                        i++;
                } else {
                        text[len++] = close && i == close ? '}' : line.ptr[i];
                        i += line.ptr[i] == '$' && i + 1 < line.len && line.ptr[i + 1] == '$';
                }
        }
        if (len)
                guard_shell_text(call, str_from(text, len), range);
}

/* $(shell COMMAND) anywhere, and commands behind a tab or a semicolon. */
void judge_recipes(struct call *call, struct str text, struct range range) {
        while (text.len) {
                struct str line = str_take(text, str_find(text, '\n'));
                size_t colon = str_find(line, ':'), semicolon = str_find(line, ';');
                const char *inner = line.len ? memmem(line.ptr, line.len, "$(shell ", 8) : NULL;

                text = str_skip(text, line.len + 1);
                if (line.len && line.ptr[0] == '\t')
                        recipe(call, line, range);
                else if (colon < semicolon && semicolon < line.len)
                        recipe(call, str_skip(line, semicolon + 1), range);
                if (inner) {
                        struct str code = str_skip(line, (size_t)(inner - line.ptr) + 8);

                        while (code.len && code.ptr[code.len - 1] != ')')
                                code.len--;
                        guard_shell_text(call, str_take(code, code.len ? code.len - 1 : 0), range);
                }
        }
}

/* Without the marks of a list, and without quotes around it. */
static struct str unquoted(struct str text) {
        text = str_trim(text);
        while (text.len && strchr("-@[{", text.ptr[0]))
                text = str_trim(str_skip(text, 1));
        while (text.len && strchr(",]}\\", text.ptr[text.len - 1]))
                text = str_trim(str_take(text, text.len - 1));
        if (text.len > 1 && strchr("\"'", text.ptr[0]) && text.ptr[text.len - 1] == text.ptr[0])
                text = str_skip(str_take(text, text.len - 1), 1);
        return text;
}

/* The part of a line that begins with a program: the whole, what follows the first colon or equals sign, or the first word. */
static void value_line(struct call *call, struct str line, struct range range) {
        size_t colon = str_find(line, ':'), equals = str_find(line, '='), blank;
        struct str whole = unquoted(line),
                   parts[3] = { whole, unquoted(str_skip(line, (colon < equals ? colon : equals) + 1)) };

        blank = str_find(whole, ' ');
        parts[2] = unquoted(str_skip(whole, blank));
        for (size_t i = 0; i < 3; i++) {
                if (!text_is_command(parts[i]))
                        continue;
                guard_shell_text(call, parts[i], range);
                return;
        }
}

static void each_line(struct call *call, struct str text, struct range range,
                      void (*judge)(struct call *call, struct str line, struct range range)) {
        while (text.len && guard_spend(call->guard, 16)) {
                struct str line = str_take(text, str_find(text, '\n'));

                text = str_skip(text, line.len + 1);
                judge(call, line, range);
        }
}

static void host_line(struct call *call, struct str line, struct range range) {
        struct arg url = arg_text(call->guard, unquoted(str_skip(line, str_find(line, '=') + 1)), range);

        if (is_url(url.text))
                judge_host(call, &url);
}

/* privileged: true, network_mode: host, - /:/h */
static void compose_line(struct call *call, struct str line, struct range range) {
        size_t colon = str_find(line, ':');
        struct str key = unquoted(str_take(line, colon)), value = unquoted(str_skip(line, colon + 1));
        struct arg mount;

        if ((str_is(value, "true") && in_words("privileged hostPID hostNetwork hostIPC", key)) ||
            (str_is(value, "host") && in_words("network_mode pid ipc userns_mode", key)))
                guard_effect(call->guard, FX_CONTAINER, 0, str_trim(line), range);
        mount = arg_text(call->guard, in_words("volumes source path", key) ? value : unquoted(line), range);
        judge_mount(call, &mount);
}

/* RUN COMMAND */
static void image_line(struct call *call, struct str line, struct range range) {
        if (str_eq_nocase(str_take(str_trim(line), 4), STR("RUN ")))
                guard_shell_text(call, str_skip(str_trim(line), 4), range);
}

static void string_values(struct call *call, struct str text, struct range range) {
        struct scanned s;

        if (!guard_spend(call->guard, text.len) || !code_scan(call->guard, text, LANG_PLAIN, &s))
                return;
        for (size_t i = 0; i < s.count; i++)
                if (text_is_command(s.strings[i].text))
                        guard_shell_text(call, s.strings[i].text, range);
}

/* ---- who reads what ---- */

static bool in_globs(const char *globs, struct str name) {
        for (struct str rest = str_z(globs); rest.len; rest = str_skip(rest, str_find(rest, ' ') + 1))
                if (path_glob(str_take(rest, str_find(rest, ' ')), name))
                        return true;
        return false;
}

static void judge_content(struct call *call, const struct reader *reader, struct str text, struct range range) {
        struct guard *g = call->guard;
        unsigned muted = g->muted;
        bool is_source = g->is_source;

        g->is_source = true;
        if (reader->content == CONTENT_VALUES || reader->content == CONTENT_STRINGS)
                g->muted |= MUTED_SUPPOSED;
        switch (reader->content) {
        case CONTENT_CODE:
                judge_code_text(call, &(struct program){ .name = reader->language }, text, range);
                break;
        case CONTENT_SHELL:
                guard_shell_text(call, text, range);
                break;
        case CONTENT_RECIPES:
                judge_recipes(call, text, range);
                break;
        case CONTENT_VALUES:
                each_line(call, text, range, value_line);
                break;
        case CONTENT_STRINGS:
                string_values(call, text, range);
                break;
        case CONTENT_COMPOSE:
                each_line(call, text, range, compose_line);
                break;
        case CONTENT_IMAGE:
                g->muted |= MUTED_INSIDE;
                each_line(call, text, range, image_line);
                break;
        case CONTENT_HOSTS:
                each_line(call, text, range, host_line);
                break;
        }
        g->muted = muted;
        g->is_source = is_source;
}

/* make -f rules: named, whatever it is called. */
static bool is_named(const struct call *call, const struct file_fact *fact) {
        for (size_t i = 1; i < call->count; i++)
                if (str_eq(path_normal(call->guard, call->args[i].text), fact->path))
                        return true;
        return false;
}

static void judge_file(struct call *call, const struct reader *reader, struct file_fact *fact) {
        struct guard *g = call->guard;
        struct range range = call->args[0].range;

        if (fact->fetched)
                guard_effect(g, FX_CODE, CODE_NETWORK, fact->path, range);
        else
                judge_content(call, reader, guard_arg(g, fact->content, range).text, range);
}

/* The readers that look for a file of this name, a bit each. */
static uint64_t file_readers(struct file_fact *f) {
        if (!f->looked_up) {
                f->looked_up = true;
                for (size_t i = 0; i < reader_count; i++)
                        if (in_globs(readers[i].files, arg_basename(f->path)))
                                f->readers |= UINT64_C(1) << i;
        }
        return f->readers;
}

/* make -f -, docker build -, -f <(...): the file is what is piped in, or what a command prints. */
static const struct value *given(const struct call *call) {
        const struct value *content = NULL;

        for (size_t i = 1; i < call->count && !content; i++)
                content = arg_is(&call->args[i], "-")  ? call->input
                          : call->args[i].value.pieces ? call->args[i].value.pieces->content
                                                       : NULL;
        return content;
}

void judge_written(struct call *call) {
        struct guard *g = call->guard;
        const struct value *content = given(call);
        uint64_t wanted = 0;

        for (struct file_fact *f = g->files; f; f = f->next)
                if (f->content_known)
                        wanted |= file_readers(f);
        for (size_t i = 0; (g->files || content) && i < reader_count; i++) {
                if (!(wanted >> i & 1 || (readers[i].named && call->count > 1)) || !in_globs(readers[i].programs, call->name))
                        continue;
                if (readers[i].named && content)
                        judge_content(call, &readers[i], guard_arg(g, *content, call->args[0].range).text, call->args[0].range);
                for (struct file_fact *f = g->files; f; f = f->next) {
                        if (!f->content_known || f->obeyed >> readers[i].content & 1 ||
                            !(file_readers(f) >> i & 1 || (readers[i].named && is_named(call, f))))
                                continue;
                        f->obeyed |= 1U << readers[i].content;
                        judge_file(call, &readers[i], f);
                }
        }
}
