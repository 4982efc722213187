#include "protect/git_keys.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "protect/git_config.h"
#include "protect/survey_inside.h"

enum value {
        ANY,
        ADDRESS,  /* of a repository: `x::y` would start git-remote-x */
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
        { "branch.*.pushremote", ADDRESS },
        { "branch.*.rebase", ANY },
        { "branch.*.remote", ADDRESS },
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
        { "remote.pushdefault", ADDRESS },
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

/* A repository in the workspace may be where nobody looks, and have hooks that run when somebody pushes to it. */
static bool is_watched(const char *path, const struct git_repository *repository) {
        static const char *const git_dirs[] = { "/.git", "" };
        char name[PATH_MAX + 16];

        if (!repository->found)
                return true;
        for (size_t i = 0; i < sizeof(git_dirs) / sizeof(*git_dirs); i++) {
                snprintf(name, sizeof(name), "%s%s/HEAD", path, git_dirs[i]);
                if (access(name, F_OK) < 0)
                        continue;
                snprintf(name, sizeof(name), "%s%s/config", path, git_dirs[i]);
                return protect_find(&repository->found->read_only, name) || protect_find(&repository->found->checked, name);
        }
        return true; /* no repository */
}

static bool is_local_address(struct str value, const struct git_repository *repository) {
        bool dot_git = str_ends(str_z(repository->git_dir), STR("/.git"));
        char path[PATH_MAX], real[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s%s/%.*s", value.ptr[0] == '/' ? "" : repository->git_dir,
                           value.ptr[0] != '/' && dot_git ? "/.." : "", (int)value.len, value.ptr);

        if (len < 0 || (size_t)len >= sizeof(path))
                return false;
        if (!realpath(path, real))
                return errno == ENOENT;
        return !path_below(real, repository->workspace) || is_watched(real, repository);
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

static bool is_update(struct str value) {
        return str_is(value, "checkout") || str_is(value, "rebase") || str_is(value, "merge") || str_is(value, "none");
}

/* What git would check files out into. */
static bool is_worktree(struct str value, const struct git_repository *repository) {
        char path[PATH_MAX], real[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s/%.*s", repository->git_dir, (int)value.len, value.ptr);

        return value.len && value.ptr[0] != '/' && len > 0 && (size_t)len < sizeof(path) && realpath(path, real) &&
               path_below(real, repository->workspace);
}

static bool fits(enum value value, struct str text, const struct git_repository *repository) {
        switch (value) {
        case ANY:
                return true;
        case ADDRESS:
                return is_address(text, repository);
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

static bool is_harmless(const struct git_setting *setting, const struct git_repository *repository) {
        char name[128];
        int len = snprintf(name, sizeof(name), "%.*s.%s%.*s", (int)setting->section.len, setting->section.ptr,
                           setting->subsection.ptr ? "*." : "", (int)setting->name.len, setting->name.ptr);
        size_t low = 0, high = sizeof(keys) / sizeof(*keys);

        if (len < 0 || (size_t)len >= sizeof(name))
                return false;
        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = compare(keys[middle].name, str_from(name, (size_t)len));

                if (order == 0)
                        return fits(keys[middle].value, setting->value, repository);
                if (order < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return false;
}

/* What is left of a config without the harmless settings, as one text in which nothing can be taken for something else. */
struct rest {
        const struct git_repository *repository;
        struct buf text;
};

static int keep_setting(void *context, const struct git_setting *setting, struct err *err) {
        struct rest *rest = context;
        const struct str parts[] = { setting->section, setting->subsection, setting->name, setting->value };

        (void)err;
        if (is_harmless(setting, rest->repository))
                return 0;
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
                buf_format(&rest->text, "%zu:", parts[i].len);
                buf_append(&rest->text, parts[i]);
        }
        return 0;
}

bool git_config_is_harmless(struct str before, struct str after, const struct git_repository *repository, struct arena *arena) {
        struct rest old = { .repository = repository }, new = old;
        bool same = false;

        /* git takes a key for ended at a NUL, and what follows would only be seen here */
        if (str_find(after, '\0') < after.len)
                return false;
        buf_init(&old.text, before.len * 8 + 64); /* lengths included */
        buf_init(&new.text, after.len * 8 + 64);
        if (git_config_read(before, arena, keep_setting, &old, NULL) >= 0 &&
            git_config_read(after, arena, keep_setting, &new, NULL) == 0)
                same = !old.text.failed && !new.text.failed &&str_eq(buf_str(&old.text), buf_str(&new.text));
        buf_free(&old.text);
        buf_free(&new.text);
        return same;
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
