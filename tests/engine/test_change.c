/*
 * What `allow` and `deny` change: the lists of the guard, and that of the gateway.
 */
#include "engine/session/change.h"
#include "tests/policy/config_test.h"

#define FILTERED "sandbox.network = { kind = \"allow_hosts\", hosts = [\"a.b\"] }"

static const struct {
        const char *config;
        enum bailey_change change;
        const char *subject;
        const char *overrides[CHANGE_ITEMS_MAX];
} rows[] = {
        { "", BAILEY_ALLOW_DOMAIN, "x.org", { "guard.domain_allowlist=[\"x.org\"]" } },
        { "sandbox.network = \"inherit\"", BAILEY_ALLOW_DOMAIN, "x.org", { "guard.domain_allowlist=[\"x.org\"]" } },
        { FILTERED,
          BAILEY_ALLOW_DOMAIN,
          "x.org",
          { "guard.domain_allowlist=[\"x.org\"]", "sandbox.network.hosts=[\"x.org\"]" } },
        { "sandbox.network = \"packages\"",
          BAILEY_ALLOW_DOMAIN,
          "*.x.org",
          { "guard.domain_allowlist=[\"*.x.org\"]", "sandbox.network.hosts=[\"*.x.org\"]" } },
        { FILTERED,
          BAILEY_ALLOW_DOMAIN,
          "x.org:8443",
          { "guard.domain_allowlist=[\"x.org\"]", "sandbox.network.hosts=[\"x.org:8443\"]" } },
        { FILTERED,
          BAILEY_ALLOW_DOMAIN,
          "[2001:db8::1]:*",
          { "guard.domain_allowlist=[\"2001:db8::1\"]", "sandbox.network.hosts=[\"[2001:db8::1]:*\"]" } },
        { "", BAILEY_DENY_COMMAND, "docker", { "guard.command_blocklist=[\"docker\"]" } },
        { "", BAILEY_DENY_COMMAND, " git  push ", { "guard.command_blocklist=[\"git push\"]" } },
        { "",
          BAILEY_DENY_COMMAND,
          "evil.example",
          { "guard.domain_denylist=[\"evil.example\"]", "guard.command_blocklist=[\"evil.example\"]" } },
        { "", BAILEY_DENY_COMMAND, "*.evil.example", { "guard.domain_denylist=[\"*.evil.example\"]" } },
        { "",
          BAILEY_DENY_COMMAND,
          "192.0.2.1",
          { "guard.domain_denylist=[\"192.0.2.1\"]", "guard.command_blocklist=[\"192.0.2.1\"]" } },
};

static void changes_reach_every_list(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct change_items items;
                const char *const *overrides;
                const struct policy *policy;
                struct err err;
                ARENA_AUTO arena;
                size_t count = 0;

                arena_init(&arena, 0);
                policy = config_one(rows[i].config, &arena);
                assert_int_equal(change_items(rows[i].change, rows[i].subject, policy, &arena, &items, &err), 0);
                overrides = change_overrides(&items, policy, &arena);
                assert_non_null(overrides);
                for (; overrides[count]; count++) {
                        assert_true(count < CHANGE_ITEMS_MAX && rows[i].overrides[count]);
                        assert_string_equal(overrides[count], rows[i].overrides[count]);
                }
                assert_true(count == CHANGE_ITEMS_MAX || !rows[i].overrides[count]);
        }
}

static void a_value_can_be_taken_back(void **state) {
        const struct change_items items = { { { "guard.domain_denylist", "b.example", .remove = true } }, 1 };
        const char *const *overrides;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        overrides = change_overrides(
                &items, config_one("guard.domain_denylist = [\"a.example\", \"b.example\", \"c.example\"]", &arena), &arena);
        assert_string_equal(overrides[0], "guard.domain_denylist={\"replace\":true,\"items\":[\"a.example\",\"c.example\"]}");
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(changes_reach_every_list),
                                            cmocka_unit_test(a_value_can_be_taken_back) };

        return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
