/*
 * The gate between commands that begin and commands that end, and what those who begin have to know of the others.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "base/time.h"
#include "run/sweep_journal.h"

#define BEGIN_PATIENCE (2 * TIME_SECOND)
#define END_PATIENCE (TIME_SECOND / 5) /* there may be many that end */

/* ---- the gate ---- */

static int take_gate(const char *path, int how, int64_t patience, struct err *err) {
        FD_AUTO fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

        if (fd < 0)
                return err_sys(err, "%s", path);
        if (lock_take(fd, how, time_monotonic() + patience) == 0)
                return TAKE_FD(fd);
        return errno == EWOULDBLOCK ? err_set(err, ERR_SYSTEM, "%s: another bailey holds its lock and does not go on", path)
                                    : err_sys(err, "lock %s", path);
}

int journal_gate(const char *state_dir, int how, int64_t patience, struct err *err) {
        char path[PATH_MAX];

        if ((size_t)snprintf(path, sizeof(path), "%s/runs.lock", state_dir) >= sizeof(path))
                return err_set(err, ERR_INVALID, "the path of the state directory is too long: %s", state_dir);
        return take_gate(path, how, patience, err);
}

/* Of STATE/runs/NAME. */
int journal_gate_of(const struct sweep_journal *journal) {
        char path[PATH_MAX];
        size_t len = (size_t)(strrchr(journal->path, '/') - journal->path);

        if ((size_t)snprintf(path, sizeof(path), "%.*s.lock", (int)len, journal->path) >= sizeof(path))
                return -1;
        return take_gate(path, LOCK_EX, END_PATIENCE, NULL);
}

int sweep_gate_open(const char *state_dir, int *ret_fd, struct err *err) {
        int fd = journal_gate(state_dir, LOCK_SH, BEGIN_PATIENCE, err);

        if (fd < 0)
                return -1;
        *ret_fd = fd;
        return 0;
}

/* ---- the others ---- */

/* Directly in a workspace, each protects other names than in one below it. */
static bool is_asked_of(const struct protection *theirs, const struct protection *ours, const char *path) {
        const char *workspace = ours->workspace.path;
        size_t len = (size_t)(strrchr(path, '/') - path);
        bool at_top = len == strlen(workspace) && strncmp(path, workspace, len) == 0;

        return journal_reaches(theirs, path) && (!at_top || strcmp(workspace, theirs->workspace.path) == 0);
}

static void mark_unknown(const struct protection *theirs, struct protection *ours) {
        for (size_t i = 0; i < ours->read_only.count; i++) {
                struct protected_path *item = &ours->read_only.items[i];
                const struct protected_path *known = protect_find(&theirs->read_only, item->path);

                if (is_asked_of(theirs, ours, item->path) && (!known || known->pending || !protect_same(known, item)))
                        item->pending = true;
        }
}

/* Whether its command is under way, or was never swept for. */
static bool mark_by(int runs, const char *name, struct protection *ours, struct arena *arena) {
        FD_AUTO fd = openat(runs, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct protection theirs;
        int64_t until;

        if (fd < 0 || journal_read(fd, arena, &theirs, &until) < 0 || until == SWEEP_UNTIL_NEVER)
                return false;
        mark_unknown(&theirs, ours);
        return true;
}

static bool is_free(const struct sweep_shelf *shelf, const char *name) {
        for (size_t i = 0; shelf && i < shelf->count; i++)
                if (strcmp(strrchr(shelf->items[i].path, '/') + 1, name) == 0)
                        return true;
        return false;
}

/*
 * Of each workspace one is enough, however many are under way: what any of them has made is known to none, as it was not there
 * when those before it began, and was marked by those that began later.
 */
enum { MARKS_MAX = 16 };

struct marks {
        char items[MARKS_MAX][JOURNAL_MARK + 1];
        size_t count;
};

static bool has_mark(const struct marks *marks, const char *name) {
        for (size_t i = 0; i < marks->count; i++)
                if (strncmp(marks->items[i], name, JOURNAL_MARK) == 0)
                        return true;
        return false;
}

static void add_mark(struct marks *marks, const char *name) {
        if (marks->count < MARKS_MAX)
                snprintf(marks->items[marks->count++], JOURNAL_MARK + 1, "%.*s", JOURNAL_MARK, name);
}

int sweep_gate_mark(const char *state_dir, const struct sweep_shelf *shelf, struct protection *before, struct arena *arena,
                    struct err *err) {
        struct marks seen = { .count = 0 };
        const struct dirent *entry;
        DIR *stream;
        int runs;

        if (!before->read_only.count)
                return 0;
        if (journal_directory(state_dir, false, &runs, err) < 0)
                return -1;
        if (runs < 0)
                return 0;
        stream = fdopendir(runs);
        if (!stream) {
                fd_close(runs);
                return err_sys(err, "cannot list %s/runs", state_dir);
        }
        while ((entry = readdir(stream))) {
                const char *name = entry->d_name;

                if (name[0] != '.' && strlen(name) > JOURNAL_MARK && !strchr(name, '.') && !has_mark(&seen, name) &&
                    !is_free(shelf, name) && mark_by(runs, name, before, arena))
                        add_mark(&seen, name);
        }
        closedir(stream);
        return 0;
}
