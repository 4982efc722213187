#include "sandbox/host_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "policy/env.h"
#include "policy/files.h"

/* ---- links ---- */

int host_note_link(struct host *host, struct arena *arena, struct host_link link, struct err *err) {
        struct host_links *links = &host->links;

        if (!arena_room(arena, &links->items, links->count, &links->room, sizeof(*links->items)))
                return err_memory(err);
        link.path = arena_dup(arena, str_z(link.path));
        link.at = arena_dup(arena, str_z(link.at));
        if (!link.path || !link.at)
                return err_memory(err);
        links->items[links->count++] = link;
        return 0;
}

/* What a link led to when it was looked at does not matter: a command may have changed it, and may change it again. */
int host_check_links(const struct host *host, const struct sandbox_policy *sandbox, struct err *err) {
        for (size_t i = 0; i < host->links.count; i++) {
                const struct host_link *link = &host->links.items[i];

                if (host_is_writable(host, sandbox, link->at))
                        return err_set(
                                err, ERR_REFUSED,
                                "%s: %s: commands can change the symbolic link %s in this path: use the path of its target, "
                                "or remove the link",
                                link->key, link->path, link->at);
        }
        return 0;
}

/* ---- lists ---- */

bool is_absence(int error) {
        return error == ENOENT || error == ENOTDIR;
}

bool has_control_character(const char *path) {
        for (; *path; path++)
                if ((unsigned char)*path < 0x20 || *path == 0x7f)
                        return true;
        return false;
}

/* A directory that nobody may search hides what is denied in it from us. Whoever owns it can open it again, and a command may
 * be able to: then it is masked as a whole. */
int host_mask_closed(struct host *host, struct arena *arena, const char *at, struct err *err) {
        const char *slash = strrchr(at, '/');
        char directory[PATH_MAX];
        struct stat st;

        if (!slash || slash == at)
                return 0;
        snprintf(directory, sizeof(directory), "%.*s", (int)(slash - at), at);
        if (lstat(directory, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != host->uid || host_masked_by(host, directory))
                return 0;
        return host_paths_add(&host->masks, arena, directory, true, err);
}

/* What is denied may be named from the workspace on. */
static const char *absolute(const struct host *host, struct str path, struct arena *arena) {
        size_t len = path.len + strlen(host->workspace) + 2;
        char *text;

        if (path.len && path.ptr[0] == '/')
                return arena_dup(arena, path);
        text = arena_bytes(arena, len);
        if (text)
                snprintf(text, len, "%s/%.*s", host->workspace, (int)path.len, path.ptr);
        return text;
}

/* The option of `bailey run` that adds to a list; "": it has none. */
static const char *option_of(const char *key) {
        static const struct {
                const char *key, *option;
        } rows[] = {
                { "fs_read_allow", " (--read)" },
                { "fs_write_allow", " (--write)" },
                { "fs_read_deny", " (--deny-read)" },
                { "fs_write_deny", " (--deny-write)" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                if (strcmp(key, rows[i].key) == 0)
                        return rows[i].option;
        return "";
}

int host_add_list(struct host *host, struct host_paths *paths, struct arena *arena, const struct str_list *list,
                  const char *key, bool must_exist, struct err *err) {
        for (size_t i = 0; i < list->count; i++) {
                const char *path = absolute(host, list->items[i], arena);
                char real[PATH_MAX];
                struct stat st;
                int missing;

                if (glob_is_pattern(list->items[i])) /* host_globs.c */
                        continue;
                if (!path)
                        return err_memory(err);
                if (has_control_character(path))
                        return err_set(err, ERR_INVALID, "%s: %s: the path contains control characters", key, path);
                host_sees(host, path, false);
                missing = host_follow(host, arena, key, path, real, err);
                if (missing < 0)
                        return -1;
                if (!missing && lstat(real, &st) == 0) {
                        if (host_paths_add(paths, arena, real, S_ISDIR(st.st_mode), err) < 0)
                                return -1;
                        paths->items[paths->count - 1].socket = S_ISSOCK(st.st_mode);
                        paths->items[paths->count - 1].device = S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode);
                } else if (paths == &host->masks && errno == EACCES) {
                        if (host_mask_closed(host, arena, real, err) < 0)
                                return -1;
                } else if (must_exist || !is_absence(errno)) {
                        return err_set(err, ERR_INVALID, "%s%s: %s: %s", key, option_of(key), path, err_text(errno));
                }
        }
        return 0;
}

/* A path as it is listed; empty: it stands for none here. */
static int expand_socket(struct str listed, const char *const *environment, char ret[static PATH_MAX], struct err *err) {
        bool variable = listed.ptr[0] == '$', home = listed.ptr[0] == '~';
        char name[PATH_MAX];
        const char *value = "";

        snprintf(name, sizeof(name), "%.*s", (int)listed.len - 1, listed.ptr + 1); /* no text is empty */
        if (variable || home)
                value = environment_get(environment, home ? "HOME" : name);
        ret[0] = 0;
        if ((variable || home) && (!value || !*value))
                return 0;
        if (snprintf(ret, PATH_MAX, "%s%.*s", value, variable ? 0 : (int)listed.len - home, listed.ptr + home) >= PATH_MAX ||
            has_control_character(ret) || ret[0] != '/')
                return err_set(err, ERR_INVALID, "unix_sockets: %.*s: not an absolute path", (int)listed.len, listed.ptr);
        return 0;
}

int host_gather_sockets(struct host *host, const struct sandbox_policy *sandbox, const char *const *environment,
                        struct arena *arena, struct err *err) {
        const struct str_list *list = &sandbox->unix_socket_paths;

        for (size_t i = 0; i < list->count; i++) {
                char path[PATH_MAX], real[PATH_MAX];
                struct stat st;
                int missing;

                if (expand_socket(list->items[i], environment, path, err) < 0)
                        return -1;
                if (!path[0])
                        continue;
                host_sees(host, path, false);
                missing = host_follow(host, arena, "unix_sockets", path, real, err);
                if (missing < 0 || host_paths_add(&host->sockets, arena, missing ? path : real, false, err) < 0)
                        return -1;
                host->sockets.items[host->sockets.count - 1].socket = !missing && lstat(real, &st) == 0 && S_ISSOCK(st.st_mode);
        }
        return 0;
}

int host_gather_lists(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err) {
        if (host_add_list(host, &host->read, arena, &sandbox->fs_read_allow, "fs_read_allow", true, err) < 0 ||
            host_add_list(host, &host->write, arena, &sandbox->fs_write_allow, "fs_write_allow", true, err) < 0)
                return -1;
        for (size_t i = 0; i < host->write.count; i++)
                if (strcmp(host->write.items[i].path, "/") == 0)
                        return err_set(err, ERR_INVALID,
                                       "fs_write_allow: /: would make everything writable; list only the directories that must "
                                       "be writable");
        /* One that is missing could be made by the command: it has to be there to be kept. */
        return host_add_list(host, &host->write_deny, arena, &sandbox->fs_write_deny, "fs_write_deny", true, err);
}
