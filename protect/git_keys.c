#include "protect/git_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "protect/git_config.h"
#include "protect/survey_inside.h"

enum value {
        ANY,
        ADDRESS,  /* of a repository: `x::y` would start git-remote-x */
        REMOTE,   /* its name, or an address */
        UPDATE,   /* of a submodule: `!x` is a command */
        WORKTREE, /* a directory of the workspace, from the git directory */
};

/* Sorted. `*` stands for a subsection, whatever it is. */
static const struct key {
        const char *name;
        enum value value;
} keys[] = {
        { "author.email", ANY },
        { "author.name", ANY },
        { "branch.*.description", ANY },
        { "branch.*.merge", ANY },
        { "branch.*.pushremote", REMOTE },
        { "branch.*.rebase", ANY },
        { "branch.*.remote", REMOTE },
        { "branch.autosetupmerge", ANY },
        { "branch.autosetuprebase", ANY },
        { "branch.sort", ANY },
        { "checkout.defaultremote", ANY },
        { "checkout.guess", ANY },
        { "color.ui", ANY },
        { "commit.gpgsign", ANY },
        { "commit.verbose", ANY },
        { "committer.email", ANY },
        { "committer.name", ANY },
        { "core.abbrev", ANY },
        { "core.autocrlf", ANY },
        { "core.bare", ANY },
        { "core.bigfilethreshold", ANY },
        { "core.commitgraph", ANY },
        { "core.compression", ANY },
        { "core.eol", ANY },
        { "core.filemode", ANY },
        { "core.ignorecase", ANY },
        { "core.logallrefupdates", ANY },
        { "core.longpaths", ANY },
        { "core.precomposeunicode", ANY },
        { "core.preloadindex", ANY },
        { "core.quotepath", ANY },
        { "core.repositoryformatversion", ANY },
        { "core.safecrlf", ANY },
        { "core.sharedrepository", ANY },
        { "core.sparsecheckout", ANY },
        { "core.sparsecheckoutcone", ANY },
        { "core.symlinks", ANY },
        { "core.trustctime", ANY },
        { "core.untrackedcache", ANY },
        { "core.whitespace", ANY },
        { "core.worktree", WORKTREE },
        { "diff.algorithm", ANY },
        { "diff.colormoved", ANY },
        { "diff.mnemonicprefix", ANY },
        { "diff.renames", ANY },
        { "extensions.compatobjectformat", ANY },
        { "extensions.objectformat", ANY },
        { "extensions.partialclone", ANY },
        { "extensions.refstorage", ANY },
        { "extensions.worktreeconfig", ANY },
        { "feature.experimental", ANY },
        { "feature.manyfiles", ANY },
        { "fetch.parallel", ANY },
        { "fetch.prune", ANY },
        { "fetch.prunetags", ANY },
        { "fetch.recursesubmodules", ANY },
        { "gc.auto", ANY },
        { "gc.pruneexpire", ANY },
        { "gc.reflogexpire", ANY },
        { "gc.reflogexpireunreachable", ANY },
        { "http.postbuffer", ANY },
        { "index.threads", ANY },
        { "index.version", ANY },
        { "init.defaultbranch", ANY },
        { "lfs.repositoryformatversion", ANY },
        { "log.date", ANY },
        { "log.decorate", ANY },
        { "merge.conflictstyle", ANY },
        { "merge.ff", ANY },
        { "pack.threads", ANY },
        { "pack.window", ANY },
        { "pull.ff", ANY },
        { "pull.rebase", ANY },
        { "push.autosetupremote", ANY },
        { "push.default", ANY },
        { "push.followtags", ANY },
        { "rebase.autosquash", ANY },
        { "rebase.autostash", ANY },
        { "rebase.updaterefs", ANY },
        { "remote.*.fetch", ANY },
        { "remote.*.mirror", ANY },
        { "remote.*.partialclonefilter", ANY },
        { "remote.*.promisor", ANY },
        { "remote.*.prune", ANY },
        { "remote.*.push", ANY },
        { "remote.*.pushurl", ADDRESS },
        { "remote.*.tagopt", ANY },
        { "remote.*.url", ADDRESS },
        { "remote.pushdefault", REMOTE },
        { "rerere.autoupdate", ANY },
        { "rerere.enabled", ANY },
        { "status.showuntrackedfiles", ANY },
        { "submodule.*.active", ANY },
        { "submodule.*.branch", ANY },
        { "submodule.*.ignore", ANY },
        { "submodule.*.update", UPDATE },
        { "submodule.*.url", ADDRESS },
        { "submodule.active", ANY },
        { "submodule.recurse", ANY },
        { "tag.gpgsign", ANY },
        { "tag.sort", ANY },
        { "user.email", ANY },
        { "user.name", ANY },
        { "user.signingkey", ANY },
        { "worktree.guessremote", ANY },
};

/* ---- values ---- */

/* Where an open file is. Not by realpath(), which may allocate. */
static bool path_of(int fd, char ret[static PATH_MAX]) {
        char link[64];
        ssize_t len;

        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        len = readlink(link, ret, PATH_MAX - 1);
        if (len <= 0)
                return false;
        ret[len] = '\0';
        return true;
}

static bool append_missing(char path[static PATH_MAX], const char *rest) {
        size_t len = strlen(path);

        rest += strspn(rest, "/");
        if (strstr(rest, ".."))
                return false;
        return !*rest || snprintf(path + len, PATH_MAX - len, "/%s", rest) < (int)(PATH_MAX - len);
}

/* Where an absolute path leads, or would lead if it existed: the directories that exist are real, what follows them stands as
 * it is. False: that cannot be said, for instance because a link leads to nothing. */
static bool real_path(const char *path, char ret[static PATH_MAX]) {
        size_t len = strlen(path);

        for (;;) {
                char head[PATH_MAX];
                struct stat status;
                FD_AUTO fd = -1;

                snprintf(head, sizeof(head), "%.*s", (int)len, path);
                fd = open(head, O_PATH | O_CLOEXEC);
                if (fd >= 0)
                        return path_of(fd, ret) && append_missing(ret, path + len);
                if ((errno != ENOENT && errno != ENOTDIR) || lstat(head, &status) == 0)
                        return false;
                while (len > 1 && path[len - 1] == '/')
                        len--;
                while (len > 1 && path[len - 1] != '/')
                        len--;
        }
}

/* A repository in the workspace may be where nobody looks, and have hooks that run when somebody pushes to it. */
static bool is_watched(const char *path, const struct git_repository *repository) {
        static const char *const git_dirs[] = { "/.git", "" };
        char name[PATH_MAX + 16];

        if (survey_always_looks(path + strlen(repository->workspace) + 1))
                return true;
        for (size_t i = 0; repository->found && i < sizeof(git_dirs) / sizeof(*git_dirs); i++) {
                snprintf(name, sizeof(name), "%s%s/config", path, git_dirs[i]);
                if (protect_find(&repository->found->read_only, name) || protect_find(&repository->found->checked, name))
                        return true;
        }
        return false;
}

/* Relative to the work tree. */
static bool is_local_address(struct str value, const struct git_repository *repository) {
        bool dot_git = str_ends(str_z(repository->git_dir), STR("/.git"));
        char path[PATH_MAX], real[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s%s/%.*s", value.ptr[0] == '/' ? "" : repository->git_dir,
                           value.ptr[0] != '/' && dot_git ? "/.." : "", (int)value.len, value.ptr);

        return len > 0 && (size_t)len < sizeof(path) && real_path(path, real) &&
               (!path_below(real, repository->workspace) || is_watched(real, repository));
}

/* `x::y` starts git-remote-x. */
static bool is_address(struct str value, const struct git_repository *repository) {
        size_t colon = str_find(value, ':'), slash = str_find(value, '/');

        for (size_t i = 0; i + 1 < value.len; i++)
                if (value.ptr[i] == ':' && value.ptr[i + 1] == ':')
                        return false;
        if (!value.len || value.ptr[0] == '-')
                return !value.len;
        if (str_starts(value, STR("file://")))
                return is_local_address(str_skip(value, 7), repository);
        return colon < slash || is_local_address(value, repository); /* scheme://, host:path */
}

static bool is_word(struct str value) {
        for (size_t i = 0; i < value.len; i++)
                if (!is_ascii_alnum((unsigned char)value.ptr[i]) && (i == 0 || !strchr("-_.", value.ptr[i])))
                        return false;
        return true;
}

/* The name of a remote, unless there is a directory of that name. */
static bool is_remote(struct str value, const struct git_repository *repository) {
        char path[PATH_MAX];
        struct stat status;
        int len = snprintf(path, sizeof(path), "%s/../%.*s", repository->git_dir, (int)value.len, value.ptr);

        if (is_word(value) && len > 0 && (size_t)len < sizeof(path) && lstat(path, &status) < 0 && errno == ENOENT)
                return true;
        return is_address(value, repository);
}

static bool is_update(struct str value) {
        return str_is(value, "checkout") || str_is(value, "rebase") || str_is(value, "merge") || str_is(value, "none");
}

/* What git would check files out into. */
static bool is_worktree(struct str value, const struct git_repository *repository) {
        char path[PATH_MAX], real[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s/%.*s", repository->git_dir, (int)value.len, value.ptr);
        FD_AUTO fd = -1;

        if (!value.len || value.ptr[0] == '/' || len < 0 || (size_t)len >= sizeof(path))
                return false;
        fd = open(path, O_PATH | O_CLOEXEC);
        return fd >= 0 && path_of(fd, real) && path_below(real, repository->workspace);
}

static bool fits(enum value value, struct str text, const struct git_repository *repository) {
        switch (value) {
        case ANY:
                return true;
        case ADDRESS:
                return is_address(text, repository);
        case REMOTE:
                return is_remote(text, repository);
        case UPDATE:
                return is_update(text);
        case WORKTREE:
                return is_worktree(text, repository);
        }
        return false;
}

/* ---- settings ---- */

static int compare(const char *name, struct str wanted) {
        return str_cmp(str_z(name), wanted);
}

/* False: it is too long for any key of the table. */
static bool name_setting(const struct git_setting *setting, char ret[static GIT_KEY_SIZE]) {
        int len = snprintf(ret, GIT_KEY_SIZE, "%.*s.%s%.*s", (int)setting->section.len, setting->section.ptr,
                           setting->subsection.ptr ? "*." : "", (int)setting->name.len, setting->name.ptr);

        return len > 0 && len < GIT_KEY_SIZE;
}

static enum git_change judge(const struct git_setting *setting, const struct git_repository *repository) {
        char name[GIT_KEY_SIZE];
        size_t low = 0, high = sizeof(keys) / sizeof(*keys);

        if (!name_setting(setting, name))
                return GIT_CHANGE_RUNS;
        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = compare(keys[middle].name, str_z(name));

                if (order == 0)
                        return fits(keys[middle].value, setting->value, repository) ? GIT_CHANGE_HARMLESS : GIT_CHANGE_VALUE;
                if (order < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return GIT_CHANGE_RUNS;
}

/* The settings of a config that are not harmless, in their order; and how far another one has the same. */
struct comparison {
        const struct git_repository *repository;
        struct arena *arena;
        struct git_setting *before;
        size_t count, seen;
        enum git_change change;
        struct git_setting odd; /* the first that is different */
};

/* Room is doubled at every power of two. */
static int keep_setting(void *context, const struct git_setting *setting, struct err *err) {
        struct comparison *c = context;

        if (judge(setting, c->repository) == GIT_CHANGE_HARMLESS)
                return 0;
        if (!(c->count & (c->count - 1))) {
                struct git_setting *room = arena_alloc(c->arena, (c->count ? c->count * 2 : 1) * sizeof(*room));

                if (!room)
                        return err_set(err, ERR_MEMORY, "out of memory");
                if (c->count)
                        memcpy(room, c->before, c->count * sizeof(*room));
                c->before = room;
        }
        c->before[c->count++] = *setting;
        return 0;
}

static bool is_same(const struct git_setting *a, const struct git_setting *b) {
        return str_eq(a->section, b->section) && !a->subsection.ptr == !b->subsection.ptr &&
               str_eq(a->subsection, b->subsection) && str_eq(a->name, b->name) && str_eq(a->value, b->value);
}

static int check_setting(void *context, const struct git_setting *setting, struct err *err) {
        struct comparison *c = context;
        enum git_change change = judge(setting, c->repository);

        (void)err;
        if (change == GIT_CHANGE_HARMLESS)
                return 0;
        if (c->seen < c->count && is_same(&c->before[c->seen], setting)) {
                c->seen++;
                return 0;
        }
        if (c->change < change) {
                c->change = change;
                c->odd = *setting;
        }
        return 0;
}

enum git_change git_config_compare(struct str before, struct str after, const struct git_repository *repository,
                                   struct arena *arena, char *ret_key) {
        struct comparison c = { .repository = repository, .arena = arena };

        if (ret_key)
                ret_key[0] = '\0';
        /* git takes a key for ended at a NUL, and what follows would only be seen here */
        if (str_find(after, '\0') < after.len || git_config_read(before, arena, keep_setting, &c, NULL) < 0 ||
            git_config_read(after, arena, check_setting, &c, NULL) != 0)
                return GIT_CHANGE_RUNS;
        if (c.change == GIT_CHANGE_HARMLESS && c.seen < c.count) { /* it was removed */
                c.change = GIT_CHANGE_RUNS;
                c.odd = c.before[c.seen];
        }
        if (c.change != GIT_CHANGE_HARMLESS && ret_key && !name_setting(&c.odd, ret_key))
                ret_key[0] = '\0';
        return c.change;
}

/* ---- git rebase ---- */

/* `exec`, `x`, and what may be more of them by another name in a git that is not known here: only these run nothing. */
static bool runs_nothing(struct str line) {
        static const char *const words[] = { "pick",  "p", "reword", "r", "edit",       "e", "squash", "s",
                                             "fixup", "f", "break",  "b", "drop",       "d", "label",  "l",
                                             "reset", "t", "merge",  "m", "update-ref", "u", "noop" };

        while (line.len && (line.ptr[0] == ' ' || line.ptr[0] == '\t'))
                line = str_skip(line, 1);
        if (!line.len || line.ptr[0] == '#' || line.ptr[0] == '\r')
                return true;
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
                struct str rest = str_skip(line, strlen(words[i]));

                if (str_starts(line, str_z(words[i])) && (!rest.len || strchr(" \t\r", rest.ptr[0])))
                        return true;
        }
        return false;
}

static bool has_line(struct str text, struct str line) {
        while (text.len) {
                struct str here = str_take(text, str_find(text, '\n'));

                if (str_eq(here, line))
                        return true;
                text = str_skip(text, here.len + 1);
        }
        return false;
}

bool git_todo_is_harmless(struct str before, struct str after) {
        unsigned odd = 0;

        while (after.len) {
                struct str line = str_take(after, str_find(after, '\n'));

                if (!runs_nothing(line) && (++odd > 256 || !has_line(before, line)))
                        return false;
                after = str_skip(after, line.len + 1);
        }
        return true;
}
