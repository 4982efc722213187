/*
 * What can be seen of a command without knowing what it does.
 */
#include "guard/judge.h"
#include "guard/tables/lookalikes.h"

#include <stdio.h>

#include "bash/syntax/visit.h"

/* ---- bytes ---- */

/* A character; what is not UTF-8 is one byte that stands for itself. */
static uint32_t code_point(struct str s, size_t *ret_len) {
        uint32_t rune = rune_first(s, ret_len);

        return *ret_len == 1 ? (unsigned char)s.ptr[0] : rune;
}

static bool is_control(uint32_t c) {
        return (c < ' ' && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0);
}

/* They turn the direction of the text around them, so that it reads as something else. */
static bool is_bidi(uint32_t c) {
        return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void text_check_bytes(struct guard *g, struct str command) {
        char text[96];
        size_t len;

        for (size_t i = 0; i < command.len; i += len) {
                uint32_t c = code_point(str_skip(command, i), &len);
                struct range range = { (uint32_t)i, (uint32_t)(i + len) };

                if (is_control(c)) {
                        int n = snprintf(text, sizeof(text),
                                         "contains the control character U+%04X, which can hide parts of the command", c);

                        guard_effect(g, FX_TEXT, TEXT_CONTROL, str_from(text, (size_t)n), range);
                        return;
                }
                if (is_bidi(c)) {
                        guard_effect(g, FX_TEXT, TEXT_LOOKALIKE,
                                     STR("contains a character that reverses the direction of text"), range);
                        return;
                }
        }
}

/* ---- look-alikes ---- */

static const char *lookalike(uint32_t c) {
        for (size_t i = 0; c >= 0xa0 && lookalikes[i].what; i++)
                if (c >= lookalikes[i].first && c <= lookalikes[i].last)
                        return lookalikes[i].what;
        return NULL;
}

static bool is_letter_row(const char *what) {
        return strstr(what, "letter") != NULL;
}

/* In text that is not quoted. Letters of other scripts count only beside ASCII ones: a word in Cyrillic is just that.
 */
static void check_literal(struct guard *g, const struct part *part) {
        bool ascii = false;
        char text[96];
        size_t len;

        for (size_t i = 0; i < part->text.len; i++)
                ascii |= is_ascii_alpha((unsigned char)part->text.ptr[i]);
        for (size_t i = 0; i < part->text.len; i += len) {
                const char *what = lookalike(code_point(str_skip(part->text, i), &len));
                int n;

                if (!what || (is_letter_row(what) && !ascii))
                        continue;
                n = snprintf(text, sizeof(text), "contains %s", what);
                guard_effect(g, FX_TEXT, TEXT_LOOKALIKE, str_from(text, (size_t)n), part->range);
                return;
        }
}

static bool has_high_byte(struct str s) {
        for (size_t i = 0; i < s.len; i++)
                if ((unsigned char)s.ptr[i] >= 0x80)
                        return true;
        return false;
}

/* ---- the length ---- */

enum { DATA_LEAST = 64 }; /* bytes: shorter strings are words of the code */

struct data_count {
        size_t bytes;
        unsigned quoted; /* inside so many documents and double quotes */
};

static int count_data(const struct node *node, void *context) {
        struct data_count *data = context;
        const struct part *part = node->kind == NODE_PART ? node->part : NULL;
        bool quotes = node->role == ROLE_DOCUMENT || (part && part->kind == PART_DOUBLE);
        size_t len = part ? part->range.end - part->range.start : 0;
        unsigned quoted = data->quoted;

        if (part && len >= DATA_LEAST && (part->kind == PART_QUOTED || (part->kind == PART_LITERAL && data->quoted)))
                data->bytes += len;
        data->quoted = part && part->kind == PART_COMMAND ? 0 : quoted + quotes;
        shell_visit_children(node, count_data, context);
        data->quoted = quoted;
        return 0;
}

/* What is quoted, and here-documents, are data of the code: they can be as long as a whole text. */
bool text_is_long(struct guard *g, const struct script *script) {
        size_t most = g->policy->guard.max_command_length, len = script->source.len;
        struct data_count data = { 0 };
        char text[128];

        if (len <= most)
                return false;
        shell_visit_list(script->commands, ROLE_COMMAND, count_data, &data);
        if (len - data.bytes <= most)
                return false;
        len = (size_t)snprintf(text, sizeof(text), "%zu bytes of code; the limit is %zu (guard.max_command_length_bytes)",
                               len - data.bytes, most);
        guard_effect(g, FX_TEXT, TEXT_LONG, str_from(text, len), g->range);
        return true;
}

/* ---- the tree ---- */

struct tree_check {
        struct guard *g;
        bool high, strict;
        unsigned in_double;
};

/* while true; do x & done */
static bool is_endless(const struct command *c) {
        const struct command *condition = c->loop.condition;
        const struct word *w =
                condition && !condition->next && condition->kind == COMMAND_SIMPLE ? condition->simple.words : NULL;
        struct str name = w && !w->next && w->parts && !w->parts->next && w->parts->kind == PART_LITERAL ? w->parts->text
                                                                                                         : (struct str){ 0 };

        return c->kind == COMMAND_WHILE ? str_is(name, ":") || str_is(name, "true") : str_is(name, "false");
}

static bool list_backgrounds(const struct command *list) {
        bool background = false;

        for (; list; list = list->next) {
                const struct word *w = list->kind == COMMAND_SIMPLE ? list->simple.words : NULL;

                background |= list->join == JOIN_BACKGROUND;
                if (w && w->parts && w->parts->kind == PART_LITERAL && in_words("sleep wait read break", w->parts->text))
                        return false;
        }
        return background;
}

/* Runs what it reads: a shell without arguments, alone or in braces. */
static bool is_fed_shell(const struct command *c) {
        const struct word *w;
        const struct program *program;

        while (c && (c->kind == COMMAND_GROUP || c->kind == COMMAND_SUBSHELL))
                c = c->body;
        w = c && c->kind == COMMAND_SIMPLE ? c->simple.words : NULL;
        program =
                w && !w->next && w->parts && w->parts->kind == PART_LITERAL ? program_find(arg_basename(w->parts->text)) : NULL;
        return program && program->act == ACT_SHELL;
}

static int check_node(const struct node *node, void *data) {
        struct tree_check *check = data;
        const struct part *part = node->kind == NODE_PART ? node->part : NULL;
        const struct command *c = node->kind == NODE_COMMAND ? node->command : NULL;
        bool in_double = part && part->kind == PART_DOUBLE;
        int stop;

        if (c && (c->kind == COMMAND_WHILE || c->kind == COMMAND_UNTIL) && is_endless(c) && list_backgrounds(c->loop.body))
                guard_effect(check->g, FX_EXHAUST, 0, STR("an endless loop"), c->range);
        if (c && check->strict && c->kind == COMMAND_COPROC)
                guard_effect(check->g, FX_RUN, NAME_UNLISTED, STR("coproc"), c->range);
        if (c && check->strict && c->timed)
                guard_effect(check->g, FX_RUN, NAME_UNLISTED, STR("time"), c->range);
        if (part && part->kind == PART_COMMAND && part->style == STYLE_OUTPUT && is_fed_shell(part->body)) /* tee >(bash) */
                guard_effect(check->g, FX_CODE, CODE_PIPED, STR("a shell"), part->range);
        if (c && c->kind == COMMAND_COPROC && is_fed_shell(c->coproc->body))
                guard_effect(check->g, FX_CODE, CODE_PIPED, STR("a shell"), c->range);
        if (part && check->strict && part->kind == PART_COMMAND)
                guard_effect(check->g, FX_CODE, CODE_OPTION, STR("a command substitution"), part->range);
        if (part && part->kind == PART_PARAM && part->param->op == PARAM_NAMES)
                guard_effect(check->g, FX_ENVIRON, 0, STR("variables whose names are computed at run time"), part->range);
        if (part && check->high && part->kind == PART_LITERAL && !check->in_double)
                check_literal(check->g, part);
        if (node->role == ROLE_DOCUMENT)
                return check->strict ? shell_visit_children(node, check_node, data) : 0;
        check->in_double += in_double;
        stop = shell_visit_children(node, check_node, data);
        check->in_double -= in_double;
        return stop;
}

void text_check_tree(struct guard *g, const struct script *script) {
        struct tree_check check = { .g = g,
                                    .high = has_high_byte(script->source),
                                    .strict = g->policy->guard.allow_only_listed };

        shell_visit_list(script->commands, ROLE_COMMAND, check_node, &check);
}

void text_keep(struct guard *g, const struct arg *args, size_t count) {
        struct kept_line *line;
        bool known;

        if (!g->policy->guard.pattern_count || g->kept_count >= GUARD_MAX_EFFECTS ||
            !(line = ARENA_NEW(g->arena, struct kept_line)))
                return;
        line->text = guard_join(g, args, count, &known);
        *g->kept_tail = line;
        g->kept_tail = &line->next;
        g->kept_count++;
}

struct str text_normalised(struct guard *g) {
        size_t size = 1;
        char *text, *to;

        for (const struct kept_line *line = g->kept; line; line = line->next)
                size += line->text.len + 1;
        to = text = guard_bytes(g, size);
        for (const struct kept_line *line = g->kept; text && line; line = line->next) {
                if (line->text.len)
                        memcpy(to, line->text.ptr, line->text.len);
                to += line->text.len;
                *to++ = '\n';
        }
        return text ? str_from(text, (size_t)(to - text)) : STR("");
}
