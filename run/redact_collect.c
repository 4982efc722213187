/*
 * What must not be seen in output: values of the environment, tokens of credential files. Looks, and keeps no file open.
 */
#include "run/redact.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/fd.h"
#include "policy/env.h"

enum {
        FORM_MAX = 6 * REDACT_BYTES_MAX, /* \u0001 for each byte */
        FORMS_GROW = 1 + 3 + 6,          /* bytes in all forms, for each byte */
        PADDING_MAX = 2,                 /* of base64 */
        SWITCH_EVERY = 8,                /* see looks_random() */
};

/* Files of a store that are for everybody to see. Their lines would only use up the bounds. */
static const char *const public_files[] = { "*.pub", "known_hosts*", "authorized_keys*" };

static int list_add(struct redact_secret_list *list, struct arena *arena, struct str name, struct str value, struct err *err) {
        if (!arena_room(arena, &list->items, list->count, &list->room, sizeof(*list->items)))
                return err_memory(err);
        list->items[list->count++] = (struct redact_secret){ name, value };
        return 0;
}

/* ---- the environment ---- */

static void as_it_is(struct buf *buf, struct str value) {
        buf_append(buf, value);
}

/* RFC 3986: all but unreserved characters, as encodeURIComponent() and its like do it. */
static void as_in_url(struct buf *buf, struct str value) {
        for (size_t i = 0; i < value.len; i++) {
                unsigned char c = (unsigned char)value.ptr[i];

                if (is_ascii_alnum(c) || (c && strchr("-._~", c)))
                        buf_char(buf, (char)c);
                else
                        buf_format(buf, "%%%02X", c);
        }
}

/* Without the quotes. */
static void as_in_json(struct buf *buf, struct str value) {
        buf_json(buf, value);
        if (buf->failed)
                return;
        buf->len -= 2;
        memmove(buf->ptr, buf->ptr + 1, buf->len);
}

static void (*const forms[])(struct buf *, struct str) = { as_it_is, as_in_url, as_in_json };

/* A form that is the same as another costs nothing: a redactor has each value once. */
static int add_forms(struct redact_secret_list *list, struct arena *arena, struct str name, struct str value, struct err *err) {
        for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
                const char *copy;
                BUF_AUTO form;

                buf_init(&form, FORM_MAX);
                forms[i](&form, value);
                if (i > 0 && !form.failed && str_eq(buf_str(&form), value))
                        continue;
                copy = form.failed ? NULL : arena_dup(arena, buf_str(&form));
                if (!copy)
                        return err_memory(err);
                if (list_add(list, arena, name, str_from(copy, form.len), err) < 0)
                        return -1;
        }
        return 0;
}

/* Does the value stay outside? It does, too, where the config sets another one. */
static bool is_dropped_secret(const struct env_policy *policy, struct str name) {
        enum env_verdict verdict = env_judge(policy, name, NULL);

        return verdict == ENV_SECRET || (verdict == ENV_SET && env_is_secret(name));
}

int redact_collect_env(const struct env_policy *policy, const char *const *environment, struct arena *arena,
                       struct redact_secret_list *list, struct err *err) {
        for (size_t i = 0; environment[i]; i++) {
                struct str name = env_name(environment[i]), value;

                if (!is_dropped_secret(policy, name))
                        continue;
                value = str_z(environment[i] + name.len + 1);
                if (value.len >= REDACT_VALUE_MIN && add_forms(list, arena, name, value, err) < 0)
                        return -1;
        }
        return 0;
}

int redact_collect_variable(const struct env_policy *policy, struct str name, struct str value, struct arena *arena,
                            struct redact_secret_list *list, struct err *err) {
        if (is_dropped_secret(policy, name) || value.len < REDACT_VALUE_MIN)
                return 0;
        return add_forms(list, arena, name, value, err);
}

/* ---- tokens ---- */

enum kind { KIND_OTHER, KIND_SEPARATOR, KIND_DIGIT, KIND_LOWER, KIND_UPPER };

static enum kind kind_of(char c) {
        if (is_ascii_digit((unsigned char)c))
                return KIND_DIGIT;
        if (is_ascii_alpha((unsigned char)c))
                return c >= 'a' ? KIND_LOWER : KIND_UPPER;
        return c && strchr("+/_.-", c) ? KIND_SEPARATOR : KIND_OTHER;
}

/* Takes the next run of token characters off the text. An equals sign belongs to it at its end only, as padding: before
 * more of them it stands between a name and the secret. */
static struct str take_token(struct str *text) {
        size_t start = 0, end, padding = 0;

        while (start < text->len && kind_of(text->ptr[start]) == KIND_OTHER)
                start++;
        for (end = start; end < text->len && kind_of(text->ptr[end]) != KIND_OTHER; end++)
                ;
        while (padding < PADDING_MAX && end + padding < text->len && text->ptr[end + padding] == '=')
                padding++;
        if (end + padding < text->len && kind_of(text->ptr[end + padding]) != KIND_OTHER)
                padding = 0;
        struct str token = str_from(text->ptr + start, end + padding - start);
        *text = str_skip(*text, end + padding);
        while (token.len && strchr(".-", token.ptr[0]))
                token = str_skip(token, 1);
        while (token.len && strchr(".-", token.ptr[token.len - 1]))
                token.len--;
        return token;
}

/* Keys have letters and digits. So have paths, hosts and versions, which are not to be found in all output: these are words
 * with something between them, where a random text goes from one kind of character to another all the time. */
static bool looks_random(struct str token) {
        size_t of_kind[KIND_UPPER + 1] = { 0 }, switches = 0;

        for (size_t i = 0; i < token.len; i++) {
                enum kind kind = kind_of(token.ptr[i]), before = i ? kind_of(token.ptr[i - 1]) : KIND_OTHER;

                of_kind[kind]++;
                switches += kind > KIND_SEPARATOR && before > KIND_SEPARATOR && kind != before &&
                            !(before == KIND_UPPER && kind == KIND_LOWER);
        }
        if (!of_kind[KIND_DIGIT] || !(of_kind[KIND_LOWER] || of_kind[KIND_UPPER]))
                return false;
        return !of_kind[KIND_SEPARATOR] || switches >= token.len / SWITCH_EVERY;
}

/* ---- files ---- */

struct store {
        struct redact_secret_list *list;
        struct arena *arena;
        struct err *err;
        const char *home;
        size_t tokens, files, places; /* of this store */
        size_t bytes;                 /* of all */
};

static struct str shown_path(const struct store *s, const char *path) {
        size_t len = s->home ? strlen(s->home) : 0;
        struct str shown = str_z(path);
        BUF_AUTO name;

        buf_init(&name, PATH_MAX);
        if (len > 1 && str_starts(shown, str_from(s->home, len)) && path[len] == '/') {
                buf_char(&name, '~');
                shown = str_skip(shown, len);
        }
        buf_append(&name, shown);
        return str_from(name.failed ? NULL : arena_dup(s->arena, buf_str(&name)), name.len);
}

static int no_memory(const struct store *s) {
        return err_memory(s->err);
}

/* There is more at this place than is in the list. */
static int note_cut(struct store *s, const char *path) {
        if (s->list->cut++ == 0)
                s->list->cut_at = shown_path(s, path);
        return s->list->cut_at.ptr ? 0 : no_memory(s);
}

/* A file that is read. */
struct content {
        struct store *store;
        const char *path;
        struct str name;         /* shown; none before it is needed */
        size_t known, known_end; /* the part of the list that its format told */
        bool full;               /* there was no room for all of it */
};

/* Is there room for one more? */
static bool make_room(struct content *c, size_t bytes) {
        struct store *s = c->store;

        if (s->tokens == REDACT_STORE_TOKENS || bytes > REDACT_FILES_BYTES - s->bytes)
                c->full = true;
        if (!c->full && !c->name.ptr)
                c->name = shown_path(s, c->path);
        s->tokens += !c->full;
        return !c->full;
}

static bool is_listed(const struct content *c, size_t end, struct str value) {
        for (size_t i = c->known; i < end; i++)
                if (str_eq(c->store->list->items[i].value, value))
                        return true;
        return false;
}

static int add_tokens(struct content *c, struct str text) {
        struct store *s = c->store;

        while (text.len && !c->full) {
                struct str token = take_token(&text);
                const char *copy;

                if (token.len < REDACT_TOKEN_MIN || !looks_random(token) || is_listed(c, c->known_end, token) ||
                    !make_room(c, token.len))
                        continue;
                s->bytes += token.len;
                copy = arena_dup(s->arena, token);
                if (!copy || !c->name.ptr)
                        return no_memory(s);
                if (list_add(s->list, s->arena, c->name, str_from(copy, token.len), s->err) < 0)
                        return -1;
        }
        return 0;
}

/* A value of several lines is a key, of which any line may be printed. */
static int add_known(void *context, struct str value) {
        struct content *c = context;
        struct store *s = c->store;
        size_t before = s->list->count;

        if (str_find(value, '\n') < value.len)
                return add_tokens(c, value);
        if (is_listed(c, s->list->count, value) || !make_room(c, value.len * FORMS_GROW))
                return 0;
        if (!c->name.ptr)
                return no_memory(s);
        if (add_forms(s->list, s->arena, c->name, value, s->err) < 0)
                return -1;
        while (before < s->list->count)
                s->bytes += s->list->items[before++].value.len;
        return 0;
}

static int add_content(struct store *s, const char *path, struct str text, bool more) {
        struct content c = { .store = s, .path = path, .known = s->list->count };

        if (redact_known(text, add_known, &c) < 0)
                return no_memory(s);
        c.known_end = s->list->count;
        if (add_tokens(&c, text) < 0)
                return -1;
        return c.full || more ? note_cut(s, path) : 0;
}

static bool is_public(const char *name) {
        for (size_t i = 0; i < sizeof(public_files) / sizeof(*public_files); i++)
                if (fnmatch(public_files[i], name, 0) == 0)
                        return true;
        return false;
}

static int add_file(struct store *s, const char *path, int fd) {
        struct err err;
        BUF_AUTO text;
        bool more;

        buf_init(&text, REDACT_FILE_MAX);
        if (s->files++ >= REDACT_STORE_FILES)
                return note_cut(s, path);
        more = fd_read_all(fd, &text, &err) < 0 && err.code == ERR_TOO_COMPLEX;
        return add_content(s, path, buf_str(&text), more);
}

static int no_dots(const struct dirent *entry) {
        return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int add_place(struct store *s, int at, const char *name, const char *path, int depth);

/* In order of names, so that where a bound falls is not up to the file system. */
static int add_directory(struct store *s, const char *path, int fd, int depth) {
        struct dirent **entries = NULL;
        int count = -1, result = 0;
        char below[PATH_MAX];

        if (!depth)
                return note_cut(s, path);
        count = scandirat(fd, ".", &entries, no_dots, alphasort);
        for (int i = 0; i < count; i++) {
                if (result == 0 && snprintf(below, sizeof(below), "%s/%s", path, entries[i]->d_name) < (int)sizeof(below))
                        result = add_place(s, fd, entries[i]->d_name, below, depth - 1);
                free(entries[i]);
        }
        free(entries);
        return result;
}

static int add_place(struct store *s, int at, const char *name, const char *path, int depth) {
        int links = at == AT_FDCWD ? 0 : O_NOFOLLOW;
        struct stat st;

        if (is_public(name))
                return 0;
        if (s->places++ >= REDACT_STORE_PLACES)
                return note_cut(s, path);
        /* Asked first, as opening a device may do something. */
        if (fstatat(at, name, &st, links ? AT_SYMLINK_NOFOLLOW : 0) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
                return 0;
        FD_AUTO fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | links);
        if (fd < 0 || fstat(fd, &st) < 0) /* what this user may not read, commands cannot read either */
                return errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP ? 0 : note_cut(s, path);
        if (S_ISDIR(st.st_mode))
                return add_directory(s, path, fd, depth);
        return S_ISREG(st.st_mode) ? add_file(s, path, fd) : 0;
}

int redact_collect_files(const char *const *paths, const char *home, struct arena *arena, struct redact_secret_list *list,
                         struct err *err) {
        struct store store = { .list = list, .arena = arena, .err = err, .home = home };

        for (size_t i = 0; paths[i]; i++) {
                store.tokens = store.files = store.places = 0;
                if (add_place(&store, AT_FDCWD, paths[i], paths[i], REDACT_STORE_DEPTH) < 0)
                        return -1;
        }
        return 0;
}
