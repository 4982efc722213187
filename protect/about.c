#include "protect/about.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/id.h"
#include "policy/files.h"
#include "base/json5.h"

enum { ABOUT_MAX = 64 << 10 };
static const char about_file[] = "about.json", moving_file[] = "moving.json";

/* All are text; what is missing is empty. */
static const struct field {
        const char *key;
        size_t offset;
        bool path;
} fields[] = {
        { "kind", offsetof(struct aside, kind), false },          { "why", offsetof(struct aside, why), false },
        { "note", offsetof(struct aside, note), false },          { "path", offsetof(struct aside, path), true },
        { "workspace", offsetof(struct aside, workspace), true },
};
enum { FIELDS = sizeof(fields) / sizeof(*fields) };

static const char **field_of(struct aside *aside, const struct field *field) {
        return (const char **)(void *)((char *)aside + field->offset);
}

void about_set(struct entry *entry, struct aside aside, unsigned mode, bool moving) {
        const int room = NAME_MAX - (int)sizeof(".aside-") - 16;

        entry->aside = aside;
        entry->mode = mode;
        entry->moving = moving;
        snprintf(entry->left, sizeof(entry->left), "%.*s.aside-%s", room, about_name(entry), entry->id);
}

const char *about_name(const struct entry *entry) {
        const char *slash = strrchr(entry->aside.path, '/');

        return slash ? slash + 1 : entry->aside.path;
}

/* ---- the file ---- */

/* Readers see all of it or nothing. It is not synced to the disk, because the end of a command waits for it. */
static int replace(int directory, struct str text, struct err *err) {
        static const char temporary[] = "moving.json.new";
        FD_AUTO fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

        if (fd < 0)
                return err_sys(err, "cannot write %s", moving_file);
        if (fd_write_all(fd, text, err) < 0)
                return err_context(err, "%s", moving_file);
        return renameat(directory, temporary, directory, moving_file) < 0 ? err_sys(err, "cannot write %s", moving_file) : 0;
}

int about_mark(struct entry *entry, bool moving, struct err *err) {
        const char *from = moving ? about_file : moving_file, *to = moving ? moving_file : about_file;

        entry->moving = moving;
        return renameat(entry->fd, from, entry->fd, to) < 0 ? err_sys(err, "cannot rename %s", from) : 0;
}

int about_write(const struct entry *entry, struct err *err) {
        struct aside aside = entry->aside;
        char hex[2 * PATH_MAX + 1];
        BUF_AUTO out;

        buf_init(&out, ABOUT_MAX);
        buf_format(&out, "{\"at\": %lld,\n \"mode\": %u", (long long)aside.at, entry->mode);
        for (const struct field *field = fields; field < fields + FIELDS; field++) {
                const char *text = *field_of(&aside, field);

                buf_format(&out, ",\n \"%s\": ", field->key);
                buf_json(&out, str_z(text));
                id_hex(str_take(str_z(text), PATH_MAX), hex);
                if (field->path)
                        buf_format(&out, ",\n \"%s_hex\": \"%s\"", field->key, hex);
        }
        buf_append(&out, STR("}\n"));
        if (out.failed)
                return err_set(err, ERR_TOO_COMPLEX, "the metadata of %s is too large", aside.path);
        return replace(entry->fd, buf_str(&out), err);
}

static const char *get_text(const struct tree_node *root, const char *key) {
        const struct tree_node *node = tree_get(root, str_z(key));

        return node && node->kind == TREE_STRING ? node->text.ptr : "";
}

static int64_t get_number(const struct tree_node *root, const char *key) {
        const struct tree_node *node = tree_get(root, str_z(key));

        return node && node->kind == TREE_INTEGER ? node->integer : 0;
}

static int digit(char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "" when it is no path. */
static const char *get_path(const struct tree_node *root, const char *key, struct arena *arena) {
        char name[32];
        const char *hex = get_text(root, (snprintf(name, sizeof(name), "%s_hex", key), name));
        size_t len = strlen(hex) / 2;
        char *path = arena_alloc(arena, len + 1);

        for (size_t i = 0; path && i < len; i++) {
                int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);

                if (high < 0 || low < 0 || high + low == 0)
                        return "";
                path[i] = (char)(high << 4 | low);
        }
        return path && path[0] == '/' && len < PATH_MAX && path[len - 1] != '/' ? path : "";
}

int about_read(struct entry *entry, struct arena *arena, struct err *err) {
        struct err why = { 0 };
        struct aside aside = { 0 };
        struct tree_node *root;
        bool moving = false;
        BUF_AUTO text;

        buf_init(&text, ABOUT_MAX);
        if (file_read(entry->fd, about_file, about_file, FILE_NO_LINK, &text, &why) < 0 && why.sys == ENOENT) {
                why = (struct err){ 0 };
                moving = file_read(entry->fd, moving_file, moving_file, FILE_NO_LINK, &text, &why) == 0;
        }
        if (why.code)
                return err_set(err, why.sys == ENOENT ? ERR_NOT_FOUND : why.code, "%s", why.msg);
        if (json5_read(buf_str(&text), &json5_plain, arena, &root, NULL) < 0)
                return err_set(err, ERR_INVALID, "%s is damaged", about_file);
        for (const struct field *field = fields; field < fields + FIELDS; field++)
                *field_of(&aside, field) = field->path ? get_path(root, field->key, arena) : get_text(root, field->key);
        aside.at = get_number(root, "at");
        about_set(entry, aside, (unsigned)get_number(root, "mode") & 07777, moving);
        return aside.path[0] ? 0 : err_set(err, ERR_INVALID, "%s is damaged", about_file);
}

/* ---- its directory ---- */

static int open_part(int fd, const char *name, bool make) {
        const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        int next = openat(fd, name, flags);

        if (next < 0 && errno == ENOENT && make && (mkdirat(fd, name, 0755) == 0 || errno == EEXIST))
                next = openat(fd, name, flags);
        return next;
}

int about_open_parent(const struct entry *entry, bool make, int *ret_fd, struct err *err) {
        FD_AUTO fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        const char *path = entry->aside.path, *last = about_name(entry);

        for (const char *start = path + 1, *end; fd >= 0 && start < last; start = end + 1) {
                char name[NAME_MAX + 1];
                int next;

                end = strchr(start, '/');
                if ((size_t)snprintf(name, sizeof(name), "%.*s", (int)(end - start), start) >= sizeof(name))
                        return err_set(err, ERR_INVALID, "a name in %s is too long", path);
                next = name[0] ? open_part(fd, name, make) : TAKE_FD(fd);
                if (next < 0 && errno == ENOTDIR)
                        return err_sys(err, "%.*s is no directory; symbolic links are not followed", (int)(end - path), path);
                if (next < 0)
                        return err_sys(err, "cannot open %.*s", (int)(end - path), path);
                fd_close(fd);
                fd = next;
        }
        if (fd < 0)
                return err_sys(err, "cannot open /");
        *ret_fd = TAKE_FD(fd);
        return 0;
}
