#include "bash/syntax/printer.h"
#include "bash/syntax/visit.h"

/* A list up to the reserved word that ends it. `;` goes between, unless & or a heredoc has ended the last command. */
static void print_block(struct printer *p, const struct command *list, const char *closing) {
        if (!print_list(p, list) && !print_ends_line(p))
                buf_char(p->out, ';');
        print_gap(p);
        print_text(p, closing);
}

static void print_subshell(struct printer *p, const struct command *command) {
        print_text(p, "(");
        print_nested(p, command->body);
        buf_char(p->out, ')');
}

static void print_group(struct printer *p, const struct command *command) {
        print_text(p, "{ ");
        print_block(p, command->body, "}");
}

static void print_if(struct printer *p, const struct command *command) {
        const char *keyword = "if ";

        for (const struct if_clause *clause = command->clauses; clause; clause = clause->next) {
                if (clause->condition) {
                        print_text(p, keyword);
                        print_block(p, clause->condition, "then ");
                } else {
                        print_text(p, "else ");
                }
                print_block(p, clause->body, clause->next ? "" : "fi");
                keyword = "elif ";
        }
}

static void print_loop(struct printer *p, const struct command *command) {
        print_text(p, command->kind == COMMAND_UNTIL ? "until " : "while ");
        print_block(p, command->loop.condition, "do ");
        print_block(p, command->loop.body, "done");
}

static void print_for(struct printer *p, const struct command *command) {
        const struct for_clause *each = command->each;

        print_text(p, command->kind == COMMAND_SELECT ? "select " : "for ");
        buf_append(p->out, each->name);
        if (each->has_in)
                print_text(p, each->words ? " in " : " in");
        print_words(p, each->words, " ");
        print_text(p, "; do ");
        print_block(p, each->body, "done");
}

static void print_for_arith(struct printer *p, const struct command *command) {
        const struct for_clause *each = command->each;

        print_text(p, "for ((");
        for (size_t i = 0; i < 3; i++) {
                if (each->arith[i])
                        print_parts(p, each->arith[i]->parts, QUOTING_NONE);
                if (i < 2)
                        buf_char(p->out, ';');
        }
        print_text(p, ")); do ");
        print_block(p, each->body, "done");
}

/* Inside a substitution the parentheses are balanced: in a pattern, bash counts them. */
static void print_case_item(struct printer *p, const struct case_item *item) {
        if (p->outer || print_word_is(item->patterns, "esac"))
                buf_char(p->out, '(');
        print_words(p, item->patterns, "|");
        print_text(p, ") ");
        print_enclosed(p, item->body);
        if (item->body)
                buf_char(p->out, ' ');
        print_text(p, shell_case_end_text(item->end));
        print_gap(p);
}

static void print_case(struct printer *p, const struct command *command) {
        print_text(p, "case ");
        print_word(p, command->choice->subject);
        print_text(p, " in ");
        for (const struct case_item *item = command->choice->items; item; item = item->next)
                print_case_item(p, item);
        print_text(p, "esac");
}

static void print_arith(struct printer *p, const struct command *command) {
        print_text(p, "((");
        print_parts(p, command->arith->parts, QUOTING_NONE);
        print_text(p, "))");
}

static void print_cond(struct printer *p, const struct cond *cond) {
        static const char *const before[] = { [COND_NOT] = "! ", [COND_GROUP] = "( ", [COND_WORD] = NULL };
        const char *between = cond->kind == COND_AND ? " && " : " || ";

        if (before[cond->kind])
                print_text(p, before[cond->kind]);
        if (cond->kind == COND_UNARY) {
                buf_append(p->out, cond->op);
                buf_char(p->out, ' ');
        }
        if (cond->left)
                print_word(p, cond->left);
        if (cond->kind == COND_BINARY) {
                buf_char(p->out, ' ');
                buf_append(p->out, cond->op);
                buf_char(p->out, ' ');
                print_word(p, cond->right);
        }
        for (const struct cond *child = cond->children; child; child = child->next) {
                print_cond(p, child);
                if (child->next)
                        print_text(p, between);
        }
        if (cond->kind == COND_GROUP)
                print_text(p, " )");
}

static void print_cond_command(struct printer *p, const struct command *command) {
        print_text(p, "[[ ");
        print_cond(p, command->cond);
        print_text(p, " ]]");
}

static bool reserved(struct str name) {
        static const char *const words[] = {
                "!",   "[[",       "]]", "case", "coproc", "do",   "done", "elif",  "else",  "esac", "fi",
                "for", "function", "if", "in",   "select", "then", "time", "until", "while", "{",    "}",
        };

        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
                if (str_eq(name, str_z(words[i])))
                        return true;
        return false;
}

static bool function_name_plain(struct str name) {
        for (size_t i = 0; i < name.len; i++) {
                unsigned char c = (unsigned char)name.ptr[i];
                if (!is_ascii_alnum(c) && c < 0x80 && !(c && strchr("_-.:/", c)))
                        return false;
        }
        return !reserved(name);
}

/* Some names can be had only with the reserved word, and those with blanks in a subscript only without. */
static void print_function(struct printer *p, const struct command *command) {
        const struct function *function = command->function;
        bool plain = function_name_plain(function->name), keyword = command->range.start < function->name_range.start;

        print_text(p, keyword && !plain ? "function " : "");
        buf_append(p->out, function->name);
        print_text(p, plain ? "() " : " () ");
        print_command(p, function->body);
}

static void print_coproc(struct printer *p, const struct command *command) {
        print_text(p, "coproc ");
        if (command->coproc->name.len) {
                buf_append(p->out, command->coproc->name);
                buf_char(p->out, ' ');
        }
        print_command(p, command->coproc->body);
}

void print_compound(struct printer *p, const struct command *command) {
        static void (*const printers[])(struct printer *, const struct command *) = {
                [COMMAND_SUBSHELL] = print_subshell, [COMMAND_GROUP] = print_group,         [COMMAND_IF] = print_if,
                [COMMAND_WHILE] = print_loop,        [COMMAND_UNTIL] = print_loop,          [COMMAND_FOR] = print_for,
                [COMMAND_SELECT] = print_for,        [COMMAND_FOR_ARITH] = print_for_arith, [COMMAND_CASE] = print_case,
                [COMMAND_ARITH] = print_arith,       [COMMAND_COND] = print_cond_command,   [COMMAND_FUNCTION] = print_function,
                [COMMAND_COPROC] = print_coproc,
        };

        printers[command->kind](p, command);
}
