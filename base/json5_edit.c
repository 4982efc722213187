#include "base/json5_edit.h"

#include <string.h>

#include "base/json5_parts.h"

/* ---- what is between values ---- */

/* Blanks, comments and at most one comma. */
struct gap {
        size_t comma;        /* where it is; the end of the gap: there is none */
        bool comments;       /* are there any? */
        size_t line_comment; /* the gap ends in a comment that goes on to the end of its line, which is here; 0: it does not */
};

static struct gap gap_read(struct str text, size_t from, size_t to) {
        struct gap gap = { .comma = to };
        bool closed;

        while (from < to) {
                size_t end = from + 1;

                if (json5_comment_at(text, from)) {
                        end = json5_comment_end(text, from, &closed);
                        gap.comments = true;
                        gap.line_comment = end >= to && text.ptr[from + 1] == '/' ? end : 0;
                } else if (text.ptr[from] == ',') {
                        gap.comma = from;
                }
                from = end;
        }
        return gap;
}

/* Behind what stands before `at`, be it a comment: a value that comes there does not separate it from what it speaks of. */
static size_t behind(struct str text, size_t at) {
        while (at > 0 && json5_is_blank(text.ptr[at - 1]))
                at--;
        return at;
}

static bool has_newline(struct str text, size_t start, size_t end) {
        return end > start && memchr(text.ptr + start, '\n', end - start);
}

static bool has_blank(struct str text, size_t start, size_t end) {
        for (size_t i = start; i < end; i++)
                if (json5_is_blank(text.ptr[i]))
                        return true;
        return false;
}

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

static struct style style_of(const struct json5_file *file, const struct tree_node *container) {
        const struct tree_node *root = file->root;
        struct str text = file->text;
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

static void key_write(struct buf *out, const struct style *style, struct str key) {
        buf_json(out, key);
        buf_append(out, style->tight ? STR(":") : STR(": "));
}

/* As deep as the value. */
static void value_write(struct buf *out, const struct style *style, size_t depth, const struct tree_node *value) {
        bool table = value->kind == TREE_TABLE;

        if (!table && value->kind != TREE_ARRAY) {
                tree_to_json(value, out);
                return;
        }
        buf_char(out, table ? '{' : '[');
        TREE_EACH(child, value) {
                if (child->previous)
                        buf_append(out, style->newline.len || style->tight ? STR(",") : STR(", "));
                line(out, style, depth + 1);
                if (table)
                        key_write(out, style, child->key);
                value_write(out, style, depth + 1, child);
        }
        if (value->first)
                line(out, style, depth);
        buf_char(out, table ? '}' : ']');
}

void json5_write(const struct tree_node *value, struct buf *out) {
        const struct style style = { .newline = STR("\n"), .unit = STR("  ") };

        value_write(out, &style, 0, value);
        buf_char(out, '\n');
}

/* ---- a value more ---- */

static void insert_write(const struct json5_file *file, const struct tree_node *container, const char *key,
                         const struct tree_node *value, struct buf *out) {
        struct style style = style_of(file, container);
        struct str text = file->text;
        size_t close = container->end - 1, from = container->last ? container->last->end : container->start + 1;
        bool trailing = gap_read(text, from, close).comma < close, own_line = has_newline(text, behind(text, close), close);
        size_t place = container->first || own_line ? behind(text, close) : close;

        /* Behind a comment only what begins a line is none of it. */
        if (!style.newline.len && gap_read(text, from, place).comments)
                style.newline = STR("\n");
        buf_append(out, str_take(text, from));
        if (container->last && !trailing)
                buf_char(out, ',');
        buf_append(out, str_take(str_skip(text, from), place - from));
        if (container->last && !style.newline.len && !style.tight)
                buf_char(out, ' ');
        line(out, &style, 1);
        if (key)
                key_write(out, &style, str_z(key));
        value_write(out, &style, 1, value);
        if (trailing)
                buf_char(out, ',');
        if (!container->first && !own_line)
                line(out, &style, 0);
        buf_append(out, str_skip(text, place));
}

/* The node at the place of `node` in a tree that has the same ones in front of it. */
static const struct tree_node *counterpart(const struct tree_node *root, const struct tree_node *node) {
        const struct tree_node *parent = node->parent ? counterpart(root, node->parent) : NULL, *found;

        if (!node->parent)
                return root;
        found = parent && (parent->kind == TREE_TABLE || parent->kind == TREE_ARRAY) ? parent->first : NULL;
        for (const struct tree_node *before = node->previous; before && found; before = before->previous)
                found = found->next;
        return found;
}

static bool is_inserted(const struct json5_file *file, const struct tree_node *container, const char *key,
                        const struct tree_node *value, const struct tree_node *again) {
        const struct tree_node *other = counterpart(again, container), *added;

        if (!other || other->kind != container->kind || !other->count)
                return false;
        added = other->last;
        return str_eq(added->key, key ? str_z(key) : (struct str){}) && tree_equal(value, added, NULL) &&
               tree_equal(file->root, again, added);
}

int json5_insert(const struct json5_file *file, const struct tree_node *container, const char *key,
                 const struct tree_node *value, struct arena *arena, struct buf *out) {
        struct arena_mark mark = arena_mark(arena);
        struct tree_node *again;
        bool done;

        if (container->kind != (key ? TREE_TABLE : TREE_ARRAY))
                return -1;
        buf_clear(out);
        insert_write(file, container, key, value, out);
        done = !out->failed && json5_read(buf_str(out), file->rules, arena, &again, NULL) == 0 &&
               is_inserted(file, container, key, value, again);
        arena_rewind(arena, mark);
        return done ? 0 : -1;
}

/* ---- a value less ---- */

static bool ends_line(struct str text, size_t at) {
        while (at < text.len && json5_is_blank(text.ptr[at]) && text.ptr[at] != '\n')
                at++;
        return at == text.len || text.ptr[at] == '\n';
}

static size_t line_end_skip(struct str text, size_t at) {
        struct str rest = str_skip(text, at);

        return at + (str_starts(rest, STR("\r\n")) ? 2 : str_starts(rest, STR("\xe2\x80")) ? 3 : 1);
}

static void remove_write(const struct json5_file *file, const struct tree_node *node, struct buf *out) {
        const struct tree_node *parent = node->parent, *previous = node->previous;
        struct str text = file->text;
        size_t close = parent->end - 1, limit = node->next ? node->next->item : close;
        size_t front = previous ? previous->end : parent->start + 1;
        size_t from = node->next ? node->item : behind(text, node->item), to = node->end, dropped = text.len;
        size_t comma = gap_read(text, node->end, limit).comma, comment;

        if (comma < limit)
                to = comma + 1;
        if (node->next) /* up to the next one, or to the comment before it */
                while (to < limit && json5_is_blank(text.ptr[to]))
                        to++;
        else if (previous && comma == limit)
                dropped = gap_read(text, front, node->item).comma;
        else if (!previous && from == front && behind(text, close) == to)
                to = close; /* nothing else is in there */
        /* A comment before a cut may go on up to the end of its line: then that end stays, or else what comes behind the cut
         * would be part of the comment. */
        comment = gap_read(text, front, from).line_comment;
        if (comment && !ends_line(text, to))
                from = line_end_skip(text, comment);
        buf_append(out, str_take(text, dropped < from ? dropped : from));
        if (dropped < from)
                buf_append(out, str_take(str_skip(text, dropped + 1), from - dropped - 1));
        buf_append(out, str_skip(text, to));
}

int json5_remove(const struct json5_file *file, const struct tree_node *node, struct arena *arena, struct buf *out) {
        struct arena_mark mark = arena_mark(arena);
        struct tree_node *again;
        bool done;

        if (!node->parent)
                return -1;
        buf_clear(out);
        remove_write(file, node, out);
        done = !out->failed && json5_read(buf_str(out), file->rules, arena, &again, NULL) == 0 &&
               tree_equal(again, file->root, node);
        arena_rewind(arena, mark);
        return done ? 0 : -1;
}
