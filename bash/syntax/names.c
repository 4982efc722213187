#include "bash/syntax/visit.h"

static const char *const command_names[] = {
        [COMMAND_SIMPLE] = "simple",
        [COMMAND_SUBSHELL] = "subshell",
        [COMMAND_GROUP] = "group",
        [COMMAND_IF] = "if",
        [COMMAND_WHILE] = "while",
        [COMMAND_UNTIL] = "until",
        [COMMAND_FOR] = "for",
        [COMMAND_SELECT] = "select",
        [COMMAND_FOR_ARITH] = "for-arith",
        [COMMAND_CASE] = "case",
        [COMMAND_ARITH] = "arith",
        [COMMAND_COND] = "cond",
        [COMMAND_FUNCTION] = "function",
        [COMMAND_COPROC] = "coproc",
};

static const char *const part_names[] = {
        [PART_LITERAL] = "literal", [PART_QUOTED] = "quoted", [PART_DOUBLE] = "double",   [PART_PARAM] = "param",
        [PART_COMMAND] = "command", [PART_ARITH] = "arith",   [PART_EXTGLOB] = "extglob",
};

static const char *const cond_names[] = {
        [COND_AND] = "and",     [COND_OR] = "or",         [COND_NOT] = "not",   [COND_GROUP] = "group",
        [COND_UNARY] = "unary", [COND_BINARY] = "binary", [COND_WORD] = "word",
};

static const char *const node_names[NODE_KINDS] = {
        [NODE_WORD] = "word",     [NODE_ASSIGN] = "assign", [NODE_REDIR] = "redirect",
        [NODE_CLAUSE] = "clause", [NODE_ITEM] = "item",
};

const char *shell_node_name(const struct node *node) {
        switch (node->kind) {
        case NODE_COMMAND:
                return command_names[node->command->kind];
        case NODE_PART:
                return part_names[node->part->kind];
        case NODE_COND:
                return cond_names[node->cond->kind];
        default:
                return node_names[node->kind];
        }
}

const char *shell_join_text(enum join join) {
        static const char *const texts[] = {
                [JOIN_END] = ";", [JOIN_BACKGROUND] = "&", [JOIN_AND] = "&&",
                [JOIN_OR] = "||", [JOIN_PIPE] = "|",       [JOIN_PIPE_BOTH] = "|&",
        };

        return texts[join];
}

const char *shell_style_name(enum part_style style) {
        static const char *const names[] = {
                [STYLE_PLAIN] = "plain", [STYLE_BACKSLASH] = "backslash", [STYLE_SINGLE] = "single",
                [STYLE_ANSI] = "ansi",   [STYLE_LOCALE] = "locale",       [STYLE_BACKTICK] = "backtick",
                [STYLE_INPUT] = "input", [STYLE_OUTPUT] = "output",       [STYLE_BRACKET] = "bracket",
        };

        return names[style];
}

static const struct {
        const char *text, *name;
} param_ops[] = {
        [PARAM_PLAIN] = { "", "plain" },
        [PARAM_DEFAULT] = { "-", "default" },
        [PARAM_ASSIGN] = { "=", "assign" },
        [PARAM_ERROR] = { "?", "error" },
        [PARAM_ALTERNATE] = { "+", "alternate" },
        [PARAM_SUBSTRING] = { ":", "substring" },
        [PARAM_PREFIX] = { "#", "prefix" },
        [PARAM_PREFIX_LONG] = { "##", "prefix-long" },
        [PARAM_SUFFIX] = { "%", "suffix" },
        [PARAM_SUFFIX_LONG] = { "%%", "suffix-long" },
        [PARAM_REPLACE] = { "/", "replace" },
        [PARAM_REPLACE_ALL] = { "//", "replace-all" },
        [PARAM_REPLACE_PREFIX] = { "/#", "replace-prefix" },
        [PARAM_REPLACE_SUFFIX] = { "/%", "replace-suffix" },
        [PARAM_UPPER] = { "^", "upper" },
        [PARAM_UPPER_ALL] = { "^^", "upper-all" },
        [PARAM_LOWER] = { ",", "lower" },
        [PARAM_LOWER_ALL] = { ",,", "lower-all" },
        [PARAM_TOGGLE] = { "~", "toggle" },
        [PARAM_TOGGLE_ALL] = { "~~", "toggle-all" },
        [PARAM_TRANSFORM] = { "@", "transform" },
        [PARAM_NAMES] = { "", "names" },
        [PARAM_BAD] = { "", "bad" },
};

const char *shell_param_text(enum param_op op) {
        return param_ops[op].text;
}

const char *shell_param_name(enum param_op op) {
        return param_ops[op].name;
}

const char *shell_redir_text(enum redir_op op) {
        static const char *const texts[] = {
                [REDIR_INPUT] = "<",         [REDIR_OUTPUT] = ">",     [REDIR_CLOBBER] = ">|",       [REDIR_APPEND] = ">>",
                [REDIR_READ_WRITE] = "<>",   [REDIR_DUP_INPUT] = "<&", [REDIR_DUP_OUTPUT] = ">&",    [REDIR_BOTH] = "&>",
                [REDIR_BOTH_APPEND] = "&>>", [REDIR_HEREDOC] = "<<",   [REDIR_HEREDOC_TABS] = "<<-", [REDIR_HERESTRING] = "<<<",
        };

        return texts[op];
}

const char *shell_case_end_text(int end) {
        static const char *const texts[] = { [CASE_BREAK] = ";;", [CASE_FALL] = ";&", [CASE_RETEST] = ";;&" };

        return texts[end];
}

const char *shell_syntax_name(enum syntax_kind kind) {
        static const char *const names[] = {
                [SYNTAX_OK] = "ok",
                [SYNTAX_ERROR] = "syntax",
                [SYNTAX_CONDITION] = "condition",
                [SYNTAX_TOO_COMPLEX] = "too-complex",
                [SYNTAX_NO_MEMORY] = "memory",
        };

        return names[kind];
}
