/*
 * Settings of other programs, for the outside: finds and reads them, and puts them into the user's config file.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "engine/api/config_file.h"
#include "engine/config.h"
#include "policy/files.h"
#include "policy/import/import.h"

enum { SOURCES_MAX = 256 };

struct reading {
        const struct bailey_import_options *options;
        const struct import_format *format;
        struct arena *arena;
        const char *home;
        char workspace[PATH_MAX];
        struct import_source sources[SOURCES_MAX];
        size_t source_count;
        const char *places[SOURCES_MAX];
        size_t place_count;
};

/* ---- finding ---- */

/* `maybe`: that there is none is no error. */
static int source_add(struct reading *r, const char *path, bool project, bool maybe, struct err *err) {
        struct import_source *source = &r->sources[r->source_count];
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        if (r->source_count == SOURCES_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d files", SOURCES_MAX);
        if (file_read(AT_FDCWD, path, path, FILE_ANY, &text, err) < 0)
                return maybe && err->code == ERR_SYSTEM && (err->sys == ENOENT || err->sys == ENOTDIR) ? 0 : -1;
        source->path = arena_dup(r->arena, str_z(path));
        source->text = str_from(arena_dup(r->arena, buf_str(&text)), text.len);
        source->project = project;
        if (!source->path || !source->text.ptr)
                return err_memory(err);
        r->source_count++;
        return 0;
}

/* All files of a directory with this suffix. */
static int sources_add(struct reading *r, const char *directory, const char *suffix, bool project, struct err *err) {
        char pattern[PATH_MAX];
        glob_t found;
        int status;

        if (strpbrk(directory, "*?[\\") || snprintf(pattern, sizeof(pattern), "%s*%s", directory, suffix) >= PATH_MAX)
                return err_set(err, ERR_INVALID, "%s: cannot be searched for files", directory);
        status = glob(pattern, GLOB_ERR, NULL, &found);
        if (status == GLOB_NOMATCH)
                return 0;
        if (status)
                return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(err, "%s", directory);
        for (size_t i = 0; i < found.gl_pathc && status == 0; i++)
                status = source_add(r, found.gl_pathv[i], project, false, err);
        globfree(&found);
        return status;
}

/* Absolute, or NULL: nobody knows, or there is no memory. */
static const char *place_path(struct reading *r, const struct import_place *place) {
        const char *base = place->base == IMPORT_HOME ? r->home : place->base == IMPORT_PROJECT ? r->workspace : "";
        const char *moved = place->variable ? environment_get(r->options->environment, place->variable) : NULL;
        const char *rest = place->path;
        char path[PATH_MAX];

        if (moved && moved[0] == '/') {
                base = moved;
                rest = strrchr(place->path, '/') + 1;
        }
        if (!base || snprintf(path, sizeof(path), "%s%s%s", base, *base ? "/" : "", rest) >= (int)sizeof(path))
                return NULL;
        return arena_dup(r->arena, str_z(path));
}

static int place_read(struct reading *r, const struct import_place *place, struct err *err) {
        const char *path = place_path(r, place);
        bool project = place->base == IMPORT_PROJECT;

        for (size_t i = 0; path && i < r->place_count; i++)
                if (strcmp(r->places[i], path) == 0) /* the workspace is the home directory */
                        return 0;
        if (!path || r->place_count + 1 >= SOURCES_MAX || (project && r->options->apply))
                return 0;
        r->places[r->place_count++] = path;
        if (!str_ends(str_z(path), STR("/")))
                return source_add(r, path, project, true, err);
        return sources_add(r, path, ".toml", project, err) < 0 ? -1 : sources_add(r, path, ".rules", project, err);
}

/* Where its author's settings of a workspace are: then, what is relative is relative to that. */
static bool is_project(const struct reading *r, const char *path) {
        char real[PATH_MAX], home[PATH_MAX];
        size_t len = strlen(r->workspace);

        if (!realpath(path, real) || strncmp(real, r->workspace, len) != 0 || real[len] != '/')
                return false;
        return !r->home || !realpath(r->home, home) || strcmp(home, r->workspace) != 0;
}

static int sources_read(struct reading *r, struct err *err) {
        char real[PATH_MAX];

        if (r->options->file)
                return !realpath(r->options->file, real) ? err_sys(err, "%s", r->options->file)
                                                         : source_add(r, real, is_project(r, real), false, err);
        for (const struct import_place *place = r->format->places; place->path; place++)
                if (place_read(r, place, err) < 0)
                        return -1;
        return r->source_count ? 0 : err_set(err, ERR_NOT_FOUND, "found no settings of %s; name the file", r->format->title);
}

/* ---- what does not exist here ---- */

static int value_leave(const struct import_value *value, const char *why, struct import *import, struct arena *arena,
                       struct err *err) {
        const char *reason = arena_dup(arena, str_z(why));

        if (!reason || !arena_room(arena, &import->left, import->left_count, &import->left_room, sizeof(*import->left)))
                return err_memory(err);
        import->left[import->left_count++] = (struct import_left){ value->origin, reason, value->denies };
        return 0;
}

static bool is_one_of(const struct import_value *value, const char *one, const char *other) {
        return strcmp(value->key->name, one) == 0 || strcmp(value->key->name, other) == 0;
}

static bool is_missing(struct str path) {
        char text[PATH_MAX];

        return path.len && path.ptr[0] == '/' && path.len < sizeof(text) &&
               snprintf(text, sizeof(text), "%.*s", (int)path.len, path.ptr) > 0 && access(text, F_OK) < 0;
}

/* No command runs if a path does not exist that is allowed or denied, as nobody would know what it becomes. */
static int adapt(struct import *import, struct arena *arena, struct err *err) {
        size_t kept = 0;

        for (size_t i = 0; i < import->value_count; i++) {
                struct import_value value = import->values[i];
                bool missing = is_missing(value.value);

                if (missing && is_one_of(&value, "fs_read_allow", "fs_write_allow")) {
                        if (value_leave(&value, "it does not exist; add it when it does", import, arena, err) < 0)
                                return -1;
                        continue;
                }
                if (missing && is_one_of(&value, "fs_read_deny", "fs_write_deny")) {
                        struct str pattern = import_path_pattern(value.value, arena);

                        if (!pattern.len)
                                return err_memory(err);
                        value.note = str_eq(pattern, value.value) ? value.note : import_pattern_note;
                        value.value = pattern;
                }
                import->values[kept++] = value;
        }
        import->value_count = kept;
        return 0;
}

/* ---- applying ---- */

/* Into the text of the config file. ERR_REFUSED and ERR_INVALID are about this value only. */
static int value_apply(const struct import_value *value, struct config_change *change, struct arena *arena, struct err *err) {
        struct key_path table = section_path(value->key->section);
        struct list_value added = { .key = value->key->name, .value = value->value, .warns = value->asks };
        char *name = arena_dup(arena, value->name);
        struct err why = {};
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        added.table = arena_dup(arena, str_z(table.text));
        if (value->key->type == KEY_PATTERNS)
                added.member = "regex";
        if (!key_is_list(value->key->type) || value->key->type == KEY_PAIRS) {
                import_value_write(value, &text);
                added.alone = true;
                added.value = str_from(arena_dup(arena, buf_str(&text)), text.len);
        }
        if (value->key->type == KEY_PAIRS) {
                added.table = "env.set";
                added.key = name;
        }
        if (!name || !added.table || !added.value.ptr)
                return err_memory(err);
        if (config_change_add(change, &added, arena, &why) == 0)
                return 0;
        *err = why;
        return -1;
}

static int apply(const struct bailey_import_options *options, struct import *import, struct arena *arena, const char **ret_path,
                 struct err *err) {
        struct config_change change;
        size_t kept = 0;
        int status;

        if (config_change_begin(options->environment, arena, &change, err) < 0)
                return -1;
        for (size_t i = 0; i < import->value_count; i++) {
                struct import_value value = import->values[i];
                struct err why = {};

                if (value_apply(&value, &change, arena, &why) == 0)
                        import->values[kept++] = value;
                else if ((why.code != ERR_REFUSED && why.code != ERR_INVALID) ||
                         value_leave(&value, why.msg, import, arena, &why) < 0) {
                        config_change_free(&change);
                        *err = why;
                        return -1;
                }
        }
        import->value_count = kept;
        status = config_change_write(&change, arena, err);
        if (status == 1)
                *ret_path = arena_dup(arena, str_z(change.config.path));
        config_change_free(&change);
        return status < 0 || (status == 1 && !*ret_path) ? -1 : 0;
}

/* ---- handing out ---- */

static struct bailey_text text_of(struct str text) {
        return (struct bailey_text){ text.ptr ? text.ptr : "", text.len };
}

static const char *value_text(const struct import_value *value, struct arena *arena) {
        BUF_AUTO text;

        buf_init(&text, (size_t)TREE_TEXT_MAX * 8);
        import_value_write(value, &text);
        return text.failed ? NULL : arena_dup(arena, buf_str(&text));
}

static const char *key_text(const struct import_value *value, struct arena *arena) {
        struct key_path path = key_path(value->key);
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        buf_append(&text, str_z(path.text));
        if (value->name.len)
                buf_format(&text, ".%.*s", (int)value->name.len, value->name.ptr);
        return text.failed ? NULL : arena_dup(arena, buf_str(&text));
}

static int hand_values(const struct import *import, struct arena *arena, struct bailey_import *ret, struct err *err) {
        struct bailey_import_value *values = arena_alloc(arena, (import->value_count + 1) * sizeof(*values));

        for (size_t i = 0; values && i < import->value_count; i++) {
                const struct import_value *value = &import->values[i];

                values[i] = (struct bailey_import_value){
                        .key = key_text(value, arena),
                        .value = value_text(value, arena),
                        .file = value->origin.file,
                        .setting = value->origin.path,
                        .text = text_of(value->origin.text),
                        .line = value->origin.at.line,
                };
                if (!values[i].key || !values[i].value)
                        return err_memory(err);
        }
        ret->values = values;
        ret->value_count = import->value_count;
        return values ? 0 : err_memory(err);
}

static int hand_left(const struct import *import, struct arena *arena, struct bailey_import *ret, struct err *err) {
        struct bailey_import_left *left = arena_alloc(arena, (import->left_count + 1) * sizeof(*left));

        for (size_t i = 0; left && i < import->left_count; i++) {
                const struct import_left *one = &import->left[i];

                left[i] = (struct bailey_import_left){
                        .file = one->origin.file,
                        .setting = one->origin.path,
                        .text = text_of(one->origin.text),
                        .line = one->origin.at.line,
                        .reason = one->reason,
                        .denies = one->denies,
                };
        }
        ret->left = left;
        ret->left_count = import->left_count;
        return left ? 0 : err_memory(err);
}

static int hand_files(const struct reading *r, struct bailey_import *ret, struct err *err) {
        const char **files = arena_alloc(r->arena, (r->source_count + 1) * sizeof(*files));
        const char **places = arena_alloc(r->arena, (r->place_count + 1) * sizeof(*places));

        if (!files || !places)
                return err_memory(err);
        for (size_t i = 0; i < r->source_count; i++)
                files[i] = r->sources[i].path;
        memcpy(places, r->places, r->place_count * sizeof(*places));
        ret->files = files;
        ret->places = places;
        return 0;
}

static int hand_config(struct import *import, struct arena *arena, struct bailey_import *ret, struct err *err) {
        const char *copy;
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        import_write(import, &text);
        copy = text.failed ? NULL : arena_dup(arena, buf_str(&text));
        if (!copy)
                return err_memory(err);
        ret->config = (struct bailey_text){ copy, text.len };
        return 0;
}

static int import_all(struct reading *r, struct bailey_import *ret, struct err *err) {
        struct import_request request;
        struct import import;

        if (!r->format)
                return err_set(err, ERR_INVALID, "%s: unknown program", r->options->format);
        if (!getcwd(r->workspace, sizeof(r->workspace)))
                return err_sys(err, "the present directory");
        r->home = environment_get(r->options->environment, "HOME");
        if (r->home && r->home[0] != '/')
                r->home = NULL;
        if (sources_read(r, err) < 0)
                return -1;
        request = (struct import_request){ r->format, r->sources, r->source_count, r->home, r->workspace };
        if (import_read(&request, r->arena, &import, err) < 0 || adapt(&import, r->arena, err) < 0 ||
            hand_config(&import, r->arena, ret, err) < 0)
                return -1;
        if (r->options->apply && apply(r->options, &import, r->arena, &ret->changed, err) < 0)
                return -1;
        if (hand_values(&import, r->arena, ret, err) < 0 || hand_left(&import, r->arena, ret, err) < 0)
                return -1;
        return hand_files(r, ret, err);
}

int bailey_import(const struct bailey_import_options *options, struct bailey_import *ret, char *ret_error, size_t error_size) {
        struct err err = {};
        struct arena *arena = config_memory_new(&err);
        struct reading *r = arena ? ARENA_NEW(arena, struct reading) : NULL;
        struct bailey_import import = { .memory = arena };

        if (!r) {
                config_memory_free(arena);
                err_memory(&err);
                return config_hand_error(&err, ret_error, error_size);
        }
        r->options = options;
        r->arena = arena;
        r->format = import_format_find(options->format);
        if (import_all(r, &import, &err) < 0) {
                config_memory_free(arena);
                return config_hand_error(&err, ret_error, error_size);
        }
        *ret = import;
        return 0;
}

void bailey_import_free(struct bailey_import *import) {
        config_memory_free(import->memory);
        *import = (struct bailey_import){};
}
