#include "bash/syntax/list.h"

#include "bash/syntax/visit.h"

struct each {
        simple_visit *visit;
        void *data;
};

static int each_node(const struct node *node, void *data) {
        struct each *each = data;
        int stop = 0;

        if (node->kind == NODE_COMMAND && node->command->kind == COMMAND_SIMPLE && node->command->simple.words)
                stop = each->visit(node->command, each->data);
        return stop ? stop : shell_visit_children(node, each_node, each);
}

int shell_each_simple(const struct script *script, simple_visit *visit, void *data) {
        return shell_visit_list(script->commands, ROLE_COMMAND, each_node, &(struct each){ visit, data });
}

/* ---- as JSON ---- */

struct writer {
        struct str source;
        struct buf *out;
        bool any;
};

static int write_simple(const struct command *simple, void *data) {
        struct writer *writer = data;

        buf_append(writer->out, writer->any ? STR(",[") : STR("["));
        writer->any = true;
        for (const struct word *word = simple->simple.words; word; word = word->next) {
                buf_json(writer->out, str_from(writer->source.ptr + word->range.start, word->range.end - word->range.start));
                if (word->next)
                        buf_char(writer->out, ',');
        }
        buf_char(writer->out, ']');
        return writer->out->failed;
}

void shell_commands_json(const struct script *script, struct buf *out) {
        struct writer writer = { .source = script->source, .out = out };

        buf_char(out, '[');
        shell_each_simple(script, write_simple, &writer);
        buf_char(out, ']');
}
