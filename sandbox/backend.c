#include "sandbox/backend.h"

#include <stdio.h>
#include <string.h>

const struct backend *backend_find(enum sandbox_backend id) {
        for (size_t i = 0; i < backend_count; i++)
                if (backends[i]->id == id)
                        return backends[i];
        return NULL;
}

const struct backend *backend_named(const char *name) {
        for (size_t i = 0; i < backend_count; i++)
                if (strcmp(backends[i]->name, name) == 0)
                        return backends[i];
        return NULL;
}

const char *backend_verified(const struct backend *backend) {
        return backend->verified ? backend->verified : "run in this project's CI";
}

/* ---- walls ---- */

/* In the order of the bits. */
static const struct {
        const char *name, *text;
} walls[WALL_COUNT] = {
        { "writes", "nothing is written outside the workspace" },
        { "reads", "credential stores and other homes cannot be read" },
        { "protect", "files in the workspace that run later on the host, and what is denied there, stay as they are" },
        { "tmp", "/tmp, /var/tmp and /dev/shm are private and limited" },
        { "network", "no network" },
        { "localhost", "a localhost of its own" },
        { "sockets", "unix sockets of the host are out of reach" },
        { "syscalls", "a system call filter" },
        { "processes", "processes outside can be neither signalled nor traced" },
        { "process-list", "processes outside cannot be seen" },
        { "kill", "nothing outlives the command" },
        { "root", "a minimal root" },
        { "privileges", "no capabilities, no set-user-id programs, no kernel settings" },
        { "metadata", "modes, owners and times of files outside stay as they are" },
};

static size_t wall_index(enum wall wall) {
        size_t i = 0;

        while (i + 1 < WALL_COUNT && wall != 1U << i)
                i++;
        return i;
}

const char *wall_name(enum wall wall) {
        return walls[wall_index(wall)].name;
}

const char *wall_text(enum wall wall) {
        return walls[wall_index(wall)].text;
}

/* A path to deny inside something that can be written. Below what can only be read, all else is granted instead. */
static bool denies_inside(const struct policy *policy, const struct host *host) {
        if (policy->sandbox.workspace_write && policy->sandbox.protect_workspace && host->protection.read_only.count)
                return true;
        for (size_t i = 0; i < host->write_deny.count; i++)
                if (host_is_writable(host, &policy->sandbox, host->write_deny.items[i].path))
                        return true;
        for (size_t i = 0; i < host->masks.count; i++)
                if (host_is_writable(host, &policy->sandbox, host->masks.items[i].path))
                        return true;
        return false;
}

uint32_t sandbox_needs(const struct policy *policy, const struct host *host) {
        uint32_t needs = WALL_WRITES | WALL_READS | WALL_SOCKETS | WALL_SYSCALLS | WALL_PROCESSES | WALL_KILL | WALL_PRIVILEGES;

        if (policy->sandbox.network != NETWORK_INHERIT)
                needs |= WALL_NETWORK;
        if (policy->sandbox.root == ROOT_MINIMAL)
                needs |= WALL_ROOT;
        if (denies_inside(policy, host))
                needs |= WALL_PROTECT;
        return needs;
}

static int refuse(const struct backend *backend, uint32_t missing, struct err *err) {
        char text[400];
        size_t used = 0;

        for (uint32_t i = 0; i < WALL_COUNT; i++)
                if (missing & 1U << i && used < sizeof(text))
                        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? "; " : "", walls[i].text);
        return err_set(err, ERR_UNSUPPORTED, "policy not supported: %s cannot enforce: %s", backend->name, text);
}

int backend_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                 const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct launch launch;
        uint32_t missing;

        if (policy->sandbox.network == NETWORK_ALLOW_HOSTS)
                return err_set(err, ERR_INVALID,
                               "policy not supported: no backend can allow single hosts yet: set "
                               "sandbox.network to deny or inherit");
        if (backend->plan(backend, policy, host, request, arena, &launch, err) < 0)
                return -1;
        if (policy->sandbox.unix_socket_paths.count && policy->sandbox.unix_sockets != UNIX_SOCKETS_DENY && !backend->brokers)
                return err_set(err, ERR_UNSUPPORTED,
                               "policy not supported: %s cannot let commands reach single unix sockets (sandbox.unix_sockets)",
                               backend->name);
        /* Without any wall only when that was asked for twice. */
        missing = backend->id == BACKEND_NONE ? 0 : sandbox_needs(policy, host) & ~launch.walls & ~launch.waived;
        if (missing)
                return refuse(backend, missing, err);
        *ret = launch;
        return 0;
}
