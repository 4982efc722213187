/*
 * Config files for the outside: checked, described, begun.
 */
#include "engine/config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "bailey.h"
#include "base/fd.h"
#include "engine/policy.h"
#include "policy/files.h"
#include "policy/load.h"
#include "policy/resolve.h"
#include "policy/show.h"

enum { TEXT_MAX = 4 << 20, SHOW_MAX = 64 << 20 };

/* ---- handing out ---- */

int config_hand_error(const struct err *err, char *ret_error, size_t error_size) {
        if (error_size)
                snprintf(ret_error, error_size, "%s", err->msg);
        return -1;
}

struct arena *config_memory_new(struct err *err) {
        struct arena *arena = malloc(sizeof(*arena));

        if (arena)
                arena_init(arena, 0);
        else
                err_set(err, ERR_MEMORY, "out of memory");
        return arena;
}

void config_memory_free(void *memory) {
        if (memory)
                arena_free(memory);
        free(memory);
}

int config_hand_text(struct buf *text, char **ret_text, size_t *ret_length) {
        buf_char(text, '\0');
        if (text->failed) {
                buf_free(text);
                return -1;
        }
        *ret_text = text->ptr;
        *ret_length = text->len - 1;
        return 0;
}

/* ---- looking ---- */

const char *bailey_policy_notice(const struct bailey_policy *policy, size_t index) {
        const struct str_list *notices = &policy->policy->notices;

        return index < notices->count ? notices->items[index].ptr : NULL; /* NUL-terminated, by who made it */
}

int bailey_config_show(const struct bailey_policy *policy, enum bailey_answer answer, char **ret_text, size_t *ret_length) {
        struct buf out;

        buf_init(&out, SHOW_MAX);
        if (answer == BAILEY_ANSWER_JSON)
                policy_show_json(policy->policy, &out);
        else
                policy_show_text(policy->policy, &out);
        return config_hand_text(&out, ret_text, ret_length);
}

static struct policy_request request_of(const struct bailey_policy_options *options) {
        return (struct policy_request){
                .name = options->policy,
                .workspace = options->workspace,
                .config_file = options->config,
                .overrides = options->overrides,
                .environment = options->environment,
        };
}

int bailey_config_check(const struct bailey_policy_options *options, char *ret_error, size_t error_size) {
        const struct policy_request request = request_of(options);
        struct err err;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        return policy_check(&request, &arena, &err) < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}

static void listed_text(const struct policy_listed *listed, struct buf *out) {
        buf_format(out, "%-16.*s ", (int)listed->name.len, listed->name.ptr);
        if (listed->help)
                buf_append(out, str_z(listed->help));
        if (listed->file) {
                buf_append(out, listed->help ? STR(" Changed in ") : STR("Defined in "));
                policy_line_text(str_z(listed->file), out);
        }
        buf_char(out, '\n');
}

static void listed_json(const struct policy_listed *listed, bool first, struct buf *out) {
        buf_append(out, first ? STR("[{\"name\": ") : STR(",\n {\"name\": "));
        buf_json(out, listed->name);
        buf_append(out, STR(", \"help\": "));
        if (listed->help)
                buf_json(out, str_z(listed->help));
        else
                buf_append(out, STR("null"));
        buf_append(out, STR(", \"file\": "));
        if (listed->file)
                buf_json(out, str_z(listed->file));
        else
                buf_append(out, STR("null"));
        buf_char(out, '}');
}

int bailey_config_policies(const struct bailey_policy_options *options, enum bailey_answer answer, char **ret_text,
                           size_t *ret_length, char *ret_error, size_t error_size) {
        const struct policy_request request = options ? request_of(options) : (struct policy_request){ .builtin_only = true };
        const struct policy_listed *list;
        size_t count;
        struct buf out;
        struct err err;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (policy_list(&request, &arena, &list, &count, &err) < 0)
                return config_hand_error(&err, ret_error, error_size);
        buf_init(&out, SHOW_MAX);
        for (size_t i = 0; i < count; i++)
                if (answer == BAILEY_ANSWER_JSON)
                        listed_json(&list[i], i == 0, &out);
                else
                        listed_text(&list[i], &out);
        if (answer == BAILEY_ANSWER_JSON)
                buf_append(&out, STR("]\n"));
        err_set(&err, ERR_MEMORY, "out of memory");
        return config_hand_text(&out, ret_text, ret_length) < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}

int bailey_config_schema(char **ret_text, size_t *ret_length) {
        struct buf out;

        buf_init(&out, TEXT_MAX);
        config_schema(&out);
        return config_hand_text(&out, ret_text, ret_length);
}

/* ---- beginning ---- */

/* Without force no config may be there; and never one in another language, as two in one place are an error. */
static int init_check(int directory, const char *path, bool force, struct err *err) {
        static const char *const names[] = { "config.toml", "config.json5", "config.json" };
        struct stat status;

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                if (fstatat(directory, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0)
                        continue;
                if (i > 0)
                        return err_set(err, ERR_REFUSED, "%s/%s already exists; only one of them may exist", path, names[i]);
                if (!force)
                        return err_set(err, ERR_REFUSED, "%s/%s already exists; use --force to replace it", path, names[i]);
        }
        return 0;
}

static int init_write(const char *path, bool force, struct err *err) {
        FD_AUTO directory = -1;
        BUF_AUTO text;

        buf_init(&text, TEXT_MAX);
        if (directory_make(path, &directory, err) < 0 || init_check(directory, path, force, err) < 0)
                return -1;
        config_template(&text);
        if (text.failed)
                return err_set(err, ERR_MEMORY, "out of memory");
        return file_replace(directory, "config.toml", buf_str(&text), 0644, err) < 0 ? err_context(err, "%s", path) : 0;
}

int bailey_config_init(const char *const *environment, int force, char **ret_path, char *ret_error, size_t error_size) {
        struct directory config;
        struct err err;
        char *path = NULL;
        int status = 0;

        if (!directory_config(environment, &config))
                status = err_set(&err, ERR_NOT_FOUND,
                                 "cannot find the config directory: neither XDG_CONFIG_HOME nor HOME is set");
        else if (init_write(config.path, force != 0, &err) < 0)
                status = -1;
        else if (asprintf(&path, "%s/config.toml", config.path) < 0)
                status = err_set(&err, ERR_MEMORY, "out of memory");
        if (status < 0)
                return config_hand_error(&err, ret_error, error_size);
        *ret_path = path;
        return 0;
}
