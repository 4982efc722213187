#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "run/redact.h"
#include "tests/job/pieces.h"
#include "tests/job/redact_naive.h"

enum { STREAM_MAX = 1 << 16, SECRETS_MAX = 40 };

/* ---- asking ---- */

static struct redact_state feed_all(const struct redactor *redactor, struct str text, size_t chunk, struct buf *got) {
        struct redact_state state = { 0 };

        for (struct str rest = text, piece; rest.len > 0; rest = str_skip(rest, piece.len)) {
                char *exact; /* so that a look outside of the chunk, or later, is noticed */

                piece = str_take(rest, chunk ? 1 + any(chunk) : rest.len);
                exact = malloc(piece.len);
                memcpy(exact, piece.ptr, piece.len);
                redact_feed(redactor, &state, str_from(exact, piece.len), take, got);
                free(exact);
        }
        redact_end(redactor, &state, take, got);
        return state;
}

static void check(const struct redact_secret *secrets, size_t count, struct str text, size_t chunk) {
        const struct redactor *redactor = NULL;
        struct redact_state state;
        uint64_t expected_count;
        BUF_AUTO expected, got;

        buf_init(&expected, SIZE_MAX);
        buf_init(&got, SIZE_MAX);
        assert_int_equal(redactor_new(secrets, count, NULL, &redactor, NULL), 0);
        expected_count = naive_redact(secrets, count, text, &expected);
        state = feed_all(redactor, text, chunk, &got);
        assert_str_equal(buf_str(&got), buf_str(&expected));
        assert_int_equal(state.redactions, expected_count);
        assert_int_equal(state.at, text.len);
        assert_int_equal(state.passed, text.len);
        redactor_leave(redactor);
}

/* ---- streams ---- */

static void what_it_says(void **unused) {
        static const struct redact_secret secrets[] = {
                { STR("LONG"), STR("abcdefghijkl") },    { STR("SHORT"), STR("abcdefgh") },
                { STR("OTHER"), STR("klmnopqr") },       { STR("AGAIN"), STR("abcdefgh") },
                { STR("new\nline"), STR("0123456789") }, { STR("NONE"), STR("") },
        };
        static const struct {
                struct str text, expected;
        } rows[] = {
                { STR(""), STR("") },
                { STR("nothing here"), STR("nothing here") },
                { STR("<abcdefgh>"), STR("<[redacted SHORT]>") },
                { STR("<abcdefghi>"), STR("<[redacted SHORT]i>") },
                { STR("abcdefghijk"), STR("[redacted SHORT]ijk") }, /* known at the end only */
                { STR("abcdefghijkl"), STR("[redacted LONG]") },
                { STR("abcdefgabcdefgh"), STR("abcdefg[redacted SHORT]") },
                { STR("abcdefghabcdefgh"), STR("[redacted SHORT][redacted SHORT]") },
                { STR("abcdefghijklmnopqrs"), STR("[redacted LONG]s") }, /* nothing is left of OTHER */
                { STR("0123456789"), STR("[redacted new?line]") },
        };
        const struct redactor *redactor = NULL;

        (void)unused;
        assert_int_equal(redactor_new(secrets, sizeof(secrets) / sizeof(*secrets), NULL, &redactor, NULL), 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                for (size_t chunk = 0; chunk < 4; chunk++) {
                        BUF_AUTO got;

                        buf_init(&got, SIZE_MAX);
                        feed_all(redactor, rows[i].text, chunk, &got);
                        assert_str_equal(buf_str(&got), rows[i].expected);
                }
        redactor_leave(redactor);
}

static void take_pointer(void *context, struct str bytes) {
        *(struct str *)context = bytes;
}

static void nothing_to_find_costs_nothing(void **unused) {
        const struct redactor *redactor = NULL;
        struct redact_state state = { 0 };
        struct str text = STR("text"), got = { 0 };

        (void)unused;
        assert_int_equal(redactor_new(NULL, 0, NULL, &redactor, NULL), 0);
        redact_feed(redactor, &state, text, take_pointer, &got);
        assert_ptr_equal(got.ptr, text.ptr);
        assert_int_equal(got.len, text.len);
        redact_end(redactor, &state, take_pointer, &got);
        assert_int_equal(state.redactions, 0);
        redactor_leave(redactor);
}

/* Few letters, so that secrets begin in secrets, end in them, and repeat; or many, so that all goes the fast way. */
static void random_streams(void **unused) {
        static char text[STREAM_MAX], values[SECRETS_MAX][REDACT_SPANS];
        struct redact_secret secrets[SECRETS_MAX];
        static char names[SECRETS_MAX][24];

        (void)unused;
        for (int i = 0; i < 3000; i++) {
                size_t letters = i % 3 ? 1 + any(3) : 60, count = 1 + any(i % 2 ? 4 : SECRETS_MAX);
                size_t shortest = i % 5 ? 1 + any(12) : 1, len = any(i % 50 ? 300 : STREAM_MAX);

                for (size_t n = 0; n < count; n++) {
                        size_t value = shortest + any(REDACT_SPANS - shortest);

                        for (size_t b = 0; b < value; b++)
                                values[n][b] = (char)('A' + any(letters));
                        snprintf(names[n], sizeof(names[n]), "N%zu", n);
                        secrets[n] = (struct redact_secret){ str_z(names[n]), str_from(values[n], value) };
                }
                for (size_t at = 0; at < len;) {
                        struct str value = secrets[any(count)].value;

                        if (any(4) == 0) { /* all of one, or part */
                                value = str_take(str_skip(value, any(3) ? 0 : any(REDACT_SPANS)),
                                                 any(3) ? len : any(REDACT_SPANS));
                                value = str_take(value, len - at);
                                memcpy(text + at, value.ptr, value.len);
                                at += value.len;
                        } else {
                                text[at++] = (char)('A' + any(letters));
                        }
                }
                check(secrets, count, str_from(text, len), i % 4 ? 1 + any(i % 8 ? 20 : 3000) : 0);
        }
}

/* Secrets inside the beginning of a long one: more than there are places to remember. None is seen, whatever else is not. */
static void too_many_spans(void **unused) {
        static char text[4 * REDACT_SPANS * 4];
        struct redact_secret secrets[2] = { { STR("A"), STR("sec") }, { STR("B"), str_from(text, sizeof(text)) } };
        const struct redactor *redactor = NULL;
        struct redact_state state;
        BUF_AUTO got;

        (void)unused;
        buf_init(&got, SIZE_MAX);
        for (size_t i = 0; i < sizeof(text); i += 4)
                memcpy(text + i, "sec.", 4);
        assert_int_equal(redactor_new(secrets, 2, NULL, &redactor, NULL), 0);
        state = feed_all(redactor, str_from(text, sizeof(text) - 1), 7, &got);
        assert_int_equal(state.redactions, REDACT_SPANS);
        assert_null(memmem(got.ptr, got.len, "sec", 3));
        assert_true(str_starts(buf_str(&got), STR("[redacted A].[redacted A].")));
        redactor_leave(redactor);
}

static void large_secrets(void **unused) {
        static char value[REDACT_BYTES_MAX + 1], text[REDACT_BYTES_MAX * 2];
        struct redact_secret secrets[2] = { { STR("A"), str_from(value, REDACT_BYTES_MAX) }, { STR("B"), STR("") } };
        const struct redactor *redactor = NULL;
        struct err err = { 0 };
        BUF_AUTO got;

        (void)unused;
        buf_init(&got, SIZE_MAX);
        memset(value, 'a', sizeof(value));
        value[REDACT_BYTES_MAX - 1] = 'b';
        memset(text, 'a', sizeof(text));
        text[sizeof(text) - 2] = 'b';
        assert_int_equal(redactor_new(secrets, 2, NULL, &redactor, &err), 0);
        assert_int_equal(feed_all(redactor, str_from(text, sizeof(text)), 60000, &got).redactions, 1);
        assert_int_equal(got.len, REDACT_BYTES_MAX - 1 + strlen("[redacted A]") + 1);
        redactor_leave(redactor);
        secrets[1].value = STR("x");
        assert_int_equal(redactor_new(secrets, 2, NULL, &redactor, &err), -1);
        assert_int_equal(err.code, ERR_TOO_COMPLEX);
}

/* ---- the environment ---- */

static const struct redact_secret *find_value(const struct redact_secret_list *list, struct str value) {
        for (size_t i = 0; i < list->count; i++)
                if (str_eq(list->items[i].value, value))
                        return &list->items[i];
        return NULL;
}

static void assert_secret(const struct redact_secret_list *list, struct str value, struct str name) {
        const struct redact_secret *secret = find_value(list, value);

        assert_non_null(secret);
        assert_str_equal(secret->name, name);
}

static void environment(void **unused) {
        static const char *const env[] = {
                "PATH=/usr/bin:/bin",
                "GITHUB_TOKEN=ghp_0123456789",
                "DB_PASSWORD=a b/\"c\"\nd",
                "API_TOKEN=short",
                "OPENAI_API_KEY=passed-on",
                "NPM_TOKEN=of-the-user",
                "=odd",
                "noequals",
                NULL,
        };
        struct str passed = STR("OPENAI_API_KEY");
        struct env_pair set = { STR("NPM_TOKEN"), STR("of the config") };
        struct env_policy policy = { .pass_secret = { &passed, 1 }, .set = { &set, 1 } };
        struct redact_secret_list list = { 0 };
        ARENA_AUTO arena;

        (void)unused;
        arena_init(&arena, 0);
        assert_int_equal(redact_collect_env(&policy, env, &arena, &list, NULL), 0);
        assert_int_equal(list.count, 5);
        assert_secret(&list, STR("of-the-user"), STR("NPM_TOKEN"));
        assert_false(list.cut);
        assert_secret(&list, STR("ghp_0123456789"), STR("GITHUB_TOKEN"));
        assert_secret(&list, STR("a b/\"c\"\nd"), STR("DB_PASSWORD"));
        assert_secret(&list, STR("a%20b%2F%22c%22%0Ad"), STR("DB_PASSWORD"));
        assert_secret(&list, STR("a b/\\\"c\\\"\\nd"), STR("DB_PASSWORD"));
}

/* ---- files ---- */

static char home[PATH_MAX];

static const char *in_home(const char *name) {
        static char path[PATH_MAX + 64];

        snprintf(path, sizeof(path), "%s/%s", home, name);
        return path;
}

static void write_file(const char *name, struct str content) {
        FD_AUTO fd = open(in_home(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        assert_true(fd >= 0);
        assert_int_equal(fd_write_all(fd, content, NULL), 0);
}

static int make_home(void **unused) {
        (void)unused;
        snprintf(home, sizeof(home), "/tmp/test-redact-XXXXXX");
        return mkdtemp(home) ? 0 : -1;
}

static int remove_home(void **unused) {
        char command[PATH_MAX + 16];

        (void)unused;
        snprintf(command, sizeof(command), "rm -rf '%s'", home);
        return system(command); /* NOLINT: the path is our own */
}

static void collect(struct arena *arena, const char *name, struct redact_secret_list *list) {
        const char *paths[] = { in_home(name), NULL };

        *list = (struct redact_secret_list){ 0 };
        assert_int_equal(redact_collect_files(paths, home, arena, list, NULL), 0);
}

/* Or is it what it looks like in a URL or in JSON? */
static bool is_form_of_any(struct str value, const struct str values[static 4]) {
        for (size_t i = 0; i < 4 && values[i].len; i++)
                if (str_eq(value, values[i]) || str_find(value, '%') < value.len || str_find(value, '\\') < value.len)
                        return true;
        return false;
}

static void tokens(void **unused) {
        static const struct {
                struct str content, token; /* empty: there is none */
        } rows[] = {
                { STR("machine x login y password 4f9dKq81mZpW02hT"), STR("4f9dKq81mZpW02hT") },
                { STR("aws_access_key_id=AKIAIOSFODNN7EXAMPLE\n"), STR("AKIAIOSFODNN7EXAMPLE") },
                { STR("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"),
                  STR("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY") },
                { STR("https://me:ghp_16C7e42F292c6912E7710c838347Ae178B4a@github.com"),
                  STR("ghp_16C7e42F292c6912E7710c838347Ae178B4a") },
                { STR("{\"auth\": \"dXNlcjpwYXNzd29yZDEyMw==\"}"), STR("dXNlcjpwYXNzd29yZDEyMw==") },
                { STR("password=correcthorsebattery1"), STR("correcthorsebattery1") },
                { STR("123e4567-e89b-12d3-a456-426614174000"), STR("123e4567-e89b-12d3-a456-426614174000") },
                { STR("...4f9dKq81mZpW02hT."), STR("4f9dKq81mZpW02hT") },
                { STR("4f9dKq81mZpW02h"), STR("") },
                { STR("onlylettersinthisone"), STR("") },
                { STR("1234567890123456789"), STR("") },
                { STR("/usr/lib/python3.11/site-packages"), STR("") },
                { STR("https://index.docker.io/v1/"), STR("") },
                { STR("ec2-12-34-56-78.compute-1.amazonaws.com"), STR("") },
                { STR("x86_64-linux-gnu"), STR("") },
                { STR("-----BEGIN OPENSSH PRIVATE KEY-----"), STR("") },
        };
        struct redact_secret_list list;
        ARENA_AUTO arena;

        (void)unused;
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                write_file("file", rows[i].content);
                collect(&arena, "file", &list);
                for (size_t n = 0; n < list.count; n++)
                        assert_true(is_form_of_any(list.items[n].value, (struct str[4]){ rows[i].token }));
                if (rows[i].token.len)
                        assert_secret(&list, rows[i].token, STR("~/file"));
        }
}

/* What the format of a file says is secret is so, however it looks, and nothing else there is. */
static void known_formats(void **unused) {
        static const struct {
                struct str content;
                struct str values[4]; /* all of them */
        } rows[] = {
                { STR("machine example.com login mary-ann password hunter2x9!kQ\n"), { STR("hunter2x9!kQ") } },
                { STR("# mine\nmachine example.com\n\tlogin password\n\tpassword correcthorsebatterystaple\n"),
                  { STR("correcthorsebatterystaple") } },
                { STR("default login anonymous passwd \"two words\""), { STR("two words") } },
                { STR("machine a macdef init\npassword notasecret\n\nmachine b password onesecret"), { STR("onesecret") } },
                { STR("tell the password carefully to the machine"), {} },
                { STR("machine example.com login me password short"), {} },
                { STR("# a comment\ndb.example.com:5432:orders:app_reader:S3cretPw99\n"), { STR("S3cretPw99") } },
                { STR("*:*:*:app_reader:with\\:colon\\\\s\n"), { STR("with\\:colon\\\\s"), STR("with:colon\\s") } },
                { STR("localhost:5432:postgres:postgres:postgres\n"), {} },
                { STR("daemon:*:19000:0:99999:7:::\nadm:*::syslogsyslog\n"), {} },
                { STR("https://mary-ann:p%40ssw0rd!@git.example.com\n"), { STR("p%40ssw0rd!"), STR("p@ssw0rd!") } },
                { STR("https://mary-ann@git.example.com/path:with@odd\nssh://git.example.com:22222/x@y"), {} },
                { STR("//registry.npmjs.org/:_authToken=lettersonly\nregistry=https://registry.example.com/\n"),
                  { STR("lettersonly") } },
                { STR("//npm.example.com/:_password=\"bGV0bWVpbg==\"\nusername=mary-ann\nemail=mary@example.com"),
                  { STR("bGV0bWVpbg==") } },
                { STR("_authToken=${NPM_TOKEN}\n"), {} },
                { STR("{\"auths\":{\"https://index.docker.io/v1/"
                      "\":{\"auth\":\"bWU6aGk9PQ==\"}},\"credsStore\":\"secretservice\"}"),
                  { STR("bWU6aGk9PQ==") } },
                { STR("[default]\naws_secret_access_key = onlyletters\nregion = eu-central-1\nrole_arn = arn:aws:iam::role/x"),
                  { STR("onlyletters") } },
                { STR("users:\n- name: cluster-admin\n  user:\n    password: my long one   # really\n    tokenFile: "
                      "/run/tokens/it\n"),
                  { STR("my long one") } },
                { STR("{\"token_uri\": \"https://oauth2.example.com/token\", \"client_secret\": \"a\\\"b\\u0026cdef\"}"),
                  { STR("a\\\"b\\u0026cdef"), STR("a\"b&cdef") } },
                { STR("token = {\"access_token\":\"abcd.efgh\",\"token_type\":\"BearerBearer\"}"), { STR("abcd.efgh") } },
                { STR("export DB_PASSWORD=hunter2x9 && ./run\nbypass = 10.20.30.40\nsmtpPass: abcdefgh;\n"),
                  { STR("hunter2x9 && ./run"), STR("hunter2x9"), STR("abcdefgh;"), STR("abcdefgh") } },
                { STR("deploy ALL=(root) NOPASSWD: RESTART_SERVICES\ntoken: ~/.tokens/that\n"), {} },
                { STR("password ="), {} },
                { STR("\"password\":\"\\\\"), {} },
                { STR("://:@ ://a:"), {} },
        };
        struct redact_secret_list list;
        ARENA_AUTO arena;

        (void)unused;
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                write_file("file", rows[i].content);
                collect(&arena, "file", &list);
                for (size_t n = 0; n < 4 && rows[i].values[n].len; n++)
                        assert_secret(&list, rows[i].values[n], STR("~/file"));
                for (size_t n = 0; n < list.count; n++)
                        if (!is_form_of_any(list.items[n].value, rows[i].values))
                                fail_msg("row %zu: %.*s", i, (int)list.items[n].value.len, list.items[n].value.ptr);
                assert_int_equal(list.cut, 0);
        }
}

/* A key inside of JSON, of which any line may be printed. */
static void key_in_json(void **unused) {
        struct redact_secret_list list;
        ARENA_AUTO arena;

        (void)unused;
        arena_init(&arena, 0);
        write_file("file",
                   STR("{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkq4hki\\nG9w0BAQEFAASCBKcw5\\n\"}"));
        collect(&arena, "file", &list);
        assert_secret(&list, STR("MIIEvQIBADANBgkq4hki"), STR("~/file"));
        assert_secret(&list, STR("G9w0BAQEFAASCBKcw5"), STR("~/file"));
}

/* However a file is built, reading it takes no longer than its length allows. */
static void odd_files(void **unused) {
        static const struct str pieces[] = { STR("token:"), STR("token:\""), STR("token='"), STR("machine "),  STR("://a:"),
                                             STR("a:"),     STR("\\"),       STR("\0="),     STR("password "), STR(" ") };
        struct redact_secret_list list;
        ARENA_AUTO arena;

        (void)unused;
        arena_init(&arena, 0);
        for (size_t i = 0; i < 40; i++) {
                BUF_AUTO text;

                buf_init(&text, SIZE_MAX);
                while (text.len < REDACT_FILE_MAX - 16)
                        buf_append(&text, pieces[i < 10 ? i : any(10)]);
                write_file("file", buf_str(&text));
                collect(&arena, "file", &list);
                arena_reset(&arena);
        }
}

static void stores(void **unused) {
        struct redact_secret_list list;
        ARENA_AUTO arena;

        (void)unused;
        arena_init(&arena, 0);
        write_file("outside", STR("outside0outside1outside2"));
        assert_int_equal(mkdir(in_home("store"), 0700), 0);
        assert_int_equal(mkdir(in_home("store/deep"), 0700), 0);
        write_file("store/id_rsa", STR("aaaaaaaa0aaaaaaaa1\nbbbbbbbb0bbbbbbbb1\n"));
        write_file("store/id_rsa.pub", STR("cccccccc0cccccccc1\n"));
        write_file("store/deep/token", STR("dddddddd0dddddddd1\n"));
        assert_int_equal(symlink("../outside", in_home("store/link")), 0);
        assert_int_equal(symlink("..", in_home("store/up")), 0);
        assert_int_equal(mkfifo(in_home("store/fifo"), 0600), 0);
        assert_int_equal(symlink("store", in_home("way")), 0);
        collect(&arena, "store", &list);
        assert_int_equal(list.count, 3);
        assert_false(list.cut);
        assert_secret(&list, STR("aaaaaaaa0aaaaaaaa1"), STR("~/store/id_rsa"));
        assert_secret(&list, STR("bbbbbbbb0bbbbbbbb1"), STR("~/store/id_rsa"));
        assert_secret(&list, STR("dddddddd0dddddddd1"), STR("~/store/deep/token"));
        collect(&arena, "way", &list);
        assert_int_equal(list.count, 3);
        collect(&arena, "store/fifo", &list);
        assert_int_equal(list.count, 0);
        collect(&arena, "not there", &list);
        assert_int_equal(list.count, 0);
}

static void bounds(void **unused) {
        struct redact_secret_list list;
        ARENA_AUTO arena;
        BUF_AUTO text;

        (void)unused;
        arena_init(&arena, 0);
        buf_init(&text, SIZE_MAX);
        for (int i = 0; i < REDACT_STORE_TOKENS + 1; i++)
                buf_format(&text, "abcdefghijklm%04d\n", i);
        write_file("many", str_take(buf_str(&text), (size_t)REDACT_STORE_TOKENS * 18));
        collect(&arena, "many", &list);
        assert_int_equal(list.count, REDACT_STORE_TOKENS);
        assert_false(list.cut);
        write_file("many", buf_str(&text));
        collect(&arena, "many", &list);
        assert_int_equal(list.count, REDACT_STORE_TOKENS);
        assert_int_equal(list.cut, 1);
        assert_str_equal(list.cut_at, STR("~/many"));
}

static void of_a_long_file_the_beginning(void **unused) {
        struct redact_secret_list list;
        ARENA_AUTO arena;
        BUF_AUTO text;

        (void)unused;
        arena_init(&arena, 0);
        buf_init(&text, SIZE_MAX);
        buf_append(&text, STR("machine example.com login me password hunter2x9!kQ\n"));
        while (text.len < REDACT_FILE_MAX)
                buf_char(&text, '\n');
        write_file("long", buf_str(&text));
        collect(&arena, "long", &list);
        assert_secret(&list, STR("hunter2x9!kQ"), STR("~/long"));
        assert_int_equal(list.cut, 0);
        buf_append(&text, STR("machine example.org login me password never-seen\n"));
        write_file("long", buf_str(&text));
        collect(&arena, "long", &list);
        assert_secret(&list, STR("hunter2x9!kQ"), STR("~/long"));
        assert_null(find_value(&list, STR("never-seen")));
        assert_int_equal(list.cut, 1);
        assert_str_equal(list.cut_at, STR("~/long"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_it_says),
                cmocka_unit_test(nothing_to_find_costs_nothing),
                cmocka_unit_test(random_streams),
                cmocka_unit_test(too_many_spans),
                cmocka_unit_test(large_secrets),
                cmocka_unit_test(environment),
                cmocka_unit_test_setup_teardown(tokens, make_home, remove_home),
                cmocka_unit_test_setup_teardown(known_formats, make_home, remove_home),
                cmocka_unit_test_setup_teardown(key_in_json, make_home, remove_home),
                cmocka_unit_test_setup_teardown(odd_files, make_home, remove_home),
                cmocka_unit_test_setup_teardown(stores, make_home, remove_home),
                cmocka_unit_test_setup_teardown(bounds, make_home, remove_home),
                cmocka_unit_test_setup_teardown(of_a_long_file_the_beginning, make_home, remove_home),
        };

        return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
