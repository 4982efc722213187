#include "home/home.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/sha256.h"
#include "policy/env.h"
#include "policy/files.h"

enum { SETTINGS_MAX = 1 << 20, NOTES_MAX = 64 << 10 };

/* ---- credentials ---- */

struct url {
        bool web;      /* one before this is http or https, in the same word */
        bool host;     /* this is before the first slash */
        bool host_web; /* of one that is */
        bool colon;    /* there was one */
};

static bool is_web(struct str line, size_t colon) {
        return colon >= 4 && (memcmp(line.ptr + colon - 4, "http", 4) == 0 || memcmp(line.ptr + colon - 4, "ttps", 4) == 0);
}

/* https://TOKEN@host, https://host/t/TOKEN/channel, scheme://user:password@host; not ssh://git@host. */
static bool has_login(struct str line) {
        struct url url = {};

        for (size_t i = 0; i < line.len; i++) {
                char c = line.ptr[i];

                if (strchr(" \t\"'", c)) {
                        url = (struct url){};
                        continue;
                }
                if (url.host && c == '@' && (url.host_web || url.colon))
                        return true;
                url.colon = url.colon || c == ':';
                url.host = url.host && c != '/';
                if (url.web && !url.host && str_starts(str_skip(line, i), STR("/t/")))
                        return true;
                /* From its last slash on: what is before that belongs to another one. */
                if (i >= 2 && memcmp(line.ptr + i - 2, "://", 3) == 0) {
                        bool web = is_web(line, i - 2);

                        url = (struct url){ .host = true, .host_web = web, .web = url.web || web };
                }
        }
        return false;
}

static bool is_key_character(char c) {
        return is_ascii_alnum((unsigned char)c) || c == '_' || c == '-';
}

/* As of a variable; and words that are no part of names of variables. */
static bool is_secret_name(struct str name) {
        static const char *const parts[] = { "auth", "extraheader", "pass" };
        char lower[128];

        for (size_t i = 0; i < name.len; i++)
                lower[i] = (char)ascii_lower((unsigned char)name.ptr[i]);
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
                if (memmem(lower, name.len, parts[i], strlen(parts[i])))
                        return true;
        return env_is_secret(name);
}

/* With `_` for `-`, as in variables. */
static bool is_secret_key(struct str key) {
        char name[128];

        if (key.len >= sizeof(name))
                return false;
        for (size_t i = 0; i < key.len; i++)
                name[i] = key.ptr[i] == '-' ? '_' : key.ptr[i];
        return is_secret_name(str_from(name, key.len));
}

/* The word before a `=`, `:` or space that is followed by something: _authToken = x, "password": y, //host/:_auth=z */
static bool has_secret_key(struct str line) {
        struct str key = {}; /* the last word, while only blanks and quotes have followed; empty: there is none */
        bool ended = true;

        for (size_t i = 0; i + 1 < line.len; i++) {
                char c = line.ptr[i];

                if (is_key_character(c)) {
                        key = ended ? str_from(line.ptr + i, 1) : str_from(key.ptr, key.len + 1);
                        ended = false;
                        continue;
                }
                ended = true;
                if (!strchr(" \t\"'=:", c)) {
                        key.len = 0;
                        continue;
                }
                if (!strchr("\t\"'", c) && key.len && is_secret_key(key))
                        return true;
                if (c != '\t' && c != '"' && c != '\'')
                        key.len = 0; /* it was looked at */
        }
        return false;
}

void home_settings_without_secrets(struct str text, struct buf *ret) {
        while (text.len) {
                const char *newline = memchr(text.ptr, '\n', text.len);
                size_t len = newline ? (size_t)(newline - text.ptr) + 1 : text.len;
                struct str line = str_from(text.ptr, len);

                if (!has_login(line) && !has_secret_key(line))
                        buf_append(ret, line);
                text = str_from(text.ptr + len, text.len - len);
        }
}

/* ---- notes of what was copied ---- */

struct note {
        long long seconds, nanoseconds, size, inode; /* of the user's file */
        char copied[SHA256_HEX_SIZE];                /* what was written */
};

static bool is_same(const struct note *a, const struct note *b) {
        return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds && a->size == b->size && a->inode == b->inode;
}

/* "PATH SECONDS NANOSECONDS SIZE INODE HASH" */
static bool find_note(struct str notes, const char *path, struct note *ret) {
        size_t len = strlen(path);

        for (const char *line = notes.ptr; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
                if (strncmp(line, path, len) == 0 && line[len] == ' ')
                        return sscanf(line + len, "%lld %lld %lld %lld %64s", &ret->seconds, &ret->nanoseconds, &ret->size,
                                      &ret->inode, ret->copied) == 5;
        return false;
}

static void add_note(struct buf *notes, const char *path, const struct note *note) {
        buf_format(notes, "%s %lld %lld %lld %lld %s\n", path, note->seconds, note->nanoseconds, note->size, note->inode,
                   note->copied);
}

/* ---- copying ---- */

struct copier {
        int home, files; /* the user's, the layer's */
        struct home_names *names;
        struct str before;
        struct buf notes;
        bool changed;
        struct err *err;
};

/* A directory in one that is open: while commands run, a longer path could become one through a link of theirs. */
static int make_directory(int above, const char *name) {
        int made = home_open_beneath(above, name, O_RDONLY | O_DIRECTORY);

        if (made < 0 && errno == ENOENT && (mkdirat(above, name, 0755) == 0 || errno == EEXIST))
                made = home_open_beneath(above, name, O_RDONLY | O_DIRECTORY);
        return made;
}

/* The directory of `path` in the layer, which is made; -1: commands have something else there. */
static int make_parent(int files, const char *path) {
        int at = fcntl(files, F_DUPFD_CLOEXEC, 0);

        for (const char *slash; at >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
                FD_AUTO above = at;
                char name[NAME_MAX + 1];

                snprintf(name, sizeof(name), "%.*s", (int)(slash - path), path);
                at = make_directory(above, name);
        }
        return at;
}

int home_make_beneath(int files, const char *path) {
        const char *slash = strrchr(path, '/');
        FD_AUTO above = make_parent(files, path);

        return above < 0 ? -1 : make_directory(above, slash ? slash + 1 : path);
}

/* What the layer has now is what was copied there: no command has changed it. */
static bool is_untouched(int files, const char *path, const struct note *note, bool noted) {
        FD_AUTO fd = home_open_beneath(files, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        char hex[SHA256_HEX_SIZE];
        struct stat st;
        BUF_AUTO text;

        buf_init(&text, SETTINGS_MAX);
        if (fd < 0)
                return errno == ENOENT && !noted;
        if (!noted || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || fd_read_all(fd, &text, NULL) < 0)
                return false;
        sha256_hex(buf_str(&text), hex);
        return strcmp(hex, note->copied) == 0;
}

static int copy_text(struct copier *c, const char *path, struct str text, unsigned mode) {
        const char *slash = strrchr(path, '/');
        FD_AUTO directory = make_parent(c->files, path);

        if (directory < 0)
                return 0;
        return file_replace(directory, slash ? slash + 1 : path, text, mode, c->err);
}

/* The first time, or because it has changed. `is` is what it is now, and `was` what was copied before. */
static int copy_changed(struct copier *c, const char *path, const struct note *was, bool noted, struct note *is) {
        FD_AUTO fd = openat(c->home, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        BUF_AUTO text, kept;
        struct stat st;

        buf_init(&text, SETTINGS_MAX);
        buf_init(&kept, SETTINGS_MAX);
        c->changed = true;
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_untouched(c->files, path, was, noted) &&
            fd_read_all(fd, &text, NULL) == 0) {
                home_settings_without_secrets(buf_str(&text), &kept);
                sha256_hex(buf_str(&kept), is->copied);
                if (kept.failed)
                        return err_memory(c->err);
                return copy_text(c, path, buf_str(&kept), st.st_mode & 0755);
        }
        if (!noted)
                snprintf(is->copied, sizeof(is->copied), "-");
        return 0;
}

static int copy_one(struct copier *c, const char *path) {
        struct note was = {}, is = {};
        bool noted = find_note(c->before, path, &was);
        struct stat st;

        if (!home_names_may_have(c->names, path) || fstatat(c->home, path, &st, 0) < 0 || !S_ISREG(st.st_mode)) {
                if (noted)
                        add_note(&c->notes, path, &was);
                return 0;
        }
        is = (struct note){ st.st_mtim.tv_sec, st.st_mtim.tv_nsec, st.st_size, (long long)st.st_ino, "" };
        memcpy(is.copied, was.copied, sizeof(is.copied));
        if ((!noted || !is_same(&is, &was)) && copy_changed(c, path, &was, noted, &is) < 0)
                return -1;
        add_note(&c->notes, path, &is);
        return 0;
}

static int copy_all(struct copier *c) {
        for (size_t i = 0; i < shown_count; i++)
                if (shown_rows[i].kind == SHOWN_SETTINGS && copy_one(c, shown_rows[i].path) < 0)
                        return -1;
        return 0;
}

static int read_notes(int layer, struct buf *notes, struct err *err) {
        if (faccessat(layer, "settings", F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
            file_read(layer, "settings", "notes of the home's settings", FILE_NO_LINK, notes, err) < 0)
                return -1;
        buf_char(notes, 0);
        return notes->failed ? err_memory(err) : 0;
}

int home_copy_settings(int layer, int home, int files, struct home_names *names, struct err *err) {
        struct copier c = { .home = home, .files = files, .names = names, .err = err };
        BUF_AUTO before;
        int result;

        buf_init(&before, NOTES_MAX);
        buf_init(&c.notes, NOTES_MAX);
        if (read_notes(layer, &before, err) < 0)
                return -1;
        c.before = buf_str(&before);
        result = copy_all(&c);
        if (result == 0 && c.changed)
                result = file_replace(layer, "settings", buf_str(&c.notes), 0600, err);
        buf_free(&c.notes);
        return result;
}

/* ---- what commands did with the copies ---- */

/* Returns false: nothing. */
static bool find_change(int files, struct str notes, const char *path, struct home_setting *ret) {
        FD_AUTO fd = home_open_beneath(files, path, O_PATH | O_NOFOLLOW);
        struct note note = {};
        bool copied = find_note(notes, path, &note) && strcmp(note.copied, "-") != 0;

        *ret = (struct home_setting){ .path = path, .copied = copied, .there = fd >= 0 };
        if (fd < 0)
                return copied;
        return fstat(fd, &ret->status) == 0 && !(copied && is_untouched(files, path, &note, true));
}

int home_settings_changes(int layer, void (*tell)(void *context, const struct home_setting *setting), void *context,
                          struct err *err) {
        FD_AUTO files = openat(layer, HOME_FILES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct home_setting setting;
        BUF_AUTO notes;

        buf_init(&notes, NOTES_MAX);
        if (files < 0)
                return errno == ENOENT ? 0 : err_sys(err, HOME_FILES);
        if (read_notes(layer, &notes, err) < 0)
                return -1;
        for (size_t i = 0; i < shown_count; i++)
                if (shown_rows[i].kind == SHOWN_SETTINGS && find_change(files, buf_str(&notes), shown_rows[i].path, &setting))
                        tell(context, &setting);
        return 0;
}
