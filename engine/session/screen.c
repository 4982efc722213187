/*
 * What the terminals of background commands show, and their size.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/config.h"
#include "engine/session/session.h"

enum { TEXT_MAX = SCREEN_ROWS_MAX * (SCREEN_COLUMNS_MAX + 1) * 8 };

static int check_size(int rows, int columns, struct err *err) {
        if (rows >= 1 && rows <= SCREEN_ROWS_MAX && columns >= 1 && columns <= SCREEN_COLUMNS_MAX)
                return 0;
        return err_set(err, ERR_INVALID, "a terminal cannot have %d rows of %d columns: at most %d of %d", rows, columns,
                       SCREEN_ROWS_MAX, SCREEN_COLUMNS_MAX);
}

int shell_open_screen(struct shell *shell, const struct bailey_run_options *options, struct err *err) {
        int rows = options->rows ? options->rows : SCREEN_ROWS, columns = options->columns ? options->columns : SCREEN_COLUMNS;

        if (!options->background || options->terminal == BAILEY_TERMINAL_NONE)
                return 0;
        return check_size(rows, columns, err) < 0 ? -1 : screen_new((unsigned)rows, (unsigned)columns, &shell->screen, err);
}

/* ---- the text ---- */

static void keep(void *context, struct str bytes) {
        buf_append(context, bytes);
}

/* A text that goes on over several rows is searched for secrets as a whole: one that is found is in one row then. */
static void put_hidden(const struct redactor *redactor, struct str text, unsigned rows, struct buf *out) {
        struct redact_state state = {};
        struct str joined;
        BUF_AUTO whole, hidden;

        buf_init(&whole, TEXT_MAX);
        buf_init(&hidden, TEXT_MAX);
        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] != '\n')
                        buf_char(&whole, text.ptr[i]);
        joined = buf_str(&whole);
        redact_feed(redactor, &state, joined, keep, &hidden);
        redact_end(redactor, &state, keep, &hidden);
        out->failed |= whole.failed || hidden.failed;
        if (str_eq(joined, buf_str(&hidden))) {
                buf_append(out, text);
                return;
        }
        buf_append(out, buf_str(&hidden));
        for (unsigned i = 0; i < rows; i++)
                buf_char(out, '\n');
}

static void put_rows(const struct screen *screen, const struct redactor *redactor, unsigned first, unsigned end,
                     struct buf *out) {
        BUF_AUTO text;

        buf_init(&text, TEXT_MAX);
        for (unsigned row = first; row < end; row++) {
                screen_row(screen, row, &text);
                buf_char(&text, '\n');
        }
        out->failed |= text.failed;
        if (redactor)
                put_hidden(redactor, buf_str(&text), end - first, out);
        else
                buf_append(out, buf_str(&text));
}

static void put_text(const struct screen *screen, const struct redactor *redactor, unsigned rows, struct buf *out) {
        for (unsigned row = 0, first = 0; row < rows; row++)
                if (row + 1 == rows || !screen_row_full(screen, row)) {
                        put_rows(screen, redactor, first, row + 1, out);
                        first = row + 1;
                }
        while (out->len > 1 && out->ptr[out->len - 1] == '\n' && out->ptr[out->len - 2] == '\n')
                out->len--;
        if (out->len == 1 && out->ptr[0] == '\n')
                out->len = 0;
}

static int show(const struct shell *shell, struct arena *arena, struct bailey_screen *ret) {
        struct screen_state state;
        BUF_AUTO text;
        char *copy;

        screen_state(shell->screen, &state);
        buf_init(&text, TEXT_MAX);
        put_text(shell->screen, shell->out.redactor, state.rows, &text);
        copy = text.failed ? NULL : arena_dup(arena, buf_str(&text));
        if (!copy)
                return -1;
        *ret = (struct bailey_screen){ .text = copy,
                                       .length = text.len,
                                       .rows = (int)state.rows,
                                       .columns = (int)state.columns,
                                       .row = (int)state.row + 1,
                                       .column = (int)state.column + 1,
                                       .cursor_shown = state.cursor_shown,
                                       .alternate = state.alternate };
        return 0;
}

void shell_close_screen(struct shell *shell) {
        if (!shell->screen)
                return;
        shell->last = ARENA_NEW(&shell->arena, struct bailey_screen);
        if (shell->last && show(shell, &shell->arena, shell->last) < 0)
                *shell->last = (struct bailey_screen){ .text = "" };
        screen_free(shell->screen);
        shell->screen = shell->out.screen = NULL;
}

static int copy_last(const struct bailey_screen *last, struct arena *arena, struct bailey_screen *ret) {
        char *copy = arena_dup(arena, str_from(last->text, last->length));

        if (!copy)
                return -1;
        *ret = *last;
        ret->text = copy;
        return 0;
}

static struct shell *find_screen(struct bailey_session *session, const char *id, struct err *err) {
        struct shell *shell = session_find(session, id);

        if (!shell)
                err_set(err, ERR_NOT_FOUND, "no shell has the id %.64s", id);
        else if (!shell->screen && !shell->last)
                err_set(err, ERR_INVALID, "it has no screen: it was started without a terminal (pty: true)");
        else
                return shell;
        return NULL;
}

int bailey_screen(struct bailey_session *session, const char *id, struct bailey_screen *ret, char *ret_error,
                  size_t error_size) {
        struct err err = {};
        struct shell *shell = find_screen(session, id, &err);
        struct arena *memory = shell ? config_memory_new(&err) : NULL;
        struct bailey_screen screen;

        if (!memory)
                return config_hand_error(&err, ret_error, error_size);
        if ((shell->last ? copy_last(shell->last, memory, &screen) : show(shell, memory, &screen)) < 0) {
                config_memory_free(memory);
                err_memory(&err);
                return config_hand_error(&err, ret_error, error_size);
        }
        *ret = screen;
        ret->memory = memory;
        return 0;
}

void bailey_screen_free(struct bailey_screen *screen) {
        config_memory_free(screen->memory);
        *screen = (struct bailey_screen){};
}

/* ---- the size ---- */

int bailey_resize(struct bailey_session *session, const char *id, int rows, int columns, char *ret_error, size_t error_size) {
        struct shell *shell = session_find(session, id);
        struct err err = {};

        if (!shell)
                err_set(&err, ERR_NOT_FOUND, "no shell has the id %.64s", id);
        else if (!shell->screen)
                err_set(&err, ERR_REFUSED, shell->ended ? "the command has ended" : "it has no terminal (pty: true)");
        else if (check_size(rows, columns, &err) == 0 &&
                 screen_resize(shell->screen, (unsigned)rows, (unsigned)columns, &err) == 0 &&
                 job_resize(&shell->run->job, (unsigned)rows, (unsigned)columns) < 0)
                err_set(&err, ERR_REFUSED, "its terminal is not there yet; try again");
        return err.code ? config_hand_error(&err, ret_error, error_size) : 0;
}
