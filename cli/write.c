/*
 * Answers, to standard output or to a file.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "cli/requests.h"

void output_write(const char *text, size_t length) {
        fwrite(text, 1, length, stdout);
        if (length > 0 && text[length - 1] != '\n')
                fputc('\n', stdout);
}

enum exit_status output_write_buffer(const char *command, const struct buf *answer) {
        if (answer->failed) {
                log_line("%s: out of memory", command);
                return EXIT_PROBLEM;
        }
        output_write(answer->ptr, answer->len);
        return EXIT_DONE;
}

static int write_to(const char *path, struct str text, struct err *err) {
        FD_AUTO fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

        if (fd < 0)
                return err_sys(err, "%s", path);
        return fd_write_all(fd, text, err) < 0 ? err_context(err, "%s", path) : 0;
}

int whole_file_write(const char *path, struct str text, struct err *err) {
        char beside[PATH_MAX];
        struct stat status;
        FD_AUTO fd = -1;
        int result;

        if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
                return write_to(path, text, err);
        if (snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= (int)sizeof(beside))
                return err_set(err, ERR_INVALID, "%s: the path is too long", path);
        fd = mkostemp(beside, O_CLOEXEC); /* mode 0600 */
        if (fd < 0)
                return err_sys(err, "%s", path);
        result = fd_write_all(fd, text, err);
        if (result == 0 && rename(beside, path) < 0)
                result = err_sys(err, "rename");
        if (result < 0) {
                unlink(beside);
                return err_context(err, "%s", path);
        }
        return 0;
}
