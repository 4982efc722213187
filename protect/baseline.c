#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/sha256.h"
#include "base/time.h"
#include "base/tree.h"
#include "policy/files.h"
#include "protect/killed.h"
#include "protect/protect.h"

/*
 * The file begins with a head, which says whether commands run and where the text is: the path of the workspace, and the
 * baseline. A new text is written beside the old one, and the head last, so that at every moment one of the two counts, also
 * when the disk is full. Two bytes of the file are locked, each with the file as it was opened here (F_OFD_*), so that the
 * kernel lets go of them when a process is killed.
 */
enum {
        LOCK_TURN, /* held while a process surveys protected paths, or changes the file */
        LOCK_BUSY, /* shared by all processes that have a command running */
        HEAD_SIZE = 32,
        TEXT_MAX = 64 << 20,
};
#define MARK_IDLE '-'
#define MARK_RUNNING '+'
#define TURN_PATIENCE (60 * TIME_SECOND)

struct head {
        char mark;
        unsigned long long at, len; /* of the text */
};

/* ---- locks ---- */

static int lock(int fd, int byte, short type) {
        struct flock wanted = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

        return fcntl(fd, F_OFD_SETLK, &wanted);
}

static bool is_alone(int fd) {
        struct flock other = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_BUSY, .l_len = 1 };

        return fcntl(fd, F_OFD_GETLK, &other) == 0 && other.l_type == F_UNLCK;
}

/* Others hold it for as long as they look, which is bounded. */
static int take_turn(const struct baseline *baseline, struct err *err) {
        int64_t deadline = time_monotonic() + TURN_PATIENCE, pause = 100000;

        while (lock(baseline->fd, LOCK_TURN, F_WRLCK) < 0) {
                if (errno != EAGAIN && errno != EACCES && errno != EINTR)
                        return err_sys(err, "cannot lock the baseline of %s", baseline->workspace);
                if (time_monotonic() > deadline)
                        return err_set(err, ERR_SYSTEM, "another bailey process has held the lock on %s for a minute",
                                       baseline->workspace);
                nanosleep(&(struct timespec){ .tv_nsec = (long)pause }, NULL);
                pause = pause < 4000000 ? pause * 2 : pause;
        }
        return 0;
}

/* ---- the file ---- */

struct baseline *baseline_get(struct baseline **list, const char *workspace) {
        struct baseline *baseline = *list;

        while (baseline && strcmp(baseline->workspace, workspace) != 0)
                baseline = baseline->next;
        if (baseline)
                return baseline;
        baseline = calloc(1, sizeof(*baseline));
        if (!baseline)
                return NULL;
        *baseline = (struct baseline){ .fd = -1, .workspace = strdup(workspace), .next = *list };
        if (!baseline->workspace) {
                free(baseline);
                return NULL;
        }
        return *list = baseline;
}

static int open_directory(const char *state_dir, int *ret_fd, struct err *err) {
        char directory[PATH_MAX];

        snprintf(directory, sizeof(directory), "%s/protect", state_dir);
        return directory_make(directory, ret_fd, err);
}

static bool is_removed(int fd) {
        struct stat status;

        return fstat(fd, &status) < 0 || status.st_nlink == 0;
}

/* Opens the file, if need be, and takes a turn with it. Whoever needs it no longer removes it, in a turn. */
static int open_file(struct baseline *baseline, const char *state_dir, struct err *err) {
        char name[SHA256_HEX_SIZE];

        sha256_hex(str_z(baseline->workspace), name);
        for (;;) {
                FD_AUTO made = -1;

                if (baseline->fd >= 0 && take_turn(baseline, err) < 0)
                        return -1;
                if (baseline->fd >= 0 && (baseline->running || !is_removed(baseline->fd)))
                        return 0;
                fd_close(TAKE_FD(baseline->fd));
                if (open_directory(state_dir, &made, err) < 0)
                        return -1;
                baseline->fd = openat(made, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
                if (baseline->fd < 0)
                        return err_sys(err, "%s/protect/%s", state_dir, name);
        }
}

static int file_failed(const struct baseline *baseline, struct err *err) {
        return err_sys(err, "the baseline of %s", baseline->workspace);
}

/* Of a file that was just made: idle, without a text. */
static int read_head(const struct baseline *baseline, struct head *ret, struct err *err) {
        char text[HEAD_SIZE + 1] = "";
        ssize_t len = pread(baseline->fd, text, HEAD_SIZE, 0);

        *ret = (struct head){ .mark = MARK_IDLE, .at = HEAD_SIZE };
        if (len < 0)
                return file_failed(baseline, err);
        if (len > 0 && (sscanf(text, "%c %llu %llu", &ret->mark, &ret->at, &ret->len) != 3 || ret->at < HEAD_SIZE ||
                        ret->len > TEXT_MAX || (ret->mark != MARK_IDLE && ret->mark != MARK_RUNNING)))
                return err_set(err, ERR_INVALID, "the baseline file of %s is invalid", baseline->workspace);
        return 0;
}

/* All of it; the kernel writes less only when the disk is full. */
static int write_at(const struct baseline *baseline, struct str text, unsigned long long at, struct err *err) {
        ssize_t len = pwrite(baseline->fd, text.ptr, text.len, (off_t)at);

        if (len == (ssize_t)text.len)
                return 0;
        if (len >= 0)
                errno = ENOSPC;
        return file_failed(baseline, err);
}

static int write_head(const struct baseline *baseline, struct head head, struct err *err) {
        char text[HEAD_SIZE + 1];

        snprintf(text, sizeof(text), "%c %-13llu %-14llu\n", head.mark, head.at, head.len);
        return write_at(baseline, str_from(text, HEAD_SIZE), 0, err);
}

static int set_mark(const struct baseline *baseline, char mark, struct err *err) {
        struct head head;

        if (read_head(baseline, &head, err) < 0)
                return -1;
        head.mark = mark;
        return write_head(baseline, head, err);
}

/* The baseline, without the path; an empty one is no baseline. */
static int read_text(const struct baseline *baseline, const struct head *head, struct arena *arena, struct str *ret,
                     struct err *err) {
        size_t skip = strlen(baseline->workspace) + 1, len = (size_t)head->len;
        char *text = arena_bytes(arena, len + 1);

        if (!text)
                return err_memory(err);
        if (pread(baseline->fd, text, len, (off_t)head->at) != (ssize_t)len)
                return err_set(err, ERR_INVALID, "the baseline of %s is cut off", baseline->workspace);
        *ret = str_skip(str_from(text, len), skip);
        return 0;
}

static int write_text(const struct baseline *baseline, struct head *head, struct str text, struct err *err) {
        if (head->at < HEAD_SIZE + text.len) /* there is no room before the old one */
                head->at += head->len;
        else
                head->at = HEAD_SIZE;
        head->len = text.len;
        return write_at(baseline, text, head->at, err);
}

static int write_file(const struct baseline *baseline, const struct protection *protection, struct arena *arena,
                      struct err *err) {
        struct head head;
        struct str old;
        BUF_AUTO text;

        buf_init(&text, TEXT_MAX);
        buf_format(&text, "%s\n", baseline->workspace);
        baseline_write(protection, &text);
        if (text.failed)
                return err_set(err, ERR_TOO_COMPLEX, "%s: too much to protect", baseline->workspace);
        if (read_head(baseline, &head, err) < 0 || read_text(baseline, &head, arena, &old, err) < 0)
                return -1;
        if (!str_eq(str_skip(buf_str(&text), strlen(baseline->workspace) + 1), old) &&
            write_text(baseline, &head, buf_str(&text), err) < 0)
                return -1;
        head.mark = MARK_RUNNING;
        return write_head(baseline, head, err);
}

/* ---- begin and end ---- */

/* What was known when commands last ran; nothing when none has. */
static int read_known(const struct baseline *baseline, struct head *ret_head, struct arena *arena, struct protection *ret,
                      struct err *err) {
        struct str text;

        *ret = (struct protection){ 0 };
        if (read_head(baseline, ret_head, err) < 0 || read_text(baseline, ret_head, arena, &text, err) < 0)
                return -1;
        return text.len ? baseline_read(text, arena, ret, err) : 0;
}

/* Compares with the baseline. */
static int settle(const struct baseline *baseline, const struct protect_request *request, struct protection *known,
                  struct err *err) {
        struct protection now;
        bool changed = false;

        if (protect_survey_after(baseline->workspace, request->home, known, request->arena, &now, err) < 0 ||
            protect_settle(request, known, &now, &changed, err) < 0)
                return err_context(err, "%s", baseline->workspace);
        return changed ? write_file(baseline, known, request->arena, err) : 0;
}

static int begin(struct baseline *baseline, const struct protect_request *request, struct protection *ret, struct err *err) {
        bool first = !baseline->running && is_alone(baseline->fd);
        struct protection known;
        struct head head;

        if (read_known(baseline, &head, request->arena, &known, err) < 0)
                return -1;
        if (first && head.mark == MARK_RUNNING && (killed_wait(err) < 0 || settle(baseline, request, &known, err) < 0))
                return err_context(err, "after a command that was killed");
        /* What others know is covered here, too, even if a command has hidden it from the survey. */
        if (protect_survey(baseline->workspace, request->home, &known, request->arena, ret, err) < 0 ||
            (first && write_file(baseline, ret, request->arena, err) < 0))
                return -1;
        if (!baseline->running && lock(baseline->fd, LOCK_BUSY, F_RDLCK) < 0)
                return err_sys(err, "cannot lock the baseline of %s", baseline->workspace);
        baseline->running++;
        return 0;
}

int protect_begin(struct baseline *baseline, const struct protect_request *request, struct protection *ret, struct err *err) {
        int failed = open_file(baseline, request->state_dir, err);

        if (!failed) {
                failed = begin(baseline, request, ret, err);
                lock(baseline->fd, LOCK_TURN, F_UNLCK);
        }
        return failed;
}

/* In a turn, while there is a mark. */
static int check(const struct baseline *baseline, const struct protect_request *request, struct err *err) {
        struct protection known;
        struct head head;

        if (read_known(baseline, &head, request->arena, &known, err) < 0)
                return -1;
        if (head.mark != MARK_RUNNING)
                return err_set(err, ERR_INVALID, "the baseline file of %s was changed by another program", baseline->workspace);
        return settle(baseline, request, &known, err);
}

int protect_check(const struct baseline *baseline, const struct protect_request *request, struct err *err) {
        int failed;

        if (lock(baseline->fd, LOCK_TURN, F_WRLCK) < 0)
                return errno == EAGAIN || errno == EACCES || errno == EINTR
                               ? 1
                               : err_sys(err, "cannot lock the baseline of %s", baseline->workspace);
        failed = check(baseline, request, err);
        lock(baseline->fd, LOCK_TURN, F_UNLCK);
        return failed;
}

int protect_end(struct baseline *baseline, const struct protect_request *request, struct err *err) {
        int failed = take_turn(baseline, err);

        if (!failed)
                failed = check(baseline, request, err);
        if (--baseline->running == 0) {
                lock(baseline->fd, LOCK_BUSY, F_UNLCK);
                if (!failed && is_alone(baseline->fd))
                        failed = set_mark(baseline, MARK_IDLE, err);
        }
        lock(baseline->fd, LOCK_TURN, F_UNLCK);
        return failed;
}

/* Files that are no longer needed are removed, so that there are few to look through. */
void baseline_free(struct baseline **list, const char *state_dir) {
        FD_AUTO directory = -1;

        if (*list && state_dir)
                open_directory(state_dir, &directory, NULL);
        while (*list) {
                struct baseline *baseline = *list;
                char name[SHA256_HEX_SIZE];
                struct head head;

                sha256_hex(str_z(baseline->workspace), name);
                if (baseline->fd >= 0 && directory >= 0 && lock(baseline->fd, LOCK_TURN, F_WRLCK) == 0 &&
                    is_alone(baseline->fd) && !is_removed(baseline->fd) && read_head(baseline, &head, NULL) == 0 &&
                    head.mark == MARK_IDLE)
                        unlinkat(directory, name, 0);
                *list = baseline->next;
                fd_close(baseline->fd);
                free(baseline->workspace);
                free(baseline);
        }
}

bool protect_is_busy(const char *state_dir, const char *workspace) {
        char name[SHA256_HEX_SIZE], path[PATH_MAX];
        FD_AUTO fd = -1;

        sha256_hex(str_z(workspace), name);
        snprintf(path, sizeof(path), "%s/protect/%s", state_dir, name);
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        return fd >= 0 && !is_alone(fd);
}

/* ---- after a kill ---- */

/* The workspace that a file speaks of; false when nothing is left to do there. */
static bool is_left(struct baseline *baseline, char path[static PATH_MAX]) {
        struct head head;
        ssize_t len;

        if (read_head(baseline, &head, NULL) < 0 || head.mark != MARK_RUNNING)
                return false;
        len = pread(baseline->fd, path, PATH_MAX - 1, (off_t)head.at);
        path[len > 0 ? len : 0] = '\0';
        path[strcspn(path, "\n")] = '\0';
        return path[0] == '/' && access(path, F_OK) == 0; /* its disk may come back */
}

static int recover_one(int directory, const char *name, const struct protect_request *request, struct err *err) {
        FD_AUTO fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        char workspace[PATH_MAX];
        struct baseline baseline = { .fd = fd, .workspace = workspace };
        struct protection known;
        struct head head;

        if (fd < 0 || !is_left(&baseline, workspace) || lock(fd, LOCK_TURN, F_WRLCK) < 0 || !is_alone(fd) || is_removed(fd))
                return 0; /* or another process does it */
        if (read_known(&baseline, &head, request->arena, &known, err) < 0)
                return -1;
        if (head.mark == MARK_RUNNING && (killed_wait(err) < 0 || settle(&baseline, request, &known, err) < 0))
                return -1;
        return unlinkat(directory, name, 0) < 0 ? err_sys(err, "%s", name) : 0;
}

int protect_recover(const struct protect_request *request, struct err *err) {
        FD_AUTO directory = -1;
        DIR *stream;
        const struct dirent *entry;
        int failed = open_directory(request->state_dir, &directory, err);

        if (failed)
                return -1;
        stream = tree_list(directory, ".");
        if (!stream)
                return err_sys(err, "%s/protect", request->state_dir);
        while ((entry = readdir(stream)))
                if (entry->d_name[0] != '.' && recover_one(dirfd(stream), entry->d_name, request, failed ? NULL : err) < 0)
                        failed = -1;
        closedir(stream);
        return failed;
}

/* ---- the text ---- */

/* One line for each, with the lengths of what follows it. */
#define FIRST_LINE "bailey-baseline 1"

static void write_list(const struct protected_paths *list, char name, struct buf *out) {
        for (size_t i = 0; i < list->count; i++) {
                const struct protected_path *item = &list->items[i];

                buf_format(out, "%c %d %d %zu %zu %zu %d\n", name, item->kind, item->directory, strlen(item->path),
                           item->link ? strlen(item->link) + 1 : 0, item->content.ptr ? item->content.len + 1 : 0,
                           item->identity.len);
                buf_append(out, str_z(item->path));
                buf_append(out, str_z(item->link ? item->link : ""));
                if (item->content.ptr)
                        buf_append(out, item->content);
                buf_append(out, str_from((const char *)item->identity.bytes, item->identity.len));
                buf_char(out, '\n');
        }
}

void baseline_write(const struct protection *protection, struct buf *ret) {
        buf_format(ret, FIRST_LINE " %d\n", protection->unseen);
        write_list(&protection->read_only, 'r', ret);
        write_list(&protection->checked, 'c', ret);
        write_list(&protection->absent, 'a', ret);
        write_list(&protection->git_write, 'w', ret);
}

/* The next `len` bytes, copied. */
static const char *take(struct str *text, size_t len, struct arena *arena) {
        const char *copy = len <= text->len ? arena_dup(arena, str_take(*text, len)) : NULL;

        *text = str_skip(*text, len);
        return copy;
}

static int read_item(struct str *text, struct arena *arena, char *ret_list, struct protected_path *ret) {
        size_t path, link, content, newline = str_find(*text, '\n');
        int kind, directory, identity;
        char line[160];

        snprintf(line, sizeof(line), "%.*s", newline < sizeof(line) ? (int)newline : 0, text->ptr);
        if (sscanf(line, "%c %d %d %zu %zu %zu %d", ret_list, &kind, &directory, &path, &link, &content, &identity) != 7 ||
            identity < 0 || (size_t)identity > sizeof(ret->identity.bytes) || kind < PROTECTED_NAME || kind > PROTECTED_INDEX)
                return -1;
        *text = str_skip(*text, newline + 1);
        *ret = (struct protected_path){ .path = take(text, path, arena),
                                        .kind = (enum protected_kind)kind,
                                        .directory = directory };
        if (link)
                ret->link = take(text, link - 1, arena);
        if (content)
                ret->content = str_from(take(text, content - 1, arena), content - 1);
        if (!ret->path || (link && !ret->link) || (content && !ret->content.ptr) || text->len < (size_t)identity + 1)
                return -1;
        ret->identity.len = (unsigned char)identity;
        memcpy(ret->identity.bytes, text->ptr, (size_t)identity);
        *text = str_skip(*text, (size_t)identity + 1);
        return 0;
}

int baseline_read(struct str text, struct arena *arena, struct protection *ret, struct err *err) {
        struct protection found = { 0 };
        struct str head = str_take(text, str_find(text, '\n'));

        if (!str_starts(head, STR(FIRST_LINE " ")))
                return err_set(err, ERR_INVALID, "the baseline file was written by another version of bailey");
        found.unseen = str_ends(head, STR("1"));
        for (text = str_skip(text, head.len + 1); text.len;) {
                struct protected_path item;
                char list = 0;

                if (read_item(&text, arena, &list, &item) < 0)
                        return err_set(err, ERR_INVALID, "the baseline file is invalid");
                if (protected_add(list == 'r'   ? &found.read_only
                                  : list == 'c' ? &found.checked
                                  : list == 'a' ? &found.absent
                                                : &found.git_write,
                                  item, arena, err) < 0)
                        return -1;
        }
        *ret = found;
        return 0;
}
