/*
 * Names of containers tell whose they are, and so which of them nobody looks after.
 */
#include "tests/test.h"

#include <string.h>
#include <unistd.h>

#include "sandbox/container/container_name.h"

enum { HOUR = 3600, DAY = 24 * HOUR };

static struct container_owner here(void) {
        struct container_owner owner;

        assert_int_equal(container_owner_here(&owner, NULL), 0);
        return owner;
}

static void a_name_tells_its_owner(void **state) {
        struct container_owner owner = here(), read;
        char name[CONTAINER_NAME_SIZE], other[CONTAINER_NAME_SIZE];

        (void)state;
        assert_int_equal(container_name_new(&owner, name, NULL), 0);
        assert_int_equal(container_name_new(&owner, other, NULL), 0);
        assert_string_not_equal(name, other);
        assert_true(container_name_read(str_z(name), &read));
        assert_string_equal(read.host, owner.host);
        assert_true(read.pid == getpid() && read.start == owner.start && read.time == owner.time);
        assert_false(container_name_read(STR("bailey-of-somebody"), &read));
}

static void the_living_are_left_alone(void **state) {
        struct container_owner me = here(), owner = me;

        (void)state;
        owner.time -= 30L * DAY;
        assert_false(container_abandoned(&owner, true, &me));
        assert_false(container_abandoned(&owner, false, &me));
        owner.start++; /* its number is that of another process by now */
        assert_true(container_abandoned(&owner, true, &me));
}

/* Of another pid namespace nobody knows whether its process is there. */
static void strangers_are_told_by_their_age(void **state) {
        struct container_owner me = here(), owner = me;

        (void)state;
        memset(owner.host, '0', sizeof(owner.host) - 1);
        owner.time = me.time - HOUR / 2;
        assert_false(container_abandoned(&owner, false, &me));
        owner.time = me.time - 2L * HOUR;
        assert_true(container_abandoned(&owner, false, &me));
        assert_false(container_abandoned(&owner, true, &me));
        owner.time = me.time - 2L * DAY;
        assert_true(container_abandoned(&owner, true, &me));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_name_tells_its_owner),
                cmocka_unit_test(the_living_are_left_alone),
                cmocka_unit_test(strangers_are_told_by_their_age),
        };

        return cmocka_run_group_tests_name("container names", tests, NULL, NULL);
}
