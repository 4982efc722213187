/*
 * bwrap: the same sandbox, set up by bubblewrap, for hosts where only that program may create user namespaces. Landlock and the
 * system call filter are applied inside, by this program, which bubblewrap starts as pid 1.
 */
#include <stdio.h>

#include "sandbox/backend.h"
#include "sandbox/mounts.h"

/* Where this program stands inside; /run is always empty there, and sealed later. */
#define SELF_INSIDE "/run/bailey"

enum { ARGUMENTS_MAX = 16384 };

struct arguments {
        const char **items;
        size_t count;
        struct arena *arena;
        size_t masks;                 /* empty files used so far */
        const char *text;             /* of the first of them, which is not empty then */
        struct wrapped_mount *mounts; /* of the host */
        size_t mount_count;
};

static void add(struct arguments *a, const char *text) {
        if (a->count + 1 < ARGUMENTS_MAX)
                a->items[a->count++] = text;
}

static void add_option(struct arguments *a, const char *name, const char *first, const char *second) {
        add(a, name);
        if (first)
                add(a, first);
        if (second)
                add(a, second);
}

static const char *number(struct arguments *a, uint64_t value) {
        char text[32];

        snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
        return arena_dup(a->arena, str_z(text));
}

static void add_mount(struct arguments *a, const struct mount_step *step) {
        switch (step->kind) {
        case MOUNT_ROOT_HOST:
                add_option(a, "--ro-bind", "/", "/");
                break;
        case MOUNT_ROOT_EMPTY: /* is how bubblewrap begins */
                break;
        case MOUNT_READ:
        case MOUNT_WRITE:
        case MOUNT_SOCKET:
                add_option(a,
                           step->kind == MOUNT_WRITE    ? "--bind"
                           : step->kind == MOUNT_SOCKET ? "--ro-bind-try"
                                                        : "--ro-bind",
                           step->source, step->target);
                a->mounts[a->mount_count++] = (struct wrapped_mount){ .source = step->source,
                                                                      .target = step->target,
                                                                      .write = step->kind == MOUNT_WRITE,
                                                                      .point = step->point,
                                                                      .optional = step->kind == MOUNT_SOCKET };
                break;
        case MOUNT_TMPFS:
                add_option(a, "--perms", "1777", NULL);
                add_option(a, "--size", number(a, step->size), NULL);
                add_option(a, "--tmpfs", step->target, NULL);
                break;
        case MOUNT_SYMLINK:
                add_option(a, "--symlink", step->source, step->target);
                break;
        case MOUNT_PROC:
                add_option(a, "--proc", step->target, NULL);
                add_option(a, "--remount-ro", step->target, NULL);
                break;
        case MOUNT_DEV:
                add_option(a, "--dev", step->target, NULL);
                add_option(a, "--perms", "1777", NULL);
                add_option(a, "--size", number(a, step->size), NULL);
                add_option(a, "--tmpfs", "/dev/shm", NULL);
                add_option(a, "--remount-ro", step->target, NULL); /* its own has no size */
                break;
        case MOUNT_MASK_DIR:
                add_option(a, "--perms", "0000", NULL);
                add_option(a, "--tmpfs", step->target, NULL);
                add_option(a, "--remount-ro", step->target, NULL);
                break;
        case MOUNT_MASK_FILE:
                add_option(a, "--perms", "0000", NULL);
                add_option(a, "--ro-bind-data", number(a, LAUNCH_EMPTY_FD + a->masks++), step->target);
                break;
        case MOUNT_TEXT:
                add_option(a, "--perms", "0444", NULL);
                add_option(a, "--ro-bind-data", number(a, LAUNCH_EMPTY_FD), step->target);
                break;
        case MOUNT_SEAL:
                add_option(a, "--remount-ro", step->target, NULL);
                break;
        case MOUNT_SESSION_TMP:
        case MOUNT_STAGE:
        case MOUNT_LAYERS: /* there is no option for these */
        case MOUNT_SHOWN:
                break;
        }
}

/* Not --die-with-parent: bubblewrap would die with the thread that started it. The program inside knows when to end. */
static void add_guarantees(struct arguments *a, const struct policy *policy, const struct host *host) {
        static const char *const always[] = {
                "--unshare-user",       "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                "--unshare-cgroup-try", "--as-pid-1",    "--hostname",    LAUNCH_HOSTNAME,
        };

        add(a, host->bwrap);
        for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
                add(a, always[i]);
        if (policy->sandbox.network != NETWORK_INHERIT)
                add(a, "--unshare-net");
        /* Nothing that could undo this may be left to what is started inside, but the filter has to be set. */
        add_option(a, "--cap-drop", "ALL", NULL);
}

static bool is_run(const struct mount_step *step) {
        return step->kind == MOUNT_SEAL && step->target[0] == '/' &&
               (step->target[1] == 0 || str_is(str_z(step->target), "/run"));
}

/* By a later mount, so that it cannot be examined inside. */
static bool is_covered(const struct mount_list *mounts, size_t i) {
        const struct mount_step *step = &mounts->items[i];

        return (step->kind == MOUNT_READ || step->kind == MOUNT_WRITE || step->kind == MOUNT_SOCKET) &&
               mounts_cover(mounts, i, step->target);
}

static int compile(const struct policy *policy, const struct host *host, const struct mount_list *mounts, struct arguments *a,
                   struct err *err) {
        bool entered = false;

        a->mounts = arena_alloc(a->arena, (mounts->count + 1) * sizeof(*a->mounts));
        if (!a->mounts)
                return err_memory(err);
        add_guarantees(a, policy, host);
        for (size_t i = 0; i < mounts->count; i++)
                if (mounts->items[i].kind == MOUNT_TEXT)
                        a->text = mounts->items[i].source;
        a->masks = a->text ? 1 : 0;
        for (size_t i = 0; i < mounts->count; i++) {
                if (is_run(&mounts->items[i])) {
                        add_option(a, "--ro-bind", host->self, SELF_INSIDE);
                        entered = true;
                }
                if (!is_covered(mounts, i))
                        add_mount(a, &mounts->items[i]);
        }
        if (!entered)
                return err_set(err, ERR_UNSUPPORTED, "bwrap: /run does not exist");
        add_option(a, "--chdir", host->cwd, NULL);
        add_option(a, "--", SELF_INSIDE, LAUNCH_INSIDE_COMMAND);
        if (a->count + 1 >= ARGUMENTS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "bwrap: too many mounts");
        return 0;
}

static int bwrap_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                      const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct arguments a = { .items = arena_alloc(arena, ARGUMENTS_MAX * sizeof(*a.items)), .arena = arena };
        struct launch launch;
        struct mount_list mounts;

        if (!host->bwrap)
                return err_set(err, ERR_UNSUPPORTED, "bwrap: not installed");
        if (!host->self)
                return err_set(err, ERR_UNSUPPORTED,
                               "bwrap: bailey must be installed at %s, because bwrap starts it inside the sandbox",
                               host->self_wanted);
        if (!a.items)
                return err_memory(err);
        if (plan_common(policy, host, request, plan_socket_flags(host), arena, &launch, err) < 0 ||
            mounts_compile(policy, host, &(struct mount_means){}, arena, &mounts, err) < 0 ||
            mounts_landlock(&mounts, arena, &launch.landlock, err) < 0 ||
            plan_broker(policy, host, &mounts, arena, &launch, err) < 0 || plan_egress(policy, arena, &launch, err) < 0 ||
            compile(policy, host, &mounts, &a, err) < 0)
                return -1;
        plan_notices(policy, host, &launch);
        launch.backend = backend->name;
        launch.guarantees = plan_guarantees(backend, policy);
        launch.own_pids = true;
        launch.wrapper = a.items;
        launch.wrapper_masks = a.masks;
        launch.wrapper_text = a.text;
        launch.wrapper_network = policy->sandbox.network != NETWORK_INHERIT;
        launch.wrapped = a.mounts;
        launch.wrapped_count = a.mount_count;
        *ret = launch;
        return 0;
}

const struct backend backend_bwrap = {
        .name = "bwrap",
        .id = BACKEND_BWRAP,
        .own_home = true,
        .terminal = true,
        .brokers = true,
        .automatic = true,
        .guarantees = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_PROTECT | GUARANTEE_TMP | GUARANTEE_NETWORK |
                      GUARANTEE_LOCALHOST | GUARANTEE_SOCKETS | GUARANTEE_SYSCALLS | GUARANTEE_PROCESSES |
                      GUARANTEE_PROCESS_LIST | GUARANTEE_KILL | GUARANTEE_ROOT | GUARANTEE_PRIVILEGES | GUARANTEE_METADATA |
                      GUARANTEE_HOSTS,
        .summary = "the same sandbox as native, set up by bubblewrap",
        .remedy = "install bubblewrap (apt install bubblewrap) and allow user namespaces (Ubuntu allows them for bwrap)",
        .limits = "enforced by a cgroup if available; otherwise best effort: memory per process, processes per user",
        .plan = bwrap_plan,
};
