/*
 * What the parser accepts, the printer writes so that the parser reads the same simple commands again; and printing
 * that changes nothing more.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bash/syntax/print.h"
#include "bash/syntax/visit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
        INPUT_MAX = 1 << 12,
        VALUE_MAX = 64 << 20,
};

/* ---- the words of every simple command as one text that no spelling changes ---- */

struct values {
        struct buf out;
        uint8_t kind; /* of the part before, so that one text cut in two is one text */
};

static int add_child(const struct node *node, void *data);

static void add_part(const struct part *part, struct values *values) {
        struct node node = { .kind = NODE_PART, .part = part };
        bool text = part->kind == PART_LITERAL || part->kind == PART_QUOTED;

        if (!text || part->kind != values->kind)
                buf_format(&values->out, "<%u>", part->kind);
        values->kind = part->kind;
        if (text) {
                buf_append(&values->out, part->text);
                return;
        }
        if (part->kind == PART_PARAM) {
                buf_append(&values->out, part->param->name);
                buf_format(&values->out, ",%u,%u%u%u", part->param->op, part->param->indirect, part->param->length,
                           part->param->colon);
        }
        if (part->kind != PART_COMMAND) /* its commands are in the list themselves */
                shell_visit_children(&node, add_child, values);
        values->kind = UINT8_MAX;
        buf_append(&values->out, STR("</>"));
}

static int add_child(const struct node *node, void *data) {
        struct values *values = data;

        if (node->kind == NODE_PART) {
                add_part(node->part, values);
                return 0;
        }
        values->kind = UINT8_MAX;
        buf_format(&values->out, "<r%u>", node->role);
        return shell_visit_children(node, add_child, values);
}

static int add_simple(const struct command *simple, void *data) {
        struct values *values = data;

        for (const struct word *word = simple->simple.words; word; word = word->next) {
                values->kind = UINT8_MAX;
                for (const struct part *part = word->parts; part; part = part->next)
                        add_part(part, values);
                buf_char(&values->out, '\t');
        }
        buf_char(&values->out, '\n');
        return 0;
}

/* Text that bash reads only when it gets there, and then cannot: it is printed as it stands, but what surrounds it may
 * be quoted in another way, so that its end is found elsewhere. */
static int find_unread(const struct node *node, void *data) {
        bool *in_document = data;
        bool outer = *in_document;
        int found;

        if (node->kind == NODE_PART && node->part->kind == PART_COMMAND && node->part->soft_error)
                return 1;
        if (outer && node->kind == NODE_REDIR && node->redir->heredoc)
                return 1; /* inside another, or inside a substitution: what ends it may end that as well */
        *in_document |= node->role == ROLE_DOCUMENT || (node->kind == NODE_PART && node->part->kind == PART_COMMAND);
        found = shell_visit_children(node, find_unread, data);
        *in_document = outer;
        return found;
}

/* ---- there and back ---- */

struct reading {
        struct arena arena;
        struct script script;
        struct values values;
        struct buf printed;
};

static int reading_init(struct reading *reading, struct str text) {
        arena_init(&reading->arena, 0);
        buf_init(&reading->values.out, VALUE_MAX);
        buf_init(&reading->printed, VALUE_MAX);
        if (shell_parse(text, &reading->arena, &reading->script) < 0)
                return -1;
        if (shell_visit_list(reading->script.commands, ROLE_COMMAND, find_unread, &(bool){ false }))
                return -1;
        shell_each_simple(&reading->script, add_simple, &reading->values);
        shell_print(text, reading->script.commands, &reading->printed);
        return reading->values.out.failed || reading->printed.failed ? -1 : 0;
}

static void reading_free(struct reading *reading) {
        buf_free(&reading->printed);
        buf_free(&reading->values.out);
        arena_free(&reading->arena);
}

static void show(const char *what, struct str text) {
        fprintf(stderr, "--- %s\n%.*s\n", what, (int)text.len, text.ptr);
}

/* What is close to a limit may be past it when it is printed; that is no other meaning. */
static void compare(const struct reading *first, const struct reading *second, int status) {
        if (second->script.error.kind == SYNTAX_TOO_COMPLEX)
                return;
        if (status == 0 && str_eq(buf_str(&first->values.out), buf_str(&second->values.out)) &&
            str_eq(buf_str(&first->printed), buf_str(&second->printed)))
                return;
        show("text", first->script.source);
        show("words", buf_str(&first->values.out));
        show("printed", buf_str(&first->printed));
        show("words, read again", buf_str(&second->values.out));
        show("printed again", buf_str(&second->printed));
        if (status < 0)
                show("error", str_z(second->script.error.message));
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct reading first = { 0 }, second = { 0 };

        if (size > INPUT_MAX)
                return 0;
        if (reading_init(&first, str_from((const char *)data, size)) == 0)
                compare(&first, &second, reading_init(&second, buf_str(&first.printed)));
        reading_free(&second);
        reading_free(&first);
        return 0;
}
