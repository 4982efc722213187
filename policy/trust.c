#include "policy/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/lock.h"
#include "base/time.h"
#include "policy/files.h"

enum { TRUST_MAX = 1 << 20 }; /* bytes of the file */
#define LOCK_PATIENCE (10 * TIME_SECOND)
static const char trust_name[] = "trust";

/* ---- reading ---- */

/* "HASH  PATH" */
static bool line_read(struct str line, struct arena *arena, struct trust_entry *ret) {
        const size_t digits = SHA256_HEX_SIZE - 1;

        if (line.len <= digits + 2 || line.ptr[digits] != ' ' || line.ptr[digits + 1] != ' ' || line.ptr[digits + 2] != '/' ||
            memchr(line.ptr, '\0', line.len))
                return false;
        for (size_t i = 0; i < digits; i++)
                if (!is_ascii_digit((unsigned char)line.ptr[i]) && (line.ptr[i] < 'a' || line.ptr[i] > 'f'))
                        return false;
        memcpy(ret->hash, line.ptr, digits);
        ret->hash[digits] = '\0';
        ret->path = str_skip(line, digits + 2);
        ret->path.ptr = arena_dup(arena, ret->path);
        return ret->path.ptr;
}

static int lines_read(struct str text, const char *label, struct arena *arena, struct trust_list *ret, struct err *err) {
        struct trust_entry *entries;
        size_t count = 0, used = 0;

        for (size_t i = 0; i < text.len; i++)
                count += text.ptr[i] == '\n';
        entries = arena_alloc(arena, (count + 1) * sizeof(*entries));
        if (!entries)
                return err_memory(err);
        while (text.len) {
                size_t end = str_find(text, '\n');

                if (!line_read(str_take(text, end), arena, &entries[used++]))
                        return err_set(err, ERR_INVALID, "%s:%zu:1: expected a SHA-256 and the path of a file", label, used);
                text = str_skip(text, end + 1);
        }
        *ret = (struct trust_list){ entries, used };
        return 0;
}

static int store_read(int directory, const char *path, struct arena *arena, struct trust_list *ret, struct err *err) {
        char label[PATH_MAX + sizeof(trust_name)];
        struct stat status;
        BUF_AUTO text;

        buf_init(&text, TRUST_MAX);
        *ret = (struct trust_list){ 0 };
        if (directory < 0 || (fstatat(directory, trust_name, &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT))
                return 0;
        snprintf(label, sizeof(label), "%s/%s", path, trust_name);
        if (file_read(directory, trust_name, label, FILE_PRIVATE, &text, err) < 0)
                return -1;
        return lines_read(buf_str(&text), label, arena, ret, err);
}

int trust_read(const char *const *environment, struct arena *arena, struct trust_list *ret, struct err *err) {
        struct directory state;
        FD_AUTO directory = -1;

        if (directory_state(environment, &state) && directory_open(state.path, &directory, err) < 0)
                return -1;
        return store_read(directory, state.path, arena, ret, err);
}

bool trust_has(const struct trust_list *list, const char *path, struct str content) {
        char hash[SHA256_HEX_SIZE];
        bool found = false;

        sha256_hex(content, hash);
        for (size_t i = 0; i < list->count && !found; i++)
                found = str_is(list->items[i].path, path) && strcmp(list->items[i].hash, hash) == 0;
        return found;
}

/* ---- writing ---- */

static int store_write(int directory, const struct trust_list *list, const char *path, const struct str *content,
                       bool *ret_changed, struct err *err) {
        char hash[SHA256_HEX_SIZE] = "";
        bool was = false, changed;
        BUF_AUTO text;

        buf_init(&text, TRUST_MAX);
        if (content)
                sha256_hex(*content, hash);
        for (size_t i = 0; i < list->count; i++) {
                if (!str_is(list->items[i].path, path))
                        buf_format(&text, "%s  %s\n", list->items[i].hash, list->items[i].path.ptr);
                else if (!content || strcmp(list->items[i].hash, hash) == 0)
                        was = true;
        }
        if (content)
                buf_format(&text, "%s  %s\n", hash, path);
        if (text.failed)
                return err_set(err, ERR_TOO_COMPLEX, "too many trusted files; see bailey trust --list");
        changed = content ? !was : was;
        if (changed && file_replace(directory, trust_name, buf_str(&text), 0600, err) < 0)
                return -1;
        if (ret_changed)
                *ret_changed = changed;
        return 0;
}

int trust_set(const char *const *environment, const char *path, const struct str *content, bool *ret_changed, struct err *err) {
        struct directory state;
        struct trust_list list;
        FD_AUTO directory = -1;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (path[0] != '/' || strchr(path, '\n'))
                return err_set(err, ERR_INVALID, "expected an absolute path without a line break, found %s", path);
        if (!directory_state(environment, &state))
                return err_set(err, ERR_NOT_FOUND, "cannot find the state directory: neither XDG_STATE_HOME nor HOME is set");
        if (directory_make(state.path, &directory, err) < 0)
                return -1;
        /* Two at once would lose one; given back with the fd. */
        if (lock_take(directory, LOCK_EX, time_monotonic() + LOCK_PATIENCE) < 0)
                return err_sys(err, "cannot lock %s", state.path);
        if (store_read(directory, state.path, &arena, &list, err) < 0)
                return -1;
        return store_write(directory, &list, path, content, ret_changed, err);
}
