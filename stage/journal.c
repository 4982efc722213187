#include "stage/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/tree.h"
#include "stage/attributes.h"
#include "stage/changes.h"

#define HEAD "bailey stage journal 1"

enum { EXCHANGE = 2 /* RENAME_EXCHANGE */, STRIP_DEPTH_MAX = 256 };

/* ---- its text ---- */

int stage_journal_add(struct stage_journal *journal, const struct stage_step *step, struct arena *arena, struct err *err) {
        if (!arena_room(arena, &journal->steps, journal->count, &journal->room, sizeof(*journal->steps)))
                return err_memory(err);
        journal->steps[journal->count++] = *step;
        return 0;
}

static void put_word(struct buf *out, const char *text) {
        buf_append(out, str_z(text));
        buf_char(out, 0); /* which no path has */
}

void stage_journal_write(const struct stage_journal *journal, struct buf *out) {
        put_word(out, HEAD);
        put_word(out, journal->workspace);
        put_word(out, journal->stage);
        put_word(out, journal->name);
        buf_format(out, "%" PRIu64, journal->bytes);
        buf_char(out, 0);
        for (size_t i = 0; i < journal->count; i++) {
                const struct stage_step *step = &journal->steps[i];

                buf_format(out, "%c %llu %llu %o %o %lld %ld %lld %ld", (char)step->kind, (unsigned long long)step->after,
                           (unsigned long long)step->before, step->after_mode, step->before_mode,
                           (long long)step->after_time.tv_sec, step->after_time.tv_nsec, (long long)step->before_time.tv_sec,
                           step->before_time.tv_nsec);
                buf_char(out, 0);
                put_word(out, step->path);
        }
}

static bool take_word(struct str *rest, struct arena *arena, const char **ret) {
        const char *end = rest->len ? memchr(rest->ptr, 0, rest->len) : NULL;

        *ret = end ? arena_dup(arena, str_take(*rest, (size_t)(end - rest->ptr))) : NULL;
        if (*ret)
                *rest = str_skip(*rest, (size_t)(end - rest->ptr) + 1);
        return *ret != NULL;
}

static bool take_step(struct str *rest, struct arena *arena, struct stage_step *ret) {
        unsigned long long after, before;
        long long after_time, before_time;
        struct stage_step step = {};
        const char *facts;
        char kind;

        if (!take_word(rest, arena, &facts) || !take_word(rest, arena, &step.path) ||
            sscanf(facts, "%c %llu %llu %o %o %lld %ld %lld %ld", &kind, &after, &before, &step.after_mode, &step.before_mode,
                   &after_time, &step.after_time.tv_nsec, &before_time, &step.before_time.tv_nsec) != 9 ||
            !strchr("NXDMAT", kind) || !kind)
                return false;
        step.kind = (enum stage_step_kind)kind;
        step.after = after;
        step.before = before;
        step.after_time.tv_sec = after_time;
        step.before_time.tv_sec = before_time;
        *ret = step;
        return true;
}

int stage_journal_read(struct str text, struct arena *arena, struct stage_journal *ret, struct err *err) {
        struct stage_journal journal = {};
        const char *head, *bytes;
        struct stage_step step;

        if (!take_word(&text, arena, &head) || strcmp(head, HEAD) != 0 || !take_word(&text, arena, &journal.workspace) ||
            !take_word(&text, arena, &journal.stage) || !take_word(&text, arena, &journal.name) ||
            !take_word(&text, arena, &bytes))
                return err_set(err, ERR_INVALID, "not a stage journal");
        journal.bytes = strtoull(bytes, NULL, 10);
        while (text.len) {
                if (!take_step(&text, arena, &step))
                        return err_set(err, ERR_INVALID, "the journal is not complete");
                if (stage_journal_add(&journal, &step, arena, err) < 0)
                        return -1;
        }
        *ret = journal;
        return 0;
}

/* ---- one step ---- */

struct stepper {
        const struct stage_journal_place *place;
        const struct stage_step *step;
        const char *name;
        int base, upper;                 /* the directories that it is in; -1: there is none */
        char old[24];                    /* its name there */
        ino_t in_base, in_upper, in_old; /* the inodes that have its name; 0: none */
        struct err *err;
};

static int failed(const struct stepper *s) {
        return err_sys(s->err, "%s", s->step->path);
}

static int changed(const struct stepper *s) {
        return err_set(s->err, ERR_CHANGED, "%s: it was changed in the workspace while the stage was being applied",
                       s->step->path);
}

static int find(const struct stepper *s, int directory, const char *name, ino_t *ret) {
        struct stat st = {};

        if (directory >= 0 && fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT)
                return failed(s);
        *ret = st.st_ino;
        return 0;
}

static int look(struct stepper *s) {
        return find(s, s->base, s->name, &s->in_base) < 0 || find(s, s->upper, s->name, &s->in_upper) < 0 ||
                               find(s, s->place->old, s->old, &s->in_old) < 0
                       ? -1
                       : 0;
}

static void end(const struct stepper *s) {
        fd_close(s->base);
        fd_close(s->upper);
}

static int begin(struct stepper *s, const struct stage_journal *journal, size_t i, const struct stage_journal_place *place,
                 struct err *err) {
        *s = (struct stepper){ .place = place, .step = &journal->steps[i], .base = -1, .upper = -1, .err = err };
        snprintf(s->old, sizeof(s->old), "%zu", i);
        if (place->upper >= 0)
                s->upper = stage_open_above(place->upper, s->step->path, &s->name);
        if (place->upper >= 0 && s->upper < 0 && errno != ENOENT && errno != ENOTDIR)
                return failed(s);
        s->base = stage_open_above(place->base, s->step->path, &s->name);
        if (s->base >= 0 && look(s) == 0)
                return 0;
        if (s->base < 0)
                failed(s);
        end(s);
        return -1;
}

/* ---- what overlayfs leaves is removed before anything is moved ---- */

static int strip_tree(int directory, const char *name, unsigned depth, struct err *err);

static int strip_in(int directory, const char *name, unsigned depth, struct err *err) {
        DIR *stream = tree_list(directory, name);
        const struct dirent *entry;
        int result = 0;

        if (!stream)
                return err_sys(err, "%s", name);
        while (result == 0 && (entry = tree_next(stream)))
                result = strip_tree(dirfd(stream), entry->d_name, depth + 1, err);
        closedir(stream);
        return result;
}

static int strip_tree(int directory, const char *name, unsigned depth, struct err *err) {
        struct stat st;

        if (depth > STRIP_DEPTH_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "%s: too deep", name);
        if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return err_sys(err, "%s", name);
        if (depth && stage_is_whiteout(directory, name, &st))
                return unlinkat(directory, name, 0) < 0 ? err_sys(err, "%s", name) : 0;
        if (stage_strip(directory, name, err) < 0)
                return -1;
        return S_ISDIR(st.st_mode) ? strip_in(directory, name, depth, err) : 0;
}

/* ---- forward ---- */

static int do_move(struct stepper *s) {
        if (s->in_upper != s->step->after)
                return s->in_base == s->step->after ? 0 : changed(s);
        if (strip_tree(s->upper, s->name, 0, s->err) < 0)
                return -1;
        if (move_new(s->upper, s->name, s->base, s->name) == 0)
                return 0;
        return errno == EEXIST ? changed(s) : failed(s);
}

static int exchange(struct stepper *s) {
        if (s->in_base != s->step->before)
                return changed(s);
        if (strip_tree(s->upper, s->name, 0, s->err) < 0)
                return -1;
        return renameat2(s->upper, s->name, s->base, s->name, EXCHANGE) < 0 ? failed(s) : look(s);
}

/* Somebody else may have replaced it in the last moment: then it is not what was there before, and is given back. */
static int do_exchange(struct stepper *s) {
        if (s->in_old == s->step->before)
                return 0;
        if (s->in_upper == s->step->after && exchange(s) < 0)
                return -1;
        if (s->in_upper != s->step->before)
                return changed(s);
        return move_new(s->upper, s->name, s->place->old, s->old) < 0 ? failed(s) : 0;
}

static int remove_whiteout(const struct stepper *s) {
        struct stat st;

        if (s->upper < 0 || fstatat(s->upper, s->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !stage_is_whiteout(s->upper, s->name, &st))
                return 0;
        return unlinkat(s->upper, s->name, 0) < 0 ? failed(s) : 0;
}

static int do_delete(struct stepper *s) {
        if (s->in_old != s->step->before) {
                if (s->in_base != s->step->before)
                        return changed(s);
                if (move_new(s->base, s->name, s->place->old, s->old) < 0)
                        return failed(s);
                if (look(s) < 0)
                        return -1;
                if (s->in_old != s->step->before) /* as in do_exchange() */
                        return changed(s);
        }
        return remove_whiteout(s);
}

/* What stays in the stage is then in a directory that both have. */
static int do_directory(struct stepper *s) {
        FD_AUTO made = -1;

        if (mkdirat(s->base, s->name, 0700) < 0 && errno != EEXIST)
                return failed(s);
        made = openat(s->base, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (made < 0 || tree_chmod(made, s->step->after_mode & 07777) < 0)
                return failed(s);
        return s->in_upper ? stage_strip(s->upper, s->name, s->err) : 0;
}

static int set_mode(const struct stepper *s, mode_t mode) {
        FD_AUTO fd = openat(s->base, s->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        return fd < 0 || tree_chmod(fd, mode & 07777) < 0 ? failed(s) : 0;
}

static int set_times(const struct stepper *s, const struct timespec *modified) {
        const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, *modified };

        return utimensat(s->base, *s->name ? s->name : ".", times, AT_SYMLINK_NOFOLLOW) < 0 ? failed(s) : 0;
}

static int do_step(struct stepper *s) {
        switch (s->step->kind) {
        case STEP_MOVE:
                return do_move(s);
        case STEP_EXCHANGE:
                return do_exchange(s);
        case STEP_DELETE:
                return do_delete(s);
        case STEP_DIRECTORY:
                return do_directory(s);
        case STEP_MODE:
                return set_mode(s, s->step->after_mode);
        case STEP_TIMES:
                return set_times(s, &s->step->after_time);
        }
        return err_set(s->err, ERR_INVALID, "%s: an unknown step", s->step->path);
}

/* ---- undo: what is in its place now, whatever that is, goes where the old one was ---- */

static int put_back(const struct stepper *s) {
        if (s->in_old != s->step->before)
                return 0;
        if (renameat2(s->place->old, s->old, s->base, s->name, EXCHANGE) == 0)
                return 0;
        if (errno != ENOENT)
                return failed(s);
        return move_new(s->place->old, s->old, s->base, s->name) < 0 ? failed(s) : 0;
}

static int take_away(const struct stepper *s) {
        if (s->in_old || !s->in_base)
                return 0;
        return move_new(s->base, s->name, s->place->old, s->old) < 0 ? failed(s) : 0;
}

static int undo_step(struct stepper *s) {
        switch (s->step->kind) {
        case STEP_MOVE:
                return take_away(s);
        case STEP_EXCHANGE:
        case STEP_DELETE:
                return put_back(s);
        case STEP_DIRECTORY: /* what is in it meanwhile stays */
                return unlinkat(s->base, s->name, AT_REMOVEDIR) < 0 && errno != ENOENT && errno != ENOTEMPTY &&
                                       errno != EEXIST && errno != ENOTDIR
                               ? failed(s)
                               : 0;
        case STEP_MODE:
                return s->in_base ? set_mode(s, s->step->before_mode) : 0;
        case STEP_TIMES:
                return set_times(s, &s->step->before_time);
        }
        return err_set(s->err, ERR_INVALID, "%s: an unknown step", s->step->path);
}

/* ---- roll-back: the stage has it again, and what somebody else has put in its place stays there ---- */

static int give_back_exchanged(struct stepper *s) {
        if (s->in_base == s->step->after && s->in_upper) /* it did not get further */
                return renameat2(s->upper, s->name, s->base, s->name, EXCHANGE) < 0 ? failed(s) : 0;
        if (s->in_old == s->step->before) {
                if (s->in_base == s->step->after ? renameat2(s->place->old, s->old, s->base, s->name, EXCHANGE) < 0
                                                 : move_new(s->place->old, s->old, s->base, s->name) < 0)
                        return failed(s);
                if (look(s) < 0)
                        return -1;
        }
        if (s->in_old == s->step->after && move_new(s->place->old, s->old, s->upper, s->name) < 0)
                return failed(s);
        return 0;
}

static int give_back(struct stepper *s) {
        switch (s->step->kind) {
        case STEP_MOVE:
                return s->in_base == s->step->after && move_new(s->base, s->name, s->upper, s->name) < 0 ? failed(s) : 0;
        case STEP_EXCHANGE:
                return give_back_exchanged(s);
        case STEP_DELETE:
                if (s->in_old && move_new(s->place->old, s->old, s->base, s->name) < 0)
                        return failed(s);
                if (s->upper >= 0 && !s->in_upper && mknodat(s->upper, s->name, S_IFCHR, makedev(0, 0)) < 0)
                        return failed(s);
                return 0;
        default:
                return undo_step(s);
        }
}

/* ---- all ---- */

static int with_step(const struct stage_journal *journal, size_t i, const struct stage_journal_place *place,
                     int (*act)(struct stepper *), struct err *err) {
        struct stepper s;
        int result;

        if (begin(&s, journal, i, place, err) < 0)
                return -1;
        result = act(&s);
        end(&s);
        return result;
}

/* The one that failed may have been done in part. The first error is the one that matters. */
static void roll_back(const struct stage_journal *journal, size_t count, const struct stage_journal_place *place,
                      struct err *err) {
        size_t left = 0;

        for (size_t i = count; i > 0; i--) {
                struct err why = {};

                if (with_step(journal, i - 1, place, give_back, &why) < 0)
                        left++;
        }
        if (left)
                err_context(err, "%zu steps could not be reverted", left);
}

int stage_journal_do(const struct stage_journal *journal, const struct stage_journal_place *place, struct err *err) {
        for (size_t i = 0; i < journal->count; i++)
                if (with_step(journal, i, place, do_step, err) < 0) {
                        roll_back(journal, i + 1, place, err);
                        return -1;
                }
        return 0;
}

int stage_journal_undo(const struct stage_journal *journal, const struct stage_journal_place *place, struct err *err) {
        for (size_t i = journal->count; i > 0; i--)
                if (with_step(journal, i - 1, place, undo_step, err) < 0)
                        return -1;
        return 0;
}
