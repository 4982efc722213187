/*
 * Paths that may or may not be read and written.
 */
#include "policy/import/take.h"

#include <stdio.h>

/* Directories that are private to a command here, or that it has anyway. */
static const char *const own_places[] = { "/tmp",        "/var/tmp",   "/private/tmp", "/dev/null", "/dev/stdout",
                                          "/dev/stderr", "/dev/stdin", "/dev/tty",     "/dev/shm",  NULL };

static bool is_own(struct str path) {
        for (size_t i = 0; own_places[i]; i++)
                if (str_is(path, own_places[i]))
                        return true;
        return false;
}

static bool has_part(struct str path, const char *wanted) {
        for (struct str rest = path; rest.len;) {
                struct str part = str_take(rest, str_find(rest, '/'));

                if (str_is(part, wanted))
                        return true;
                rest = str_skip(rest, part.len + 1);
        }
        return false;
}

/* Two stars are only a part of their own; a part that has them with other characters may mean anything. */
static bool stars_are_parts(struct str path) {
        for (size_t i = 0; i + 1 < path.len; i++) {
                if (path.ptr[i] != '*' || path.ptr[i + 1] != '*')
                        continue;
                if ((i && path.ptr[i - 1] != '/') || (i + 2 < path.len && path.ptr[i + 2] != '/'))
                        return false;
                i++;
        }
        return true;
}

static bool has_any(struct str text, const char *characters) {
        for (size_t i = 0; i < text.len; i++)
                if (!text.ptr[i] || strchr(characters, text.ptr[i]))
                        return true;
        return false;
}

/* All of a directory is the directory. */
static struct str without_end(struct str path) {
        for (;;) {
                if (path.len > 1 && str_ends(path, STR("/")))
                        path = str_take(path, path.len - 1);
                else if (str_ends(path, STR("/**")))
                        path = str_take(path, path.len - 3);
                else if (str_is(path, "**"))
                        path = STR("");
                else
                        return path;
        }
}

static struct str without_start(struct str path) {
        while (str_starts(path, STR("./")))
                path = str_skip(path, 2);
        return str_is(path, ".") ? STR("") : path;
}

static struct str directory_of(const char *file) {
        const char *slash = strrchr(file, '/');

        return slash ? str_from(file, (size_t)(slash - file)) : STR(".");
}

/* ~ and ~/...; false: nobody knows where that is. */
static bool home_expand(struct importer *im, struct str *path) {
        const char *home = im->request->home;

        if (path->len == 0 || path->ptr[0] != '~')
                return true;
        if (!home || (path->len > 1 && path->ptr[1] != '/'))
                return false;
        *path = str_z(import_text(im, "%s%.*s", home, STR_ARG(str_skip(*path, 1))));
        return true;
}

/* ---- denied ---- */

static bool is_pattern(struct str path) {
        return str_find(path, '*') < path.len || str_find(path, '?') < path.len;
}

/* A denied path has to exist when a command starts, a pattern does not: one that matches little else. */
const char import_pattern_note[] = "? because it need not exist";

struct str import_path_pattern(struct str path, struct arena *arena) {
        size_t last = path.len, size, len;
        char *text;

        while (last && path.ptr[last - 1] != '/')
                last--;
        if (is_pattern(path) || last == path.len)
                return path;
        size = str_utf8(str_skip(path, last));
        len = path.len - (size ? size : 1) + 1;
        text = arena_bytes(arena, len);
        if (!text)
                return STR("");
        memcpy(text, path.ptr, last);
        text[last] = '?';
        memcpy(text + last + 1, path.ptr + path.len - (len - last - 1), len - last - 1);
        return str_from(text, len);
}

static void deny_all(struct importer *im, struct setting_place at, enum import_kind kind, const char *key, bool root) {
        if (!root && strcmp(key, "sandbox.fs_write_deny") == 0)
                import_set(im, at, "sandbox.workspace_write", "false");
        else
                import_leave(im, at, kind, root ? "covers the whole file system" : "covers the whole workspace");
}

/* The workspace may be any. */
static void deny_relative(struct importer *im, struct setting_place at, enum import_kind kind, const char *key,
                          struct str path) {
        struct str pattern = import_path_pattern(path, im->arena);
        size_t before = im->ret->value_count;

        if (!pattern.len)
                im->failed = true;
        else if (import_take(im, at, kind, key, pattern) && im->ret->value_count > before)
                im->ret->values[before].note = import_pattern_note;
}

static void deny(struct importer *im, struct setting_place at, enum import_kind kind, enum path_form form, const char *key,
                 struct str path) {
        bool absolute = str_starts(path, STR("/")), anywhere;

        path = absolute ? path : without_start(path);
        anywhere = form == PATH_RULE && !absolute && str_find(path, '/') + 1 >= path.len;
        path = without_end(path);
        if (path.len == 0 || str_is(path, "/")) {
                deny_all(im, at, kind, key, absolute);
                return;
        }
        if (anywhere)
                path = str_z(import_text(im, "**/%.*s", STR_ARG(path)));
        if (absolute || is_pattern(path))
                import_take(im, at, kind, key, path);
        else
                deny_relative(im, at, kind, key, path);
}

/* Relative to the settings: those of a project are in it; those of a user, who may mean either, are somewhere else. */
static void deny_from_settings(struct importer *im, struct setting_place at, enum import_kind kind, const char *key,
                               struct str path) {
        struct str directory = directory_of(im->source->path);

        while (str_starts(path, STR("/")))
                path = str_skip(path, 1);
        deny(im, at, kind, PATH_PLAIN, key, path);
        if (!im->source->project && str_starts(directory, STR("/")))
                deny(im, at, kind, PATH_PLAIN, key,
                     str_z(import_text(im, "%.*s/%.*s", STR_ARG(directory), STR_ARG(without_start(path)))));
}

static void deny_path(struct importer *im, struct setting_place at, enum import_kind kind, enum path_form form, const char *key,
                      struct str path) {
        bool from_settings = !path.len                    ? false
                             : str_starts(path, STR("/")) ? form == PATH_RULE
                                                          : form == PATH_SETTINGS && path.ptr[0] != '~';

        if (has_any(path, "[]{}\\!$\n") || !stars_are_parts(path))
                import_leave(im, at, kind, "path patterns support only *, ?, and ** as a whole name");
        else if (!home_expand(im, &path))
                import_leave(im, at, kind, "unknown home directory");
        else if (path.len == 0 || has_part(path, ".."))
                import_leave(im, at, kind, "paths must not be empty or contain ..");
        else if (str_starts(path, STR("//")))
                deny(im, at, kind, PATH_PLAIN, key, str_skip(path, 1));
        else if (from_settings)
                deny_from_settings(im, at, kind, key, path);
        else
                deny(im, at, kind, form, key, path);
}

/* ---- allowed ---- */

static void allow_relative(struct importer *im, struct setting_place at, const char *key, struct str path) {
        if (!im->workspace_listed || im->workspace_allowed || strcmp(key, "sandbox.fs_write_allow") != 0)
                import_leave(im, at, IMPORT_ALLOWS, "not needed: it is in the workspace");
        else
                import_take(im, at, IMPORT_ALLOWS, key,
                            str_z(import_text(im, "%s/%.*s", im->request->workspace, STR_ARG(path))));
}

static void allow_path(struct importer *im, struct setting_place at, enum path_form form, const char *key, struct str path) {
        bool from_settings = form == PATH_RULE && str_starts(path, STR("/")) && !str_starts(path, STR("//"));

        path = without_end(path);
        if (has_any(path, "*?[]{}\\!$\n"))
                import_leave(im, at, IMPORT_ALLOWS, "path patterns are supported only in denials");
        else if (!home_expand(im, &path) || has_part(path, ".."))
                import_leave(im, at, IMPORT_ALLOWS, "unknown directory");
        else if (from_settings)
                import_leave(im, at, IMPORT_ALLOWS, "relative to the settings file");
        else if (!str_starts(path, STR("/")))
                allow_relative(im, at, key, without_start(path));
        else if (path.len == 1 || str_is(path, "//"))
                import_leave(im, at, IMPORT_ALLOWS, "covers the whole file system");
        else if (is_own(path))
                import_leave(im, at, IMPORT_ALLOWS, "not needed: commands have their own");
        else
                import_take(im, at, IMPORT_ALLOWS, key, str_starts(path, STR("//")) ? str_skip(path, 1) : path);
}

void import_path(struct importer *im, struct setting_place at, enum import_kind kind, enum path_form form, const char *key,
                 struct str text) {
        if (kind == IMPORT_ALLOWS)
                allow_path(im, at, form, key, str_trim(text));
        else
                deny_path(im, at, kind, form, key, str_trim(text));
}

static void take_path(struct importer *im, const struct import_row *row, struct setting_place at, struct str text) {
        import_path(im, at, row->kind, PATH_PLAIN, row->text, text);
}

void take_paths(struct importer *im, const struct import_row *row, struct setting_place at) {
        take_each(im, row, at, take_path);
}
