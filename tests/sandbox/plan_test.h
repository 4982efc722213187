/*
 * For suites of golden plans: hosts made up in a few words, and the comparison with tests/sandbox/plans/NAME.txt.
 * BAILEY_UPDATE=1 writes these anew.
 */
#ifndef BAILEY_TESTS_PLAN_TEST_H
#define BAILEY_TESTS_PLAN_TEST_H

#include "tests/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fd.h"
#include "policy/load.h"
#include "sandbox/backend.h"

#define PATHS(...)                                                                              \
        {                                                                                       \
                .items = (struct host_path[]){ __VA_ARGS__ },                                   \
                .count = sizeof((struct host_path[]){ __VA_ARGS__ }) / sizeof(struct host_path) \
        }
#define DIR(at) \
        { .path = (at), .directory = true }
#define FILE_AT(at) \
        { .path = (at) }
#define SOCKET(at) \
        { .path = (at), .socket = true }
#define PROTECTED(...)                                                                                    \
        {                                                                                                 \
                .items = (struct protected_path[]){ __VA_ARGS__ },                                        \
                .count = sizeof((struct protected_path[]){ __VA_ARGS__ }) / sizeof(struct protected_path) \
        }

static inline void plan_compare(const char *name, const struct buf *is) {
        char path[128];
        struct err err;
        BUF_AUTO should;

        buf_init(&should, 1 << 20);
        snprintf(path, sizeof(path), "tests/sandbox/plans/%s.txt", name);
        if (getenv("BAILEY_UPDATE")) {
                FD_AUTO fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

                assert_int_equal(fd_write_all(fd, buf_str(is), &err), 0);
                return;
        }
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fd_read_all(fd, &should, &err) < 0)
                fail_msg("%s cannot be read", path);
        if (!str_eq(buf_str(is), buf_str(&should)))
                fail_msg("%s is not what is planned:\n%.*s", path, (int)is->len, is->ptr);
}

#endif
