/*
 * The gateway where this machine has a proxy: what is asked of it, for which hosts, and what happens when it says no. The proxy
 * is the test itself, which accepts what the gateway dials.
 */
#include "tests/gateway/inside.h"

#define PROXY "93.184.216.50"

static const struct zone_row zone[] = {
        { .name = "web.example", .addresses = { "93.184.216.34" }, .ttl = 30 },
        { .name = "same.example", .addresses = { "93.184.216.34" }, .ttl = 30 },
        { .name = "direct.example", .addresses = { "93.184.216.35" }, .ttl = 30 },
        { .name = "some.example", .addresses = { "93.184.216.36" }, .ttl = 30 },
        { .name = "proxy.example", .addresses = { PROXY }, .ttl = 30 },
        { .name = "to-proxy.example", .addresses = { PROXY }, .ttl = 30 },
        { .name = "loop.example", .addresses = { "127.0.0.1" } },
        { .name = "metadata.example", .addresses = { "169.254.169.254" } },
        { .name = "private.example", .addresses = { "10.1.2.3" } },
        { .name = "mixed.example", .addresses = { "93.184.216.38", "127.0.0.1" } },
        { .name = "broken.example", .code = 2 },
        { .name = "silent.example", .code = 15 },
        {},
};

static const struct egress_rule rules[] = { { .pattern = STR("*.example") }, { .pattern = STR("93.184.216.37") } };
static const uint16_t ports[] = { 22, 80, 443 };

static char directory[] = "/tmp/gateway-XXXXXX", log_path[64], resolv_path[64];
static pid_t zone_pid;
static struct running gateway;
static int proxy = -1, direct = -1; /* what the gateway may dial */

enum { UDP, HTTPS, HTTP, LISTENERS };
static struct gateway_item items[LISTENERS];

/* ---- a gateway for each test ---- */

static void start(const char *url, const char *except) {
        struct egress egress = { .rules = rules, .rule_count = 2, .ports = ports, .port_count = 3, .max_connections = 8 };
        struct err err = {};
        BUF_AUTO bytes;

        buf_init(&bytes, EGRESS_BYTES_MAX);
        egress_write(&egress, &bytes);
        gateway = start_gateway(resolv_path, -1);
        assert_int_equal(gateway_use_proxy(gateway.socket, str_z(url), str_z(except), &err), 0);
        assert_int_equal(gateway_add(gateway.socket, 1, buf_str(&bytes), items, LISTENERS, &err), 0);
        assert_int_equal(next_event(gateway.socket).kind, GATEWAY_READY);
}

static int tear_down(void **state) {
        (void)state;
        kill(gateway.pid, SIGKILL);
        wait_end(gateway.pid);
        close(gateway.socket);
        return 0;
}

static int begin(void **state) {
        (void)state;
        MUST(mkdtemp(directory) ? 0 : -1);
        snprintf(log_path, sizeof(log_path), "%s/log", directory);
        snprintf(resolv_path, sizeof(resolv_path), "%s/resolv.conf", directory);
        write_file(resolv_path, "nameserver 127.0.0.1\n");
        zone_pid = start_zone(zone, log_path);
        items[UDP] = (struct gateway_item){ GATEWAY_DNS_UDP, 53, listen_both(inside_namespace, SOCK_DGRAM, 53) };
        items[HTTPS] = (struct gateway_item){ GATEWAY_PORT, 443, listen_at(inside_namespace, SOCK_STREAM, "0.0.0.0", 443) };
        items[HTTP] = (struct gateway_item){ GATEWAY_PORT, 80, listen_at(inside_namespace, SOCK_STREAM, "0.0.0.0", 80) };
        proxy = listen_at(outside_namespace, SOCK_STREAM, PROXY, 3128);
        direct = listen_at(outside_namespace, SOCK_STREAM, "0.0.0.0", 80);
        return 0;
}

static int end(void **state) {
        (void)state;
        MUST(kill(zone_pid, SIGKILL));
        wait_end(zone_pid);
        unlink(log_path);
        unlink(resolv_path);
        rmdir(directory);
        return 0;
}

/* ---- names, as a client inside asks for them ---- */

/* Its IPv4 address; "" without one. */
static const char *address_of(const char *name) {
        static struct answer answer;

        answer = ask(name, 1);
        return answer.first;
}

/* ---- connections ---- */

static void say(int fd, const char *text) {
        assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* All that it says until it ends. */
static void read_all(int fd, char *text, size_t size) {
        size_t len = 0;
        ssize_t n;

        while (len < size - 1 && (n = recv(fd, text + len, size - 1 - len, 0)) > 0)
                len += (size_t)n;
        text[len] = '\0';
}

static bool waits(int listener) {
        struct pollfd polled = { .fd = listener, .events = POLLIN };

        return poll(&polled, 1, 0) == 1;
}

/* The gateway's connection to the proxy, and that it asks for this. */
static int accept_request(const char *text) {
        struct timeval limit = { .tv_sec = 60 };
        struct pollfd polled = { .fd = proxy, .events = POLLIN };
        int fd;

        assert_int_equal(poll(&polled, 1, 60000), 1);
        fd = (int)MUST(accept4(proxy, NULL, NULL, SOCK_CLOEXEC));
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        expect_text(fd, text);
        return fd;
}

/* A connection to port 443 is asked for at the proxy. */
static void expect_proxied(const char *address, const char *request) {
        int client = connect_from(inside_namespace, address, 443);

        close(accept_request(request));
        close(client);
}

/* One to port 80 is not. */
static void expect_direct(const char *address) {
        int client = connect_from(inside_namespace, address, 80);

        close((int)MUST(accept4(direct, NULL, NULL, SOCK_CLOEXEC)));
        assert_false(waits(proxy));
        close(client);
}

#define CONNECT(place) "CONNECT " place " HTTP/1.1\r\nHost: " place "\r\n"
#define ASK "GET / HTTP/1.1\r\nHost: web.example\r\n\r\n"

static void bytes_go_through(void **state) {
        (void)state;
        start("http://me:open%20sesame@" PROXY ":3128", "");
        assert_string_equal(address_of("web.example"), "93.184.216.34");
        {
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 443);
                FD_AUTO at_proxy =
                        accept_request(CONNECT("web.example:443") "Proxy-Authorization: Basic bWU6b3BlbiBzZXNhbWU=\r\n\r\n");

                say(client, "\x16\x03\x01"); /* it waits: that might be a hello */
                say(at_proxy, "HTTP/1.1 200 Connection esta");
                say(at_proxy, "blished\r\nVia: 1.1 x\r\n");
                say(at_proxy, "\r\nthe host speaks first");
                expect_text(client, "the host speaks first");
                say(at_proxy, ", and on");
                expect_text(client, ", and on");
                shutdown(at_proxy, SHUT_WR);
                expect_end(client);
        }
        {
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 443);
                FD_AUTO at_proxy =
                        accept_request(CONNECT("web.example:443") "Proxy-Authorization: Basic bWU6b3BlbiBzZXNhbWU=\r\n\r\n");

                say(client, ASK);
                say(at_proxy, "HTTP/1.0 200 OK\nContent-Length: 5\n\n");
                expect_text(at_proxy, ASK);
                say(at_proxy, "hello");
                expect_text(client, "hello");
                shutdown(client, SHUT_WR);
                expect_end(at_proxy);
        }
}

/* A machine behind a proxy often cannot resolve the names of others. */
static void names_without_an_address_here(void **state) {
        static const char *const names[] = { "missing.example", "broken.example", "silent.example" };
        char first[INET6_ADDRSTRLEN];

        (void)state;
        start("http://" PROXY ":3128", "");
        snprintf(first, sizeof(first), "%s", address_of(names[0]));
        for (size_t i = 0; i < 3; i++) {
                char wanted[256], address[INET6_ADDRSTRLEN];

                snprintf(address, sizeof(address), "%s", address_of(names[i]));
                assert_int_equal(strncmp(address, "198.19.", 7), 0);
                assert_int_equal(strcmp(address, first) == 0, i == 0);
                assert_string_equal(address_of(names[i]), address);
                snprintf(wanted, sizeof(wanted), "CONNECT %s:443 HTTP/1.1\r\nHost: %s:443\r\n\r\n", names[i], names[i]);
                FD_AUTO client = connect_from(inside_namespace, address, 443);
                FD_AUTO at_proxy = accept_request(wanted);

                say(at_proxy, "HTTP/1.1 200 OK\r\n\r\nhello");
                expect_text(client, "hello");
        }
}

/* By its address alone it could not be told which of them is wanted, and the proxy may know other addresses. */
static void names_that_share_an_address(void **state) {
        char address[INET6_ADDRSTRLEN];

        (void)state;
        start("http://" PROXY ":3128", "");
        assert_string_equal(address_of("web.example"), "93.184.216.34");
        snprintf(address, sizeof(address), "%s", address_of("same.example"));
        assert_int_equal(strncmp(address, "198.19.", 7), 0);
        expect_proxied(address, CONNECT("same.example:443") "\r\n");
}

static void deny(const struct str *denied, size_t count) {
        struct egress egress = { .rules = rules, .rule_count = 2, .ports = ports, .port_count = 3, .max_connections = 8 };
        struct err err = {};
        BUF_AUTO bytes;

        egress.denied = (struct str_list){ denied, count };
        buf_init(&bytes, EGRESS_BYTES_MAX);
        egress_write(&egress, &bytes);
        assert_int_equal(gateway_change(gateway.socket, 1, buf_str(&bytes), &err), 0);
}

static void expect_broken(int fd) {
        char byte;

        assert_true(recv(fd, &byte, 1, 0) <= 0);
}

/* A host that is denied later loses its connections, whether by its name or by an address that it has here. The proxy's own
 * address does not matter: no command chose it. */
static void hosts_that_are_denied_later(void **state) {
        static const struct str denied[][2] = { { STR("93.184.216.50"), STR("web.example") },
                                                { STR("93.184.216.50"), STR("93.184.216.34") } };

        (void)state;
        for (int by_address = 0; by_address < 2; by_address++) {
                char address[INET6_ADDRSTRLEN], other[INET6_ADDRSTRLEN];

                start("http://" PROXY ":3128", "");
                snprintf(address, sizeof(address), "%s", address_of("web.example"));
                snprintf(other, sizeof(other), "%s", address_of("same.example")); /* one that was made up */
                FD_AUTO client = connect_from(inside_namespace, address, 443);
                FD_AUTO at_proxy = accept_request(CONNECT("web.example:443") "\r\n");
                FD_AUTO client2 = connect_from(inside_namespace, other, 443);
                FD_AUTO at_proxy2 = accept_request(CONNECT("same.example:443") "\r\n");

                say(client, "GET / HTTP/1.1\r\nHost: some.example\r\n\r\n"); /* which stays allowed */
                say(at_proxy, "HTTP/1.1 200 OK\r\n\r\nhello");
                expect_text(client, "hello");
                say(at_proxy2, "HTTP/1.1 200 OK\r\n\r\nhello");
                expect_text(client2, "hello");
                deny(denied[by_address], 1);
                say(at_proxy, "on");
                expect_text(client, "on");
                deny(denied[by_address], 2);
                expect_broken(client);
                if (by_address) {
                        expect_broken(client2);
                        FD_AUTO again =
                                connect_from(inside_namespace, other, 443); /* what is known of the name is judged anew */

                        expect_broken(again);
                        assert_false(waits(proxy));
                } else {
                        say(at_proxy2, "on");
                        expect_text(client2, "on");
                }
                if (!by_address)
                        tear_down(NULL);
        }
}

static void special_addresses_are_not_sent_to_it(void **state) {
        (void)state;
        start("http://proxy.example:3128", "");
        assert_string_equal(address_of("loop.example"), "");
        assert_string_equal(address_of("metadata.example"), "");
        assert_string_equal(address_of("private.example"), "");
        assert_string_equal(address_of("mixed.example"), ""); /* it might choose just that one */
        {
                FD_AUTO client = connect_from(inside_namespace, "93.184.99.99", 80);
                char text[1024];

                say(client, "GET / HTTP/1.1\r\nHost: metadata.example\r\n\r\n");
                read_all(client, text, sizeof(text));
                assert_non_null(strstr(text, "403 Forbidden"));
        }
        {
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.37", 80); /* an address that is listed */
                FD_AUTO server = -1;

                server = (int)MUST(accept4(direct, NULL, NULL, SOCK_CLOEXEC));
                say(client, "x");
                expect_text(server, "x");
        }
        assert_false(waits(proxy));
}

/* Its name is looked up outside, and its address is not for commands. */
static void the_proxy_itself(void **state) {
        (void)state;
        start("http://proxy.example:3128", "");
        address_of("web.example");
        {
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 443);
                FD_AUTO at_proxy = accept_request(CONNECT("web.example:443") "\r\n");

                say(at_proxy, "HTTP/1.1 200 OK\r\n\r\nx");
                expect_text(client, "x");
        }
        assert_string_equal(address_of("to-proxy.example"), "");
        assert_string_equal(wait_event(gateway.socket, GATEWAY_REFUSED).text, "the address of the proxy");
}

/* Without a question before it, as the name is in what the client says. */
static void names_in_connections(void **state) {
        (void)state;
        start("http://" PROXY ":3128", "");
        FD_AUTO client = connect_from(inside_namespace, "93.184.99.99", 80);

        say(client, "GET / HTTP/1.1\r\nHost: missing.example\r\n\r\n");
        FD_AUTO at_proxy = accept_request("GET http://missing.example/ HTTP/1.1\r\nHost: missing.example\r\n\r\n");

        say(at_proxy, "HTTP/1.1 200 OK\r\n\r\n");
        expect_text(client, "HTTP/1.1 200 OK\r\n\r\n");
}

/* Plain HTTP, as proxies want it: each request with the whole URL, and none for another host. */
static void requests_are_forwarded(void **state) {
        char text[1024];

        (void)state;
        start("http://" PROXY ":3128", "");
        address_of("web.example");
        {
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 80);

                say(client,
                    "POST /a?b HTTP/1.1\r\nHost: web.example\r\nProxy-Authorization: Basic own\r\nContent-Length: 5\r\n\r\nhe");
                FD_AUTO at_proxy = accept_request(
                        "POST http://web.example/a?b HTTP/1.1\r\nHost: web.example\r\nContent-Length: 5\r\n\r\nhe");

                say(client, "lloGET /");
                say(client, "next HTTP/1.1\r\nHost: web.example:80\r\n\r\n");
                expect_text(at_proxy, "lloGET http://web.example/next HTTP/1.1\r\nHost: web.example:80\r\n\r\n");
                say(at_proxy, "HTTP/1.1 204 No Content\r\n\r\n");
                expect_text(client, "HTTP/1.1 204 No Content\r\n\r\n");
                say(client, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
                read_all(client, text, sizeof(text));
                assert_string_equal(text, ""); /* in the middle of a conversation there is no other way to tell */
                read_all(at_proxy, text, sizeof(text));
                assert_string_equal(text, "");
                assert_int_equal(wait_event(gateway.socket, GATEWAY_REFUSED).reason, GATEWAY_NO_NAME);
        }
        {
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 80);

                say(client, ASK);
                FD_AUTO at_proxy = accept_request("GET http://web.example/ HTTP/1.1\r\nHost: web.example\r\n\r\n");

                say(at_proxy, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\nSECRET");
                read_all(client, text, sizeof(text));
                assert_non_null(strstr(text, "HTTP/1.1 502 Bad Gateway\r\n"));
                assert_non_null(strstr(text, "it requires a user and password"));
        }
}

/* A password is not sent with what a proxy answers to the client itself. */
static void no_requests_with_a_password(void **state) {
        (void)state;
        start("http://me:x@" PROXY ":3128", "");
        address_of("web.example");
        FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 80);

        say(client, ASK);
        FD_AUTO at_proxy = accept_request(CONNECT("web.example:80") "Proxy-Authorization: Basic bWU6eA==\r\n\r\n");

        say(at_proxy, "HTTP/1.1 200 OK\r\n\r\n");
        expect_text(at_proxy, ASK);
}

/* What is no such request goes by CONNECT, as it is. */
static void other_words_at_port_80(void **state) {
        static const char *const words[] = {
                "SSH-2.0-x\r\n",
                "GET / HTTP/1.1\r\nHost: web.example\r\nUpgrade: websocket\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: same.example\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: web.example\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        };

        (void)state;
        start("http://" PROXY ":3128", "");
        address_of("web.example");
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 80);

                say(client, words[i]);
                FD_AUTO at_proxy = accept_request(CONNECT("web.example:80") "\r\n");

                say(at_proxy, "HTTP/1.1 200 OK\r\n\r\n");
                expect_text(at_proxy, words[i]);
        }
}

static void exceptions(void **state) {
        char address[INET6_ADDRSTRLEN];

        (void)state;
        start("http://" PROXY ":3128", "localhost,direct.example, some.example:80");
        assert_string_equal(address_of("direct.example"), "93.184.216.35");
        expect_direct("93.184.216.35");
        address_of("web.example"); /* takes that address */
        snprintf(address, sizeof(address), "%s", address_of("some.example"));
        expect_direct(address);
        expect_proxied(address, CONNECT("some.example:443") "\r\n");
}

static void it_says_no(void **state) {
        static const struct {
                const char *answer, *why;
        } cases[] = {
                { "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\nSECRET",
                  "it requires a user and password, which belong into its URL (407)" },
                { "HTTP/1.1 403 Forbidden\r\n\r\n", "it refuses this host or port (403)" },
                { "HTTP/1.1 502 Bad Gateway\r\n\r\n", "it cannot reach the host (502)" },
                { "HTTP/1.1 302 Found\r\nLocation: http://SECRET/\r\n\r\n", "it answers with status 302" },
                { "HTTP/1.1 100 Continue\r\n\r\n", "it answers with status 100" },
                { "SSH-2.0-SECRET\r\n", "its answer is not HTTP, or too long" },
                { NULL, "its answer is not HTTP, or too long" },
                { "HTTP/1.1 200 O", "it closed the connection" },
                { "", "it closed the connection" },
        };

        (void)state;
        start("http://me:SECRET@" PROXY ":3128", "");
        address_of("web.example");
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 443), at_proxy = -1;
                char text[1024], wanted[512];

                say(client, ASK);
                at_proxy = accept_request(CONNECT("web.example:443") "Proxy-Authorization: Basic bWU6U0VDUkVU\r\n\r\n");
                if (cases[i].answer) {
                        say(at_proxy, cases[i].answer);
                        shutdown(at_proxy, SHUT_WR);
                } else {
                        say(at_proxy, "HTTP/1.1 200 OK\r\nX: ");
                        for (int k = 0; k < 9; k++) {
                                char part[1024];

                                memset(part, 'a', sizeof(part));
                                send(at_proxy, part, sizeof(part), MSG_NOSIGNAL);
                        }
                }
                read_all(client, text, sizeof(text));
                snprintf(wanted, sizeof(wanted),
                         "# bailey: web.example:443 cannot be reached through the proxy of this machine: %s\n", cases[i].why);
                if (!strstr(text, "HTTP/1.1 502 Bad Gateway\r\n") || !strstr(text, wanted) || strstr(text, "SECRET"))
                        fail_msg("%s\nnot %s", text, wanted);
        }
}

/* It is told in HTTP, once it is known that the client speaks that. */
static void it_says_no_before_the_client_says_anything(void **state) {
        char text[1024];

        (void)state;
        start("http://" PROXY ":3128", "");
        address_of("web.example");
        FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 443);
        FD_AUTO at_proxy = accept_request(CONNECT("web.example:443") "\r\n");

        say(at_proxy, "HTTP/1.1 502 Bad Gateway\r\n\r\n");
        assert_int_equal(wait_event(gateway.socket, GATEWAY_REFUSED).reason, GATEWAY_PROXY);
        say(client, ASK);
        read_all(client, text, sizeof(text));
        assert_non_null(strstr(text, "HTTP/1.1 502 Bad Gateway\r\n"));
        assert_non_null(strstr(text, "it cannot reach the host (502)"));
}

static void it_is_not_there(void **state) {
        static const struct {
                const char *url, *why;
        } cases[] = {
                { "http://" PROXY ":3129", "no connection to it: Connection refused" },
                { "http://nowhere.corp:3128", "its name cannot be resolved" },
        };

        (void)state;
        for (size_t i = 0; i < 2; i++) {
                struct gateway_event event;

                start(cases[i].url, "");
                address_of("web.example");
                FD_AUTO client = connect_from(inside_namespace, "93.184.216.34", 80);

                say(client, ASK);
                event = wait_event(gateway.socket, GATEWAY_REFUSED);
                assert_int_equal(event.reason, GATEWAY_PROXY);
                assert_string_equal(event.host, "web.example");
                assert_string_equal(event.text, cases[i].why);
                if (i == 0)
                        tear_down(NULL);
        }
}

/* There is one proxy, and none that is gone around because it cannot be understood. */
static void no_other_proxy(void **state) {
        struct err err = {};

        (void)state;
        gateway = start_gateway(resolv_path, -1);
        assert_int_equal(next_event(gateway.socket).kind, GATEWAY_READY);
        assert_int_equal(gateway_use_proxy(gateway.socket, STR("socks5://other.example"), (struct str){}, &err), 0);
        assert_int_equal(WEXITSTATUS(wait_end(gateway.pid)), 1);
        close(gateway.socket);
        start("http://" PROXY ":3128", "");
        assert_int_equal(gateway_use_proxy(gateway.socket, STR("http://other.example"), (struct str){}, &err), 0);
        assert_int_equal(wait_event(gateway.socket, GATEWAY_FAILED).kind, GATEWAY_FAILED); /* it has one */
        address_of("web.example");
        expect_proxied("93.184.216.34", CONNECT("web.example:443") "\r\n");
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(bytes_go_through),
                TEST(names_without_an_address_here),
                TEST(names_that_share_an_address),
                TEST(special_addresses_are_not_sent_to_it),
                TEST(hosts_that_are_denied_later),
                TEST(the_proxy_itself),
                TEST(names_in_connections),
                TEST(requests_are_forwarded),
                TEST(no_requests_with_a_password),
                TEST(other_words_at_port_80),
                TEST(exceptions),
                TEST(it_says_no),
                TEST(it_says_no_before_the_client_says_anything),
                TEST(it_is_not_there),
                TEST(no_other_proxy),
        };

        signal(SIGPIPE, SIG_IGN);
        if (!make_namespaces()) {
                printf("1..0 # SKIP no namespaces here\n");
                return 0;
        }
        return cmocka_run_group_tests(tests, begin, end);
}
