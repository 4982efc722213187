#include "batch/results.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/lock.h"
#include "base/time.h"
#include "format/json.h"

enum { NO_JOB = 1, RESULT_MAX = 256 << 20, QUEUE_MAX = 1 << 30, LINES_MAX = 1 << 30 };

struct held {
        struct held *next;
        uint64_t line;
        struct buf text;
};

/* ---- which lines have one ---- */

static int mark_set(struct results *results, uint64_t line, uint32_t mark, struct err *err) {
        size_t room = results->room ? results->room : 1024;
        uint32_t *marks;

        if (line > LINES_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d lines", LINES_MAX);
        while (room <= line)
                room *= 2;
        if (room != results->room) {
                marks = realloc(results->marks, room * sizeof(*marks));
                if (!marks)
                        return err_memory(err);
                memset(marks + results->room, 0, (room - results->room) * sizeof(*marks));
                results->marks = marks;
                results->room = room;
        }
        results->marks[line] = mark;
        return 0;
}

static uint32_t mark_get(const struct results *results, uint64_t line) {
        return line < results->room ? results->marks[line] : 0;
}

int results_have(const struct results *results, uint64_t line, uint32_t mark, struct err *err) {
        uint32_t before = mark_get(results, line);

        if (before && before != mark)
                return err_set(err, ERR_CHANGED,
                               "line %" PRIu64
                               " has changed since its result was written to %s; to run this batch, write to another file",
                               line, results->name);
        return before != 0;
}

/* ---- the file of an earlier run ---- */

void result_begin(struct buf *out, uint64_t line, uint32_t mark) {
        char digits[sizeof("01234567")];

        snprintf(digits, sizeof(digits), "%08" PRIx32, mark);
        put_begin(out);
        put_number(out, "line", (long long)line);
        put_text(out, "input", digits);
}

/* As result_begin() writes it: a file of something else is left alone. */
static bool read_begin(struct str text, uint64_t *ret_line, uint32_t *ret_mark) {
        char start[64];
        int end = 0;

        snprintf(start, sizeof(start), "%.*s", (int)(text.len < sizeof(start) ? text.len : sizeof(start) - 1), text.ptr);
        return sscanf(start, "{\"line\":%9" SCNu64 ",\"input\":\"%8" SCNx32 "\",%n", ret_line, ret_mark, &end) == 2 && end &&
               *ret_line && *ret_mark && text.ptr[text.len - 1] == '}';
}

static int read_result(struct results *results, struct str text, uint64_t number, struct err *err) {
        uint64_t line;
        uint32_t mark;

        if (!text.len || !read_begin(text, &line, &mark))
                return err_set(err, ERR_INVALID, "%s:%" PRIu64 ": not a result of bailey batch", results->name, number);
        if (mark_get(results, line))
                return err_set(err, ERR_INVALID, "%s:%" PRIu64 ": a second result of line %" PRIu64, results->name, number,
                               line);
        results->before++;
        return mark_set(results, line, mark, err);
}

/* A killed batch leaves the beginning of a result. What is anything else belongs to a file that only happens to have this name.
 */
static int cut_torn(const struct results *results, off_t whole, struct err *err) {
        static const char begin[] = "{\"line\":";
        char found[sizeof(begin) - 1];
        ssize_t count = pread(results->fd, found, sizeof(found), whole);

        if (count > 0 && memcmp(found, begin, (size_t)count) != 0)
                return err_set(err, ERR_INVALID, "%s: does not end with a result of bailey batch", results->name);
        if (count < 0 || ftruncate(results->fd, whole) < 0 || lseek(results->fd, whole, SEEK_SET) < 0)
                return err_sys(err, "%s", results->name);
        return 0;
}

static int read_file(struct results *results, struct err *err) {
        struct lines lines = {
                .fd = results->fd,
                .memory = malloc(RESULT_MAX),
                .size = RESULT_MAX,
                .limit = UINT64_MAX,
        };
        int kind = lines.memory ? LINE_WHOLE : err_memory(err);
        struct str text;
        off_t whole;

        while (kind == LINE_WHOLE) {
                kind = lines_next(&lines, &text, err);
                if (kind == LINE_WHOLE && read_result(results, text, lines.number, err) < 0)
                        kind = -1;
        }
        whole = (off_t)(lines.at - lines.len);
        free(lines.memory);
        if (kind == LINE_TOO_LONG)
                return err_set(err, ERR_INVALID, "%s:%" PRIu64 ": not a result of bailey batch", results->name, lines.number);
        return kind < 0 ? -1 : cut_torn(results, whole, err);
}

int results_open(struct results *results, int fd, const char *name, bool journal, bool in_order, struct err *err) {
        struct stat st;

        *results = (struct results){ .fd = fd, .name = name, .in_order = in_order, .next = 1 };
        buf_init(&results->queue, QUEUE_MAX);
        if (fstat(fd, &st) < 0)
                return err_sys(err, "%s", name);
        results->piece = S_ISREG(st.st_mode) ? SSIZE_MAX : PIPE_BUF;
        if (!journal || !S_ISREG(st.st_mode))
                return 0;
        if (lock_take(fd, LOCK_EX, 0) < 0)
                return errno == EWOULDBLOCK ? err_set(err, ERR_REFUSED, "%s: in use by another bailey batch", name)
                                            : err_sys(err, "%s", name);
        return read_file(results, err);
}

void results_free(struct results *results) {
        for (struct held *held = results->held, *next; held; held = next) {
                next = held->next;
                buf_free(&held->text);
                free(held);
        }
        buf_free(&results->queue);
        free(results->marks);
}

/* ---- new ones ---- */

static int enqueue(struct results *results, struct str text, struct err *err) {
        if (results->written == results->queue.len) {
                buf_clear(&results->queue);
                results->written = 0;
        }
        buf_append(&results->queue, text);
        return results->queue.failed ? err_memory(err) : 0;
}

static int hold(struct results *results, uint64_t line, struct buf *text, struct err *err) {
        struct held **at = &results->held, *held = calloc(1, sizeof(*held));

        if (!held)
                return err_memory(err);
        while (*at && (*at)->line < line)
                at = &(*at)->next;
        held->line = line;
        held->text = *text;
        held->next = *at;
        *at = held;
        results->held_bytes += text->len;
        buf_init(text, text->max);
        return 0;
}

/* Lines that have no job, and those whose result was there before, are passed over. */
static int release(struct results *results, struct err *err) {
        int result = 0;

        for (;;) {
                struct held *held = results->held;

                if (held && held->line == results->next) {
                        result = enqueue(results, buf_str(&held->text), err);
                        results->held = held->next;
                        results->held_bytes -= held->text.len;
                        buf_free(&held->text);
                        free(held);
                } else if (!mark_get(results, results->next)) {
                        return 0;
                }
                if (result < 0)
                        return -1;
                results->next++;
        }
}

int results_add(struct results *results, uint64_t line, uint32_t mark, struct buf *result, struct err *err) {
        int added;

        buf_char(result, '\n');
        if (result->failed)
                return err_memory(err);
        if (!results->in_order) {
                added = enqueue(results, buf_str(result), err);
                buf_clear(result);
                return added < 0 ? -1 : mark_set(results, line, mark, err);
        }
        return hold(results, line, result, err) < 0 ? -1 : release(results, err);
}

int results_skip(struct results *results, uint64_t line, struct err *err) {
        if (mark_set(results, line, NO_JOB, err) < 0)
                return -1;
        return results->in_order ? release(results, err) : 0;
}

size_t results_waiting(const struct results *results) {
        return results->queue.len - results->written;
}

int results_write(struct results *results, struct err *err) {
        struct str rest = str_take(str_skip(buf_str(&results->queue), results->written), results->piece);
        ssize_t count;

        if (!rest.len)
                return 0;
        count = write(results->fd, rest.ptr, rest.len);
        if (count < 0 && errno != EINTR && errno != EAGAIN)
                return err_sys(err, "%s", results->name);
        results->written += count > 0 ? (size_t)count : 0;
        return 0;
}
