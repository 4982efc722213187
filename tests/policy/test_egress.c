/*
 * What the gateway decides by: from a config, over the wire, to verdicts.
 */
#include "policy/addresses.h"
#include "policy/egress.h"
#include "policy/hosts.h"
#include "tests/policy/config_test.h"

static struct egress egress_of(const char *config, struct arena *arena) {
        struct egress egress;
        struct err err;

        if (egress_from_policy(config_one(config, arena), arena, &egress, &err) < 0)
                fail_msg("%s\n%s", config, err.msg);
        return egress;
}

static struct host host_of(const char *text) {
        struct host host;

        if (host_from_url(str_z(text), &host) < 0)
                fail_msg("%s is no host", text);
        return host;
}

/* ---- verdicts ---- */

#define LISTED                                                                                             \
        "[guard]\ndomain_denylist = [\"bad.example.com\", \"192.0.2.66\"]\n"                               \
        "[sandbox.network]\nkind = \"allow_hosts\"\n"                                                      \
        "hosts = [\"GitHub.com\", \"*.example.com\", \"db.test:5432\", \"any.test:*\", \"192.0.2.7\", "    \
        "\"192.0.2.8:8080\", \"[2001:db8::7]:443\", \"2001:db8::8\", \"169.254.169.254\", \"127.0.0.1\", " \
        "\"localhost\", \"@python\"]\n"                                                                    \
        "private_hosts = [\"*.corp\"]\n"

static const struct {
        const char *host;
        uint16_t port; /* 0: some port */
        enum egress_verdict verdict;
} verdicts[] = {
        { "github.com", 443, EGRESS_ALLOWED },
        { "GITHUB.com.", 443, EGRESS_ALLOWED },
        { "github.com", 22, EGRESS_ALLOWED },
        { "github.com", 80, EGRESS_ALLOWED },
        { "github.com", 8443, EGRESS_PORT_NOT_LISTED },
        { "github.com", 0, EGRESS_ALLOWED },
        { "api.github.com", 443, EGRESS_NOT_LISTED },
        { "example.com", 443, EGRESS_ALLOWED },
        { "a.b.example.com", 443, EGRESS_ALLOWED },
        { "evilexample.com", 443, EGRESS_NOT_LISTED },
        { "example.com.evil", 443, EGRESS_NOT_LISTED },
        { "bad.example.com", 443, EGRESS_DENIED },
        { "bad.example.com", 0, EGRESS_DENIED },
        { "worse.bad.example.com", 443, EGRESS_ALLOWED },
        { "db.test", 5432, EGRESS_ALLOWED },
        { "db.test", 443, EGRESS_PORT_NOT_LISTED },
        { "any.test", 1, EGRESS_ALLOWED },
        { "any.test", 65535, EGRESS_ALLOWED },
        { "192.0.2.7", 443, EGRESS_ALLOWED },
        { "[::ffff:192.0.2.7]", 443, EGRESS_ALLOWED },
        { "192.0.2.8", 8080, EGRESS_ALLOWED },
        { "192.0.2.8", 443, EGRESS_PORT_NOT_LISTED },
        { "192.0.2.9", 443, EGRESS_NOT_LISTED },
        { "192.0.2.66", 443, EGRESS_DENIED },
        { "[2001:db8::7]", 443, EGRESS_ALLOWED },
        { "[2001:db8::7]", 80, EGRESS_PORT_NOT_LISTED },
        { "[2001:db8::8]", 80, EGRESS_ALLOWED },
        { "[2001:db8::9]", 80, EGRESS_NOT_LISTED },
        { "169.254.169.254", 80, EGRESS_ALLOWED }, /* it is named */
        { "127.0.0.1", 80, EGRESS_NOT_LISTED },    /* of this machine: never */
        { "[::1]", 80, EGRESS_NOT_LISTED },
        { "pypi.org", 443, EGRESS_ALLOWED },
        { "files.pythonhosted.org", 443, EGRESS_ALLOWED },
        { "registry.npmjs.org", 443, EGRESS_NOT_LISTED },
        { "ex\xc3\xa4mple.example.com", 443, EGRESS_NOT_LISTED },
};

static void check_verdicts(const struct egress *egress) {
        for (size_t i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++) {
                struct host host = host_of(verdicts[i].host);
                enum egress_verdict found =
                        verdicts[i].port ? egress_judge(egress, &host, verdicts[i].port) : egress_judge_name(egress, &host);

                if (found != verdicts[i].verdict)
                        fail_msg("%s:%u is %d, not %d", verdicts[i].host, verdicts[i].port, found, verdicts[i].verdict);
        }
}

static void hosts_are_judged(void **state) {
        ARENA_AUTO arena;
        struct egress egress;
        struct host host;

        (void)state;
        arena_init(&arena, 0);
        egress = egress_of(LISTED, &arena);
        check_verdicts(&egress);
        host = host_of("git.corp");
        assert_true(egress_may_be_private(&egress, &host));
        host = host_of("github.com");
        assert_false(egress_may_be_private(&egress, &host));
        assert_true(egress_any_port(&egress));
        assert_int_equal(egress.max_connections, 512);
}

static void a_star_is_for_public_hosts(void **state) {
        ARENA_AUTO arena;
        struct egress egress;
        struct host host;

        (void)state;
        arena_init(&arena, 0);
        egress = egress_of("guard.domain_denylist = [\"evil.example\"]\n"
                           "sandbox.network = { kind = \"allow_hosts\", hosts = [\"*\"], allow_any = true }",
                           &arena);
        host = host_of("anything.example");
        assert_int_equal(egress_judge(&egress, &host, 443), EGRESS_ALLOWED);
        assert_int_equal(egress_judge(&egress, &host, 8443), EGRESS_PORT_NOT_LISTED);
        host = host_of("evil.example");
        assert_int_equal(egress_judge(&egress, &host, 443), EGRESS_DENIED);
        host = host_of("192.0.2.1");
        assert_int_equal(egress_judge(&egress, &host, 443), EGRESS_ALLOWED);
        for (const char *const *p = (const char *const[]){ "169.254.169.254", "10.0.0.1", "127.0.0.1", "0.0.0.0", "[::1]",
                                                           "[64:ff9b::a00:1]", NULL };
             *p; p++) {
                host = host_of(*p);
                assert_int_equal(egress_judge(&egress, &host, 443), EGRESS_NOT_LISTED);
        }
}

static void kinds_make_rules(void **state) {
        struct host npm = host_of("registry.npmjs.org"), own = host_of("own.example"), github = host_of("github.com");
        static const struct {
                const char *kind;
                enum egress_verdict npm, own;
        } rows[] = {
                { "deny", EGRESS_NOT_LISTED, EGRESS_NOT_LISTED },
                { "inherit", EGRESS_NOT_LISTED, EGRESS_NOT_LISTED },
                { "allow_hosts", EGRESS_NOT_LISTED, EGRESS_ALLOWED },
                { "packages", EGRESS_ALLOWED, EGRESS_ALLOWED },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                ARENA_AUTO arena;
                struct egress egress;
                char config[128];

                arena_init(&arena, 0);
                snprintf(config, sizeof(config), "sandbox.network = { kind = \"%s\", hosts = [\"own.example\"] }",
                         rows[i].kind);
                egress = egress_of(config, &arena);
                assert_int_equal(egress_judge(&egress, &npm, 443), rows[i].npm);
                assert_int_equal(egress_judge(&egress, &own, 443), rows[i].own);
                assert_int_equal(egress_judge(&egress, &github, 443), EGRESS_NOT_LISTED); /* of guard.domain_allowlist only */
        }
}

static void ports_are_collected(void **state) {
        uint16_t ports[EGRESS_PORTS_MAX];
        ARENA_AUTO arena;
        struct egress egress;

        (void)state;
        arena_init(&arena, 0);
        egress = egress_of("sandbox.network = { kind = \"allow_hosts\", hosts = [\"a:9000\", \"b:80\", \"c:1\"], "
                           "ports = [8080, 80] }",
                           &arena);
        assert_int_equal(egress_all_ports(&egress, ports, EGRESS_PORTS_MAX), 6);
        assert_memory_equal(ports, ((uint16_t[]){ 1, 22, 80, 443, 8080, 9000 }), 6 * sizeof(*ports));
        assert_int_equal(egress_all_ports(&egress, ports, 2), 2);
        assert_false(egress_any_port(&egress));
}

static void too_much_is_refused(void **state) {
        const struct policy *policy;
        ARENA_AUTO arena;
        BUF_AUTO text;
        struct egress egress;
        struct err err;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, 1 << 20);
        buf_append(&text, STR("sandbox.network = { kind = \"allow_hosts\", hosts = ["));
        for (int i = 0; i < EGRESS_PORTS_MAX; i++)
                buf_format(&text, "\"h:%d\", ", i + 1000);
        buf_append(&text, STR("] }"));
        buf_char(&text, '\0');
        policy = config_one(text.ptr, &arena);
        assert_int_equal(egress_from_policy(policy, &arena, &egress, &err), -1);
        assert_string_equal(err.msg, "sandbox.network: more than 128 different ports");

        buf_clear(&text);
        buf_append(&text, STR("sandbox.network = { kind = \"allow_hosts\", hosts = ["));
        for (int i = 0; i < 1000; i++)
                buf_format(&text, "\"%060d.%060d.%060d.example\", ", i, i, i);
        buf_append(&text, STR("] }"));
        buf_char(&text, '\0');
        policy = config_one(text.ptr, &arena);
        assert_int_equal(egress_from_policy(policy, &arena, &egress, &err), -1);
        assert_string_equal(err.msg, "sandbox.network and guard.domain_denylist: too many hosts");
}

static const struct {
        const char *rule;
        bool covered;
} covers[] = {
        { "github.com", true },
        { "github.com:443", true },
        { "github.com:8443", false },
        { "github.com:*", false },
        { "*.github.com", false },
        { "a.example.com", true },
        { "*.a.example.com", true },
        { "*.example.com", true },
        { "example.com", true },
        { "*.com", false },
        { "*", false },
        { "any.test:99", true },
        { "any.test:*", true },
        { "any.test", true },
        { "db.test", false },
        { "db.test:5432", true },
        { "192.0.2.7", true },
        { "192.0.2.70", false },
        { "[2001:db8::8]:80", true },
        { "evil.example", false },
        { "files.pythonhosted.org", true },
};

static void narrower_rules_are_covered(void **state) {
        ARENA_AUTO arena;
        struct egress egress;

        (void)state;
        arena_init(&arena, 0);
        egress = egress_of(LISTED, &arena);
        for (size_t i = 0; i < sizeof(covers) / sizeof(*covers); i++) {
                struct egress_rule rule;

                assert_int_equal(egress_rule_read(str_z(covers[i].rule), &rule), 0);
                if (egress_covers(&egress, &rule) != covers[i].covered)
                        fail_msg("%s is %scovered", covers[i].rule, covers[i].covered ? "not " : "");
        }
}

/* ---- what stands in the config ---- */

static const struct {
        const char *text, *pattern; /* NULL: wrong */
        uint16_t port;
        bool any;
} texts[] = {
        { "github.com", "github.com", 0, false },
        { "github.com:443", "github.com", 443, false },
        { "github.com:*", "github.com", 0, true },
        { "*.x.org:22", "*.x.org", 22, false },
        { "*", "*", 0, false },
        { "*:443", "*", 443, false },
        { "1.2.3.4:5", "1.2.3.4", 5, false },
        { "[::1]:5", "::1", 5, false },
        { "[::1]:*", "::1", 0, true },
        { "[::1]", "::1", 0, false },
        { "::1", "::1", 0, false },
        { "2001:db8::8", "2001:db8::8", 0, false },
        { "", NULL, 0, false },
        { ":443", NULL, 0, false },
        { "x:", NULL, 0, false },
        { "x:0", NULL, 0, false },
        { "x:080", NULL, 0, false },
        { "x:65536", NULL, 0, false },
        { "x:-1", NULL, 0, false },
        { "x:80:80", NULL, 0, false },
        { "x:80,443", NULL, 0, false },
        { "x/y", NULL, 0, false },
        { "https://x", NULL, 0, false },
        { "x.*", NULL, 0, false },
        { "*x", NULL, 0, false },
        { "[::1", NULL, 0, false },
        { "[::1]x", NULL, 0, false },
        { "[x]:1", NULL, 0, false },
        { "a b", NULL, 0, false },
        { "b\xc3\xbc"
          "cher.example",
          NULL, 0, false },
};

static void rules_are_read(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                struct egress_rule rule;
                int status = egress_rule_read(str_z(texts[i].text), &rule);

                if ((status == 0) != (texts[i].pattern != NULL))
                        fail_msg("%s is %s", texts[i].text, status == 0 ? "accepted" : "refused");
                if (status < 0 || !texts[i].pattern)
                        continue;
                if (!str_is(rule.pattern, texts[i].pattern) || rule.port != texts[i].port || rule.any_port != texts[i].any)
                        fail_msg("%s is %.*s %u %d", texts[i].text, (int)rule.pattern.len, rule.pattern.ptr, rule.port,
                                 rule.any_port);
        }
        assert_true(egress_host_valid(STR("@packages")));
        assert_true(egress_host_valid(STR("@github")));
        assert_false(egress_host_valid(STR("@nothing")));
        assert_false(egress_host_valid(STR("@")));
        assert_false(egress_host_valid(STR("@github:80")));
}

static void ports_are_read(void **state) {
        struct published_port ports;

        (void)state;
        assert_int_equal(published_port_read(STR("3000"), &ports), 0);
        assert_int_equal(ports.host, 3000);
        assert_int_equal(ports.inside, 3000);
        assert_int_equal(published_port_read(STR("8080:3000"), &ports), 0);
        assert_int_equal(ports.host, 8080);
        assert_int_equal(ports.inside, 3000);
        for (const char *const *p = (const char *const[]){ "", ":", "1:", ":1", "0", "0:1", "1:0", "1:2:3", "65536", "x", "+1",
                                                           " 1", "0.0.0.0:1", NULL };
             *p; p++)
                if (published_port_read(str_z(*p), &ports) == 0)
                        fail_msg("%s is accepted", *p);
}

static void presets_are_sorted_and_valid(void **state) {
        (void)state;
        for (size_t i = 0; i < preset_count; i++) {
                if (i > 0 && strcmp(presets[i - 1].name, presets[i].name) >= 0)
                        fail_msg("%s is not in order", presets[i].name);
                assert_non_null(presets[i].hosts[0]);
                for (size_t k = 0; presets[i].hosts[k]; k++) {
                        struct egress_rule rule;

                        if (egress_rule_read(str_z(presets[i].hosts[k]), &rule) < 0 || str_is(rule.pattern, "*"))
                                fail_msg("%s: %s", presets[i].name, presets[i].hosts[k]);
                }
        }
}

/* Hosts of a flag are to be reached, whatever the files say; unless another flag says no. */
static void hosts_of_flags_count(void **state) {
        static const struct {
                const char *user, *first, *second;
                enum network_kind kind;
        } rows[] = {
                { "", "sandbox.network.hosts=a.b", NULL, NETWORK_ALLOW_HOSTS },
                { "sandbox.network = \"deny\"", "sandbox.network.hosts=a.b", NULL, NETWORK_ALLOW_HOSTS },
                { "sandbox.network = \"packages\"", "sandbox.network.hosts=a.b", NULL, NETWORK_PACKAGES },
                { "sandbox.network = \"inherit\"", "sandbox.network.hosts=a.b", NULL, NETWORK_INHERIT },
                { "", "sandbox.network=inherit", "sandbox.network.hosts=a.b", NETWORK_INHERIT },
                { "", "sandbox.network=packages", "sandbox.network.hosts=a.b", NETWORK_PACKAGES },
                { "", "sandbox.network=packages", NULL, NETWORK_PACKAGES },
                { "sandbox.network.hosts = [\"c.d\"]", "sandbox.network=allow_hosts", NULL, NETWORK_ALLOW_HOSTS },
                { "sandbox.network.hosts = [\"c.d\"]", "sandbox.network.ports=1", NULL, NETWORK_DENY },
        };
        const struct config_file wrong[] = { { .layer = LAYER_OVERRIDE, .text = "sandbox.network.hosts=a.b" },
                                             { .layer = LAYER_OVERRIDE, .text = "sandbox.network=deny" },
                                             { 0 } };
        const struct policy *policy;
        struct err err;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const struct config_file files[] = { { .layer = LAYER_USER, .text = rows[i].user },
                                                     { .layer = LAYER_OVERRIDE, .text = rows[i].first },
                                                     { .layer = LAYER_OVERRIDE, .text = rows[i].second },
                                                     { 0 } };

                policy = config_policy(files, "default", &arena);
                if (policy->sandbox.network != rows[i].kind)
                        fail_msg("%s, then %s: %d", rows[i].user, rows[i].first, policy->sandbox.network);
        }
        assert_int_equal(config_resolve(wrong, "default", &arena, &policy, &err), -1);
        assert_string_equal(err.msg, "sandbox.network.hosts: has no effect with sandbox.network = deny");
}

/* ---- what a file of a workspace that is not trusted does to it ---- */

static const struct { /* NOLINT(clang-analyzer-optin.performance.Padding): in the order in which rows are read */
        const char *user, *workspace, *override;
        enum network_kind kind;
        const char *reaches, *does_not; /* hosts */
        bool ignored;
} untrusted[] = {
#define ALLOW(hosts) "sandbox.network = { kind = \"allow_hosts\", hosts = [" hosts "] }"
        { "", ALLOW("\"a.b\""), NULL, NETWORK_DENY, NULL, "a.b", true },
        { "sandbox.network.hosts = [\"a.b\"]", ALLOW("\"a.b\""), NULL, NETWORK_DENY, NULL, "a.b", true },
        { ALLOW("\"*.b\""), ALLOW("\"a.b\""), NULL, NETWORK_ALLOW_HOSTS, "c.b", NULL, false },
        { ALLOW("\"*.b\""), ALLOW("\"a.c\""), NULL, NETWORK_ALLOW_HOSTS, "c.b", "a.c", true },
        { ALLOW("\"*.b\""), "sandbox.network.hosts = { replace = true, items = [\"a.b\"] }", NULL, NETWORK_ALLOW_HOSTS, "a.b",
          "c.b", false },
        { ALLOW("\"*.b\""), "sandbox.network.hosts = { replace = true, items = [\"a.b\", \"a.c\"] }", NULL, NETWORK_ALLOW_HOSTS,
          "c.b", "a.c", true },
        { ALLOW("\"*.b\""), "sandbox.network.hosts = [\"a.b:8443\"]", NULL, NETWORK_ALLOW_HOSTS, "a.b", "a.c", true },
        { ALLOW("\"*.b\""), "sandbox.network = \"packages\"", NULL, NETWORK_ALLOW_HOSTS, "a.b", "pypi.org", true },
        { ALLOW("\"*.b\""), "sandbox.network = \"inherit\"", NULL, NETWORK_ALLOW_HOSTS, "a.b", "pypi.org", true },
        { ALLOW("\"*.b\""), "sandbox.network = \"deny\"", NULL, NETWORK_DENY, NULL, "a.b", false },
        { "sandbox.network = \"packages\"", ALLOW("\"pypi.org\""), NULL, NETWORK_ALLOW_HOSTS, "pypi.org", "crates.io", false },
        { "sandbox.network = \"packages\"", "sandbox.network = \"allow_hosts\"", NULL, NETWORK_ALLOW_HOSTS, NULL, "crates.io",
          false },
        { "sandbox.network = \"inherit\"", ALLOW("\"a.b\""), NULL, NETWORK_ALLOW_HOSTS, "a.b", "c.b", false },
        { "sandbox.network = \"inherit\"", "sandbox.network = \"packages\"", NULL, NETWORK_PACKAGES, "pypi.org", "c.b", false },
        { "sandbox.network = \"inherit\"", "sandbox.network = \"allow_hosts\"", NULL, NETWORK_ALLOW_HOSTS, NULL, "c.b", false },
        /* what a flag lists is all */
        { "sandbox.network = \"inherit\"", ALLOW("\"evil.b\""), "sandbox.network=packages", NETWORK_PACKAGES, "pypi.org",
          "evil.b", true },
        { "sandbox.network = \"inherit\"", "sandbox.network.hosts = [\"evil.b\"]", "sandbox.network=packages", NETWORK_PACKAGES,
          "pypi.org", "evil.b", true },
};

static void untrusted_files_open_nothing(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(untrusted) / sizeof(*untrusted); i++) {
                const struct config_file files[] = {
                        { .layer = LAYER_USER, .text = untrusted[i].user },
                        { .layer = LAYER_WORKSPACE, .text = untrusted[i].workspace, .untrusted = true },
                        { .layer = LAYER_OVERRIDE, .text = untrusted[i].override },
                        { 0 },
                };
                const struct policy *policy;
                struct egress egress;
                struct host host;
                struct err err;
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                policy = config_policy(files, "default", &arena);
                assert_int_equal(egress_from_policy(policy, &arena, &egress, &err), 0);
                if (policy->sandbox.network != untrusted[i].kind)
                        fail_msg("%s, then %s: kind %d", untrusted[i].user, untrusted[i].workspace, policy->sandbox.network);
                if (!!strstr(policy->notices.items[0].ptr, "ignored") != untrusted[i].ignored)
                        fail_msg("%s, then %s: %s", untrusted[i].user, untrusted[i].workspace, policy->notices.items[0].ptr);
                host = host_of(untrusted[i].reaches ? untrusted[i].reaches : "x");
                if (untrusted[i].reaches && egress_judge(&egress, &host, 443) != EGRESS_ALLOWED)
                        fail_msg("%s, then %s: %s", untrusted[i].user, untrusted[i].workspace, host.text);
                host = host_of(untrusted[i].does_not ? untrusted[i].does_not : "x");
                if (untrusted[i].does_not && egress_judge(&egress, &host, 443) != EGRESS_NOT_LISTED)
                        fail_msg("%s, then %s: %s", untrusted[i].user, untrusted[i].workspace, host.text);
        }
}

/* ---- over the wire ---- */

static void what_is_written_can_be_read(void **state) {
        struct egress egress, again;
        BUF_AUTO bytes, more;
        ARENA_AUTO arena;
        struct err err;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&bytes, EGRESS_BYTES_MAX);
        buf_init(&more, EGRESS_BYTES_MAX);
        egress = egress_of(LISTED, &arena);
        egress_write(&egress, &bytes);
        assert_int_equal(egress_read(buf_str(&bytes), &arena, &again, &err), 0);
        check_verdicts(&again);
        egress_write(&again, &more);
        assert_str_equal(buf_str(&bytes), buf_str(&more));
        for (size_t i = 0; i < bytes.len; i++)
                assert_int_equal(egress_read(str_take(buf_str(&bytes), i), &arena, &again, &err), -1);
        buf_char(&bytes, '\n');
        assert_int_equal(egress_read(buf_str(&bytes), &arena, &again, &err), -1);
}

static void other_bytes_are_refused(void **state) {
        static const char *const wrong[] = {
                "",
                "x",
                "bailey-egress 2 1 0 0 0 0\n",
                "bailey-egress 1 1 0 0 0 0\n",
                "bailey-egress 1 1 0 0 0 0 0 0\n",
                "bailey-egress 1 99999 0 0 0 0 0\n",
                "bailey-egress 1 01 0 0 0 0 0\n",
                "bailey-egress 1 -1 0 0 0 0 0\n",
                "bailey-egress 1 1 4097 0 0 0 0\n",
                "bailey-egress 1 1 1 0 0 0 0\n0\n",
                "bailey-egress 1 1 1 0 0 0 0\n65536\n",
                "bailey-egress 1 1 0 1 0 0 0\nx\n",
                "bailey-egress 1 1 0 1 0 0 0\nx y\n",
                "bailey-egress 1 1 0 1 0 0 0\n 0\n",
                "bailey-egress 1 1 0 1 0 0 0\nx **\n",
                "bailey-egress 1 1 0 0 1 0 0\nx/y\n",
                "bailey-egress 1 1 0 0 0 1 0\n\n",
                "bailey-egress 1 1 0 0 0 2 0\nx\n",
                "bailey-egress 1 1 0 0 0 0 1\n",
                "bailey-egress 1 1 0 0 0 0 1\na.example 0\n",
                "bailey-egress 1 1 0 0 0 0 1\na.example *\n",
                "bailey-egress 1 1 0 0 0 0 1\n*.example 443\n",
                "bailey-egress 1 1 0 0 0 0 1\n127.0.0.1 443\n",
                "bailey-egress 1 1 0 0 0 0 1\nlocalhost 443\n",
                "bailey-egress 1 1 0 0 0 0 17\n",
        };
        struct egress egress = { .rule_count = 77 };
        ARENA_AUTO arena;
        struct err err;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(egress_read(STR("bailey-egress 1 1 1 1 1 1 0\n80\nx *\ny\nz\n"), &arena, &egress, &err), 0);
        assert_int_equal(egress.rule_count, 1);
        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
                if (egress_read(str_z(wrong[i]), &arena, &egress, &err) == 0)
                        fail_msg("accepted: %s", wrong[i]);
        assert_int_equal(egress.rule_count, 1);
}

/* ---- addresses ---- */

static const struct {
        const char *address;
        enum address_kind kind;
} addresses[] = {
        { "8.8.8.8", ADDRESS_PUBLIC },
        { "192.0.2.1", ADDRESS_PUBLIC },
        { "0.0.0.0", ADDRESS_LOOPBACK },
        { "0.1.2.3", ADDRESS_RESERVED },
        { "127.0.0.1", ADDRESS_LOOPBACK },
        { "127.255.255.255", ADDRESS_LOOPBACK },
        { "128.0.0.1", ADDRESS_PUBLIC },
        { "169.254.1.1", ADDRESS_LINK_LOCAL },
        { "169.254.169.254", ADDRESS_METADATA },
        { "100.100.100.200", ADDRESS_METADATA },
        { "168.63.129.16", ADDRESS_METADATA },
        { "168.63.129.17", ADDRESS_PUBLIC },
        { "192.0.0.1", ADDRESS_RESERVED },
        { "192.0.0.192", ADDRESS_METADATA },
        { "192.0.1.1", ADDRESS_PUBLIC },
        { "198.17.255.255", ADDRESS_PUBLIC },
        { "198.18.0.1", ADDRESS_RESERVED },
        { "198.19.255.255", ADDRESS_RESERVED },
        { "198.20.0.0", ADDRESS_PUBLIC },
        { "223.255.255.255", ADDRESS_PUBLIC },
        { "224.0.0.1", ADDRESS_RESERVED },
        { "240.0.0.1", ADDRESS_RESERVED },
        { "255.255.255.255", ADDRESS_RESERVED },
        { "10.1.2.3", ADDRESS_PRIVATE },
        { "11.0.0.0", ADDRESS_PUBLIC },
        { "172.15.255.255", ADDRESS_PUBLIC },
        { "172.16.0.0", ADDRESS_PRIVATE },
        { "172.31.255.255", ADDRESS_PRIVATE },
        { "172.32.0.0", ADDRESS_PUBLIC },
        { "192.168.0.1", ADDRESS_PRIVATE },
        { "192.169.0.1", ADDRESS_PUBLIC },
        { "100.64.0.1", ADDRESS_PRIVATE },
        { "100.128.0.1", ADDRESS_PUBLIC },
        { "[2001:4860:4860::8888]", ADDRESS_PUBLIC },
        { "[2606:4700::1]", ADDRESS_PUBLIC },
        { "[::]", ADDRESS_LOOPBACK },
        { "[::1]", ADDRESS_LOOPBACK },
        { "[::2]", ADDRESS_RESERVED },
        { "[::7f00:1]", ADDRESS_RESERVED },
        { "[fe80::1]", ADDRESS_LINK_LOCAL },
        { "[febf::1]", ADDRESS_LINK_LOCAL },
        { "[fec0::1]", ADDRESS_PRIVATE },
        { "[ff02::1]", ADDRESS_RESERVED },
        { "[fc00::1]", ADDRESS_PRIVATE },
        { "[fd12:3456::1]", ADDRESS_PRIVATE },
        { "[fd00:ec2::254]", ADDRESS_METADATA },
        { "[fd20:ce::254]", ADDRESS_METADATA },
        { "[fd00:c1::a9fe:a9fe]", ADDRESS_METADATA },
        { "[fd00:42::42]", ADDRESS_METADATA },
        { "[fd00:a9fe:a9fe::1]", ADDRESS_METADATA },
        { "[fd00:100::100:200]", ADDRESS_METADATA },
        /* IPv4 inside */
        { "[::ffff:127.0.0.1]", ADDRESS_LOOPBACK },
        { "[::ffff:8.8.8.8]", ADDRESS_PUBLIC },
        { "[64:ff9b::7f00:1]", ADDRESS_LOOPBACK },
        { "[64:ff9b::a9fe:a9fe]", ADDRESS_METADATA },
        { "[64:ff9b::808:808]", ADDRESS_PUBLIC },
        { "[64:ff9b:1::808:808]", ADDRESS_RESERVED },
        { "[2002:7f00:1::]", ADDRESS_LOOPBACK },
        { "[2002:a00:1::5]", ADDRESS_PRIVATE },
        { "[2002:808:808::]", ADDRESS_PUBLIC },
        { "[::ffff:0:10.0.0.1]", ADDRESS_PRIVATE },
        { "[::ffff:0:8.8.8.8]", ADDRESS_PUBLIC },
        { "[2001::1]", ADDRESS_RESERVED },
};

static void addresses_have_kinds(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
                struct host host = host_of(addresses[i].address);
                enum address_kind kind = host_address_kind(&host);

                if (kind != addresses[i].kind)
                        fail_msg("%s is of kind %d, not %d", addresses[i].address, kind, addresses[i].kind);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(hosts_are_judged),
                cmocka_unit_test(a_star_is_for_public_hosts),
                cmocka_unit_test(kinds_make_rules),
                cmocka_unit_test(ports_are_collected),
                cmocka_unit_test(too_much_is_refused),
                cmocka_unit_test(narrower_rules_are_covered),
                cmocka_unit_test(rules_are_read),
                cmocka_unit_test(ports_are_read),
                cmocka_unit_test(presets_are_sorted_and_valid),
                cmocka_unit_test(hosts_of_flags_count),
                cmocka_unit_test(untrusted_files_open_nothing),
                cmocka_unit_test(what_is_written_can_be_read),
                cmocka_unit_test(other_bytes_are_refused),
                cmocka_unit_test(addresses_have_kinds),
        };

        return cmocka_run_group_tests_name("egress", tests, NULL, NULL);
}
