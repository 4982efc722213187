/*
 * The gateway process, with real sockets: names, verdicts, refusals, the relay, ports, its end.
 */
#include "tests/gateway/inside.h"

#include <sys/epoll.h>
#include <sys/resource.h>

#include "base/fd.h"

static const struct zone_row zone[] = {
        { .name = "github.com", .addresses = { "93.184.216.34" }, .ttl = 30 },
        { .name = "two.example", .addresses = { "93.184.9.9", "93.184.216.40" }, .ttl = 30 }, /* nobody is at the first */
        { .name = "six.example", .addresses = { "2606:2800::1" }, .ttl = 30 },
        { .name = "both.example", .addresses = { "2606:2800::1", "93.184.216.41" }, .ttl = 200 },
        { .name = "private.example", .addresses = { "10.1.2.3" } },
        { .name = "loop.example", .addresses = { "127.0.0.1" } },
        { .name = "mixed.example", .addresses = { "169.254.169.254", "93.184.216.42" } },
        { .name = "broken.example", .code = 2 },
        { .name = "evil.example", .addresses = { "93.184.66.6" } },
        { .name = "down.example", .addresses = { "93.184.216.43" } },
        {},
};

static const struct egress_rule rules[] = {
        { .pattern = STR("github.com") },      { .pattern = STR("two.example") },     { .pattern = STR("six.example") },
        { .pattern = STR("both.example") },    { .pattern = STR("private.example") }, { .pattern = STR("loop.example") },
        { .pattern = STR("mixed.example") },   { .pattern = STR("broken.example") },  { .pattern = STR("down.example") },
        { .pattern = STR("missing.example") },
};
static const uint16_t ports[] = { 22, 80, 443 };

static char directory[] = "/tmp/gateway-XXXXXX", log_path[64], resolv_path[64];
static pid_t zone_pid;
static struct running gateway;
static uint64_t command; /* of the test that runs */

enum { UDP, TCP, HTTPS, HTTP, SSH, OTHER, DATABASE, LISTENERS };
static struct gateway_item items[LISTENERS];

static struct egress policy(size_t rule_count) {
        return (struct egress){
                .rules = rules, .rule_count = rule_count, .ports = ports, .port_count = 3, .max_connections = 8
        };
}

static void with_bytes(const struct egress *egress, int (*function)(int, uint64_t, struct str, struct err *)) {
        BUF_AUTO bytes;
        struct err err = {};

        buf_init(&bytes, EGRESS_BYTES_MAX);
        egress_write(egress, &bytes);
        assert_int_equal(function(gateway.socket, command, buf_str(&bytes), &err), 0);
}

static int add(int socket, uint64_t id, struct str egress, struct err *err) {
        return gateway_add(socket, id, egress, items, LISTENERS, err);
}

static int set_up(void **state) {
        struct egress egress = policy(sizeof(rules) / sizeof(rules[0]));

        (void)state;
        command++;
        with_bytes(&egress, add);
        return 0;
}

static int tear_down(void **state) {
        struct err err;

        (void)state;
        assert_int_equal(gateway_end(gateway.socket, command, &err), 0);
        assert_int_equal(wait_event(gateway.socket, GATEWAY_ENDED).command, command);
        return 0;
}

/* ---- names ---- */

static bool was_asked(const char *name) {
        BUF_AUTO text;
        FD_AUTO fd = open(log_path, O_RDONLY | O_CLOEXEC);

        buf_init(&text, 1 << 20);
        assert_int_equal(fd_read_all(fd, &text, NULL), 0);
        buf_char(&text, '\0');
        return strstr(text.ptr, name) != NULL;
}

static void names_are_answered(void **state) {
        struct answer answer = ask("GitHub.com", 1);

        (void)state;
        assert_int_equal(answer.code, 0);
        assert_int_equal(answer.count, 1);
        assert_string_equal(answer.first, "93.184.216.34");
        assert_true(answer.ttl <= 30);
        assert_int_equal(ask("github.com", 28).count, 0);
        assert_int_equal(ask("github.com", 16).count, 0);  /* TXT */
        assert_int_equal(ask("github.com", 65).count, 0);  /* HTTPS */
        assert_int_equal(ask("github.com", 255).count, 0); /* ANY */
        assert_int_equal(ask("github.com", 65).code, 0);
        assert_string_equal(ask("six.example", 28).first, "2606:2800::1");
        answer = ask("both.example", 1);
        assert_string_equal(answer.first, "93.184.216.41");
        assert_true(answer.ttl <= 60);
        assert_int_equal(ask("both.example", 28).count, 0);
        assert_int_equal(ask("34.216.184.93.in-addr.arpa", 12).count, 1);
        assert_int_equal(ask("35.216.184.93.in-addr.arpa", 12).code, 3);
        assert_string_equal(ask("localhost", 1).first, "127.0.0.1");
        assert_string_equal(ask("x.localhost", 28).first, "::1");
        assert_int_equal(ask("missing.example", 1).code, 3);
        assert_int_equal(ask("broken.example", 1).code, 2);
}

static void names_are_refused(void **state) {
        struct answer answer = ask("evil.example", 1);
        struct gateway_event event = wait_event(gateway.socket, GATEWAY_REFUSED);

        (void)state;
        assert_int_equal(answer.code, 3);
        assert_string_equal(answer.why, "evil.example is not in sandbox.network.hosts; to allow it: bailey allow evil.example "
                                        "(bailey run: --allow-host evil.example)");
        assert_int_equal(event.command, command);
        assert_int_equal(event.reason, GATEWAY_NOT_LISTED);
        assert_int_equal(event.by, GATEWAY_BY_DNS);
        assert_string_equal(event.host, "evil.example");
        assert_int_equal(ask("data.evil.example", 16).code, 3);
        assert_false(was_asked("evil.example")); /* it never left */
        assert_string_equal(ask("private.example", 1).why,
                            "private.example has the private address 10.1.2.3; list it in sandbox.network.private_hosts");
        assert_string_equal(ask("loop.example", 1).why,
                            "loop.example resolves to 127.0.0.1, a loopback address, which no name may");
        answer = ask("mixed.example", 1);
        assert_int_equal(answer.count, 1);
        assert_string_equal(answer.first, "93.184.216.42");
        assert_int_equal(ask("a b.github.com", 1).code, 3);
        assert_int_equal(ask("1.2.3.4", 1).code, 3);
}

/* Two at once, then one that comes byte by byte; more than a second's worth is answered, too, but later. */
static void questions_over_tcp(void **state) {
        FD_AUTO fd = connect_from(inside_namespace, "8.8.8.8", 53);
        FD_AUTO never = connect_from(inside_namespace, "8.8.8.8", 53);
        uint8_t bytes[1024], answers[2048];
        size_t len = make_question("github.com", 1, bytes + 2);

        (void)state;
        bytes[0] = 0;
        bytes[1] = (uint8_t)len;
        MUST(send(never, bytes, 5, 0));
        memcpy(bytes + 2 + len, bytes, 2 + len);
        MUST(send(fd, bytes, 2 * (2 + len), 0));
        for (int i = 0; i < 2; i++) {
                size_t size;

                assert_int_equal(recv(fd, answers, 2, MSG_WAITALL), 2);
                size = (size_t)answers[0] << 8 | answers[1];
                assert_int_equal(recv(fd, answers, size, MSG_WAITALL), size);
                assert_string_equal(read_answer(answers, size, len).first, "93.184.216.34");
        }
        for (size_t i = 0; i < 2 + len; i++)
                assert_int_equal(send(fd, bytes + i, 1, 0), 1);
        assert_int_equal(recv(fd, answers, 2, MSG_WAITALL), 2);
        assert_int_equal(recv(fd, answers, answers[1], MSG_WAITALL), answers[1]);
        for (int i = 0; i < 300; i++) {
                assert_int_equal(send(fd, bytes, 2 + len, 0), 2 + len);
                assert_int_equal(recv(fd, answers, 2, MSG_WAITALL), 2);
                assert_int_equal(recv(fd, answers, answers[1], MSG_WAITALL), answers[1]);
        }
        send(fd, "\0\0", 2, 0); /* an empty one ends it */
        assert_int_equal(recv(fd, answers, 1, 0), 0);
}

/* ---- connections ---- */

static const char request[] = "GET / HTTP/1.1\r\nHost: github.com\r\n\r\n";

static void expect_reset(int fd) {
        char byte;
        ssize_t n = recv(fd, &byte, 1, 0);

        assert_int_equal(n, -1);
        assert_int_equal(errno, ECONNRESET);
}

/* A client inside and its server outside, connected by name. */
static void connect_both(const char *name, const char *address, int port, int ret[2]) {
        FD_AUTO listener = listen_at(outside_namespace, SOCK_STREAM, address, port);

        assert_int_equal(ask(name, 1).code, 0);
        ret[0] = connect_from(inside_namespace, address, port);
        assert_true(ret[0] >= 0);
        ret[1] = (int)MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
}

static void bytes_are_relayed(void **state) {
        struct gateway_event event;
        struct err err;
        int ends[2];

        (void)state;
        connect_both("github.com", "93.184.216.34", 80, ends);
        MUST(send(ends[0], request, strlen(request), 0));
        expect_text(ends[1], request);
        MUST(send(ends[1], "answer", 6, 0));
        expect_text(ends[0], "answer");
        shutdown(ends[0], SHUT_WR); /* half */
        expect_end(ends[1]);
        MUST(send(ends[1], "more", 4, 0));
        expect_text(ends[0], "more");
        assert_int_equal(gateway_ask(gateway.socket, command, &err), 0);
        event = wait_event(gateway.socket, GATEWAY_ROW);
        assert_string_equal(event.host, "github.com");
        assert_string_equal(event.address, "93.184.216.34");
        assert_int_equal(event.port, 80);
        assert_int_equal(event.reason, GATEWAY_ALLOWED);
        assert_int_equal(event.connections, 1);
        assert_int_equal(event.up, strlen(request));
        assert_int_equal(event.down, 10);
        assert_int_equal(event.open, 1);
        event = wait_event(gateway.socket, GATEWAY_SUMS);
        assert_int_equal(event.up, strlen(request));
        close(ends[1]);
        expect_end(ends[0]);
        close(ends[0]);
}

/* A server may speak first, and end first. */
static void servers_speak_first(void **state) {
        int ends[2];

        (void)state;
        connect_both("github.com", "93.184.216.34", 22, ends);
        MUST(send(ends[1], "SSH-2.0-server\r\n", 16, 0));
        expect_text(ends[0], "SSH-2.0-server\r\n");
        shutdown(ends[1], SHUT_WR);
        expect_end(ends[0]);
        MUST(send(ends[0], "SSH-2.0-client\r\n", 16, 0));
        expect_text(ends[1], "SSH-2.0-client\r\n");
        close(ends[0]);
        expect_end(ends[1]);
        close(ends[1]);
}

/* A read that returns less than it could shows that there is no more, but not in front of the end, or of urgent data. */
static void much_at_once(void **state) {
        int ends[2];

        (void)state;
        connect_both("github.com", "93.184.216.34", 22, ends);
        MUST(send(ends[0], "SSH-2.0-client\r\n", 16, 0));
        expect_text(ends[1], "SSH-2.0-client\r\n");
        for (int i = 0; i < 2; i++) {
                MUST(kill(gateway.pid, SIGSTOP));
                MUST(send(ends[i], "before", 6, 0));
                MUST(send(ends[i], "!", 1, MSG_OOB)); /* which is not passed on */
                MUST(send(ends[i], "behind", 6, 0));
                MUST(kill(gateway.pid, SIGCONT));
                expect_text(ends[!i], "beforebehind");
        }
        for (int i = 0; i < 2; i++) {
                MUST(kill(gateway.pid, SIGSTOP));
                MUST(send(ends[i], "last", 4, 0));
                shutdown(ends[i], SHUT_WR);
                MUST(kill(gateway.pid, SIGCONT));
                expect_text(ends[!i], "last");
                expect_end(ends[!i]);
        }
        close(ends[0]);
        close(ends[1]);
}

static void reset(int fd) {
        struct linger linger = { .l_onoff = 1 };

        MUST(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
        close(fd);
}

static void resets_are_passed_on(void **state) {
        struct pollfd broken;
        int ends[2];

        (void)state;
        connect_both("github.com", "93.184.216.34", 443, ends);
        reset(ends[1]);
        expect_reset(ends[0]);
        close(ends[0]);
        connect_both("github.com", "93.184.216.34", 443, ends);
        MUST(send(ends[0], "x", 1, 0));
        expect_text(ends[1], "x");
        reset(ends[0]);
        expect_reset(ends[1]);
        close(ends[1]);
        connect_both("github.com", "93.184.216.34", 443, ends);
        MUST(send(ends[0], "x", 1, 0));
        expect_text(ends[1], "x");
        shutdown(ends[0], SHUT_WR); /* after its own end, too */
        expect_end(ends[1]);
        reset(ends[0]);
        broken = (struct pollfd){ .fd = ends[1] };
        assert_int_equal(poll(&broken, 1, 60000), 1);
        assert_true(broken.revents & POLLERR);
        close(ends[1]);
}

static void other_addresses_are_tried(void **state) {
        FD_AUTO listener = listen_at(outside_namespace, SOCK_STREAM, "93.184.216.40", 443);
        FD_AUTO client = -1, server = -1;

        (void)state;
        assert_int_equal(ask("two.example", 1).count, 2);
        client = connect_from(inside_namespace, "93.184.9.9", 443);
        server = (int)MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        MUST(send(server, "x", 1, 0));
        expect_text(client, "x");
}

static void unreachable_servers(void **state) {
        FD_AUTO other = -1;
        struct gateway_event event;

        (void)state;
        assert_int_equal(ask("down.example", 1).count, 1);
        other = connect_from(inside_namespace, "93.184.216.43", 443);
        expect_reset(other);
        event = wait_event(gateway.socket, GATEWAY_REFUSED);
        assert_int_equal(event.reason, GATEWAY_UNREACHABLE);
        assert_string_equal(event.host, "down.example");
}

/* ---- refusals ---- */

static size_t tls_hello(const char *name, uint8_t *out) {
        size_t len = strlen(name), body = 2 + 32 + 1 + 4 + 2 + 2 + 9 + len, at = 0;

        memcpy(out, "\x16\3\1\0", 4);
        out[4] = (uint8_t)(4 + body);
        memcpy(out + 5, "\1\0\0", 3);
        out[8] = (uint8_t)body;
        memcpy(out + 9, "\3\3", 2);
        memset(out + 11, 'r', 32);
        memcpy(out + 43, "\0\0\2\x13\1\1\0\0", 8);
        at = 51;
        out[at++] = (uint8_t)(9 + len);
        memcpy(out + at, "\0\0\0", 3);
        out[at + 3] = (uint8_t)(5 + len);
        out[at + 4] = 0;
        out[at + 5] = (uint8_t)(3 + len);
        out[at + 6] = 0;
        out[at + 7] = 0;
        out[at + 8] = (uint8_t)len;
        memcpy(out + at + 9, name, len);
        return at + 9 + len;
}

static void refusals_speak_the_protocol(void **state) {
        FD_AUTO http = -1, tls = -1, ssh = -1, other = -1, port = -1;
        uint8_t hello[256];
        char answer[1024];
        ssize_t n;
        struct gateway_event event;

        (void)state;
        http = connect_from(inside_namespace, "1.2.3.4", 80);
        MUST(send(http, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 38, 0));
        n = recv(http, answer, sizeof(answer) - 1, MSG_WAITALL); /* and then the end, not a reset */
        assert_true(n > 0);
        answer[n] = '\0';
        expect_end(http);
        assert_ptr_equal(strstr(answer, "HTTP/1.1 403 Forbidden\r\n"), answer);
        assert_non_null(strstr(answer, "\r\n\r\n# bailey: evil.example:80 is not in sandbox.network.hosts; to allow it: "
                                       "bailey allow evil.example (bailey run: --allow-host evil.example)\n"));
        tls = connect_from(inside_namespace, "1.2.3.4", 443);
        MUST(send(tls, hello, tls_hello("evil.example", hello), 0));
        assert_int_equal(recv(tls, answer, sizeof(answer), MSG_WAITALL), 7);
        assert_memory_equal(answer, "\x15\3\1\0\2\2\x31", 7);
        expect_end(tls);
        ssh = connect_from(inside_namespace, "1.2.3.4", 22);
        MUST(send(ssh, "SSH-2.0-x\r\n", 11, 0));
        n = recv(ssh, answer, sizeof(answer) - 1, MSG_WAITALL);
        assert_true(n > 40);
        assert_memory_equal(answer, "SSH-2.0-bailey\r\n", 16);
        expect_end(ssh);
        assert_int_equal((n - 16) % 8, 0);
        assert_int_equal(answer[16 + 5], 1);
        assert_memory_equal(answer + 16 + 14, "1.2.3.4:22 is not in sandbox.network.hosts", 42);
        other = connect_from(inside_namespace, "1.2.3.4", 22);
        MUST(send(other, "\5\1", 2, 0));
        expect_reset(other);
        event = wait_event(gateway.socket, GATEWAY_REFUSED);
        assert_int_equal(event.by, GATEWAY_BY_HTTP);
        event = wait_event(gateway.socket, GATEWAY_REFUSED);
        assert_int_equal(event.by, GATEWAY_BY_SNI);
        assert_int_equal(ask("github.com", 1).code, 0);
        port = connect_from(inside_namespace, "93.184.216.34", 8443);
        expect_reset(port);
        do
                event = wait_event(gateway.socket, GATEWAY_REFUSED);
        while (event.reason != GATEWAY_PORT_NOT_LISTED);
        assert_int_equal(event.port, 8443);
        assert_string_equal(event.host, "github.com");
}

/* A name that was not asked for, at the address of one that was. Nothing of it reaches the server. */
static void other_names_are_refused(void **state) {
        uint8_t hello[256];
        char answer[16];
        struct gateway_event event;
        int ends[2];

        (void)state;
        connect_both("github.com", "93.184.216.34", 443, ends);
        MUST(send(ends[0], hello, tls_hello("evil.example", hello), 0));
        assert_int_equal(recv(ends[0], answer, sizeof(answer), MSG_WAITALL), 7);
        expect_reset(ends[1]);
        event = wait_event(gateway.socket, GATEWAY_REFUSED);
        assert_int_equal(event.reason, GATEWAY_OTHER_NAME);
        assert_string_equal(event.host, "evil.example");
        assert_string_equal(event.text, "github.com");
        close(ends[0]);
        close(ends[1]);
        connect_both("github.com", "93.184.216.34", 80, ends);
        MUST(send(ends[0], "CONNECT evil.example:443 HTTP/1.1\r\n\r\n", 37, 0));
        expect_text(ends[0], "HTTP/1.1 403 Forbidden\r\n");
        expect_reset(ends[1]);
        event = wait_event(gateway.socket, GATEWAY_REFUSED);
        assert_int_equal(event.reason, GATEWAY_NO_NAME);
        assert_string_equal(event.host, "github.com");
        close(ends[0]);
        close(ends[1]);
        connect_both("github.com", "93.184.216.34", 443, ends);
        MUST(send(ends[0], hello, tls_hello("github.com", hello), 0));
        assert_int_equal(recv(ends[1], answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
        close(ends[0]);
        close(ends[1]);
}

/* The client's address does not matter if it says a name that is allowed: the name's address is dialled. */
static void named_connections_to_any_address(void **state) {
        FD_AUTO listener = listen_at(outside_namespace, SOCK_STREAM, "93.184.216.34", 80);
        FD_AUTO client = connect_from(inside_namespace, "1.2.3.4", 80);
        FD_AUTO server = -1;
        struct gateway_event event;
        struct err err;

        (void)state;
        MUST(send(client, request, 10, 0)); /* in two parts */
        MUST(send(client, request + 10, strlen(request) - 10, 0));
        server = (int)MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        expect_text(server, request);
        MUST(send(server, "yes", 3, 0));
        expect_text(client, "yes");
        assert_int_equal(gateway_ask(gateway.socket, command, &err), 0);
        event = wait_event(gateway.socket, GATEWAY_ROW);
        assert_int_equal(event.by, GATEWAY_BY_HTTP);
        assert_string_equal(event.host, "github.com");
        wait_event(gateway.socket, GATEWAY_SUMS);
}

/* ---- much data ---- */

static long memory_of(pid_t pid, const char *key) {
        char path[64], line[256];
        long value = -1;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%d/status", pid);
        file = fopen(path, "re");
        assert_non_null(file);
        while (fgets(line, sizeof(line), file))
                if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
                        value = strtol(line + strlen(key) + 1, NULL, strcmp(key, "CapEff") == 0 ? 16 : 10);
        fclose(file);
        return value;
}

static unsigned char pattern(size_t at) {
        return (unsigned char)(at * 2654435761u >> 13);
}

/* Past where pipes take over. The reader starts when the writer is stuck; what is kept meanwhile is bounded. */
static void slow_readers(void **state) {
        enum { SIZE = 48 << 20, CHUNK = 1 << 16 };
        static unsigned char bytes[CHUNK];
        int ends[2];

        (void)state;
        for (int direction = 0; direction < 2; direction++) {
                size_t sent = 0, got = 0;
                long before = memory_of(gateway.pid, "VmRSS");
                int from, to;

                connect_both("github.com", "93.184.216.34", 22, ends);
                from = ends[direction];
                to = ends[!direction];
                MUST(fcntl(from, F_SETFL, O_NONBLOCK));
                while (got < SIZE) {
                        struct pollfd polled[] = { { .fd = from, .events = sent < SIZE ? POLLOUT : 0 },
                                                   { .fd = to, .events = POLLIN } };
                        ssize_t n;

                        if (sent < SIZE && poll(polled, 1, got ? 0 : 200) == 1) { /* until nothing more is taken */
                                size_t part = SIZE - sent < CHUNK ? SIZE - sent : CHUNK;

                                for (size_t i = 0; i < part; i++)
                                        bytes[i] = pattern(sent + i);
                                n = send(from, bytes, part, MSG_NOSIGNAL);
                                if (n > 0)
                                        sent += (size_t)n;
                                if (!got || n > 0)
                                        continue;
                        }
                        if (!got)
                                assert_true(memory_of(gateway.pid, "VmRSS") - before < 4096); /* KiB */
                        n = recv(to, bytes, CHUNK, 0);
                        assert_true(n > 0);
                        for (ssize_t i = 0; i < n; i++)
                                if (bytes[i] != pattern(got + (size_t)i))
                                        fail_msg("byte %zu", got + (size_t)i);
                        got += (size_t)n;
                }
                shutdown(from, SHUT_WR);
                expect_end(to);
                close(ends[0]);
                close(ends[1]);
        }
}

/* The ninth waits until there is room. */
static void connections_are_limited(void **state) {
        int clients[9], servers[9];
        FD_AUTO listener = listen_at(outside_namespace, SOCK_STREAM, "93.184.216.34", 443);
        struct pollfd polled = { .fd = listener, .events = POLLIN };
        struct gateway_event event;
        struct err err;

        (void)state;
        assert_int_equal(ask("github.com", 1).code, 0);
        for (int i = 0; i < 9; i++)
                clients[i] = connect_from(inside_namespace, "93.184.216.34", 443);
        for (int i = 0; i < 8; i++)
                servers[i] = (int)MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        assert_int_equal(gateway_ask(gateway.socket, command, &err), 0);
        event = wait_event(gateway.socket, GATEWAY_SUMS);
        assert_int_equal(event.open, 8);
        assert_int_equal(poll(&polled, 1, 0), 0);
        reset(clients[0]);
        servers[8] = (int)MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        for (int i = 0; i < 9; i++) {
                if (i)
                        close(clients[i]);
                close(servers[i]);
        }
}

/* ---- several commands ---- */

enum { CROWD = 800 };

/* A client of a port of the host, and its server, of which `set` tells when there is something to read. */
static void connect_to_host(int port, int listener, int set, int ret[2]) {
        struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u32 = (uint32_t)port };

        ret[0] = connect_from(inside_namespace, "127.0.0.1", port);
        assert_true(ret[0] >= 0);
        ret[1] = (int)MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        MUST(epoll_ctl(set, EPOLL_CTL_ADD, ret[1], &event));
}

/* A command that says one thing is heard before another one has said all of its 800. */
static void commands_take_turns(void **state) {
        enum { CROWDED = 5432, ALONE = 5433 };
        FD_AUTO crowded = listen_at(outside_namespace, SOCK_STREAM, "127.0.0.1", CROWDED);
        FD_AUTO alone = listen_at(outside_namespace, SOCK_STREAM, "127.0.0.1", ALONE);
        FD_AUTO inside = listen_at(inside_namespace, SOCK_STREAM, "127.0.0.1", ALONE);
        FD_AUTO set = (int)MUST(epoll_create1(EPOLL_CLOEXEC));
        struct gateway_item item = { .kind = GATEWAY_HOST_PORT, .port = ALONE, .fd = inside };
        struct egress egress = policy(1);
        struct epoll_event event = {};
        int crowd[CROWD][2], single[2], before = -1;
        BUF_AUTO bytes;
        struct err err;

        (void)state;
        egress.max_connections = CROWD;
        with_bytes(&egress, gateway_change);
        buf_init(&bytes, EGRESS_BYTES_MAX);
        egress_write(&egress, &bytes);
        assert_int_equal(gateway_add(gateway.socket, command + 1, buf_str(&bytes), &item, 1, &err), 0);
        for (int i = 0; i < CROWD; i++)
                connect_to_host(CROWDED, crowded, set, crowd[i]);
        connect_to_host(ALONE, alone, set, single);
        MUST(kill(gateway.pid, SIGSTOP));
        for (int i = 0; i < CROWD; i++)
                MUST(send(crowd[i][0], "x", 1, 0));
        MUST(send(single[0], "x", 1, 0));
        MUST(kill(gateway.pid, SIGCONT));
        while (event.data.u32 != ALONE) {
                assert_int_equal(epoll_wait(set, &event, 1, 60000), 1); /* in the order in which they became readable */
                before++;
        }
        assert_in_range(before, 0, CROWD / 2);
        for (int i = 0; i < CROWD; i++) {
                close(crowd[i][0]);
                close(crowd[i][1]);
        }
        close(single[0]);
        close(single[1]);
        assert_int_equal(gateway_end(gateway.socket, ++command, &err), 0);
        assert_int_equal(wait_event(gateway.socket, GATEWAY_ENDED).command, command);
        command--;
}

/* ---- changes ---- */

static void changes_count_at_once(void **state) {
        struct egress without = policy(0), with = policy(sizeof(rules) / sizeof(rules[0]));
        FD_AUTO late = -1;
        int ends[2];

        (void)state;
        connect_both("github.com", "93.184.216.34", 443, ends);
        MUST(send(ends[0], "x", 1, 0));
        expect_text(ends[1], "x");
        with_bytes(&without, gateway_change);
        expect_reset(ends[0]);
        expect_reset(ends[1]);
        close(ends[0]);
        close(ends[1]);
        assert_int_equal(ask("github.com", 1).code, 3);
        late = connect_from(inside_namespace, "93.184.216.34", 443); /* the address is still known */
        expect_reset(late);
        with_bytes(&with, gateway_change);
        assert_int_equal(ask("github.com", 1).code, 0);
        connect_both("github.com", "93.184.216.34", 443, ends);
        close(ends[0]);
        close(ends[1]);
}

/* However many requests the engine has made before. */
static void changes_count_before_later_questions(void **state) {
        enum { CHANGES = 80 };
        struct egress without = policy(0), with = policy(1);
        struct sockaddr_in to = place("8.8.8.8", 53);
        uint8_t question[512], answer[1500];
        size_t len = make_question("github.com", 1, question);
        FD_AUTO fd = -1;

        (void)state;
        assert_int_equal(ask("github.com", 1).code, 0);
        enter(inside_namespace);
        fd = (int)MUST(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        enter(outside_namespace);
        MUST(connect(fd, (struct sockaddr *)&to, sizeof(to)));
        MUST(kill(gateway.pid, SIGSTOP));
        for (int i = 0; i < CHANGES; i++)
                with_bytes(&with, gateway_change);
        with_bytes(&without, gateway_change);
        MUST(send(fd, question, len, 0));
        MUST(kill(gateway.pid, SIGCONT));
        assert_int_equal(read_answer(answer, (size_t)MUST(recv(fd, answer, sizeof(answer), 0)), len).code, 3);
}

static void sums_at_the_end(void **state) {
        struct gateway_event event;
        struct err err;
        int ends[2];
        bool refused = false, allowed = false;

        (void)state;
        ask("evil.example", 1);
        connect_both("github.com", "93.184.216.34", 22, ends);
        MUST(send(ends[0], "12345", 5, 0));
        expect_text(ends[1], "12345");
        MUST(send(ends[1], "123", 3, 0));
        expect_text(ends[0], "123");
        wait_event(gateway.socket, GATEWAY_REFUSED);
        assert_int_equal(gateway_end(gateway.socket, command, &err), 0);
        while ((event = next_event(gateway.socket)).kind == GATEWAY_ROW) {
                if (event.reason == GATEWAY_NOT_LISTED) {
                        assert_false(allowed); /* refusals come first */
                        refused = true;
                } else if (event.up == 5 && event.down == 3) {
                        allowed = true;
                }
        }
        assert_true(refused && allowed);
        assert_int_equal(event.kind, GATEWAY_ENDED);
        assert_int_equal(event.up, 5);
        assert_int_equal(event.down, 3);
        assert_int_equal(event.connections, 1);
        assert_int_equal(event.open, 0);
        expect_reset(ends[0]);
        close(ends[0]);
        close(ends[1]);
        set_up(state);
}

/* An engine that reads no events misses refusals, but gets all sums. */
static void many_refusals(void **state) {
        FD_AUTO fd = connect_from(inside_namespace, "8.8.8.8", 53);
        uint8_t bytes[512], answer[1500];
        struct gateway_event event;
        struct err err;
        size_t rows = 0;

        (void)state;
        for (int i = 0; i < 400; i++) {
                char name[32];
                size_t len;

                snprintf(name, sizeof(name), "n%d.evil.example", i);
                len = make_question(name, 1, bytes + 2);
                bytes[0] = 0;
                bytes[1] = (uint8_t)len;
                MUST(send(fd, bytes, len + 2, 0));
                assert_int_equal(recv(fd, answer, 2, MSG_WAITALL), 2);
                assert_int_equal(recv(fd, answer + 2, answer[1], MSG_WAITALL), answer[1]);
        }
        assert_int_equal(gateway_ask(gateway.socket, command, &err), 0);
        while ((event = next_event(gateway.socket)).kind != GATEWAY_SUMS)
                rows += event.kind == GATEWAY_ROW;
        assert_int_equal(rows, GATEWAY_REFUSALS_MAX);
        assert_false(was_asked("evil.example"));
}

/* ---- ports ---- */

static void ports_of_the_host(void **state) {
        FD_AUTO listener = listen_at(outside_namespace, SOCK_STREAM, "127.0.0.1", 5432);
        FD_AUTO client = connect_from(inside_namespace, "127.0.0.1", 5432);
        FD_AUTO server = (int)MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));

        (void)state;
        MUST(send(client, "select", 6, 0));
        expect_text(server, "select");
        MUST(send(server, "row", 3, 0));
        expect_text(client, "row");
}

static void published_ports(void **state) {
        FD_AUTO listener = listen_at(inside_namespace, SOCK_STREAM, "127.0.0.1", 3000);
        FD_AUTO client = -1, server = -1, made = -1, refused = -1;
        struct gateway_event event;
        struct err err;

        (void)state;
        assert_int_equal(gateway_publish(gateway.socket, command, 8080, 3000, &err), 0);
        assert_int_equal(wait_event(gateway.socket, GATEWAY_PUBLISHED).port, 8080);
        assert_int_equal(gateway_publish(gateway.socket, command, 8080, 3001, &err), 0);
        event = wait_event(gateway.socket, GATEWAY_FAILED);
        assert_int_equal(event.port, 8080);
        assert_string_equal(event.text, "127.0.0.1:8080: Address already in use");
        client = connect_from(outside_namespace, "127.0.0.1", 8080);
        wait_event(gateway.socket, GATEWAY_NEEDS_SOCKET);
        enter(inside_namespace);
        made = (int)MUST(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        enter(outside_namespace);
        assert_int_equal(gateway_give_socket(gateway.socket, command, made, &err), 0);
        server = (int)MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        MUST(send(client, "hello", 5, 0));
        expect_text(server, "hello");
        MUST(send(server, "hi", 2, 0));
        expect_text(client, "hi");
        refused = connect_from(outside_namespace, "127.0.0.1", 8080);
        wait_event(gateway.socket, GATEWAY_NEEDS_SOCKET);
        assert_int_equal(gateway_give_socket(gateway.socket, command, -1, &err), 0);
        expect_reset(refused);
        assert_int_equal(connect_from(outside_namespace, "93.184.0.1", 8080), -1); /* only at 127.0.0.1 */
}

/* ---- the process ---- */

static void it_is_confined(void **state) {
        char path[64];
        struct err err;

        (void)state;
        assert_int_equal(memory_of(gateway.pid, "Seccomp"), 2);
        assert_int_equal(memory_of(gateway.pid, "NoNewPrivs"), 1);
        assert_int_equal(memory_of(gateway.pid, "CapEff"), 0);
        snprintf(path, sizeof(path), "/proc/%d/environ", gateway.pid);
        if (getuid() != 0) { /* not dumpable: files of its own are not the user's */
                assert_int_equal(open(path, O_RDONLY | O_CLOEXEC), -1);
                assert_int_equal(errno, EACCES);
        }
        assert_int_equal(gateway_change(gateway.socket, command + 1000, STR("x"), &err), 0); /* no such command */
        assert_string_equal(wait_event(gateway.socket, GATEWAY_FAILED).text, "no such command");
        assert_int_equal(gateway_change(gateway.socket, command, STR("garbage"), &err), 0);
        assert_true(wait_event(gateway.socket, GATEWAY_FAILED).text[0] != '\0');
        assert_int_equal(ask("github.com", 1).code, 0); /* the old policy stays */
}

static void other_servers_in_resolv_conf(void **state) {
        static const struct zone_row other[] = { { .name = "github.com", .addresses = { "93.184.1.1" } }, {} };
        struct answer answer;
        pid_t pid;

        (void)state;
        MUST(kill(zone_pid, SIGKILL));
        wait_end(zone_pid);
        pid = start_zone(other, log_path);
        write_file(resolv_path, "# another one\nnameserver 127.0.0.1\nsearch corp.example\n");
        answer = ask("github.com", 1);
        assert_string_equal(answer.first, "93.184.1.1");
        assert_int_equal(ask("missing.example", 1).code, 3);
        assert_false(was_asked("missing.example.corp.example"));
        MUST(kill(pid, SIGKILL));
        wait_end(pid);
        zone_pid = start_zone(zone, log_path);
}

/* It ends with the process that it was given, and when its socket does. */
static void it_ends_with_the_engine(void **state) {
        pid_t engine = (pid_t)MUST(fork());
        struct running other;
        struct gateway_event event;

        (void)state;
        if (engine == 0) {
                pause();
                _exit(0);
        }
        other = start_gateway(resolv_path, open_pidfd(engine));
        assert_int_equal(next_event(other.socket).kind, GATEWAY_READY);
        MUST(kill(engine, SIGKILL));
        wait_end(engine);
        assert_int_equal(wait_end(other.pid), 0);
        assert_int_equal(gateway_receive(other.socket, &event), -1);
        close(other.socket);
        other = start_gateway(resolv_path, -1);
        assert_int_equal(next_event(other.socket).kind, GATEWAY_READY);
        close(other.socket);
        assert_int_equal(wait_end(other.pid), 0);
}

/* Its death ends connections, and opens none. */
static void its_death_opens_nothing(void **state) {
        struct gateway_event event;
        struct pollfd polled;
        struct err err;
        int ends[2], late;

        (void)state;
        connect_both("github.com", "93.184.216.34", 443, ends);
        MUST(kill(gateway.pid, SIGKILL));
        wait_end(gateway.pid);
        expect_end(ends[0]);
        expect_end(ends[1]);
        polled = (struct pollfd){ .fd = gateway.socket, .events = POLLIN };
        assert_int_equal(poll(&polled, 1, 60000), 1);
        while (gateway_receive(gateway.socket, &event) == 1)
                ;
        assert_int_equal(gateway_receive(gateway.socket, &event), -1);
        assert_int_equal(gateway_end(gateway.socket, command, &err), -1);
        assert_string_equal(err.msg, "the network gateway has ended");
        for (int i = 0; i < LISTENERS; i++)
                close(items[i].fd); /* the engine's copies */
        late = connect_from(inside_namespace, "93.184.216.34", 443);
        assert_int_equal(late, -1);
        close(ends[0]);
        close(ends[1]);
}

/* Of files: see CROWD. */
static void raise_limit(void) {
        struct rlimit limit;

        MUST(getrlimit(RLIMIT_NOFILE, &limit));
        limit.rlim_cur = limit.rlim_max;
        MUST(setrlimit(RLIMIT_NOFILE, &limit));
}

static int begin(void **state) {
        static const struct {
                enum gateway_socket kind;
                int type;
                const char *address; /* NULL: all of both families */
                uint16_t port;
        } wanted[LISTENERS] = {
                [UDP] = { GATEWAY_DNS_UDP, SOCK_DGRAM, NULL, 53 },
                [TCP] = { GATEWAY_DNS_TCP, SOCK_STREAM, NULL, 53 },
                [HTTPS] = { GATEWAY_PORT, SOCK_STREAM, NULL, 443 },
                [HTTP] = { GATEWAY_PORT, SOCK_STREAM, "0.0.0.0", 80 },
                [SSH] = { GATEWAY_PORT, SOCK_STREAM, "0.0.0.0", 22 },
                [OTHER] = { GATEWAY_PORT, SOCK_STREAM, "0.0.0.0", 8443 },
                [DATABASE] = { GATEWAY_HOST_PORT, SOCK_STREAM, "127.0.0.1", 5432 },
        };

        (void)state;
        raise_limit();
        MUST(mkdtemp(directory) ? 0 : -1);
        snprintf(log_path, sizeof(log_path), "%s/log", directory);
        snprintf(resolv_path, sizeof(resolv_path), "%s/resolv.conf", directory);
        write_file(resolv_path, "nameserver 127.0.0.1\nsearch corp.example\noptions ndots:5\n");
        zone_pid = start_zone(zone, log_path);
        for (int i = 0; i < LISTENERS; i++)
                items[i] = (struct gateway_item){
                        .kind = wanted[i].kind,
                        .port = wanted[i].port,
                        .fd = wanted[i].address ? listen_at(inside_namespace, wanted[i].type, wanted[i].address, wanted[i].port)
                                                : listen_both(inside_namespace, wanted[i].type, wanted[i].port)
                };
        gateway = start_gateway(resolv_path, -1);
        assert_int_equal(next_event(gateway.socket).kind, GATEWAY_READY);
        return 0;
}

static int end(void **state) {
        (void)state;
        kill(gateway.pid, SIGKILL);
        MUST(kill(zone_pid, SIGKILL));
        wait_end(zone_pid);
        unlink(log_path);
        unlink(resolv_path);
        rmdir(directory);
        return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(names_are_answered),
                TEST(names_are_refused),
                TEST(questions_over_tcp),
                TEST(bytes_are_relayed),
                TEST(servers_speak_first),
                TEST(much_at_once),
                TEST(resets_are_passed_on),
                TEST(other_addresses_are_tried),
                TEST(unreachable_servers),
                TEST(refusals_speak_the_protocol),
                TEST(other_names_are_refused),
                TEST(named_connections_to_any_address),
                TEST(slow_readers),
                TEST(connections_are_limited),
                TEST(commands_take_turns),
                TEST(changes_count_at_once),
                TEST(changes_count_before_later_questions),
                TEST(sums_at_the_end),
                TEST(many_refusals),
                TEST(ports_of_the_host),
                TEST(published_ports),
                TEST(it_is_confined),
                TEST(other_servers_in_resolv_conf),
                TEST(it_ends_with_the_engine),
                cmocka_unit_test_setup(its_death_opens_nothing, set_up),
        };

        signal(SIGPIPE, SIG_IGN);
        if (!make_namespaces()) {
                printf("1..0 # SKIP no namespaces here\n");
                return 0;
        }
        return cmocka_run_group_tests(tests, begin, end);
}
