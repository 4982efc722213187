/*
 * What the enums of the tree are called, for dumps and messages, and how operators are spelled.
 */
#ifndef BAILEY_SHELL_NAMES_H
#define BAILEY_SHELL_NAMES_H

#include "bash/syntax/visit.h"

const char *shell_node_name(const struct node *node); /* "if", "word", "double", ... */
const char *shell_join_text(enum join join);          /* "&&"; ";" for JOIN_END */
const char *shell_style_name(enum part_style style);  /* "plain" for STYLE_PLAIN */
const char *shell_param_text(enum param_op op);       /* what stands between name and operand; "" when nothing does */
const char *shell_param_name(enum param_op op);       /* "default", "prefix", ... */
const char *shell_redir_text(enum redir_op op);       /* ">>" */
const char *shell_case_end_text(int end);             /* ";;" */
const char *shell_syntax_name(enum syntax_kind kind); /* "syntax", "too-complex", "memory" */

#endif
