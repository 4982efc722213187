/*
 * Which names, addresses and connections a policy allows, and what is said of the others.
 */
#include "tests/test.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "base/time.h"
#include "gateway/gateway.h"
#include "gateway/names.h"
#include "gateway/verdict.h"

static const struct egress_rule rules[] = {
        { .pattern = STR("github.com") },
        { .pattern = STR("*.npmjs.org") },
        { .pattern = STR("db.example.com"), .port = 5432 },
        { .pattern = STR("any.example"), .any_port = true },
        { .pattern = STR("93.184.216.99") },
        { .pattern = STR("gitlab.corp") },
};
static const struct str denied[] = { STR("bad.npmjs.org") }, private_hosts[] = { STR("gitlab.corp") };
static const uint16_t ports[] = { 22, 80, 443 };
static const struct egress egress = {
        .rules = rules,
        .rule_count = sizeof(rules) / sizeof(rules[0]),
        .denied = { denied, 1 },
        .private_hosts = { private_hosts, 1 },
        .ports = ports,
        .port_count = 3,
        .max_connections = 8,
};

static void address(const char *text, uint8_t ret[16]) {
        memset(ret, 0, 16);
        if (strchr(text, ':')) {
                assert_int_equal(inet_pton(AF_INET6, text, ret), 1);
        } else {
                memset(ret + 10, 0xff, 2);
                assert_int_equal(inet_pton(AF_INET, text, ret + 12), 1);
        }
}

static void vet(const char *name, const char *text, size_t wanted, enum gateway_reason reason) {
        static const uint8_t own[][16] = { { [10] = 0xff, 0xff, 93, 184, 1, 1 } };
        uint8_t addresses[1][16];
        struct vetted vetted;
        struct host host;

        assert_int_equal(verdict_name(str_z(name), &host), 0);
        address(text, addresses[0]);
        verdict_vet(&egress, &host, (struct own_addresses){ own, 1 }, (const uint8_t(*)[16])addresses, 1, &vetted);
        if (vetted.count != wanted || vetted.reason != reason)
                fail_msg("%s at %s: %zu, %s", name, text, vetted.count, gateway_reason_name(vetted.reason));
}

static void addresses_are_vetted(void **state) {
        static const char *const special[] = { "127.0.0.1",       "0.0.0.0",       "169.254.169.254", "224.0.0.1",
                                               "198.18.0.1",      "::1",           "fe80::1",         "ff02::1",
                                               "64:ff9b::7f00:1", "2002:7f00:1::", "100.100.100.200", "fd00:ec2::254",
                                               "93.184.1.1" };
        static const char *const private[] = { "10.1.2.3",   "172.16.0.1", "192.168.1.1",
                                               "100.64.0.1", "fd12::1",    "64:ff9b::a01:203" };

        (void)state;
        vet("github.com", "93.184.216.34", 1, GATEWAY_ALLOWED);
        vet("github.com", "2606:2800::1", 1, GATEWAY_ALLOWED);
        for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
                vet("github.com", special[i], 0, GATEWAY_SPECIAL_ADDRESS);
                vet("gitlab.corp", special[i], 0, GATEWAY_SPECIAL_ADDRESS);
        }
        for (size_t i = 0; i < sizeof(private) / sizeof(private[0]); i++) {
                vet("github.com", private[i], 0, GATEWAY_PRIVATE);
                vet("gitlab.corp", private[i], 1, GATEWAY_ALLOWED);
        }
}

/* Good ones stay, IPv4 first. */
static void mixed_answers(void **state) {
        uint8_t addresses[3][16];
        struct vetted vetted;
        struct host host;

        (void)state;
        address("2606:2800::1", addresses[0]);
        address("127.0.0.1", addresses[1]);
        address("93.184.216.34", addresses[2]);
        assert_int_equal(verdict_name(STR("github.com"), &host), 0);
        verdict_vet(&egress, &host, (struct own_addresses){}, (const uint8_t(*)[16])addresses, 3, &vetted);
        assert_int_equal(vetted.count, 2);
        assert_memory_equal(vetted.addresses[0], addresses[2], 16);
        assert_memory_equal(vetted.addresses[1], addresses[0], 16);
        assert_int_equal(vetted.reason, GATEWAY_SPECIAL_ADDRESS);
        assert_memory_equal(vetted.left_out, addresses[1], 16);
}

static void what_is_no_name(void **state) {
        static const char *const texts[] = { "",    "1.2.3.4", "2130706433", "0x7f.1", "a b", "a/b",
                                             "a@b", "::1",     "a:1",        "..",     "a..b" };
        struct host host;

        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
                if (verdict_name(str_z(texts[i]), &host) == 0)
                        fail_msg("%s", texts[i]);
        assert_int_equal(verdict_name(STR("_acme.GitHub.com."), &host), 0);
        assert_str_equal(host_text(&host), STR("_acme.github.com"));
}

static void hand_out(struct names *names, const char *name, const char *text) {
        uint8_t addresses[1][16];

        address(text, addresses[0]);
        assert_non_null(names_put(names, str_z(name), (const uint8_t(*)[16])addresses, 1, TIME_SECOND));
}

static void connections_begin(void **state) {
        static const struct {
                const char *address;
                uint16_t port;
                int action;
                enum gateway_reason reason;
        } cases[] = {
                { "93.184.216.34", 443, START_DIAL, GATEWAY_ALLOWED },
                { "93.184.216.34", 22, START_DIAL, GATEWAY_ALLOWED },
                { "93.184.216.34", 8443, START_REFUSE, GATEWAY_PORT_NOT_LISTED },
                { "93.184.216.35", 5432, START_DIAL, GATEWAY_ALLOWED },
                { "93.184.216.35", 443, START_REFUSE, GATEWAY_PORT_NOT_LISTED },
                { "93.184.216.36", 65535, START_DIAL, GATEWAY_ALLOWED },
                { "93.184.216.37", 443, START_DIAL, GATEWAY_ALLOWED }, /* shared with db.example.com */
                { "93.184.216.37", 5432, START_DIAL, GATEWAY_ALLOWED },
                { "93.184.216.38", 443, START_REFUSE, GATEWAY_DENIED },
                { "93.184.216.99", 443, START_PASS, GATEWAY_ALLOWED },
                { "1.1.1.1", 443, START_LOOK, GATEWAY_NOT_LISTED },
                { "169.254.169.254", 80, START_LOOK, GATEWAY_NOT_LISTED },
                { "127.0.0.1", 443, START_REFUSE, GATEWAY_NOT_LISTED },
                { "::1", 443, START_REFUSE, GATEWAY_NOT_LISTED },
                { "2606:2800::1", 443, START_LOOK, GATEWAY_NOT_LISTED },
        };
        struct names names = {};

        (void)state;
        hand_out(&names, "github.com", "93.184.216.34");
        hand_out(&names, "db.example.com", "93.184.216.35");
        hand_out(&names, "any.example", "93.184.216.36");
        hand_out(&names, "www.npmjs.org", "93.184.216.37");
        hand_out(&names, "db.example.com", "93.184.216.37");
        hand_out(&names, "bad.npmjs.org", "93.184.216.38");
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct verdict_start start;
                uint8_t to[16];

                address(cases[i].address, to);
                verdict_start(&egress, &names, (struct own_addresses){}, to, cases[i].port, &start);
                if ((int)start.action != cases[i].action || start.reason != cases[i].reason)
                        fail_msg("%s:%u: %d, %s", cases[i].address, cases[i].port, start.action,
                                 gateway_reason_name(start.reason));
        }
        names_free(&names);
}

/* A command can give an address thousands of names; each connection is judged by few of them. */
static void many_names_of_an_address(void **state) {
        struct names names = {};
        struct verdict_start start;
        uint8_t to[16];

        (void)state;
        address("93.184.216.40", to);
        hand_out(&names, "db.example.com", "93.184.216.40");
        for (int i = 0; i < NAMES_JUDGED_MAX; i++) {
                char name[32];

                verdict_start(&egress, &names, (struct own_addresses){}, to, 5432, &start);
                assert_int_equal(start.action, START_DIAL);
                snprintf(name, sizeof(name), "n%d.npmjs.org", i);
                hand_out(&names, name, "93.184.216.40");
        }
        verdict_start(&egress, &names, (struct own_addresses){}, to, 5432, &start);
        assert_int_equal(start.action, START_LOOK);
        verdict_start(&egress, &names, (struct own_addresses){}, to, 443, &start);
        assert_int_equal(start.action, START_DIAL);
        names_free(&names);
}

/* "*" allows public addresses, but none of this machine, and what is said there is looked at. */
static void all_public_addresses(void **state) {
        static const struct egress_rule any[] = { { .pattern = STR("*") } },
                                        both[] = { { .pattern = STR("*") }, { .pattern = STR("93.184.1.1") } };
        static const struct str deny[] = { STR("bad.npmjs.org"), STR("93.184.216.66") };
        static const uint8_t own[][16] = { { [10] = 0xff, 0xff, 93, 184, 1, 1 } };
        static const struct {
                const char *address;
                int action;
        } cases[] = {
                { "93.184.216.34", START_DIAL }, { "93.184.1.1", START_LOOK },      { "10.1.2.3", START_LOOK },
                { "127.0.0.1", START_REFUSE },   { "93.184.216.66", START_REFUSE }, { "93.184.216.38", START_REFUSE },
        };
        struct egress all = egress;
        struct verdict_start start;
        struct verdict_look look;
        struct vetted vetted;
        struct names names = {};
        struct host host;
        uint8_t to[1][16];
        const char *words = "GET / HTTP/1.1\r\nHost: bad.npmjs.org\r\n\r\n",
                   *plain = "GET / HTTP/1.1\r\nHost: 93.184.216.34\r\n\r\n";

        (void)state;
        all.rules = any;
        all.rule_count = 1;
        all.denied = (struct str_list){ deny, 2 };
        hand_out(&names, "bad.npmjs.org", "93.184.216.38"); /* before it was denied */
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                address(cases[i].address, to[0]);
                verdict_start(&all, &names, (struct own_addresses){ own, 1 }, to[0], 443, &start);
                if ((int)start.action != cases[i].action)
                        fail_msg("%s: %d, %s", cases[i].address, start.action, gateway_reason_name(start.reason));
        }
        verdict_look(&all, true, 443, (const uint8_t *)words, strlen(words), &look);
        assert_int_equal(look.reason, GATEWAY_DENIED);
        verdict_look(&all, true, 443, (const uint8_t *)plain, strlen(plain), &look);
        assert_int_equal(look.action, LOOK_PASS);
        assert_int_equal(verdict_name(STR("github.com"), &host), 0);
        address("93.184.216.66", to[0]);
        verdict_vet(&all, &host, (struct own_addresses){}, (const uint8_t(*)[16])to, 1, &vetted);
        assert_int_equal(vetted.count, 0);
        assert_int_equal(vetted.reason, GATEWAY_DENIED);
        all.rules = both; /* one that is named is meant */
        all.rule_count = 2;
        address("93.184.1.1", to[0]);
        verdict_start(&all, &names, (struct own_addresses){ own, 1 }, to[0], 443, &start);
        assert_int_equal(start.action, START_PASS);
        names_free(&names);
}

static void clients_are_looked_at(void **state) {
        static const struct {
                const char *words;
                bool named;
                int action, speaks;
                enum gateway_reason reason;
        } cases[] = {
                { "GET / HTTP/1.1\r\nHost: github.com\r\n\r\n", true, LOOK_PASS, SPEAKS_HTTP, GATEWAY_ALLOWED },
                { "GET / HTTP/1.1\r\nHost: GitHub.com.:443\r\n\r\n", true, LOOK_PASS, SPEAKS_HTTP, GATEWAY_ALLOWED },
                { "GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n", true, LOOK_REFUSE, SPEAKS_HTTP, GATEWAY_OTHER_NAME },
                { "GET / HTTP/1.1\r\nHost: bad.npmjs.org\r\n\r\n", true, LOOK_REFUSE, SPEAKS_HTTP, GATEWAY_DENIED },
                { "GET / HTTP/1.1\r\nHost: db.example.com\r\n\r\n", true, LOOK_REFUSE, SPEAKS_HTTP, GATEWAY_PORT_NOT_LISTED },
                { "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", true, LOOK_REFUSE, SPEAKS_HTTP, GATEWAY_OTHER_NAME },
                { "GET / HTTP/1.0\r\n\r\n", true, LOOK_PASS, SPEAKS_HTTP, GATEWAY_NO_NAME },
                { "CONNECT evil.com:443 HTTP/1.1\r\n\r\n", true, LOOK_REFUSE, SPEAKS_HTTP, GATEWAY_NO_NAME },
                { "SSH-2.0-x\r\n", true, LOOK_PASS, SPEAKS_SSH, GATEWAY_NO_NAME },
                { "\x16\3\1", true, LOOK_WAIT, SPEAKS_TLS, GATEWAY_NO_NAME },
                { "GET", true, LOOK_WAIT, SPEAKS_HTTP, GATEWAY_NO_NAME },
                { "GET / HTTP/1.1\r\nHost: github.com\r\n\r\n", false, LOOK_RESOLVE, SPEAKS_HTTP, GATEWAY_ALLOWED },
                { "GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n", false, LOOK_REFUSE, SPEAKS_HTTP, GATEWAY_NOT_LISTED },
                { "GET / HTTP/1.1\r\nHost: [64:ff9b::1]\r\n\r\n", false, LOOK_REFUSE, SPEAKS_HTTP, GATEWAY_NOT_LISTED },
                { "GET / HTTP/1.0\r\n\r\n", false, LOOK_REFUSE, SPEAKS_HTTP, GATEWAY_NO_NAME },
                { "SSH-2.0-x\r\n", false, LOOK_REFUSE, SPEAKS_SSH, GATEWAY_NO_NAME },
                { "\x05\x01", false, LOOK_REFUSE, SPEAKS_OTHER, GATEWAY_NO_NAME },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct verdict_look look;

                verdict_look(&egress, cases[i].named, 443, (const uint8_t *)cases[i].words, strlen(cases[i].words), &look);
                if ((int)look.action != cases[i].action || (int)look.speaks != cases[i].speaks ||
                    look.reason != cases[i].reason)
                        fail_msg("%s: %d %d %s", cases[i].words, look.action, look.speaks, gateway_reason_name(look.reason));
        }
}

static void names_are_kept(void **state) {
        struct names names = {};
        uint8_t old[16], addresses[1][16];
        const struct name_pair *pair;

        (void)state;
        address("93.184.216.34", old);
        hand_out(&names, "a.com", "93.184.216.34");
        hand_out(&names, "a.com", "93.184.216.35"); /* programs keep the first */
        assert_int_equal(names.pair_count, 2);
        pair = names_of_address(&names, old, NULL);
        assert_non_null(pair);
        assert_string_equal(pair->name->text, "a.com");
        assert_null(names_of_address(&names, old, pair));
        assert_int_equal(pair->name->count, 1);
        hand_out(&names, "b.com", "93.184.216.34");
        pair = names_of_address(&names, old, NULL);
        assert_string_equal(pair->name->text, "b.com");      /* newest first */
        for (unsigned i = 0; i < 3 * NAMES_PAIRS_MAX; i++) { /* the oldest go */
                char text[32];

                snprintf(text, sizeof(text), "n%u.com", i);
                memset(addresses, 0, sizeof(addresses));
                memcpy(addresses[0], &i, sizeof(i));
                assert_non_null(names_put(&names, str_z(text), (const uint8_t(*)[16])addresses, 1, 1));
                assert_true(names.pair_count <= NAMES_PAIRS_MAX && names.name_count <= NAMES_NAMES_MAX);
        }
        assert_null(names_of_address(&names, old, NULL));
        assert_null(names_find(&names, STR("a.com")));
        assert_non_null(names_find(&names, STR("n12287.com")));
        for (unsigned i = 0; i < 3 * NAMES_PAIRS_MAX; i++) { /* one name alone, too */
                memset(addresses, 1, sizeof(addresses));
                memcpy(addresses[0], &i, sizeof(i));
                assert_non_null(names_put(&names, STR("one.com"), (const uint8_t(*)[16])addresses, 1, 1));
                assert_true(names.pair_count <= NAMES_PAIRS_MAX);
        }
        names_free(&names);
}

static void sentences(void **state) {
        static const struct {
                struct gateway_event event;
                const char *text;
        } cases[] = {
                { { .reason = GATEWAY_NOT_LISTED, .port = 443, .host = "evil.example" },
                  "evil.example:443 is not in sandbox.network.hosts; to allow it: bailey allow evil.example (bailey run: "
                  "--allow-host evil.example)" },
                { { .reason = GATEWAY_NOT_LISTED, .host = "evil.example" },
                  "evil.example is not in sandbox.network.hosts; to allow it: bailey allow evil.example (bailey run: "
                  "--allow-host evil.example)" },
                { { .reason = GATEWAY_NO_NAME, .by = GATEWAY_BY_ADDRESS, .port = 443, .host = "2606::1" },
                  "[2606::1]:443 is not in sandbox.network.hosts, and the connection names no host that is" },
                { { .reason = GATEWAY_NO_NAME, .by = GATEWAY_BY_DNS, .port = 443, .host = "github.com" },
                  "a connection to github.com:443 does not say clearly which host it asks for" },
                { { .reason = GATEWAY_PRIVATE, .host = "gitlab.corp", .address = "10.1.2.3" },
                  "gitlab.corp has the private address 10.1.2.3; list it in sandbox.network.private_hosts" },
                { { .reason = GATEWAY_SPECIAL_ADDRESS,
                    .host = "x.example",
                    .address = "127.0.0.1",
                    .text = "a loopback address" },
                  "x.example resolves to 127.0.0.1, a loopback address, which no name may" },
                { { .reason = GATEWAY_PORT_NOT_LISTED, .host = "github.com", .port = 8443 },
                  "github.com is allowed, its port 8443 is not: write github.com:8443" },
                { { .reason = GATEWAY_OTHER_NAME, .host = "evil.com", .text = "a.com", .port = 443 },
                  "a connection to a.com asked for evil.com, which is not in sandbox.network.hosts" },
                { { .reason = GATEWAY_DENIED, .host = "evil.com" }, "evil.com is denied by guard.domain_denylist" },
                { { .reason = GATEWAY_UNREACHABLE, .host = "a.com", .port = 80, .text = "Connection refused" },
                  "a.com:80 cannot be reached: Connection refused" },
        };
        char text[512], small[10];

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                assert_int_equal(gateway_message(&cases[i].event, text, sizeof(text)), strlen(cases[i].text));
                assert_string_equal(text, cases[i].text);
        }
        assert_int_equal(gateway_message(&cases[0].event, small, sizeof(small)), 9);
        assert_string_equal(small, "evil.exam");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(addresses_are_vetted),
                cmocka_unit_test(mixed_answers),
                cmocka_unit_test(what_is_no_name),
                cmocka_unit_test(connections_begin),
                cmocka_unit_test(many_names_of_an_address),
                cmocka_unit_test(all_public_addresses),
                cmocka_unit_test(clients_are_looked_at),
                cmocka_unit_test(names_are_kept),
                cmocka_unit_test(sentences),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
