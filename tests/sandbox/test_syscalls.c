/*
 * The table of system calls, held against the kernel's header and libseccomp.
 */
#include <ctype.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "tests/sandbox/seccomp_test.h"

static const uint32_t arch_libseccomp[] = { SCMP_ARCH_X86_64, SCMP_ARCH_AARCH64 };

static void test_table_is_sorted_and_unique(void **state) {
        bool taken[ARCHES][SYSCALL_NUMBER_LIMIT] = { 0 };

        (void)state;
        for (size_t i = 0; i < syscall_count; i++) {
                const struct syscall_row *row = &syscall_table[i];

                if (i)
                        assert_true(strcmp(syscall_table[i - 1].name, row->name) < 0);
                assert_true(row->number[0] >= 0 || row->number[1] >= 0);
                for (size_t arch = 0; arch < ARCHES; arch++) {
                        if (row->number[arch] < 0)
                                continue;
                        assert_true(row->number[arch] < SYSCALL_NUMBER_LIMIT);
                        assert_false(taken[arch][row->number[arch]]);
                        taken[arch][row->number[arch]] = true;
                }
        }
}

/* A name that the header does not know stays a name. */
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)
#define SYSCALL(name, x86_64, aarch64, group, action) TEXT_OF(__NR_##name),
static const char *const host_numbers[] = {
#include "sandbox/syscalls.def"
};

static void test_numbers_are_those_of_the_host(void **state) {
        size_t known = 0;

        (void)state;
        if (SECCOMP_ARCH_HERE >= ARCHES)
                skip();
        assert_int_equal(COUNT(host_numbers), syscall_count);
        for (size_t i = 0; i < syscall_count; i++) {
                if (!isdigit((unsigned char)*host_numbers[i]))
                        continue;
                known++;
                if (find_row(SECCOMP_ARCH_HERE, (uint32_t)strtoul(host_numbers[i], NULL, 10)) != &syscall_table[i])
                        fail_msg("%s is %s", syscall_table[i].name, host_numbers[i]);
        }
        assert_true(known > 280);
}

static void test_numbers_are_those_of_libseccomp(void **state) {
        (void)state;
        for (size_t i = 0; i < syscall_count; i++)
                for (size_t arch = 0; arch < ARCHES; arch++) {
                        int number = syscall_table[i].number[arch];
                        int theirs = seccomp_syscall_resolve_name_arch(arch_libseccomp[arch], syscall_table[i].name);

                        if (theirs == __NR_SCMP_ERROR) /* younger than that library */
                                continue;
                        if (theirs != number && (theirs >= 0 || number >= 0)) /* theirs is < -1 for "not on this one" */
                                fail_msg("%s on %zu is %d", syscall_table[i].name, arch, theirs);
                }
}

/* Up to what the table was written for; later ones are "unknown" on purpose. */
static void test_table_is_complete(void **state) {
        (void)state;
        for (enum seccomp_arch arch = 0; arch < ARCHES; arch++)
                for (int number = 0; number < 470; number++) {
                        char *name = seccomp_syscall_resolve_num_arch(arch_libseccomp[arch], number);

                        if (name && !find_row(arch, (uint32_t)number))
                                fail_msg("%s is missing", name);
                        free(name);
                }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_table_is_sorted_and_unique),
                cmocka_unit_test(test_numbers_are_those_of_the_host),
                cmocka_unit_test(test_numbers_are_those_of_libseccomp),
                cmocka_unit_test(test_table_is_complete),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
