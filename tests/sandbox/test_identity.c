/*
 * Which ids commands of root get, and which directories they could not search.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/host_parts.h"
#include "sandbox/launch.h"

#define ALL "         0          0 4294967295\n"

enum { FIRST = 1999962112, SIZE = 65536, COUNT = 64 };

static int64_t choose(struct id_files files) {
        for (int i = 0; i < 2; i++) {
                files.accounts[i] = files.accounts[i] ? files.accounts[i] : "";
                files.delegated[i] = files.delegated[i] ? files.delegated[i] : "";
                files.namespaces[i] = files.namespaces[i] ? files.namespaces[i] : ALL;
        }
        return host_choose_ids(&files);
}

static void what_is_in_use_is_not_taken(void **state) {
        (void)state;
        assert_int_equal(choose((struct id_files){}), FIRST);
        assert_int_equal(
                choose((struct id_files){ .accounts = { "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:\n" } }), FIRST);
        assert_int_equal(choose((struct id_files){ .accounts = { "a:x:1999962112:1::/:\n" } }), FIRST + SIZE);
        assert_int_equal(choose((struct id_files){ .accounts = { "a:x:2000027647:1::/:" } }), FIRST + SIZE);
        assert_int_equal(choose((struct id_files){ .accounts = { "a:x:2000027648:1::/:" } }), FIRST);
        assert_int_equal(choose((struct id_files){ .accounts = { "", "g:x:2000027648:\nh:x:1999962113:a,b\n" } }),
                         FIRST + 2 * SIZE);
        assert_int_equal(choose((struct id_files){ .delegated = { "ann:100000:65536\n" } }), FIRST);
        assert_int_equal(choose((struct id_files){ .delegated = { "", "ann:1999900000:100000\n" } }), FIRST + SIZE);
        assert_int_equal(choose((struct id_files){ .delegated = { "ann:1:4294967295\n" } }), 0);
        assert_int_equal(choose((struct id_files){ .delegated = { "ann:1999962112:0\nno line\n:::\n" } }), FIRST);
}

static void a_namespace_has_to_have_them(void **state) {
        (void)state;
        assert_int_equal(choose((struct id_files){ .namespaces = { "0 100000 65536\n" } }), -1);
        assert_int_equal(choose((struct id_files){ .namespaces = { ALL, "0 0 1\n" } }), -1);
        assert_int_equal(choose((struct id_files){ .namespaces = { "0 0 2000000000\n" } }), -1);
        assert_int_equal(choose((struct id_files){ .namespaces = { "0 0 65536\n2000027648 5 65536\n" } }), FIRST + SIZE);
        assert_int_equal(FIRST % SIZE, 0);
        assert_true(FIRST + (int64_t)COUNT * SIZE < 0x7ffe0000);
        assert_int_equal(SIZE, LAUNCH_ID_COUNT);
}

static void directories_that_others_cannot_search(void **state) {
        char root[] = "/tmp/bailey-closed.XXXXXX", path[4][128];
        struct host_path read[3];
        struct host host = { .id_base = FIRST, .workspace = path[0], .read = { read, 2, 2 } };
        struct err err = {};
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_non_null(mkdtemp(root)); /* 0700 */
        snprintf(path[0], sizeof(path[0]), "%s/open/closed/ws", root);
        snprintf(path[1], sizeof(path[1]), "%s/open/closed/other", root);
        snprintf(path[2], sizeof(path[2]), "%s/missing/file", root);
        read[0] = (struct host_path){ .path = path[1] };
        read[1] = (struct host_path){ .path = path[2] };
        snprintf(path[3], sizeof(path[3]), "%s/open", root);
        assert_int_equal(mkdir(path[3], 0711), 0);
        snprintf(path[3], sizeof(path[3]), "%s/open/closed", root);
        assert_int_equal(mkdir(path[3], 0750), 0);
        assert_int_equal(host_gather_closed(&host, &arena, &err), 0);
        assert_int_equal(host.closed.count, 2);
        assert_string_equal(host.closed.items[0].path, root);
        assert_string_equal(host.closed.items[1].path, path[3]);
        host.id_base = 0;
        assert_int_equal(host_gather_closed(&host, &arena, &err), 0);
        assert_int_equal(host.closed.count, 0);
        rmdir(path[3]);
        snprintf(path[3], sizeof(path[3]), "%s/open", root);
        rmdir(path[3]);
        rmdir(root);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_in_use_is_not_taken),
                cmocka_unit_test(a_namespace_has_to_have_them),
                cmocka_unit_test(directories_that_others_cannot_search),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
