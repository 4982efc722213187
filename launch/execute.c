#include "launch/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/report.h"

static const char *path_of(const char *const *envp) {
        for (; *envp; envp++)
                if (strncmp(*envp, "PATH=", 5) == 0)
                        return *envp + 5;
        return "/usr/local/bin:/usr/bin:/bin";
}

/* Returns only when it could not be started; errno says why. */
static void execute(const char *program, char *const *argv, char *const *envp) {
        int why = ENOENT;

        if (strchr(program, '/')) {
                execve(program, argv, envp);
                return;
        }
        for (const char *path = path_of((const char *const *)envp); path;
             path = strchr(path, ':') ? strchr(path, ':') + 1 : NULL) {
                int len = (int)strcspn(path, ":");
                char full[4096];

                if (len && snprintf(full, sizeof(full), "%.*s/%s", len, path, program) < (int)sizeof(full)) {
                        execve(full, argv, envp);
                        if (errno != ENOENT && errno != ENOTDIR)
                                why = errno;
                }
        }
        errno = why;
}

/* The command is at fault: another backend would not help. */
static void describe(const char *program, struct err *err) {
        if (errno == ENOENT && !strchr(program, '/')) {
                err_set(err, ERR_NOT_FOUND, "%s: command not found", program);
                return;
        }
        err_sys(err, "%s", program);
        err->code = err->sys == ENOENT ? ERR_NOT_FOUND : ERR_INVALID;
}

_Noreturn void execute_or_report(const char *program, const char *const *argv, const char *const *envp, int report_fd) {
        struct err err = {};

        execute(program, (char *const *)argv, (char *const *)envp);
        describe(program, &err);
        report_failure(report_fd, &err);
}
