#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct err) == 256, "fits one write() to a pipe on every system");

const char *err_text(int sys) {
        const char *text = strerrordesc_np(sys);

        return text ? text : "unknown error";
}

/* snprintf() wanted `wanted` bytes for `msg`: shows that some are missing, without leaving half a UTF-8 character. */
static void mark_cut(char *msg, size_t size, int wanted) {
        size_t at = size - sizeof("...");

        if (wanted < 0) /* cannot be formatted */
                msg[0] = '\0';
        if (wanted < 0 || (size_t)wanted < size)
                return;
        while (at > 0 && ((unsigned char)msg[at] & 0xc0) == 0x80)
                at--;
        memcpy(msg + at, "...", sizeof("..."));
}

void err_set_message(struct err *err, enum err_code code, const char *format, ...) {
        int saved = errno;
        char msg[sizeof(err->msg)] = ""; /* an argument may be err->msg itself */
        va_list args;

        if (!err)
                return;
        va_start(args, format);
        mark_cut(msg, sizeof(msg), vsnprintf(msg, sizeof(msg), format, args));
        va_end(args);
        err->code = code;
        err->sys = 0;
        memcpy(err->msg, msg, sizeof(msg));
        errno = saved;
}

void err_sys_message(struct err *err, const char *format, ...) {
        int saved = errno;
        char what[sizeof(err->msg)];
        va_list args;

        if (!err)
                return;
        va_start(args, format);
        mark_cut(what, sizeof(what), vsnprintf(what, sizeof(what), format, args));
        va_end(args);
        err_set_message(err, ERR_SYSTEM, "%s", err_text(saved));
        err_context_message(err, "%s", what);
        err->sys = saved;
        errno = saved;
}

void err_context_message(struct err *err, const char *format, ...) {
        int saved = errno;
        char context[sizeof(err->msg) / 2], msg[sizeof(err->msg)] = ""; /* all of it, as all of it may be sent */
        va_list args;

        if (!err)
                return;
        va_start(args, format);
        mark_cut(context, sizeof(context), vsnprintf(context, sizeof(context), format, args));
        va_end(args);
        mark_cut(msg, sizeof(msg), snprintf(msg, sizeof(msg), "%s: %s", context, err->msg));
        memcpy(err->msg, msg, sizeof(msg));
        errno = saved;
}
