/*
 * Where programs are measured: a home and a workspace that nobody else has, the environment of a login, and an ordinary user.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "bench/bench.h"

/* Not /tmp, which some peers take for no place to have a home in. */
#define PLACE "/var/tmp/bailey-bench.XXXXXX"

enum { NOBODY = 65534, CANNOT_BECOME = 77 };

_Noreturn void bench_die(const char *format, ...) {
        va_list arguments;

        fputs("bench: ", stderr);
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputc('\n', stderr);
        exit(1);
}

static const struct bench *placed; /* whose place is to be removed, whatever happens */

static void remove_placed(void) {
        if (placed)
                place_remove(placed);
}

static void set_variable(struct bench *bench, size_t at, const char *name, const char *value) {
        snprintf(bench->variables[at], sizeof(bench->variables[at]), "%s=%s", name, value);
        bench->environment[at] = bench->variables[at];
}

void place_home(struct bench *bench, const char *name) {
        if (snprintf(bench->home, sizeof(bench->home), "%s/%s", bench->place, name) >= (int)sizeof(bench->home))
                bench_die("%s/%s: the path is too long", bench->place, name);
        if (mkdir(bench->home, 0700) < 0 && errno != EEXIST)
                bench_die("%s: %s", bench->home, strerror(errno));
        set_variable(bench, 0, "HOME", bench->home);
}

void place_make(struct bench *bench) {
        static const char *const login[][2] = {
                { "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
                { "SHELL", "/bin/bash" },
                { "USER", "bench" },
                { "LOGNAME", "bench" },
                { "LANG", "C.UTF-8" },
                { "TERM", "xterm-256color" },
                { "EDITOR", "vi" },
                { "PAGER", "less" },
                { "MAIL", "/var/mail/bench" },
                { "HISTSIZE", "1000" },
                { "SHLVL", "1" },
        };
        char homes[PATH_MAX];

        snprintf(bench->place, sizeof(bench->place), "%s", PLACE);
        if (!mkdtemp(bench->place) || chmod(bench->place, 0755) < 0)
                bench_die("%s: %s", bench->place, strerror(errno));
        if (!placed && atexit(remove_placed) != 0)
                bench_die("no memory");
        placed = bench;
        snprintf(bench->work, sizeof(bench->work), "%.4000s/work", bench->place);
        for (size_t i = 0; i < sizeof(login) / sizeof(*login); i++)
                set_variable(bench, i + 1, login[i][0], login[i][1]);
        place_home(bench, "home");
        set_variable(bench, sizeof(login) / sizeof(*login) + 1, "PWD", bench->work);
        snprintf(homes, sizeof(homes), "%.4000s/homes", bench->place);
        set_variable(bench, sizeof(login) / sizeof(*login) + 2, "BAILEY_HOME_DIR", homes);
        if (mkdir(bench->work, 0755) < 0 || chdir(bench->work) < 0)
                bench_die("%s: %s", bench->work, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where) {
        (void)status, (void)kind, (void)where;
        remove(path);
        return 0;
}

void place_remove(const struct bench *bench) {
        placed = NULL;
        if (chdir("/") == 0)
                nftw(bench->place, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- as somebody else ---- */

/* A program may be where others cannot go: in its place comes a copy. */
static void copy_program(struct bench *bench, const char *name, char program[static PATH_MAX]) {
        char to[PATH_MAX];
        FD_AUTO from = open(program, O_RDONLY | O_CLOEXEC);
        FD_AUTO copy = -1;
        char chunk[1 << 16];
        ssize_t got = -1;
        struct err err;

        snprintf(to, sizeof(to), "%.4000s/%s", bench->place, name);
        copy = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
        while (from >= 0 && copy >= 0 && (got = read(from, chunk, sizeof(chunk))) > 0)
                if (fd_write_all(copy, str_from(chunk, (size_t)got), &err) < 0)
                        bench_die("%s", err.msg);
        if (got != 0)
                bench_die("cannot copy %s to %s: %s", program, to, strerror(errno));
        snprintf(program, PATH_MAX, "%s", to);
}

static void become_user(struct bench *bench) {
        umask(022);
        place_make(bench);
        copy_program(bench, "bailey", bench->bailey);
        if (access(bench->sandbox, R_OK) == 0)
                copy_program(bench, "bench_sandbox", bench->sandbox);
        if (access(bench->net, R_OK) == 0)
                copy_program(bench, "work/bench_net", bench->net); /* commands run it, too */
        if (chown(bench->place, NOBODY, NOBODY) < 0 || chown(bench->home, NOBODY, NOBODY) < 0 ||
            chown(bench->work, NOBODY, NOBODY) < 0 || setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
            setresuid(NOBODY, NOBODY, NOBODY) < 0)
                bench_die("cannot become an ordinary user: %s", strerror(errno));
}

/* Has a part measured by another process, once that has become what it is to be; returns its exit status. */
static int measure_elsewhere(struct bench *bench, bool (*become)(struct bench *), measure *part) {
        struct row row;
        int fds[2], status;
        struct err err;
        pid_t pid;

        if (fd_pipe(fds, &err) < 0)
                bench_die("%s", err.msg);
        pid = fork();
        if (pid == 0) {
                bench->count = 0;
                placed = NULL; /* that is our parent's */
                if (!become(bench))
                        _exit(CANNOT_BECOME);
                part(bench);
                place_remove(bench);
                _exit(fd_write_all(fds[1], str_from((const char *)bench->list, bench->count * sizeof(row)), &err) < 0);
        }
        close(fds[1]);
        while (read(fds[0], &row, sizeof(row)) == (ssize_t)sizeof(row))
                *row_add(bench, row.name, row.what, row.against) = row;
        close(fds[0]);
        if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
                bench_die("the measurement in another process failed");
        return WEXITSTATUS(status);
}

static bool as_user(struct bench *bench) {
        become_user(bench);
        return true;
}

void place_as_user(struct bench *bench, measure *part) {
        if (measure_elsewhere(bench, as_user, part) != 0)
                bench_die("the measurement as an ordinary user failed");
}

static bool (*entered)(void); /* what place_apart() was given, in its child */

static bool apart(struct bench *bench) {
        if (!entered())
                return false;
        if (geteuid() == 0)
                become_user(bench);
        else
                place_make(bench);
        return true;
}

bool place_apart(struct bench *bench, bool (*enter)(void), measure *part) {
        int status;

        entered = enter;
        status = measure_elsewhere(bench, apart, part);
        if (status != 0 && status != CANNOT_BECOME)
                bench_die("the measurement in a place apart failed");
        return status == 0;
}
