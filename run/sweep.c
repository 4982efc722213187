#include "run/sweep_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "policy/files.h"
#include "policy/unasked.h"
#include "protect/remove.h"
#include "sandbox/host.h"

enum { SECONDS_MAX = 10 }; /* for removing; what is left then has another name */

/* ---- telling ---- */

void sweep_failed(struct sweep *s, const struct err *why, const char *path) {
        if (!s->failed && s->err) {
                *s->err = *why;
                err_context_message(s->err, "cannot sweep %s", path);
        }
        s->failed = true;
}

void sweep_no_memory(struct sweep *s, const char *path) {
        struct err why = { 0 };

        err_set_message(&why, ERR_MEMORY, "out of memory");
        sweep_failed(s, &why, path);
}

static void say(struct sweep *s, const char *verb, const char *path, const char *rest) {
        size_t room = s->room ? s->room * 2 : 8, len = strlen(verb) + strlen(path) + strlen(rest);
        char *text = arena_bytes(s->arena, len + 1);
        struct str *said = s->said;

        if (s->count == s->room) {
                said = arena_alloc(s->arena, room * sizeof(*said));
                if (said && s->count)
                        memcpy(said, s->said, s->count * sizeof(*said));
        }
        if (!text || !said) {
                sweep_no_memory(s, path);
                return;
        }
        if (s->count == s->room)
                s->room = room;
        s->said = said;
        snprintf(text, len + 1, "%s%s%s", verb, path, rest);
        s->said[s->count++] = str_from(text, len);
}

/* ---- looking ---- */

int sweep_look(struct sweep *s, int fd, const char *path, const char *name, struct protected_path *ret, bool *ret_link) {
        struct err why = { 0 };
        int got = protect_stat(fd, name, ret, ret_link, &why);

        if (got < 0 && why.sys == EACCES && remove_unlock(fd, ".", NULL) == 0)
                got = protect_stat(fd, name, ret, ret_link, &why);
        if (got < 0)
                sweep_failed(s, &why, path);
        return got;
}

static bool same(const struct sweep *s, const struct protected_path *was, const struct protected_path *is) {
        return protect_same(was, is) && (!s->devices || was->device == is->device);
}

bool sweep_reachable(const struct sweep *s, const char *path) {
        if (path_within(path, s->before->workspace.path))
                return true;
        for (size_t i = 0; i < s->before->git_write.count; i++)
                if (path_within(path, s->before->git_write.items[i].path))
                        return true;
        return false;
}

int sweep_open_path(struct sweep *s, const char *path, size_t len) {
        char part[PATH_MAX];
        size_t start = 1;
        int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), next;

        if (len >= sizeof(part))
                len = 0;
        memcpy(part, path, len);
        part[len] = '\0';
        while (fd >= 0 && start < len) {
                char *end = strchrnul(part + start, '/');

                *end = '\0';
                next = openat(fd, part + start, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                part[start - 1] = '\0';
                if (next < 0 && errno == EACCES && sweep_reachable(s, part) && remove_unlock(fd, ".", NULL) == 0)
                        next = openat(fd, part + start, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                part[start - 1] = '/';
                if (end < part + len)
                        *end = '/';
                fd_close(fd);
                fd = next;
                start = (size_t)(end - part) + 1;
        }
        return fd;
}

/* ---- doing ---- */

const char *sweep_join(struct sweep *s, const char *path, const char *name) {
        size_t size = strlen(path) + strlen(name) + 2;
        char *joined = arena_bytes(s->arena, size);

        if (joined)
                snprintf(joined, size, "%s/%s", path[1] ? path : "", name);
        else
                sweep_no_memory(s, path);
        return joined;
}

static void remove_new(struct sweep *s, int fd, const char *path, const char *name) {
        struct err why = { 0 };

        if (s->keep)
                sweep_aside(s, fd, path, name, "is new");
        else if (remove_tree(fd, name, s->deadline, &why) < 0)
                sweep_failed(s, &why, path);
        else
                say(s, "removed ", path, "");
}

bool sweep_aside(struct sweep *s, int fd, const char *path, const char *name, const char *why_so) {
        char aside[REMOVE_NAME_SIZE], rest[REMOVE_NAME_SIZE + 64];
        struct err why = { 0 };

        if (remove_aside(fd, name, aside, &why) < 0) {
                sweep_failed(s, &why, path);
                return false;
        }
        snprintf(rest, sizeof(rest), ", which %s, aside to %s", why_so, aside);
        say(s, "moved ", path, rest);
        return true;
}

bool sweep_has_content(int fd, const char *name, struct str content) {
        BUF_AUTO text;

        buf_init(&text, content.len);
        return file_read(fd, name, name, FILE_NO_LINK, &text, NULL) == 0 && str_eq(buf_str(&text), content);
}

/* Something else stands where `was` had been. */
static void undo_replacement(struct sweep *s, int fd, const struct protected_path *was, const char *name) {
        FD_AUTO readable = -1;
        struct err why = { 0 };

        if (was->content.ptr && sweep_has_content(fd, name, was->content))
                return;
        if (!sweep_aside(s, fd, was->path, name, "was replaced") || !was->content.ptr)
                return;
        readable = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (file_replace(readable, name, was->content, 0644, &why) < 0)
                sweep_failed(s, &why, was->path);
        else
                say(s, "put ", was->path, " back as it was");
}

static void put_link_back(struct sweep *s, int fd, const struct protected_path *was, const char *name) {
        char text[PATH_MAX];
        struct err why = { 0 };
        struct protected_path is;
        ssize_t len = readlinkat(fd, name, text, sizeof(text));
        bool is_link;
        int got;

        if (len >= 0 && str_eq(str_from(text, (size_t)len), str_z(was->link)))
                return;
        got = sweep_look(s, fd, was->path, name, &is, &is_link);
        if (got < 0 || (got == 0 && is.born > s->until))
                return;
        if (got == 0 && is_link)
                remove_new(s, fd, was->path, name);
        else if (got == 0 && !sweep_aside(s, fd, was->path, name, "was replaced"))
                return;
        if (symlinkat(was->link, fd, name) < 0) {
                err_sys_message(&why, "cannot make a link");
                sweep_failed(s, &why, was->path);
        } else {
                say(s, "put ", was->path, " back as it was");
        }
}

/* Whoever made it sees to it; but not to what has come in its place, which without a time of birth may look the same. */
static void sweep_pending(struct sweep *s, int fd, const struct protected_path *was, const char *name) {
        struct protected_path is;
        bool is_link;

        if (sweep_look(s, fd, was->path, name, &is, &is_link) != 0 || is.born > s->until)
                return;
        if (!same(s, was, &is))
                remove_new(s, fd, was->path, name);
        else if (!is.born)
                sweep_aside(s, fd, was->path, name, "may be new");
}

/* What was there has to be there still. */
static void sweep_known(struct sweep *s, const struct protected_path *was) {
        const char *name = strrchr(was->path, '/') + 1;
        FD_AUTO fd = sweep_open_path(s, was->path, (size_t)(name - was->path) - 1);
        struct protected_path is;
        bool is_link;

        if (fd < 0)
                return;
        if (was->pending)
                sweep_pending(s, fd, was, name);
        else if (was->link)
                put_link_back(s, fd, was, name);
        else if (sweep_look(s, fd, was->path, name, &is, &is_link) == 0 && !same(s, was, &is) && is.born <= s->until)
                undo_replacement(s, fd, was, name);
}

/* Known, but at another place: what is mounted over cannot be moved by a command, so that its owner did it. */
static bool was_moved(const struct sweep *s, const char *name, const struct protected_path *is) {
        for (size_t i = 0; i < s->before->read_only.count; i++) {
                const struct protected_path *was = &s->before->read_only.items[i];

                if (!was->pending && !was->link && same(s, was, is) && strcmp(strrchr(was->path, '/') + 1, name) == 0)
                        return true;
        }
        return false;
}

void sweep_name(struct sweep *s, int fd, const char *path, const char *name) {
        struct protected_path is;
        bool is_link;

        if (sweep_look(s, fd, path, name, &is, &is_link) != 0 || is.born > s->until || was_moved(s, name, &is))
                return;
        path = sweep_join(s, path, name);
        if (path && !protect_find(&s->before->read_only, path))
                remove_new(s, fd, path, name);
}

/* ---- paths that only a config or a link tells of ---- */

/* Nothing on the way may have become a link either, which would lead git elsewhere. */
static void sweep_absent(struct sweep *s, const char *path) {
        for (const char *start = path ? path + 1 : "", *end; *start; start = *end ? end + 1 : end) {
                FD_AUTO fd = sweep_open_path(s, path, (size_t)(start - path) - 1);
                const char *parent = arena_dup(s->arena, str_from(path, (size_t)(start - path) - 1));
                const char *name;
                struct protected_path is;
                bool is_link;

                end = strchrnul(start, '/');
                name = arena_dup(s->arena, str_from(start, (size_t)(end - start)));
                if (!parent || !name) {
                        sweep_no_memory(s, path);
                        return;
                }
                if (fd < 0)
                        return;
                if (!sweep_reachable(s, parent[0] ? parent : "/"))
                        continue;
                if (sweep_look(s, fd, parent, name, &is, &is_link) != 0)
                        return;
                if (*end && is.directory)
                        continue;
                if (!*end && strcmp(name, ".git") == 0)
                        sweep_dot_git(s, fd, parent);
                else if (!*end || is_link)
                        sweep_name(s, fd, parent, name);
                return;
        }
}

/* A path of several names is followed one by one, as any of them may have become a link. Mostly there is not even the first. */
static void sweep_row(struct sweep *s, int workspace, const char *name) {
        const char *top = arena_dup(s->arena, str_take(str_z(name), str_find(str_z(name), '/')));
        struct protected_path is;
        bool is_link;

        if (!top)
                sweep_no_memory(s, name);
        else if (!strchr(name, '/'))
                sweep_name(s, workspace, s->before->workspace.path, name);
        else if (sweep_look(s, workspace, s->before->workspace.path, top, &is, &is_link) == 0)
                sweep_absent(s, sweep_join(s, s->before->workspace.path, name));
}

/* ---- the whole ---- */

static bool leads_to(const char *path, const char *real) {
        char found[PATH_MAX];

        return realpath(path, found) && strcmp(found, real) == 0;
}

static int sweep_open(struct sweep *s, const char *workspace, int *ret_fd) {
        const struct protected_path *was = &s->before->workspace;
        struct protected_path is;
        bool is_link;
        int fd;

        if (strcmp(workspace, was->path) != 0 && !leads_to(workspace, was->path))
                return err_set(s->err, ERR_INVALID, "%s is not the workspace that was surveyed, %s", workspace, was->path);
        fd = sweep_open_path(s, was->path, strlen(was->path));
        if (fd < 0) {
                bool gone = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;

                err_sys_message(s->err, "cannot open the workspace %s", was->path);
                if (s->err && gone)
                        s->err->code = ERR_NOT_FOUND;
                return -1;
        }
        if (protect_stat(fd, "", &is, &is_link, s->err) != 0 || is.inode != was->inode || is.born != was->born) {
                fd_close(fd);
                return err_set(s->err, ERR_REFUSED, "%s is another directory now", was->path);
        }
        s->devices = is.device == was->device;
        *ret_fd = fd;
        return 0;
}

int sweep_workspace_until(const char *workspace, const struct protection *before, int64_t until, bool keep, struct arena *arena,
                          struct str_list *ret_removed, struct err *err) {
        struct sweep s = {
                .before = before,
                .arena = arena,
                .until = until,
                .keep = keep,
                .deadline = time_monotonic() + SECONDS_MAX * TIME_SECOND,
                .err = err,
        };
        FD_AUTO fd = -1;

        *ret_removed = (struct str_list){ 0 };
        if (sweep_open(&s, workspace, &fd) < 0)
                return -1;
        for (size_t i = 0; i < before->read_only.count; i++)
                sweep_known(&s, &before->read_only.items[i]);
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE));)
                sweep_row(&s, fd, row->path);
        sweep_dot_git(&s, fd, before->workspace.path);
        if (protect_is_git_dir(fd, true))
                sweep_git_dir(&s, fd, before->workspace.path);
        sweep_git_dirs(&s, sweep_join(&s, before->workspace.path, ".git"));
        sweep_nested(&s, fd);
        for (size_t i = 0; i < before->absent.count; i++)
                sweep_absent(&s, before->absent.items[i].path);
        *ret_removed = (struct str_list){ s.said, s.count };
        return s.failed ? -1 : 0;
}

int sweep_workspace(const char *workspace, const struct protection *before, bool keep, struct arena *arena,
                    struct str_list *ret_removed, struct err *err) {
        return sweep_workspace_until(workspace, before, INT64_MAX, keep, arena, ret_removed, err);
}
