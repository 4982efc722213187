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
#include "policy/egress.h"
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
                err_memory(err);
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

static int put_policies(const struct policy_request *request, struct arena *arena, struct bailey_policy_names *ret,
                        struct err *err) {
        const struct policy_listed *list;
        struct bailey_policy_name *items;
        size_t count;

        if (policy_list(request, arena, &list, &count, err) < 0)
                return -1;
        items = arena_alloc(arena, count * sizeof(*items));
        for (size_t i = 0; items && i < count; i++) {
                items[i] = (struct bailey_policy_name){ arena_dup(arena, list[i].name), list[i].help, list[i].file };
                if (!items[i].name)
                        items = NULL;
        }
        *ret = (struct bailey_policy_names){ items, count, arena };
        return items ? 0 : err_memory(err);
}

int bailey_config_policies(const struct bailey_policy_options *options, struct bailey_policy_names *ret, char *ret_error,
                           size_t error_size) {
        const struct policy_request request = options ? request_of(options) : (struct policy_request){ .builtin_only = true };
        struct bailey_policy_names names;
        struct err err;
        struct arena *arena = config_memory_new(&err);

        if (!arena || put_policies(&request, arena, &names, &err) < 0) {
                config_memory_free(arena);
                return config_hand_error(&err, ret_error, error_size);
        }
        *ret = names;
        return 0;
}

void bailey_policy_names_free(struct bailey_policy_names *names) {
        config_memory_free(names->memory);
        *names = (struct bailey_policy_names){};
}

/* ---- keys ---- */

static const char *const *words_of(const struct key_row *key) {
        static const char *const switches[] = { "true", "false", NULL };

        return key->type == KEY_BOOLEAN ? switches : key->type == KEY_WORD ? key->words : NULL;
}

static int put_section(enum key_section section, struct arena *arena, struct bailey_config_key **items) {
        const char *path = arena_dup(arena, str_z(section_path(section).text));

        for (size_t i = 0; path && i < key_count; i++)
                if (keys[i].section == section)
                        *(*items)++ = (struct bailey_config_key){ path, keys[i].name, keys[i].help, words_of(&keys[i]) };
        return path ? 0 : -1;
}

static int put_keys(struct arena *arena, struct bailey_config_keys *ret) {
        struct bailey_config_key *items = arena_alloc(arena, key_count * sizeof(*items)), *end = items;
        bool done[SECTION_COUNT] = { [SECTION_PATTERN] = true, [SECTION_CREDENTIAL] = true }; /* are of the items of lists */

        for (size_t i = 0; items && i < section_row_count; i++) {
                if (done[sections[i].section])
                        continue;
                done[sections[i].section] = true;
                if (put_section(sections[i].section, arena, &end) < 0)
                        return -1;
        }
        *ret = (struct bailey_config_keys){ items, (size_t)(end - items), arena };
        return items ? 0 : -1;
}

int bailey_config_keys(struct bailey_config_keys *ret) {
        struct bailey_config_keys found;
        struct err ignored;
        struct arena *arena = config_memory_new(&ignored);

        if (!arena || put_keys(arena, &found) < 0) {
                config_memory_free(arena);
                return -1;
        }
        *ret = found;
        return 0;
}

void bailey_config_keys_free(struct bailey_config_keys *list) {
        config_memory_free(list->memory);
        *list = (struct bailey_config_keys){};
}

int bailey_preset(size_t index, struct bailey_preset *ret) {
        if (index >= preset_count)
                return 0;
        *ret = (struct bailey_preset){ presets[index].name, presets[index].help, presets[index].hosts };
        return 1;
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
                return err_memory(err);
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
                status = err_memory(&err);
        if (status < 0)
                return config_hand_error(&err, ret_error, error_size);
        *ret_path = path;
        return 0;
}
