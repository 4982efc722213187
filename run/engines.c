#include "run/engines.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/command.h"
#include "policy/files.h"

/* A daemon that is about to start may take a moment; one that hangs takes for ever. */
enum { ANSWER_SECONDS = 5, ANSWER_MAX = 64 << 10 };

#define EACH(name, table) for (size_t name = 0; name < sizeof(table) / sizeof(*(table)); name++)

/* ---- tables ---- */

/* Not the PATH: what a user has put there is for the user. */
static const char *const program_places[] = {
        "/usr/bin", "/usr/local/bin", "/bin", "/usr/sbin", "/usr/local/sbin", "/opt/podman/bin", "/run/current-system/sw/bin",
};

/* What can be pid 1 in a container; podman looks for its own, docker's daemon for docker-init. */
static const char *const podman_inits[] = {
        "/usr/libexec/podman/catatonit", "/usr/local/libexec/podman/catatonit", "/usr/local/lib/podman/catatonit",
        "/usr/lib/podman/catatonit",     "/usr/libexec/catatonit/catatonit",    "/usr/bin/catatonit",
};

/* Where a client finds its engine, its files and its helpers. Nothing by which it could be made to run something. */
static const char *const client_variables[] = {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "TMPDIR",
        "XDG_RUNTIME_DIR",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "DBUS_SESSION_BUS_ADDRESS",
        "SSH_AUTH_SOCK",
        "DOCKER_HOST",
        "DOCKER_CONTEXT",
        "DOCKER_CONFIG",
        "DOCKER_CERT_PATH",
        "DOCKER_TLS",
        "DOCKER_TLS_VERIFY",
        "DOCKER_API_VERSION",
        "CONTAINER_HOST",
        "CONTAINER_CONNECTION",
        "CONTAINER_SSHKEY",
        "CONTAINERS_CONF",
        "CONTAINERS_CONF_OVERRIDE",
        "CONTAINERS_STORAGE_CONF",
        "CONTAINERS_REGISTRIES_CONF",
        "REGISTRY_AUTH_FILE",
        "STORAGE_DRIVER",
        "STORAGE_OPTS",
};
enum { CLIENT_VARIABLES = sizeof(client_variables) / sizeof(*client_variables) };

/* A line per fact: NAME=VALUE. The same names for both. */
static const char *const questions[ENGINE_COUNT] = {
        [ENGINE_DOCKER] = "context={{.ClientInfo.Context}}\n"
                          "{{if .ServerErrors}}{{range .ServerErrors}}error={{.}}\n{{end}}{{else}}"
                          "version={{.ServerVersion}}\nmemory={{.MemoryLimit}}\npids={{.PidsLimit}}\ncpus={{.CPUCfsQuota}}\n"
                          "{{range $name, $runtime := .Runtimes}}runtime={{$name}}{{range $runtime.Args}} {{.}}{{end}}\n{{end}}"
                          "{{range .SecurityOptions}}security={{.}}\n{{end}}{{end}}",
        [ENGINE_PODMAN] = "version={{.Version.Version}}\nrootless={{.Host.Security.Rootless}}\n"
                          "remote={{.Host.ServiceIsRemote}}\n"
                          "seccomp={{.Host.Security.SECCOMPEnabled}}\n"
                          "{{range .Host.CgroupControllers}}controller={{.}}\n{{end}}",
};

/* ---- the client ---- */

int engine_environment(const char *const *environment, struct arena *arena, const char *const **ret, struct err *err) {
        const char **envp = arena_alloc(arena, (CLIENT_VARIABLES + 1) * sizeof(*envp));
        size_t count = 0;

        EACH (i, client_variables) {
                const char *value = environment_get(environment, client_variables[i]);
                char *entry = NULL;
                size_t size;

                if (!value)
                        continue;
                size = strlen(client_variables[i]) + strlen(value) + 2;
                entry = arena_bytes(arena, size);
                if (!entry || !envp)
                        return err_memory(err);
                snprintf(entry, size, "%s=%s", client_variables[i], value);
                envp[count++] = entry;
        }
        if (!envp)
                return err_memory(err);
        *ret = envp;
        return 0;
}

static const char *find_program(const char *name, struct arena *arena) {
        char path[PATH_MAX];

        EACH (i, program_places) {
                snprintf(path, sizeof(path), "%s/%s", program_places[i], name);
                if (access(path, X_OK) == 0)
                        return arena_dup(arena, str_z(path));
        }
        return NULL;
}

static int ask(const char *const *argv, const char *const *envp, struct command_end *end, struct err *err) {
        struct command command = {
                .argv = argv, .envp = envp, .timeout = ANSWER_SECONDS * TIME_SECOND, .in = -1, .out = -1, .err = -1
        };

        buf_init(&end->out, ANSWER_MAX);
        return command_run(&command, end, err) < 0 ? -1 : command_check(&command, end, err);
}

/* ---- what it said ---- */

static void set_limit(struct engine *engine, uint32_t limit, struct str value) {
        if (str_is(value, "true"))
                engine->limits |= limit;
}

static void read_controller(struct engine *engine, struct str name) {
        static const struct {
                const char *name;
                uint32_t limit;
        } controllers[] = { { "memory", ENGINE_MEMORY }, { "pids", ENGINE_PIDS }, { "cpu", ENGINE_CPUS } };

        EACH (i, controllers)
                if (str_is(name, controllers[i].name))
                        engine->limits |= controllers[i].limit;
}

/* "runsc --network=none": its name, and what it is always told */
static void read_runtime(struct engine *engine, struct str value, struct arena *arena) {
        struct str name = str_take(value, str_find(value, ' '));

        if (!str_is(name, "runsc") && !str_is(name, "gvisor"))
                return;
        engine->gvisor = arena_dup(arena, name);
        engine->gvisor_sockets = false;
        for (struct str rest = str_skip(value, name.len + 1); rest.len;) {
                struct str word = str_take(rest, str_find(rest, ' '));

                while (str_starts(word, STR("-")))
                        word = str_skip(word, 1);
                if (str_starts(word, STR("fsgofer-host-uds")) || str_starts(word, STR("host-uds")))
                        engine->gvisor_sockets = !str_ends(word, STR("=none")) && !str_ends(word, STR("=false"));
                rest = str_skip(rest, str_find(rest, ' ') + 1);
        }
}

static void read_version(struct engine *engine, struct str value, struct arena *arena) {
        engine->version = arena_dup(arena, value);
        engine->own_files = engine->version && engine->kind == ENGINE_PODMAN && strtol(engine->version, NULL, 10) >= 4;
}

static void read_fact(struct engine *engine, struct str name, struct str value, struct arena *arena) {
        if (str_is(name, "error"))
                err_set(&engine->why, ERR_UNSUPPORTED, "%.*s", (int)value.len, value.ptr);
        else if (str_is(name, "version") && value.len)
                read_version(engine, value, arena);
        else if (str_is(name, "context") && value.len)
                engine->context = arena_dup(arena, value);
        else if (str_is(name, "remote"))
                engine->remote = str_is(value, "true");
        else if (str_is(name, "memory"))
                set_limit(engine, ENGINE_MEMORY, value);
        else if (str_is(name, "pids"))
                set_limit(engine, ENGINE_PIDS, value);
        else if (str_is(name, "cpus"))
                set_limit(engine, ENGINE_CPUS, value);
        else if (str_is(name, "controller"))
                read_controller(engine, value);
        else if (str_is(name, "runtime"))
                read_runtime(engine, value, arena);
        else if (str_is(name, "rootless"))
                engine->rootless = str_is(value, "true");
        else if (str_is(name, "seccomp"))
                engine->seccomp = str_is(value, "true");
        else if (str_is(name, "security") && str_starts(value, STR("name=rootless")))
                engine->rootless = true;
        else if (str_is(name, "security") && str_starts(value, STR("name=seccomp")))
                engine->seccomp = str_find(value, ',') == value.len || !str_ends(value, STR("profile=unconfined"));
}

void engine_read(struct engine *engine, struct str text, struct arena *arena) {
        while (text.len) {
                struct str line = str_take(text, str_find(text, '\n'));
                size_t equals = str_find(line, '=');

                if (equals < line.len)
                        read_fact(engine, str_take(line, equals), str_skip(line, equals + 1), arena);
                text = str_skip(text, line.len + 1);
        }
}

/* ---- each ---- */

/* With cgroup v1 only root may share out what a machine has; podman then takes limits from others, and forgets them. */
static bool is_unified(void) {
        enum { CGROUP2_MAGIC = 0x63677270 };
        struct statfs fs;

        return statfs("/sys/fs/cgroup", &fs) == 0 && fs.f_type == CGROUP2_MAGIC;
}

uint32_t engine_controllers(struct str words) {
        struct engine engine = {};

        while (words.len) {
                struct str word = str_take(words, str_find(words, ' '));

                read_controller(&engine, str_take(word, str_find(word, '\n')));
                words = str_skip(words, word.len + 1);
        }
        return engine.limits;
}

/* The controllers that a user may share out are those that systemd has handed to the user's own manager. */
static uint32_t delegated_limits(void) {
        char path[128], text[256];
        FD_AUTO fd = -1;
        ssize_t len;

        snprintf(path, sizeof(path), "/sys/fs/cgroup/user.slice/user-%u.slice/user@%u.service/cgroup.controllers", geteuid(),
                 geteuid());
        fd = open(path, O_RDONLY | O_CLOEXEC);
        len = fd < 0 ? 0 : read(fd, text, sizeof(text));
        return engine_controllers(str_from(text, len > 0 ? (size_t)len : 0));
}

static void describe_podman(struct engine *engine) {
        engine->rootless = geteuid() != 0;
        engine->seccomp = true;
        engine->limits = engine->rootless ? delegated_limits() : ENGINE_MEMORY | ENGINE_PIDS | ENGINE_CPUS;
}

static void finish_podman(struct engine *engine, struct arena *arena) {
        if (engine->rootless && !is_unified())
                engine->limits = 0;
        /* "Rootless mode not supported with create", says runsc. */
        if (!engine->rootless)
                engine->gvisor = find_program("runsc", arena);
        EACH (i, podman_inits)
                if (access(podman_inits[i], X_OK) == 0)
                        engine->init = true;
}

/* ---- where it is ---- */

/* On another machine, mounts would be that one's files. `what` names the endpoint, without the names and passwords in it. */
static int check_endpoint(const char *what, const char *endpoint, struct err *err) {
        size_t scheme = str_find(str_z(endpoint), ':');

        if (strncmp(endpoint, "unix://", 7) == 0)
                return 0;
        return err_set(err, ERR_UNSUPPORTED,
                       "%s is %.*s..., which may be another machine; containers run only on this machine, with an engine at a "
                       "unix:// socket",
                       what, (int)(scheme < 16 ? scheme + 1 : 0), endpoint);
}

static int refuse_service(const char *why, struct err *err) {
        return err_set(
                err, ERR_UNSUPPORTED,
                "%s: podman would use a remote service, which may be another machine; containers run only on this machine",
                why);
}

/* What can be told without asking. */
static int check_environment(enum engine_kind kind, const char *const *envp, struct err *err) {
        const char *docker = environment_get(envp, "DOCKER_HOST");

        if (kind == ENGINE_DOCKER)
                return docker && *docker ? check_endpoint("DOCKER_HOST", docker, err) : 0;
        if (environment_get(envp, "CONTAINER_HOST"))
                return refuse_service("CONTAINER_HOST is set", err);
        return environment_get(envp, "CONTAINER_CONNECTION") ? refuse_service("CONTAINER_CONNECTION is set", err) : 0;
}

/* Docker's client keeps endpoints by name; "default" is what the environment says. */
static int check_context(const struct engine *engine, const char *const *envp, struct err *err) {
        const char *argv[] = { engine->path,    "context", "inspect", "--format", "{{.Endpoints.docker.Host}}",
                               engine->context, NULL };
        struct command_end end = {};
        char what[128];
        int result;

        if (!engine->context || strcmp(engine->context, "default") == 0)
                return 0;
        snprintf(what, sizeof(what), "docker's context %s", engine->context);
        result = ask(argv, envp, &end, err);
        buf_char(&end.out, 0);
        if (result == 0)
                result = check_endpoint(what, end.out.ptr ? end.out.ptr : "", err);
        buf_free(&end.out);
        return result;
}

static int check_place(const struct engine *engine, const char *const *envp, struct err *err) {
        return engine->remote ? refuse_service("containers.conf has remote = true", err) : check_context(engine, envp, err);
}

int engine_ask(struct engine *engine, const char *const *envp, struct arena *arena) {
        const char *argv[] = { engine->path, "info", "--format", questions[engine->kind], NULL };
        struct command_end end = {};
        struct err err = {};
        int result = ask(argv, envp, &end, &err);

        engine_read(engine, buf_str(&end.out), arena);
        buf_free(&end.out);
        if (check_place(engine, envp, &engine->why) < 0 || engine->why.code) /* docker's client answers alone, too */
                return -1;
        if (result < 0)
                engine->why = err;
        else if (!engine->version)
                result = err_set(&engine->why, ERR_UNSUPPORTED, "it did not report its version");
        return result;
}

static bool look_for(struct engine *engine, const char *const *envp, enum engine_care care, struct arena *arena) {
        if (check_environment(engine->kind, envp, &engine->why) < 0)
                return false;
        engine->path = find_program(engine_names[engine->kind], arena);
        if (!engine->path) {
                err_set(&engine->why, ERR_UNSUPPORTED, "%s is not installed", engine_names[engine->kind]);
                return false;
        }
        if (care == ENGINE_BRIEFLY && engine->kind == ENGINE_PODMAN)
                describe_podman(engine);
        else if (engine_ask(engine, envp, arena) < 0)
                return false;
        if (engine->kind == ENGINE_PODMAN)
                finish_podman(engine, arena);
        else
                engine->init = find_program("docker-init", arena) != NULL;
        return true;
}

void engines_ask(const char *const *envp, uint32_t kinds, enum engine_care care, struct arena *arena, struct engines *ret) {
        struct engines engines = {};

        for (uint32_t i = 0; i < ENGINE_COUNT; i++) {
                struct engine *engine = &engines.at[i];

                engine->kind = (enum engine_kind)i;
                if (kinds & 1U << i)
                        engine->answers = look_for(engine, envp, care, arena);
                else
                        err_set(&engine->why, ERR_UNSUPPORTED, "%s was not checked", engine_names[i]);
        }
        *ret = engines;
}

static bool may_raise_limits(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct data[2];

        return syscall(SYS_capget, &header, data) == 0 && data[0].effective >> CAP_SYS_RESOURCE & 1;
}

static uint64_t hard_limit(__rlimit_resource_t resource) {
        struct rlimit limit;

        return getrlimit(resource, &limit) < 0 || limit.rlim_max == RLIM_INFINITY ? 0 : limit.rlim_max;
}

/* podman lowers its own limit of processes to this. */
static uint64_t pid_max(void) {
        FD_AUTO fd = open("/proc/sys/kernel/pid_max", O_RDONLY | O_CLOEXEC);
        char text[32];
        ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

        text[len < 0 ? 0 : len] = 0;
        return strtoull(text, NULL, 10);
}

void engines_look_around(struct container_facts *ret) {
        uint64_t most = pid_max();

        ret->gid = getegid();
        ret->systemd = access("/run/systemd/system", F_OK) == 0;
        if (!may_raise_limits()) {
                ret->nofile = hard_limit(RLIMIT_NOFILE);
                ret->nproc = hard_limit(RLIMIT_NPROC);
                if (most && (!ret->nproc || most < ret->nproc))
                        ret->nproc = most;
        }
}

int engine_has_image(const struct engine *engine, const char *image, const char *const *envp, struct err *err) {
        const char *argv[] = { engine->path, "image", "inspect", "--format", "{{.Id}}", image, NULL };
        struct command_end end = {};
        int result = ask(argv, envp, &end, err);

        buf_free(&end.out);
        if (result == 0)
                return 1;
        return end.timed_out || !WIFEXITED(end.status) ? -1 : 0;
}
