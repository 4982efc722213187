/*
 * docs/backends.md is what the table of backends makes of it. BAILEY_UPDATE=1 writes it anew.
 */
#include "tests/sandbox/plan_test.h"

static const char head[] = "# Backends\n\n"
                           "Made from the table of backends (`BAILEY_UPDATE=1 tests/run tests/sandbox/test_backends_doc.c`). "
                           "`bailey doctor` says the same\n"
                           "of the host that it runs on, by trying. A policy that needs more than a backend enforces is "
                           "refused, never weakened.\n\n";

static const char containers[] =
        "## Containers\n\n"
        "`[container] enabled = true`, `[sandbox] backend = \"docker\"`, or `BAILEY_SANDBOX=docker` (podman, gvisor). A "
        "container has the\n"
        "root of its image, not the host's: commands run by `bash -c` where the image has bash, else by `sh -c`. Images are "
        "never\n"
        "downloaded by a run: `bailey container pull` gets one from a trusted registry, `bailey container build` makes a small "
        "one of\n"
        "busybox-static and bash-static, or of a tarball. The workspace is mounted at its own path, with what is protected in "
        "it\n"
        "read-only, and what is masked covered; `mount_policy` adds the home directory, or the manifest's paths. Each command "
        "has a\n"
        "container of its own, which is removed when the command ends, or bailey does; what a killed bailey leaves is removed "
        "by the\n"
        "next run. With `session = true` a server keeps one container and enters it for each command: cheaper, but without a "
        "fresh\n"
        "pid namespace and a fresh /tmp; all processes in it are killed after each command, but one that is out to can survive "
        "that, "
        "so that\n"
        "`kill` and `tmp` are not `enforced` there. It is made anew when what it would be made of has changed, or files that "
        "it "
        "covers\n"
        "were replaced, and after half a day. That a command was killed for its memory is not told there, and a status of "
        "126, 127\n"
        "or 255 may be that of an engine that could not start it. `syscall_policy = "
        "\"strict\"` and\n"
        "`unix_sockets = \"deny\"` are refused. gVisor wants at least 256 MiB and 256 processes: its own threads count, too, "
        "and "
        "where they\n"
        "find no room it ends, and the command with it.\n\n"
        "`fs_read_allow` and `fs_write_allow` are mounted with `mount_policy = \"custom\"` only; else a warning says that "
        "they\n"
        "are not there. The engine has to be on this machine: docker's at a `unix://` socket, podman without a service; one "
        "by\n"
        "`tcp://` or `ssh://`, of `DOCKER_HOST` or of a context, is refused.\n\n"
        "Engines follow links in the paths that they mount. A path that has become one is refused when the container is made; "
        "a "
        "command\n"
        "that still runs in the same workspace can put one there a moment later, in the place of a protected file of a nested "
        "repository,\n"
        "and get something else of the host mounted there. `native` has no such moment.\n\n"
        "The filter of system calls is the engine's own, not bailey's: older ones let `AF_VSOCK` and io_uring through, and by "
        "the first\n"
        "a command in a virtual machine may reach what listens on its host. The number of files in /tmp is not limited. podman "
        "of an\n"
        "ordinary user is run in CI, too, on cgroup v1, where it forgets limits: `--json` says `not enforced`, and "
        "`require_limits`\n"
        "refuses. It cannot mount a home directory in which it keeps its own storage: `mount_policy = \"home\"` then fails, "
        "and "
        "nothing\n"
        "runs.\n";

static const char elsewhere[] =
        "\n## Systems on which nothing here was run\n\n"
        "**macOS**: the profile is made and read back by the tests on every system; the files that start a command "
        "(`*_darwin.c`) are\n"
        "compiled for both processors by `make lint`, and were never run.\n\n"
        "**Windows**: bailey.exe runs under wine in CI. There these were seen to work: files, config, guard, record, quoting "
        "of "
        "arguments,\n"
        "the list of inherited handles, pipes, exit codes, time limits, and that a job kills what it holds. And these were "
        "seen "
        "to be\n"
        "refused, as wine has no AppContainers and does not lower a process's integrity, and so nothing runs there. Never run "
        "at all were\n"
        "AppContainers with their profiles and capabilities, what they are granted of the host's files, tokens without "
        "privileges, Low\n"
        "integrity, a job's limits of processes, memory and time, and what it may not do to screens: they are as Microsoft "
        "documents them.\n";

static void tell(struct buf *out) {
        buf_append(out, str_z(head));
        buf_append(out, STR("| |"));
        for (size_t i = 0; i < backend_count; i++)
                buf_format(out, " %s |", backends[i]->name);
        buf_append(out, STR("\n|---|"));
        for (size_t i = 0; i < backend_count; i++)
                buf_append(out, STR("---|"));
        for (uint32_t wall = 0; wall < WALL_COUNT; wall++) {
                buf_format(out, "\n| %s |", wall_text((enum wall)(1U << wall)));
                for (size_t i = 0; i < backend_count; i++)
                        buf_append(out, backends[i]->walls & 1U << wall ? STR(" enforced |") : STR(" no |"));
        }
        buf_append(out, STR("\n\n| backend | what it is | limits of memory and processes | verified |\n|---|---|---|---|\n"));
        for (size_t i = 0; i < backend_count; i++)
                buf_format(out, "| %s | %s | %s | %s |\n", backends[i]->name, backends[i]->summary, backends[i]->limits,
                           backend_verified(backends[i]));
        buf_char(out, '\n');
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
