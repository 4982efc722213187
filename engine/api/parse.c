#include "bailey.h"
#include "base/buf.h"
#include "bash/eval/walk.h"
#include "bash/syntax/print.h"

enum {
        ANSWER_MAX = 256 << 20,
        EXCERPT_BEFORE = 60, /* bytes of the line shown on each side of the place */
        EXCERPT_AFTER = 40,
};

static void answer_commands(const struct script *script, struct buf *out) {
        buf_format(out, "{\"ok\":%s,",
                   script->error.kind == SYNTAX_OK || script->error.kind == SYNTAX_CONDITION ? "true" : "false");
        if (script->error.kind != SYNTAX_OK) {
                buf_append(out, STR("\"error\":"));
                shell_error_json(&script->error, out);
                buf_char(out, ',');
        }
        buf_append(out, STR("\"commands\":"));
        shell_commands_json(script, out);
        buf_char(out, '}');
}

static void answer_print(const struct script *script, struct buf *out) {
        shell_print(script->source, script->commands, out);
}

/* In an arena of its own: what the walk makes does not outlive the answer. */
static void answer_expanded(const struct script *script, struct buf *out) {
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (shell_expand_json(script, out, &arena) == WALK_NO_MEMORY)
                out->failed = true;
}

/* ---- the error for people ---- */

static bool continues_character(char c) {
        return ((unsigned char)c & 0xc0) == 0x80;
}

/* What can be seen of the line around `offset`: [start, end). */
static struct range line_excerpt(struct str source, size_t offset) {
        size_t start = offset, end = offset;

        while (start > 0 && source.ptr[start - 1] != '\n' && offset - start < EXCERPT_BEFORE)
                start--;
        while (end < source.len && source.ptr[end] != '\n' && end - offset < EXCERPT_AFTER)
                end++;
        while (start < offset && continues_character(source.ptr[start]))
                start++;
        while (end > offset && end < source.len && continues_character(source.ptr[end]))
                end--;
        return (struct range){ (uint32_t)start, (uint32_t)end };
}

static void answer_error(const struct script *script, struct buf *out) {
        const struct syntax_error *error = &script->error;
        size_t offset = error->offset < script->source.len ? error->offset : script->source.len, step;
        struct range range;
        struct str before;

        if (error->kind == SYNTAX_OK)
                return;
        buf_format(out, "%u:%u: ", error->line, error->column);
        buf_columns(out, str_z(error->message));
        buf_char(out, '\n');
        if (error->kind == SYNTAX_TOO_COMPLEX)
                return;
        range = line_excerpt(script->source, offset);
        buf_append(out, STR("  "));
        buf_columns(out, str_take(str_skip(script->source, range.start), range.end - range.start));
        buf_append(out, STR("\n  "));
        before = str_take(str_skip(script->source, range.start), offset - range.start);
        for (; before.len; before = str_skip(before, step ? step : 1)) {
                step = str_utf8(before);
                buf_char(out, before.ptr[0] == '\t' ? '\t' : ' ');
        }
        buf_append(out, STR("^\n"));
}

/* ---- the API ---- */

int bailey_parse(const char *text, size_t length, enum bailey_format format, char **ret_text, size_t *ret_length) {
        static void (*const answers[])(const struct script *, struct buf *) = {
                [BAILEY_TREE] = shell_dump_tree, [BAILEY_JSON] = shell_dump_json, [BAILEY_COMMANDS] = answer_commands,
                [BAILEY_PRINT] = answer_print,   [BAILEY_ERROR] = answer_error,   [BAILEY_EXPANDED] = answer_expanded,
        };
        ARENA_AUTO arena;
        BUF_AUTO out;
        struct script script = { .source = str_from(text, length) };
        int failed;

        arena_init(&arena, 0);
        buf_init(&out, ANSWER_MAX);
        if ((size_t)format >= sizeof(answers) / sizeof(*answers))
                return -1;
        failed = shell_parse(str_from(text, length), &arena, &script);
        if (script.error.kind == SYNTAX_NO_MEMORY)
                return -1;
        answers[format](&script, &out);
        buf_char(&out, '\0');
        if (out.failed)
                return -1;
        *ret_text = out.ptr;
        *ret_length = out.len - 1;
        out.ptr = NULL;
        return failed ? 1 : 0;
}
