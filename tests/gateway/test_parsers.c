/*
 * What the gateway reads of clients: DNS questions, TLS hellos, HTTP heads; hostile ones, too.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "gateway/dns.h"
#include "gateway/forwarded.h"
#include "gateway/hello.h"
#include "gateway/proxy_answer.h"
#include "gateway/request.h"
#include "policy/upstream.h"

/* ---- DNS ---- */

struct bytes {
        size_t len;
        uint8_t at[1024];
};

static void put(struct bytes *bytes, const void *from, size_t len) {
        assert_true(bytes->len + len <= sizeof(bytes->at));
        memcpy(bytes->at + bytes->len, from, len);
        bytes->len += len;
}

#define PUT(bytes, literal) put((bytes), "" literal, sizeof(literal) - 1)

/* "a.b" as labels, without the empty one at the end. */
static void put_labels(struct bytes *bytes, struct str name) {
        while (name.len) {
                size_t label = str_find(name, '.');
                uint8_t len = (uint8_t)label;

                put(bytes, &len, 1);
                put(bytes, name.ptr, label);
                name = str_skip(name, label + 1);
        }
}

static struct bytes question(const char *name, uint8_t type, bool edns) {
        struct bytes bytes = {};

        PUT(&bytes, "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00");
        put(&bytes, edns ? "\x01" : "\x00", 1);
        put_labels(&bytes, str_z(name));
        PUT(&bytes, "\0\0");
        put(&bytes, &type, 1);
        PUT(&bytes, "\0\x01");
        if (edns)
                PUT(&bytes, "\0\0\x29\x10\0\0\0\0\0\0\0");
        return bytes;
}

static int read_question(const struct bytes *bytes, struct dns_question *ret) {
        uint8_t *exact = malloc(bytes->len ? bytes->len : 1); /* so that ASan sees a read past the end */
        int result;

        assert_non_null(exact);
        memcpy(exact, bytes->at, bytes->len);
        result = dns_read(exact, bytes->len, ret);
        free(exact);
        return result;
}

static void questions_are_read(void **state) {
        struct bytes bytes = question("GitHub.com", DNS_AAAA, true);
        struct dns_question dns;

        (void)state;
        assert_int_equal(read_question(&bytes, &dns), 0);
        assert_str_equal(dns.text, STR("github.com"));
        assert_true(dns.clean && dns.edns);
        assert_int_equal(dns.type, DNS_AAAA);
        assert_int_equal(dns.size, DNS_ANSWER_MAX);
        bytes = question("x", DNS_A, false);
        assert_int_equal(read_question(&bytes, &dns), 0);
        assert_false(dns.edns);
        assert_int_equal(dns.size, 512);
}

/* What cannot be a name of a host is answered, but not clean. */
static void odd_labels_are_not_clean(void **state) {
        static const char *const names[] = { "a b", "a/b", "a\x7f", "a\xc3\xa4", "a\n", "a*", "a@b", "a\\b", "" };
        struct dns_question dns;
        struct bytes bytes = {};

        (void)state;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                bytes = question(names[i], DNS_A, false);
                assert_int_equal(read_question(&bytes, &dns), 0);
                assert_false(dns.clean);
        }
        bytes = (struct bytes){};
        PUT(&bytes, "\0\0\1\0\0\1\0\0\0\0\0\0\3a\0b\0\0\1\0\1"); /* NUL in a label */
        assert_int_equal(read_question(&bytes, &dns), 0);
        assert_false(dns.clean);
        bytes.len = 12;
        PUT(&bytes, "\3a.b\0\0\1\0\1"); /* a dot in a label is not that name */
        assert_int_equal(read_question(&bytes, &dns), 0);
        assert_false(dns.clean);
}

static void bad_questions_are_dropped(void **state) {
        static const struct {
                const char *bytes;
                size_t len;
        } cases[] = {
#define CASE(literal) { "" literal, sizeof(literal) - 1 }
                CASE(""),
                CASE("\0\0\1\0\0\1\0\0\0\0\0"),                             /* head cut */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0"),                           /* no name */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0\1a"),                        /* no end of the name */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0\1a\0"),                      /* no type */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0\1a\0\0\1\0"),                /* class cut */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0\1a\0\0\1\0\3"),              /* class CHAOS */
                CASE("\0\0\x81\0\0\1\0\0\0\0\0\0\1a\0\0\1\0\1"),            /* an answer */
                CASE("\0\0\x29\0\0\1\0\0\0\0\0\0\1a\0\0\1\0\1"),            /* NOTIFY */
                CASE("\0\0\1\0\0\0\0\0\0\0\0\0\1a\0\0\1\0\1"),              /* no question */
                CASE("\0\0\1\0\0\2\0\0\0\0\0\0\1a\0\0\1\0\1\1b\0\0\1\0\1"), /* two */
                CASE("\0\0\1\0\0\1\0\1\0\0\0\0\1a\0\0\1\0\1"),              /* with an answer */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0\xc0\x0c\0\1\0\1"),           /* a pointer to itself */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0\1a\xc0\x0c\0\1\0\1"),        /* a loop */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0\x40"
                     "a\0\0\1\0\1"), /* 64 bytes */
                CASE("\0\0\1\0\0\1\0\0\0\0\0\0\x3f"
                     "a\0\0\1\0\1"), /* a label past the end */
        };
        struct dns_question dns;

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct bytes bytes = {};

                put(&bytes, cases[i].bytes, cases[i].len);
                if (read_question(&bytes, &dns) == 0)
                        fail_msg("case %zu was taken", i);
        }
}

static void lengths_of_names(void **state) {
        char name[300], label[64];
        struct dns_question dns;
        struct bytes bytes;

        (void)state;
        memset(label, 'a', sizeof(label));
        snprintf(name, sizeof(name), "%.63s.%.63s.%.63s.%.61s", label, label, label, label); /* 253 */
        bytes = question(name, DNS_A, false);
        assert_int_equal(read_question(&bytes, &dns), 0);
        assert_int_equal(dns.text.len, 253);
        snprintf(name, sizeof(name), "%.63s.%.63s.%.63s.%.62s", label, label, label, label);
        bytes = question(name, DNS_A, false);
        assert_int_equal(read_question(&bytes, &dns), -1);
        snprintf(name, sizeof(name), "%.63s", label);
        bytes = question(name, DNS_A, false);
        assert_int_equal(read_question(&bytes, &dns), 0);
}

static void answers_repeat_the_question(void **state) {
        static const uint8_t addresses[][16] = { { [10] = 0xff, 0xff, 93, 184, 216, 34 }, { 0x26, 0x06, [15] = 1 } };
        struct bytes bytes = question("GitHub.com", DNS_A, true);
        struct dns_answer answer = { .ttl = 0x01020304, .addresses = addresses, .count = 2 };
        struct dns_question dns;
        uint8_t out[DNS_ANSWER_MAX];
        size_t len;

        (void)state;
        assert_int_equal(read_question(&bytes, &dns), 0);
        len = dns_write(&dns, &answer, out, dns.size);
        assert_int_equal(len, dns.len + 16 + 11);
        assert_memory_equal(out, "\x12\x34\x85\x80\0\1\0\1\0\0\0\1", 12);
        assert_memory_equal(out + 12, bytes.at + 12, dns.len - 12); /* capitals, too */
        assert_memory_equal(out + dns.len, "\xc0\x0c\0\1\0\1\1\2\3\4\0\4\x5d\xb8\xd8\x22", 16);
        dns.type = DNS_AAAA;
        len = dns_write(&dns, &answer, out, dns.size);
        assert_int_equal(len, dns.len + 28 + 11);
        dns.type = 16; /* TXT */
        assert_int_equal(dns_write(&dns, &answer, out, dns.size), dns.len + 11);
        assert_int_equal(out[7], 0);
}

static void refusals_say_why(void **state) {
        struct bytes bytes = question("evil.example", DNS_A, true);
        struct dns_answer answer = { .code = DNS_NXDOMAIN, .extra_text = STR("because") };
        struct dns_question dns;
        uint8_t out[DNS_ANSWER_MAX];
        size_t len;

        (void)state;
        assert_int_equal(read_question(&bytes, &dns), 0);
        len = dns_write(&dns, &answer, out, dns.size);
        assert_int_equal(out[3] & 15, 3);
        assert_int_equal(len, dns.len + 11 + 6 + 7);
        assert_memory_equal(out + dns.len + 9,
                            "\0\x0d\0\x0f\0\x09\0\x0f"
                            "because",
                            15);
        bytes = question("evil.example", DNS_A, false); /* nobody would understand it */
        assert_int_equal(read_question(&bytes, &dns), 0);
        assert_int_equal(dns_write(&dns, &answer, out, dns.size), dns.len);
}

/* As many as there is room for. */
static void answers_fit(void **state) {
        uint8_t addresses[64][16], out[DNS_ANSWER_MAX];
        struct dns_answer answer = { .addresses = (const uint8_t(*)[16])addresses, .count = 64 };
        struct dns_question dns;
        struct bytes bytes = question("x", DNS_AAAA, false);

        (void)state;
        memset(addresses, 0x26, sizeof(addresses));
        assert_int_equal(read_question(&bytes, &dns), 0);
        for (size_t size = 0; size <= sizeof(out); size++) {
                size_t len = dns_write(&dns, &answer, out, size);

                assert_true(len <= size);
                if (len)
                        assert_int_equal(len, dns.len + (size_t)out[7] * 28);
        }
}

static void reverse_names(void **state) {
        uint8_t address[16];

        (void)state;
        assert_true(dns_reverse(STR("34.216.184.93.in-addr.arpa"), address));
        assert_memory_equal(address, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x5d\xb8\xd8\x22", 16);
        assert_true(dns_reverse(STR("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"), address));
        assert_memory_equal(address, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
        assert_false(dns_reverse(STR("256.216.184.93.in-addr.arpa"), address));
        assert_false(dns_reverse(STR("1.2.3.in-addr.arpa"), address));
        assert_false(dns_reverse(STR("1.2.3.4.5.in-addr.arpa"), address));
        assert_false(dns_reverse(STR("x.in-addr.arpa"), address));
        assert_false(dns_reverse(STR("1.0.ip6.arpa"), address));
        assert_false(dns_reverse(STR("in-addr.arpa"), address));
}

/* ---- TLS ---- */

static void put16(struct bytes *bytes, size_t value) {
        uint8_t both[] = { (uint8_t)(value >> 8), (uint8_t)value };

        put(bytes, both, 2);
}

static struct bytes extension(uint16_t type, const void *data, size_t len) {
        struct bytes bytes = {};

        put16(&bytes, type);
        put16(&bytes, len);
        put(&bytes, data, len);
        return bytes;
}

static struct bytes server_name(const void *name, size_t len) {
        struct bytes list = {};

        put16(&list, len + 3);
        PUT(&list, "\0");
        put16(&list, len);
        put(&list, name, len);
        return extension(0, list.at, list.len);
}

/* A handshake message with these extensions. */
static struct bytes hello_with(const struct bytes *extensions) {
        struct bytes body = {}, all = {};

        PUT(&body, "\3\3");
        for (int i = 0; i < 32; i++)
                PUT(&body, "r");
        PUT(&body, "\0\0\2\x13\1\1\0");
        if (extensions) {
                put16(&body, extensions->len);
                put(&body, extensions->at, extensions->len);
        }
        PUT(&all, "\1\0");
        put16(&all, body.len);
        put(&all, body.at, body.len);
        return all;
}

/* In records of this size. */
static size_t records(const struct bytes *hello, size_t size, uint8_t *out) {
        size_t n = 0;

        for (size_t at = 0; at < hello->len; at += size) {
                size_t part = hello->len - at < size ? hello->len - at : size;

                memcpy(out + n, "\x16\3\1", 3);
                out[n + 3] = (uint8_t)(part >> 8);
                out[n + 4] = (uint8_t)part;
                memcpy(out + n + 5, hello->at + at, part);
                n += 5 + part;
        }
        return n;
}

static enum first_words read_hello(const uint8_t *bytes, size_t len, char name[static HELLO_NAME_MAX + 1]) {
        uint8_t *exact = malloc(len ? len : 1);
        enum first_words found;

        assert_non_null(exact);
        memcpy(exact, bytes, len);
        found = hello_read(exact, len, name);
        free(exact);
        return found;
}

/* Servers made with Go skip warnings in front of a hello. */
static void other_records_come_first(void **state) {
        static const uint8_t warning[] = { 21, 3, 1, 0, 2, 1, 90 };
        struct bytes name = server_name("github.com", 10), hello = hello_with(&name);
        uint8_t out[8192];
        char found[HELLO_NAME_MAX + 1];
        size_t len = records(&hello, 1000, out + sizeof(warning)) + sizeof(warning);

        (void)state;
        memcpy(out, warning, sizeof(warning));
        assert_int_equal(read_hello(out, 1, found), FIRST_MORE);
        assert_int_equal(read_hello(out, 2, found), FIRST_BAD);
        assert_int_equal(read_hello(out, len, found), FIRST_BAD);
        for (uint8_t type = 20; type <= 24; type++) {
                out[0] = type;
                assert_int_equal(read_hello(out, len, found), FIRST_BAD);
        }
        assert_int_equal(read_hello((const uint8_t *)"\x15\1", 2, found), FIRST_OTHER);
}

/* In records of any size, and nothing is said before all of it is there. */
static void names_of_hellos(void **state) {
        static const size_t sizes[] = { 1, 2, 17, 40, 1000 };
        struct bytes extensions = extension(0x0a0a, "grease", 6), name = server_name("GitHub.com", 10), hello;
        uint8_t out[8192];
        char found[HELLO_NAME_MAX + 1];

        (void)state;
        put(&extensions, name.at, name.len);
        hello = hello_with(&extensions);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                size_t len = records(&hello, sizes[i], out);

                for (size_t part = 0; part < len; part++)
                        assert_int_equal(read_hello(out, part, found), FIRST_MORE);
                assert_int_equal(read_hello(out, len, found), FIRST_NAME);
                assert_string_equal(found, "GitHub.com");
                memcpy(out + len, "\x17\3\3 early", 9); /* what comes behind does not matter */
                assert_int_equal(read_hello(out, len + 9, found), FIRST_NAME);
        }
}

static enum first_words hello_of(const struct bytes *extensions, char name[static HELLO_NAME_MAX + 1]) {
        struct bytes hello = hello_with(extensions);
        uint8_t out[2048];

        return read_hello(out, records(&hello, 500, out), name);
}

static void odd_names_of_hellos(void **state) {
        char found[HELLO_NAME_MAX + 1], long_name[300];
        struct bytes one, two;

        (void)state;
        assert_int_equal(hello_of(NULL, found), FIRST_NO_NAME);
        one = extension(10, "x", 1);
        assert_int_equal(hello_of(&one, found), FIRST_NO_NAME);
        one = server_name("", 0);
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = server_name("a.com\0.evil.com", 15);
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = server_name("a b", 3);
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = server_name("a\xc3\xa4", 3);
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        memset(long_name, 'a', sizeof(long_name));
        one = server_name(long_name, 253);
        assert_int_equal(hello_of(&one, found), FIRST_NAME);
        one = server_name(long_name, 254);
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = server_name("a.com", 5);
        two = server_name("b.com", 5);
        put(&one, two.at, two.len); /* two extensions */
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = extension(0, "\0\x0a\0\0\1a\0\0\1b\0\0", 12); /* two names in one */
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = extension(0, "\0\4\1\0\1a", 6); /* another type of name */
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = extension(0, "", 0);
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = server_name("a.com", 5);
        one.at[3]++; /* longer than there is */
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
        one = server_name("a.com", 5);
        PUT(&one, "\0"); /* half of an extension */
        assert_int_equal(hello_of(&one, found), FIRST_BAD);
}

static void odd_records(void **state) {
        static const struct {
                const char *bytes;
                size_t len;
                enum first_words found;
        } cases[] = {
#define WORDS(literal, found) { "" literal, sizeof(literal) - 1, found }
                WORDS("", FIRST_MORE),
                WORDS("\x16", FIRST_MORE),
                WORDS("\x16\x02", FIRST_OTHER),
                WORDS("SSH-2.0-x", FIRST_OTHER),
                WORDS("\x80\x2e\1\0\2", FIRST_OTHER),     /* SSL 2 */
                WORDS("\x16\3\1\0\0", FIRST_BAD),         /* an empty record */
                WORDS("\x16\3\1\xff\xff", FIRST_BAD),     /* too long */
                WORDS("\x16\3\1\0\4\2\0\0\0", FIRST_BAD), /* no ClientHello */
                WORDS("\x16\3\1\0\4\1\1\0\0", FIRST_BAD), /* one of 64 KiB */
                WORDS("\x16\3\1\0\1\1\x17", FIRST_BAD),   /* garbage behind a record */
                WORDS("\x16\3\1\0\1\1\x16\2", FIRST_BAD),
                WORDS("\x16\3\1\0\1\1\x16\3\1\0\0", FIRST_BAD),
                WORDS("\x16\3\1\0\4\1\0\0\0", FIRST_BAD), /* an empty hello */
        };
        char found[HELLO_NAME_MAX + 1];

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                if (read_hello((const uint8_t *)cases[i].bytes, cases[i].len, found) != cases[i].found)
                        fail_msg("case %zu", i);
}

/* ---- HTTP ---- */

static void hosts_of_requests(void **state) {
        static const struct {
                const char *text;
                enum first_words found;
                const char *name;
        } cases[] = {
                { "GET / HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_NAME, "a.com" },
                { "GET / HTTP/1.1\nhOsT:\t A.com:8080 \n\nbody", FIRST_NAME, "A.com" },
                { "PROPFIND /x HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_NAME, "a.com" },
                { "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", FIRST_NAME, "[::1]" },
                { "GET http://a.com/x HTTP/1.1\r\n\r\n", FIRST_NAME, "a.com" },
                { "GET http://a.com:80/x HTTP/1.1\r\nHost: A.com\r\n\r\n", FIRST_NAME, "A.com" },
                { "OPTIONS * HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_NAME, "a.com" },
                { "GET / HTTP/1.0\r\n\r\n", FIRST_NO_NAME, NULL },
                { "GET / HTTP/1.1\r\nXHost: a.com\r\n\r\n", FIRST_NO_NAME, NULL },
                /* in two ways */
                { "GET / HTTP/1.1\r\nHost: a.com\r\nHost: b.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost: a.com\r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET http://b.com/ HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost: a.com\r\n b.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\n Host: a.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost : a.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nX\rHost: b.com\r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost: a.com b.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost: a.com,b.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost: user@b.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost: a.com:x\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost:\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nHost: []\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.1\r\nno colon\r\n\r\n", FIRST_BAD, NULL },
                { "GET http://user@b.com/ HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET b.com:80 HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                { "CONNECT b.com:443 HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                /* as some servers take it */
                { "\r\n\nGET / HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_NAME, "a.com" },
                { "GET  /  HTTP/1.1\r\nHost: a.com\r\n\r\n", FIRST_NAME, "a.com" },
                { "GET / HTTP/1.1 \r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.01\r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                { "GET / HTTP/1.x\r\nHost: a.com\r\n\r\n", FIRST_BAD, NULL },
                /* not, or not yet */
                { "", FIRST_MORE, NULL },
                { "\r\n", FIRST_MORE, NULL },
                { "GET  ", FIRST_MORE, NULL },
                { "GET /  ", FIRST_MORE, NULL },
                { "GE", FIRST_MORE, NULL },
                { "GET / HT", FIRST_MORE, NULL },
                { "GET / HTTP/1.1\r\nHost: a.com\r\n", FIRST_MORE, NULL },
                { "GET /\r\n", FIRST_OTHER, NULL },
                { "EHLO x\r\n", FIRST_OTHER, NULL },
                { "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", FIRST_OTHER, NULL },
                { "SSH-2.0-OpenSSH\r\n", FIRST_OTHER, NULL },
                { "get / HTTP/1.1\r\n", FIRST_OTHER, NULL },
                { "A / XTTP", FIRST_OTHER, NULL },
                { "ABCDEFGHIJKLMNOPQRSTUVWXYZ", FIRST_OTHER, NULL },
                { "\x05\x01", FIRST_OTHER, NULL },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                char name[HELLO_NAME_MAX + 1] = "";
                size_t len = strlen(cases[i].text);
                uint8_t *exact = malloc(len ? len : 1);

                assert_non_null(exact);
                memcpy(exact, cases[i].text, len);
                if (request_read(exact, len, name) != cases[i].found)
                        fail_msg("%s", cases[i].text);
                if (cases[i].name)
                        assert_string_equal(name, cases[i].name);
                free(exact);
        }
}

static void endless_heads_end(void **state) {
        static char head[REQUEST_HEAD_MAX];
        char name[HELLO_NAME_MAX + 1];

        (void)state;
        memset(head, 'a', sizeof(head));
        memcpy(head, "GET / HTTP/1.1\r\nX: ", 19);
        assert_int_equal(request_read((uint8_t *)head, sizeof(head) - 1, name), FIRST_MORE);
        assert_int_equal(request_read((uint8_t *)head, sizeof(head), name), FIRST_BAD);
        memset(head, 'a', sizeof(head)); /* of its first line, too */
        memcpy(head, "GET /", 5);
        assert_int_equal(request_read((uint8_t *)head, sizeof(head) - 1, name), FIRST_MORE);
        assert_int_equal(request_read((uint8_t *)head, sizeof(head), name), FIRST_BAD);
}

/* ---- proxies ---- */

static void answers_of_proxies(void **state) {
        static const struct {
                const char *text;
                enum proxy_words found;
                int status;
                size_t rest; /* bytes behind the head */
        } cases[] = {
                { "HTTP/1.1 200 OK\r\n\r\n", PROXY_HEAD, 200, 0 },
                { "HTTP/1.0 200 Connection established\r\nVia: x\r\n\r\nSSH-2.0-x\r\n\r\n", PROXY_HEAD, 200, 13 },
                { "HTTP/1.1 204\r\n\r\n", PROXY_HEAD, 204, 0 },
                { "HTTP/1.1 407 \nProxy-Authenticate: Basic\n\nno", PROXY_HEAD, 407, 2 },
                { "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", PROXY_HEAD, 200, 3 },
                { "", PROXY_MORE, 0, 0 },
                { "HTT", PROXY_MORE, 0, 0 },
                { "HTTP/1.1 200", PROXY_MORE, 0, 0 },
                { "HTTP/1.1 200 OK\r\n", PROXY_MORE, 0, 0 },
                { "HTTP/1.1 200 OK\r\nA: b\r\n", PROXY_MORE, 0, 0 },
                { "HTTP/1.1 200 OK\r\n\r", PROXY_MORE, 0, 0 },
                { "HTTP/2 200\r\n\r\n", PROXY_BAD, 0, 0 },
                { "HTTP/1.1 20\r\n\r\n", PROXY_BAD, 0, 0 },
                { "HTTP/1.1 2000\r\n\r\n", PROXY_BAD, 0, 0 },
                { "HTTP/1.1  200 OK\r\n\r\n", PROXY_BAD, 0, 0 },
                { "SSH-2.0-x\r\n", PROXY_BAD, 0, 0 },
                { "\x05\xff", PROXY_BAD, 0, 0 },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                size_t len = strlen(cases[i].text), head = 0;
                uint8_t *exact = malloc(len ? len : 1);
                int status = 0;

                assert_non_null(exact);
                memcpy(exact, cases[i].text, len);
                if (proxy_answer_read(exact, len, &status, &head) != cases[i].found)
                        fail_msg("%s", cases[i].text);
                if (cases[i].found == PROXY_HEAD) {
                        assert_int_equal(status, cases[i].status);
                        assert_int_equal(len - head, cases[i].rest);
                }
                free(exact);
        }
}

static void endless_answers_end(void **state) {
        static char head[PROXY_HEAD_MAX + 1];
        size_t len;
        int status;

        (void)state;
        memset(head, 'a', sizeof(head));
        memcpy(head, "HTTP/1.1 200 OK\r\nX: ", 20);
        assert_int_equal(proxy_answer_read((uint8_t *)head, PROXY_HEAD_MAX - 1, &status, &len), PROXY_MORE);
        assert_int_equal(proxy_answer_read((uint8_t *)head, PROXY_HEAD_MAX, &status, &len), PROXY_BAD);
        head[30] = '\0';
        assert_int_equal(proxy_answer_read((uint8_t *)head, 40, &status, &len), PROXY_BAD);
}

static void requests_to_proxies(void **state) {
        static const struct {
                const char *login, *encoded;
        } cases[] = { { "a:", "YTo=" },
                      { "me:x", "bWU6eA==" },
                      { "Aladdin:open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==" },
                      { "a:\xff\xfe", "YTr//g==" } };
        char out[PROXY_REQUEST_MAX], login[UPSTREAM_LOGIN_MAX], name[254], wanted[256];
        char header[1024];
        size_t len = proxy_request_write(STR("a.example"), 443, "", out, sizeof(out));

        (void)state;
        assert_true(str_is(str_from(out, len), "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"));
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                proxy_header_write(str_z(cases[i].login), header, sizeof(header));
                len = proxy_request_write(STR("a.example"), 22, header, out, sizeof(out));
                snprintf(wanted, sizeof(wanted),
                         "CONNECT a.example:22 HTTP/1.1\r\nHost: a.example:22\r\nProxy-Authorization: Basic %s\r\n\r\n",
                         cases[i].encoded);
                assert_true(str_is(str_from(out, len), wanted));
        }
        memset(login, 'x', sizeof(login));
        memset(name, 'n', sizeof(name));
        proxy_header_write(str_from(login, sizeof(login)), header, sizeof(header));
        assert_true(strlen(header) > 700 && str_ends(str_z(header), STR("\r\n")));
        assert_true(proxy_request_write(str_from(name, 253), 65535, header, out, sizeof(out)) > 1200);
        assert_int_equal(proxy_request_write(STR("a.example"), 443, "", out, 40), 0);
        proxy_header_write((struct str){}, header, sizeof(header));
        assert_string_equal(header, "");
}

/* ---- requests to a proxy ---- */

#define FIRST "GET / HTTP/1.1\r\nHost: a.example\r\n"

/* What comes of it; NULL: it is refused. Bytes come one by one, too. */
static void check_forwarded(const char *in, const char *wanted) {
        for (int step = 0; step < 2; step++) {
                struct forwarded *forwarded = calloc(1, sizeof(*forwarded));
                size_t len = strlen(in);
                int result = 0;
                BUF_AUTO out;

                assert_non_null(forwarded);
                forwarded->host = "a.example";
                buf_init(&out, 1 << 20);
                if (step == 0)
                        result = forwarded_feed(forwarded, str_from(in, len), &out);
                for (size_t i = 0; step == 1 && i < len && result == 0; i++)
                        result = forwarded_feed(forwarded, str_from(in + i, 1), &out);
                if ((result == 0) != (wanted != NULL) || forwarded->bad != (result < 0))
                        fail_msg("%s", in);
                if (wanted && !str_is(buf_str(&out), wanted))
                        fail_msg("%s\ngives %.*s", in, (int)out.len, out.ptr);
                free(forwarded);
        }
}

static void requests_are_forwarded(void **state) {
        static const struct {
                const char *in, *out;
        } cases[] = {
                { "", "" },
                { FIRST, "" },
                { FIRST "\r\n", "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n" },
                { "GET /b?c=d&e#f HTTP/1.0\r\nhOST:\tA.Example:80 \r\n\r\n",
                  "GET http://a.example/b?c=d&e#f HTTP/1.0\r\nhOST:\tA.Example:80 \r\n\r\n" },
                { "GET //evil.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
                  "GET http://a.example//evil.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n" },
                { FIRST "Proxy-Connection: keep-alive\r\nproxy-authorization: Basic x\r\nA: \xff\r\n\r\n",
                  "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nA: \xff\r\n\r\n" },
                { FIRST "Content-Length: 3\r\n\r\nabc" FIRST "\r\n",
                  "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc"
                  "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n" },
                { FIRST "Transfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n1\r\n\n\r\n0\r\n\r\n" FIRST "\r\n",
                  "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "A\r\n0123456789\r\n1\r\n\n\r\n0\r\n\r\n"
                  "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                check_forwarded(cases[i].in, cases[i].out);
}

static void other_requests_are_refused(void **state) {
        static const char *const cases[] = {
                "\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.example.evil\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a.example:443\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : a.example\r\n\r\n",
                "GET / HTTP/2.0\r\nHost: a.example\r\n\r\n",
                "GET / HTTP/1.1 \r\nHost: a.example\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: a.example\r\n\r\n",
                "GET /\r\nHost: a.example\r\n\r\n",
                "G(T / HTTP/1.1\r\nHost: a.example\r\n\r\n",
                "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
                "GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
                "GET @b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
                "CONNECT b.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n",
                "CONNECT /b.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n",
                FIRST "Host: a.example\r\n\r\n",
                FIRST "Upgrade: websocket\r\n\r\n",
                FIRST "A\r\n\r\n",
                FIRST ": b\r\n\r\n",
                FIRST " folded: b\r\n\r\n",
                FIRST "A: b\nHost: b.example\r\n\r\n",
                FIRST "A: b\rHost: b.example\r\n\r\n",
                FIRST "A: \x01\r\n\r\n",
                FIRST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
                FIRST "Content-Length: 1, 1\r\n\r\n",
                FIRST "Content-Length: +1\r\n\r\n",
                FIRST "Content-Length: 0x1\r\n\r\n",
                FIRST "Content-Length: -1\r\n\r\n",
                FIRST "Content-Length:\r\n\r\n",
                FIRST "Content-Length: 18446744073709551617\r\n\r\n",
                FIRST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                FIRST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                FIRST "Transfer-Encoding: gzip, chunked\r\n\r\n",
                FIRST "Transfer-Encoding: xchunked\r\n\r\n",
                FIRST "Transfer-Encoding: \"chunked\"\r\n\r\n",
                FIRST "Transfer-Encoding : chunked\r\n\r\n",
                "POST / HTTP/1.0\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n1\nx\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n1 \r\nx\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n0x1\r\nx\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n\r\nx\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n1\r\nx\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
                FIRST "Transfer-Encoding: chunked\r\n\r\n0000000000000000001\r\nx",
                FIRST "\r\n\r\nGET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                check_forwarded(cases[i], NULL);
                if (strstr(cases[i], "\r\n\r\n") == cases[i] + strlen(cases[i]) - 4)
                        assert_false(forwarded_possible(str_z(cases[i]), "a.example"));
        }
        assert_true(forwarded_possible(STR(FIRST "\r\nmore"), "a.example"));
        assert_false(forwarded_possible(STR(FIRST "\r\n"), "b.example"));
        assert_false(forwarded_possible(STR(FIRST), "a.example"));
}

static void endless_requests_end(void **state) {
        static char head[FORWARDED_HEAD_MAX + 1];

        (void)state;
        memset(head, 'a', sizeof(head) - 1);
        memcpy(head, FIRST, sizeof(FIRST) - 1);
        head[sizeof(head) - 2] = '\0';
        check_forwarded(head, "");
        head[sizeof(head) - 2] = 'a';
        check_forwarded(head, "");
        {
                static char more[FORWARDED_HEAD_MAX + 2];

                memcpy(more, head, sizeof(head));
                more[sizeof(more) - 2] = 'a';
                check_forwarded(more, NULL);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(questions_are_read),
                cmocka_unit_test(odd_labels_are_not_clean),
                cmocka_unit_test(bad_questions_are_dropped),
                cmocka_unit_test(lengths_of_names),
                cmocka_unit_test(answers_repeat_the_question),
                cmocka_unit_test(refusals_say_why),
                cmocka_unit_test(answers_fit),
                cmocka_unit_test(reverse_names),
                cmocka_unit_test(names_of_hellos),
                cmocka_unit_test(other_records_come_first),
                cmocka_unit_test(odd_names_of_hellos),
                cmocka_unit_test(odd_records),
                cmocka_unit_test(hosts_of_requests),
                cmocka_unit_test(endless_heads_end),
                cmocka_unit_test(answers_of_proxies),
                cmocka_unit_test(endless_answers_end),
                cmocka_unit_test(requests_to_proxies),
                cmocka_unit_test(requests_are_forwarded),
                cmocka_unit_test(other_requests_are_refused),
                cmocka_unit_test(endless_requests_end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
