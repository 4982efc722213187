/*
 * What the files of the printer share, and nobody else.
 */
#ifndef BAILEY_SHELL_PRINTER_H
#define BAILEY_SHELL_PRINTER_H

#include "base/buf.h"
#include "bash/syntax/ast.h"

/* One per text that has line ends of its own: the script, and each substitution in it. */
struct printer {
        struct buf *out;
        struct buf documents; /* heredoc bodies that belong behind the next line end, delimiters included */
        const struct printer *outer;
        struct str delimiter; /* of the document that this is the body of, else empty */
        bool tabs;            /* that document's operator is <<- */
        struct str source;
        unsigned backticks; /* how many backticks we are inside of: so often is the source escaped there */
        bool closed;        /* something follows this text, so every heredoc needs its delimiter */
        bool open;          /* the last document has no delimiter, so it has to be the last thing of all */
};

/* Where parts stand: decides what has to be escaped. */
enum quoting {
        QUOTING_NONE, /* words, operands of ${}, arithmetic: literals are as they were written */
        QUOTING_DOUBLE,
        QUOTING_DOCUMENT,
};

/* print.c */
void print_init(struct printer *p, const struct printer *outer, struct buf *out);
void print_finish(struct printer *p);                               /* the last line's heredocs; frees */
bool print_list(struct printer *p, const struct command *list);     /* whether it ended in & */
void print_enclosed(struct printer *p, const struct command *list); /* before an operator that ends no command */
void print_nested(struct printer *p, const struct command *list);   /* the same between parentheses */
void print_command(struct printer *p, const struct command *command);
bool print_word_is(const struct word *word, const char *text); /* unquoted; false for NULL */
bool print_ends_line(const struct printer *p);                 /* whether heredocs wait for the end of the line */
void print_gap(struct printer *p);                             /* that end, or a space */

/* print_compound.c */
void print_compound(struct printer *p, const struct command *command);

/* print_word.c */
void print_word(struct printer *p, const struct word *word);
void print_words(struct printer *p, const struct word *words, const char *separator);
void print_source(struct printer *p, struct range range); /* a piece of the source, as it stands */
void print_parts(struct printer *p, const struct part *parts, enum quoting quoting);

/* print_word.c */
void print_param(struct printer *p, const struct param *param);

/* print_redir.c */
void print_assign(struct printer *p, const struct assign *assign);
void print_redir(struct printer *p, const struct redir *redir);

static inline void print_text(struct printer *p, const char *text) {
        buf_append(p->out, str_z(text));
}

#endif
