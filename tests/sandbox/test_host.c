/*
 * What is looked up of the host, where it is no backend's own business: sockets and devices.
 */
#include "tests/protect/workspace_test.h"

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
static void sockets_of_engines_are_known(void **state) {
        static const struct {
                const char *scheme, *name;
                bool known;
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
                found = find(&host.engines, "/api");
                if (!!found != hosts[i].known || find(&host.engines, "/file") || find(&host.masks, "/api"))
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

/* Listed ones are found by their path, in the home and in a variable; what is not there is listed all the same. */
static void listed_sockets(void **state) {
        const char *const overrides[] = { "sandbox.unix_sockets.paths=[\"$AGENT\", \"$UNSET\", \"~/api\", \"/none/such\"]",
                                          "sandbox.home=host", NULL };
        const char *const relative[] = { "sandbox.unix_sockets.paths=[\"$AGENT\"]", NULL };
        const char *wrong[] = { "AGENT=api", NULL };
        char home[PATH_MAX + 16], agent[PATH_MAX + 16];
        const char *environment[] = { home, agent, NULL };
        struct policy_request wanted = { .overrides = relative, .builtin_only = true };
        const struct policy *policy;
        struct err err = {};
        struct scene scene;
        struct host host;

        (void)state;
        scene_begin(&scene, SOCKET_AT("api") "; cd ../home; " SOCKET_AT("api"));
        snprintf(home, sizeof(home), "HOME=%s/../home", scene.workspace);
        snprintf(agent, sizeof(agent), "AGENT=%s/api", scene.workspace);
        gather(&scene, environment, overrides, &host);
        assert_int_equal(host.sockets.count, 3);
        if (!host.sockets.items) /* for the analyzer, which does not know how an assertion ends */
                abort();
        assert_string_equal(host.sockets.items[0].path, agent + strlen("AGENT="));
        assert_true(host.sockets.items[0].socket);
        assert_non_null(strstr(host.sockets.items[1].path, "/home/api"));
        assert_true(host.sockets.items[1].socket);
        assert_string_equal(host.sockets.items[2].path, "/none/such");
        assert_false(host.sockets.items[2].socket);

        assert_int_equal(policy_load(&wanted, &scene.arena, &policy, &err), 0);
        assert_int_equal(host_gather(policy, &(struct host_question){ .workspace = scene.workspace, .environment = wrong },
                                     &scene.arena, &host, &err),
                         -1);
        assert_string_equal(err.msg, "unix_sockets: $AGENT: not an absolute path");
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(sockets_of_engines_are_known),
                cmocka_unit_test(lists_know_sockets_and_devices),
                cmocka_unit_test(listed_sockets),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
