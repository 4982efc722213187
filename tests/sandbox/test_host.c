/*
 * What is looked up of the host, where it is no backend's own business: sockets and devices.
 */
#include "tests/protect/workspace_test.h"

#include "policy/load.h"
#include "sandbox/host.h"
#include "sandbox/host_parts.h"

/* The socket is bound by nobody any more, as one is whose engine lives in another network namespace. */
#define SOCKET_AT(name) "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"" name "\")'"

static const struct host_path *find(const struct host_paths *paths, const char *ending) {
        for (size_t i = 0; i < paths->count; i++)
                if (str_ends(str_z(paths->items[i].path), str_z(ending)))
                        return &paths->items[i];
        return NULL;
}

static void gather(struct scene *scene, const char *const *environment, const char *const *overrides, struct host *ret) {
        char homes[PATH_MAX + 32]; /* of workspaces; not where the user's are */
        const char *with_homes[4] = { homes };
        struct policy_request wanted = { .overrides = overrides, .builtin_only = true };
        struct host_question question = { .workspace = scene->workspace, .environment = with_homes };
        const struct policy *policy;
        struct err err = {};

        snprintf(homes, sizeof(homes), "BAILEY_HOME_DIR=%s/homes", scene->top);
        for (size_t i = 0; environment[i]; i++) {
                assert_true(i + 2 < sizeof(with_homes) / sizeof(*with_homes));
                with_homes[i + 1] = environment[i];
        }
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

/* ---- homes of others ---- */

static void homes_begin(struct scene *scene, const char *text, struct host *host) {
        char home[PATH_MAX + 16];

        scene_begin(scene, text);
        snprintf(home, sizeof(home), "%s/home", scene->top);
        *host = (struct host){ .uid = geteuid(), .workspace = scene->workspace };
        assert_int_equal(host_paths_add(&host->homes, &scene->arena, arena_dup(&scene->arena, str_z(home)), true, NULL), 0);
}

static void note(struct scene *scene, struct host *host, const char *home) {
        char path[PATH_MAX + 64];
        struct err err = {};

        snprintf(path, sizeof(path), "%s%s", home[0] == '/' && home[1] == '/' ? "" : scene->top, home);
        if (host_note_home(host, &scene->arena, path, &err) < 0)
                fail_msg("%s", err.msg);
}

/* Wherever they are, and where links lead; not what this user has, nor what the system has. */
static void homes_of_others_are_emptied(void **state) {
        static const char *const noted[] = {
                "/people/bob/inner", "/people/ann", "/people/bob", "/link",         "/home", "/none", "/file", "//usr",
                "//usr/games",       "//bin",       "//dev",       "//nonexistent", "//var"
        };
        struct err err = {};
        struct scene scene;
        struct host host;

        (void)state;
        homes_begin(&scene, "cd \"$T\"; mkdir -p people/ann people/bob/inner data/eve; ln -s data/eve link; touch file", &host);
        for (size_t i = 0; i < sizeof(noted) / sizeof(*noted); i++)
                note(&scene, &host, noted[i]);
        for (int i = 0; i < 100; i++)
                note(&scene, &host, "//nonexistent");
        if (host_gather_other_homes(&host, &scene.arena, &err) < 0)
                fail_msg("%s", err.msg);
        assert_int_equal(host.emptied.count, 3);
        assert_non_null(find(&host.emptied, "/people/ann"));
        assert_non_null(find(&host.emptied, "/people/bob"));
        assert_non_null(find(&host.emptied, "/data/eve"));
        scene_end(&scene);
}

/* One mount for all of them, and for those that links lead to. */
static void many_homes_are_one_directory(void **state) {
        struct err err = {};
        struct scene scene;
        struct host host;

        (void)state;
        homes_begin(&scene, "cd \"$T\"; mkdir -p people data/eve; ln -s ../data/eve people/eve", &host);
        for (int i = 0; i < 50000; i++) {
                char home[64];

                snprintf(home, sizeof(home), "/people/user%d", i);
                note(&scene, &host, home);
        }
        if (host_gather_other_homes(&host, &scene.arena, &err) < 0)
                fail_msg("%s", err.msg);
        assert_int_equal(host.emptied.count, 2);
        assert_non_null(find(&host.emptied, "/people"));
        assert_non_null(find(&host.emptied, "/data/eve"));
        scene_end(&scene);
}

static void homes_that_cannot_be_hidden(void **state) {
        (void)state;
        for (size_t i = 0; i < 2; i++) {
                struct err err = {};
                struct scene scene;
                struct host host;

                homes_begin(&scene, "mkdir \"$T/people\"", &host);
                for (int j = 0; j < 100; j++) {
                        char home[64];

                        snprintf(home, sizeof(home), i == 0 ? "//user%d" : "/people/%d/home", j);
                        note(&scene, &host, home);
                }
                assert_int_equal(host_gather_other_homes(&host, &scene.arena, &err), -1);
                assert_int_equal(err.code, ERR_TOO_COMPLEX);
                assert_non_null(strstr(err.msg, "sandbox.root"));
                scene_end(&scene);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(sockets_of_engines_are_known),
                cmocka_unit_test(lists_know_sockets_and_devices),
                cmocka_unit_test(listed_sockets),
                cmocka_unit_test(stores_that_variables_move),
                cmocka_unit_test(stores_behind_links),
                cmocka_unit_test(private_places_are_hidden),
                cmocka_unit_test(homes_of_others_are_emptied),
                cmocka_unit_test(many_homes_are_one_directory),
                cmocka_unit_test(homes_that_cannot_be_hidden),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
