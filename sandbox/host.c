#include "sandbox/host.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/egress.h"
#include "policy/files.h"
#include "sandbox/host_parts.h"

enum { HOST_PATHS_MAX = 4096, HOST_NOTICE_MAX = PATH_MAX + 512 };

/* Of a NULL-terminated list. */
#define EACH(name, list) for (const char *const *name = (list); *name; name++)

/* ---- who wants to know what was looked at ---- */

void host_sees(const struct host *host, const char *path, bool content) {
        if (host->asker && host->asker->sees)
                host->asker->sees(host->asker->sees_context, path, content);
}

/* ---- paths ---- */

static struct host_path *paths_add(struct host_paths *paths, struct arena *arena) {
        if (paths->count >= HOST_PATHS_MAX ||
            !arena_room(arena, &paths->items, paths->count, &paths->room, sizeof(*paths->items)))
                return NULL;
        return &paths->items[paths->count++];
}

int host_paths_add(struct host_paths *paths, struct arena *arena, const char *path, bool directory, struct err *err) {
        struct host_path *added = paths_add(paths, arena);
        const char *copy = arena_dup(arena, str_z(path));

        if (!added || !copy)
                return err_set(err, ERR_TOO_COMPLEX, "the sandbox needs more than %d paths", HOST_PATHS_MAX);
        *added = (struct host_path){ .path = copy, .directory = directory };
        return 0;
}

int host_add_if_there(struct host *host, struct host_paths *paths, struct arena *arena, const char *key, const char *path,
                      struct err *err) {
        char real[PATH_MAX];
        struct stat st;
        int missing;

        host_sees(host, path, false);
        if (stat(path, &st) < 0 && errno != EACCES) /* most are not there, and this call is cheap */
                return is_absence(errno) ? 0 : err_sys(err, "%s: %s", key, path);
        missing = host_follow(host, arena, key, path, real, err);
        if (missing > 0 && errno == EACCES)
                return paths == &host->masks ? host_mask_closed(host, arena, real, err) : 0;
        if (missing > 0)
                return is_absence(errno) ? 0 : err_sys(err, "%s: %s", key, path);
        return missing < 0 ? -1 : host_paths_add(paths, arena, real, S_ISDIR(st.st_mode), err);
}

/* For directories that are replaced: where one is only a link to another, the other is. */
static int add_directory(const struct host *host, struct host_paths *paths, struct arena *arena, const char *path,
                         struct err *err) {
        struct stat st;

        host_sees(host, path, false);
        if (lstat(path, &st) < 0)
                return is_absence(errno) ? 0 : err_sys(err, "%s", path);
        return S_ISDIR(st.st_mode) ? host_paths_add(paths, arena, path, true, err) : 0;
}

/* ---- the user ---- */

int host_gather_homes(struct host *host, const char *const *environment, struct arena *arena, struct err *err) {
        const char *home = environment_get(environment, "HOME");

        if (home && home[0] == '/' && home[1] && host_add_if_there(host, &host->homes, arena, "home directory", home, err) < 0)
                return -1;
        if (host_system_home(host, arena, err) < 0)
                return -1;
        if (host->homes.count == 2 && strcmp(host->homes.items[0].path, host->homes.items[1].path) == 0)
                host->homes.count = 1;
        return 0;
}

/* ---- the workspace ---- */

static int refuse_workspace(const char *path, const char *why, struct err *err) {
        return err_set(err, ERR_INVALID, "workspace %s: %s; select a project directory with --workspace, or use --force", path,
                       why);
}

/* By whatever name: /var/tmp may be a link to /tmp, or mounted there. */
static bool is_same_directory(const char *a, const char *b) {
        struct stat one, other;

        return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static int check_workspace(const struct host *host, const char *path, struct err *err) {
        if (strcmp(path, "/") == 0)
                return refuse_workspace(path, "everything would be writable", err);
        for (size_t i = 0; i < host->homes.count; i++)
                if (path_within(host->homes.items[i].path, path))
                        return refuse_workspace(path, "your whole home directory would be writable", err);
        EACH (i, host_places.no_workspace)
                if (strcmp(path, *i) == 0)
                        return refuse_workspace(path, "it belongs to the system", err);
        EACH (i, host_places.scratch)
                if (is_same_directory(path, *i))
                        return refuse_workspace(path, "temporary files of all programs and users would be writable", err);
        return 0;
}

static int gather_workspace(struct host *host, const struct host_question *question, struct arena *arena, struct err *err) {
        const char *asked = question->workspace ? question->workspace : ".";
        char real[PATH_MAX];
        struct stat st;
        int missing;

        if (has_control_character(asked))
                return err_set(err, ERR_INVALID, "workspace %s: the path contains control characters", asked);
        host_sees(host, asked, false);
        missing = host_follow(host, arena, "workspace", asked, real, err);
        if (missing < 0)
                return -1;
        if (missing || stat(real, &st) < 0)
                return err_sys(err, "workspace %s", asked);
        if (!S_ISDIR(st.st_mode))
                return err_set(err, ERR_INVALID, "workspace %s: not a directory", asked);
        if (has_control_character(real))
                return err_set(err, ERR_INVALID, "workspace %s: the path contains control characters", real);
        if (access(real, R_OK | X_OK) < 0)
                return err_sys(err, "workspace %s", real);
        EACH (i, host_places.kernel)
                if (path_within(real, *i))
                        return err_set(err, ERR_INVALID, "workspace %s: it belongs to the kernel", real);
        if (!question->force && check_workspace(host, real, err) < 0)
                return -1;
        host->workspace = arena_dup(arena, str_z(real));
        return host->workspace ? 0 : err_memory(err);
}

/* What an agent asks for never widens anything: links are resolved before the look. */
static int gather_cwd(struct host *host, const char *asked, struct arena *arena, struct err *err) {
        char real[PATH_MAX];
        struct stat st;

        host->cwd = host->workspace;
        if (!asked)
                return 0;
        if (asked[0] != '/') {
                char joined[PATH_MAX];

                if (snprintf(joined, sizeof(joined), "%s/%s", host->workspace, asked) >= (int)sizeof(joined))
                        return err_set(err, ERR_INVALID, "cwd %s: too long", asked);
                if (!realpath(joined, real))
                        return err_sys(err, "cwd %s", asked);
        } else if (!realpath(asked, real)) {
                return err_sys(err, "cwd %s", asked);
        }
        if (!path_within(real, host->workspace))
                return err_set(err, ERR_REFUSED, "cwd %s: not inside the workspace %s", asked, host->workspace);
        if (stat(real, &st) < 0)
                return err_sys(err, "cwd %s", asked);
        if (!S_ISDIR(st.st_mode))
                return err_set(err, ERR_INVALID, "cwd %s: not a directory", asked);
        host->cwd = arena_dup(arena, str_z(real));
        return host->cwd ? 0 : err_memory(err);
}

/* ---- what can be written ---- */

const struct host_path *host_paths_find(const struct host_paths *paths, const char *path) {
        for (size_t i = 0; i < paths->count; i++)
                if (path_within(path, paths->items[i].path))
                        return &paths->items[i];
        return NULL;
}

bool host_is_writable(const struct host *host, const struct sandbox_policy *sandbox, const char *path) {
        const struct protected_paths *git = &host->protection.git_write;

        if (host_paths_find(&host->write, path))
                return true;
        if (!sandbox->workspace_write)
                return false;
        for (size_t i = 0; i < git->count; i++)
                if (path_within(path, git->items[i].path))
                        return true;
        return path_within(path, host->workspace);
}

/* ---- what is hidden ---- */

static bool is_home(const struct host *host, const char *path) {
        for (size_t i = 0; i < host->homes.count; i++)
                if (path_within(host->homes.items[i].path, path) && strcmp(path, "/home") != 0)
                        return true;
        return false;
}

static int gather_directories(struct host *host, const struct policy *policy, struct arena *arena, struct err *err) {
        EACH (i, host_places.scratch)
                if (add_directory(host, &host->scratch, arena, *i, err) < 0)
                        return -1;
        EACH (i, host_places.emptied)
                if (!is_home(host, *i) && add_directory(host, &host->emptied, arena, *i, err) < 0)
                        return -1;
        EACH (i, host_places.emptied_without_network)
                if (policy->sandbox.network != NETWORK_INHERIT && add_directory(host, &host->emptied, arena, *i, err) < 0)
                        return -1;
        EACH (i, host_places.kept)
                if (host_add_if_there(host, &host->kept, arena, "system", *i, err) < 0)
                        return -1;
        EACH (i, host_places.kept_with_network)
                if (policy->sandbox.network == NETWORK_INHERIT &&
                    host_add_if_there(host, &host->kept, arena, "system", *i, err) < 0)
                        return -1;
        if (network_is_filtered(policy->sandbox.network))
                return host_add_if_there(host, &host->resolver, arena, "system", "/etc/resolv.conf", err);
        return 0;
}

/* For root = "minimal": /bin is a link to usr/bin on most systems, and stays one. */
static int gather_system(struct host *host, struct arena *arena, struct err *err) {
        EACH (i, host_places.system) {
                char text[PATH_MAX];
                struct stat st;
                ssize_t len;

                host_sees(host, *i, false);
                if (lstat(*i, &st) < 0)
                        continue;
                if (host_paths_add(&host->system, arena, *i, true, err) < 0)
                        return -1;
                if (!S_ISLNK(st.st_mode))
                        continue;
                len = readlink(*i, text, sizeof(text));
                if (len < 0 || len == sizeof(text))
                        return err_sys(err, "%s", *i);
                host->system.items[host->system.count - 1].link = arena_dup(arena, str_from(text, (size_t)len));
        }
        return 0;
}

/* ---- what is masked ---- */

static bool is_mounted(const struct host *host, const char *path) {
        struct stat st, sys;

        host_sees(host, path, false);
        return stat(path, &st) == 0 && stat("/sys", &sys) == 0 && st.st_dev != sys.st_dev;
}

/* Who speaks to a container engine is root. In a container nothing else keeps commands from a socket that is mounted with the
 * directory it lies in. */
static int gather_engines(struct host *host, const char *const *environment, struct arena *arena, struct err *err) {
        static const char *const names[] = { "DOCKER_HOST", "CONTAINER_HOST", NULL };
        static const char unix_scheme[] = "unix://";

        EACH (i, names) {
                const char *value = environment_get(environment, *i);
                char real[PATH_MAX];
                struct stat st;
                int missing;

                if (!value || strncmp(value, unix_scheme, sizeof(unix_scheme) - 1) != 0)
                        continue;
                value += sizeof(unix_scheme) - 1;
                host_sees(host, value, false);
                missing = host_follow(host, arena, *i, value, real, err);
                if (missing < 0)
                        return -1;
                if (!missing && lstat(real, &st) == 0 && S_ISSOCK(st.st_mode) &&
                    host_paths_add(&host->engines, arena, real, false, err) < 0)
                        return -1;
        }
        return 0;
}

/* Files of sandbox.network.credential, which only bailey reads. */
static int mask_secrets(struct host *host, const struct sandbox_policy *sandbox, const char *const *environment,
                        struct arena *arena, struct err *err) {
        const char *home = environment_get(environment, "HOME");
        char path[PATH_MAX];

        for (size_t i = 0; i < sandbox->network_credential_count; i++) {
                struct str file = sandbox->network_credentials[i].file;

                if (!file.len || credential_path(file, home, path, sizeof(path)) < 0)
                        continue; /* there is no such file then: bailey does not find it either */
                if (host_add_if_there(host, &host->masks, arena, "sandbox.network.credential", path, err) < 0)
                        return -1;
        }
        return 0;
}

static int gather_masks(struct host *host, const struct policy *policy, const char *const *environment, struct arena *arena,
                        struct err *err) {
        struct directory state;
        size_t first;

        if (host_gather_stores(host, environment, arena, err) < 0)
                return -1;
        first = host->masks.count;
        if (host_add_list(host, &host->masks, arena, &policy->sandbox.fs_read_deny, "fs_read_deny", false, err) < 0 ||
            mask_secrets(host, &policy->sandbox, environment, arena, err) < 0)
                return -1;
        for (size_t i = first; i < host->masks.count; i++)
                host->masks.items[i].secret = true;
        EACH (i, host_places.masked_from_root)
                if (host->uid == 0 && is_mounted(host, *i) &&
                    host_add_if_there(host, &host->masks, arena, "system", *i, err) < 0)
                        return -1;
        /* What bailey itself keeps, wherever that is. */
        if (directory_state(environment, &state) &&
            host_add_if_there(host, &host->masks, arena, "bailey's own directory", state.path, err) < 0)
                return -1;
        if (directory_runtime(environment, &state) &&
            host_add_if_there(host, &host->masks, arena, "bailey's own directory", state.path, err) < 0)
                return -1;
        return gather_engines(host, environment, arena, err);
}

bool host_is_needed(const struct host *host, const char *path) {
        for (size_t i = 0; i < host->homes.count; i++)
                if (path_within(host->homes.items[i].path, path))
                        return true;
        EACH (i, host_places.no_workspace)
                if (path_within(*i, path))
                        return true;
        EACH (i, host_places.kernel)
                if (path_within(*i, path) || path_within(path, *i))
                        return true;
        return path_within(host->workspace, path);
}

int host_notice(struct host *host, struct arena *arena, struct err *err, const char *format, ...) {
        char text[HOST_NOTICE_MAX];
        va_list args;

        if (host->notice_count == sizeof(host->notices) / sizeof(*host->notices))
                return 0;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        host->notices[host->notice_count] = arena_dup(arena, str_z(text));
        return host->notices[host->notice_count++] ? 0 : err_memory(err);
}

const char *host_masked_by(const struct host *host, const char *path) {
        const struct host_path *mask = host_paths_find(&host->masks, path);

        return mask ? mask->path : NULL;
}

int host_check_workspace(const struct host *host, struct err *err) {
        const char *mask = host_masked_by(host, host->workspace);

        return mask ? err_set(err, ERR_REFUSED, "workspace %s: inside %s, which commands may not read", host->workspace, mask)
                    : 0;
}

/* ---- all ---- */

static int gather_around(struct host *host, const struct policy *policy, const struct host_question *question,
                         struct arena *arena, struct err *err) {
        if (host_gather_homes(host, question->environment, arena, err) < 0 ||
            gather_workspace(host, question, arena, err) < 0 ||
            host_system_programs(host, question->program ? question->program : "", arena, err) < 0 ||
            host_gather_lists(host, &policy->sandbox, arena, err) < 0 ||
            host_gather_sockets(host, &policy->sandbox, question->environment, arena, err) < 0 ||
            gather_directories(host, policy, arena, err) < 0 ||
            (policy->sandbox.root != ROOT_MINIMAL && host_gather_other_homes(host, arena, err) < 0) ||
            gather_masks(host, policy, question->environment, arena, err) < 0 ||
            host_system_own_home(host, policy, question->environment, arena, err) < 0 ||
            host_keep_own(host, policy, question, arena, err) < 0)
                return -1;
        return policy->sandbox.root == ROOT_MINIMAL ? gather_system(host, arena, err) : 0;
}

int host_gather_around(const struct policy *policy, const struct host_question *question, struct arena *arena, struct host *ret,
                       struct err *err) {
        struct home_names names = {};
        struct host host = { .uid = geteuid(), .asker = question, .names = &names };

        if (gather_around(&host, policy, question, arena, err) < 0)
                return -1;
        host.asker = NULL;
        host.names = NULL;
        *ret = host;
        return 0;
}

int host_gather_inside(const struct policy *policy, const struct host_question *question, struct arena *arena,
                       struct host *host, struct err *err) {
        if (gather_cwd(host, question->cwd, arena, err) < 0)
                return -1;
        if (host_gather_globs(host, &policy->sandbox, arena, err) < 0 || host_gather_closed(host, arena, err) < 0)
                return -1;
        return host_check_links(host, &policy->sandbox, err);
}

int host_gather(const struct policy *policy, const struct host_question *question, struct arena *arena, struct host *ret,
                struct err *err) {
        const char *home = environment_get(question->environment, "HOME");
        struct host host;

        if (host_gather_around(policy, question, arena, &host, err) < 0)
                return -1;
        if (protect_survey(host.workspace, home, NULL, arena, &host.protection, err) < 0)
                return err_context(err, "workspace %s", host.workspace);
        if (host_gather_inside(policy, question, arena, &host, err) < 0)
                return -1;
        *ret = host;
        return 0;
}
