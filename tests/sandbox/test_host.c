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

/* ---- what is hidden ---- */

/* What a variable names is hidden like the usual place, unless commands need it. */
static void stores_that_variables_move(void **state) {
        static const struct {
                const char *variable, *hidden; /* NULL: nothing is */
                bool noticed;
        } rows[] = {
                { "NETRC=%T/moved/file", "/moved/file", false },
                { "KUBECONFIG=%T/none:%T/moved/file:%T/moved/other", "/moved/other", false },
                { "GNUPGHOME=%T/moved", "/moved", false },
                { "CARGO_HOME=%T/moved", "/moved/credentials.toml", false },
                { "XDG_CONFIG_HOME=%T/moved", "/moved/gh", false },
                { "PIP_CONFIG_FILE=%T/moved/file", "/moved/file", false },
                { "GNUPGHOME=%T/link", "/moved", false },
                { "NETRC=%T/file link", "/moved/file", false },
                { "NETRC=/dev/null", NULL, false },
                { "GOOGLE_APPLICATION_CREDENTIALS={}", NULL, false },
                { "NETRC=", NULL, false },
                { "GNUPGHOME=/", NULL, true },
                { "GNUPGHOME=/usr", NULL, true },
                { "GNUPGHOME=%T", NULL, true },
                { "GNUPGHOME=%T/home", NULL, true },
                { "GNUPGHOME=%T/home/../link/..", NULL, true },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                char home[PATH_MAX + 16], value[4 * PATH_MAX];
                const char *const environment[] = { home, value, NULL }, *const none[] = { NULL };
                const struct host_path *found;
                struct scene scene;
                struct host host;
                size_t len = 0;

                scene_begin(&scene, "cd \"$T\"; mkdir moved moved/gh; touch moved/file moved/other moved/credentials.toml\n"
                                    "ln -s moved link; ln -s moved/file 'file link'");
                for (const char *c = rows[i].variable; *c; c++)
                        if (strncmp(c, "%T", 2) == 0 && c++)
                                len += (size_t)snprintf(value + len, sizeof(value) - len, "%s", scene.top);
                        else
                                value[len++] = *c;
                value[len] = 0;
                snprintf(home, sizeof(home), "HOME=%s/home", scene.top);
                gather(&scene, environment, none, &host);
                found = rows[i].hidden ? find(&host.masks, rows[i].hidden) : NULL;
                if (!!found != !!rows[i].hidden || (host.notice_count == 1) != rows[i].noticed ||
                    host_masked_by(&host, scene.workspace) || host_masked_by(&host, "/usr/bin") ||
                    host_masked_by(&host, "/dev/null"))
                        fail_msg("%s", rows[i].variable);
                scene_end(&scene);
        }
}

/* A link in the home: what it leads to is hidden, and where it is kept. */
static void stores_behind_links(void **state) {
        const char *const none[] = { NULL };
        char home[PATH_MAX + 16];
        struct scene scene;
        struct host host;

        (void)state;
        scene_begin(&scene, "cd \"$T\"; mkdir -p dotfiles/ssh; touch dotfiles/netrc; cd home\n"
                            "ln -s ../dotfiles/netrc .netrc; ln -s \"$T/dotfiles/ssh\" .ssh; ln -s nowhere .pgpass");
        snprintf(home, sizeof(home), "HOME=%s/home", scene.top);
        gather(&scene, (const char *const[]){ home, NULL }, none, &host);
        assert_non_null(find(&host.masks, "/dotfiles/netrc"));
        assert_true(find(&host.masks, "/dotfiles/netrc")->secret);
        assert_true(find(&host.masks, "/dotfiles/ssh")->directory);
        assert_null(find(&host.masks, ".pgpass"));
        scene_end(&scene);
}

/* They are hidden, but their content is not searched for secrets. */
static void private_places_are_hidden(void **state) {
        const char *const none[] = { NULL };
        char home[PATH_MAX + 16];
        struct scene scene;
        struct host host;

        (void)state;
        scene_begin(&scene, "cd \"$T/home\"; mkdir -p .thunderbird .config/Signal .gemini");
        snprintf(home, sizeof(home), "HOME=%s/home", scene.top);
        gather(&scene, (const char *const[]){ home, NULL }, none, &host);
        assert_non_null(find(&host.masks, "/.thunderbird"));
        assert_false(find(&host.masks, "/.thunderbird")->secret);
        assert_non_null(find(&host.masks, "/.config/Signal"));
        assert_true(find(&host.masks, "/.gemini")->secret);
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(sockets_of_engines_are_known),
                cmocka_unit_test(lists_know_sockets_and_devices),
                cmocka_unit_test(listed_sockets),
                cmocka_unit_test(stores_that_variables_move),
                cmocka_unit_test(stores_behind_links),
                cmocka_unit_test(private_places_are_hidden),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
