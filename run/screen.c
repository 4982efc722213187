#include "run/screen_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- the whole ---- */

static int page_new(struct screen_page *page, unsigned rows, unsigned columns) {
        page->cells = calloc((size_t)rows * columns, sizeof(*page->cells));
        for (unsigned i = 0; page->cells && i < rows; i++)
                page->lines[i].cells = page->cells + (size_t)i * columns;
        return page->cells ? 0 : -1;
}

static void page_clear(const struct screen *s, struct screen_page *page) {
        for (unsigned i = 0; i < s->rows; i++) {
                memset(page->lines[i].cells, 0, page->lines[i].used * sizeof(*page->cells));
                page->lines[i].used = 0;
        }
}

void screen_default_tabs(struct screen *s) {
        for (unsigned i = 0; i < SCREEN_COLUMNS_MAX; i++)
                s->tabs[i] = i && i % 8 == 0;
}

void screen_reset(struct screen *s) {
        for (size_t i = 0; i < 2; i++) {
                page_clear(s, &s->pages[i]);
                s->pages[i].saved = (struct screen_place){};
        }
        s->page = &s->pages[0];
        s->at = (struct screen_place){};
        s->top = 0;
        s->bottom = s->rows - 1;
        s->insert = s->no_wrap = s->hidden = s->newline = s->application_cursor = false;
        s->last = 0;
        screen_default_tabs(s);
}

int screen_new(unsigned rows, unsigned columns, struct screen **ret, struct err *err) {
        struct screen *s = calloc(1, sizeof(*s));

        if (!s || page_new(&s->pages[0], rows, columns) < 0 || page_new(&s->pages[1], rows, columns) < 0) {
                screen_free(s);
                return err_memory(err);
        }
        s->rows = rows;
        s->columns = columns;
        screen_reset(s);
        *ret = s;
        return 0;
}

void screen_free(struct screen *s) {
        if (!s)
                return;
        free(s->pages[0].cells);
        free(s->pages[1].cells);
        free(s);
}

/* ---- its size ---- */

static unsigned least(unsigned a, unsigned b) {
        return a < b ? a : b;
}

/* `skip`: rows at the top that go. */
static void page_copy(const struct screen *from, const struct screen_page *old, struct screen_page *new, unsigned rows,
                      unsigned columns, unsigned skip) {
        for (unsigned i = 0; i < rows && i + skip < from->rows; i++) {
                new->lines[i].used = least(columns, old->lines[i + skip].used);
                memcpy(new->lines[i].cells, old->lines[i + skip].cells, new->lines[i].used * sizeof(*new->cells));
                if (screen_width(new->lines[i].cells[columns - 1].code) == 2) /* its other half is gone */
                        new->lines[i].cells[columns - 1] = (struct screen_cell){};
        }
        new->saved = old->saved;
        new->saved.row = least(new->saved.row, rows - 1);
        new->saved.column = least(new->saved.column, columns - 1);
        free(old->cells);
}

int screen_resize(struct screen *s, unsigned rows, unsigned columns, struct err *err) {
        struct screen_page new[2] = {};
        unsigned skip = s->at.row >= rows ? s->at.row - rows + 1 : 0;
        size_t in_use = (size_t)(s->page - s->pages);

        if (page_new(&new[0], rows, columns) < 0 || page_new(&new[1], rows, columns) < 0) {
                free(new[0].cells);
                return err_memory(err);
        }
        for (size_t i = 0; i < 2; i++) {
                page_copy(s, &s->pages[i], &new[i], rows, columns, i == in_use ? skip : 0);
                s->pages[i] = new[i];
        }
        s->rows = rows;
        s->columns = columns;
        s->top = 0;
        s->bottom = rows - 1;
        screen_move(s, s->at.row - skip, s->at.column);
        return 0;
}

/* ---- the cursor ---- */

void screen_move(struct screen *s, unsigned row, unsigned column) {
        s->at.row = least(row, s->rows - 1);
        s->at.column = least(column, s->columns - 1);
        s->at.wraps = false;
}

void screen_index(struct screen *s) {
        s->at.wraps = false;
        if (s->at.row == s->bottom)
                screen_scroll(s, s->top, s->bottom, 1, false);
        else if (s->at.row + 1 < s->rows)
                s->at.row++;
}

void screen_reverse_index(struct screen *s) {
        s->at.wraps = false;
        if (s->at.row == s->top)
                screen_scroll(s, s->top, s->bottom, 1, true);
        else if (s->at.row)
                s->at.row--;
}

/* ---- rows ---- */

/* Half of a wide character is none. */
static void mend(struct screen *s, unsigned row, unsigned column) {
        struct screen_cell *line = s->page->lines[row].cells;

        if (column < s->columns && line[column].code == CELL_TAIL && (column == 0 || screen_width(line[column - 1].code) != 2))
                line[column] = (struct screen_cell){};
        if (column > 0 && screen_width(line[column - 1].code) == 2 && line[column - 1].code != CELL_TAIL &&
            (column == s->columns || line[column].code != CELL_TAIL))
                line[column - 1] = (struct screen_cell){};
}

void screen_erase(struct screen *s, unsigned row, unsigned first, unsigned end) {
        struct screen_line *line = &s->page->lines[row];

        if (first >= end)
                return;
        if (first < line->used)
                memset(line->cells + first, 0, (least(end, line->used) - first) * sizeof(*line->cells));
        if (end >= line->used)
                line->used = least(line->used, first);
        mend(s, row, first);
        mend(s, row, least(end, s->columns));
}

static void rotate(struct screen_line *lines, unsigned count, unsigned by) {
        struct screen_line moved[SCREEN_ROWS_MAX];

        memcpy(moved, lines, by * sizeof(*lines));
        memmove(lines, lines + by, (count - by) * sizeof(*lines));
        memcpy(lines + count - by, moved, by * sizeof(*lines));
}

void screen_scroll(struct screen *s, unsigned first, unsigned last, unsigned count, bool down) {
        unsigned rows = last - first + 1;

        count = least(count, rows);
        rotate(s->page->lines + first, rows, down ? rows - count : count);
        for (unsigned i = 0; i < count; i++)
                screen_erase(s, down ? first + i : last - i, 0, s->columns);
}

void screen_shift(struct screen *s, unsigned count, bool right) {
        unsigned column = s->at.column, rest = s->columns - column;
        struct screen_cell *line = s->page->lines[s->at.row].cells;
        unsigned *used = &s->page->lines[s->at.row].used;

        if (column >= *used)
                return;
        count = least(count, rest);
        if (right)
                *used = least(*used + count, s->columns);
        if (right)
                memmove(line + column + count, line + column, (rest - count) * sizeof(*line));
        else
                memmove(line + column, line + column + count, (rest - count) * sizeof(*line));
        screen_erase(s, s->at.row, right ? column : s->columns - count, right ? column + count : s->columns);
        mend(s, s->at.row, column);
        mend(s, s->at.row, right ? s->columns : column + rest - count);
}

void screen_alternate(struct screen *s, bool alternate, bool clear) {
        s->page = &s->pages[alternate];
        if (clear)
                page_clear(s, &s->pages[1]);
}

/* ---- characters ---- */

static void combine(struct screen *s, uint32_t mark) {
        unsigned column = s->at.wraps ? s->at.column : s->at.column ? s->at.column - 1 : 0;
        struct screen_cell *line = s->page->lines[s->at.row].cells;

        if (line[column].code == CELL_TAIL && column)
                column--;
        if (line[column].code && !line[column].mark)
                line[column].mark = mark;
}

static void wrap(struct screen *s) {
        screen_index(s);
        s->at.column = 0;
}

void screen_put(struct screen *s, uint32_t code) {
        unsigned width = screen_width(code), column;
        struct screen_line *line;

        if (width == 0) {
                combine(s, code);
                return;
        }
        if (width > s->columns)
                return;
        if (s->at.wraps && !s->no_wrap)
                wrap(s);
        if (s->at.column + width > s->columns) { /* a wide one in the last column */
                if (s->no_wrap)
                        return;
                wrap(s);
        }
        if (s->insert)
                screen_shift(s, width, true);
        column = s->at.column;
        line = &s->page->lines[s->at.row];
        line->cells[column] = (struct screen_cell){ .code = code };
        if (width == 2)
                line->cells[column + 1] = (struct screen_cell){ .code = CELL_TAIL };
        line->used = line->used > column + width ? line->used : column + width;
        mend(s, s->at.row, column);
        mend(s, s->at.row, column + width);
        s->at.wraps = column + width == s->columns;
        s->at.column = s->at.wraps ? s->columns - 1 : column + width;
        s->last = code;
}

/* ---- what is seen ---- */

void screen_state(const struct screen *s, struct screen_state *ret) {
        *ret = (struct screen_state){ .rows = s->rows,
                                      .columns = s->columns,
                                      .row = s->at.row,
                                      .column = s->at.column,
                                      .cursor_shown = !s->hidden,
                                      .alternate = s->page == &s->pages[1],
                                      .application_cursor = s->application_cursor };
}

static void put_code(struct buf *out, uint32_t code) {
        if (code < 0x80) {
                buf_char(out, (char)code);
                return;
        }
        if (code < 0x800) {
                buf_char(out, (char)(0xc0 | code >> 6));
        } else {
                if (code < 0x10000) {
                        buf_char(out, (char)(0xe0 | code >> 12));
                } else {
                        buf_char(out, (char)(0xf0 | code >> 18));
                        buf_char(out, (char)(0x80 | (code >> 12 & 0x3f)));
                }
                buf_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
        }
        buf_char(out, (char)(0x80 | (code & 0x3f)));
}

void screen_row(const struct screen *s, unsigned row, struct buf *out) {
        const struct screen_cell *line = s->page->lines[row].cells;
        unsigned end = s->columns;

        while (end && (line[end - 1].code == CELL_BLANK || line[end - 1].code == ' ') && !line[end - 1].mark)
                end--;
        for (unsigned i = 0; i < end; i++) {
                if (line[i].code == CELL_TAIL)
                        continue;
                put_code(out, line[i].code == CELL_BLANK ? ' ' : line[i].code);
                if (line[i].mark)
                        put_code(out, line[i].mark);
        }
}

bool screen_row_full(const struct screen *s, unsigned row) {
        const struct screen_cell *last = &s->page->lines[row].cells[s->columns - 1];

        return last->code != CELL_BLANK && last->code != ' ';
}
