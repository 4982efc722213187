#include "hook/edit.h"

#include <stdlib.h>
#include <string.h>

/* ---- style ---- */

struct style {
        struct str newline; /* empty: all on one line */
        struct str unit;    /* of indentation */
        struct str outer;   /* indentation of the line in which the container begins */
        bool tight;         /* no blanks at all */
};

static struct str indentation(struct str text, size_t at) {
        size_t start = at, end;

        while (start > 0 && text.ptr[start - 1] != '\n')
                start--;
        end = start;
        while (end < at && (text.ptr[end] == ' ' || text.ptr[end] == '\t'))
                end++;
        return str_from(text.ptr + start, end - start);
}

static bool has_newline(struct str text, size_t start, size_t end) {
        return end > start && memchr(text.ptr + start, '\n', end - start);
}

static bool has_blank(struct str text, size_t start, size_t end) {
        for (size_t i = start; i < end; i++)
                if (json_blank(text.ptr[i]))
                        return true;
        return false;
}

static struct style style_of(const struct tree *tree, const struct node *container) {
        const struct node *root = tree->root;
        struct str text = tree->bare;
        struct style style = { .newline = STR("\n"), .unit = STR("  ") };
        size_t first = root->first ? root->first->item : root->end - 1;
        bool on_one_line = container->first ? !has_newline(text, container->start, container->first->item)
                                            : root->first && !has_newline(text, root->start, first);

        if (memmem(text.ptr, text.len, "\r\n", 2))
                style.newline = STR("\r\n");
        if (root->first && has_newline(text, root->start, first) && indentation(text, first).len)
                style.unit = indentation(text, first);
        style.outer = indentation(text, container->item);
        if (on_one_line) {
                style.newline = STR("");
                style.tight = root->first && !has_blank(text, root->start, root->first->start);
        }
        return style;
}

/* ---- values ---- */

static void line(struct buf *out, const struct style *style, size_t depth) {
        if (!style->newline.len)
                return;
        buf_append(out, style->newline);
        buf_append(out, style->outer);
        while (depth-- > 0)
                buf_append(out, style->unit);
}

static void scalar(struct buf *out, const json_t *value) {
        char *text = json_dumps(value, JSON_ENCODE_ANY);

        if (!text)
                out->failed = true;
        else
                buf_append(out, str_z(text));
        free(text);
}

static void value_write(struct buf *out, const struct style *style, size_t depth, const json_t *value);

static void members_write(struct buf *out, const struct style *style, size_t depth, const json_t *value) {
        bool object = json_is_object(value);
        size_t count = object ? json_object_size(value) : json_array_size(value), i = 0;
        void *iter = object ? json_object_iter((json_t *)value) : NULL;

        for (; i < count; i++, iter = iter ? json_object_iter_next((json_t *)value, iter) : NULL) {
                if (i)
                        buf_append(out, style->newline.len || style->tight ? STR(",") : STR(", "));
                line(out, style, depth);
                if (object) {
                        buf_json(out, str_z(json_object_iter_key(iter)));
                        buf_append(out, style->tight ? STR(":") : STR(": "));
                }
                value_write(out, style, depth, object ? json_object_iter_value(iter) : json_array_get(value, i));
        }
}

/* Values come from our own tables, and are not deep. */
static void value_write(struct buf *out, const struct style *style, size_t depth, const json_t *value) {
        bool object = json_is_object(value);
        size_t count = object ? json_object_size(value) : json_array_size(value);

        if (!object && !json_is_array(value)) {
                scalar(out, value);
                return;
        }
        buf_char(out, object ? '{' : '[');
        if (count) {
                members_write(out, style, depth + 1, value);
                line(out, style, depth);
        }
        buf_char(out, object ? '}' : ']');
}

/* ---- changes ---- */

/* Behind what stands before `at`, be it a comment: a value that comes there does not separate it from what it speaks of. */
static size_t behind(struct str text, size_t at) {
        while (at > 0 && json_blank(text.ptr[at - 1]))
                at--;
        return at;
}

static bool has_comment(const struct tree *tree, size_t start, size_t end) {
        return end > start && memcmp(tree->text.ptr + start, tree->bare.ptr + start, end - start) != 0;
}

void edit_insert(const struct tree *tree, const struct node *container, const char *key, const json_t *value, struct buf *out) {
        struct style style = style_of(tree, container);
        struct str text = tree->text;
        size_t close = container->end - 1, place = behind(text, close), comma = place;

        if (container->last) {
                comma = container->last->end;
                place = place < comma ? comma : place;
        }
        /* Behind a comment only what begins a line is none of it. */
        if (!style.newline.len && has_comment(tree, container->last ? comma : container->start + 1, place))
                style.newline = STR("\n");
        buf_append(out, str_take(text, comma));
        if (container->last)
                buf_char(out, ',');
        buf_append(out, str_take(str_skip(text, comma), place - comma));
        if (container->last && !style.newline.len && !style.tight)
                buf_char(out, ' ');
        line(out, &style, 1);
        if (key) {
                buf_json(out, str_z(key));
                buf_append(out, style.tight ? STR(":") : STR(": "));
        }
        value_write(out, &style, 1, value);
        if (!container->first && !has_newline(text, place, close))
                line(out, &style, 0);
        buf_append(out, str_skip(text, container->first || has_newline(text, place, close) ? place : close));
}

static size_t comma_behind(struct str text, size_t at) {
        while (at < text.len && text.ptr[at] != ',')
                at++;
        return at;
}

static bool ends_line(struct str text, size_t at) {
        while (at < text.len && json_blank(text.ptr[at]) && text.ptr[at] != '\n')
                at++;
        return at == text.len || text.ptr[at] == '\n';
}

/* A comment before a cut may go on up to the end of its line: then that end stays, or else what comes behind the cut would
 * be part of the comment. */
static size_t behind_comment(const struct tree *tree, size_t from, size_t to) {
        if (!has_comment(tree, from - 1, from) || !tree_in_line_comment(tree, from) || ends_line(tree->text, to))
                return from;
        return from + str_find(str_skip(tree->text, from), '\n') + 1;
}

void edit_remove(const struct tree *tree, const struct node *node, struct buf *out) {
        struct str text = tree->text;
        size_t from = behind(text, node->item), to = node->end, comma = text.len;

        if (node->next) { /* up to the next one, or to the comment before it */
                size_t end = comma_behind(tree->bare, node->end) + 1;

                from = node->item;
                to = end;
                while (to < node->next->item && json_blank(text.ptr[to]))
                        to++;
        } else if (node->previous) {
                comma = comma_behind(tree->bare, node->previous->end);
                from = from < comma + 1 ? comma + 1 : from;
        } else if (behind(text, node->parent->end - 1) == to && from == node->parent->start + 1) {
                to = node->parent->end - 1; /* nothing else is in there */
        }
        from = behind_comment(tree, from, to);
        buf_append(out, str_take(text, comma < from ? comma : from));
        if (comma < from)
                buf_append(out, str_take(str_skip(text, comma + 1), from - comma - 1));
        buf_append(out, str_skip(text, to));
}

/* ---- for people ---- */

enum { CONTEXT = 3 };

static size_t line_start(struct str text, size_t at) {
        while (at > 0 && text.ptr[at - 1] != '\n')
                at--;
        return at;
}

static void show_lines(struct buf *out, char mark, struct str text) {
        while (text.len) {
                size_t len = str_find(text, '\n');

                buf_char(out, mark);
                buf_append(out, str_take(text, len));
                buf_char(out, '\n');
                text = str_skip(text, len + 1);
        }
}

/* One run of lines differs: what stands before it and behind it is the same. */
void edit_show(struct str before, struct str after, struct buf *out) {
        size_t least = before.len < after.len ? before.len : after.len, start = 0, end = 0, context;

        while (start < least && before.ptr[start] == after.ptr[start])
                start++;
        start = line_start(before, start);
        while (end < least - start && before.ptr[before.len - end - 1] == after.ptr[after.len - end - 1])
                end++;
        while (end > 0 && before.len - end > start && before.ptr[before.len - end - 1] != '\n')
                end--;
        context = start;
        for (int i = 0; i < CONTEXT && context > 0; i++)
                context = line_start(before, context - 1);
        show_lines(out, ' ', str_take(str_skip(before, context), start - context));
        show_lines(out, '-', str_take(str_skip(before, start), before.len - end - start));
        show_lines(out, '+', str_take(str_skip(after, start), after.len - end - start));
        for (int i = 0; i < CONTEXT && end > 0; i++) {
                struct str rest = str_skip(before, before.len - end);
                size_t len = str_find(rest, '\n');

                show_lines(out, ' ', str_take(rest, len + 1));
                end -= len < rest.len ? len + 1 : len;
        }
}
