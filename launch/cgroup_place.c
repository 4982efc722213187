#include "launch/cgroup_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lines.h"
#include "base/str.h"

enum {
        LINE_SIZE = 8 << 10, /* a longer line is skipped: an overlay of many layers, never a cgroup */
        READ_SIZE = 1 << 10, /* the kernel writes a line per mount just for us, 1 us each: stop soon after the right one */
        READ_MAX = 4 << 20,
};

static const char *const controllers[] = { [CGROUP_AT_MEMORY] = "memory", [CGROUP_AT_PIDS] = "pids" };

/* Both files have one separator between fields; a field may be empty. */
static struct str next_field(struct str *rest, char separator) {
        size_t at = str_find(*rest, separator);
        struct str field = str_take(*rest, at);

        *rest = str_skip(*rest, at + 1);
        return field;
}

static bool list_has(struct str list, const char *item) {
        while (list.len > 0)
                if (str_is(next_field(&list, ','), item))
                        return true;
        return false;
}

static bool copy_path(struct str path, char ret[static CGROUP_PATH_SIZE]) {
        if (path.len >= CGROUP_PATH_SIZE || path.len == 0 || path.ptr[0] != '/')
                return false;
        memcpy(ret, path.ptr, path.len);
        ret[path.len] = '\0';
        return true;
}

static bool is_octal(char c) {
        return c >= '0' && c <= '7';
}

/* mountinfo writes space, tab, newline and backslash as \ooo. */
static bool copy_escaped_path(struct str field, char ret[static CGROUP_PATH_SIZE]) {
        char text[CGROUP_PATH_SIZE];
        size_t len = 0;

        for (size_t i = 0; i < field.len; i++) {
                const char *p = field.ptr + i;

                if (len == sizeof(text))
                        return false;
                if (*p == '\\' && field.len - i >= 4 && is_octal(p[1]) && is_octal(p[2]) && is_octal(p[3])) {
                        text[len++] = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
                        i += 3;
                } else {
                        text[len++] = *p;
                }
        }
        return copy_path(str_from(text, len), ret);
}

/* "4:memory:/path", "0::/path". True: there is nothing more to learn. */
static bool take_own(struct cgroup_places *places, struct str line) {
        struct str id = next_field(&line, ':'), list = next_field(&line, ':');

        for (int i = 0; i < CGROUP_HIERARCHIES; i++) {
                struct cgroup_place *place = &places->at[i];
                bool is_this = i == CGROUP_AT_UNIFIED ? list.len == 0 && str_is(id, "0") : list_has(list, controllers[i]);

                if (!is_this || place->listed)
                        continue;
                place->listed = true;
                if (!copy_path(line, place->path))
                        place->path[0] = '\0';
        }
        return false;
}

/* `path` seen from `root`, which the mount shows; false when it is not below it. Both start with a slash. A cgroup
 * outside of our cgroup namespace is listed as "/../x", and a mount from outside has such a root: neither is below a directory
 * that has a path here. */
static bool below(struct str path, struct str root, struct str *ret) {
        if (str_is(path, "/..") || str_starts(path, STR("/../")))
                return false;
        if (str_is(root, "/"))
                root.len = 0;
        if (!str_starts(path, root) || (path.len > root.len && path.ptr[root.len] != '/'))
                return false;
        *ret = str_skip(path, root.len);
        if (str_is(*ret, "/"))
                ret->len = 0;
        return true;
}

static void take_place(struct cgroup_place *place, const char *root, struct str point) {
        struct str rest;

        if (place->own[0] || !place->path[0] || !below(str_z(place->path), str_z(root), &rest))
                return;
        if (point.len + rest.len >= sizeof(place->own))
                return;
        memcpy(place->own, point.ptr, point.len);
        if (rest.len > 0)
                memcpy(place->own + point.len, rest.ptr, rest.len);
        place->own[point.len + rest.len] = '\0';
        place->mount_len = point.len;
}

static bool all_found(const struct cgroup_places *places) {
        for (int i = 0; i < CGROUP_HIERARCHIES; i++)
                if (places->at[i].path[0] && !places->at[i].own[0])
                        return false;
        return true;
}

/* "36 31 0:33 /root /point rw,nosuid shared:7 - cgroup source rw,memory". True: all places are found. */
static bool take_mount(struct cgroup_places *places, struct str line) {
        char root[CGROUP_PATH_SIZE], point[CGROUP_PATH_SIZE];
        struct str fields[6], type, super;

        for (size_t i = 0; i < 6; i++)
                fields[i] = next_field(&line, ' ');
        while (line.len > 0 && !str_is(next_field(&line, ' '), "-"))
                ;
        type = next_field(&line, ' ');
        next_field(&line, ' '); /* the source, which may be empty */
        super = line;
        if (!str_is(type, "cgroup") && !str_is(type, "cgroup2"))
                return false;
        if (list_has(fields[5], "ro") || list_has(super, "ro")) /* as in most containers */
                return false;
        if (!copy_escaped_path(fields[3], root) || !copy_escaped_path(fields[4], point))
                return false;
        if (str_is(type, "cgroup2"))
                take_place(&places->at[CGROUP_AT_UNIFIED], root, str_z(point));
        else
                for (int i = 0; i < CGROUP_AT_UNIFIED; i++)
                        if (list_has(super, controllers[i]))
                                take_place(&places->at[i], root, str_z(point));
        return all_found(places);
}

typedef bool take_line(struct cgroup_places *places, struct str line);

/* Each complete line that fits LINE_SIZE, until `take` has had enough. */
static void each_line(int fd, take_line *take, struct cgroup_places *places) {
        char text[LINE_SIZE];
        struct lines lines = {
                .fd = fd,
                .memory = text,
                .size = sizeof(text),
                .chunk = READ_SIZE,
                .limit = READ_MAX,
                .stream = true,
        };
        struct str line;
        int kind;

        while ((kind = lines_next(&lines, &line, NULL)) > LINE_END)
                if (kind == LINE_WHOLE && take(places, line))
                        return;
}

void cgroup_places_read(int own_fd, int mounts_fd, struct cgroup_places *ret) {
        memset(ret, 0, sizeof(*ret));
        each_line(own_fd, take_own, ret);
        if (!all_found(ret))
                each_line(mounts_fd, take_mount, ret);
}

int cgroup_places_find(struct cgroup_places *ret, struct err *err) {
        FD_AUTO own = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
        FD_AUTO mounts = -1;

        if (own < 0)
                return err_sys(err, "/proc/self/cgroup");
        mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        if (mounts < 0)
                return err_sys(err, "/proc/self/mountinfo");
        cgroup_places_read(own, mounts, ret);
        return 0;
}

/* ---- the usual places ---- */

static const struct {
        const char *point;
        unsigned long magic;
} usual[CGROUP_HIERARCHIES] = {
        [CGROUP_AT_MEMORY] = { "/sys/fs/cgroup/memory", CGROUP_SUPER_MAGIC },
        [CGROUP_AT_PIDS] = { "/sys/fs/cgroup/pids", CGROUP_SUPER_MAGIC },
        [CGROUP_AT_UNIFIED] = { "/sys/fs/cgroup", CGROUP2_SUPER_MAGIC },
};

/* Where v1 has both controllers, the unified hierarchy has nothing for us. */
static bool is_of_use(const struct cgroup_places *places, int i) {
        bool v1 = places->at[CGROUP_AT_MEMORY].listed && places->at[CGROUP_AT_PIDS].listed;

        return places->at[i].listed && (i != CGROUP_AT_UNIFIED || !v1);
}

int cgroup_places_guess(struct cgroup_places *ret, struct err *err) {
        FD_AUTO own = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);

        if (own < 0)
                return err_sys(err, "/proc/self/cgroup");
        memset(ret, 0, sizeof(*ret));
        each_line(own, take_own, ret);
        for (int i = 0; i < CGROUP_HIERARCHIES; i++)
                if (is_of_use(ret, i))
                        take_place(&ret->at[i], "/", str_z(usual[i].point));
        return 0;
}

/* A mount that does not show the whole hierarchy does not have our path in it. One that is read-only has nothing for us. */
static bool check_usual(struct cgroup_place *place, unsigned long magic) {
        struct statfs fs;

        if (!place->own[0] || statfs(place->own, &fs) < 0 || (unsigned long)fs.f_type != magic)
                return false;
        if (fs.f_flags & ST_RDONLY)
                place->own[0] = '\0';
        return true;
}

int cgroup_places_check(struct cgroup_places *places, struct err *err) {
        for (int i = 0; i < CGROUP_HIERARCHIES; i++)
                if (is_of_use(places, i) && !check_usual(&places->at[i], usual[i].magic))
                        return cgroup_places_find(places, err);
        return 0;
}

/* ---- where a new one may be ---- */

/* How much of `own` is its parent's name; 0 when that is not in the mount. */
static size_t parent_len(const struct cgroup_place *place) {
        size_t len = strlen(place->own);

        while (len > place->mount_len && place->own[len] != '/')
                len--;
        return place->own[len] == '/' ? len : 0;
}

bool cgroup_place_parent(const struct cgroup_place *place, bool unified, size_t n, char ret[static CGROUP_PATH_SIZE]) {
        size_t own = strlen(place->own), parent = unified ? parent_len(place) : 0, count = 0, lens[3];

        if (parent)
                lens[count++] = parent;
        if (own)
                lens[count++] = own;
        if (parent > place->mount_len)
                lens[count++] = place->mount_len;
        if (n >= count)
                return false;
        memcpy(ret, place->own, lens[n]);
        ret[lens[n]] = '\0';
        return true;
}
