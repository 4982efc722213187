#include "bash/syntax/print.h"

#include "bash/syntax/printer.h"
#include "bash/syntax/visit.h"

void print_init(struct printer *p, const struct printer *outer, struct buf *out) {
        *p = (struct printer){ .out = out };
        if (outer) {
                p->outer = outer;
                p->source = outer->source;
                p->backticks = outer->backticks;
        }
        buf_init(&p->documents, out->max);
}

static void line_end(struct printer *p) {
        buf_char(p->out, '\n');
        buf_append(p->out, buf_str(&p->documents));
        p->out->failed |= p->documents.failed;
        buf_clear(&p->documents);
}

bool print_ends_line(const struct printer *p) {
        return (p->documents.len > 0 || p->documents.failed) && !p->open;
}

void print_finish(struct printer *p) {
        if (p->documents.len > 0 || p->documents.failed)
                line_end(p);
        buf_free(&p->documents);
}

void print_gap(struct printer *p) {
        if (print_ends_line(p))
                line_end(p);
        else
                buf_char(p->out, ' ');
}

static void print_join(struct printer *p, enum join join) {
        if (join == JOIN_END && !print_ends_line(p)) {
                buf_char(p->out, ';');
        } else if (join != JOIN_END) {
                buf_char(p->out, ' ');
                print_text(p, shell_join_text(join));
        }
        print_gap(p);
}

/* ---- simple commands ---- */

/* The arguments spelled a=(...) stand twice, in `words` and in `assigns` behind those before the name; the first of
 * them. */
static const struct assign *first_argument(const struct command *simple) {
        const struct assign *assign = simple->simple.assigns;

        if (!simple->simple.words)
                return NULL;
        while (assign && assign->range.start <= simple->simple.words->range.start)
                assign = assign->next;
        return assign;
}

static bool same_range(struct range a, struct range b) {
        return a.start == b.start && a.end == b.end;
}

bool print_word_is(const struct word *word, const char *text) {
        struct str rest = str_z(text);

        if (!word)
                return false;
        for (const struct part *part = word->parts; part; part = part->next) {
                if (part->kind != PART_LITERAL || !str_starts(rest, part->text))
                        return false;
                rest = str_skip(rest, part->text.len);
        }
        return rest.len == 0;
}

static void print_space(struct printer *p, bool *inside) {
        if (*inside)
                buf_char(p->out, ' ');
        *inside = true;
}

static void print_redirs(struct printer *p, const struct redir *redirs, bool *inside) {
        for (const struct redir *redir = redirs; redir; redir = redir->next) {
                print_space(p, inside);
                print_redir(p, redir);
        }
}

/*
 * Redirections stay where they stood: behind one, a reserved word is just a word, `f@()` begins no function, and a
 * backslash that means itself is the last byte of all. No other order keeps all of that.
 */
static const struct redir *print_redirs_before(struct printer *p, const struct redir *redir, struct range range, bool *inside) {
        for (; redir && redir->range.start < range.start; redir = redir->next) {
                print_space(p, inside);
                print_redir(p, redir);
        }
        return redir;
}

static void print_simple(struct printer *p, const struct command *command, bool inside) {
        const struct assign *argument = first_argument(command);
        const struct redir *redir = command->redirs;

        for (const struct assign *assign = command->simple.assigns; assign != argument; assign = assign->next) {
                redir = print_redirs_before(p, redir, assign->range, &inside);
                print_space(p, &inside);
                print_assign(p, assign);
        }
        for (const struct word *word = command->simple.words; word; word = word->next) {
                redir = print_redirs_before(p, redir, word->range, &inside);
                print_space(p, &inside);
                if (argument && same_range(argument->range, word->range)) {
                        print_assign(p, argument);
                        argument = argument->next;
                } else {
                        print_word(p, word);
                }
        }
        print_redirs(p, redir, &inside);
}

/* ---- lists ---- */

static bool command_empty(const struct command *command) {
        return command->kind == COMMAND_SIMPLE && !command->simple.assigns && !command->simple.words && !command->redirs;
}

static bool prefix_word(struct printer *p, bool wanted, const char *text, bool inside) {
        if (wanted) {
                print_space(p, &inside);
                print_text(p, text);
        }
        return inside;
}

/* Would be read as an option of `time`. */
static bool name_is_option(const struct command *simple) {
        return !simple->negated && !simple->simple.assigns &&
               (print_word_is(simple->simple.words, "-p") || print_word_is(simple->simple.words, "--"));
}

void print_command(struct printer *p, const struct command *command) {
        bool simple = command->kind == COMMAND_SIMPLE, inside = false;

        inside = prefix_word(p, command->timed, command->timed_posix ? "time -p" : "time", inside);
        inside = prefix_word(p, command->timed && simple && name_is_option(command), "--", inside);
        inside = prefix_word(p, command->negated, "!", inside);
        if (!inside && command_empty(command))
                print_text(p, "! !"); /* all that can be said twice and come to nothing */
        if (simple) {
                print_simple(p, command, inside);
                return;
        }
        print_space(p, &inside);
        print_compound(p, command);
        print_redirs(p, command->redirs, &inside);
}

/* Whether a line of the source ends between the two: only there does `shopt -s extglob` change how the rest is read. */
static bool line_between(const struct printer *p, const struct command *a, const struct command *b) {
        size_t start = a->range.end, end = b->range.start;

        return !p->open && start < end && end <= p->source.len && memchr(p->source.ptr + start, '\n', end - start);
}

static bool sets_extglob(const struct command *command) {
        const struct word *word = command->kind == COMMAND_SIMPLE ? command->simple.words : NULL;

        if (!print_word_is(word, "shopt"))
                return false;
        while (word && !print_word_is(word, "extglob"))
                word = word->next;
        return word;
}

static bool list_print(struct printer *p, const struct command *list, bool enclosed) {
        bool background = false, extglob = false;

        for (; list; list = list->next) {
                print_command(p, list);
                background = list->join == JOIN_BACKGROUND;
                extglob |= sets_extglob(list);
                if (extglob && list->next && list->join == JOIN_END && line_between(p, list, list->next)) {
                        extglob = false;
                        line_end(p);
                } else if (list->next) {
                        print_join(p, list->join);
                } else if (background) {
                        print_text(p, " &");
                } else if (enclosed && command_empty(list)) {
                        print_text(p, ";"); /* `!` and `time` take a line end or ; but no ) */
                }
        }
        return background;
}

bool print_list(struct printer *p, const struct command *list) {
        return list_print(p, list, false);
}

void print_enclosed(struct printer *p, const struct command *list) {
        list_print(p, list, true);
}

/* Two parentheses would begin arithmetic. */
void print_nested(struct printer *p, const struct command *list) {
        if (list && !list->negated && !list->timed && (list->kind == COMMAND_SUBSHELL || list->kind == COMMAND_ARITH))
                buf_char(p->out, ' ');
        print_enclosed(p, list);
}

void shell_print(struct str source, const struct command *list, struct buf *out) {
        struct printer p;

        print_init(&p, NULL, out);
        p.source = source;
        print_list(&p, list);
        print_finish(&p);
}

void shell_print_word(struct str source, const struct word *word, struct buf *out) {
        struct printer p;

        print_init(&p, NULL, out);
        p.source = source;
        print_word(&p, word);
        print_finish(&p);
}
