#include "batch/job.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/json5.h"
#include "base/path.h"
#include "base/sha256.h"

uint32_t job_mark(struct str text) {
        uint8_t digest[SHA256_SIZE];
        struct sha256 sha;
        uint32_t mark;

        sha256_init(&sha);
        sha256_add(&sha, text);
        sha256_end(&sha, digest);
        mark = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 | digest[3];
        return mark ? mark : 1;
}

/* ---- values ---- */

static int wrong_kind(const struct tree_node *value, const char *expected, struct err *err) {
        return err_set(err, ERR_INVALID, "%s: expected %s, found %s", value->key.ptr, expected, tree_kind_name(value->kind));
}

static const char *text_of(const struct tree_node *value, struct err *err) {
        if (value->kind != TREE_STRING)
                wrong_kind(value, "a string", err);
        else if (str_find(value->text, 0) < value->text.len)
                err_set(err, ERR_INVALID, "%s: contains a NUL character", value->key.ptr);
        else
                return value->text.ptr;
        return NULL;
}

static int take_text(struct job *job, const struct tree_node *value, void *to, struct err *err) {
        const char *text = text_of(value, err);

        (void)job;
        if (!text)
                return -1;
        *(const char **)to = text;
        return 0;
}

/* An ID may be a number, as it is in many data sets. */
static int take_id(struct job *job, const struct tree_node *value, void *to, struct err *err) {
        char number[sizeof("-9223372036854775808")];

        if (value->kind != TREE_INTEGER)
                return take_text(job, value, to, err);
        snprintf(number, sizeof(number), "%lld", (long long)value->integer);
        *(const char **)to = arena_dup(&job->arena, str_z(number));
        return *(const char **)to ? 0 : err_memory(err);
}

static int take_switch(struct job *job, const struct tree_node *value, void *to, struct err *err) {
        (void)job;
        if (value->kind != TREE_BOOLEAN)
                return wrong_kind(value, "true or false", err);
        *(bool *)to = value->boolean;
        return 0;
}

/* Seconds, as with bailey run --timeout: 0 is none. */
static int take_seconds(struct job *job, const struct tree_node *value, void *to, struct err *err) {
        double seconds = value->kind == TREE_INTEGER ? (double)value->integer : value->real;

        (void)job;
        if (value->kind != TREE_INTEGER && value->kind != TREE_FLOAT)
                return wrong_kind(value, "a number of seconds", err);
        if (!(seconds >= 0 && seconds < 1e9))
                return err_set(err, ERR_INVALID, "%s: expected 0 to 1000000000 seconds", value->key.ptr);
        *(long long *)to = seconds == 0 ? -1 : seconds < 0.001 ? 1 : (long long)(seconds * 1000);
        return 0;
}

static int take_count(struct job *job, const struct tree_node *value, void *to, struct err *err) {
        (void)job;
        if (value->kind != TREE_INTEGER)
                return wrong_kind(value, "a number", err);
        if (value->integer < 0 || value->integer > 100)
                return err_set(err, ERR_INVALID, "%s: expected 0 to 100, found %lld", value->key.ptr,
                               (long long)value->integer);
        *(long long *)to = value->integer;
        return 0;
}

static const char **new_list(struct job *job, const struct tree_node *value, void *to, struct err *err) {
        const char **list = arena_alloc(&job->arena, (value->count + 1) * sizeof(*list));

        if (!list)
                err_memory(err);
        *(const char *const **)to = list;
        return list;
}

static int take_words(struct job *job, const struct tree_node *value, void *to, struct err *err) {
        const char **list;

        if (value->kind != TREE_ARRAY || !value->count)
                return wrong_kind(value, "a program and its arguments, as an array of strings", err);
        if (!(list = new_list(job, value, to, err)))
                return -1;
        TREE_EACH(word, value) {
                if (word->kind != TREE_STRING || str_find(word->text, 0) < word->text.len)
                        return err_set(err, ERR_INVALID, "%s: expected strings without NUL, found %s", value->key.ptr,
                                       tree_kind_name(word->kind));
                *list++ = word->text.ptr;
        }
        return 0;
}

static bool is_variable(struct str name) {
        for (size_t i = 0; i < name.len; i++)
                if (name.ptr[i] != '_' &&
                    (i ? !is_ascii_alnum((unsigned char)name.ptr[i]) : !is_ascii_alpha((unsigned char)name.ptr[i])))
                        return false;
        return name.len > 0;
}

/* As overrides of the config. */
static int take_variables(struct job *job, const struct tree_node *value, void *to, struct err *err) {
        const char **list, *text;
        BUF_AUTO set;

        buf_init(&set, JOB_LINE_MAX);
        if (value->kind != TREE_TABLE)
                return wrong_kind(value, "an object of names and values", err);
        if (!(list = new_list(job, value, to, err)))
                return -1;
        TREE_EACH(variable, value) {
                if (!is_variable(variable->key))
                        return err_set(err, ERR_INVALID, "env: \"%.40s\" is not a valid variable name", variable->key.ptr);
                if (!(text = text_of(variable, err)))
                        return err_context(err, "env");
                buf_clear(&set);
                buf_format(&set, "env.set.%s=%s", variable->key.ptr, text);
                if (set.failed || !(*list++ = arena_dup(&job->arena, buf_str(&set))))
                        return err_memory(err);
        }
        return 0;
}

/* ---- a line ---- */

static const struct key {
        const char *name;
        int (*take)(struct job *job, const struct tree_node *value, void *to, struct err *err);
        size_t offset;
} keys[] = {
        { "id", take_id, offsetof(struct job, id) },
        { "command", take_text, offsetof(struct job, command) },
        { "argv", take_words, offsetof(struct job, argv) },
        { "workspace", take_text, offsetof(struct job, workspace) },
        { "shared", take_switch, offsetof(struct job, shared) },
        { "cwd", take_text, offsetof(struct job, cwd) },
        { "env", take_variables, offsetof(struct job, env) },
        { "policy", take_text, offsetof(struct job, policy) },
        { "timeout", take_seconds, offsetof(struct job, timeout_ms) },
        { "retry", take_count, offsetof(struct job, retries) },
        { "group", take_text, offsetof(struct job, group) },
        { "description", take_text, offsetof(struct job, description) },
};
enum { KEYS = sizeof(keys) / sizeof(*keys) };

static int unknown_key(const struct tree_node *value, struct err *err) {
        char names[128];
        size_t len = 0;

        for (size_t i = 0; i < KEYS; i++)
                len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "", keys[i].name);
        return err_set(err, ERR_INVALID, "unknown key \"%.40s\"; valid keys: %s", value->key.ptr, names);
}

static int take(struct job *job, const struct tree_node *value, struct err *err) {
        for (size_t i = 0; i < KEYS; i++)
                if (str_is(value->key, keys[i].name))
                        return keys[i].take(job, value, (char *)job + keys[i].offset, err);
        return unknown_key(value, err);
}

/* The real path of a directory; NULL: `err` says what is wrong with it. */
static const char *find_directory(struct job *job, const char *key, const char *path, struct err *err) {
        char real[PATH_MAX];
        struct stat st;
        char *kept;

        if (!realpath(path, real) || stat(real, &st) < 0) {
                err_sys(err, "%s: %s", key, path);
                return NULL;
        }
        if (!S_ISDIR(st.st_mode)) {
                err_set(err, ERR_INVALID, "%s: %s is not a directory", key, path);
                return NULL;
        }
        kept = arena_dup(&job->arena, str_z(real));
        if (!kept)
                err_memory(err);
        return kept;
}

/* Two names of one directory are one workspace. */
static int find_workspace(struct job *job, const char *usual, struct err *err) {
        const char *workspace = usual, *cwd = job->cwd;
        BUF_AUTO path;

        buf_init(&path, PATH_MAX);
        if (job->workspace && !(workspace = job->workspace = find_directory(job, "workspace", job->workspace, err)))
                return -1;
        if (!cwd)
                return 0;
        if (*cwd != '/')
                buf_format(&path, "%s/", workspace);
        buf_format(&path, "%s%c", cwd, 0);
        if (path.failed)
                return err_set(err, ERR_INVALID, "cwd: the path is too long");
        if (!(job->cwd = find_directory(job, "cwd", path.ptr, err)))
                return -1;
        if (!path_within(job->cwd, workspace))
                return err_set(err, ERR_INVALID, "cwd: %s is not in the workspace %s", job->cwd, workspace);
        return 0;
}

static int read_line(struct job *job, struct str text, const char *workspace, struct err *err) {
        static const struct json5_rules rules = { JSON5_PLAIN, .text_max = JOB_LINE_MAX, .depth_max = 4 };
        struct tree_error error;
        struct tree_node *root;

        if (json5_read(text, &rules, &job->arena, &root, &error) < 0)
                return err_set(err, error.code, "column %u: %s", error.at.column, error.message);
        if (root->kind != TREE_TABLE)
                return err_set(err, ERR_INVALID, "expected an object, found %s", tree_kind_name(root->kind));
        TREE_EACH(value, root)
        if (take(job, value, err) < 0)
                return -1;
        if (!job->command == !job->argv)
                return err_set(err, ERR_INVALID, "expected either command or argv, found %s", job->argv ? "both" : "neither");
        return find_workspace(job, workspace, err);
}

struct job *job_new(struct str text, uint64_t line, uint32_t mark, const char *workspace, struct err *err) {
        struct job *job = calloc(1, sizeof(*job));

        *err = (struct err){};
        if (!job) {
                err_memory(err);
                return NULL;
        }
        arena_init(&job->arena, 0);
        job->line = line;
        job->mark = mark;
        job->retries = JOB_RETRIES;
        read_line(job, text, workspace, err);
        job->bytes = sizeof(*job) + job->arena.reserved;
        return job;
}

void job_free(struct job *job) {
        if (job)
                arena_free(&job->arena);
        free(job);
}
