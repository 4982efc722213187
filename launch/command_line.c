#include "launch/command_line.h"

enum { COMMAND_LINE_MAX = 32766 }; /* what CreateProcess() takes, in units of UTF-16, of which a text has no more than bytes */

static void put_backslashes(struct buf *out, size_t count) {
        while (count-- > 0)
                buf_char(out, '\\');
}

/* A row of backslashes is doubled before a quote, and is itself before anything else. */
static void put_argument(struct buf *out, const char *text) {
        size_t backslashes = 0;

        buf_char(out, '"');
        for (; *text; text++) {
                if (*text == '\\') {
                        backslashes++;
                        continue;
                }
                put_backslashes(out, *text == '"' ? 2 * backslashes + 1 : backslashes);
                backslashes = 0;
                buf_char(out, *text);
        }
        put_backslashes(out, 2 * backslashes);
        buf_char(out, '"');
}

int command_line(const char *const *argv, struct buf *out, struct err *err) {
        if (strchr(argv[0], '"'))
                return err_set(err, ERR_INVALID, "%s: the name of a program with a quote in it", argv[0]);
        buf_format(out, "\"%s\"", argv[0]); /* where a backslash is always itself */
        for (argv++; *argv; argv++) {
                buf_char(out, ' ');
                put_argument(out, *argv);
        }
        if (out->failed || out->len > COMMAND_LINE_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "a command line of more than %d bytes, which Windows does not take",
                               COMMAND_LINE_MAX);
        return 0;
}
