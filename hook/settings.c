#include "hook/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/lock.h"
#include "base/time.h"
#include "hook/json.h"

const char settings_backup[] = ".bailey-backup";

/* ---- where it is ---- */

static const char *variable(const char *const *environment, const char *name) {
        size_t len = name ? strlen(name) : 0;

        for (size_t i = 0; len && environment && environment[i]; i++)
                if (strncmp(environment[i], name, len) == 0 && environment[i][len] == '=')
                        return environment[i][len + 1] ? environment[i] + len + 1 : NULL;
        return NULL;
}

static int path_find(const struct hook_agent *agent, bool project, const char *const *environment, char **ret,
                     struct err *err) {
        const char *home = variable(environment, agent->home_variable), *base = variable(environment, agent->base_variable);
        char *here = NULL;
        int length;

        if (!base)
                base = variable(environment, "HOME");
        if (project) {
                here = getcwd(NULL, 0);
                length = here ? asprintf(ret, "%s/%s", here, agent->project_file) : -1;
                free(here);
        } else if (home && home[0] == '/') {
                length = asprintf(ret, "%s/%s", home, agent->file);
        } else if (base && base[0] == '/') {
                length = asprintf(ret, "%s/%s/%s", base, agent->home, agent->file);
        } else {
                return err_set(err, ERR_INVALID, "cannot find the settings of %s: HOME is not an absolute path", agent->title);
        }
        return length < 0 ? err_sys(err, "cannot find the settings of %s", agent->title) : 0;
}

/* ---- reading ---- */

static int text_read(struct settings *settings, struct err *err) {
        FD_AUTO fd = open(settings->real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

        if (fd < 0 || fstat(fd, &settings->status) < 0)
                return err_sys(err, "%s", settings->path);
        if (!S_ISREG(settings->status.st_mode))
                return err_set(err, ERR_INVALID, "%s: not a regular file", settings->path);
        buf_clear(&settings->text);
        if (fd_read_all(fd, &settings->text, err) < 0)
                return err_context(err, "%s", settings->path);
        return 0;
}

static int file_read(struct settings *settings, struct err *err) {
        struct stat link;

        settings->link = lstat(settings->path, &link) == 0 && S_ISLNK(link.st_mode);
        free(settings->real);
        settings->real = realpath(settings->path, NULL);
        if (settings->real)
                return text_read(settings, err);
        if (errno != ENOENT && errno != ENOTDIR)
                return err_sys(err, "%s", settings->path);
        if (settings->link)
                return err_set(err, ERR_INVALID, "%s: dangling symbolic link; create the file, or remove the link",
                               settings->path);
        return 0;
}

int settings_open(const struct hook_agent *agent, bool project, const char *const *environment, struct settings *ret,
                  struct err *err) {
        struct settings settings = { .lock = -1 };

        buf_init(&settings.text, JSON_BYTES_MAX);
        if (path_find(agent, project, environment, &settings.path, err) < 0)
                return -1;
        if (file_read(&settings, err) < 0) {
                settings_free(&settings);
                return -1;
        }
        *ret = settings;
        return 0;
}

void settings_free(struct settings *settings) {
        free(settings->path);
        free(settings->real);
        buf_free(&settings->text);
        fd_close(settings->lock);
}

/* ---- what it says ---- */

int settings_parse(const struct hook_agent *agent, struct str text, struct arena *arena, struct json5_file *ret,
                   struct err *err) {
        static const struct json5_rules plain = { JSON5_PLAIN, true, JSON_BYTES_MAX, JSON_DEPTH_MAX, NULL },
                                        comments = { JSON5_COMMENTS, true, JSON_BYTES_MAX, JSON_DEPTH_MAX, NULL };
        const struct json5_rules *rules = agent->comments ? &comments : &plain;
        struct tree_error error = {};
        struct tree_node *root;

        if (json5_read(text, rules, arena, &root, &error) < 0) {
                if (!error.at.line)
                        return err_set(err, error.code, "%s", error.message);
                return err_set(err, error.code, "line %u, column %u: %s", error.at.line, error.at.column, error.message);
        }
        if (root->kind != TREE_TABLE)
                return err_set(err, ERR_INVALID, "not a JSON object");
        *ret = (struct json5_file){ text, rules, root };
        return 0;
}

bool settings_hooks_off(const struct tree_node *root, const struct hook_agent *agent) {
        struct str path = agent->off_path ? str_z(agent->off_path) : STR("");

        for (size_t len; root && path.len; path = str_skip(path, len + 1)) {
                len = str_find(path, '.');
                root = tree_get(root, str_take(path, len));
        }
        return root && root->kind == TREE_BOOLEAN && root->boolean == agent->off_value;
}

/* ---- changing ---- */

#define LOCK_PATIENCE (2 * TIME_SECOND) /* what is done under the lock takes milliseconds */

/* The directory of a path, and the last part of it. */
static int directory_open(const char *path, bool make, char *name, int *ret_fd, struct err *err) {
        char directory[PATH_MAX], *slash;
        int fd;

        if (snprintf(directory, sizeof(directory), "%s", path) >= (int)sizeof(directory))
                return err_set(err, ERR_INVALID, "%s: path too long", path);
        for (slash = strchr(directory + 1, '/'); make && slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                if (mkdir(directory, 0777) < 0 && errno != EEXIST && errno != EROFS && errno != EACCES && errno != EPERM)
                        return err_sys(err, "%s", directory);
                *slash = '/';
        }
        slash = strrchr(directory, '/');
        *slash = '\0';
        snprintf(name, NAME_MAX + 1, "%s", slash + 1);
        fd = open(directory[0] ? directory : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return err_sys(err, "%s", directory);
        *ret_fd = fd;
        return 0;
}

int settings_lock(struct settings *settings, struct err *err) {
        char name[NAME_MAX + 1];

        if (directory_open(settings->real ? settings->real : settings->path, true, name, &settings->lock, err) < 0)
                return -1;
        /* Whoever can read the directory can lock it, commands too, and must not keep anybody from changing the file. So this
         * is a courtesy among several of us; what is changed meanwhile all the same is noticed before the file is replaced. */
        if (lock_take(settings->lock, LOCK_EX, time_monotonic() + LOCK_PATIENCE) < 0 && errno != EWOULDBLOCK)
                return err_sys(err, "cannot lock %s", settings->path);
        return file_read(settings, err);
}

/* A new file with the owner and mode of the old one, and all of it on disk before it has the name. */
static int file_write(int directory, const char *name, struct str text, const struct settings *settings, struct err *err) {
        mode_t mode = settings->real ? settings->status.st_mode & 07777 : 0666;
        FD_AUTO fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

        if (fd < 0)
                return err_sys(err, "%s", name);
        if (settings->real && fchown(fd, settings->status.st_uid, settings->status.st_gid) < 0 && errno != EPERM)
                return err_sys(err, "%s: cannot preserve the owner", name);
        if (settings->real && fchmod(fd, mode) < 0)
                return err_sys(err, "%s: cannot preserve the mode", name);
        if (fd_write_all(fd, text, err) < 0)
                return err_context(err, "%s", name);
        return fsync(fd) < 0 ? err_sys(err, "%s", name) : 0;
}

static int file_put(int directory, const char *name, struct str text, const struct settings *settings, struct err *err) {
        char id[ID_SIZE], temporary[ID_SIZE + 16];

        if (id_new(id, err) < 0)
                return -1;
        snprintf(temporary, sizeof(temporary), ".bailey-%s", id);
        if (file_write(directory, temporary, text, settings, err) < 0) {
                unlinkat(directory, temporary, 0);
                return -1;
        }
        if (renameat(directory, temporary, directory, name) < 0) {
                err_sys(err, "%s", name);
                unlinkat(directory, temporary, 0);
                return -1;
        }
        return 0;
}

/* An agent may have written its settings since they were read. */
static int unchanged_check(const struct settings *settings, int directory, const char *name, struct err *err) {
        struct stat now;
        int found = fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW);

        if (!settings->real)
                return found == 0 ? err_set(err, ERR_REFUSED, "another program has just created it; try again") : 0;
        if (found < 0)
                return err_sys(err, "cannot check it for changes");
        if (now.st_ino != settings->status.st_ino || now.st_size != settings->status.st_size ||
            now.st_mtim.tv_sec != settings->status.st_mtim.tv_sec || now.st_mtim.tv_nsec != settings->status.st_mtim.tv_nsec)
                return err_set(err, ERR_REFUSED, "another program has just changed it; try again");
        return 0;
}

static int backup(const struct settings *settings, int directory, const char *name, struct err *err) {
        char copy[NAME_MAX + 1];

        if (!settings->real)
                return 0;
        if (snprintf(copy, sizeof(copy), "%s%s", name, settings_backup) >= (int)sizeof(copy))
                return err_set(err, ERR_INVALID, "file name too long");
        return file_put(directory, copy, buf_str(&settings->text), settings, err) < 0
                       ? err_context(err, "cannot create a backup")
                       : 0;
}

static int change(struct settings *settings, const struct str *text, struct err *err) {
        char name[NAME_MAX + 1];
        FD_AUTO directory = -1;

        if (settings->real && access(settings->real, W_OK) < 0)
                return err_sys(err, "%s", settings->path);
        if (directory_open(settings->real ? settings->real : settings->path, false, name, &directory, err) < 0)
                return -1;
        if (backup(settings, directory, name, err) < 0 || unchanged_check(settings, directory, name, err) < 0 ||
            (text && file_put(directory, name, *text, settings, err) < 0) ||
            (!text && unlinkat(directory, name, 0) < 0 && err_sys(err, "%s", name) < 0))
                return err_context(err, "%s is unchanged", settings->path);
        return fsync(directory) < 0 ? err_sys(err, "%s", settings->path) : 0;
}

int settings_replace(struct settings *settings, struct str text, struct err *err) {
        return change(settings, &text, err);
}

int settings_delete(struct settings *settings, struct err *err) {
        return change(settings, NULL, err);
}

enum { CONTEXT = 3 };

static size_t line_start(struct str text, size_t at) {
        while (at > 0 && text.ptr[at - 1] != '\n')
                at--;
        return at;
}

static void show_lines(struct buf *out, char mark, struct str text) {
        while (text.len) {
                size_t len = str_find(text, '\n');

                buf_char(out, mark);
                buf_append(out, str_take(text, len));
                buf_char(out, '\n');
                text = str_skip(text, len + 1);
        }
}

/* One run of lines differs: what stands before it and behind it is the same. */
void diff_write(struct str before, struct str after, struct buf *out) {
        size_t least = before.len < after.len ? before.len : after.len, start = 0, end = 0, context;

        while (start < least && before.ptr[start] == after.ptr[start])
                start++;
        start = line_start(before, start);
        while (end < least - start && before.ptr[before.len - end - 1] == after.ptr[after.len - end - 1])
                end++;
        while (end > 0 && before.len - end > start && before.ptr[before.len - end - 1] != '\n')
                end--;
        context = start;
        for (int i = 0; i < CONTEXT && context > 0; i++)
                context = line_start(before, context - 1);
        show_lines(out, ' ', str_take(str_skip(before, context), start - context));
        show_lines(out, '-', str_take(str_skip(before, start), before.len - end - start));
        show_lines(out, '+', str_take(str_skip(after, start), after.len - end - start));
        for (int i = 0; i < CONTEXT && end > 0; i++) {
                struct str rest = str_skip(before, before.len - end);
                size_t len = str_find(rest, '\n');

                show_lines(out, ' ', str_take(rest, len + 1));
                end -= len < rest.len ? len + 1 : len;
        }
}
