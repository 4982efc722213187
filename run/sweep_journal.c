/*
 * A journal: what a sweep needs to know, in a file that outlives us. A line of numbers for each path, then the bytes they
 * count; `end` at the end, so that half a journal is none.
 *
 *   bailey journal 1 until 9223372036854775807
 *   r 0 64768 131 1700000000000000000 15 - 66
 *   /home/u/w/.git/config...
 *   end
 */
#include "run/sweep_journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/sha256.h"
#include "base/time.h"
#include "policy/files.h"

enum {
        JOURNAL_MAX = 16 << 20,
        ITEMS_MAX = 1 << 14,
        UNTIL_DIGITS = 19,
        NAME_SIZE = JOURNAL_MARK + 1 + ID_SIZE,
        KEEP_DAYS = 30,    /* for a workspace that is not there: its disk may come back */
        START_SECONDS = 60 /* nobody needs that long from the creation of a journal to its lock */
};

#define HEAD "bailey journal 1 until "

/* ---- the format ---- */

/* One letter for each list of a protection. */
static const struct list {
        char kind;
        size_t offset;
} lists[] = {
        { 'r', offsetof(struct protection, read_only) }, { 'a', offsetof(struct protection, anchors) },
        { 'w', offsetof(struct protection, git_write) }, { 'g', offsetof(struct protection, git_dirs) },
        { 'x', offsetof(struct protection, absent) },    { 'u', offsetof(struct protection, unknown) },
};
enum { LISTS = sizeof(lists) / sizeof(*lists) };

enum { IS_DIRECTORY = 1, IS_PENDING = 2 };

static void write_item(struct buf *buf, char kind, const struct protected_path *item) {
        buf_format(buf, "%c %d %" PRIu64 " %" PRIu64 " %" PRId64 " %zu", kind,
                   (item->directory ? IS_DIRECTORY : 0) | (item->pending ? IS_PENDING : 0), item->device, item->inode,
                   item->born, strlen(item->path));
        if (item->link)
                buf_format(buf, " %zu", strlen(item->link));
        else
                buf_append(buf, STR(" -"));
        if (item->content.ptr)
                buf_format(buf, " %zu\n", item->content.len);
        else
                buf_append(buf, STR(" -\n"));
        buf_append(buf, str_z(item->path));
        if (item->link)
                buf_append(buf, str_z(item->link));
        buf_append(buf, item->content);
        buf_char(buf, '\n');
}

static void write_protection(struct buf *buf, const struct protection *before) {
        buf_format(buf, HEAD "%0*" PRId64 "\n", UNTIL_DIGITS, SWEEP_UNTIL_ANY);
        write_item(buf, 'W', &before->workspace);
        for (size_t i = 0; i < LISTS; i++) {
                const struct protected_paths *paths = (const void *)((const char *)before + lists[i].offset);

                for (size_t j = 0; j < paths->count; j++)
                        write_item(buf, lists[i].kind, &paths->items[j]);
        }
        buf_append(buf, STR("end\n"));
}

/* Reads what write_protection() wrote; anything else makes it `bad`. */
struct reader {
        struct str rest;
        struct arena *arena;
        bool bad;
};

static bool expect(struct reader *r, struct str text) {
        bool is = str_starts(r->rest, text);

        if (is)
                r->rest = str_skip(r->rest, text.len);
        else
                r->bad = true;
        return is;
}

static uint64_t read_number(struct reader *r, uint64_t max) {
        uint64_t number = 0;
        size_t i = 0;

        for (; i < r->rest.len && is_ascii_digit((unsigned char)r->rest.ptr[i]); i++) {
                uint64_t digit = (uint64_t)(r->rest.ptr[i] - '0');

                if (digit > max || number > (max - digit) / 10)
                        r->bad = true;
                else
                        number = number * 10 + digit;
        }
        if (i == 0)
                r->bad = true;
        r->rest = str_skip(r->rest, i);
        return number;
}

/* A length, or `-` for no such thing. */
static bool read_length(struct reader *r, size_t *ret) {
        expect(r, STR(" "));
        if (str_starts(r->rest, STR("-"))) {
                r->rest = str_skip(r->rest, 1);
                return false;
        }
        *ret = (size_t)read_number(r, JOURNAL_MAX);
        return true;
}

static const char *read_bytes(struct reader *r, size_t len) {
        const char *copy = NULL;

        if (!r->bad && len <= r->rest.len)
                copy = arena_dup(r->arena, str_take(r->rest, len));
        if (!copy)
                r->bad = true;
        else
                r->rest = str_skip(r->rest, len);
        return copy;
}

static const char *read_text(struct reader *r, size_t len) {
        const char *text = read_bytes(r, len);

        if (text && strlen(text) != len)
                r->bad = true;
        return text;
}

/* Absolute, and exactly as the survey writes it: no empty names, no dots. */
static bool is_plain(const char *path) {
        if (path[0] != '/' || strlen(path) >= PATH_MAX)
                return false;
        for (const char *start = path + 1; path[1]; start++) {
                size_t len = strcspn(start, "/");

                if (len == 0 || (len == 1 && start[0] == '.') || (len == 2 && start[0] == '.' && start[1] == '.'))
                        return false;
                start += len;
                if (!*start)
                        break;
        }
        return true;
}

static void read_item(struct reader *r, struct protected_path *ret) {
        size_t path = 0, link = 0, content = 0;
        bool has_link, has_content;
        uint64_t what;

        *ret = (struct protected_path){ 0 };
        expect(r, STR(" "));
        what = read_number(r, IS_DIRECTORY | IS_PENDING);
        ret->directory = what & IS_DIRECTORY;
        ret->pending = what & IS_PENDING;
        expect(r, STR(" "));
        ret->device = read_number(r, UINT64_MAX);
        expect(r, STR(" "));
        ret->inode = read_number(r, UINT64_MAX);
        expect(r, STR(" "));
        ret->born = (int64_t)read_number(r, INT64_MAX);
        if (!read_length(r, &path))
                r->bad = true;
        has_link = read_length(r, &link);
        has_content = read_length(r, &content);
        expect(r, STR("\n"));
        ret->path = read_text(r, path);
        if (has_link)
                ret->link = read_text(r, link);
        if (has_content)
                ret->content = str_from(read_bytes(r, content), content);
        expect(r, STR("\n"));
        if (!r->bad && !is_plain(ret->path))
                r->bad = true;
}

static bool below(const char *path, const char *root) {
        size_t len = strlen(root);

        return strncmp(path, root, len) == 0 && (path[len] == '/' || len == 1);
}

/* The workspace and the git directories of it: a journal may only speak of these. */
bool journal_reaches(const struct protection *before, const char *path) {
        bool is = strcmp(path, before->workspace.path) == 0 || below(path, before->workspace.path);

        for (size_t i = 0; !is && i < before->git_write.count; i++)
                is = strcmp(path, before->git_write.items[i].path) == 0 || below(path, before->git_write.items[i].path);
        return is;
}

static bool makes_sense(const struct protection *before) {
        for (size_t i = 0; i < LISTS; i++) {
                const struct protected_paths *paths = (const void *)((const char *)before + lists[i].offset);

                for (size_t j = 0; j < paths->count; j++)
                        if (!journal_reaches(before, paths->items[j].path))
                                return false;
        }
        return true;
}

static int read_protection(struct str text, struct arena *arena, struct protection *ret, int64_t *ret_until) {
        struct reader r = { .rest = text, .arena = arena };
        size_t left = ITEMS_MAX;

        *ret = (struct protection){ 0 };
        expect(&r, STR(HEAD));
        *ret_until = (int64_t)read_number(&r, INT64_MAX);
        if (!expect(&r, STR("\nW")))
                return -1;
        read_item(&r, &ret->workspace);
        for (size_t i = 0; i < LISTS && !r.bad; i++) {
                struct protected_paths *paths = (void *)((char *)ret + lists[i].offset);
                size_t room = 0;

                while (!r.bad && left > 0 && r.rest.len && r.rest.ptr[0] == lists[i].kind) {
                        if (paths->count == room) {
                                size_t more = room ? room * 2 : 8;
                                struct protected_path *items = arena_alloc(arena, more * sizeof(*items));

                                if (!items)
                                        return -1;
                                if (room)
                                        memcpy(items, paths->items, room * sizeof(*items));
                                paths->items = items;
                                room = more;
                        }
                        r.rest = str_skip(r.rest, 1);
                        read_item(&r, &paths->items[paths->count++]);
                        left--;
                }
        }
        return expect(&r, STR("end\n")) && r.rest.len == 0 && !r.bad && makes_sense(ret) ? 0 : -1;
}

/* ---- of a run ---- */

int journal_directory(const char *state_dir, bool make, int *ret_fd, struct err *err) {
        struct directory runs;
        int len = snprintf(runs.path, sizeof(runs.path), "%s/runs", state_dir);

        if (len < 0 || (size_t)len >= sizeof(runs.path))
                return err_set(err, ERR_INVALID, "the path of the state directory is too long: %s", state_dir);
        if (directory_open(runs.path, ret_fd, err) < 0)
                return -1;
        return *ret_fd >= 0 || !make ? 0 : directory_make(runs.path, ret_fd, err);
}

int journal_text(const char *workspace, const struct protection *before, struct buf *ret, struct err *err) {
        buf_init(ret, JOURNAL_MAX);
        write_protection(ret, before);
        return ret->failed ? err_set(err, ERR_TOO_COMPLEX, "too much is protected in %s for a journal", workspace) : 0;
}

/* Of a journal for this workspace: MARK-ID. */
static int name_journal(struct str workspace, char ret[static NAME_SIZE], struct err *err) {
        char mark[SHA256_HEX_SIZE], id[ID_SIZE];

        if (id_new(id, err) < 0)
                return -1;
        sha256_hex(workspace, mark);
        snprintf(ret, NAME_SIZE, "%.*s-%s", JOURNAL_MARK, mark, id);
        return 0;
}

int journal_make(const char *state_dir, struct str workspace, struct str text, struct sweep_journal *ret, struct err *err) {
        FD_AUTO runs = -1, fd = -1;
        char name[NAME_SIZE], temporary[NAME_SIZE + 8];
        struct sweep_journal journal = { .fd = -1 };

        if (journal_directory(state_dir, true, &runs, err) < 0 || name_journal(workspace, name, err) < 0)
                return -1;
        snprintf(temporary, sizeof(temporary), "%s.new", name);
        if ((size_t)snprintf(journal.path, sizeof(journal.path), "%s/runs/%s", state_dir, name) >= sizeof(journal.path))
                return err_set(err, ERR_INVALID, "the path of the state directory is too long: %s", state_dir);
        fd = openat(runs, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
                return err_sys(err, "cannot create %s", journal.path);
        /* Gets its name only when it is whole and locked: nobody may take it for a dead one's. Who looks for those may hold
         * the lock for a moment. */
        if (flock(fd, LOCK_EX) < 0 || fd_write_all(fd, text, NULL) < 0 || renameat(runs, temporary, runs, name) < 0) {
                err_sys_message(err, "cannot write %s", journal.path);
                unlinkat(runs, temporary, 0);
                return -1;
        }
        journal.fd = TAKE_FD(fd);
        *ret = journal;
        return 0;
}

int sweep_journal_begin(const char *state_dir, const char *workspace, const struct protection *before,
                        struct sweep_journal *ret, struct err *err) {
        BUF_AUTO text;

        return journal_text(workspace, before, &text, err) < 0
                       ? -1
                       : journal_make(state_dir, str_z(before->workspace.path), buf_str(&text), ret, err);
}

int sweep_journal_until(const struct sweep_journal *journal, int64_t until, struct err *err) {
        char digits[UNTIL_DIGITS + 8];

        snprintf(digits, sizeof(digits), "%0*" PRId64, UNTIL_DIGITS, until < 0 ? 0 : until);
        if (pwrite(journal->fd, digits, UNTIL_DIGITS, sizeof(HEAD) - 1) != UNTIL_DIGITS)
                return err_sys(err, "cannot write %s", journal->path);
        return 0;
}

void journal_remove(struct sweep_journal *journal) {
        if (journal->fd >= 0)
                unlink(journal->path); /* before the lock goes */
        sweep_journal_leave(journal);
}

void sweep_journal_leave(struct sweep_journal *journal) {
        fd_close(journal->fd);
        journal->fd = -1;
}

int journal_read(int fd, struct arena *arena, struct protection *ret, int64_t *ret_until) {
        struct stat status;
        BUF_AUTO text;

        buf_init(&text, JOURNAL_MAX);
        if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
            fd_read_all(fd, &text, NULL) < 0)
                return -1;
        return read_protection(buf_str(&text), arena, ret, ret_until);
}

/* ---- of those that were killed ---- */

struct recovery {
        const char *state_dir;
        int runs;
        struct arena *arena;
        struct str *said;
        size_t count, room;
};

static void say(struct recovery *r, struct str text) {
        if (r->count == r->room) {
                size_t room = r->room ? r->room * 2 : 8;
                struct str *said = arena_alloc(r->arena, room * sizeof(*said));

                if (!said)
                        return;
                if (r->count)
                        memcpy(said, r->said, r->count * sizeof(*said));
                r->said = said;
                r->room = room;
        }
        r->said[r->count++] = text;
}

static void say_about(struct recovery *r, const char *name, const char *what) {
        char text[512];
        const char *copy;

        snprintf(text, sizeof(text), "the journal %s of an earlier run %s", name, what);
        copy = arena_dup(r->arena, str_z(text));
        if (copy)
                say(r, str_z(copy));
}

/* No command of an earlier start of the machine is alive. */
static int64_t limit_until(int64_t until, const struct stat *status) {
        struct timespec up = { 0 };
        int64_t boot, written = status->st_ctim.tv_sec * TIME_SECOND + status->st_ctim.tv_nsec;

        if (clock_gettime(CLOCK_BOOTTIME, &up) < 0)
                return until;
        boot = time_realtime() - (up.tv_sec * TIME_SECOND + up.tv_nsec);
        return written < boot && boot < until ? boot : until;
}

static void keep_aside(struct recovery *r, const char *name) {
        char bad[NAME_MAX + 1];

        if ((size_t)snprintf(bad, sizeof(bad), "%s.bad", name) < sizeof(bad) && renameat(r->runs, name, r->runs, bad) == 0)
                say_about(r, bad, "cannot be read, so nothing was swept for it; look at its workspace and remove it");
}

static bool older_than(const struct stat *status, int64_t seconds) {
        return time_realtime() / TIME_SECOND - status->st_mtim.tv_sec > seconds;
}

/* As whoever ends a command. If that cannot be now, it is done the next time. */
static void forget(struct recovery *r, const char *name) {
        FD_AUTO gate = journal_gate(r->state_dir, LOCK_EX, TIME_SECOND, NULL);

        if (gate >= 0)
                unlinkat(r->runs, name, 0);
}

static void sweep_for(struct recovery *r, const char *name, const struct protection *before, int64_t until, bool keep,
                      const struct stat *status) {
        struct str_list removed;
        struct err err = { 0 };
        int done = sweep_workspace_until(before->workspace.path, before, until, keep, r->arena, &removed, &err);

        for (size_t i = 0; i < removed.count; i++)
                say(r, removed.items[i]);
        if (done == 0 || err.code == ERR_REFUSED ||
            (err.code == ERR_NOT_FOUND && older_than(status, KEEP_DAYS * INT64_C(86400))))
                forget(r, name);
        else if (err.code != ERR_NOT_FOUND)
                say_about(r, name, err.msg);
}

static void recover_one(struct recovery *r, const char *name) {
        FD_AUTO fd = openat(r->runs, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct protection before;
        struct stat status;
        int64_t until = 0;

        if (fd < 0 && errno == ENOENT)
                return;
        if (fd < 0) {
                keep_aside(r, name);
                return;
        }
        if (str_ends(str_z(name), STR(".new"))) { /* its command has not started */
                if (fstat(fd, &status) == 0 && older_than(&status, START_SECONDS) && flock(fd, LOCK_EX | LOCK_NB) == 0)
                        unlinkat(r->runs, name, 0);
                return;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) /* its writer lives */
                return;
        if (fstat(fd, &status) < 0 || status.st_nlink == 0) /* done by its writer, or by another who recovers */
                return;
        if (journal_read(fd, r->arena, &before, &until) < 0) {
                keep_aside(r, name);
                return;
        }
        if (until == SWEEP_UNTIL_NEVER) {
                unlinkat(r->runs, name, 0);
                return;
        }
        /* Who did not say how long it would run may have done so for hours. */
        sweep_for(r, name, &before, limit_until(until, &status), until == SWEEP_UNTIL_ANY, &status);
}

int sweep_recover(const char *state_dir, struct arena *arena, struct str_list *ret_removed, struct err *err) {
        struct recovery r = { .state_dir = state_dir, .runs = -1, .arena = arena };
        const struct dirent *entry;
        DIR *stream;

        if (journal_directory(state_dir, false, &r.runs, err) < 0)
                return -1;
        if (r.runs < 0) {
                *ret_removed = (struct str_list){ 0 };
                return 0;
        }
        stream = fdopendir(r.runs);
        if (!stream) {
                fd_close(r.runs);
                return err_sys(err, "cannot list %s/runs", state_dir);
        }
        while ((entry = readdir(stream)))
                if (entry->d_name[0] != '.' && !str_ends(str_z(entry->d_name), STR(".bad")))
                        recover_one(&r, entry->d_name);
        closedir(stream);
        *ret_removed = (struct str_list){ r.said, r.count };
        return 0;
}
