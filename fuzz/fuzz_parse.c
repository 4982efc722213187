/*
 * Any bytes: the parser returns, says where it stopped, keeps every node inside the text and inside its parent, and
 * takes no more memory than it may.
 */
#include <stdint.h>
#include <stdlib.h>

#include "bash/syntax/visit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
        INPUT_MAX = 1 << 16,
        ARENA_PADDING = 1 << 10,         /* what the parser does not count */
        DEPTH_MAX = 8 * SHELL_MAX_DEPTH, /* nodes from the top: a command in a part in a word in a command ... */
};

struct walk {
        struct str source;
        const struct node *parent;
        unsigned depth;
        enum node_role role; /* of the child before this one */
        uint32_t start;      /* where it starts */
};

static void require(bool truth) {
        if (!truth)
                abort();
}

/* Every byte is touched; a sanitizer knows whether it may be. */
static void read_text(struct str text) {
        for (size_t i = 0; i < text.len; i++) {
                volatile char byte = text.ptr[i];
                (void)byte;
        }
}

static void check_part(const struct part *part) {
        if (part->kind == PART_LITERAL || part->kind == PART_QUOTED)
                read_text(part->text);
        if (part->kind == PART_PARAM)
                read_text(part->param->name);
}

/* The body of a heredoc stands elsewhere; everything else is inside its parent, and not before its elder sibling. */
static void check_place(const struct node *node, const struct walk *walk) {
        struct range range = node_range(node);

        require(range.start <= range.end && range.end <= walk->source.len);
        if (node->role == ROLE_DOCUMENT || !walk->parent)
                return;
        struct range outer = node_range(walk->parent);
        require(outer.start <= range.start && range.end <= outer.end);
        require(node->role != walk->role || walk->start <= range.start);
}

static int check_node(const struct node *node, void *data) {
        struct walk *walk = data;
        struct walk below = { walk->source, node, walk->depth + 1, ROLE_KINDS, 0 };

        require(below.depth <= DEPTH_MAX);
        check_place(node, walk);
        walk->role = node->role;
        walk->start = node_range(node).start;
        if (node->kind == NODE_PART)
                check_part(node->part);
        return shell_visit_children(node, check_node, &below);
}

static void check_error(const struct script *script, int status) {
        const struct syntax_error *error = &script->error;

        require((status == 0) == (error->kind == SYNTAX_OK));
        if (status == 0)
                return;
        require(status == -1 && error->offset <= script->source.len);
        require(error->line >= 1 && error->column >= 1 && error->message[0]);
        require(memchr(error->message, '\0', sizeof(error->message)));
        for (const struct command *command = script->commands; command; command = command->next)
                require(command->range.start <= error->offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct script script = { 0 };
        struct walk walk = { .source = str_from((const char *)data, size), .role = ROLE_KINDS };
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (size > INPUT_MAX)
                return 0;
        check_error(&script, shell_parse(walk.source, &arena, &script));
        require(arena.used <= SHELL_MAX_PER_BYTE * size + SHELL_MAX_MORE + ARENA_PADDING);
        return shell_visit_list(script.commands, ROLE_COMMAND, check_node, &walk);
}
