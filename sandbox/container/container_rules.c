#include "sandbox/container/container_rules.h"

#include <stdarg.h>
#include <stdio.h>

#define PRIVILEGED "container.security_flags.block_privileged"
#define HOST_NETWORK "container.security_flags.block_host_network"
#define ROOT_VOLUME "container.security_flags.block_root_volume"

/* All that a process with the host's privileges can undo. */
enum {
        ALL_GUARANTEES = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_PROTECT | GUARANTEE_TMP | GUARANTEE_NETWORK |
                         GUARANTEE_LOCALHOST | GUARANTEE_SOCKETS | GUARANTEE_SYSCALLS | GUARANTEE_PROCESSES |
                         GUARANTEE_PROCESS_LIST | GUARANTEE_KILL | GUARANTEE_ROOT | GUARANTEE_PRIVILEGES | GUARANTEE_METADATA |
                         GUARANTEE_IDENTITY,
        PROCESS_GUARANTEES = GUARANTEE_PROCESSES | GUARANTEE_PROCESS_LIST,
        FILE_GUARANTEES = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_METADATA,
};

/* Sorted by name; of a name, the general row comes last. What no row is about is refused: options are known to be harmless or
 * not by the value, and engines know more values than stand here. Ours come first, and the last one wins. */
/* clang-format off */
const struct container_option container_options[] = {
        { "--add-host", NULL, NULL, OPTION_FINE, 0 },
        { "--annotation", NULL, PRIVILEGED, OPTION_REFUSED, ALL_GUARANTEES }, /* hooks and devices of runtimes */
        { "--cap-add", NULL, PRIVILEGED, OPTION_REFUSED, ALL_GUARANTEES },
        { "--cgroup-parent", NULL, PRIVILEGED, OPTION_REFUSED, GUARANTEE_KILL },
        { "--cgroupns", "private", NULL, OPTION_FINE, 0 },
        { "--cgroupns", NULL, HOST_NETWORK, OPTION_REFUSED, GUARANTEE_PROCESS_LIST },
        { "--cpu-shares", NULL, NULL, OPTION_FINE, 0 },
        { "--cpuset-cpus", NULL, NULL, OPTION_FINE, 0 },
        { "--cpuset-mems", NULL, NULL, OPTION_FINE, 0 },
        { "--device", "/dev/*", NULL, OPTION_WARNS, FILE_GUARANTEES | GUARANTEE_PROTECT }, /* may be a disk */
        { "--device-cgroup-rule", NULL, PRIVILEGED, OPTION_REFUSED, ALL_GUARANTEES },
        { "--dns", NULL, NULL, OPTION_FINE, 0 },
        { "--dns-option", NULL, NULL, OPTION_FINE, 0 },
        { "--dns-search", NULL, NULL, OPTION_FINE, 0 },
        { "--gpus", NULL, NULL, OPTION_WARNS, 0 },
        { "--group-add", NULL, PRIVILEGED, OPTION_REFUSED, GUARANTEE_PRIVILEGES },
        { "--ipc", "none", NULL, OPTION_FINE, 0 },
        { "--ipc", "private", NULL, OPTION_FINE, 0 },
        { "--ipc", "shareable", NULL, OPTION_FINE, 0 },
        { "--ipc", NULL, HOST_NETWORK, OPTION_REFUSED, GUARANTEE_PROCESSES | GUARANTEE_TMP },
        { "--label", "io.bailey.*", "bailey", OPTION_NEVER, 0 }, /* what is left is found by these */
        { "--label", NULL, NULL, OPTION_FINE, 0 },
        { "--memory-reservation", NULL, NULL, OPTION_FINE, 0 },
        { "--memory-swappiness", NULL, NULL, OPTION_FINE, 0 },
        { "--mount", NULL, "container.mount_policy", OPTION_NEVER, 0 },
        { "--net", NULL, "container.network_mode", OPTION_NEVER, 0 },
        { "--network", NULL, "container.network_mode", OPTION_NEVER, 0 },
        { "--pid", "private", NULL, OPTION_FINE, 0 },
        { "--pid", NULL, HOST_NETWORK, OPTION_REFUSED, PROCESS_GUARANTEES | GUARANTEE_KILL },
        { "--platform", NULL, NULL, OPTION_FINE, 0 },
        { "--privileged", "false", NULL, OPTION_FINE, 0 },
        { "--privileged", NULL, PRIVILEGED, OPTION_REFUSED, ALL_GUARANTEES },
        { "--security-opt", "apparmor=docker-default", NULL, OPTION_FINE, 0 },
        { "--security-opt", "apparmor:docker-default", NULL, OPTION_FINE, 0 },
        { "--security-opt", "apparmor=unconfined", PRIVILEGED, OPTION_REFUSED, GUARANTEE_PRIVILEGES },
        { "--security-opt", "apparmor:unconfined", PRIVILEGED, OPTION_REFUSED, GUARANTEE_PRIVILEGES },
        { "--security-opt", "label=disable", NULL, OPTION_WARNS, 0 },
        { "--security-opt", "label:disable", NULL, OPTION_WARNS, 0 },
        { "--security-opt", "mask=*", NULL, OPTION_FINE, 0 },
        { "--security-opt", "no-new-privileges", NULL, OPTION_FINE, 0 },
        { "--security-opt", "no-new-privileges=true", NULL, OPTION_FINE, 0 },
        { "--security-opt", "no-new-privileges:true", NULL, OPTION_FINE, 0 },
        { "--security-opt", "no-new-privileges*", PRIVILEGED, OPTION_REFUSED, GUARANTEE_PRIVILEGES },
        { "--security-opt", "seccomp=*", PRIVILEGED, OPTION_REFUSED, GUARANTEE_SYSCALLS },
        { "--security-opt", "seccomp:*", PRIVILEGED, OPTION_REFUSED, GUARANTEE_SYSCALLS },
        { "--security-opt", "systempaths=unconfined", PRIVILEGED, OPTION_REFUSED, GUARANTEE_PRIVILEGES },
        { "--security-opt", "unmask=*", PRIVILEGED, OPTION_REFUSED, GUARANTEE_PRIVILEGES },
        { "--security-opt", NULL, PRIVILEGED, OPTION_REFUSED, ALL_GUARANTEES },
        { "--stop-signal", NULL, NULL, OPTION_FINE, 0 },
        { "--ulimit", "cpu=*", "sandbox.max_cpu_secs", OPTION_NEVER, 0 },
        { "--ulimit", "fsize=*", "sandbox.max_file_bytes", OPTION_NEVER, 0 },
        { "--ulimit", "memlock=*", NULL, OPTION_FINE, 0 },
        { "--ulimit", "msgqueue=*", NULL, OPTION_FINE, 0 },
        { "--ulimit", "nofile=*", "sandbox.max_open_files", OPTION_NEVER, 0 },
        { "--ulimit", "nproc=*", NULL, OPTION_FINE, 0 },
        { "--ulimit", "sigpending=*", NULL, OPTION_FINE, 0 },
        { "--ulimit", "stack=*", NULL, OPTION_FINE, 0 },
        { "--userns", "auto", NULL, OPTION_FINE, 0 },
        { "--userns", "keep-id", NULL, OPTION_FINE, 0 },
        { "--userns", "nomap", NULL, OPTION_FINE, 0 },
        { "--userns", "private", NULL, OPTION_FINE, 0 },
        { "--userns", NULL, PRIVILEGED, OPTION_REFUSED, GUARANTEE_PRIVILEGES },
        { "--uts", "private", NULL, OPTION_FINE, 0 },
        { "--uts", NULL, HOST_NETWORK, OPTION_REFUSED, GUARANTEE_PRIVILEGES },
        { "--volume", NULL, "container.mount_policy", OPTION_NEVER, 0 },
        { "--volumes-from", NULL, ROOT_VOLUME, OPTION_REFUSED, FILE_GUARANTEES },
};

/* What must not be mounted. */
static const struct volume {
        const char *path;
        bool below; /* nor what is in it */
        bool all;   /* access to it defeats every guarantee: the kernel, processes, devices, engines and their sockets */
} volumes[] = {
        { "/", false, true },
        { "/bin", false, false },
        { "/boot", true, false },
        { "/dev", false, true },
        { "/etc", false, false },
        { "/home", false, false },
        { "/lib", false, false },
        { "/lib64", false, false },
        { "/proc", true, true },
        { "/run", false, true },
        { "/run/containerd", true, true },
        { "/run/crio", true, true },
        { "/run/docker", true, true },
        { "/run/podman", true, true },
        { "/run/user", true, true },
        { "/sbin", false, false },
        { "/sys", true, true },
        { "/usr", false, false },
        { "/var", false, true },
        { "/var/lib", false, true },
        { "/var/lib/containerd", true, true },
        { "/var/lib/containers", true, true },
        { "/var/lib/docker", true, true },
        { "/var/run", false, true },
};
/* clang-format on */

/* Who can speak to one of these is root. */
static const char *const sockets[] = {
        "docker.sock", "podman.sock", "containerd.sock", "crio.sock", "buildkitd.sock", "dockershim.sock", "cri-dockerd.sock",
};

const size_t container_option_count = sizeof(container_options) / sizeof(*container_options);

/* ---- flags ---- */

static bool is_blocked(const struct container_policy *c, const char *rule) {
        if (strcmp(rule, PRIVILEGED) == 0)
                return c->block_privileged;
        if (strcmp(rule, HOST_NETWORK) == 0)
                return c->block_host_network;
        return c->block_root_volume;
}

__attribute__((format(printf, 3, 4))) static void warn(struct container_rulings *r, struct arena *arena, const char *format,
                                                       ...) {
        char line[512];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(line, sizeof(line), format, arguments);
        va_end(arguments);
        if (r->warning_count < CONTAINER_WARNINGS_MAX)
                r->warnings[r->warning_count++] = arena_dup(arena, str_z(line));
}

/* ---- options ---- */

/* podman takes several values behind commas, so a row that lets something through must not let through what follows one. */
static bool value_is(const struct container_option *option, struct str value) {
        bool lets_through = option->verdict == OPTION_FINE || option->verdict == OPTION_WARNS;
        size_t len;

        if (!option->value)
                return true;
        len = strlen(option->value);
        if (option->value[len - 1] != '*')
                return str_is(value, option->value);
        return str_starts(value, str_from(option->value, len - 1)) && (!lets_through || str_find(value, ',') == value.len);
}

/* Without a value behind a =, all others would take the next word for it, which is one of ours. */
static bool stands_alone(struct str name) {
        return str_is(name, "--privileged");
}

static const struct container_option *option_find(struct str name, struct str value) {
        for (size_t i = 0; i < container_option_count; i++)
                if (str_is(name, container_options[i].name) && value_is(&container_options[i], value))
                        return &container_options[i];
        return NULL;
}

static int check_option(const struct container_policy *c, struct str argument, struct arena *arena, struct container_rulings *r,
                        struct err *err) {
        size_t equals = str_find(argument, '=');
        const struct container_option *option = option_find(str_take(argument, equals), str_skip(argument, equals + 1));
        int len = (int)str_take(argument, 100).len;

        if (!option)
                return err_set(err, ERR_INVALID, "container.run_args %.*s: not on the list of safe options", len, argument.ptr);
        if (equals == argument.len && !stands_alone(argument))
                return err_set(err, ERR_INVALID, "container.run_args %.*s: use the form OPTION=VALUE", len, argument.ptr);
        if (option->verdict == OPTION_NEVER)
                return err_set(err, ERR_INVALID, "container.run_args %.*s: refused: controlled by %s", len, argument.ptr,
                               option->rule);
        if (option->verdict == OPTION_FINE)
                return 0;
        if (option->verdict == OPTION_REFUSED && is_blocked(c, option->rule))
                return err_set(err, ERR_INVALID, "container.run_args %.*s: refused by %s", len, argument.ptr, option->rule);
        r->lost |= option->loses;
        warn(r, arena, "container.run_args %.*s: this gives the command access to resources of the host", len, argument.ptr);
        return 0;
}

/* ---- mounts ---- */

static bool is_socket_name(const char *path) {
        const char *base = strrchr(path, '/');

        for (size_t i = 0; base && i < sizeof(sockets) / sizeof(*sockets); i++)
                if (strcmp(base + 1, sockets[i]) == 0)
                        return true;
        return false;
}

/* As the policy lists it; NULL: it is mounted for another reason. */
static const struct host_path *find_listed(const struct host *host, const char *path) {
        const struct host_paths *lists[] = { &host->read, &host->write };

        for (size_t list = 0; list < 2; list++)
                for (size_t i = 0; i < lists[list]->count; i++)
                        if (strcmp(lists[list]->items[i].path, path) == 0)
                                return &lists[list]->items[i];
        return NULL;
}

/* The guarantees that are lost if a container has this path of the host. Which engine, or what else, listens at a socket cannot
 * be told by its name. */
static uint32_t guarantees_lost_by(const struct host *host, const char *path, bool write) {
        const struct host_path *listed = find_listed(host, path);

        if (is_socket_name(path) || (listed && listed->socket))
                return ALL_GUARANTEES;
        for (size_t i = 0; i < sizeof(volumes) / sizeof(*volumes); i++)
                if (strcmp(path, volumes[i].path) == 0 || (volumes[i].below && path_within(path, volumes[i].path)))
                        return volumes[i].all ? ALL_GUARANTEES : write ? FILE_GUARANTEES : GUARANTEE_READS;
        return 0;
}

static int refuse_mount(const char *path, struct err *err) {
        return err_set(err, ERR_INVALID, "%s as a mount of a container: refused by " ROOT_VOLUME, path);
}

/* Also one that a mask would cover: who lists it is told, not left with something that is not there. */
static int check_list(const struct container_policy *c, const struct host *host, const struct host_paths *list,
                      struct arena *arena, struct container_rulings *r, struct err *err) {
        for (size_t i = 0; c->mount_policy == MOUNT_CUSTOM && i < list->count; i++) {
                if (c->block_root_volume && guarantees_lost_by(host, list->items[i].path, false))
                        return refuse_mount(list->items[i].path, err);
                if (list->items[i].device)
                        warn(r, arena, "%s: a device: this gives the command access to resources of the host",
                             list->items[i].path);
        }
        return 0;
}

static int check_mounts(const struct container_policy *c, const struct host *host, const struct mount_list *mounts,
                        struct arena *arena, struct container_rulings *r, struct err *err) {
        for (size_t i = 0; i < mounts->count; i++) {
                const struct mount_step *step = &mounts->items[i];
                uint32_t lost;

                if (step->kind != MOUNT_READ && step->kind != MOUNT_WRITE)
                        continue;
                lost = guarantees_lost_by(host, step->source, step->kind == MOUNT_WRITE);
                if (!lost)
                        continue;
                if (c->block_root_volume)
                        return refuse_mount(step->source, err);
                r->lost |= lost;
                warn(r, arena, "%s is mounted: this gives the command access to resources of the host", step->source);
        }
        return check_list(c, host, &host->read, arena, r, err) < 0 ? -1 : check_list(c, host, &host->write, arena, r, err);
}

/* Does a container have this path of the host, and may it be written? Masks do not count. */
static bool is_there(const struct mount_list *mounts, const char *path, bool write) {
        const struct mount_step *best = NULL;

        for (size_t i = 0; i < mounts->count; i++)
                if (path_within(path, mounts->items[i].target) &&
                    (!best || strlen(mounts->items[i].target) > strlen(best->target)))
                        best = &mounts->items[i];
        return best && (!write || best->kind != MOUNT_READ);
}

static void warn_of_list(const struct mount_list *mounts, const struct host_paths *list, bool write, struct arena *arena,
                         struct container_rulings *r) {
        const char *first = NULL;
        bool more = false;

        for (size_t i = 0; i < list->count; i++) {
                if (is_there(mounts, list->items[i].path, write))
                        continue;
                more = first != NULL;
                first = first ? first : list->items[i].path;
        }
        if (first)
                warn(r, arena, "sandbox.%s: %.300s%s: not mounted in containers unless container.mount_policy = \"custom\"",
                     write ? "fs_write_allow" : "fs_read_allow", first, more ? ", and others" : "");
}

/* ---- all ---- */

static int check_network(const struct policy *policy, struct arena *arena, struct container_rulings *r, struct err *err) {
        enum container_network mode = policy->container.network_mode;

        if (mode == CONTAINER_NETWORK_HOST && policy->container.block_host_network)
                return err_set(err, ERR_INVALID, "container.network_mode = host: refused by " HOST_NETWORK);
        if (mode != CONTAINER_NETWORK_NONE && policy->sandbox.network != NETWORK_INHERIT)
                return err_set(err, ERR_INVALID,
                               "container.network_mode = %s: refused by sandbox.network = deny; set that to inherit",
                               mode == CONTAINER_NETWORK_HOST ? "host" : "bridge");
        if (mode == CONTAINER_NETWORK_NONE && policy->sandbox.network == NETWORK_INHERIT)
                warn(r, arena,
                     "sandbox.network = inherit: containers have no network unless container.network_mode = \"bridge\"");
        return 0;
}

int container_rules_check(const struct policy *policy, const struct host *host, const struct mount_list *mounts,
                          struct arena *arena, struct container_rulings *ret, struct err *err) {
        const struct container_policy *c = &policy->container;
        struct container_rulings rulings = {};

        if (check_network(policy, arena, &rulings, err) < 0 || check_mounts(c, host, mounts, arena, &rulings, err) < 0)
                return -1;
        if (c->mount_policy != MOUNT_CUSTOM) {
                warn_of_list(mounts, &host->read, false, arena, &rulings);
                warn_of_list(mounts, &host->write, true, arena, &rulings);
        }
        for (size_t i = 0; i < c->run_args.count; i++)
                if (check_option(c, c->run_args.items[i], arena, &rulings, err) < 0)
                        return -1;
        *ret = rulings;
        return 0;
}
