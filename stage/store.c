#include "stage/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/time.h"
#include "base/tree.h"
#include "policy/files.h"
#include "stage/place.h"

#define STAGES "stages"
#define DISCARDED "discarded"
#define ABOUT "about"
#define BEGUN "begun"
#define WAIT (5 * TIME_SECOND)
#define REMOVE_FOR (60 * TIME_SECOND)
#define KEPT_SECONDS ((int64_t)STAGE_KEPT_DAYS * 24 * 60 * 60)

enum { ABOUT_MAX = PATH_MAX + STAGE_NAME_LONGEST + 2, DISCARDED_NAME_SIZE = STAGE_ID_LENGTH + 32 };

bool stage_is_name(const char *name) {
        size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

        return len > 0 && len <= STAGE_NAME_LONGEST && !name[len] && name[0] != '-';
}

static int check_name(const char *name, struct err *err) {
        return stage_is_name(name)
                       ? 0
                       : err_set(err, ERR_INVALID,
                                 "stage: expected a name of at most %d letters, digits, '.', '_' and '-', found '%s'",
                                 STAGE_NAME_LONGEST, name);
}

static bool id_of(const char *workspace, const char *name, char ret[static STAGE_ID_LENGTH + 1]) {
        char hex[SHA256_HEX_SIZE];
        BUF_AUTO text;

        buf_init(&text, ABOUT_MAX);
        buf_format(&text, "%s\n%s", name, workspace);
        if (text.failed)
                return false;
        sha256_hex(buf_str(&text), hex);
        snprintf(ret, STAGE_ID_LENGTH + 1, "%.*s", STAGE_ID_LENGTH, hex);
        return true;
}

/* ---- the directory of all ---- */

static int open_stages(const char *state, bool make, int *ret_fd, char ret_path[static PATH_MAX], struct err *err) {
        if (snprintf(ret_path, PATH_MAX, "%s/" STAGES, state) >= PATH_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "%s: too long", state);
        return make ? directory_make(ret_path, ret_fd, err) : directory_open(ret_path, ret_fd, err);
}

/* One that others could have written is none of ours. */
static int check_own(int fd, const char *path, struct err *err) {
        struct stat st;

        if (fstat(fd, &st) < 0)
                return err_sys(err, "%s", path);
        if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
                return err_set(err, ERR_REFUSED, "%s: belongs to another user, or is writable for others", path);
        return 0;
}

/* ---- one ---- */

/* The name and the workspace make the id; else it is not one of these. */
static int read_about(int at, const char *id, struct arena *arena, struct stage *stage, struct err *err) {
        char *text, *line, made[STAGE_ID_LENGTH + 1];
        BUF_AUTO about;

        buf_init(&about, ABOUT_MAX);
        if (file_read(at, ABOUT, ABOUT, FILE_NO_LINK, &about, err) < 0)
                return -1;
        text = about.len && about.ptr[about.len - 1] == '\n' && !memchr(about.ptr, 0, about.len)
                       ? arena_dup(arena, str_from(about.ptr, about.len - 1))
                       : NULL;
        line = text ? strchr(text, '\n') : NULL;
        if (line)
                *line++ = 0;
        if (!line || !stage_is_name(text) || !id_of(line, text, made) || strncmp(made, id, STAGE_ID_LENGTH) != 0)
                return err_set(err, ERR_INVALID, "%s/" ABOUT " does not describe a stage", stage->path);
        stage->name = text;
        stage->workspace = line;
        return 0;
}

static int read_begun(struct stage *stage, struct err *err) {
        struct stat st;

        if (fstatat(stage->fd, BEGUN, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return err_sys(err, "%s/" BEGUN, stage->path);
        stage->begun = st.st_ctim;
        return 0;
}

/* ENOENT with ERR_NOT_FOUND. */
static int open_one(int stages, const char *stages_path, const char *name, struct arena *arena, struct stage *ret,
                    struct err *err) {
        struct stage stage = { .fd = openat(stages, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) };

        if (snprintf(stage.path, sizeof(stage.path), "%s/%s", stages_path, name) >= (int)sizeof(stage.path))
                errno = ENAMETOOLONG;
        else if (stage.fd >= 0) {
                snprintf(stage.id, sizeof(stage.id), "%.*s", STAGE_ID_LENGTH, name);
                if (check_own(stage.fd, stage.path, err) == 0 && read_about(stage.fd, name, arena, &stage, err) == 0 &&
                    read_begun(&stage, err) == 0) {
                        *ret = stage;
                        return 0;
                }
                fd_close(stage.fd);
                return -1;
        }
        if (errno == ENOENT)
                return err_set(err, ERR_NOT_FOUND, "%s: no such stage", stage.path);
        return err_sys(err, "%s", stage.path);
}

/* The root of the overlay looks as that of the workspace. An owner that cannot be given it keeps that of the user. */
static int make_upper(int at, const char *workspace, struct err *err) {
        FD_AUTO upper = -1;
        struct timespec times[2];
        struct stat st;

        if (stat(workspace, &st) < 0)
                return err_sys(err, "%s", workspace);
        if (mkdirat(at, STAGE_UPPER, 0700) < 0 || mkdirat(at, STAGE_WORK, 0700) < 0)
                return err_sys(err, "stage");
        upper = openat(at, STAGE_UPPER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        times[0] = st.st_atim;
        times[1] = st.st_mtim;
        if (upper < 0 || (fchown(upper, st.st_uid, st.st_gid) < 0 && errno != EPERM) || fchmod(upper, st.st_mode & 07777) < 0 ||
            futimens(upper, times) < 0)
                return err_sys(err, "stage");
        return 0;
}

static int write_about(int at, const struct stage_request *request, struct err *err) {
        BUF_AUTO text;

        buf_init(&text, ABOUT_MAX);
        buf_format(&text, "%s\n%s\n", request->name, request->workspace);
        if (text.failed)
                return err_set(err, ERR_TOO_COMPLEX, "%s: too long", request->workspace);
        return file_replace(at, BEGUN, STR(""), 0600, err) < 0 ? -1 : file_replace(at, ABOUT, buf_str(&text), 0600, err);
}

/* Under another name, until it is whole. Another process may be doing the same. */
static int make_one(int stages, const char *id, const struct stage_request *request, struct err *err) {
        char name[64];
        FD_AUTO fd = -1;
        int result = -1;

        snprintf(name, sizeof(name), ".new-%d", (int)getpid());
        if (mkdirat(stages, name, 0700) < 0 && errno != EEXIST)
                return err_sys(err, "%s/" STAGES "/%s", request->state, name);
        fd = openat(stages, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
                err_sys(err, "%s/" STAGES "/%s", request->state, name);
        else if (make_upper(fd, request->workspace, err) == 0 && write_about(fd, request, err) == 0)
                result = move_rename(stages, name, stages, id) == 0 || errno == EEXIST ? 0 : err_sys(err, "stage %s", id);
        (void)remove_tree(stages, name, time_monotonic() + REMOVE_FOR, NULL);
        return result;
}

int stage_open(const struct stage_request *request, struct arena *arena, struct stage *ret, struct err *err) {
        char path[PATH_MAX], id[STAGE_ID_LENGTH + 1];
        FD_AUTO stages = -1;

        if (check_name(request->name, err) < 0 || open_stages(request->state, request->make, &stages, path, err) < 0)
                return -1;
        if (!id_of(request->workspace, request->name, id))
                return err_set(err, ERR_TOO_COMPLEX, "%s: too long", request->workspace);
        if (request->make && (check_own(stages, path, err) < 0 || stage_check_place(request->workspace, stages, path, err) < 0))
                return -1;
        if (stages >= 0 && open_one(stages, path, id, arena, ret, err) == 0)
                return 0;
        if (stages >= 0 && err->code != ERR_NOT_FOUND)
                return -1;
        if (!request->make)
                return err_set(err, ERR_NOT_FOUND, "no stage '%s' of %s; see bailey stages", request->name, request->workspace);
        *err = (struct err){};
        return make_one(stages, id, request, err) < 0 ? -1 : open_one(stages, path, id, arena, ret, err);
}

void stage_close(struct stage *stage) {
        fd_close(TAKE_FD(stage->fd));
}

/* ---- locks ---- */

static int busy(struct err *err) {
        return err_set(err, ERR_REFUSED,
                       "the stage is in use: commands are running in it, or it is being applied; try again "
                       "when they have ended");
}

int stage_lock_first(const char *path, int *ret_lock, struct err *err) {
        FD_AUTO fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (fd < 0)
                return err_sys(err, "%s", path);
        if (lock_take(fd, LOCK_EX, time_monotonic() + WAIT) < 0)
                return errno == EWOULDBLOCK ? busy(err) : err_sys(err, "%s: lock", path);
        if (move_remove(fd, STAGE_WORK, REMOVE_FOR, err) < 0)
                return -1;
        if (mkdirat(fd, STAGE_WORK, 0700) < 0)
                return err_sys(err, "%s/" STAGE_WORK, path);
        if (flock(fd, LOCK_SH | LOCK_NB) < 0)
                return errno == EWOULDBLOCK ? busy(err) : err_sys(err, "%s: lock", path);
        *ret_lock = TAKE_FD(fd);
        return 0;
}

int stage_lock_alone(const struct stage *stage, struct err *err) {
        if (lock_take(stage->fd, LOCK_EX, time_monotonic() + WAIT) == 0)
                return 0;
        return errno == EWOULDBLOCK ? busy(err) : err_sys(err, "%s: lock", stage->path);
}

bool stage_is_busy(const struct stage *stage) {
        FD_AUTO fd = open(stage->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* ---- all ---- */

/* ID, or of those that were discarded ID-SECONDS. */
static bool is_stage(const char *name, int64_t *ret_discarded) {
        char *end;

        *ret_discarded = 0;
        if (strspn(name, "0123456789abcdef") != STAGE_ID_LENGTH)
                return false;
        if (name[STAGE_ID_LENGTH] != '-')
                return !name[STAGE_ID_LENGTH];
        errno = 0;
        *ret_discarded = strtoll(name + STAGE_ID_LENGTH + 1, &end, 10);
        return !errno && !*end && *ret_discarded > 0;
}

/* One without its files is being removed. */
static int add_one(int directory, const char *path, const char *name, struct arena *arena, struct stage_list *list,
                   struct err *err) {
        struct err why = {};
        struct stage stage;
        int64_t discarded;

        if (!is_stage(name, &discarded))
                return 0;
        if (!arena_room(arena, &list->items, list->count, &list->room, sizeof(*list->items)))
                return err_memory(err);
        if (open_one(directory, path, name, arena, &stage, &why) < 0) {
                if (why.code == ERR_NOT_FOUND || why.sys == ENOENT)
                        return 0;
                stage = (struct stage){ .fd = -1,
                                        .name = arena_dup(arena, str_z(name)),
                                        .problem = arena_dup(arena, str_z(why.msg)) };
                if (!stage.name || !stage.problem)
                        return err_memory(err);
        }
        stage.discarded = discarded;
        list->items[list->count++] = stage;
        return 0;
}

static int list_in(int directory, const char *path, struct arena *arena, struct stage_list *list, struct err *err) {
        DIR *stream = tree_list(directory, ".");
        const struct dirent *entry;
        int result = 0;

        if (!stream)
                return err_sys(err, "%s", path);
        while (result == 0 && (entry = tree_next(stream)))
                result = add_one(directory, path, entry->d_name, arena, list, err);
        closedir(stream);
        return result;
}

int stage_list(const char *state, struct arena *arena, struct stage_list *ret, struct err *err) {
        char path[PATH_MAX], below[PATH_MAX + sizeof(DISCARDED) + 1];
        FD_AUTO stages = -1, discarded = -1;

        *ret = (struct stage_list){};
        if (open_stages(state, false, &stages, path, err) < 0)
                return -1;
        if (stages < 0)
                return 0;
        snprintf(below, sizeof(below), "%s/" DISCARDED, path);
        discarded = openat(stages, DISCARDED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (discarded < 0 && errno != ENOENT)
                return err_sys(err, "%s", below);
        if (list_in(stages, path, arena, ret, err) == 0 && (discarded < 0 || list_in(discarded, below, arena, ret, err) == 0))
                return 0;
        stage_list_close(ret);
        return -1;
}

void stage_list_close(struct stage_list *list) {
        for (size_t i = 0; i < list->count; i++)
                stage_close(&list->items[i]);
        list->count = 0;
}

/* ---- the end ---- */

/* What was discarded by mistake is noticed within days. */
static void prune(int discarded) {
        int64_t now = time_realtime() / TIME_SECOND, since;
        DIR *stream = tree_list(discarded, ".");
        const struct dirent *entry;

        while (stream && (entry = tree_next(stream)))
                if (is_stage(entry->d_name, &since) && since && since < now - KEPT_SECONDS)
                        (void)remove_tree(discarded, entry->d_name, time_monotonic() + REMOVE_FOR, NULL);
        if (stream)
                closedir(stream);
}

static int open_discarded(int stages, struct err *err) {
        int fd;

        if (mkdirat(stages, DISCARDED, 0700) < 0 && errno != EEXIST)
                return err_sys(err, STAGES "/" DISCARDED);
        fd = openat(stages, DISCARDED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd < 0 ? err_sys(err, STAGES "/" DISCARDED) : fd;
}

int stage_discard(const char *state, const struct stage *stage, struct err *err) {
        char path[PATH_MAX], name[DISCARDED_NAME_SIZE];
        int64_t now = time_realtime() / TIME_SECOND;
        FD_AUTO stages = -1, discarded = -1;

        if (open_stages(state, true, &stages, path, err) < 0)
                return -1;
        discarded = open_discarded(stages, err);
        if (discarded < 0)
                return -1;
        prune(discarded);
        do
                snprintf(name, sizeof(name), "%s-%lld", stage->id, (long long)now++);
        while (move_rename(stages, stage->id, discarded, name) < 0 && errno == EEXIST);
        return faccessat(discarded, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 ? err_sys(err, "%s", stage->path) : 0;
}

/* The name of the newest with this id. */
static bool find_discarded(int discarded, const char *id, char ret[static DISCARDED_NAME_SIZE]) {
        DIR *stream = tree_list(discarded, ".");
        const struct dirent *entry;
        int64_t newest = 0, since;

        while (stream && (entry = tree_next(stream)))
                if (is_stage(entry->d_name, &since) && since > newest && strncmp(entry->d_name, id, STAGE_ID_LENGTH) == 0) {
                        newest = since;
                        snprintf(ret, DISCARDED_NAME_SIZE, "%.*s", DISCARDED_NAME_SIZE - 1, entry->d_name);
                }
        if (stream)
                closedir(stream);
        return newest > 0;
}

int stage_take_back(const struct stage_request *request, struct err *err) {
        char path[PATH_MAX], id[STAGE_ID_LENGTH + 1], name[DISCARDED_NAME_SIZE];
        FD_AUTO stages = -1, discarded = -1;

        if (check_name(request->name, err) < 0 || open_stages(request->state, true, &stages, path, err) < 0)
                return -1;
        discarded = open_discarded(stages, err);
        if (discarded < 0)
                return -1;
        if (!id_of(request->workspace, request->name, id) || !find_discarded(discarded, id, name))
                return err_set(err, ERR_NOT_FOUND, "no stage '%s' of %s was discarded in the last %d days", request->name,
                               request->workspace, STAGE_KEPT_DAYS);
        if (move_rename(discarded, name, stages, id) == 0)
                return 0;
        if (errno == EEXIST)
                return err_set(err, ERR_INVALID, "there is a new stage '%s' of %s: discard it first", request->name,
                               request->workspace);
        return err_sys(err, "%s", path);
}

int stage_remove(const char *state, const struct stage *stage, struct err *err) {
        char path[PATH_MAX];
        FD_AUTO stages = -1;

        if (open_stages(state, true, &stages, path, err) < 0)
                return -1;
        return remove_tree(stages, stage->id, time_monotonic() + REMOVE_FOR, err);
}
