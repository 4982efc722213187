/*
 * Images for containers: got from a registry, or made here.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/pipeline/choose.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "launch/command.h"
#include "run/engines.h"
#include "run/rootfs.h"
#include "sandbox/container/image.h"

/* More than any engine needs; only so that it ends. */
enum { PULL_SECONDS = 3600, BUILD_SECONDS = 600, ID_MAX = 4096 };

#define BUILT_IMAGE "localhost/bailey:latest"
#define PATH_INSIDE "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct making {
        struct arena arena;
        const char *const *envp;
        struct engines engines;
        const struct engine *engine;
        const char *image;
};

/* ---- which engine ---- */

static const struct engine *engine_named(const struct engines *engines, const char *name, struct err *err) {
        const struct backend *backend = backend_named(name);

        if (backend && backend->engines)
                return engine_of_backend(backend, engines, err);
        err_set(err, ERR_INVALID, "unknown container runtime %s: expected podman, docker or gvisor", name);
        return NULL;
}

/* The one that is named, or that commands run in; else the first that answers. */
static int find_engine(struct making *m, const struct policy *policy, const char *const *environment, const char *runtime,
                       struct err *err) {
        struct backend_choice choice = {};

        if (engine_environment(environment, &m->arena, &m->envp, err) < 0)
                return -1;
        engines_ask(m->envp, ~0U, ENGINE_FULLY, &m->arena, &m->engines);
        if (!runtime && backend_choose(policy, environment, &choice, NULL) == 0 && choice.containers && choice.forced)
                runtime = choice.items[0]->name;
        if (runtime) {
                m->engine = engine_named(&m->engines, runtime, err);
                return m->engine ? 0 : -1;
        }
        choose_containers(&choice);
        for (size_t i = 0; i < choice.count && !m->engine; i++)
                m->engine = engine_of_backend(choice.items[i], &m->engines, NULL);
        return m->engine ? 0
                         : err_set(err, ERR_UNSUPPORTED, "no container engine is available: podman: %s; docker: %s",
                                   m->engines.at[ENGINE_PODMAN].why.msg, m->engines.at[ENGINE_DOCKER].why.msg);
}

/* ---- pulling ---- */

/* The image that was checked is the one that is pulled: engines resolve names without a registry by their own settings. */
static int check_source(struct making *m, const struct container_policy *policy, struct err *err) {
        const char *name = m->image;
        struct image image;

        if (image_read(str_z(name), &image, err) < 0)
                return -1;
        if (image.local)
                return err_set(err, ERR_INVALID, "image %s: it is a local image and cannot be pulled", name);
        if (!image_trusted(&image, &policy->trusted_registries))
                return err_set(err, ERR_INVALID, "image %s: refused because %.*s is not in container.trusted_registries", name,
                               (int)image.registry.len, image.registry.ptr);
        m->image = image_full_name(&image, &m->arena);
        return m->image ? 0 : err_memory(err);
}

static int pull(struct making *m, int out_fd, struct err *err) {
        const char *argv[] = { m->engine->path, "pull", m->image, NULL };
        struct command command = {
                .argv = argv, .envp = m->envp, .timeout = PULL_SECONDS * TIME_SECOND, .in = -1, .out = out_fd, .err = out_fd
        };
        struct command_end end = {};

        if (command_run(&command, &end, err) < 0)
                return -1;
        return command_check(&command, &end, err) < 0 ? err_context(err, "cannot pull image %s", m->image) : 0;
}

/* ---- building ---- */

static int open_tarball(const char *path, int *ret, struct err *err) {
        *ret = open(path, O_RDONLY | O_CLOEXEC);
        return *ret < 0 ? err_sys(err, "%s", path) : 0;
}

static int make_rootfs(int *ret, struct err *err) {
        FD_AUTO fd = memfd_create("bailey-rootfs", MFD_CLOEXEC);
        BUF_AUTO tar;

        buf_init(&tar, ROOTFS_MAX);
        if (fd < 0)
                return err_sys(err, "memfd_create");
        if (rootfs_write(&rootfs_places_usual, &tar, err) < 0 || fd_write_all(fd, buf_str(&tar), err) < 0)
                return -1;
        if (lseek(fd, 0, SEEK_SET) < 0)
                return err_sys(err, "memfd_create");
        *ret = TAKE_FD(fd);
        return 0;
}

static int import(struct making *m, int from, struct err *err) {
        const char *argv[] = { m->engine->path, "import", "--change", PATH_INSIDE, "-", m->image, NULL };
        struct command command = {
                .argv = argv, .envp = m->envp, .timeout = BUILD_SECONDS * TIME_SECOND, .in = from, .out = -1, .err = -1
        };
        struct command_end end = {};
        int result;

        buf_init(&end.out, ID_MAX);
        result = command_run(&command, &end, err);
        if (result == 0)
                result = command_check(&command, &end, err);
        buf_free(&end.out);
        return result < 0 ? err_context(err, "cannot build image %s", m->image) : 0;
}

static int build(struct making *m, const char *tarball, struct err *err) {
        FD_AUTO from = -1;
        struct image image;

        if (image_read(str_z(m->image), &image, err) < 0)
                return -1;
        if (image.digest.len)
                return err_set(err, ERR_INVALID, "image %s: a new image has no digest; give it a name and a tag", m->image);
        m->image = image_full_name(&image, &m->arena);
        if (!m->image)
                return err_memory(err);
        if ((tarball ? open_tarball(tarball, &from, err) : make_rootfs(&from, err)) < 0)
                return -1;
        return import(m, from, err);
}

/* ---- for the outside ---- */

static int hand_out(const struct making *m, struct bailey_image *ret, struct err *err) {
        ret->engine = engine_names[m->engine->kind];
        ret->name = strdup(m->image);
        return ret->name ? 0 : err_memory(err);
}

int bailey_container_pull(const struct bailey_policy *policy, const char *const *environment,
                          const struct bailey_container_order *order, struct bailey_image *ret, char *ret_error,
                          size_t error_size) {
        struct making m = {};
        struct err err = {};
        int result;

        arena_init(&m.arena, 0);
        m.image = order->image ? order->image : arena_dup(&m.arena, policy->policy->container.image);
        result = m.image ? check_source(&m, &policy->policy->container, &err) : err_memory(&err);
        if (result == 0)
                result = find_engine(&m, policy->policy, environment, order->runtime, &err);
        if (result == 0)
                result = pull(&m, order->progress_fd, &err);
        if (result == 0)
                result = hand_out(&m, ret, &err);
        arena_free(&m.arena);
        return result < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}

int bailey_container_build(const struct bailey_policy *policy, const char *const *environment,
                           const struct bailey_container_order *order, struct bailey_image *ret, char *ret_error,
                           size_t error_size) {
        struct making m = { .image = order->image ? order->image : BUILT_IMAGE };
        struct err err = {};
        int result;

        arena_init(&m.arena, 0);
        result = find_engine(&m, policy->policy, environment, order->runtime, &err);
        if (result == 0)
                result = build(&m, order->tarball, &err);
        if (result == 0)
                result = hand_out(&m, ret, &err);
        arena_free(&m.arena);
        return result < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}
