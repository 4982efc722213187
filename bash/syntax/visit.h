/*
 * The shape of the tree, told once: which children each kind of node has, and what they are to it. Whatever walks the
 * whole tree (the lister, the dumps, the guard) walks through here, so that no place where a command can hide is
 * forgotten by one of them.
 */
#ifndef BAILEY_SHELL_VISIT_H
#define BAILEY_SHELL_VISIT_H

#include "bash/syntax/parse.h"

enum node_kind {
        NODE_COMMAND,
        NODE_WORD,
        NODE_PART,
        NODE_ASSIGN,
        NODE_REDIR,
        NODE_CLAUSE, /* struct if_clause */
        NODE_ITEM,   /* struct case_item */
        NODE_COND,
        NODE_KINDS,
};

/* What a node is to its parent. */
enum node_role {
        ROLE_COMMAND, /* of the script itself */
        ROLE_ASSIGN,
        ROLE_WORD, /* of a simple command, or of for and select */
        ROLE_REDIR,
        ROLE_CONDITION,
        ROLE_BODY,
        ROLE_CLAUSE,
        ROLE_SUBJECT,
        ROLE_ITEM,
        ROLE_PATTERN,
        ROLE_START, /* for ((start; test; step)) */
        ROLE_TEST,
        ROLE_STEP,
        ROLE_EXPRESSION, /* of (( )) and [[ ]] */
        ROLE_LEFT,
        ROLE_RIGHT,
        ROLE_OPERAND, /* of && || ! ( ) inside [[ ]] */
        ROLE_PART,
        ROLE_INDEX,
        ROLE_ARGUMENT, /* of ${x...}, the first and the second */
        ROLE_ARGUMENT2,
        ROLE_VALUE,
        ROLE_ELEMENT,
        ROLE_TARGET,
        ROLE_DOCUMENT, /* the body of a heredoc */
        ROLE_KINDS,
};

struct node {
        enum node_kind kind;
        enum node_role role;
        union {
                const void *any;
                const struct command *command;
                const struct word *word;
                const struct part *part;
                const struct assign *assign;
                const struct redir *redir;
                const struct if_clause *clause;
                const struct case_item *item;
                const struct cond *cond;
        };
};

/* Anything but 0 ends the visit and is what the visit returns. */
typedef int node_visit(const struct node *node, void *data);

/* The children of one node, not their children: grouped by role, each group in source order. A visitor that wants all
 * of a subtree calls this again for each; the parser bounds how deep that goes (SHELL_MAX_DEPTH). */
int shell_visit_children(const struct node *node, node_visit *visit, void *data);

/* Each command of a list, with the role given. */
int shell_visit_list(const struct command *list, enum node_role role, node_visit *visit, void *data);

/* The name of a role as JSON keys spell it, and whether a parent can have more than one child in it. */
const char *node_role_name(enum node_role role);
bool node_role_many(enum node_role role);

/* Where the node stands. An if clause or a case item has no range of its own: it spans from its first child to its
 * last. */
struct range node_range(const struct node *node);

/*
 * What the enums of the tree are called, for dumps and messages, and how operators are spelled.
 */

const char *shell_node_name(const struct node *node); /* "if", "word", "double", ... */
const char *shell_join_text(enum join join);          /* "&&"; ";" for JOIN_END */
const char *shell_style_name(enum part_style style);  /* "plain" for STYLE_PLAIN */
const char *shell_param_text(enum param_op op);       /* what stands between name and operand; "" when nothing does */
const char *shell_param_name(enum param_op op);       /* "default", "prefix", ... */
const char *shell_redir_text(enum redir_op op);       /* ">>" */
const char *shell_case_end_text(int end);             /* ";;" */
const char *shell_syntax_name(enum syntax_kind kind); /* "syntax", "too-complex", "memory" */

#endif
