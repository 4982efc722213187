#include "hook/diff.h"

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
void diff_write(struct str before, struct str after, struct buf *out) {
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
