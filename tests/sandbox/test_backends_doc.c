/*
 * docs/backends.md is generated from the table of backends. BAILEY_UPDATE=1 updates it.
 */
#include "tests/sandbox/plan_test.h"

static const char head[] = "# Backends\n\n"
                           "Generated from the table of backends (`BAILEY_UPDATE=1 tests/run "
                           "tests/sandbox/test_backends_doc.c`). `bailey doctor` prints the same "
                           "for\nthe host on which it runs, after a test of each backend. A policy that requires more than a "
                           "backend enforces is refused, never "
                           "weakened.\n\n";

static const char root[] = "## Root\n"
                           "\n"
                           "If root runs bailey, commands are user 0 in every sandbox, without capabilities. With `native` "
                           "they are a user outside that owns nothing, and\n"
                           "the owners of files that they are given are mapped; see \"Commands of root\" in SECURITY.md. "
                           "`bwrap` and `landlock` cannot map owners: there,\n"
                           "commands are root outside, and can read files of root that are not masked. Containers run them as "
                           "user 0 of the container, which an engine of root\n"
                           "treats as root outside, too, unless it maps users itself (`userns-remap` of docker); bailey does "
                           "not rely on that. Where commands of root\n"
                           "are root outside, `identity` is in `not_enforced` of the result, and `sandbox.require_identity = "
                           "true` refuses the command.\n"
                           "\n";

static const char containers[] = "## Containers\n\n"
                                 "`[container] enabled = true`, `[sandbox] backend = \"docker\"`, or `BAILEY_SANDBOX=docker` "
                                 "(podman, gvisor). A container has the root of its\n"
                                 "image, not the host's: commands run with `bash -c` if the image has bash, else with `sh -c`. "
                                 "Images are never downloaded by a run: `bailey\n"
                                 "container pull` pulls one from a trusted registry, `bailey container build` builds a small "
                                 "one from busybox-static and bash-static, or from\n"
                                 "a tarball. The workspace is mounted at its own path, with its protected files read-only and "
                                 "its masked files covered; `mount_policy` adds\n"
                                 "the home directory, or the manifest's paths.\n\n"
                                 "Each command has its own container, which is removed when the command or bailey ends; one "
                                 "left behind by a killed bailey process is removed\n"
                                 "by a later run. With `session = true` a server keeps one container and enters it for each "
                                 "command: this is faster, but without a new pid\n"
                                 "namespace and a new /tmp. All processes in it are killed after each command, but a process "
                                 "that tries to can survive that, so `kill` and\n"
                                 "`tmp` are not `enforced` there. The container is recreated if its plan has changed, if files "
                                 "that it covers were replaced, and after half a\n"
                                 "day. It is not reported there whether a command was killed for exceeding its memory limit, "
                                 "and a status of 126, 127 or 255 may be that of an\n"
                                 "engine that could not start it.\n\n"
                                 "`syscall_policy = \"strict\"` and `unix_sockets = \"deny\"` are refused. gVisor requires at "
                                 "least 256 MiB and 256 processes: its own threads\n"
                                 "count, too, and if it reaches a limit itself, it ends, and the command with it.\n\n"
                                 "`fs_read_allow` and `fs_write_allow` are mounted with `mount_policy = \"custom\"` only; "
                                 "otherwise a warning says that they are not mounted.\n"
                                 "The engine has to be on this machine: docker at a `unix://` socket, podman without a "
                                 "service; an engine at `tcp://` or `ssh://`, from\n"
                                 "`DOCKER_HOST` or a context, is refused.\n\n"
                                 "Engines follow links in the paths that they mount. A path that has become a link is refused "
                                 "when the container is created. Between that\n"
                                 "check and the engine's own mount, a command that still runs in the same workspace can "
                                 "replace a protected file of a nested repository by a\n"
                                 "link, and get another file of the host mounted there. `native` has no such race.\n\n"
                                 "The system call filter is the engine's own, not bailey's: older ones allow `AF_VSOCK` and "
                                 "io_uring, and with the first a command in a\n"
                                 "virtual machine may reach services on its host. The number of files in /tmp is not limited. "
                                 "podman of an ordinary user is run in CI, too, on\n"
                                 "cgroup v1, where it ignores limits: `--json` says `not enforced`, and `require_limits` "
                                 "refuses. It cannot mount a home directory that\n"
                                 "contains its own storage: `mount_policy = \"home\"` then fails, and nothing runs.\n";

static const char elsewhere[] = "\n"
                                "## Systems on which nothing was run\n\n"
                                "**macOS**: the tests generate the profile and parse it on every system; the files that start "
                                "a command (`*_darwin.c`) are compiled for both\n"
                                "processors by `make lint`, and were never run.\n\n"
                                "**Windows**: bailey.exe runs under wine in CI. The tests there show that these work: files, "
                                "config, guard, audit log, quoting of arguments,\n"
                                "the list of inherited handles, pipes, exit codes, time limits, and that a job object kills "
                                "its processes. They also show that commands are\n"
                                "refused, because wine has no AppContainers and does not lower the integrity of a process, so "
                                "nothing runs there. Never run at all were\n"
                                "AppContainers with their profiles and capabilities, their access to the host's files, tokens "
                                "without privileges, Low integrity, a job\n"
                                "object's limits on processes, memory and time, and its restrictions on windows and the "
                                "clipboard: they are implemented as Microsoft\n"
                                "documents them.\n";

static void tell(struct buf *out) {
        buf_append(out, str_z(head));
        buf_append(out, STR("| |"));
        for (size_t i = 0; i < backend_count; i++)
                buf_format(out, " %s |", backends[i]->name);
        buf_append(out, STR("\n|---|"));
        for (size_t i = 0; i < backend_count; i++)
                buf_append(out, STR("---|"));
        for (uint32_t guarantee = 0; guarantee < GUARANTEE_COUNT; guarantee++) {
                buf_format(out, "\n| %s |", guarantee_text((enum guarantee)(1U << guarantee)));
                for (size_t i = 0; i < backend_count; i++)
                        buf_append(out, backends[i]->guarantees & 1U << guarantee ? STR(" enforced |") : STR(" no |"));
        }
        buf_append(out, STR("\n\n| backend | what it is | limits of memory and processes | verified |\n|---|---|---|---|\n"));
        for (size_t i = 0; i < backend_count; i++)
                buf_format(out, "| %s | %s | %s | %s |\n", backends[i]->name, backends[i]->summary, backends[i]->limits,
                           backend_verified(backends[i]));
        buf_char(out, '\n');
        buf_append(out, str_z(root));
        buf_append(out, str_z(containers));
        buf_append(out, str_z(elsewhere));
}

static void the_document_is_the_table(void **state) {
        BUF_AUTO is, should;
        struct err err = {};

        (void)state;
        buf_init(&is, 1 << 20);
        buf_init(&should, 1 << 20);
        tell(&is);
        if (getenv("BAILEY_UPDATE")) {
                FD_AUTO to = open("docs/backends.md", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

                assert_int_equal(fd_write_all(to, buf_str(&is), &err), 0);
        }
        FD_AUTO from = open("docs/backends.md", O_RDONLY | O_CLOEXEC);
        assert_true(from >= 0);
        assert_int_equal(fd_read_all(from, &should, &err), 0);
        assert_str_equal(buf_str(&is), buf_str(&should));
}

static void every_row_is_whole(void **state) {
        (void)state;
        for (size_t i = 0; i < backend_count; i++) {
                assert_non_null(backends[i]->limits);
                assert_non_null(backends[i]->summary);
                assert_non_null(backends[i]->remedy);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_row_is_whole),
                cmocka_unit_test(the_document_is_the_table),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
