#include "stage/undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/lock.h"
#include "base/path.h"
#include "base/time.h"
#include "base/tree.h"
#include "policy/files.h"
#include "stage/changes.h"

#define JOURNAL "journal"
#define OLD "old"
#define TAKEN_BACK "taken-back" /* the journal, if not all that was replaced could be put back */
#define DONE "done"
#define UNDOING "undoing"
#define UNDONE "undone"
#define WAIT (10 * TIME_SECOND)
#define REMOVE_FOR (60 * TIME_SECOND)

enum { JOURNAL_MAX = 256 << 20, JOURNAL_MEMORY = 1 << 30, DEPTH_MAX = 256 };

static int undo_path(const char *state, char ret[static PATH_MAX], struct err *err) {
        if (snprintf(ret, PATH_MAX, "%s/undo", state) >= PATH_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "%s: too long", state);
        return 0;
}

int stage_undo_lock(const char *state, int *ret_fd, struct err *err) {
        char path[PATH_MAX];
        FD_AUTO fd = -1;

        if (undo_path(state, path, err) < 0 || directory_make(path, &fd, err) < 0)
                return -1;
        if (lock_take(fd, LOCK_EX, time_monotonic() + WAIT) < 0)
                return errno == EWOULDBLOCK ? err_set(err, ERR_REFUSED,
                                                      "another process is applying a stage; try again when it "
                                                      "has ended")
                                            : err_sys(err, "%s: lock", path);
        *ret_fd = TAKE_FD(fd);
        return 0;
}

/* ---- one ---- */

static int has(int directory, const char *name, bool *ret, struct err *err) {
        *ret = faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        return *ret || errno == ENOENT ? 0 : err_sys(err, "undo: %s", name);
}

static int mark(int directory, const char *name, struct err *err) {
        return file_replace(directory, name, STR(""), 0600, err);
}

static bool is_id(const char *name) {
        return strlen(name) == UNDO_ID_LENGTH && strspn(name, "0123456789abcdef") == UNDO_ID_LENGTH;
}

static int open_one(int undo, const char *id, struct stage_undo *ret, struct err *err) {
        *ret = (struct stage_undo){ .directory = openat(undo, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), .old = -1 };
        snprintf(ret->id, sizeof(ret->id), "%.*s", UNDO_ID_LENGTH, id);
        if (ret->directory >= 0) {
                ret->old = openat(ret->directory, OLD, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (ret->old >= 0 || errno == ENOENT) /* it is made after the directory, and removed before it */
                        return 0;
        }
        err_sys(err, "undo %s", id);
        stage_undo_close(ret);
        return -1;
}

void stage_undo_close(struct stage_undo *undo) {
        fd_close(TAKE_FD(undo->old));
        fd_close(TAKE_FD(undo->directory));
}

static int read_journal(const struct stage_undo *one, struct arena *arena, struct stage_journal *ret, struct err *err) {
        BUF_AUTO text;

        buf_init(&text, JOURNAL_MAX);
        if (file_read(one->directory, JOURNAL, JOURNAL, FILE_NO_LINK, &text, err) < 0 ||
            stage_journal_read(buf_str(&text), arena, ret, err) < 0)
                return err_context(err, "undo %s", one->id);
        return 0;
}

static int open_upper(const struct stage_journal *journal) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/" STAGE_UPPER, journal->stage) >= (int)sizeof(path))
                return -1;
        return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_base(const struct stage_journal *journal, struct err *err) {
        int fd = open(journal->workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        return fd < 0 ? err_sys(err, "workspace %s", journal->workspace) : fd;
}

/* All is as it was before. What could not be put back is kept, with the journal, which says where it was. */
static int drop(int undo, const struct stage_undo *one, struct err *err) {
        if (renameat(one->directory, JOURNAL, one->directory, TAKEN_BACK) < 0 && errno != ENOENT)
                return err_sys(err, "undo %s", one->id);
        if (unlinkat(one->directory, OLD, AT_REMOVEDIR) < 0 && errno != ENOENT)
                return errno == ENOTEMPTY || errno == EEXIST ? 0 : err_sys(err, "undo %s", one->id);
        (void)remove_tree(undo, one->id, time_monotonic() + REMOVE_FOR, NULL);
        return 0;
}

/* Adds to the error where that is. */
static void tell_kept(const struct stage_undo *one, struct err *err) {
        char path[PATH_MAX];
        struct stat st;

        if (fstatat(one->directory, OLD, &st, AT_SYMLINK_NOFOLLOW) == 0 && path_of_fd(one->old, path))
                err_context(err, "some files could not be restored; they are in %s", path);
}

static int carry_out(int undo, const struct stage_undo *one, const struct stage_journal *journal, int upper, int base,
                     struct err *err) {
        const struct stage_journal_place place = { one->directory, one->old, base, upper };

        if (stage_journal_do(journal, &place, err) < 0) {
                (void)drop(undo, one, NULL);
                tell_kept(one, err);
                return -1;
        }
        return syncfs(base) < 0 ? err_sys(err, "workspace %s", journal->workspace) : mark(one->directory, DONE, err);
}

static int make_one(int undo, struct stage_undo *ret, struct err *err) {
        char id[ID_SIZE];

        if (id_new(id, err) < 0)
                return -1;
        id[UNDO_ID_LENGTH] = 0; /* its first part are digits */
        if (mkdirat(undo, id, 0700) < 0)
                return err_sys(err, "undo %s", id);
        {
                FD_AUTO directory = openat(undo, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

                if (directory < 0 || mkdirat(directory, OLD, 0700) < 0)
                        return err_sys(err, "undo %s", id);
        }
        return open_one(undo, id, ret, err);
}

/* From the moment that the journal has its name, it is carried out or taken back. What is moved is on disk before. */
int stage_undo_begin(int undo, const struct stage_journal *journal, int upper, int base, struct stage_undo *ret,
                     struct err *err) {
        struct stage_undo one;
        BUF_AUTO text;

        buf_init(&text, JOURNAL_MAX);
        stage_journal_write(journal, &text);
        if (text.failed)
                return err_set(err, ERR_TOO_COMPLEX, "the stage has too many changes");
        if (make_one(undo, &one, err) < 0)
                return -1;
        if (syncfs(upper) < 0 ? err_sys(err, "%s", journal->stage) < 0
                              : file_replace(one.directory, JOURNAL, buf_str(&text), 0600, err) < 0) {
                (void)drop(undo, &one, NULL);
                stage_undo_close(&one);
                return -1;
        }
        if (carry_out(undo, &one, journal, upper, base, err) < 0) {
                stage_undo_close(&one);
                return -1;
        }
        *ret = one;
        return 0;
}

int stage_undo_settle(const struct stage_undo *undo, struct err *err) {
        return mark(undo->directory, DONE, err);
}

/* ---- what was interrupted ---- */

static int undo_one(const struct stage_undo *one, const struct stage_journal *journal, struct err *err) {
        FD_AUTO base = open_base(journal, err);
        const struct stage_journal_place place = { one->directory, one->old, base, -1 };

        if (base < 0 || stage_journal_undo(journal, &place, err) < 0)
                return -1;
        return syncfs(base) < 0 ? err_sys(err, "workspace %s", journal->workspace) : mark(one->directory, UNDONE, err);
}

/* The stage must be in nobody's use: who begins to use one calls this first. */
static int finish(int undo, const struct stage_undo *one, const struct stage_journal *journal, struct err *err) {
        FD_AUTO upper = open_upper(journal);
        FD_AUTO base = upper < 0 ? -1 : open_base(journal, err);

        if (upper < 0)
                return err_sys(err, "%s/" STAGE_UPPER, journal->stage);
        return base < 0 ? -1 : carry_out(undo, one, journal, upper, base, err);
}

enum state { NOT_BEGUN, APPLYING, APPLIED, TAKING_BACK, IS_UNDONE };

static int read_state(const struct stage_undo *one, enum state *ret, struct err *err) {
        bool journal, done, undoing, undone;

        if (has(one->directory, JOURNAL, &journal, err) < 0 || has(one->directory, DONE, &done, err) < 0 ||
            has(one->directory, UNDOING, &undoing, err) < 0 || has(one->directory, UNDONE, &undone, err) < 0)
                return -1;
        *ret = !journal ? NOT_BEGUN : !done ? APPLYING : !undoing ? APPLIED : !undone ? TAKING_BACK : IS_UNDONE;
        return 0;
}

static int complete(int undo, const struct stage_undo *one, enum state state, struct err *err) {
        struct stage_journal journal;
        ARENA_AUTO arena;

        arena_init(&arena, JOURNAL_MEMORY);
        if (read_journal(one, &arena, &journal, err) < 0)
                return -1;
        return state == APPLYING ? finish(undo, one, &journal, err) : undo_one(one, &journal, err);
}

static int recover_one(int undo, const char *id, struct err *err) {
        struct stage_undo one;
        enum state state;
        int result;

        if (open_one(undo, id, &one, err) < 0)
                return -1;
        result = read_state(&one, &state, err);
        if (result == 0 && state == NOT_BEGUN)
                result = drop(undo, &one, err);
        else if (result == 0 && (state == APPLYING || state == TAKING_BACK))
                result = complete(undo, &one, state, err);
        stage_undo_close(&one);
        return result < 0 ? err_context(err, "completing the interrupted undo %s", id) : 0;
}

int stage_recover(int undo, struct err *err) {
        DIR *stream = tree_list(undo, ".");
        const struct dirent *entry;
        int result = 0;

        if (!stream)
                return err_sys(err, "undo");
        while (result == 0 && (entry = tree_next(stream)))
                if (is_id(entry->d_name))
                        result = recover_one(undo, entry->d_name, err);
        closedir(stream);
        return result;
}

int stage_recover_now(const char *state, struct err *err) {
        char path[PATH_MAX];
        FD_AUTO fd = -1;

        if (undo_path(state, path, err) < 0 || directory_open(path, &fd, err) < 0)
                return -1;
        if (fd < 0)
                return 0;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) /* one that runs completes it itself */
                return errno == EWOULDBLOCK ? 0 : err_sys(err, "%s: lock", path);
        return stage_recover(fd, err);
}

/* ---- the list ---- */

static int add_item(const struct stage_undo *one, bool undone, struct arena *arena, struct stage_undo_list *list,
                    struct err *err) {
        struct stage_undo_item *item;
        struct stage_journal journal;
        struct stat st;

        if (!arena_room(arena, &list->items, list->count, &list->room, sizeof(*list->items)))
                return err_memory(err);
        if (fstatat(one->directory, DONE, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return err_sys(err, "undo %s", one->id);
        if (read_journal(one, arena, &journal, err) < 0)
                return -1;
        item = &list->items[list->count++];
        *item = (struct stage_undo_item){ .name = journal.name,
                                          .workspace = journal.workspace,
                                          .done = st.st_ctim.tv_sec * TIME_SECOND + st.st_ctim.tv_nsec,
                                          .bytes = journal.bytes,
                                          .steps = journal.count,
                                          .undone = undone };
        memcpy(item->id, one->id, sizeof(item->id));
        return 0;
}

static int read_item(int undo, const char *id, struct arena *arena, struct stage_undo_list *list, struct err *err) {
        struct stage_undo one;
        enum state state;
        int result;

        if (!is_id(id))
                return 0;
        if (open_one(undo, id, &one, err) < 0)
                return -1;
        result = read_state(&one, &state, err);
        if (result == 0 && state >= APPLIED)
                result = add_item(&one, state > APPLIED, arena, list, err);
        stage_undo_close(&one);
        return result;
}

static int compare_newest(const void *a, const void *b) {
        const struct stage_undo_item *one = a, *other = b;

        return one->done < other->done ? 1 : one->done > other->done ? -1 : strcmp(one->id, other->id);
}

int stage_undo_list(int undo, struct arena *arena, struct stage_undo_list *ret, struct err *err) {
        DIR *stream = tree_list(undo, ".");
        const struct dirent *entry;
        int result = 0;

        *ret = (struct stage_undo_list){};
        if (!stream)
                return err_sys(err, "undo");
        while (result == 0 && (entry = tree_next(stream)))
                result = read_item(undo, entry->d_name, arena, ret, err);
        closedir(stream);
        if (ret->count)
                qsort(ret->items, ret->count, sizeof(*ret->items), compare_newest);
        return result;
}

void stage_undo_prune(int undo) {
        int64_t oldest = time_realtime() - STAGE_UNDO_DAYS * INT64_C(24) * 3600 * TIME_SECOND;
        struct stage_undo_list list;
        struct arena arena;
        uint64_t bytes = 0;
        struct err ignored = {};

        arena_init(&arena, JOURNAL_MEMORY);
        if (stage_undo_list(undo, &arena, &list, &ignored) < 0)
                list.count = 0;
        for (size_t i = 0; i < list.count; i++) {
                bytes += list.items[i].bytes;
                if (i && (list.items[i].done < oldest || bytes > STAGE_UNDO_BYTES))
                        (void)remove_tree(undo, list.items[i].id, time_monotonic() + REMOVE_FOR, NULL);
        }
        arena_free(&arena);
}

/* ---- undoing ---- */

static bool is_later(const struct timespec *a, const struct timespec *b) {
        return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Is anything in it newer? What cannot be examined is. */
static bool is_changed(int directory, const char *name, const struct timespec *since, unsigned depth) {
        struct stat st;
        const struct dirent *entry;
        bool changed = false;
        DIR *stream;

        if (depth > DEPTH_MAX || fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || is_later(&st.st_ctim, since))
                return true;
        if (!S_ISDIR(st.st_mode))
                return false;
        stream = tree_list(directory, name);
        if (!stream)
                return true;
        while (!changed && (entry = tree_next(stream)))
                changed = is_changed(dirfd(stream), entry->d_name, since, depth + 1);
        closedir(stream);
        return changed;
}

static int check_step(const struct stage_step *step, int base, const struct timespec *since, struct err *err) {
        const char *name;
        FD_AUTO above = -1;
        struct stat st;
        bool there;

        if (step->kind == STEP_TIMES || step->kind == STEP_MODE || step->kind == STEP_DIRECTORY)
                return 0;
        above = stage_open_above(base, step->path, &name);
        if (above < 0)
                return err_set(err, ERR_CHANGED, "%s: its directory no longer exists; restore the directory first", step->path);
        there = fstatat(above, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
        if (step->kind == STEP_DELETE ? there : !there || st.st_ino != step->after || is_changed(above, name, since, 0))
                return err_set(err, ERR_CHANGED, "%s: has changed since it was applied; --force replaces it, and keeps a copy",
                               step->path);
        return 0;
}

static int check(const struct stage_undo *one, const struct stage_journal *journal, struct err *err) {
        FD_AUTO base = open_base(journal, err);
        struct stat st;

        if (base < 0)
                return -1;
        if (fstatat(one->directory, DONE, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return err_sys(err, "undo %s", one->id);
        for (size_t i = 0; i < journal->count; i++)
                if (check_step(&journal->steps[i], base, &st.st_ctim, err) < 0)
                        return -1;
        return 0;
}

static int take_one(const struct stage_undo *one, bool force, struct arena *arena, struct err *err) {
        struct stage_journal journal;
        enum state state;

        if (read_state(one, &state, err) < 0)
                return -1;
        if (state != APPLIED)
                return err_set(err, ERR_INVALID, state > APPLIED ? "%s is already undone" : "%s was not applied", one->id);
        if (read_journal(one, arena, &journal, err) < 0 || (!force && check(one, &journal, err) < 0) ||
            mark(one->directory, UNDOING, err) < 0)
                return -1;
        return undo_one(one, &journal, err);
}

int stage_undo_take(int undo, const char *id, bool force, struct arena *arena, struct err *err) {
        struct stage_undo one;
        bool there = false;
        int result;

        if (is_id(id) && has(undo, id, &there, err) < 0)
                return -1;
        if (!there)
                return err_set(err, ERR_NOT_FOUND, "no such ID: '%s'; see bailey undo --list", id);
        if (open_one(undo, id, &one, err) < 0)
                return -1;
        result = take_one(&one, force, arena, err);
        stage_undo_close(&one);
        return result;
}
