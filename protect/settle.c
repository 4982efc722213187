#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/tree.h"
#include "protect/aside.h"
#include "protect/git.h"
#include "protect/protect.h"
#include "protect/survey_inside.h"

/* After a command, by descriptors: others may still run, and put links wherever they can write. */
struct settlement {
        const struct protect_request *request;
        const struct protection *known, *now;
        struct protection kept;
        bool changed;
        struct err *err;
        bool failed; /* with `err` of the first failure; the rest is looked at all the same */
};

static void fail(struct settlement *s, const struct err *why) {
        if (!s->failed && s->err)
                *s->err = *why;
        s->failed = true;
}

/* ---- setting aside ---- */

static const char *name_of(const char *path) {
        return strrchr(path, '/') + 1;
}

static const char *folder_of(struct settlement *s, const char *path) {
        size_t len = (size_t)(name_of(path) - path);

        return arena_dup(s->request->arena, str_from(path, len > 1 ? len - 1 : 1));
}

/* Returns false if that failed. A file that is gone counts as done. */
static bool set_aside(struct settlement *s, int folder, const char *path, const char *why) {
        const struct protect_request *request = s->request;
        char id[ASIDE_ID_SIZE];
        struct err err = { 0 };
        BUF_AUTO text;

        s->changed = true;
        buf_init(&text, PATH_MAX * 5);
        if (aside_add(request->state_dir, folder, folder_of(s, path), name_of(path), s->now->workspace, why, id, &err) < 0) {
                if (err.code == ERR_NOT_FOUND)
                        return true;
                fail(s, &err);
                return false;
        }
        buf_format(&text, "%s was set aside: %s. To restore it: bailey restore %s", path, why, id);
        buf_char(&text, 0);
        request->say(request->context, text.failed ? "a file was set aside; see bailey aside list" : text.ptr);
        return true;
}

static void say_put_back(struct settlement *s, const char *path) {
        char text[PATH_MAX + 64];

        snprintf(text, sizeof(text), "%s was restored to its previous state", path);
        s->request->say(s->request->context, text);
}

/* A config that a repository does not work without, and a link that cannot be covered. */
static void put_back(struct settlement *s, int folder, const struct protected_path *was, unsigned mode) {
        struct err err = { 0 };

        if (was->link ? symlinkat(was->link, folder, name_of(was->path)) < 0
                      : file_replace(folder, name_of(was->path), was->content, mode, &err) < 0) {
                if (was->link)
                        err_sys_message(&err, "cannot put %s back", was->path);
                fail(s, &err);
                return;
        }
        say_put_back(s, was->path);
}

/* ---- judging ---- */

static bool same_content(const struct protected_path *was, const struct protected_path *is) {
        return was && !was->directory && !is->directory && !was->link == !is->link &&
               (is->link ? strcmp(was->link, is->link) == 0
                         : was->content.ptr && is->content.ptr && str_eq(was->content, is->content));
}

/* Known, but at another place. A command cannot move a covered file, so the user did it. */
static bool was_moved(const struct settlement *s, const struct protected_path *is) {
        for (size_t i = 0; i < s->known->read_only.count; i++) {
                const struct protected_path *was = &s->known->read_only.items[i];

                if (!was->link && protect_same(was, is) && strcmp(name_of(was->path), name_of(is->path)) == 0)
                        return true;
        }
        return false;
}

static bool is_harmless(struct settlement *s, int folder, const struct protected_path *was, const struct protected_path *is) {
        const struct git_repository repository = { folder_of(s, is->path), s->now->workspace, s->now, false };
        struct str before = was && !was->link ? was->content : str_from(NULL, 0);

        if (same_content(was, is))
                return true;
        if (is->link || (was && was->link))
                return false;
        switch (is->kind) {
        case PROTECTED_CONFIG:
                if (is->directory) /* git cannot read it */
                        return true;
                return is->content.ptr && repository.git_dir &&
                       git_config_is_harmless(before, is->content, &repository, s->request->arena, NULL);
        case PROTECTED_TODO:
                return is->content.ptr && git_todo_is_harmless(before, is->content);
        case PROTECTED_POINTER:
                return survey_leads_inside(s->known, s->now->workspace, folder, folder_of(s, is->path));
        case PROTECTED_ENTRY:
                return survey_is_entry_harmless(folder, name_of(is->path));
        case PROTECTED_INDEX:
                return was != NULL;
        case PROTECTED_HOOKS: /* entry by entry */
        case PROTECTED_NAME:
                break;
        }
        return false;
}

/* ---- one place after the other ---- */

static void keep(struct settlement *s, struct protected_paths *list, const struct protected_path *item) {
        struct err err = { 0 };

        if (protected_add(list, *item, s->request->arena, &err) < 0)
                fail(s, &err);
}

/* All but the samples of git. Those that were there before are known by the directory, which was covered. */
static bool settle_hooks(struct settlement *s, const struct protected_path *is) {
        FD_AUTO fd = path_open(is->path, O_RDONLY);
        DIR *stream = fd < 0 ? NULL : tree_list(fd, ".");
        const struct dirent *entry;
        bool done = stream != NULL;

        while (stream && (entry = tree_next(stream))) {
                char path[PATH_MAX];

                if (str_ends(str_z(entry->d_name), STR(".sample")))
                        continue;
                if (snprintf(path, sizeof(path), "%s/%s", is->path, entry->d_name) >= (int)sizeof(path))
                        done = false;
                else
                        done = set_aside(s, fd, path, "a hook of git that a command may have made") && done;
        }
        if (stream)
                closedir(stream);
        return done;
}

/* The directory that something is in; -1: it is gone, or that was told as a failure. */
static int enter(struct settlement *s, const char *path) {
        const char *above = folder_of(s, path);
        int folder = above ? path_open(above, O_RDONLY) : (errno = ENOMEM, -1);
        struct err err = { 0 };

        if (folder < 0 && errno != ENOENT && errno != ENOTDIR) {
                err_sys_message(&err, "cannot look at %s", path);
                fail(s, &err);
        }
        return folder;
}

static void settle_one(struct settlement *s, const struct protected_path *is) {
        const struct protected_path *was = protect_find(&s->known->read_only, is->path);
        const struct protected_path *known = was ? was : protect_find(&s->known->checked, is->path);
        FD_AUTO folder = -1;
        struct stat status;
        unsigned mode = 0600;

        if (known && known->link)
                return; /* settle_link() has seen to it */
        if (!known && s->request->known_only)
                return;
        if (was && protect_same(was, is)) {
                keep(s, &s->kept.read_only, was);
                return;
        }
        if (!known && was_moved(s, is)) {
                keep(s, &s->kept.checked, is);
                s->changed = true;
                return;
        }
        folder = enter(s, is->path);
        if (folder < 0)
                return;
        if (fstatat(folder, name_of(is->path), &status, AT_SYMLINK_NOFOLLOW) == 0)
                mode = status.st_mode & 0777;
        if (is->kind == PROTECTED_HOOKS && is->directory && settle_hooks(s, is)) {
                keep(s, &s->kept.checked, is);
                s->changed = s->changed || !known;
        } else if (is_harmless(s, folder, known, is)) {
                s->changed = s->changed || !known || was || !str_eq(known->content, is->content);
                keep(s, &s->kept.checked, is);
        } else if (set_aside(s, folder, is->path,
                             known ? "it was replaced while a command ran"
                                   : "it is new, and programs on the host would run it automatically")) {
                if (known && known->kind == PROTECTED_CONFIG && known->content.ptr) {
                        put_back(s, folder, known, mode);
                        keep(s, &s->kept.checked, known);
                }
        }
}

/* A link cannot be covered, and a command that replaces it chooses what the host runs. */
static void settle_link(struct settlement *s, const struct protected_path *was) {
        FD_AUTO folder = enter(s, was->path);
        struct protected_path is;
        int got = folder < 0 ? 1 : protect_stat(folder, name_of(was->path), &is, s->request->arena, NULL);

        if (folder < 0 || (got == 0 && is.link && strcmp(is.link, was->link) == 0))
                return;
        if (got == 0 && !set_aside(s, folder, was->path, "it replaced a symbolic link"))
                return;
        put_back(s, folder, was, 0);
        s->changed = true;
}

/* A file that is missing for a moment, while it is replaced, is recognised by its content when it is back. */
static void keep_missing(struct settlement *s, const struct protected_paths *list) {
        for (size_t i = 0; i < list->count; i++)
                if (!protect_find(&s->kept.read_only, list->items[i].path) &&
                    !protect_find(&s->kept.checked, list->items[i].path))
                        keep(s, &s->kept.checked, &list->items[i]);
}

static bool is_git_dir(int folder) {
        static const char *const parts[] = { "HEAD", "objects", "refs" };

        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
                if (faccessat(folder, parts[i], F_OK, AT_SYMLINK_NOFOLLOW) < 0)
                        return false;
        return true;
}

/* A command can remove a config that the host has just renamed into place, before it is covered again. Whoever removes a
 * repository removes more than its config. */
static void restore_missing_configs(struct settlement *s, const struct protected_paths *list) {
        for (size_t i = 0; i < list->count; i++) {
                const struct protected_path *was = &list->items[i];
                FD_AUTO folder = -1;
                struct stat status;

                if (was->kind != PROTECTED_CONFIG || was->link || !was->content.ptr ||
                    strcmp(name_of(was->path), "config") != 0)
                        continue;
                folder = enter(s, was->path);
                if (folder < 0 || fstatat(folder, "config", &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT ||
                    !is_git_dir(folder))
                        continue;
                put_back(s, folder, was, 0644);
                keep(s, &s->kept.checked, was);
                s->changed = true;
        }
}

int protect_settle(const struct protect_request *request, struct protection *known, const struct protection *now,
                   bool *ret_changed, struct err *err) {
        struct settlement s = { .request = request, .known = known, .now = now, .err = err };

        for (size_t i = 0; i < known->read_only.count; i++)
                if (known->read_only.items[i].link) {
                        settle_link(&s, &known->read_only.items[i]);
                        keep(&s, &s.kept.read_only, &known->read_only.items[i]);
                }
        for (size_t i = 0; i < now->read_only.count; i++)
                settle_one(&s, &now->read_only.items[i]);
        for (size_t i = 0; i < now->checked.count; i++)
                settle_one(&s, &now->checked.items[i]);
        if (request->known_only) {
                keep_missing(&s, &known->read_only);
                keep_missing(&s, &known->checked);
        } else {
                restore_missing_configs(&s, &known->read_only);
                restore_missing_configs(&s, &known->checked);
        }
        if (now->problem.code)
                fail(&s, &now->problem);
        if (s.failed)
                return -1;
        known->read_only = s.kept.read_only;
        known->checked = s.kept.checked;
        *ret_changed = s.changed;
        return 0;
}
