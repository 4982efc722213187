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

/* ---- guarantees ---- */

/* In the order of the bits. */
static const struct {
        const char *name, *text;
} guarantees[GUARANTEE_COUNT] = {
        { "writes", "no writes outside the workspace" },
        { "reads", "no reading of credential stores and other homes" },
        { "protect", "no changes to files that programs on the host run later, and to denied paths, in writable directories" },
        { "tmp", "private and limited /tmp, /var/tmp and /dev/shm" },
        { "network", "no network" },
        { "localhost", "private localhost" },
        { "sockets", "no access to unix sockets of the host" },
        { "syscalls", "system call filter" },
        { "processes", "no signals to processes outside, and no tracing of them" },
        { "process-list", "processes outside are hidden" },
        { "kill", "no process outlives the command" },
        { "root", "minimal root file system" },
        { "privileges", "no capabilities, no set-user-id programs, no changes to kernel settings" },
        { "metadata", "no changes to modes, owners and times of files outside the workspace" },
        { "hosts", "no network except for listed hosts" },
        { "identity", "commands of root are not root outside the sandbox" },
};

static size_t guarantee_index(enum guarantee guarantee) {
        size_t i = 0;

        while (i + 1 < GUARANTEE_COUNT && guarantee != 1U << i)
                i++;
        return i;
}

const char *guarantee_name(enum guarantee guarantee) {
        return guarantees[guarantee_index(guarantee)].name;
}

const char *guarantee_text(enum guarantee guarantee) {
        return guarantees[guarantee_index(guarantee)].text;
}

/* Returns true if protect_workspace covers something that exists. */
static bool protects_workspace(const struct policy *policy, const struct host *host) {
        return policy->sandbox.workspace_write && policy->sandbox.protect_workspace && host->protection.read_only.count;
}

/* Returns true if a path inside a writable directory is denied. Below read-only directories, everything else is granted
 * instead. */
static bool denies_inside(const struct policy *policy, const struct host *host) {
        for (size_t i = 0; i < host->write_deny.count; i++)
                if (host_is_writable(host, &policy->sandbox, host->write_deny.items[i].path))
                        return true;
        for (size_t i = 0; i < host->masks.count; i++)
                if (host_is_writable(host, &policy->sandbox, host->masks.items[i].path))
                        return true;
        return false;
}

bool backend_keeps_tmp(const struct backend *backend, const struct policy *policy) {
        return backend->engines ? policy->container.session : backend->shares_tmp && policy->run.tmp == TMP_SESSION;
}

uint32_t sandbox_needs(const struct policy *policy, const struct host *host) {
        uint32_t needs = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_SOCKETS | GUARANTEE_SYSCALLS | GUARANTEE_PROCESSES |
                         GUARANTEE_KILL | GUARANTEE_PRIVILEGES;

        if (policy->sandbox.network != NETWORK_INHERIT)
                needs |= network_is_filtered(policy->sandbox.network) ? GUARANTEE_HOSTS : GUARANTEE_NETWORK;
        if (policy->sandbox.root == ROOT_MINIMAL)
                needs |= GUARANTEE_ROOT;
        if (policy->sandbox.require_identity)
                needs |= GUARANTEE_IDENTITY;
        if (protects_workspace(policy, host) || denies_inside(policy, host))
                needs |= GUARANTEE_PROTECT;
        return needs;
}

static int refuse(const struct backend *backend, uint32_t missing, bool protect_only, struct err *err) {
        char text[400];
        size_t used = 0;

        for (uint32_t i = 0; i < GUARANTEE_COUNT; i++)
                if (missing & 1U << i && used < sizeof(text))
                        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? "; " : "",
                                                 guarantees[i].text);
        return err_set(err, ERR_UNSUPPORTED, "%s: cannot enforce this policy: %s%s", backend->name, text,
                       protect_only ? " (to give this up, set sandbox.protect_workspace = false)" : "");
}

/* With the network of the host, they are there already. */
static bool forwards_ports(const struct sandbox_policy *sandbox) {
        return sandbox->network != NETWORK_INHERIT && (sandbox->network_host_ports.count || sandbox->network_publish.count);
}

/* Commands of an ordinary user are not root in any sandbox. */
int backend_compile(const struct backend *backend, const struct policy *policy, const struct host *host,
                    const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        if (backend->plan(backend, policy, host, request, arena, ret, err) < 0)
                return -1;
        ret->guarantees &= ~(uint32_t)GUARANTEE_IDENTITY;
        if (backend->id != BACKEND_NONE && (host->uid != 0 || ret->id_base))
                ret->guarantees |= GUARANTEE_IDENTITY & ~ret->waived;
        return 0;
}

int backend_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                 const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct launch launch;
        uint32_t missing;

        if (backend_compile(backend, policy, host, request, arena, &launch, err) < 0)
                return -1;
        if (policy->sandbox.unix_socket_paths.count && policy->sandbox.unix_sockets != UNIX_SOCKETS_DENY && !backend->brokers)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "policy not supported: %s cannot restrict commands to listed unix sockets (sandbox.unix_sockets)",
                        backend->name);
        if (forwards_ports(&policy->sandbox) && !(backend->guarantees & GUARANTEE_HOSTS))
                return err_set(err, ERR_UNSUPPORTED,
                               "policy not supported: %s cannot forward ports (sandbox.network.host_ports and publish)",
                               backend->name);
        if (policy->sandbox.network != NETWORK_INHERIT && policy->sandbox.network_credential_count &&
            !(backend->guarantees & GUARANTEE_HOSTS))
                return err_set(err, ERR_UNSUPPORTED, "%s: cannot enforce: credentials (sandbox.network.credential)",
                               backend->name);
        /* A run without any guarantee has to be requested twice. */
        missing = backend->id == BACKEND_NONE ? 0 : sandbox_needs(policy, host) & ~launch.guarantees & ~launch.waived;
        if (missing)
                return refuse(backend, missing, missing == GUARANTEE_PROTECT && !denies_inside(policy, host), err);
        *ret = launch;
        return 0;
}
