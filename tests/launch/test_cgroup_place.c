#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/cgroup_place.h"

enum { LONG = 2000, MANY = 20000 };

static int file_of(const char *text, size_t len) {
        int fd = memfd_create("text", MFD_CLOEXEC);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, len), len);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        return fd;
}

static struct cgroup_places parse(const char *own, const char *mounts) {
        FD_AUTO own_fd = file_of(own, strlen(own));
        FD_AUTO mounts_fd = file_of(mounts, strlen(mounts));
        struct cgroup_places places;

        memset(&places, 0x55, sizeof(places));
        cgroup_places_read(own_fd, mounts_fd, &places);
        return places;
}

#define ROOT_MOUNT "23 1 8:1 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"

static const struct {
        const char *what, *own, *mounts;
        const char *memory, *pids; /* our own directory; "": none */
        const char *unified[4];    /* where to try, in order */
} cases[] = {
        {
                .what = "v1",
                .own = "9:name=systemd:/\n8:pids:/user.slice\n4:memory:/a/b\n1:cpu,cpuacct:/\n",
                .mounts = ROOT_MOUNT "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
                                     "36 31 0:33 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                                     "39 31 0:36 / /sys/fs/cgroup/pids rw,nosuid shared:9 master:2 - cgroup cgroup rw,pids\n",
                .memory = "/sys/fs/cgroup/memory/a/b",
                .pids = "/sys/fs/cgroup/pids/user.slice",
        },
        {
                .what = "hybrid: systemd with v1 controllers and an empty v2",
                .own = "5:pids:/s\n4:memory:/s\n1:name=systemd:/s\n0::/s\n",
                .mounts = "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
                          "32 31 0:29 / /sys/fs/cgroup/unified rw shared:5 - cgroup2 cgroup2 rw,nsdelegate\n"
                          "33 31 0:30 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
                          "34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                          "35 31 0:32 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n",
                .memory = "/sys/fs/cgroup/memory/s",
                .pids = "/sys/fs/cgroup/pids/s",
                .unified = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/s" },
        },
        {
                .what = "v2, a terminal in a systemd user session",
                .own = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope\n",
                .mounts = ROOT_MOUNT
                "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n",
                .unified = { "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice",
                             "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope",
                             "/sys/fs/cgroup" },
        },
        {
                .what = "v2, the root",
                .own = "0::/\n",
                .mounts = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2  rw\n", /* no source */
                .unified = { "/sys/fs/cgroup" },
        },
        {
                .what = "v1 in a container without a cgroup namespace: the mount shows its part only",
                .own = "4:memory:/docker/0af1\n3:pids:/docker/0af1/x\n",
                .mounts = "35 31 0:32 /docker/0af1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                          "36 31 0:33 /docker/0af1 /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n",
                .memory = "/sys/fs/cgroup/memory",
                .pids = "/sys/fs/cgroup/pids/x",
        },
        {
                .what = "a root that only looks like a parent",
                .own = "4:memory:/docker/0af1\n",
                .mounts = "35 31 0:32 /docker/0a /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
        },
        {
                .what = "v2 in a container with a cgroup namespace, mounted read-only",
                .own = "0::/\n",
                .mounts = "30 23 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n",
        },
        {
                .what = "the second of two mounts is the writable one",
                .own = "0::/a\n",
                .mounts = "30 23 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
                          "31 23 0:26 / /mnt rw - cgroup2 cgroup rw\n"
                          "32 23 0:26 / /mnt2 rw - cgroup2 cgroup rw\n",
                .unified = { "/mnt", "/mnt/a" },
        },
        {
                .what = "our cgroup is outside of our cgroup namespace",
                .own = "0::/../other\n",
                .mounts = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
        },
        {
                .what = "the mount comes from outside of our cgroup namespace",
                .own = "0::/a\n",
                .mounts = "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
        },
        {
                .what = "escapes in mountinfo, none in cgroup; colons and backslashes",
                .own = "4:memory:/my slice/a\\x2db:c\n0::/d\\040e\n",
                .mounts = "35 31 0:32 /my\\040slice /c\\040\\134groups/m\\011 rw - cgroup c\\040g rw,memory\n"
                          "30 23 0:26 / /c\\04 rw - cgroup2 cgroup rw\n",
                .memory = "/c \\groups/m\t/a\\x2db:c",
                .unified = { "/c\\04", "/c\\04/d\\040e" },
        },
        {
                .what = "memory and pids mounted together",
                .own = "4:memory,pids:/a\n",
                .mounts = "35 31 0:32 / /cg rw - cgroup cgroup rw,memory,pids\n",
                .memory = "/cg/a",
                .pids = "/cg/a",
        },
        {
                .what = "words that only contain the names",
                .own = "4:memory2:/a\n5:xpids:/b\n6:name=memory:/c\n1::/d\n",
                .mounts = "35 31 0:32 / /cg rw - cgroup cgroup rw,memory,pids\n36 31 0:33 / /u rw - cgroup2 none rw\n",
        },
        {
                .what = "nothing and nonsense",
                .own = "\n:\n::\n0\n0:\n0::\n0::relative\n4:memory:/a",
                .mounts = "\n \n      \n- cgroup2\n1 2 3 / /x rw cgroup2 cgroup rw\n1 2 3 / /y rw - cgroup2\n1 2 3 z / rw - "
                          "cgroup2 - rw",
        },
};

static void places_are_found(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct cgroup_places places = parse(cases[i].own, cases[i].mounts);
                const char *memory = cases[i].memory ? cases[i].memory : "", *pids = cases[i].pids ? cases[i].pids : "";
                char dir[CGROUP_PATH_SIZE];
                size_t n = 0;

                print_message("# %s\n", cases[i].what);
                assert_string_equal(places.at[CGROUP_AT_MEMORY].own, memory);
                assert_string_equal(places.at[CGROUP_AT_PIDS].own, pids);
                for (; cgroup_place_parent(&places.at[CGROUP_AT_UNIFIED], true, n, dir); n++) {
                        assert_non_null(cases[i].unified[n]);
                        assert_string_equal(dir, cases[i].unified[n]);
                }
                assert_null(cases[i].unified[n]);
                assert_int_equal(cgroup_place_parent(&places.at[CGROUP_AT_MEMORY], false, 0, dir), *memory != '\0');
                assert_false(cgroup_place_parent(&places.at[CGROUP_AT_MEMORY], false, 1, dir));
        }
}

static void listed_without_a_mount(void **state) {
        struct cgroup_places places = parse("4:memory:/a\n0::/\n", ROOT_MOUNT);

        (void)state;
        assert_true(places.at[CGROUP_AT_MEMORY].listed);
        assert_false(places.at[CGROUP_AT_PIDS].listed);
        assert_true(places.at[CGROUP_AT_UNIFIED].listed);
        assert_string_equal(places.at[CGROUP_AT_MEMORY].own, "");
}

/* A path, mount point or line that is too long counts as not there, and what follows is read as before. */
static void long_ones_are_skipped(void **state) {
        char text[4 * LONG + LONG * 8], path[LONG];
        struct cgroup_places places;

        (void)state;
        memset(path, 'x', sizeof(path) - 1);
        path[sizeof(path) - 1] = '\0';
        snprintf(text, sizeof(text), "4:memory:/%s\n5:pids:/%.*s\n", path, CGROUP_PATH_SIZE - 2, path);
        places = parse(text, "1 2 3 / /m rw - cgroup c rw,memory\n1 2 3 / /p rw - cgroup c rw,pids\n");
        assert_true(places.at[CGROUP_AT_MEMORY].listed);
        assert_string_equal(places.at[CGROUP_AT_MEMORY].own, "");
        assert_true(places.at[CGROUP_AT_PIDS].listed);
        assert_string_equal(places.at[CGROUP_AT_PIDS].own, ""); /* with the mount in front it no longer fits */

        snprintf(text, sizeof(text),
                 "1 2 3 / /%s%s%s%s%s%s%s%s rw - cgroup2 c rw\n1 2 3 / /%s rw - cgroup2 c rw\n1 2 3 / /m rw - cgroup2 c rw\n",
                 path, path, path, path, path, path, path, path, path);
        assert_string_equal(parse("0::/a\n", text).at[CGROUP_AT_UNIFIED].own, "/m/a");
}

/* Lines come in pieces of whatever read() returns. */
static void among_many_mounts(void **state) {
        static const char last[] = "1 2 3 / /m rw - cgroup2 c rw\n";
        static char line[] = "1 2 3 / /mnt/some\\040where rw,relatime shared:1 - overlay overlay rw,lowerdir=/a:/b\n";
        size_t len = strlen(line), size = len * MANY;
        char *text = malloc(size + sizeof(last));

        (void)state;
        assert_non_null(text);
        for (size_t i = 0; i < MANY; i++)
                memcpy(text + i * len, line, len);
        memcpy(text + size, last, sizeof(last));
        assert_string_equal(parse("0::/a\n", text).at[CGROUP_AT_UNIFIED].own, "/m/a");
        free(text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(places_are_found),
                cmocka_unit_test(listed_without_a_mount),
                cmocka_unit_test(long_ones_are_skipped),
                cmocka_unit_test(among_many_mounts),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
