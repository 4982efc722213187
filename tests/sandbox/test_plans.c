/*
 * Every backend's plan for hosts and policies that are made up here, word for word: tests/sandbox/plans/NAME.txt.
 * BAILEY_UPDATE=1 writes them anew.
 */
#include "policy/keys.h"
#include "tests/sandbox/plan_test.h"

/* An ordinary user with a repository in the home directory. */
static const struct host laptop = {
        .uid = 1000,
        .workspace = "/home/ann/project x",
        .cwd = "/home/ann/project x/src",
        .self = "/usr/bin/bailey",
        .bwrap = "/usr/bin/bwrap",
        .landlock = 7,
        .homes = PATHS(DIR("/home/ann")),
        .system = PATHS(DIR("/usr"), { .path = "/bin", .directory = true, .link = "usr/bin" }, DIR("/etc")),
        .scratch = PATHS(DIR("/tmp"), DIR("/var/tmp")),
        .emptied = PATHS(DIR("/run"), DIR("/home"), DIR("/root")),
        .resolver = PATHS(FILE_AT("/run/systemd/resolve/stub-resolv.conf")),
        .masks = PATHS(DIR("/home/ann/.ssh"), FILE_AT("/home/ann/.netrc"), FILE_AT("/etc/shadow")),
        .protection = {
                .read_only = PROTECTED({ .path = "/home/ann/project x/.git/config" },
                                       { .path = "/home/ann/project x/.git/hooks", .directory = true },
                                       { .path = "/home/ann/project x/.envrc", .link = "../envrc" }),
                .anchors = PROTECTED({ .path = "/home/ann/project x/.git", .directory = true }),
        },
        .readable = PATHS(DIR("/usr"), DIR("/bin"), FILE_AT("/etc/passwd"), DIR("/home/ann/project x")),
        .tmpdir = "/tmp/.bailey-tmp-123456",
};

/* Root in a container, with a worktree whose repository lies elsewhere. */
static const struct host server = {
        .uid = 0,
        .workspace = "/tmp/work",
        .cwd = "/tmp/work",
        .self = "/opt/bailey",
        .bwrap = "/usr/bin/bwrap",
        .landlock = 3,
        .groups = GROUP_MEMORY | GROUP_PIDS,
        .homes = PATHS(DIR("/root")),
        .system = PATHS(DIR("/usr"), { .path = "/bin", .directory = true, .link = "usr/bin" }, DIR("/etc")),
        .scratch = PATHS(DIR("/tmp")),
        .emptied = PATHS(DIR("/run"), DIR("/home")),
        .kept = PATHS(DIR("/run/systemd/resolve")),
        .resolver = PATHS(FILE_AT("/etc/resolv.conf")),
        .masks = PATHS(DIR("/root/.ssh"), DIR("/data/secret")),
        .read = PATHS(DIR("/data"), DIR("/home/shared")),
        .write = PATHS(DIR("/data/out")),
        .write_deny = PATHS(FILE_AT("/data/out/keep")),
        .protection = { .git_write = PROTECTED({ .path = "/data/repo/.git", .directory = true }) },
        .readable = PATHS(DIR("/usr"), DIR("/data")),
        .tmpdir = "/tmp/.bailey-tmp-123456",
};

/* Root of a machine, whose commands have ids of their own. What others cannot search stands above what is mounted, and above
 * what is denied. */
#define ROOTS                                                                                                                  \
        .uid = 0, .id_base = 1999962112, .workspace = "/srv/app/x", .cwd = "/srv/app/x", .self = "/usr/bin/bailey",            \
        .bwrap = "/usr/bin/bwrap", .landlock = 7, .homes = PATHS(DIR("/root")),                                                \
        .scratch = PATHS(DIR("/tmp"), DIR("/var/tmp")), .emptied = PATHS(DIR("/run"), DIR("/home")),                           \
        .kept = PATHS(DIR("/run/systemd/resolve")), .system = PATHS(DIR("/usr"), DIR("/etc")),                                 \
        .masks = PATHS(DIR("/root/.ssh"), FILE_AT("/opt/closed/a/key"), FILE_AT("/opt/closed/b/key"), FILE_AT("/etc/shadow")), \
        .read = PATHS(FILE_AT("/etc/ssl/private/key.pem"), DIR("/var"), DIR("/proc/sys"), DIR("/root/data")),                  \
        .write = PATHS(DIR("/srv/out")), .write_deny = PATHS(FILE_AT("/srv/out/keep"), FILE_AT("/etc/hosts")),                 \
        .closed = PATHS(DIR("/srv/app"), DIR("/etc/ssl/private"), DIR("/root"), DIR("/opt/closed"), DIR("/opt/closed/a")),     \
        .protection = {                                                                                                        \
                .workspace = "/srv/app/x",                                                                                     \
                .read_only = PROTECTED({ .path = "/srv/app/x/.git/config", .kind = PROTECTED_CONFIG }),                        \
                .anchors = PROTECTED({ .path = "/srv/app/x/.git", .directory = true }),                                        \
        }
static const struct home_item roots_items[] = {
        { "/root/.cargo/bin", "/root/.cargo/bin", SHOWN_TOOLS },
        { "/root/.npm", "/root/.npm", SHOWN_CACHE },
};
static const struct host roots = { ROOTS };
static const struct host roots_in_git = { ROOTS, .repository = "/srv/app" };
static const struct host roots_own = {
        ROOTS,
        .home = { .path = "/root",
                  .layer = "/var/lib/bailey/homes/1",
                  .files = "/var/lib/bailey/homes/1/home",
                  .items = roots_items,
                  .count = 2 },
};
static const struct host roots_unmapped = { ROOTS, .no_identity = "commands are root outside the sandbox: why" };

/* For a backend that cannot deny inside something it allows. */
static const struct host denied_here = {
        .workspace = "/srv/w",
        .cwd = "/srv/w",
        .landlock = 7,
        .masks = PATHS(FILE_AT("/srv/w/secret")),
        .readable = PATHS(FILE_AT("/srv/w/a")),
};
static const struct host denied_there = {
        .workspace = "/srv/w",
        .cwd = "/srv/w",
        .landlock = 7,
        .masks = PATHS(FILE_AT("/data/out/secret")),
        .write = PATHS(DIR("/data/out")),
};
static const struct host denied_git = {
        .workspace = "/srv/w",
        .cwd = "/srv/w",
        .landlock = 7,
        .masks = PATHS(FILE_AT("/data/repo/.git/secret")),
        .protection = { .git_write = PROTECTED({ .path = "/data/repo/.git", .directory = true }) },
};
/* What is allowed lies in what is denied. */
static const struct host denied_around = {
        .workspace = "/srv/w",
        .cwd = "/srv/w",
        .landlock = 7,
        .masks = PATHS(DIR("/data"), DIR("/dev/pts")),
        .write = PATHS(DIR("/data/out"), DIR("/data2")),
        .protection = { .git_write = PROTECTED({ .path = "/data/repo/.git", .directory = true }) },
};
/* What is listed lies in something else that can be written: what leads there stays where it is. */
static const struct host nested = {
        .workspace = "/srv/w",
        .cwd = "/srv/w",
        .sandbox_exec = "/usr/bin/sandbox-exec",
        .read = PATHS(DIR("/srv/w/a/data")),
        .write = PATHS(DIR("/srv/w/a/b/cache"), DIR("/data"), FILE_AT("/data/x/file")),
        .tmpdir = "/private/tmp/.bailey-tmp-123456",
};
/* What is listed later covers what was mounted in it before: masks are needed there, and anchors from its top on. */
static const struct host covering = {
        .workspace = "/data/a/w",
        .cwd = "/data/a/w",
        .scratch = PATHS(DIR("/tmp"), DIR("/var/tmp")),
        .masks = PATHS(FILE_AT("/data/a/w/b/secret"), FILE_AT("/var/tmp/secret"), FILE_AT("/tmp/secret")),
        .write = PATHS(DIR("/data"), DIR("/var")),
};
/* An ordinary user of macOS. */
static const struct host mac = {
        .uid = 501,
        .workspace = "/Users/ann/project x",
        .cwd = "/Users/ann/project x/src",
        .self = "/opt/homebrew/bin/bailey",
        .sandbox_exec = "/usr/bin/sandbox-exec",
        .homes = PATHS(DIR("/Users/ann")),
        .masks = PATHS(DIR("/Users/ann/.ssh"), DIR("/Users/ann/Library/Keychains"), DIR("/Users/ann/project x/a/b/secret")),
        .read = PATHS(DIR("/Volumes/data")),
        .write = PATHS(DIR("/Users/Shared/out")),
        .write_deny = PATHS(FILE_AT("/Users/Shared/out/keep/this")),
        .protection = {
                .read_only = PROTECTED({ .path = "/Users/ann/project x/.git/config" },
                                       { .path = "/Users/ann/project x/.git/hooks", .directory = true },
                                       { .path = "/Users/ann/project x/.envrc", .link = "../envrc" }),
                .anchors = PROTECTED({ .path = "/Users/ann/project x/.git", .directory = true }),
                .git_write = PROTECTED({ .path = "/Users/ann/repo/.git", .directory = true }),
                .absent = PROTECTED({ .path = "/Users/ann/project x/tools/hooks" }),
        },
        .tmpdir = "/private/tmp/.bailey-tmp-123456",
};
static const struct host mac_newline = { .workspace = "/w\n(allow default)", .sandbox_exec = "/s", .tmpdir = "/t" };
/* And of Windows. */
static const struct host windows = {
        .uid = 1000,
        .workspace = "/c/Users/ann/project x",
        .cwd = "/c/Users/ann/project x/src",
        .self = "/c/Program Files/bailey/bailey.exe",
        .windows = true,
        .homes = PATHS(DIR("/c/Users/ann")),
        .masks = PATHS(DIR("/c/Users/ann/.ssh")),
        .read = PATHS(DIR("/d/data"), FILE_AT("/d/one.txt")),
        .write = PATHS(DIR("/d/out")),
        .write_deny = PATHS(DIR("/d/data/keep")),
};
static const struct host windows_denied = {
        .workspace = "/c/w", .cwd = "/c/w", .windows = true, .masks = PATHS(DIR("/c/w/a/secret"))
};
static const struct host windows_shared = {
        .workspace = "/c/w", .cwd = "/c/w", .windows = true, .masks = PATHS(DIR("/d/PROGRAM files/tool/keys"))
};
static const struct host windows_above = { .workspace = "/d/w", .cwd = "/d/w", .windows = true, .masks = PATHS(DIR("/c")) };
static const struct host windows_kept = {
        .workspace = "/c/w", .cwd = "/c/w", .windows = true, .write_deny = PATHS(FILE_AT("/c/w/keep"))
};
static const struct host windows_masked = {
        .workspace = "/c/w/x", .cwd = "/c/w/x", .windows = true, .masks = PATHS(DIR("/c/w"))
};
/* Sockets that may be reached: where there is nothing else, where all can be seen, where commands write, and missing. */
static const struct host listing = {
        .workspace = "/home/ann/project",
        .cwd = "/home/ann/project",
        .self = "/usr/bin/bailey",
        .bwrap = "/usr/bin/bwrap",
        .landlock = 7,
        .homes = PATHS(DIR("/home/ann")),
        .scratch = PATHS(DIR("/tmp")),
        .emptied = PATHS(DIR("/run"), DIR("/home")),
        .sockets = PATHS(SOCKET("/tmp/ssh-x/agent"), SOCKET("/run/postgresql/s"), SOCKET("/home/ann/s"),
                         SOCKET("/home/ann/project/d/s"), FILE_AT("/srv/none")),
};
/* /tmp is that of the session: of what is mounted in it, only the directories directly in there are made in it. */
static const struct host in_session = {
        .workspace = "/tmp/a/b/w",
        .cwd = "/tmp/a/b/w",
        .landlock = 7,
        .session_tmp = true,
        .scratch = PATHS(DIR("/tmp"), DIR("/var/tmp")),
        .emptied = PATHS(DIR("/run")),
        .masks = PATHS(FILE_AT("/tmp/a/b/w/secret"), FILE_AT("/tmp/unseen/secret")),
        .read = PATHS(DIR("/tmp/a/data")),
        .write = PATHS(DIR("/tmp/out")),
        .sockets = PATHS(SOCKET("/tmp/ssh-x/agent"), SOCKET("/tmp/one")),
};
/* The user wants the host's. */
static const struct host in_session_of_host = {
        .workspace = "/tmp/a/b/w",
        .cwd = "/tmp/a/b/w",
        .landlock = 7,
        .session_tmp = true,
        .scratch = PATHS(DIR("/tmp")),
        .write = PATHS(DIR("/tmp"), DIR("/tmp/c/d")),
};
static const struct host first = { .workspace = "/srv/w", .cwd = "/srv/w", .landlock = 2 };

#define NO_PROTECT                                                                                                      \
        "landlock: cannot enforce this policy: no changes to files that programs on the host run later, and to denied " \
        "paths, in writable directories"

static const struct plan_case {
        const char *name;
        const struct backend *backend;
        const struct host *host;
        const char *policy;
        const char *overrides[8];
        const char *error; /* what it is refused for; NULL: planned */
} cases[] = {
        { "native-default", &backend_native, &laptop, "default", {}, NULL },
        { "native-readonly", &backend_native, &laptop, "readonly", {}, NULL },
        { "native-inherit", &backend_native, &laptop, "default", { "sandbox.network=inherit" }, NULL },
        { "native-sockets", &backend_native, &listing, "default", {}, NULL },
        { "bwrap-sockets", &backend_bwrap, &listing, "default", {}, NULL },
        { "landlock-sockets",
          &backend_landlock,
          &laptop,
          "default",
          { "sandbox.unix_sockets.paths=[\"/run/agent\"]" },
          "policy not supported: landlock cannot restrict commands to listed unix sockets (sandbox.unix_sockets)" },
        { "native-session", &backend_native, &in_session, "default", {}, NULL },
        { "native-session-minimal", &backend_native, &in_session, "default", { "sandbox.root=minimal" }, NULL },
        { "native-session-of-host", &backend_native, &in_session_of_host, "default", {}, NULL },
        { "native-unprotected", &backend_native, &laptop, "default", { "sandbox.protect_workspace=false" }, NULL },
        { "native-minimal-strict",
          &backend_native,
          &laptop,
          "default",
          { "sandbox.root=minimal", "sandbox.syscall_policy=strict" },
          NULL },
        { "native-minimal-deny-wins", &backend_native, &denied_around, "default", { "sandbox.root=minimal" }, NULL },
        { "native-root", &backend_native, &roots, "default", { "sandbox.home=host" }, NULL },
        { "native-root-in-git", &backend_native, &roots_in_git, "default", { "sandbox.home=host" }, NULL },
        { "native-root-own", &backend_native, &roots_own, "default", { "sandbox.home=own" }, NULL },
        { "native-root-minimal", &backend_native, &roots, "default", { "sandbox.root=minimal" }, NULL },
        { "native-root-unmapped", &backend_native, &roots_unmapped, "default", { "sandbox.home=host" }, NULL },
        { "native-root-required",
          &backend_native,
          &roots_unmapped,
          "default",
          { "sandbox.require_identity=true" },
          "native: cannot enforce this policy: commands of root are not root outside the sandbox" },
        { "bwrap-root", &backend_bwrap, &roots, "default", { "sandbox.home=host" }, NULL },
        { "native-server",
          &backend_native,
          &server,
          "default",
          { "sandbox.network=inherit", "sandbox.max_memory_bytes=1GiB", "sandbox.max_pids=100", "sandbox.max_cpu_secs=5",
            "sandbox.tmp_bytes=1MiB", "sandbox.unix_sockets=deny" },
          NULL },
        { "native-nested", &backend_native, &nested, "default", {}, NULL },
        { "native-covering", &backend_native, &covering, "default", {}, NULL },
        { "native-limits-by-user",
          &backend_native,
          &laptop,
          "default",
          { "sandbox.max_memory_bytes=1GiB", "sandbox.max_pids=100", "sandbox.max_file_bytes=1MiB", "sandbox.max_open_files=64",
            "sandbox.user_memory_percent=50", "sandbox.user_max_pids=4096" },
          NULL },
        { "bwrap-default", &backend_bwrap, &laptop, "default", {}, NULL },
        { "bwrap-server", &backend_bwrap, &server, "default", { "sandbox.network=inherit" }, NULL },
        { "bwrap-minimal", &backend_bwrap, &laptop, "default", { "sandbox.root=minimal" }, NULL },
        { "landlock-readonly", &backend_landlock, &laptop, "readonly", {}, NULL },
        { "landlock-unprotected", &backend_landlock, &laptop, "default", { "sandbox.protect_workspace=false" }, NULL },
        { "none", &backend_none, &laptop, "default", {}, NULL },
        { "landlock-default",
          &backend_landlock,
          &laptop,
          "default",
          {},
          NO_PROTECT " (to give this up, set sandbox.protect_workspace = false)" },
        { "landlock-masked-in-workspace",
          &backend_landlock,
          &denied_here,
          "default",
          { "sandbox.protect_workspace=false" },
          NO_PROTECT },
        { "landlock-masked-in-writable", &backend_landlock, &denied_there, "readonly", {}, NO_PROTECT },
        { "landlock-masked-in-git",
          &backend_landlock,
          &denied_git,
          "default",
          { "sandbox.protect_workspace=false" },
          NO_PROTECT },
        { "landlock-masked", &backend_landlock, &denied_here, "readonly", {}, NULL },
        { "landlock-deny-wins", &backend_landlock, &denied_around, "default", {}, NULL },
        { "landlock-minimal",
          &backend_landlock,
          &laptop,
          "readonly",
          { "sandbox.root=minimal" },
          "landlock: cannot enforce this policy: minimal root file system" },
        { "landlock-old",
          &backend_landlock,
          &server,
          "readonly",
          {},
          NO_PROTECT "; no signals to processes outside, and no tracing of them; no process outlives the command" },
        { "landlock-oldest",
          &backend_landlock,
          &first,
          "readonly",
          {},
          "landlock: cannot enforce this policy: no writes outside the workspace; "
          "no signals to processes outside, and no tracing of them; no process outlives the command" },
        { "sandbox-exec-default", &backend_sandbox_exec, &mac, "default", {}, NULL },
        { "sandbox-exec-readonly", &backend_sandbox_exec, &mac, "readonly", {}, NULL },
        { "sandbox-exec-minimal",
          &backend_sandbox_exec,
          &mac,
          "default",
          { "sandbox.root=minimal", "sandbox.protect_workspace=false" },
          NULL },
        { "sandbox-exec-network",
          &backend_sandbox_exec,
          &mac,
          "default",
          { "sandbox.network=inherit", "sandbox.max_memory_bytes=1GiB", "sandbox.max_cpu_secs=5", "sandbox.max_pids=100",
            "sandbox.max_open_files=64" },
          NULL },
        { "sandbox-exec-elsewhere", &backend_sandbox_exec, &laptop, "default", {}, "sandbox-exec: needs macOS" },
        { "sandbox-exec-newline",
          &backend_sandbox_exec,
          &mac_newline,
          "default",
          {},
          "sandbox-exec: /w: a path with control characters" },
        { "sandbox-exec-strict",
          &backend_sandbox_exec,
          &mac,
          "default",
          { "sandbox.syscall_policy=strict" },
          "policy not supported: sandbox-exec has no system call filter: set sandbox.syscall_policy to inherit" },
        { "sandbox-exec-limits-required",
          &backend_sandbox_exec,
          &mac,
          "default",
          { "sandbox.max_cpu_secs=5", "sandbox.require_limits=true" },
          "max_cpu_secs cannot be enforced: sandbox-exec has no such limit" },
        { "sandbox-exec-pids-required",
          &backend_sandbox_exec,
          &mac,
          "default",
          { "sandbox.max_pids=100", "sandbox.require_limits=true" },
          "max_pids cannot be enforced: sandbox-exec has no such limit" },
        { "appcontainer-unprotected", &backend_appcontainer, &windows, "default", { "sandbox.protect_workspace=false" }, NULL },
        { "appcontainer-readonly", &backend_appcontainer, &windows, "readonly", {}, NULL },
        { "appcontainer-limits",
          &backend_appcontainer,
          &windows,
          "readonly",
          { "sandbox.network=inherit", "sandbox.max_memory_bytes=1GiB", "sandbox.max_cpu_secs=5", "sandbox.max_pids=1",
            "sandbox.max_file_bytes=1MiB" },
          NULL },
        { "appcontainer-default",
          &backend_appcontainer,
          &windows,
          "default",
          {},
          "policy not supported: appcontainer cannot keep a part of a writable workspace as it is: set "
          "sandbox.protect_workspace or sandbox.workspace_write to false, or use the policy readonly" },
        { "appcontainer-elsewhere", &backend_appcontainer, &laptop, "readonly", {}, "appcontainer: needs Windows" },
        { "appcontainer-strict",
          &backend_appcontainer,
          &windows,
          "readonly",
          { "sandbox.syscall_policy=strict" },
          "policy not supported: appcontainer has no system call filter: set sandbox.syscall_policy to inherit" },
        { "appcontainer-sockets",
          &backend_appcontainer,
          &windows,
          "readonly",
          { "sandbox.unix_sockets=deny" },
          "policy not supported: appcontainer cannot forbid sockets in the workspace: set sandbox.unix_sockets to allow" },
        { "appcontainer-minimal",
          &backend_appcontainer,
          &windows,
          "readonly",
          { "sandbox.root=minimal" },
          "policy not supported: appcontainer has no root of its own: set sandbox.root to host" },
        { "appcontainer-denied-inside",
          &backend_appcontainer,
          &windows_denied,
          "readonly",
          {},
          "policy not supported: appcontainer cannot grant /c/w and keep /c/w/a/secret from being read: take the one or the "
          "other off its list" },
        { "appcontainer-denied-program",
          &backend_appcontainer,
          &windows_shared,
          "readonly",
          {},
          "policy not supported: appcontainer cannot keep /d/PROGRAM files/tool/keys from being read: all AppContainers may "
          "read "
          "it" },
        { "appcontainer-denied-drive",
          &backend_appcontainer,
          &windows_above,
          "readonly",
          {},
          "policy not supported: appcontainer cannot keep /c from being read: all AppContainers may read it" },
        { "appcontainer-kept-inside",
          &backend_appcontainer,
          &windows_kept,
          "default",
          { "sandbox.protect_workspace=false" },
          "policy not supported: appcontainer cannot grant /c/w and keep /c/w/keep from being written: take the one or the "
          "other off its list" },
        { "appcontainer-kept-readonly", &backend_appcontainer, &windows_kept, "readonly", {}, NULL },
        { "appcontainer-masked",
          &backend_appcontainer,
          &windows_masked,
          "readonly",
          {},
          "workspace /c/w/x: inside /c/w, which commands may not read" },
        { "appcontainer-limits-required",
          &backend_appcontainer,
          &windows,
          "readonly",
          { "sandbox.max_open_files=5", "sandbox.require_limits=true" },
          "max_open_files cannot be enforced: Windows job objects have no such limit" },
        { "sandbox-exec-nested", &backend_sandbox_exec, &nested, "default", {}, NULL },
        { "native-hosts",
          &backend_native,
          &laptop,
          "default",
          { "sandbox.network=allow_hosts", "sandbox.network.hosts=[\"a.b\", \"c.d:8443\"]",
            "sandbox.network.host_ports=[\"5432\"]", "sandbox.network.publish=[\"3000\"]" },
          NULL },
        { "native-hosts-minimal",
          &backend_native,
          &server,
          "default",
          { "sandbox.root=minimal", "sandbox.network=allow_hosts", "sandbox.network.hosts=a.b:*" },
          NULL },
        { "native-host-ports", &backend_native, &laptop, "default", { "sandbox.network.host_ports=[\"5432\"]" }, NULL },
        { "bwrap-hosts",
          &backend_bwrap,
          &laptop,
          "default",
          { "sandbox.network=allow_hosts", "sandbox.network.hosts=a.b" },
          NULL },
        { "bwrap-host-ports", &backend_bwrap, &laptop, "default", { "sandbox.network.host_ports=[\"5432\"]" }, NULL },
        { "host-ports-dns",
          &backend_native,
          &laptop,
          "default",
          { "sandbox.network=allow_hosts", "sandbox.network.hosts=a.b", "sandbox.network.host_ports=[\"53\"]" },
          "sandbox.network.host_ports: port 53 is that of the sandbox's own name server" },
        { "host-ports-published",
          &backend_native,
          &laptop,
          "default",
          { "sandbox.network.host_ports=[\"3000\"]", "sandbox.network.publish=[\"8080:3000\"]" },
          "sandbox.network.publish and host_ports both have port 3000: inside, it can be that of the command or that of the "
          "host" },
        { "landlock-hosts",
          &backend_landlock,
          &first,
          "default",
          { "sandbox.network=packages" },
          "landlock: cannot enforce this policy: no writes outside the workspace; no signals to processes outside, and no "
          "tracing of them; no process outlives the command; no network except for listed hosts" },
        { "landlock-host-ports",
          &backend_landlock,
          &laptop,
          "default",
          { "sandbox.network.host_ports=[\"5432\"]" },
          "policy not supported: landlock cannot forward ports (sandbox.network.host_ports and publish)" },
        { "appcontainer-hosts",
          &backend_appcontainer,
          &windows,
          "readonly",
          { "sandbox.network=allow_hosts", "sandbox.network.hosts=a.b" },
          "appcontainer: cannot enforce this policy: no network except for listed hosts" },
        { "limits-required",
          &backend_native,
          &laptop,
          "default",
          { "sandbox.max_memory_bytes=1GiB", "sandbox.require_limits=true" },
          "max_memory_bytes cannot be enforced: no cgroup is available" },
};

static void plan_print(const struct plan_case *c, struct buf *out) {
        static const char *const argv[] = { "bash", "-c", "make \"it\"\n", NULL };
        static const char *const envp[] = { "PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL };
        struct policy_request wanted = { .name = c->policy, .overrides = c->overrides, .builtin_only = true };
        struct sandbox_request request = { .program = "/bin/bash", .argv = argv, .envp = envp };
        const struct policy *policy;
        struct launch launch;
        struct err err = {};
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (policy_load(&wanted, &arena, &policy, &err) < 0)
                fail_msg("%s: %s", c->name, err.msg);
        if (backend_plan(c->backend, policy, c->host, &request, &arena, &launch, &err) < 0) {
                if (!c->error || strcmp(err.msg, c->error) != 0)
                        fail_msg("%s: refused: %s", c->name, err.msg);
                return;
        }
        if (c->error)
                fail_msg("%s: not refused", c->name);
        launch_print(&launch, out);
}

static void plans_are_as_written(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                BUF_AUTO is;

                buf_init(&is, 1 << 20);
                plan_print(&cases[i], &is);
                if (!cases[i].error)
                        plan_compare(cases[i].name, &is);
        }
}

/* `true` under the built-in policy, but for these. */
static int plan_with(const struct backend *backend, const struct host *host, const char *const *overrides, struct arena *arena,
                     struct launch *ret, struct err *err) {
        static const char *const argv[] = { "true", NULL }, *const envp[] = { NULL };
        struct policy_request wanted = { .overrides = overrides, .builtin_only = true };
        struct sandbox_request request = { .program = "true", .argv = argv, .envp = envp };
        const struct policy *policy;

        assert_int_equal(policy_load(&wanted, arena, &policy, err), 0);
        return backend_plan(backend, policy, host, &request, arena, ret, err);
}

static int plan_true(const struct backend *backend, const struct host *host, struct arena *arena, struct launch *ret,
                     struct err *err) {
        return plan_with(backend, host, NULL, arena, ret, err);
}

/* A mask has to come after all that could bring its path back, and masks of hidden places would only cost. */
static void deny_wins(void **state) {
        ARENA_AUTO arena;
        struct launch launch;
        struct err err = {};
        bool masked = false;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(plan_true(&backend_native, &server, &arena, &launch, &err), 0);
        for (size_t i = 0; i < launch.mount_count; i++) {
                const struct mount_step *s = &launch.mounts[i];

                if (s->kind == MOUNT_MASK_DIR || s->kind == MOUNT_MASK_FILE)
                        masked = true;
                else if (masked)
                        assert_int_equal(s->kind, MOUNT_SEAL);
        }
        assert_true(masked);
}

static void workspace_in_a_store(void **state) {
        struct host host = laptop;
        ARENA_AUTO arena;
        struct launch launch;
        struct err err = {};

        (void)state;
        arena_init(&arena, 0);
        host.workspace = host.cwd = "/home/ann/.ssh/keys";
        for (size_t i = 0; i < 3; i++) {
                assert_int_equal(plan_true(backends[i], &host, &arena, &launch, &err), -1);
                assert_string_equal(err.msg,
                                    "workspace /home/ann/.ssh/keys: inside /home/ann/.ssh, which commands may not read");
        }
}

/* Where calls cannot be brokered there are no unix sockets, and the wall stands all the same. */
static void sockets_without_a_broker(void **state) {
        static const char *const denied[] = { "sandbox.unix_sockets=deny", NULL };
        static const struct backend *const mounting[] = { &backend_native, &backend_bwrap };
        struct host host = laptop;
        ARENA_AUTO arena;
        struct launch launch;
        struct err err = {};

        (void)state;
        arena_init(&arena, 0);
        host.no_broker = "no broker";
        for (size_t i = 0; i < 2; i++) {
                assert_int_equal(plan_true(mounting[i], &host, &arena, &launch, &err), 0);
                assert_true(launch.guarantees & GUARANTEE_SOCKETS);
                assert_int_equal(launch.broker.calls, 0);
                assert_string_equal(launch.seccomp_name, "inherit, no unix sockets, own limits");
                assert_string_equal(launch.notices[0], "no broker");
                assert_int_equal(plan_with(mounting[i], &host, denied, &arena, &launch, &err), 0);
                assert_null(launch.notices[0]); /* nobody wanted any */
        }
}

/* What an older Landlock leaves open is said; abstract sockets of the host are then out of reach by refusing all. */
static void older_landlock(void **state) {
        static const char *const inherit[] = { "sandbox.network=inherit", NULL };
        static const struct {
                int version;
                size_t notices, notices_inherit;
                bool abstract;
        } rows[] = { { 0, 1, 2, false }, { 5, 0, 1, false }, { 6, 0, 0, true } };
        struct host host = laptop;
        ARENA_AUTO arena;
        struct launch launch;
        struct err err = {};

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                host.landlock = rows[i].version;
                assert_int_equal(plan_true(&backend_native, &host, &arena, &launch, &err), 0);
                assert_true(launch.guarantees & GUARANTEE_SOCKETS && launch.broker.abstract && launch.broker.own_network);
                assert_true(!launch.notices[rows[i].notices]);
                assert_true(rows[i].notices == 0 || launch.notices[rows[i].notices - 1]);
                assert_int_equal(plan_with(&backend_native, &host, inherit, &arena, &launch, &err), 0);
                assert_true(launch.guarantees & GUARANTEE_SOCKETS && !launch.broker.own_network);
                assert_int_equal(launch.broker.abstract, rows[i].abstract);
                assert_true(!launch.notices[rows[i].notices_inherit]);
                assert_true(rows[i].notices_inherit == 0 || launch.notices[rows[i].notices_inherit - 1]);
        }
}

static void guarantees_have_names(void **state) {
        (void)state;
        for (uint32_t i = 0; i < GUARANTEE_COUNT; i++) {
                assert_true(strlen(guarantee_name((enum guarantee)(1U << i))) > 0 &&
                            strlen(guarantee_text((enum guarantee)(1U << i))) > 0);
                for (uint32_t j = 0; j < i; j++)
                        assert_string_not_equal(guarantee_name((enum guarantee)(1U << i)),
                                                guarantee_name((enum guarantee)(1U << j)));
        }
        for (size_t i = 0; i < backend_count; i++)
                assert_ptr_equal(backend_find(backends[i]->id), backends[i]);
        assert_null(backend_find(BACKEND_AUTO));
}

/* A config names a backend by the position of its name: in another order it would select another one. */
static void names_in_a_config_are_those_of_backends(void **state) {
        size_t seen = 0;

        (void)state;
        for (size_t i = 0; i < key_count; i++) {
                if (keys[i].section != SECTION_SANDBOX || strcmp(keys[i].name, "backend") != 0)
                        continue;
                assert_string_equal(keys[i].words[BACKEND_AUTO], "auto");
                for (size_t j = 0; j < backend_count; j++, seen++)
                        assert_string_equal(keys[i].words[backends[j]->id], backends[j]->name);
        }
        assert_int_equal(seen, backend_count);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(plans_are_as_written),
                cmocka_unit_test(deny_wins),
                cmocka_unit_test(workspace_in_a_store),
                cmocka_unit_test(sockets_without_a_broker),
                cmocka_unit_test(older_landlock),
                cmocka_unit_test(guarantees_have_names),
                cmocka_unit_test(names_in_a_config_are_those_of_backends),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
