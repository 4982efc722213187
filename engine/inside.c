/*
 * Where a wrapper has made the walls, and starts this program again for the rest.
 */
#include <fcntl.h>
#include <unistd.h>

#include "engine/config.h"
#include "include/bailey.h"
#include "launch/blob.h"
#include "launch/inside.h"
#include "launch/report.h"

int bailey_run_inside(char *ret_error, size_t error_size) {
        struct arena arena;
        struct launch launch;
        struct err err = {};

        arena_init(&arena, 0);
        if (fcntl(LAUNCH_REPORT_FD, F_SETFD, FD_CLOEXEC) < 0) {
                err_sys(&err, "this command is for wrappers of a sandbox");
                return config_hand_error(&err, ret_error, error_size);
        }
        if (blob_read(LAUNCH_PLAN_FD, &arena, &launch, &err) < 0)
                report_failure(LAUNCH_REPORT_FD, &err);
        if (dup2(LAUNCH_ERROR_FD, STDERR_FILENO) < 0 || close_range(LAUNCH_PLAN_FD, ~0U, 0) < 0) {
                err_sys(&err, "files of the command");
                report_failure(LAUNCH_REPORT_FD, &err);
        }
        inside_run(&launch, LAUNCH_REPORT_FD, -1);
}
