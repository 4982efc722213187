/*
 * What docker, podman and gVisor are called with, word for word; what is refused, and by which rule. Hosts and engines are made
 * up here.
 */
#include "tests/sandbox/plan_test.h"

#include "sandbox/container/container.h"
#include "sandbox/container/container_plan.h"
#include "sandbox/container/container_rules.h"

#define NAME "bailey-0123456789abcdef-4711-1000-1794800000-00112233445566778899aabbccddeeff"

static const char *const client_env[] = { "PATH=/usr/bin", "HOME=/home/ann", "XDG_RUNTIME_DIR=/run/user/1000", NULL };

#define ALL_LIMITS (ENGINE_MEMORY | ENGINE_PIDS | ENGINE_CPUS)
#define DOCKER                                                                                                      \
        {                                                                                                           \
                .kind = ENGINE_DOCKER, .path = "/usr/bin/docker", .answers = true, .init = true, .gvisor = "runsc", \
                .seccomp = true, .limits = ALL_LIMITS                                                               \
        }
#define NOBODY(engine)                                                                       \
        {                                                                                    \
                .kind = (engine), .why = {.code = ERR_UNSUPPORTED, .msg = "nobody answers" } \
        }

/* docker, with gVisor. */
static const struct container_facts dockers = {
        .engines = { .at = { [ENGINE_DOCKER] = DOCKER, [ENGINE_PODMAN] = NOBODY(ENGINE_PODMAN) } },
        .envp = client_env,
        .name = NAME,
        .sweep = true,
        .gid = 1001,
        .systemd = true,
};
/* podman as root, where it may not raise limits; gVisor is installed. */
static const struct container_facts podmans = {
        .engines = { .at = { [ENGINE_PODMAN] = { .kind = ENGINE_PODMAN,
                                                 .path = "/usr/bin/podman",
                                                 .answers = true,
                                                 .init = true,
                                                 .gvisor = "/usr/bin/runsc",
                                                 .seccomp = true,
                                                 .own_files = true,
                                                 .limits = ALL_LIMITS },
                             [ENGINE_DOCKER] = NOBODY(ENGINE_DOCKER) } },
        .envp = client_env,
        .name = NAME,
        .sweep = true,
        .nofile = 20000,
        .nproc = 32768,
};
/* podman as a user, on cgroup v1. */
static const struct container_facts rootless = {
        .engines = { .at = { [ENGINE_PODMAN] = { .kind = ENGINE_PODMAN,
                                                 .path = "/usr/bin/podman",
                                                 .answers = true,
                                                 .rootless = true,
                                                 .seccomp = true,
                                                 .own_files = true },
                             [ENGINE_DOCKER] = NOBODY(ENGINE_DOCKER) } },
        .envp = client_env,
        .name = NAME,
        .sweep = true,
        .gid = 1001,
        .systemd = true,
};
static const struct container_facts rootless_docker = {
        .engines = { .at = { [ENGINE_DOCKER] = { .kind = ENGINE_DOCKER,
                                                 .path = "/usr/bin/docker",
                                                 .answers = true,
                                                 .rootless = true,
                                                 .limits = ALL_LIMITS },
                             [ENGINE_PODMAN] = NOBODY(ENGINE_PODMAN) } },
        .envp = client_env,
        .name = NAME,
        .sweep = true,
        .gid = 1001,
};
/* gVisor that was told to let programs at sockets of the host. */
static const struct container_facts open_sockets = {
        .engines = { .at = { [ENGINE_DOCKER] = { .kind = ENGINE_DOCKER,
                                                 .path = "/usr/bin/docker",
                                                 .answers = true,
                                                 .init = true,
                                                 .gvisor = "runsc",
                                                 .gvisor_sockets = true,
                                                 .limits = ALL_LIMITS },
                             [ENGINE_PODMAN] = NOBODY(ENGINE_PODMAN) } },
        .envp = client_env,
        .name = NAME,
        .gid = 1001,
        .systemd = true,
};
static const struct container_facts nobody = {
        .engines = { .at = { [ENGINE_DOCKER] = NOBODY(ENGINE_DOCKER), [ENGINE_PODMAN] = NOBODY(ENGINE_PODMAN) } },
        .envp = client_env,
        .name = NAME,
        .sweep = true,
};
static const struct container_facts session = {
        .engines = { .at = { [ENGINE_DOCKER] = DOCKER, [ENGINE_PODMAN] = NOBODY(ENGINE_PODMAN) } },
        .envp = client_env,
        .name = NAME,
        .sweep = true,
        .session = "bailey-0123456789abcdef-4711-1000-1794800000-5e55105e55105e55105e55105e55105e",
        .gid = 1001,
        .systemd = true,
};

/* A repository in the home directory; things to mask in and outside of it. */
#define LAPTOP(facts)                                                                                                   \
        {                                                                                                               \
                .uid = 1000, .workspace = "/home/ann/project x", .cwd = "/home/ann/project x/src",                      \
                .homes = PATHS(DIR("/home/ann")),                                                                       \
                .masks = PATHS(DIR("/home/ann/.ssh"), FILE_AT("/home/ann/.netrc"), FILE_AT("/etc/shadow"),              \
                               DIR("/home/ann/project x/secrets")),                                                     \
                .engines = PATHS(SOCKET("/run/docker.sock"), SOCKET("/home/ann/project x/here.sock")),                  \
                .protection = { .read_only = PROTECTED({ .path = "/home/ann/project x/.git/config" },                   \
                                                       { .path = "/home/ann/project x/.git/hooks", .directory = true }, \
                                                       { .path = "/home/ann/project x/.envrc", .link = "../envrc" }),   \
                                .anchors = PROTECTED({ .path = "/home/ann/project x/.git", .directory = true }) },      \
                .containers = (facts),                                                                                  \
        }
static const struct host laptop_docker = LAPTOP(&dockers);
static const struct host laptop_session = LAPTOP(&session);
static const struct host laptop_rootless = LAPTOP(&rootless);
static const struct host laptop_rootless_docker = LAPTOP(&rootless_docker);
static const struct host laptop_open_sockets = LAPTOP(&open_sockets);
static const struct host laptop_nobody = LAPTOP(&nobody);
static const struct host laptop_unasked = LAPTOP(NULL);

/* Root, with lists; what is denied lies in what is allowed, and around it. Commas and colons in names. */
#define SERVER(facts)                                                                                                         \
        {                                                                                                                     \
                .uid = 0, .workspace = "/srv/w", .cwd = "/srv/w", .homes = PATHS(DIR("/root")),                               \
                .masks = PATHS(DIR("/data/secret"), DIR("/hidden")), .read = PATHS(DIR("/data"), DIR("/a,b")),                \
                .write = PATHS(DIR("/data/out"), DIR("/hidden/out"), DIR("/c:d")),                                            \
                .write_deny = PATHS(FILE_AT("/data/out/deep/keep")),                                                          \
                .protection = { .git_write = PROTECTED({ .path = "/repo/.git", .directory = true }) }, .containers = (facts), \
        }
static const struct host server_docker = SERVER(&dockers);
static const struct host server_podman = SERVER(&podmans);

static const struct host odd = {
        .workspace = "/w",
        .cwd = "/w",
        .read = PATHS(DIR("/a,b:c")),
        .containers = &podmans,
};
static const struct host quoted = {
        .workspace = "/w",
        .cwd = "/w",
        .read = PATHS(DIR("/say \"hi\", you")),
        .containers = &dockers,
};

/* What somebody wants to have mounted. */
#define ALLOWING(name, at) \
        static const struct host name = { .workspace = "/w", .cwd = "/w", .read = PATHS(FILE_AT(at)), .containers = &dockers }
ALLOWING(allows_root, "/");
ALLOWING(allows_etc, "/etc");
ALLOWING(allows_proc, "/proc/sys");
ALLOWING(allows_sys, "/sys");
ALLOWING(allows_socket, "/run/user/1000/podman/podman.sock");
ALLOWING(allows_docker, "/var/lib/docker/volumes");
ALLOWING(allows_localtime, "/etc/localtime");
ALLOWING(allows_user, "/run/user/1000/gnupg");

/* Sockets go by any name; one that somebody listens at here is masked, too. A device. */
static const struct host allows_agent = {
        .workspace = "/w",
        .cwd = "/w",
        .masks = PATHS(SOCKET("/opt/engine/api")),
        .write = PATHS(SOCKET("/opt/engine/api")),
        .containers = &dockers,
};
static const struct host allows_other_space = {
        .workspace = "/w",
        .cwd = "/w",
        .read = PATHS(SOCKET("/opt/engine/api")),
        .containers = &dockers,
};
static const struct host allows_device = {
        .workspace = "/w",
        .cwd = "/w",
        .read = PATHS({ .path = "/dev/fuse", .device = true }),
        .containers = &dockers,
};
static const struct host allows_etc_writable = {
        .workspace = "/w",
        .cwd = "/w",
        .write = PATHS(DIR("/etc")),
        .containers = &dockers,
};

#define BY_DIGEST "container.image=ghcr.io/a/b@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ROOT_VOLUME " as a mount of a container: refused by container.security_flags.block_root_volume"

static const struct plan_case {
        const char *name;
        const struct backend *backend;
        const struct host *host;
        const char *overrides[8];
        const char *error; /* what it is refused for; NULL: planned */
} cases[] = {
        { "docker-default", &backend_docker, &laptop_docker, {}, NULL },
        { "docker-session", &backend_docker, &laptop_session, {}, NULL },
        { "docker-rootless",
          &backend_docker,
          &laptop_rootless_docker,
          {},
          "docker: cannot enforce this policy: system call filter" },
        { "docker-home-readonly",
          &backend_docker,
          &laptop_docker,
          { "container.mount_policy=home", "sandbox.workspace_write=false" },
          NULL },
        { "docker-custom",
          &backend_docker,
          &server_docker,
          { "container.mount_policy=custom", "sandbox.network=inherit", "container.network_mode=bridge",
            "sandbox.max_memory_bytes=64MiB", "sandbox.max_pids=20", "sandbox.max_cpu_secs=5", "sandbox.max_file_bytes=1MiB",
            "sandbox.max_open_files=64" },
          NULL },
        { "docker-unlimited",
          &backend_docker,
          &laptop_docker,
          { "container.resource_limits.cpus=0", "container.resource_limits.memory_mb=0",
            "container.resource_limits.pids_limit=0", "sandbox.tmp_bytes=64KiB", BY_DIGEST },
          NULL },
        { "docker-given-up",
          &backend_docker,
          &laptop_docker,
          { "sandbox.network=inherit", "container.network_mode=host", "container.security_flags.block_host_network=false",
            "container.security_flags.no_new_privileges=false", "container.run_args=--device=/dev/kvm" },
          NULL },
        { "docker-quoted", &backend_docker, &quoted, { "container.mount_policy=custom" }, NULL },
        { "podman-default", &backend_podman, &server_podman, {}, NULL },
        { "podman-custom", &backend_podman, &server_podman, { "container.mount_policy=custom" }, NULL },
        { "podman-rootless",
          &backend_podman,
          &laptop_rootless,
          { "sandbox.network=inherit", "container.network_mode=bridge" },
          NULL },
        { "podman-odd",
          &backend_podman,
          &odd,
          { "container.mount_policy=custom" },
          "podman cannot mount /a,b:c: its name has characters that podman uses itself" },
        { "podman-limits-required",
          &backend_podman,
          &laptop_rootless,
          { "sandbox.require_limits=true" },
          "a memory limit cannot be enforced: rootless podman does not support it here" },
        { "gvisor-docker", &backend_gvisor, &laptop_docker, {}, NULL },
        { "gvisor-podman", &backend_gvisor, &server_podman, {}, NULL },
        { "gvisor-sockets", &backend_gvisor, &laptop_open_sockets, {}, NULL },
        { "gvisor-rootless", &backend_gvisor, &laptop_rootless, {}, "gvisor: runsc does not work under rootless podman" },
        { "gvisor-time", &backend_gvisor, &laptop_docker, { "sandbox.max_cpu_secs=5" }, NULL },
        { "gvisor-time-required",
          &backend_gvisor,
          &laptop_docker,
          { "sandbox.max_cpu_secs=5", "sandbox.require_limits=true" },
          "max_cpu_secs cannot be enforced: gvisor does not support it" },
        { "gvisor-small",
          &backend_gvisor,
          &laptop_docker,
          { "sandbox.max_memory_bytes=64MiB" },
          "gvisor: its own kernel needs a memory limit of at least 256 MiB: raise container.resource_limits.memory_mb and "
          "sandbox.max_memory_bytes" },
        { "gvisor-few",
          &backend_gvisor,
          &laptop_docker,
          { "container.resource_limits.pids_limit=255" },
          "gvisor: its own kernel needs a limit of at least 256 processes: raise container.resource_limits.pids_limit and "
          "sandbox.max_pids" },

        { "nobody", &backend_docker, &laptop_nobody, {}, "nobody answers" },
        { "nobody-gvisor", &backend_gvisor, &laptop_nobody, {}, "gvisor: neither docker nor podman answers: nobody answers" },
        { "unasked", &backend_podman, &laptop_unasked, {}, "container engines were not probed" },
        { "registry",
          &backend_docker,
          &laptop_docker,
          { "container.image=docker.io.evil.com/a:1" },
          "container.image docker.io.evil.com/a:1: refused because docker.io.evil.com is not in container.trusted_registries" },
        { "image",
          &backend_docker,
          &laptop_docker,
          { "container.image=Ubuntu" },
          "container.image: image Ubuntu: 'Ubuntu' is not the path of an image: lower case, digits and . _ - between them" },
        { "strict",
          &backend_docker,
          &laptop_docker,
          { "sandbox.syscall_policy=strict" },
          "policy not supported: docker does not support syscall_policy = \"strict\"" },
        { "network",
          &backend_docker,
          &laptop_docker,
          { "container.network_mode=bridge" },
          "container.network_mode = bridge: refused by sandbox.network = deny; set that to inherit" },
        { "host-network",
          &backend_docker,
          &laptop_docker,
          { "container.network_mode=host", "sandbox.network=inherit" },
          "container.network_mode = host: refused by container.security_flags.block_host_network" },
        { "root", &backend_docker, &allows_root, { "container.mount_policy=custom" }, "/" ROOT_VOLUME },
        { "etc", &backend_docker, &allows_etc, { "container.mount_policy=custom" }, "/etc" ROOT_VOLUME },
        { "proc", &backend_docker, &allows_proc, { "container.mount_policy=custom" }, "/proc/sys" ROOT_VOLUME },
        { "sys", &backend_docker, &allows_sys, { "container.mount_policy=custom" }, "/sys" ROOT_VOLUME },
        { "socket",
          &backend_docker,
          &allows_socket,
          { "container.mount_policy=custom" },
          "/run/user/1000/podman/podman.sock" ROOT_VOLUME },
        { "docker-files",
          &backend_docker,
          &allows_docker,
          { "container.mount_policy=custom" },
          "/var/lib/docker/volumes" ROOT_VOLUME },
        { "docker-localtime", &backend_docker, &allows_localtime, { "container.mount_policy=custom" }, NULL },
        { "user", &backend_docker, &allows_user, { "container.mount_policy=custom" }, "/run/user/1000/gnupg" ROOT_VOLUME },
        { "agent", &backend_docker, &allows_agent, { "container.mount_policy=custom" }, "/opt/engine/api" ROOT_VOLUME },
        { "other-space",
          &backend_docker,
          &allows_other_space,
          { "container.mount_policy=custom" },
          "/opt/engine/api" ROOT_VOLUME },
        { "docker-device", &backend_docker, &allows_device, { "container.mount_policy=custom" }, NULL },
};

static int plan(const struct plan_case *c, struct arena *arena, struct launch *ret, struct err *err) {
        static const char *const argv[] = { "bash", "-c", "make \"it\"\n", NULL };
        static const char *const envp[] = { "PATH=/usr/bin:/bin",
                                            "HOME=/home/ann",
                                            "LANG=C.UTF-8",
                                            "CCACHE_DIR=/home/ann/project x/cache",
                                            "GITHUB_TOKEN=geheimnis",
                                            "GOCACHE=/home/ann/go",
                                            NULL };
        struct policy_request wanted = { .name = "default", .overrides = c->overrides, .builtin_only = true };
        struct sandbox_request request = { .program = "/bin/bash", .argv = argv, .envp = envp, .command = argv[2] };
        const struct policy *policy;

        if (policy_load(&wanted, arena, &policy, err) < 0)
                fail_msg("%s: %s", c->name, err->msg);
        return backend_plan(c->backend, policy, c->host, &request, arena, ret, err);
}

static void plans_are_as_written(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                const struct plan_case *c = &cases[i];
                struct launch launch;
                struct err err = {};
                ARENA_AUTO arena;
                BUF_AUTO is;

                arena_init(&arena, 0);
                buf_init(&is, 1 << 20);
                if (plan(c, &arena, &launch, &err) < 0) {
                        if (!c->error || strcmp(err.msg, c->error) != 0)
                                fail_msg("%s: refused: %s", c->name, err.msg);
                        continue;
                }
                if (c->error)
                        fail_msg("%s: not refused", c->name);
                launch_print(&launch, &is);
                plan_compare(c->name, &is);
        }
}

/* What is secret must not stand on a command line. */
static void secrets_are_passed_by_name(void **state) {
        struct launch launch;
        struct err err = {};
        ARENA_AUTO arena;
        bool passed = false;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(plan(&cases[0], &arena, &launch, &err), 0);
        for (const char *const *a = launch.container->create; *a; a++)
                assert_null(strstr(*a, "geheimnis"));
        for (const char *const *e = launch.container->passing_envp; *e; e++)
                passed = passed || strcmp(*e, "GITHUB_TOKEN=geheimnis") == 0;
        assert_true(passed);
        for (const char *const *e = launch.container->envp; *e; e++)
                assert_null(strstr(*e, "geheimnis"));
}

/* ---- options ---- */

#define PRIVILEGED "refused by container.security_flags.block_privileged"
#define HOST_NETWORK "refused by container.security_flags.block_host_network"

static const struct {
        const char *argument, *says; /* NULL: it is let through; "warning": with one */
} arguments[] = {
        { "--privileged", PRIVILEGED },
        { "--privileged=true", PRIVILEGED },
        { "--privileged=1", PRIVILEGED },
        { "--privileged=false", NULL },
        { "--cap-add=SYS_ADMIN", PRIVILEGED },
        { "--cap-add=ALL", PRIVILEGED },
        { "--pid=host", HOST_NETWORK },
        { "--pid=container:x", HOST_NETWORK },
        { "--ipc=host", HOST_NETWORK },
        { "--pid=private", NULL },
        { "--pid=ns:/proc/1/ns/pid", HOST_NETWORK },
        { "--ipc=private", NULL },
        { "--ipc=none", NULL },
        { "--ipc=", HOST_NETWORK },
        { "--ipc=container:x", HOST_NETWORK },
        { "--ipc=ns:/proc/1/ns/ipc", HOST_NETWORK },
        { "--uts=private", NULL },
        { "--uts=host", HOST_NETWORK },
        { "--uts=ns:/proc/1/ns/uts", HOST_NETWORK },
        { "--userns=keep-id", NULL },
        { "--userns=auto", NULL },
        { "--userns=host", PRIVILEGED },
        { "--userns=", PRIVILEGED },
        { "--userns=ns:/proc/1/ns/user", PRIVILEGED },
        { "--userns=container:x", PRIVILEGED },
        { "--cgroupns=private", NULL },
        { "--cgroupns=host", HOST_NETWORK },
        { "--cgroupns=", HOST_NETWORK },
        { "--cgroupns=ns:/proc/1/ns/cgroup", HOST_NETWORK },
        { "--security-opt=seccomp=unconfined", PRIVILEGED },
        { "--security-opt=seccomp:unconfined", PRIVILEGED },
        { "--security-opt=apparmor=unconfined", PRIVILEGED },
        { "--security-opt=systempaths=unconfined", PRIVILEGED },
        { "--security-opt=unmask=ALL", PRIVILEGED },
        { "--security-opt=no-new-privileges:false", PRIVILEGED },
        { "--security-opt=no-new-privileges=0", PRIVILEGED },
        { "--security-opt=no-new-privileges:F", PRIVILEGED },
        { "--security-opt=no-new-privileges=", PRIVILEGED },
        { "--security-opt=no-new-privileges", NULL },
        { "--security-opt=no-new-privileges=true", NULL },
        { "--security-opt=no-new-privileges:true", NULL },
        { "--security-opt=seccomp=/any.json", PRIVILEGED },
        { "--security-opt=seccomp={}", PRIVILEGED },
        { "--security-opt=seccomp=builtin", PRIVILEGED }, /* for podman, a file of that name */
        { "--security-opt=label=disable", "warning" },
        { "--security-opt=label=type:spc_t", PRIVILEGED },
        { "--security-opt=label:level:s0", PRIVILEGED },
        { "--security-opt=writable-cgroups=true", PRIVILEGED },
        { "--security-opt=proc-opts=rw", PRIVILEGED },
        { "--security-opt=apparmor=docker-default", NULL },
        { "--security-opt=apparmor=docker-default2", PRIVILEGED },
        { "--security-opt=mask=/proc/acpi:/sys/firmware", NULL },
        { "--security-opt=mask=/proc/acpi,unmask=ALL", PRIVILEGED },
        { "--device=/dev/kvm", "warning" },
        { "--device=/dev/kvm,vendor.com/class=all", "not on the list of safe options" },
        { "--device=vendor.com/class=all", "not on the list of safe options" },
        { "--gpus=all", "warning" },
        { "--device-cgroup-rule=a *:* rwm", PRIVILEGED },
        { "--network=host", "controlled by container.network_mode" },
        { "--net=bridge", "controlled by container.network_mode" },
        { "--volume=/:/host", "controlled by container.mount_policy" },
        { "--mount=type=bind,source=/etc,target=/e", "controlled by container.mount_policy" },
        { "--volumes-from=x", "refused by container.security_flags.block_root_volume" },
        { "--cgroup-parent=/", PRIVILEGED },
        { "--add-host=db:10.0.0.7", NULL },
        { "--ulimit=stack=1048576", NULL },
        { "--ulimit=stack=1048576,core=-1", "not on the list of safe options" },
        { "--ulimit=host", "not on the list of safe options" },
        { "--ulimit=core=-1", "not on the list of safe options" },
        { "--ulimit=nofile=10", "controlled by sandbox.max_open_files" },
        { "--ulimit=cpu=-1", "controlled by sandbox.max_cpu_secs" },
        { "--annotation=run.oci.keep_original_groups=1", PRIVILEGED },
        { "--group-add=keep-groups", PRIVILEGED },
        { "--label=a=b,c", NULL },
        { "--label=io.bailey.container=0", "controlled by bailey" },
        { "--label=io.bailey.container=0,1", "controlled by bailey" },
        { "--label", "use the form OPTION=VALUE" },
        { "--dns", "use the form OPTION=VALUE" },
        { "--volume", "use the form OPTION=VALUE" },
        { "--user=0", "not on the list of safe options" },
        { "--env-host", "not on the list of safe options" },
        { "--pidfile=/x", "not on the list of safe options" },
        { "--cidfile=/x", "not on the list of safe options" },
        { "--runtime=runc", "not on the list of safe options" },
        { "--sysctl=net.ipv4.ip_forward=1", "not on the list of safe options" },
        { "--init-path=/x", "not on the list of safe options" },
        { "--tz=local", "not on the list of safe options" },
        { "--secret=x", "not on the list of safe options" },
        { "--workdir=/", "not on the list of safe options" },
        { "--use-api-socket", "not on the list of safe options" },
        { "--rootfs", "not on the list of safe options" },
        { "-v=/:/host", "not on the list of safe options" },
        { "--", "not on the list of safe options" },
        { "--entrypoint=sh", "not on the list of safe options" },
        { "--nonsense", "not on the list of safe options" },
};

static const struct host nowhere = {};

static void arguments_are_judged(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
                struct str item = str_z(arguments[i].argument);
                struct policy policy = { .sandbox.network = NETWORK_DENY,
                                         .container = { .run_args = { &item, 1 },
                                                        .block_privileged = true,
                                                        .block_host_network = true,
                                                        .block_root_volume = true } };
                struct container_rulings rulings;
                struct mount_list none = {};
                struct err err = {};
                ARENA_AUTO arena;
                int result;

                arena_init(&arena, 0);
                result = container_rules_check(&policy, &nowhere, &none, &arena, &rulings, &err);
                if (!arguments[i].says || strcmp(arguments[i].says, "warning") == 0) {
                        if (result < 0)
                                fail_msg("%s", err.msg);
                        assert_int_equal(rulings.warning_count, arguments[i].says ? 1 : 0);
                        assert_true(arguments[i].says || rulings.lost == 0);
                } else if (result == 0 || !strstr(err.msg, arguments[i].says) || err.code != ERR_INVALID) {
                        fail_msg("%s: %s", arguments[i].argument, result == 0 ? "let through" : err.msg);
                }
        }
}

/* Whoever switches a flag off is told, and no wall is promised that is not there. */
/* They never promise that single hosts can be reached. */
enum { ALL_OF_CONTAINERS = ((1 << GUARANTEE_COUNT) - 1) & ~GUARANTEE_HOSTS };

static void what_is_let_through_is_not_promised(void **state) {
        static const struct {
                const char *argument;
                uint32_t lost;
        } losses[] = {
                { "--privileged", ALL_OF_CONTAINERS },
                { "--security-opt=seccomp=/any.json", GUARANTEE_SYSCALLS },
                { "--security-opt=no-new-privileges=0", GUARANTEE_PRIVILEGES },
                { "--security-opt=label=type:spc_t", ALL_OF_CONTAINERS },
                { "--ipc=ns:/proc/1/ns/ipc", GUARANTEE_PROCESSES | GUARANTEE_TMP },
                { "--device=/dev/sda", GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_PROTECT | GUARANTEE_METADATA },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
                struct str item = str_z(losses[i].argument);
                struct policy policy = { .sandbox.network = NETWORK_DENY, .container = { .run_args = { &item, 1 } } };
                struct container_rulings rulings;
                struct mount_list none = {};
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                assert_int_equal(container_rules_check(&policy, &nowhere, &none, &arena, &rulings, NULL), 0);
                assert_int_equal(rulings.warning_count, 1);
                assert_int_equal(rulings.lost, losses[i].lost);
        }
}

/* The same for mounts. Where a mask covers it nothing is lost. */
static void what_is_mounted_is_not_promised(void **state) {
        static const struct {
                const struct host *host;
                uint32_t lost;
                const char *warning;
        } losses[] = {
                { &allows_root, ALL_OF_CONTAINERS, "/ is mounted: this gives the command access to resources of the host" },
                { &allows_proc, ALL_OF_CONTAINERS,
                  "/proc/sys is mounted: this gives the command access to resources of the host" },
                { &allows_sys, ALL_OF_CONTAINERS, "/sys is mounted: this gives the command access to resources of the host" },
                { &allows_socket, ALL_OF_CONTAINERS,
                  "/run/user/1000/podman/podman.sock is mounted: this gives the command access to resources of the host" },
                { &allows_other_space, ALL_OF_CONTAINERS,
                  "/opt/engine/api is mounted: this gives the command access to resources of the host" },
                { &allows_agent, 0, NULL },
                { &allows_etc, GUARANTEE_READS, "/etc is mounted: this gives the command access to resources of the host" },
                { &allows_etc_writable, GUARANTEE_READS | GUARANTEE_WRITES | GUARANTEE_METADATA,
                  "/etc is mounted: this gives the command access to resources of the host" },
                { &allows_localtime, 0, NULL },
                { &allows_device, 0, "/dev/fuse: a device: this gives the command access to resources of the host" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
                struct plan_case c = { "mounted",
                                       &backend_docker,
                                       losses[i].host,
                                       { "container.mount_policy=custom", "container.security_flags.block_root_volume=false" },
                                       NULL };
                const char *const *warnings;
                struct launch launch;
                struct err err = {};
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                if (plan(&c, &arena, &launch, &err) < 0)
                        fail_msg("%s", err.msg);
                assert_int_equal(launch.guarantees & losses[i].lost, 0);
                assert_int_equal(launch.waived & losses[i].lost, losses[i].lost);
                assert_int_equal((launch.guarantees | losses[i].lost) & backend_docker.guarantees, backend_docker.guarantees);
                warnings = launch.container->warnings;
                if (losses[i].warning)
                        assert_string_equal(*warnings++, losses[i].warning);
                assert_null(*warnings);
        }
}

/* `bailey run --network inherit` alone does not give a container one. */
static void a_network_that_is_not_there_is_said(void **state) {
        static const char warning[] =
                "sandbox.network = inherit: containers have no network unless container.network_mode = \"bridge\"";
        struct policy policy = { .sandbox.network = NETWORK_INHERIT };
        struct container_rulings rulings;
        struct mount_list none = {};
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(container_rules_check(&policy, &nowhere, &none, &arena, &rulings, NULL), 0);
        assert_int_equal(rulings.warning_count, 1);
        assert_string_equal(rulings.warnings[0], warning);
        policy.container.network_mode = CONTAINER_NETWORK_BRIDGE;
        assert_int_equal(container_rules_check(&policy, &nowhere, &none, &arena, &rulings, NULL), 0);
        assert_int_equal(rulings.warning_count, 0);
}

static void options_are_sorted(void **state) {
        (void)state;
        for (size_t i = 1; i < container_option_count; i++) {
                const struct container_option *a = &container_options[i - 1], *b = a + 1;
                int order = strcmp(a->name, b->name);

                assert_true(order < 0 || (order == 0 && a->value)); /* the general row is the last */
                assert_true(b->verdict < OPTION_REFUSED || b->rule);
        }
}

/* ---- sessions ---- */

static void session_is_hardened(void **state) {
        static const char *const argv[] = { "true", NULL }, *const envp[] = { NULL };
        struct policy_request wanted = { .builtin_only = true };
        struct sandbox_request request = { .program = "true", .argv = argv, .envp = envp };
        struct container_question question = { .backend = &backend_docker,
                                               .engine = &dockers.engines.at[ENGINE_DOCKER],
                                               .host = &laptop_docker,
                                               .request = &request };
        struct container_session planned;
        struct err err = {};
        ARENA_AUTO arena;
        BUF_AUTO text;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, 1 << 16);
        assert_int_equal(policy_load(&wanted, &arena, &question.policy, &err), 0);
        assert_int_equal(container_plan_session(&question, "bailey-session", &arena, &planned, &err), 0);
        for (const char *const *word = planned.create; *word; word++)
                buf_format(&text, "%s\n", *word);
        plan_compare("docker-session-run", &text);
}

/* What is mounted may hold sockets. gVisor connects to none, unless it is told to. */
static void sockets_are_not_promised(void **state) {
        static const struct {
                const struct backend *backend;
                const struct host *host;
                bool promised;
        } rows[] = {
                { &backend_docker, &laptop_docker, false },
                { &backend_podman, &laptop_rootless, false },
                { &backend_gvisor, &laptop_docker, true },
                { &backend_gvisor, &laptop_open_sockets, false },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct plan_case c = { "sockets", rows[i].backend, rows[i].host, {}, NULL };
                struct launch launch;
                struct err err = {};
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                assert_int_equal(plan(&c, &arena, &launch, &err), 0);
                if (!!(launch.guarantees & GUARANTEE_SOCKETS) != rows[i].promised ||
                    !!(launch.waived & GUARANTEE_SOCKETS) == rows[i].promised)
                        fail_msg("%zu", i);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(sockets_are_not_promised),
                cmocka_unit_test(plans_are_as_written),
                cmocka_unit_test(secrets_are_passed_by_name),
                cmocka_unit_test(arguments_are_judged),
                cmocka_unit_test(what_is_let_through_is_not_promised),
                cmocka_unit_test(what_is_mounted_is_not_promised),
                cmocka_unit_test(a_network_that_is_not_there_is_said),
                cmocka_unit_test(options_are_sorted),
                cmocka_unit_test(session_is_hardened),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
