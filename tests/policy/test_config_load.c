/*
 * Config files on a disk: where they are looked for, which are refused, and which are trusted.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "policy/load.h"
#include "policy/trust.h"
#include "tests/policy/config_test.h"

/* A home, a workspace and a system directory of our own, for each test. */
static char root[64], home[128], workspace[128], system_directory[128], home_variable[160];
static const char *environment[4];
static struct arena arena;

static void shell(const char *command) {
        char line[512];

        snprintf(line, sizeof(line), "cd '%s' && %s", root, command);
        assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c): a fixed command of this test */
}

static void put(const char *path, const char *text) {
        char name[256];
        FD_AUTO fd = -1;

        snprintf(name, sizeof(name), "%s/%s", root, path);
        fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        assert_int_equal(fd_write_all(fd, str_z(text), NULL), 0);
}

static int setup(void **state) {
        const char *temporary = getenv("TMPDIR");

        (void)state;
        snprintf(root, sizeof(root), "%.40s/bailey-XXXXXX", temporary ? temporary : "/tmp");
        if (!mkdtemp(root))
                return -1;
        umask(022);
        snprintf(home, sizeof(home), "%s/home", root);
        snprintf(workspace, sizeof(workspace), "%s/work", root);
        snprintf(system_directory, sizeof(system_directory), "%s/etc", root);
        snprintf(home_variable, sizeof(home_variable), "HOME=%s", home);
        memset(environment, 0, sizeof(environment));
        environment[0] = home_variable;
        arena_init(&arena, 0);
        shell("mkdir -p home/.config/bailey work etc");
        return 0;
}

static int teardown(void **state) {
        (void)state;
        arena_free(&arena);
        shell("chmod -R u+w . && rm -rf -- \"$PWD\"");
        return 0;
}

static int load(const char *config_file, const struct policy **ret, struct err *err) {
        const struct policy_request request = {
                .workspace = workspace,
                .config_file = config_file,
                .environment = environment,
                .system_directory = system_directory,
        };

        *err = (struct err){ 0 };
        return policy_load(&request, &arena, ret, err);
}

static const struct policy *loaded(const char *config_file) {
        const struct policy *policy;
        struct err err;

        if (load(config_file, &policy, &err) < 0)
                fail_msg("%s", err.msg);
        return policy;
}

/* The message, in which the directory of the test is called ROOT. */
static void fails(const char *config_file, const char *message) {
        const struct policy *policy = NULL;
        BUF_AUTO said;
        struct err err;
        const char *found;

        assert_int_equal(load(config_file, &policy, &err), -1);
        assert_null(policy);
        buf_init(&said, 4096);
        for (const char *at = err.msg; *at; at = found + strlen(root)) {
                found = strstr(at, root);
                if (!found) {
                        buf_append(&said, str_z(at));
                        break;
                }
                buf_append(&said, str_from(at, (size_t)(found - at)));
                buf_append(&said, STR("ROOT"));
        }
        buf_char(&said, '\0');
        assert_string_equal(said.ptr, message);
}

/* ---- where ---- */

static void all_places(void **state) {
        char file[128];
        const struct policy *p;

        (void)state;
        put("etc/config.json", "{\"run\": {\"warm\": 1, \"maxShells\": 11, \"keptShells\": 21}}");
        put("home/.config/bailey/config.toml", "run.warm = 2\nrun.max_shells = 12\n");
        put("work/.bailey.json5", "{run: {warm: 3}}");
        put("more.toml", "run.warm = 4\n");
        snprintf(file, sizeof(file), "%s/more.toml", root);
        p = loaded(file);
        assert_int_equal(p->run.warm, 4);
        assert_int_equal(p->run.max_shells, 12);
        assert_int_equal(p->run.kept_shells, 21);
        assert_int_equal(p->file_count, 4);
        assert_false(p->files[2].trusted);
        assert_int_equal(loaded(NULL)->run.warm, 2);
        assert_int_equal(trust_set(environment, p->files[2].path, &STR("{run: {warm: 3}}"), NULL, NULL), 0);
        assert_int_equal(loaded(NULL)->run.warm, 3);
        assert_int_equal(loaded(NULL)->notices.count, 0);
}

static void nothing_is_fine(void **state) {
        const struct policy_request request = { .system_directory = "/proc/nowhere" }, builtin = { .builtin_only = true };
        const struct policy *p;

        (void)state;
        assert_int_equal(policy_load(&request, &arena, &p, NULL), 0);
        assert_int_equal(p->file_count, 0);
        assert_int_equal(p->workspace.len, 0);
        assert_int_equal(policy_load(&builtin, &arena, &p, NULL), 0);
        assert_str_equal(p->name, STR("default"));
        shell("rm -rf home/.config etc");
        assert_int_equal(loaded(NULL)->file_count, 0);
}

static void xdg(void **state) {
        char variable[160];

        (void)state;
        put("home/.config/bailey/config.toml", "run.warm = 2\n");
        shell("mkdir -p xdg/bailey");
        put("xdg/bailey/config.toml", "run.warm = 7\n");
        snprintf(variable, sizeof(variable), "XDG_CONFIG_HOME=%s/xdg", root);
        environment[1] = variable;
        assert_int_equal(loaded(NULL)->run.warm, 7);
        environment[1] = "XDG_CONFIG_HOME=xdg"; /* relative ones do not count */
        assert_int_equal(loaded(NULL)->run.warm, 2);
        environment[0] = "HOME=";
        environment[1] = NULL;
        assert_int_equal(loaded(NULL)->file_count, 0);
}

static void the_workspace_is_found_once(void **state) {
        const struct policy *p;
        char real[128];

        (void)state;
        snprintf(real, sizeof(real), "%s/work", root);
        shell("ln -s work link");
        snprintf(workspace, sizeof(workspace), "%s/link/../link/.", root);
        p = loaded(NULL);
        assert_str_equal(p->workspace, str_z(real));
        snprintf(workspace, sizeof(workspace), "%s/none", root);
        fails(NULL, "workspace ROOT/none: No such file or directory");
}

/* ---- refused ---- */

static void two_in_one_place(void **state) {
        (void)state;
        put("home/.config/bailey/config.toml", "");
        put("home/.config/bailey/config.json", "{}");
        fails(NULL, "ROOT/home/.config/bailey has both config.toml and config.json; keep one of them");
        shell("rm home/.config/bailey/*");
        put("work/.bailey.json5", "{}");
        put("work/.bailey.json", "{}");
        fails(NULL, "ROOT/work has both .bailey.json5 and .bailey.json; keep one of them");
}

static void written_by_others(void **state) {
        (void)state;
        put("home/.config/bailey/config.toml", "");
        shell("chmod g+w home/.config/bailey/config.toml");
        fails(NULL, "ROOT/home/.config/bailey/config.toml: refused because other users can write it; run chmod go-w on it");
        shell("chmod g-w,o+w home/.config/bailey/config.toml");
        fails(NULL, "ROOT/home/.config/bailey/config.toml: refused because other users can write it; run chmod go-w on it");
        shell("chmod o-w home/.config/bailey/config.toml; chmod g+w home/.config/bailey");
        fails(NULL, "ROOT/home/.config/bailey/config.toml: refused because other users can write its directory; run chmod go-w "
                    "on it");
        shell("chmod g-w home/.config/bailey");
        assert_int_equal(loaded(NULL)->file_count, 1);
        put("etc/config.toml", "");
        shell("chmod o+w etc/config.toml");
        fails(NULL, "ROOT/etc/config.toml: refused because other users can write it; run chmod go-w on it");
}

static void not_regular(void **state) {
        char file[160];

        (void)state;
        shell("mkfifo home/.config/bailey/config.toml");
        fails(NULL, "ROOT/home/.config/bailey/config.toml: refused because it is not a regular file");
        shell("rm home/.config/bailey/config.toml; mkdir home/.config/bailey/config.toml");
        fails(NULL, "ROOT/home/.config/bailey/config.toml: refused because it is not a regular file");
        shell("rmdir home/.config/bailey/config.toml; ln -s nowhere home/.config/bailey/config.toml");
        fails(NULL, "ROOT/home/.config/bailey/config.toml: No such file or directory");
        put("real.toml", "run.warm = 8\n");
        shell("ln -sf ../../../real.toml home/.config/bailey/config.toml"); /* as dotfile managers do */
        assert_int_equal(loaded(NULL)->run.warm, 8);
        shell("rm home/.config/bailey/config.toml; ln -s ../real.toml work/.bailey.toml");
        fails(NULL, "ROOT/work/.bailey.toml: refused because it is a symbolic link");
        shell("rm work/.bailey.toml");
        fails("/dev/null", "/dev/null: refused because it is not a regular file");
        snprintf(file, sizeof(file), "%s/none.toml", root);
        fails(file, "ROOT/none.toml: No such file or directory");
        put("named.conf", "");
        snprintf(file, sizeof(file), "%s/named.conf", root);
        fails(file, "ROOT/named.conf: unknown file type: the name must end in .toml, .json5 or .json");
}

static void too_large(void **state) {
        (void)state;
        shell("head -c 1048577 /dev/zero | tr '\\0' '\\n' >home/.config/bailey/config.toml");
        fails(NULL, "ROOT/home/.config/bailey/config.toml: larger than 1048576 bytes");
        shell("head -c 1048576 /dev/zero | tr '\\0' '\\n' >home/.config/bailey/config.toml");
        assert_int_equal(loaded(NULL)->file_count, 1);
}

static void errors_name_the_file(void **state) {
        (void)state;
        put("work/.bailey.toml", "guard.mode = 1\n"); /* not trusted: but wrong is wrong */
        fails(NULL, "ROOT/work/.bailey.toml:1:14: guard.mode: expected one of enforce, warn, off, found 1");
}

static void check_looks_at_every_policy(void **state) {
        struct policy_request request = { .environment = environment, .system_directory = system_directory };
        char file[128];
        struct err err;

        (void)state;
        snprintf(file, sizeof(file), "%s/a.toml", root);
        request.config_file = file;
        put("home/.config/bailey/config.toml", "[policy.mine]\n");
        put("a.toml", "[policy.a]\nextends = \"mine\"\n");
        assert_int_equal(policy_check(&request, &arena, &err), 0);
        put("a.toml", "[policy.a]\nsandbox.network = \"allow_hosts\"\n");
        assert_int_equal(policy_check(&request, &arena, &err), -1);
        assert_non_null(strstr(err.msg, "a.toml:2:19: sandbox.network: allow_hosts needs at least one host"));
}

/* ---- trust ---- */

static struct trust_list trusted(void) {
        struct trust_list list;
        struct err err;

        if (trust_read(environment, &arena, &list, &err) < 0)
                fail_msg("%s", err.msg);
        return list;
}

static void trust_comes_and_goes(void **state) {
        struct trust_list list = trusted();
        struct str content = STR("a = 1\n"), other = STR("a = 2\n");
        bool changed;
        struct stat status;
        char file[160];

        (void)state;
        assert_int_equal(list.count, 0);
        assert_int_equal(trust_set(environment, "/w/.bailey.toml", &content, &changed, NULL), 0);
        assert_true(changed);
        assert_int_equal(trust_set(environment, "/w/.bailey.toml", &content, &changed, NULL), 0);
        assert_false(changed);
        assert_int_equal(trust_set(environment, "/v/.bailey.toml", &other, &changed, NULL), 0);
        list = trusted();
        assert_int_equal(list.count, 2);
        assert_true(trust_has(&list, "/w/.bailey.toml", content));
        assert_false(trust_has(&list, "/w/.bailey.toml", other));   /* changed */
        assert_false(trust_has(&list, "/v/.bailey.toml", content)); /* somewhere else */
        assert_int_equal(trust_set(environment, "/w/.bailey.toml", &other, &changed, NULL), 0);
        assert_true(changed);
        list = trusted();
        assert_int_equal(list.count, 2);
        assert_false(trust_has(&list, "/w/.bailey.toml", content));
        assert_int_equal(trust_set(environment, "/w/.bailey.toml", NULL, &changed, NULL), 0);
        assert_true(changed);
        assert_int_equal(trust_set(environment, "/w/.bailey.toml", NULL, &changed, NULL), 0);
        assert_false(changed);
        assert_int_equal(trusted().count, 1);
        snprintf(file, sizeof(file), "%s/.local/state/bailey/trust", home);
        assert_int_equal(stat(file, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
        shell("test \"$(ls -A home/.local/state/bailey)\" = trust"); /* nothing else is left */
}

static void trust_fails(const char *message) {
        struct trust_list list;
        struct err err;

        assert_int_equal(trust_read(environment, &arena, &list, &err), -1);
        assert_non_null(strstr(err.msg, message));
}

static void trust_can_be_broken(void **state) {
        struct err err;

        (void)state;
        assert_int_equal(trust_set(environment, "relative", &STR(""), NULL, &err), -1);
        assert_int_equal(trust_set(environment, "/a\nb", &STR(""), NULL, &err), -1);
        assert_int_equal(trust_set(NULL, "/a", &STR(""), NULL, &err), -1);
        assert_string_equal(err.msg, "cannot find the state directory: neither XDG_STATE_HOME nor HOME is set");
        assert_int_equal(trust_set(environment, "/a", &STR(""), NULL, &err), 0);
        shell("chmod g+w home/.local/state/bailey/trust");
        trust_fails("/trust: refused because other users can write it");
        put("home/.local/state/bailey/trust", "nonsense\n");
        shell("chmod 600 home/.local/state/bailey/trust");
        trust_fails("/trust:1:1: expected a SHA-256 and the path of a file");
        put("work/.bailey.toml", "");
        assert_int_equal(load(NULL, &(const struct policy *){ NULL }, &err), -1);
        shell("rm work/.bailey.toml");
        assert_int_equal(loaded(NULL)->file_count, 0); /* nobody asks */
        shell("rm -r home/.local/state/bailey; touch home/.local/state/bailey");
        assert_int_equal(trust_set(environment, "/a", &STR(""), NULL, &err), -1);
}

static void trust_follows_the_content(void **state) {
        struct config_text file;
        char path[160];

        (void)state;
        put("work/.bailey.toml", "run.warm = 9\n");
        assert_int_equal(workspace_config_read(workspace, &arena, &file, NULL), 0);
        snprintf(path, sizeof(path), "%s/work/.bailey.toml", root);
        assert_string_equal(file.path, path);
        assert_int_equal(trust_set(environment, file.path, &file.content, NULL, NULL), 0);
        assert_int_equal(loaded(NULL)->run.warm, 9);
        put("work/.bailey.toml", "run.warm = 10\n");
        assert_int_equal(loaded(NULL)->run.warm, 2);
        assert_int_equal(loaded(NULL)->notices.count, 1);
        put("work/.bailey.toml", "run.warm = 9\n");
        assert_int_equal(loaded(NULL)->run.warm, 9);
}

/* What a person adds while a session runs must not bring in what files have become since. */
static void an_override_reads_no_file_again(void **state) {
        const struct policy *base, *more, *last, *none = NULL;

        (void)state;
        put("home/.config/bailey/config.toml", "run.warm = 5\nguard.mode = \"enforce\"\n");
        base = loaded(NULL);
        put("home/.config/bailey/config.toml", "this is no config any more");
        assert_int_equal(policy_override(base, (const char *const[]){ "guard.domain_allowlist=[\"a.example\"]", NULL }, &arena,
                                         &more, NULL),
                         0);
        assert_int_equal(policy_override(more, (const char *const[]){ "guard.domain_allowlist=[\"b.example\"]", NULL }, &arena,
                                         &last, NULL),
                         0);
        assert_int_equal(last->run.warm, 5);
        assert_int_equal(last->guard.domain_allowlist.count, base->guard.domain_allowlist.count + 2);
        assert_true(list_holds(last->guard.domain_allowlist, "a.example"));
        assert_true(list_holds(last->guard.domain_allowlist, "b.example"));
        assert_false(list_holds(more->guard.domain_allowlist, "b.example"));
        assert_false(list_holds(base->guard.domain_allowlist, "a.example"));
        assert_str_equal(last->workspace, base->workspace);
        assert_int_equal(last->file_count, base->file_count);
        assert_int_equal(
                policy_override(base, (const char *const[]){ "guard.domain_allowlist=[\"a b\"]", NULL }, &arena, &none, NULL),
                -1);
        assert_null(none);
}

/* A lease keeps whoever opens the file waiting. It is not taken for a file that is not there. */
static void a_leased_file_is_refused(void **state) {
        char path[256];
        FD_AUTO fd = -1;

        (void)state;
        put("home/.config/bailey/config.toml", "[sandbox]\nnetwork = \"inherit\"\n");
        snprintf(path, sizeof(path), "%s/.config/bailey/config.toml", home);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        signal(SIGIO, SIG_IGN); /* somebody wants to open it */
        if (fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
                skip(); /* not on every file system */
        fails(NULL, "ROOT/home/.config/bailey/config.toml: another program holds a lease on the file; see /proc/locks");
        assert_int_equal(fcntl(fd, F_SETLEASE, F_UNLCK), 0);
        assert_int_equal(loaded(NULL)->sandbox.network, NETWORK_INHERIT);
}

/* BAILEY_BASH_ALLOW_NETWORK is another default, and no more: whoever says something about the network is heard. */
static void the_environment_opens_the_network(void **state) {
        static const char *const opens[] = { "1", "true", "TRUE", "True" }, *const does_not[] = { "", "0", "yes", "11",
                                                                                                  "true " };
        static const struct {
                const char *file, *text;
                enum network_kind kind;
        } rows[] = {
                { "etc/config.toml", "sandbox.network = \"deny\"", NETWORK_DENY },
                { "home/.config/bailey/config.toml", "sandbox.network = \"deny\"", NETWORK_DENY },
                { "home/.config/bailey/config.toml", "sandbox.network = \"packages\"", NETWORK_PACKAGES },
                { "home/.config/bailey/config.toml", "sandbox.workspace_write = true", NETWORK_INHERIT },
                { "work/.bailey.toml", "sandbox.network = \"deny\"", NETWORK_DENY },
                { "work/.bailey.toml", "sandbox.network = \"packages\"", NETWORK_PACKAGES },
        };
        const struct policy *p;
        char variable[128];

        (void)state;
        environment[1] = variable;
        for (size_t i = 0; i < sizeof(does_not) / sizeof(*does_not); i++) {
                snprintf(variable, sizeof(variable), "BAILEY_BASH_ALLOW_NETWORK=%s", does_not[i]);
                assert_int_equal(loaded(NULL)->sandbox.network, NETWORK_DENY);
        }
        for (size_t i = 0; i < sizeof(opens) / sizeof(*opens); i++) {
                snprintf(variable, sizeof(variable), "BAILEY_BASH_ALLOW_NETWORK=%s", opens[i]);
                assert_int_equal(loaded(NULL)->sandbox.network, NETWORK_INHERIT);
        }
        p = loaded(NULL);
        assert_int_equal(p->origins[key_index(key_by_path(STR("sandbox.network.kind")))].origin.layer, LAYER_ENVIRONMENT);
        assert_int_equal(p->file_count, 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                put(rows[i].file, rows[i].text);
                assert_int_equal(loaded(NULL)->sandbox.network, rows[i].kind);
                snprintf(variable, sizeof(variable), "%s/%.50s", root, rows[i].file);
                assert_int_equal(unlink(variable), 0);
                snprintf(variable, sizeof(variable), "BAILEY_BASH_ALLOW_NETWORK=1");
        }
        assert_int_equal(policy_load(&(struct policy_request){ .name = "readonly",
                                                               .environment = environment,
                                                               .system_directory = system_directory },
                                     &arena, &p, NULL),
                         0);
        assert_int_equal(p->sandbox.network, NETWORK_DENY);
        assert_int_equal(
                policy_load(&(struct policy_request){ .overrides = (const char *const[]){ "sandbox.network=deny", NULL },
                                                      .environment = environment,
                                                      .system_directory = system_directory },
                            &arena, &p, NULL),
                0);
        assert_int_equal(p->sandbox.network, NETWORK_DENY);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                CASE(a_leased_file_is_refused),
                CASE(all_places),
                CASE(the_environment_opens_the_network),
                CASE(nothing_is_fine),
                CASE(xdg),
                CASE(the_workspace_is_found_once),
                CASE(two_in_one_place),
                CASE(written_by_others),
                CASE(not_regular),
                CASE(too_large),
                CASE(errors_name_the_file),
                CASE(check_looks_at_every_policy),
                CASE(trust_comes_and_goes),
                CASE(trust_can_be_broken),
                CASE(trust_follows_the_content),
                CASE(an_override_reads_no_file_again),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
