#include "policy/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "policy/files.h"
#include "policy/resolve.h"
#include "policy/trust.h"

static const char *const config_names[] = { "config.toml", "config.json5", "config.json" };
static const char *const workspace_names[] = { ".bailey.toml", ".bailey.json5", ".bailey.json" };
enum { NAME_COUNT = 3, FILE_LAYERS = 5 }; /* the environment, too */

struct loader {
        const struct policy_request *request;
        struct arena *arena;
        struct err *err;
        struct config *configs;
        size_t count;
        struct str workspace;
};

static int no_memory(struct err *err) {
        return err_memory(err);
}

/* ---- finding ---- */

/* The one of the names that is there; NULL for none; two are an error. */
static int name_find(int directory, const char *path, const char *const *names, const char **ret, struct err *err) {
        const char *found = NULL;
        struct stat status;

        for (int i = 0; i < NAME_COUNT; i++) {
                if (fstatat(directory, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0) {
                        if (errno == ENOENT)
                                continue;
                        return err_sys(err, "%s/%s", path, names[i]);
                }
                if (found)
                        return err_set(err, ERR_INVALID, "%s has both %s and %s; keep one of them", path, found, names[i]);
                found = names[i];
        }
        *ret = found;
        return 0;
}

static char *path_join(struct arena *arena, const char *directory, const char *name) {
        size_t len = strlen(directory) + strlen(name) + 2;
        char *path = arena_bytes(arena, len);

        if (path)
                snprintf(path, len, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory, name);
        return path;
}

/* A file of a directory, if it has one: its path (else NULL) and content, in the arena. */
static int file_find(const char *directory, const char *const *names, enum file_care care, struct arena *arena,
                     struct config_text *ret, struct err *err) {
        const char *name = NULL;
        FD_AUTO fd = -1;
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        *ret = (struct config_text){ 0 };
        if (directory_open(directory, &fd, err) < 0 || (fd >= 0 && name_find(fd, directory, names, &name, err) < 0))
                return -1;
        if (!name)
                return 0;
        ret->path = path_join(arena, directory, name);
        if (!ret->path)
                return no_memory(err);
        if (file_read(fd, name, ret->path, care, &text, err) < 0)
                return -1;
        ret->content = str_from(arena_dup(arena, buf_str(&text)), text.len);
        return ret->content.ptr ? 0 : no_memory(err);
}

/* ---- reading ---- */

static int config_add(struct loader *l, enum policy_layer layer, const char *file, struct str text, bool trusted) {
        struct config *config = &l->configs[l->count];
        enum config_language language;

        *config = (struct config){ .layer = layer, .file = file, .trusted = trusted };
        if (config_language(file, &language) < 0)
                return err_set(l->err, ERR_INVALID, "%s: unknown file type: the name must end in .toml, .json5 or .json", file);
        if (config_read(text, language, l->arena, config, l->err) < 0)
                return -1;
        l->count++;
        return 0;
}

static int directory_load(struct loader *l, enum policy_layer layer, const char *directory) {
        struct config_text file;

        if (file_find(directory, config_names, FILE_PRIVATE, l->arena, &file, l->err) < 0)
                return -1;
        return file.path ? config_add(l, layer, file.path, file.content, true) : 0;
}

static int workspace_load(struct loader *l) {
        struct config_text file;
        struct trust_list list;

        if (!l->workspace.len)
                return 0;
        if (file_find(l->workspace.ptr, workspace_names, FILE_NO_LINK, l->arena, &file, l->err) < 0)
                return -1;
        if (!file.path)
                return 0;
        if (trust_read(l->request->environment, l->arena, &list, l->err) < 0)
                return -1;
        return config_add(l, LAYER_WORKSPACE, file.path, file.content, trust_has(&list, file.path, file.content));
}

static int named_load(struct loader *l) {
        const char *file = l->request->config_file;
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        if (!file)
                return 0;
        file = arena_dup(l->arena, str_z(file));
        if (!file)
                return no_memory(l->err);
        if (file_read(AT_FDCWD, file, file, FILE_ANY, &text, l->err) < 0)
                return -1;
        return config_add(l, LAYER_FILE, file, buf_str(&text), true); /* what is read keeps no text */
}

static int override_load(const char *override, struct arena *arena, struct config *ret, struct err *err) {
        *ret = (struct config){ .layer = LAYER_OVERRIDE, .trusted = true };
        ret->file = arena_dup(arena, str_z(override));
        return ret->file ? config_read_override(arena, ret, err) : no_memory(err);
}

static int overrides_load(struct loader *l) {
        for (const char *const *o = l->request->overrides; o && *o; o++)
                if (override_load(*o, l->arena, &l->configs[l->count++], l->err) < 0)
                        return -1;
        return 0;
}

/*
 * BAILEY_BASH_ALLOW_NETWORK=1 counts only if nothing else is set: it comes before all files, each of which can set another
 * kind of network, as the policies readonly and build do.
 */
static int environment_load(struct loader *l) {
        const char *value = environment_get(l->request->environment, "BAILEY_BASH_ALLOW_NETWORK");
        struct config *config = &l->configs[l->count];

        if (!value || (strcmp(value, "1") != 0 && !str_eq_nocase(str_z(value), STR("true"))))
                return 0;
        *config = (struct config){ .layer = LAYER_ENVIRONMENT, .trusted = true, .file = "sandbox.network=inherit" };
        if (config_read_override(l->arena, config, l->err) < 0)
                return -1;
        config->file = "BAILEY_BASH_ALLOW_NETWORK";
        l->count++;
        return 0;
}

/* ---- loading ---- */

static int files_load(struct loader *l) {
        const char *system = l->request->system_directory;
        struct directory user;

        if (l->request->builtin_only)
                return 0;
        if (environment_load(l) < 0)
                return -1;
        if (directory_load(l, LAYER_SYSTEM, system ? system : "/etc/bailey") < 0)
                return -1;
        if (directory_config(l->request->environment, &user) && directory_load(l, LAYER_USER, user.path) < 0)
                return -1;
        return workspace_load(l) < 0 ? -1 : named_load(l);
}

/* Symbolic links are followed once, here, so that one name stands for the place from then on. */
static int workspace_find(struct loader *l) {
        char path[PATH_MAX];

        if (!l->request->workspace)
                return 0;
        if (!realpath(l->request->workspace, path))
                return err_sys(l->err, "workspace %s", l->request->workspace);
        l->workspace = str_from(arena_dup(l->arena, str_z(path)), strlen(path));
        return l->workspace.ptr ? 0 : no_memory(l->err);
}

static int loader_run(struct loader *l, const struct policy_request *request, struct arena *arena, struct err *err) {
        size_t overrides = 0;

        *l = (struct loader){ .request = request, .arena = arena, .err = err };
        while (request->overrides && request->overrides[overrides])
                overrides++;
        l->configs = arena_alloc(arena, (FILE_LAYERS + overrides) * sizeof(*l->configs));
        if (!l->configs)
                return no_memory(err);
        return workspace_find(l) < 0 || files_load(l) < 0 || overrides_load(l) < 0 ? -1 : 0;
}

static struct str request_name(const struct policy_request *request, struct arena *arena) {
        char *name = request->name ? arena_dup(arena, str_z(request->name)) : NULL;

        return name ? str_z(name) : request->name ? STR("") : (struct str){ 0 };
}

int policy_load(const struct policy_request *request, struct arena *arena, const struct policy **ret, struct err *err) {
        struct loader l;

        if (loader_run(&l, request, arena, err) < 0)
                return -1;
        return policy_resolve(l.configs, l.count, request_name(request, arena), l.workspace, arena, ret, err);
}

int policy_override(const struct policy *base, const char *const *overrides, struct arena *arena, const struct policy **ret,
                    struct err *err) {
        size_t count = base->config_count, more = 0;
        struct config *configs;

        while (overrides[more])
                more++;
        configs = arena_alloc(arena, (count + more + 1) * sizeof(*configs));
        if (!configs)
                return no_memory(err);
        if (count)
                memcpy(configs, base->configs, count * sizeof(*configs));
        for (size_t i = 0; i < more; i++)
                if (override_load(overrides[i], arena, &configs[count++], err) < 0)
                        return -1;
        return policy_resolve(configs, count, base->name, base->workspace, arena, ret, err);
}

int policy_check(const struct policy_request *request, struct arena *arena, struct err *err) {
        const struct policy *policy;
        struct loader l;

        if (loader_run(&l, request, arena, err) < 0 ||
            policy_resolve(l.configs, l.count, request_name(request, arena), l.workspace, arena, &policy, err) < 0)
                return -1;
        for (size_t i = 0; i < l.count; i++)
                for (const struct config_policy *p = l.configs[i].policies; p; p = p->next)
                        if (l.configs[i].layer == LAYER_FILE &&
                            policy_resolve(l.configs, l.count, p->name, l.workspace, arena, &policy, err) < 0)
                                return -1;
        return 0;
}

static void listed_add(struct policy_listed *list, size_t *count, struct str name, const char *file) {
        size_t i = 0;

        while (i < *count && !str_eq(list[i].name, name))
                i++;
        if (i == *count)
                list[(*count)++].name = name;
        if (!list[i].file)
                list[i].file = file;
}

int policy_list(const struct policy_request *request, struct arena *arena, const struct policy_listed **ret, size_t *ret_count,
                struct err *err) {
        struct policy_listed *list;
        size_t count = builtin_policy_count;
        struct loader l;

        if (loader_run(&l, request, arena, err) < 0)
                return -1;
        list = arena_alloc(arena, (count + l.count * CONFIG_POLICIES_MAX) * sizeof(*list));
        if (!list)
                return no_memory(err);
        for (size_t i = 0; i < count; i++)
                list[i] = (struct policy_listed){ .name = str_z(builtin_policies[i].name), .help = builtin_policies[i].help };
        for (size_t i = 0; i < l.count; i++)
                for (const struct config_policy *p = l.configs[i].policies; p && l.configs[i].trusted; p = p->next)
                        listed_add(list, &count, p->name, l.configs[i].file);
        *ret = list;
        *ret_count = count;
        return 0;
}

int workspace_config_read(const char *workspace, struct arena *arena, struct config_text *ret, struct err *err) {
        struct config_text file;
        char path[PATH_MAX];

        if (!realpath(workspace, path))
                return err_sys(err, "%s", workspace);
        if (file_find(path, workspace_names, FILE_NO_LINK, arena, &file, err) < 0)
                return -1;
        if (!file.path)
                return err_set(err, ERR_NOT_FOUND, "no .bailey.toml, .bailey.json5 or .bailey.json in %s", path);
        *ret = file;
        return 0;
}

int user_config_read(const char *const *environment, struct arena *arena, struct config_text *ret, struct err *err) {
        struct directory directory;

        if (!directory_config(environment, &directory))
                return err_set(err, ERR_NOT_FOUND, "cannot find your config file: neither XDG_CONFIG_HOME nor HOME is set");
        if (file_find(directory.path, config_names, FILE_PRIVATE, arena, ret, err) < 0)
                return -1;
        if (ret->path)
                return 0;
        ret->path = path_join(arena, directory.path, config_names[0]);
        ret->content = STR("");
        return ret->path ? 0 : no_memory(err);
}
