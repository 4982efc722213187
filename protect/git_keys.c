#include "protect/git.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "protect/survey_inside.h"

enum value {
        ANY,
        ADDRESS,  /* of a repository: `x::y` would start git-remote-x */
        REMOTE,   /* its name, or an address */
        UPDATE,   /* of a submodule: `!x` is a command */
        WORKTREE, /* of a submodule: a directory of the workspace, from the git directory */
        BARE,     /* true only of a repository that has no work tree around it: hooks and addresses are relative to that */
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
        { "checkout.defaultremote", REMOTE },
        { "checkout.guess", ANY },
        { "color.ui", ANY },
        { "commit.gpgsign", ANY },
        { "commit.verbose", ANY },
        { "committer.email", ANY },
        { "committer.name", ANY },
        { "core.abbrev", ANY },
        { "core.autocrlf", ANY },
        { "core.bare", BARE },
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
        { "extensions.partialclone", REMOTE },
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

/* Names of remotes that have an address in the same config. */
struct remotes {
        struct str *names;
        size_t count, room;
};

/* ---- values ---- */

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
                        return path_of_fd(fd, ret) && append_missing(ret, path + len);
                if ((errno != ENOENT && errno != ENOTDIR) || lstat(head, &status) == 0)
                        return false;
                while (len > 1 && path[len - 1] == '/')
                        len--;
                while (len > 1 && path[len - 1] != '/')
                        len--;
        }
}

/* A repository in the workspace may be in an unexpected place, and have hooks that run when the user pushes to it. */
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

/* Without `.` and `..`, as if there were no links. */
static void collapse(char *path) {
        char *out = path;

        for (const char *at = path; *at;) {
                size_t len = strcspn(at + 1, "/") + 1; /* with the slash before it */

                if (len == 3 && at[1] == '.' && at[2] == '.')
                        while (out > path && *--out != '/')
                                ;
                else if (len > 2 || (len == 2 && at[1] != '.'))
                        out = (char *)memmove(out, at, len) + len;
                at += len;
        }
        *out = '\0';
}

/* Relative to the work tree. A link in the workspace that leads out of it hides from git what stands beside it. */
static bool is_local_address(struct str value, const struct git_repository *repository) {
        bool dot_git = str_ends(str_z(repository->git_dir), STR("/.git"));
        char path[PATH_MAX], real[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s%s/%.*s", value.ptr[0] == '/' ? "" : repository->git_dir,
                           value.ptr[0] != '/' && dot_git ? "/.." : "", (int)value.len, value.ptr);

        if (len < 0 || (size_t)len >= sizeof(path) || !real_path(path, real))
                return false;
        collapse(path);
        return path_below(real, repository->workspace) ? is_watched(real, repository)
                                                       : !path_below(path, repository->workspace);
}

/* Where commands can change nothing on the way. */
static bool is_outside(struct str value, const struct git_repository *repository) {
        char path[PATH_MAX], real[PATH_MAX];

        return value.ptr[0] == '/' && snprintf(path, sizeof(path), "%.*s", (int)value.len, value.ptr) < (int)sizeof(path) &&
               !strstr(path, "..") && !strstr(path, "//") && !path_below(path, repository->workspace) &&
               real_path(path, real) && !path_below(real, repository->workspace);
}

/* No control characters and no blanks at the ends, which not every git reads alike; no option, and no home. */
static bool is_printed(struct str value) {
        for (size_t i = 0; i < value.len; i++)
                if ((unsigned char)value.ptr[i] < ' ' || value.ptr[i] == 0x7f)
                        return false;
        return !strchr("-~ ", value.ptr[0]) && value.ptr[value.len - 1] != ' ';
}

/* `x::y`, and any scheme that git does not know, start git-remote-x. */
static bool is_address(struct str value, const struct git_repository *repository) {
        static const char *const schemes[] = { "https://", "http://", "ssh://", "git://" };
        size_t colon = str_find(value, ':'), slash = str_find(value, '/');

        if (!value.len || !is_printed(value))
                return !value.len;
        for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
                if (str_starts(value, str_z(schemes[i])))
                        return true;
        if (str_starts(value, STR("file:///")) && str_find(value, '%') == value.len) /* which git decodes */
                value = str_skip(value, 7);
        else if (colon < slash) /* host:path */
                return colon + 1 < value.len && value.ptr[colon + 1] != ':' && !str_starts(str_skip(value, colon), STR("://"));
        return repository->covered ? is_outside(value, repository) : is_local_address(value, repository);
}

/* The name of a remote or of a submodule, which git puts among arguments and into paths. */
static bool is_name(struct str name) {
        for (size_t i = 0; i < name.len; i++)
                if (!is_ascii_alnum((unsigned char)name.ptr[i]) && (i == 0 || !strchr("-_./", name.ptr[i])))
                        return false;
        for (size_t i = 0; i + 1 < name.len; i++)
                if (name.ptr[i] == '.' && name.ptr[i + 1] == '.')
                        return false;
        return name.len > 0;
}

/* One that has an address here, which is judged itself; git would look for others in files and directories. */
static bool is_remote(struct str value, const struct remotes *remotes) {
        if (str_is(value, ".") || !value.len)
                return true;
        for (size_t i = 0; i < remotes->count; i++)
                if (str_eq(remotes->names[i], value))
                        return true;
        return false;
}

static bool is_update(struct str value) {
        return str_is(value, "checkout") || str_is(value, "rebase") || str_is(value, "merge") || str_is(value, "none");
}

/* What git would check files out into. Hooks, too, are relative to it. */
static bool is_worktree(struct str value, const struct git_repository *repository) {
        struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
        char path[PATH_MAX], real[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s/%.*s", repository->git_dir, (int)value.len, value.ptr);
        FD_AUTO fd = -1;

        if (!value.len || value.ptr[0] == '/' || len < 0 || (size_t)len >= sizeof(path) ||
            !strstr(repository->git_dir, "/.git/modules/"))
                return false;
        fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
        return fd >= 0 && path_of_fd(fd, real) && path_below(real, repository->workspace);
}

static bool is_bare(struct str value, const struct git_repository *repository) {
        return str_is(value, "false") || (str_is(value, "true") && !str_ends(str_z(repository->git_dir), STR("/.git")));
}

static bool fits(enum value value, struct str text, const struct git_repository *repository, const struct remotes *remotes) {
        switch (value) {
        case ANY:
                return true;
        case ADDRESS:
                return is_address(text, repository);
        case REMOTE:
                return is_remote(text, remotes);
        case UPDATE:
                return is_update(text);
        case WORKTREE:
                return is_worktree(text, repository);
        case BARE:
                return is_bare(text, repository);
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

static bool is_harmless(const struct git_setting *setting, const struct git_repository *repository,
                        const struct remotes *remotes) {
        char name[GIT_KEY_SIZE];
        size_t low = 0, high = sizeof(keys) / sizeof(*keys);

        if (!name_setting(setting, name))
                return false;
        if (setting->subsection.ptr && !str_is(setting->section, "branch") && !is_name(setting->subsection))
                return false;
        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = compare(keys[middle].name, str_z(name));

                if (order == 0)
                        return fits(keys[middle].value, setting->value, repository, remotes);
                if (order < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return false;
}

/* The settings of a config that are not harmless, in their order; and how far another one has the same. */
struct comparison {
        const struct git_repository *repository;
        struct arena *arena;
        struct remotes remotes; /* of the one that is read */
        struct git_setting *before;
        size_t count, room, seen;
        bool differs;
        struct git_setting odd; /* the first that does */
};

static int keep_remote(void *context, const struct git_setting *setting, struct err *err) {
        struct comparison *c = context;
        struct remotes *remotes = &c->remotes;

        if (!str_is(setting->section, "remote") || !str_is(setting->name, "url") || !is_name(setting->subsection))
                return 0;
        if (!arena_room(c->arena, &remotes->names, remotes->count, &remotes->room, sizeof(*remotes->names)))
                return err_memory(err);
        remotes->names[remotes->count++] = setting->subsection;
        return 0;
}

static int keep_setting(void *context, const struct git_setting *setting, struct err *err) {
        struct comparison *c = context;

        if (is_harmless(setting, c->repository, &c->remotes))
                return 0;
        if (!arena_room(c->arena, &c->before, c->count, &c->room, sizeof(*c->before)))
                return err_memory(err);
        c->before[c->count++] = *setting;
        return 0;
}

static bool is_same(const struct git_setting *a, const struct git_setting *b) {
        return str_eq(a->section, b->section) && !a->subsection.ptr == !b->subsection.ptr &&
               (!a->subsection.ptr || str_eq(a->subsection, b->subsection)) && str_eq(a->name, b->name) &&
               str_eq(a->value, b->value);
}

static int check_setting(void *context, const struct git_setting *setting, struct err *err) {
        struct comparison *c = context;

        (void)err;
        if (c->differs || is_harmless(setting, c->repository, &c->remotes))
                return 0;
        c->differs = c->seen == c->count || !is_same(&c->before[c->seen], setting);
        if (c->differs)
                c->odd = *setting;
        c->seen += !c->differs;
        return 0;
}

/* Control characters, a NUL above all, are not read by every git as they are here. */
static bool is_text(struct str text) {
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                if (c == '\r' ? i + 1 == text.len || text.ptr[i + 1] != '\n' : c < ' ' && c != '\t' && c != '\n')
                        return false;
        }
        return true;
}

bool git_config_is_harmless(struct str before, struct str after, const struct git_repository *repository, struct arena *arena,
                            char *ret_key) {
        struct comparison c = { .repository = repository, .arena = arena };

        if (ret_key)
                ret_key[0] = '\0';
        if (!is_text(after) || git_config_read(before, arena, keep_remote, &c, NULL) < 0 ||
            git_config_read(before, arena, keep_setting, &c, NULL) < 0)
                return false;
        c.remotes.count = 0;
        if (git_config_read(after, arena, keep_remote, &c, NULL) != 0 ||
            git_config_read(after, arena, check_setting, &c, NULL) != 0)
                return false;
        if (!c.differs && c.seen < c.count) { /* it was removed */
                c.differs = true;
                c.odd = c.before[c.seen];
        }
        if (c.differs && ret_key && !name_setting(&c.odd, ret_key))
                ret_key[0] = '\0';
        return !c.differs;
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
