#include "launch/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/cgroup_parts.h"

enum {
        KILL_ROUNDS = 200, /* of 1 ms */
        REMOVE_TRIES = 25, /* the first waits are short, the others 10 ms */
};

/* One row per file to write when a limit is wanted, in this order: memsw may not be set below the limit it includes. */
static const struct limit_file {
        enum cgroup_version version;
        int controller;
        const char *file;
        bool zero;     /* instead of the limit */
        bool optional; /* the kernel may be built or booted without */
} limit_files[] = {
        /* clang-format off */
        { CGROUP_V1, CGROUP_AT_MEMORY, "memory.limit_in_bytes",       false, false },
        { CGROUP_V1, CGROUP_AT_MEMORY, "memory.memsw.limit_in_bytes", false, true },
        { CGROUP_V1, CGROUP_AT_PIDS,   "pids.max",                    false, false },
        { CGROUP_V2, CGROUP_AT_MEMORY, "memory.max",                  false, false },
        { CGROUP_V2, CGROUP_AT_MEMORY, "memory.swap.max",             true,  true },
        { CGROUP_V2, CGROUP_AT_PIDS,   "pids.max",                    false, false },
        /* clang-format on */
};

/* For cgroup.subtree_control; the name follows the sign. */
static const char *const enable[] = { [CGROUP_AT_MEMORY] = "+memory", [CGROUP_AT_PIDS] = "+pids" };

static const char *const limit_names[] = {
        [0] = "nothing", [CGROUP_MEMORY] = "memory", [CGROUP_PIDS] = "pids", [CGROUP_MEMORY | CGROUP_PIDS] = "memory and pids"
};

static int64_t limit_of(const struct cgroup_limits *limits, int controller) {
        return controller == CGROUP_AT_MEMORY ? limits->memory_bytes : limits->pids;
}

static uint32_t needs(const struct cgroup_limits *limits) {
        return (limits->memory_bytes ? CGROUP_MEMORY : 0) | (limits->pids ? CGROUP_PIDS : 0);
}

static const char *dir_of(const struct cgroup *cg, int controller) {
        return cg->version == CGROUP_V2 ? cg->dir[0] : cg->dir[controller];
}

static void pause_us(long us) {
        nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

/* Value and reason come first: a long path may be cut at the end of the message. */
static int cannot_write(struct err *err, const char *dir, const char *file, const char *value) {
        int saved = errno;

        err_set_message(err, ERR_SYSTEM, "cannot write %s (%s) to %s/%s", value, err_text(saved), dir, file);
        if (err)
                err->sys = saved;
        return -1;
}

static int cannot_make(struct err *err, const char *dir) {
        int saved = errno;

        err_set_message(err, ERR_SYSTEM, "cannot make a cgroup (%s) in %s", err_text(saved), dir);
        if (err)
                err->sys = saved;
        return -1;
}

static int set_limits(const struct cgroup *cg, const struct cgroup_limits *limits, struct err *err) {
        char value[24];

        for (size_t i = 0; i < sizeof(limit_files) / sizeof(*limit_files); i++) {
                const struct limit_file *row = &limit_files[i];
                const char *dir = dir_of(cg, row->controller);

                if (row->version != cg->version || !limit_of(limits, row->controller))
                        continue;
                snprintf(value, sizeof(value), "%" PRId64, row->zero ? 0 : limit_of(limits, row->controller));
                if (cgroup_file_write(dir, row->file, value) == 0)
                        continue;
                if (!row->optional || (errno != ENOENT && errno != EOPNOTSUPP))
                        return cannot_write(err, dir, row->file, value);
        }
        return 0;
}

/* Before anything costly: an ordinary user mostly may not, and should know soon. */
static int may_make(const char *parent, const char *file, struct err *err) {
        return cgroup_file_writable(parent, file) < 0 ? cannot_make(err, parent) : 0;
}

/* A kept one is READY_MODE only when its limits are set: who makes it may be killed before that. */
enum { READY_MODE = 0755, UNREADY_MODE = 0700 };

static bool is_own(const struct stat *st) {
        return S_ISDIR(st->st_mode) && st->st_uid == geteuid();
}

static bool is_ready(const struct stat *st) {
        return is_own(st) && (st->st_mode & 0777) == READY_MODE;
}

static int set_ready(const struct cgroup *cg, struct err *err) {
        for (int i = 0; i < CGROUP_AT_UNIFIED; i++)
                if (cg->dir[i][0] && chmod(cg->dir[i], READY_MODE) < 0)
                        return err_sys(err, "%s", cg->dir[i]);
        return 0;
}

static bool is_there_to_keep(const char *path) {
        struct stat st;

        return errno == EEXIST && lstat(path, &st) == 0 && is_own(&st);
}

/* The path of `name` in `parent`; false when it is too long. */
static bool join(const char *parent, const char *name, char ret[static CGROUP_PATH_SIZE]) {
        return snprintf(ret, CGROUP_PATH_SIZE, "%s/%s", parent, name) < CGROUP_PATH_SIZE;
}

/* `ret` is "" unless there is something to remove. */
static int make_dir(const char *parent, const char *name, bool kept, char ret[static CGROUP_PATH_SIZE], struct err *err) {
        char path[CGROUP_PATH_SIZE];

        errno = ENAMETOOLONG;
        if (!join(parent, name, path))
                return cannot_make(err, parent);
        if (mkdir(path, kept ? UNREADY_MODE : READY_MODE) < 0 && !(kept && is_there_to_keep(path)))
                return cannot_make(err, parent);
        memcpy(ret, path, CGROUP_PATH_SIZE);
        return 0;
}

static int make_v1(const struct cgroup_places *places, const struct cgroup_limits *limits, const char *kept, struct cgroup *cg,
                   struct err *err) {
        const char *own = places->at[CGROUP_AT_MEMORY].own, *name = kept;
        char new_name[CGROUP_NAME_SIZE] = "";

        for (int i = 0; i < CGROUP_AT_UNIFIED; i++)
                if (limit_of(limits, i) && may_make(places->at[i].own, ".", err) < 0)
                        return -1;
        if (!name) {
                cgroup_name_new(new_name);
                name = new_name;
        }
        cg->version = CGROUP_V1;
        if (limits->memory_bytes && make_dir(own, name, kept, cg->dir[CGROUP_AT_MEMORY], err) < 0)
                return -1;
        if (limits->memory_bytes && limits->pids && strcmp(own, places->at[CGROUP_AT_PIDS].own) == 0) /* mounted together */
                memcpy(cg->dir[CGROUP_AT_PIDS], cg->dir[CGROUP_AT_MEMORY], CGROUP_PATH_SIZE);
        else if (limits->pids && make_dir(places->at[CGROUP_AT_PIDS].own, name, kept, cg->dir[CGROUP_AT_PIDS], err) < 0)
                return -1;
        return set_limits(cg, limits, err);
}

/* The two reasons that are no accident: its parent does not offer the controller, or processes live in it. */
static int cannot_enable(struct err *err, const char *parent, const char *file, const char *value) {
        if (errno == ENOENT)
                return err_set(err, ERR_UNSUPPORTED, "no %s controller in %s", value + 1, parent);
        if (errno != EBUSY)
                return cannot_write(err, parent, file, value);
        err_set(err, ERR_UNSUPPORTED, "the %s controller cannot be enabled in a cgroup that contains processes, %s", value + 1,
                parent);
        if (err)
                err->sys = EBUSY;
        return -1;
}

/* Enables the controllers that are needed in `parent`, and reports which of them were new. */
static int enable_controllers(const char *parent, const struct cgroup_limits *limits, bool ret_new[static 2], struct err *err) {
        static const char file[] = "cgroup.subtree_control";
        char enabled[256] = "";

        if (needs(limits) && cgroup_file_read(parent, file, enabled, sizeof(enabled)) < 0)
                return cannot_make(err, parent);
        for (int i = 0; i < CGROUP_AT_UNIFIED; i++) {
                if (!limit_of(limits, i) || cgroup_text_has_word(enabled, enable[i] + 1))
                        continue;
                if (cgroup_file_write(parent, file, enable[i]) < 0)
                        return cannot_enable(err, parent, file, enable[i]);
                ret_new[i] = true;
        }
        return 0;
}

/* A cgroup that has processes may share out pids, though not memory, and then is a root of threads whose children are
 * "domain invalid": no process may enter them. Takes back what made it one. (Only then: something may rely on it.) */
static int check_domain(const char *parent, const char *dir, const bool enabled[static 2], struct err *err) {
        char type[32];

        if (cgroup_file_read(dir, "cgroup.type", type, sizeof(type)) == 0 && strcmp(type, "domain\n") == 0)
                return 0;
        if (enabled[CGROUP_AT_PIDS])
                cgroup_file_write(parent, "cgroup.subtree_control", "-pids");
        return err_set(err, ERR_UNSUPPORTED, "no process may enter a cgroup made in %s", parent);
}

/* `parent` is our own cgroup or above it, so that it is its cgroup.procs which has to be writable for us to move a
 * process into its children. */
static int make_v2(const char *parent, const struct cgroup_limits *limits, const char *kept, struct cgroup *cg,
                   struct err *err) {
        char new_name[CGROUP_NAME_SIZE] = "";
        bool enabled[2] = { false, false };

        if (may_make(parent, "cgroup.procs", err) < 0 || enable_controllers(parent, limits, enabled, err) < 0)
                return -1;
        if (!kept)
                cgroup_name_new(new_name);
        cg->version = CGROUP_V2;
        if (make_dir(parent, kept ? kept : new_name, kept, cg->dir[0], err) < 0 ||
            check_domain(parent, cg->dir[0], enabled, err) < 0)
                return -1;
        cg->dir_fd = open(cg->dir[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (cg->dir_fd < 0)
                return cannot_make(err, parent);
        return set_limits(cg, limits, err);
}

static void give_up(struct cgroup *cg, bool kept) {
        if (kept) /* others may be in it */
                cgroup_leave(cg);
        else
                cgroup_remove(cg);
}

static int make_unified(const struct cgroup_place *place, const struct cgroup_limits *limits, const char *kept,
                        struct cgroup *cg, struct err *err) {
        char parent[CGROUP_PATH_SIZE];

        for (size_t n = 0; cgroup_place_parent(place, true, n, parent); n++) {
                if (make_v2(parent, limits, kept, cg, n == 0 ? err : NULL) == 0) /* what the best place says is the reason */
                        return 0;
                give_up(cg, kept);
        }
        return -1;
}

/* A controller that v1 has is not to be had in v2, so at most one of them has all. */
static enum cgroup_version choose(const struct cgroup_places *places, const struct cgroup_limits *limits) {
        bool v1 = needs(limits) != 0, v2 = places->at[CGROUP_AT_UNIFIED].own[0] != '\0';

        for (int i = 0; i < CGROUP_AT_UNIFIED; i++) {
                v1 = v1 && (!limit_of(limits, i) || places->at[i].own[0]);
                v2 = v2 && (!limit_of(limits, i) || !places->at[i].listed);
        }
        return v2 ? CGROUP_V2 : v1 ? CGROUP_V1 : CGROUP_NONE;
}

int cgroup_make(const struct cgroup_places *places, const struct cgroup_limits *limits, const char *kept, struct cgroup *ret,
                struct err *err) {
        struct cgroup cg = { .dir_fd = -1 };
        struct err why = { 0 };
        int r;

        switch (choose(places, limits)) {
        case CGROUP_V2:
                r = make_unified(&places->at[CGROUP_AT_UNIFIED], limits, kept, &cg, &why);
                break;
        case CGROUP_V1:
                r = make_v1(places, limits, kept, &cg, &why);
                break;
        default:
                return err_set(err, ERR_UNSUPPORTED, "no cgroup hierarchy that could limit %s is mounted writable",
                               limit_names[needs(limits)]);
        }
        if (r == 0 && kept)
                r = set_ready(&cg, &why);
        if (r < 0) {
                give_up(&cg, kept);
                if (err)
                        *err = why;
                return -1;
        }
        cg.limits = needs(limits);
        *ret = cg;
        return 0;
}

static int open_v2(const struct cgroup_place *place, const char *name, struct cgroup *cg) {
        char parent[CGROUP_PATH_SIZE];
        struct stat st;

        cg->version = CGROUP_V2;
        for (size_t n = 0; cgroup_place_parent(place, true, n, parent); n++) {
                if (!join(parent, name, cg->dir[0]))
                        continue;
                cg->dir_fd = open(cg->dir[0], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (cg->dir_fd >= 0 && fstat(cg->dir_fd, &st) == 0 && is_ready(&st))
                        return 0;
                fd_close(TAKE_FD(cg->dir_fd));
        }
        return -1;
}

static int open_v1(const struct cgroup_places *places, const struct cgroup_limits *limits, const char *name,
                   struct cgroup *cg) {
        struct stat st;

        cg->version = CGROUP_V1;
        for (int i = 0; i < CGROUP_AT_UNIFIED; i++)
                if (limit_of(limits, i) &&
                    (!join(places->at[i].own, name, cg->dir[i]) || lstat(cg->dir[i], &st) < 0 || !is_ready(&st)))
                        return -1;
        return 0;
}

int cgroup_open(const struct cgroup_places *places, const struct cgroup_limits *limits, const char *kept, struct cgroup *ret) {
        enum cgroup_version version = choose(places, limits);
        struct cgroup cg = { .limits = needs(limits), .dir_fd = -1 };

        if (version == CGROUP_NONE || (version == CGROUP_V2 ? open_v2(&places->at[CGROUP_AT_UNIFIED], kept, &cg)
                                                            : open_v1(places, limits, kept, &cg)) < 0)
                return -1;
        *ret = cg;
        return 0;
}

int cgroup_new(const struct cgroup_limits *limits, struct cgroup *ret, struct err *err) {
        struct cgroup_places places;
        long page = sysconf(_SC_PAGESIZE);

        /* The kernel counts pages, and would take less than one as 0. */
        if (limits->memory_bytes < 0 || (limits->memory_bytes > 0 && limits->memory_bytes < page))
                return err_set(err, ERR_INVALID, "a memory limit of %" PRId64 " bytes is less than one page of %ld",
                               limits->memory_bytes, page);
        if (limits->pids < 0)
                return err_set(err, ERR_INVALID, "a limit of %" PRId64 " pids", limits->pids);
        if (cgroup_places_find(&places, err) < 0)
                return -1;
        return cgroup_make(&places, limits, NULL, ret, err);
}

uint32_t cgroup_probe(void) {
        static const struct cgroup_limits tries[] = { { 1 << 30, 1000 }, { 1 << 30, 0 }, { 0, 1000 } };
        struct cgroup_places places;
        struct cgroup cg;

        if (cgroup_places_find(&places, NULL) < 0)
                return 0;
        for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
                if (cgroup_make(&places, &tries[i], NULL, &cg, NULL) < 0)
                        continue;
                cgroup_remove(&cg);
                return needs(&tries[i]);
        }
        return 0;
}

int cgroup_add(const struct cgroup *cg, pid_t pid, struct err *err) {
        const char *file = pid == 0 && cg->version == CGROUP_V1 ? "tasks" : "cgroup.procs";
        char value[16];

        snprintf(value, sizeof(value), "%d", (int)pid);
        for (int i = 0; i < CGROUP_AT_UNIFIED; i++)
                if (cg->dir[i][0] && cgroup_file_write(cg->dir[i], file, value) < 0)
                        return cannot_write(err, cg->dir[i], file, value);
        return 0;
}

uint64_t cgroup_memory_kills(const struct cgroup *cg) {
        const char *file = cg->version == CGROUP_V1 ? "memory.oom_control" : "memory.events";
        char text[512];

        /* v1 has the count since Linux 4.13. */
        if (!(cg->limits & CGROUP_MEMORY) || cgroup_file_read(dir_of(cg, CGROUP_AT_MEMORY), file, text, sizeof(text)) < 0)
                return 0;
        return cgroup_text_number(text, "oom_kill");
}

/* Kills what is in one of its directories and says how many are left. cgroup.kill (Linux 5.14) reaches also what forks
 * in the meantime; without it the next round does. */
static size_t kill_round(const struct cgroup *cg, const char *dir) {
        if (cg->version == CGROUP_V2 && cgroup_file_write(dir, "cgroup.kill", "1") == 0)
                return cgroup_procs_kill(dir, true);
        return cgroup_procs_kill(dir, false);
}

void cgroup_kill(const struct cgroup *cg) {
        for (int round = 0; round < KILL_ROUNDS; round++) {
                size_t left = 0;

                for (int i = 0; i < CGROUP_AT_UNIFIED; i++)
                        if (cg->dir[i][0])
                                left += kill_round(cg, cg->dir[i]);
                if (left == 0)
                        return;
                pause_us(round < 5 ? 100 : 1000);
        }
}

static void remove_dir(const char *dir) {
        long wait = 100;

        for (int tries = 0; rmdir(dir) < 0 && errno == EBUSY && tries < REMOVE_TRIES; tries++) {
                pause_us(wait);
                wait = wait < 5000 ? wait * 2 : 10000;
        }
}

void cgroup_leave(struct cgroup *cg) {
        for (int i = 0; i < CGROUP_AT_UNIFIED; i++)
                if (cg->dir[i][0])
                        rmdir(cg->dir[i]);
        if (cg->version == CGROUP_V2)
                fd_close(cg->dir_fd);
        *cg = (struct cgroup){ .dir_fd = -1 };
}

void cgroup_remove(struct cgroup *cg) {
        for (int i = 0; i < CGROUP_AT_UNIFIED; i++)
                if (cg->dir[i][0])
                        remove_dir(cg->dir[i]);
        if (cg->version == CGROUP_V2)
                fd_close(cg->dir_fd);
        *cg = (struct cgroup){ .dir_fd = -1 };
}
