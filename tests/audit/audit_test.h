/*
 * A record in a directory of its own, for the suites of audit/.
 */
#ifndef BAILEY_TESTS_AUDIT_TEST_H
#define BAILEY_TESTS_AUDIT_TEST_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audit/audit.h"
#include "audit/verify.h"
#include "base/fd.h"
#include "base/id.h"
#include "tests/test.h"

struct scene {
        char directory[64], path[96];
        struct audit_policy policy;
        struct audit *audit;
};

static inline struct audit *scene_audit(const struct scene *scene) {
        struct audit *audit = NULL;
        struct err err = {};

        if (audit_open(&scene->policy, NULL, &audit, &err) < 0)
                fail_msg("%s", err.msg);
        return audit;
}

static inline void scene_begin(struct scene *scene) {
        *scene = (struct scene){ .directory = "/tmp/audit_test.XXXXXX" };
        assert_non_null(mkdtemp(scene->directory));
        snprintf(scene->path, sizeof(scene->path), "%s/deep/audit.jsonl", scene->directory);
        scene->policy = (struct audit_policy){
                .enabled = true, .required = true, .ring_size = 8, .rotate_bytes = 64 << 20, .rotate_keep = 4
        };
        scene->policy.path = str_z(scene->path);
        scene->audit = scene_audit(scene);
}

static inline void scene_end(struct scene *scene) {
        char command[128];

        audit_close(scene->audit);
        snprintf(command, sizeof(command), "rm -rf %s", scene->directory);
        assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the path is our own */
}

static inline int try_write(struct audit *audit, const char *command, struct err *err) {
        char id[ID_SIZE];
        struct audit_record record = {
                .kind = AUDIT_TESTED, .id = id, .command = str_z(command), .policy = STR("default"), .action = "allowed"
        };

        assert_int_equal(id_new(id, err), 0);
        return audit_write(audit, &record, err);
}

static inline void must_write(struct audit *audit, const char *command) {
        struct err err = {};

        if (try_write(audit, command, &err) < 0)
                fail_msg("%s", err.msg);
}

static inline struct audit_check scene_verify(const struct scene *scene) {
        struct audit_reader reader;
        struct audit_check check = {};
        struct err err = {};

        if (audit_reader_open(scene->path, &reader, &err) < 0 ||
            audit_verify(&reader, scene->policy.rotate_keep, &check, &err) < 0)
                fail_msg("%s", err.msg);
        audit_reader_close(&reader);
        return check;
}

static inline void must_be_whole(const struct scene *scene, uint64_t records) {
        struct audit_check check = scene_verify(scene);

        if (check.problem)
                fail_msg("line %d of file %d: %s", (int)check.line, check.number, check.problem);
        assert_false(check.torn);
        if (records)
                assert_int_equal(check.records, records);
}

static inline void slurp(const char *path, struct buf *ret) {
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);

        buf_init(ret, 64 << 20);
        assert_true(fd >= 0);
        assert_int_equal(fd_read_all(fd, ret, NULL), 0);
}

/* In place of whatever was there. */
static inline void spill(const char *path, struct str text) {
        FD_AUTO fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        assert_true(fd >= 0);
        assert_int_equal(fd_write_all(fd, text, NULL), 0);
}

#endif
