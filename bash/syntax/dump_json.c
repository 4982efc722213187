#include "bash/syntax/print.h"
#include "bash/syntax/visit.h"

/* ---- what each kind adds ---- */

static void json_text(struct buf *out, const char *key, struct str value) {
        buf_format(out, ",\"%s\":", key);
        buf_json(out, value);
}

static void json_name(struct buf *out, const char *key, struct str value) {
        if (value.len)
                json_text(out, key, value);
}

static void json_flag(struct buf *out, const char *key, bool value) {
        if (value)
                buf_format(out, ",\"%s\":true", key);
}

static void json_letter(struct buf *out, const char *key, char value) {
        if (value)
                json_text(out, key, str_from(&value, 1));
}

static void json_command(const struct node *node, struct buf *out) {
        const struct command *command = node->command;

        if (command->join != JOIN_END)
                json_text(out, "join", str_z(shell_join_text(command->join)));
        json_flag(out, "negated", command->negated);
        json_flag(out, "timed", command->timed);
        json_flag(out, "timed_posix", command->timed_posix);
        if (command->kind == COMMAND_FOR || command->kind == COMMAND_SELECT) {
                json_text(out, "name", command->each->name);
                json_flag(out, "has_in", command->each->has_in);
        } else if (command->kind == COMMAND_FUNCTION) {
                json_text(out, "name", command->function->name);
        } else if (command->kind == COMMAND_COPROC) {
                json_name(out, "name", command->coproc->name);
        }
}

static void json_param(const struct param *param, struct buf *out) {
        json_name(out, "name", param->name);
        if (param->op != PARAM_PLAIN)
                json_text(out, "op", str_z(shell_param_name(param->op)));
        json_letter(out, "transform", param->transform);
        json_flag(out, "braced", param->braced);
        json_flag(out, "indirect", param->indirect);
        json_flag(out, "length", param->length);
        json_flag(out, "colon", param->colon);
        json_flag(out, "in_double", param->in_double);
}

static void json_part(const struct node *node, struct buf *out) {
        const struct part *part = node->part;

        if (part->style != STYLE_PLAIN)
                json_text(out, "style", str_z(shell_style_name(part->style)));
        json_letter(out, "glob", part->glob);
        json_flag(out, "soft_error", part->soft_error);
        if (part->kind == PART_LITERAL || part->kind == PART_QUOTED)
                json_text(out, "text", part->text);
        else if (part->kind == PART_PARAM)
                json_param(part->param, out);
}

static void json_assign(const struct node *node, struct buf *out) {
        json_name(out, "name", node->assign->name);
        json_flag(out, "append", node->assign->append);
        json_flag(out, "compound", node->assign->compound);
}

static void json_redir(const struct node *node, struct buf *out) {
        const struct redir *redir = node->redir;

        json_text(out, "op", str_z(shell_redir_text(redir->op)));
        if (redir->fd >= 0)
                buf_format(out, ",\"fd\":%d", (int)redir->fd);
        json_name(out, "fd_name", redir->fd_name);
        if (redir->heredoc) {
                json_text(out, "delimiter", redir->heredoc->delimiter);
                json_flag(out, "quoted", redir->heredoc->quoted);
                json_flag(out, "terminated", redir->heredoc->terminated);
        }
}

static void json_item(const struct node *node, struct buf *out) {
        json_text(out, "end", str_z(shell_case_end_text(node->item->end)));
}

static void json_cond(const struct node *node, struct buf *out) {
        json_name(out, "op", node->cond->op);
}

static void (*const json_kinds[NODE_KINDS])(const struct node *, struct buf *) = {
        [NODE_COMMAND] = json_command, [NODE_PART] = json_part, [NODE_ASSIGN] = json_assign,
        [NODE_REDIR] = json_redir,     [NODE_ITEM] = json_item, [NODE_COND] = json_cond,
};

/* ---- nodes ---- */

/* The children of one node, as they come by: grouped by role. */
struct members {
        struct buf *out;
        int role; /* of the group that is open; -1: none */
};

static int json_node(const struct node *node, void *data);

static void members_close(const struct members *members) {
        if (members->role >= 0 && node_role_many((enum node_role)members->role))
                buf_char(members->out, ']');
}

static void json_children(const struct node *node, struct buf *out) {
        struct members members = { .out = out, .role = -1 };

        shell_visit_children(node, json_node, &members);
        members_close(&members);
}

static int json_node(const struct node *node, void *data) {
        struct members *members = data;
        struct buf *out = members->out;
        struct range range = node_range(node);

        if (members->role != (int)node->role) {
                members_close(members);
                members->role = (int)node->role;
                buf_format(out, ",\"%s\":%s", node_role_name(node->role), node_role_many(node->role) ? "[" : "");
        } else {
                buf_char(out, ',');
        }
        buf_format(out, "{\"kind\":\"%s\",\"range\":[%u,%u]", shell_node_name(node), range.start, range.end);
        if (json_kinds[node->kind])
                json_kinds[node->kind](node, out);
        json_children(node, out);
        buf_char(out, '}');
        return out->failed;
}

void shell_error_json(const struct syntax_error *error, struct buf *out) {
        buf_format(out, "{\"kind\":\"%s\",\"line\":%u,\"column\":%u,\"offset\":%u", shell_syntax_name(error->kind), error->line,
                   error->column, error->offset);
        json_text(out, "message", str_z(error->message));
        buf_char(out, '}');
}

void shell_dump_json(const struct script *script, struct buf *out) {
        struct members members = { .out = out, .role = -1 };

        buf_format(out, "{\"ok\":%s", script->error.kind == SYNTAX_OK ? "true" : "false");
        if (script->error.kind != SYNTAX_OK) {
                buf_append(out, STR(",\"error\":"));
                shell_error_json(&script->error, out);
        }
        if (!script->commands)
                buf_append(out, STR(",\"commands\":[]"));
        shell_visit_list(script->commands, ROLE_COMMAND, json_node, &members);
        members_close(&members);
        buf_char(out, '}');
}

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
