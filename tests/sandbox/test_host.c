/*
 * What is looked up of the host, where it is no backend's own business: sockets and devices.
 */
#include "tests/protect/workspace_test.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "policy/load.h"
#include "sandbox/host.h"

/* The socket is bound by nobody any more, as one is whose engine lives in another network namespace. */
#define SOCKET_AT(name) "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"" name "\")'"

static const struct host_path *find(const struct host_paths *paths, const char *ending) {
        for (size_t i = 0; i < paths->count; i++)
                if (str_ends(str_z(paths->items[i].path), str_z(ending)))
                        return &paths->items[i];
        return NULL;
}

static void gather(struct scene *scene, const char *const *environment, const char *const *overrides, struct host *ret) {
        struct policy_request wanted = { .overrides = overrides, .builtin_only = true };
        struct host_question question = { .workspace = scene->workspace, .environment = environment };
        const struct policy *policy;
        struct err err = {};

        *ret = (struct host){};
        if (policy_load(&wanted, &scene->arena, &policy, &err) < 0 ||
            host_gather(policy, &question, &scene->arena, ret, &err) < 0)
                fail_msg("%s", err.msg);
}

/* Whoever listens: the one that clients of engines are told to speak to is for no command. */
static void sockets_of_engines_are_masked(void **state) {
        static const struct {
                const char *scheme, *name;
                bool masked;
        } hosts[] = {
                { "DOCKER_HOST=unix://", "/api", true },     { "CONTAINER_HOST=unix://", "/api", true },
                { "DOCKER_HOST=unix://", "/../link", true }, { "DOCKER_HOST=unix://", "/file", false },
                { "DOCKER_HOST=unix://", "/none", false },   { "DOCKER_HOST=tcp://", "/api", false },
                { "ANOTHER_HOST=unix://", "/api", false },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
                const char *environment[2] = {}, *const none[] = { NULL };
                const struct host_path *found;
                char entry[PATH_MAX + 64];
                struct scene scene;
                struct host host;

                scene_begin(&scene, SOCKET_AT("api") "; ln -s \"$W/api\" ../link; touch file");
                snprintf(entry, sizeof(entry), "%s%s%s", hosts[i].scheme, scene.workspace, hosts[i].name);
                environment[0] = entry;
                gather(&scene, environment, none, &host);
                found = find(&host.masks, "/api");
                if (!!found != hosts[i].masked || (found && !found->socket) || find(&host.masks, "/file"))
                        fail_msg("%s", entry);
                scene_end(&scene);
        }
}

static void lists_know_sockets_and_devices(void **state) {
        const char *const none[] = { NULL };
        char writes[PATH_MAX + 64];
        struct scene scene;
        struct host host;

        (void)state;
        scene_begin(&scene, SOCKET_AT("api"));
        snprintf(writes, sizeof(writes), "sandbox.fs_write_allow=%s/api", scene.workspace);
        gather(&scene, none, (const char *const[]){ "sandbox.fs_read_allow=/dev/null", writes, NULL }, &host);
        assert_true(find(&host.write, "/api")->socket);
        assert_false(find(&host.write, "/api")->device);
        assert_true(find(&host.read, "/dev/null")->device);
        assert_false(find(&host.read, "/dev/null")->socket);
        scene_end(&scene);
}

/* That there are too many open files says nothing of sockets. */
static void sockets_that_cannot_be_listed_now(void **state) {
        const char *const none[] = { NULL };
        struct policy_request wanted = { .overrides = none, .builtin_only = true };
        struct host_question question = { .environment = none };
        const struct policy *policy;
        struct err err = {};
        struct scene scene;
        struct host host;
        struct rlimit limit, low;
        int got;

        (void)state;
        scene_begin(&scene, "true");
        question.workspace = scene.workspace;
        assert_int_equal(policy_load(&wanted, &scene.arena, &policy, &err), 0);
        assert_int_equal(host_gather_around(policy, &question, &scene.arena, &host, &err), 0);
        assert_false(host.sockets_unknown);
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
        low = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
        assert_false(host_knows_sockets(&host));
        got = host_gather_around(policy, &question, &scene.arena, &host, &err);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        assert_int_equal(got, -1);
        assert_int_equal(err.sys, EMFILE);
        assert_non_null(strstr(err.msg, "/proc/net/unix"));
        scene_end(&scene);
}

/* A host that lets nobody read it, made of a /proc of processes only, in namespaces of their own. */
static void sockets_that_cannot_be_listed(void **state) {
        const char *const none[] = { NULL };
        struct scene scene;
        int status;
        pid_t child;

        (void)state;
        scene_begin(&scene, "true");
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                struct host host;

                if ((geteuid() != 0 && unshare(CLONE_NEWUSER) < 0) || unshare(CLONE_NEWNS) < 0 ||
                    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount("none", "/proc", "tmpfs", 0, NULL) < 0)
                        _exit(2);
                gather(&scene, none, none, &host);
                _exit(host.sockets_unknown && !host_knows_sockets(&host) ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        scene_end(&scene);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
                skip();
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(sockets_of_engines_are_masked),
                cmocka_unit_test(lists_know_sockets_and_devices),
                cmocka_unit_test(sockets_that_cannot_be_listed_now),
                cmocka_unit_test(sockets_that_cannot_be_listed),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
