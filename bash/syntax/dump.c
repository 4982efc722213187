#include "bash/syntax/print.h"

#include "bash/syntax/visit.h"

enum {
        TEXT_MAX = 60,   /* bytes of a text on its line */
        INDENT_MAX = 40, /* levels; deeper ones stay at that column */
};

struct dump {
        struct buf *out;
        unsigned depth;
};

/* ---- what each kind shows behind its name ---- */

static void show_text(struct buf *out, struct str text) {
        size_t len = TEXT_MAX;

        buf_char(out, ' ');
        if (text.len <= TEXT_MAX) {
                buf_json(out, text);
                return;
        }
        while (len > TEXT_MAX - 4 && ((unsigned char)text.ptr[len] & 0xc0) == 0x80) /* no character is torn */
                len--;
        buf_json(out, str_take(text, len));
        buf_append(out, STR("..."));
}

static void show_flag(struct buf *out, const char *name, bool value) {
        if (value)
                buf_format(out, " %s", name);
}

static void show_name(struct buf *out, struct str name) {
        if (name.len)
                show_text(out, name);
}

static void show_command(const struct node *node, struct buf *out) {
        const struct command *command = node->command;

        if (command->kind == COMMAND_FOR || command->kind == COMMAND_SELECT)
                show_name(out, command->each->name);
        else if (command->kind == COMMAND_FUNCTION)
                show_name(out, command->function->name);
        else if (command->kind == COMMAND_COPROC)
                show_name(out, command->coproc->name);
        show_flag(out, "time", command->timed);
        show_flag(out, "-p", command->timed_posix);
        show_flag(out, "!", command->negated);
        if (command->join != JOIN_END)
                buf_format(out, ", then %s", shell_join_text(command->join));
}

/* A word that is one literal needs no lines for its parts. */
static bool word_plain(const struct word *word) {
        return word->parts && !word->parts->next && word->parts->kind == PART_LITERAL;
}

static void show_word(const struct node *node, struct buf *out) {
        if (word_plain(node->word))
                show_text(out, node->word->parts->text);
        show_flag(out, "empty", !node->word->parts);
}

static void show_part(const struct node *node, struct buf *out) {
        const struct part *part = node->part;

        if (part->style != STYLE_PLAIN)
                buf_format(out, " %s", shell_style_name(part->style));
        if (part->kind == PART_LITERAL || part->kind == PART_QUOTED)
                show_text(out, part->text);
        if (part->glob)
                buf_format(out, " %c", part->glob);
        show_flag(out, "with an error inside", part->soft_error);
        if (part->kind != PART_PARAM)
                return;
        show_name(out, part->param->name);
        show_flag(out, "length", part->param->length);
        show_flag(out, "indirect", part->param->indirect);
        if (part->param->op != PARAM_PLAIN)
                buf_format(out, " %s%s", part->param->colon ? "colon-" : "", shell_param_name(part->param->op));
        if (part->param->transform)
                buf_format(out, " %c", part->param->transform);
}

static void show_assign(const struct node *node, struct buf *out) {
        show_name(out, node->assign->name);
        show_flag(out, "append", node->assign->append);
        show_flag(out, "array", node->assign->compound);
}

static void show_redir(const struct node *node, struct buf *out) {
        const struct redir *redir = node->redir;

        buf_char(out, ' ');
        if (redir->fd >= 0)
                buf_format(out, "%d", (int)redir->fd);
        buf_append(out, str_z(shell_redir_text(redir->op)));
        show_name(out, redir->fd_name);
        show_flag(out, "not terminated", redir->heredoc && !redir->heredoc->terminated);
}

static void show_item(const struct node *node, struct buf *out) {
        buf_format(out, " %s", shell_case_end_text(node->item->end));
}

static void show_cond(const struct node *node, struct buf *out) {
        show_name(out, node->cond->op);
}

static void (*const shows[NODE_KINDS])(const struct node *, struct buf *) = {
        [NODE_COMMAND] = show_command, [NODE_WORD] = show_word, [NODE_PART] = show_part, [NODE_ASSIGN] = show_assign,
        [NODE_REDIR] = show_redir,     [NODE_ITEM] = show_item, [NODE_COND] = show_cond,
};

/* ---- nodes ---- */

/* The role, where the node's own name leaves it open. */
static const char *const roles_shown[ROLE_KINDS] = {
        [ROLE_CONDITION] = "condition: ", [ROLE_BODY] = "body: ",         [ROLE_SUBJECT] = "subject: ",
        [ROLE_PATTERN] = "pattern: ",     [ROLE_START] = "start: ",       [ROLE_TEST] = "test: ",
        [ROLE_STEP] = "step: ",           [ROLE_LEFT] = "left: ",         [ROLE_RIGHT] = "right: ",
        [ROLE_INDEX] = "index: ",         [ROLE_ARGUMENT] = "argument: ", [ROLE_ARGUMENT2] = "argument 2: ",
        [ROLE_VALUE] = "value: ",         [ROLE_ELEMENT] = "element: ",   [ROLE_TARGET] = "target: ",
        [ROLE_DOCUMENT] = "document: ",
};

static int dump_node(const struct node *node, void *data) {
        struct dump *dump = data;
        struct range range = node_range(node);
        unsigned indent = dump->depth < INDENT_MAX ? dump->depth : INDENT_MAX;
        int stop;

        buf_format(dump->out, "%*s%s%s", (int)indent * 2, "", roles_shown[node->role] ? roles_shown[node->role] : "",
                   shell_node_name(node));
        if (shows[node->kind])
                shows[node->kind](node, dump->out);
        buf_format(dump->out, "  %u-%u\n", range.start, range.end);
        if (node->kind == NODE_WORD && word_plain(node->word))
                return dump->out->failed;
        dump->depth++;
        stop = shell_visit_children(node, dump_node, dump);
        dump->depth--;
        return stop || dump->out->failed;
}

void shell_dump_tree(const struct script *script, struct buf *out) {
        struct dump dump = { .out = out };

        shell_visit_list(script->commands, ROLE_COMMAND, dump_node, &dump);
        if (script->error.kind != SYNTAX_OK)
                buf_format(out, "error %u:%u: %s\n", script->error.line, script->error.column, script->error.message);
}
