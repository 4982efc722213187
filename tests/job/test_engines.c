/*
 * What container engines say of themselves, read; and asked, with scripts in the place of their clients.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/engines.h"

#define ALL_LIMITS (ENGINE_MEMORY | ENGINE_PIDS | ENGINE_CPUS)

/* ---- reading ---- */

static const struct {
        const char *text;
        struct engine is;
} answers[] = {
        { "", {} },
        { "nonsense\n=\nversion=\nmemory=yes\n", {} },
        { "version=28.2.2\nmemory=true\npids=true\ncpus=true\n",
          { .kind = ENGINE_DOCKER, .version = "28.2.2", .limits = ALL_LIMITS } },
        { "version=4.3.1\n", { .kind = ENGINE_PODMAN, .version = "4.3.1", .own_files = true } },
        { "version=10.0.0-dev\n", { .kind = ENGINE_PODMAN, .version = "10.0.0-dev", .own_files = true } },
        { "version=3.4.4\n", { .kind = ENGINE_PODMAN, .version = "3.4.4" } },
        { "version=1\nmemory=true\npids=false\ncpus=true", { .version = "1", .limits = ENGINE_MEMORY | ENGINE_CPUS } },

        { "controller=cpuset\ncontroller=cpu\ncontroller=memory\n", { .limits = ENGINE_CPUS | ENGINE_MEMORY } },
        { "controller=cpuacct\ncontroller=pids\n", { .limits = ENGINE_PIDS } },
        { "rootless=true\nseccomp=true\n", { .rootless = true, .seccomp = true } },
        { "rootless=false\nseccomp=false\n", {} },
        { "remote=true\n", { .remote = true } },
        { "context=far\n", { .context = "far" } },

        { "security=name=seccomp,profile=builtin\n", { .seccomp = true } },
        { "security=name=seccomp,profile=default\nsecurity=name=rootless\n", { .seccomp = true, .rootless = true } },
        { "security=name=seccomp\n", { .seccomp = true } },
        { "security=name=seccomp,profile=unconfined\n", {} },
        { "security=name=apparmor\nsecurity=name=cgroupns\n", {} },

        { "runtime=runc\nruntime=io.containerd.runc.v2\n", {} },
        { "runtime=runsc\n", { .gvisor = "runsc" } },
        { "runtime=gvisor --network=none\n", { .gvisor = "gvisor" } },
        { "runtime=runsc-kvm --host-uds=all\n", {} },
        { "runtime=runsc --network=none --host-uds=open\n", { .gvisor = "runsc", .gvisor_sockets = true } },
        { "runtime=runsc -host-uds=all\n", { .gvisor = "runsc", .gvisor_sockets = true } },
        { "runtime=runsc --host-uds=none --network=none\n", { .gvisor = "runsc" } },
        { "runtime=runsc --fsgofer-host-uds\n", { .gvisor = "runsc", .gvisor_sockets = true } },
        { "runtime=runsc --fsgofer-host-uds=false\n", { .gvisor = "runsc" } },

        { "error=Cannot connect to the Docker daemon\n", { .why = { .msg = "Cannot connect to the Docker daemon" } } },
};

static void same_text(const char *of, const char *is, const char *should) {
        if (!is != !should || (is && strcmp(is, should) != 0))
                fail_msg("%s: %s, not %s", of, is ? is : "nothing", should ? should : "nothing");
}

static void answers_are_read(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
                const struct engine *should = &answers[i].is;
                struct engine is = { .kind = should->kind };
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                engine_read(&is, str_z(answers[i].text), &arena);
                same_text(answers[i].text, is.version, should->version);
                same_text(answers[i].text, is.context, should->context);
                same_text(answers[i].text, is.gvisor, should->gvisor);
                same_text(answers[i].text, is.why.msg, should->why.msg);
                if (is.limits != should->limits || is.rootless != should->rootless || is.seccomp != should->seccomp ||
                    is.remote != should->remote || is.gvisor_sockets != should->gvisor_sockets ||
                    is.own_files != should->own_files)
                        fail_msg("%s", answers[i].text);
        }
}

static void controllers_are_read(void **state) {
        (void)state;
        assert_int_equal(engine_controllers(STR("cpuset cpu io memory pids\n")), ALL_LIMITS);
        assert_int_equal(engine_controllers(STR("memory pids\n")), ENGINE_MEMORY | ENGINE_PIDS);
        assert_int_equal(engine_controllers(STR("cpuset")), 0);
        assert_int_equal(engine_controllers(STR("\n")), 0);
        assert_int_equal(engine_controllers(STR("")), 0);
}

/* ---- asking ---- */

static const char *const environment[] = { "PATH=/usr/bin:/bin", NULL };

/* A client of these words. */
static int ask(enum engine_kind kind, const char *words, const char *const *envp, struct arena *arena, struct engine *ret) {
        char directory[] = "/tmp/bailey-engine-XXXXXX", path[64];
        int result;
        FILE *file;

        assert_non_null(mkdtemp(directory));
        snprintf(path, sizeof(path), "%s/client", directory);
        file = fopen(path, "we");
        assert_non_null(file);
        fprintf(file, "#!/bin/sh\n%s\n", words);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(chmod(path, 0755), 0);
        *ret = (struct engine){ .kind = kind, .path = path };
        result = engine_ask(ret, envp, arena);
        unlink(path);
        rmdir(directory);
        return result;
}

#define FAR "only on this machine, with an engine at a unix:// socket"
#define NAMED(endpoint) "case $1 in context) echo " endpoint " ;; *) echo context=there; echo version=1 ;; esac"

static void clients_are_asked(void **state) {
        static const struct {
                enum engine_kind kind;
                const char *client, *why; /* "": it answers */
        } cases[] = {
                { ENGINE_DOCKER, "echo version=1", "" },
                { ENGINE_DOCKER, "echo context=default; echo version=1", "" },
                { ENGINE_DOCKER, "echo error=the daemon sleeps; exit 0", "the daemon sleeps" },
                { ENGINE_DOCKER, "echo version=1; echo it is broken >&2; exit 1", "it is broken" },
                { ENGINE_DOCKER, "echo memory=true", "it did not report its version" },
                { ENGINE_DOCKER, NAMED("unix:///run/user/1000/docker.sock"), "" },
                { ENGINE_DOCKER, NAMED("ssh://ann:geheimnis@far.example.com"), "docker's context there is ssh:..., which" },
                { ENGINE_DOCKER, NAMED("tcp://127.0.0.1:2375"), FAR },
                { ENGINE_DOCKER, NAMED(""), FAR },
                { ENGINE_DOCKER, "test $1 = info || exit 1; echo context=gone; echo version=1", "1" },
                { ENGINE_PODMAN, "echo version=4; echo remote=false", "" },
                { ENGINE_PODMAN, "echo version=4; echo remote=true", "remote = true: podman would use a remote service" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct engine engine;
                ARENA_AUTO arena;
                int result;

                arena_init(&arena, 0);
                result = ask(cases[i].kind, cases[i].client, environment, &arena, &engine);
                if ((result == 0) != !*cases[i].why || !strstr(engine.why.msg, cases[i].why))
                        fail_msg("%s: %d: %s", cases[i].client, result, engine.why.msg);
                assert_null(strstr(engine.why.msg, "geheimnis"));
        }
}

/* Nobody is asked on another machine, and no program is needed to know that. */
static void engines_elsewhere_are_refused(void **state) {
        static const struct {
                enum engine_kind kind;
                const char *entry, *why; /* "": not for this */
        } cases[] = {
                { ENGINE_DOCKER, "DOCKER_HOST=tcp://10.0.0.1:2375", "DOCKER_HOST is tcp:..., which may be another machine" },
                { ENGINE_DOCKER, "DOCKER_HOST=ssh://ann:geheimnis@far",
                  "DOCKER_HOST is ssh:..., which may be another machine" },
                { ENGINE_DOCKER, "DOCKER_HOST=/run/docker.sock", FAR },
                { ENGINE_DOCKER, "DOCKER_HOST=", "" },
                { ENGINE_DOCKER, "DOCKER_HOST=unix:///nonexistent.sock", "" },
                { ENGINE_DOCKER, "CONTAINER_HOST=ssh://far", "" },
                { ENGINE_PODMAN, "CONTAINER_HOST=ssh://far/run/podman.sock", "CONTAINER_HOST is set: podman would use" },
                { ENGINE_PODMAN, "CONTAINER_HOST=unix:///nonexistent.sock", "may be another machine" },
                { ENGINE_PODMAN, "DOCKER_HOST=ssh://far", "" },
                { ENGINE_PODMAN, "CONTAINER_CONNECTION=far", "CONTAINER_CONNECTION is set: podman would use" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                const char *const envp[] = { cases[i].entry, NULL };
                const char *why;
                struct engines engines;
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                engines_ask(envp, 1U << cases[i].kind, ENGINE_BRIEFLY, &arena, &engines);
                why = engines.at[cases[i].kind].why.msg;
                if (*cases[i].why ? !strstr(why, cases[i].why) : !!strstr(why, "machine"))
                        fail_msg("%s: %s", cases[i].entry, why);
                assert_true(!*cases[i].why || !engines.at[cases[i].kind].answers);
                assert_null(strstr(why, "geheimnis"));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(answers_are_read),
                cmocka_unit_test(controllers_are_read),
                cmocka_unit_test(clients_are_asked),
                cmocka_unit_test(engines_elsewhere_are_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
