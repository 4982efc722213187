/*
 * Entry point where this program is started again: in a sandbox that a wrapper has set up, for the remaining steps, and as the
 * network gateway.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/config.h"
#include "gateway/gateway.h"
#include "include/bailey.h"
#include "launch/clone.h"
#include "launch/files.h"
#include "launch/inside.h"
#include "launch/mount.h"
#include "launch/network.h"
#include "launch/report.h"

/* Where files go that are needed longer than the plan. */
enum { CONTROL_FD = LAUNCH_PLAN_FD, OUTSIDE_FD = LAUNCH_ERROR_FD, ROOTS_FD };

/* Down to where ROOTS_FD begins; returns the first number that is free then, or -1. */
static int move_roots(const struct launch *launch) {
        int count = 0;

        for (; launch->broker.roots[count]; count++)
                if (dup3(LAUNCH_EMPTY_FD + (int)launch->wrapper_masks + count, ROOTS_FD + count, O_CLOEXEC) < 0)
                        return -1;
        return ROOTS_FD + count;
}

/* Descriptors of the gateway: engine/pipeline/gateway_link.c. A wrapper has a pipe in place of the socket. */
enum { GATEWAY_SOCKET_FD = LAUNCH_REPORT_FD, GATEWAY_OUTSIDE_FD, GATEWAY_ALIVE_FD };

static bool is_gateway(void) {
        int type = 0;
        socklen_t size = sizeof(type);

        return getsockopt(GATEWAY_SOCKET_FD, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

static _Noreturn void become_gateway(void) {
        clone_reset_signals();
        gateway_run(&(struct gateway_options){
                .socket = GATEWAY_SOCKET_FD, .outside = GATEWAY_OUTSIDE_FD, .alive = GATEWAY_ALIVE_FD });
}

int bailey_run_inside(char *ret_error, size_t error_size) {
        struct arena arena;
        struct launch launch;
        struct err err = {};
        int last;

        arena_init(&arena, 0);
        if (fcntl(LAUNCH_REPORT_FD, F_SETFD, FD_CLOEXEC) < 0) {
                err_sys(&err, "this command is internal");
                return config_hand_error(&err, ret_error, error_size);
        }
        if (is_gateway())
                become_gateway();
        if (blob_read(LAUNCH_PLAN_FD, &arena, &launch, &err) < 0 ||
            mount_verify(launch.wrapped, launch.wrapped_count, &launch.broker, &err) < 0 ||
            (launch.wrapper_network && network_helper_ask(LAUNCH_NETWORK_FD, &err) < 0))
                report_failure(LAUNCH_REPORT_FD, &err);
        if (dup2(LAUNCH_ERROR_FD, STDERR_FILENO) < 0 || dup3(LAUNCH_CONTROL_FD, CONTROL_FD, O_CLOEXEC) < 0 ||
            dup3(LAUNCH_OUTSIDE_FD, OUTSIDE_FD, O_CLOEXEC) < 0 || (last = move_roots(&launch)) < 0 ||
            files_close_from(last) < 0) {
                err_sys(&err, "files of the command");
                report_failure(LAUNCH_REPORT_FD, &err);
        }
        clone_reset_signals(); /* the wrapper may have had its own idea of them */
        inside_run(&launch, &(struct inside_files){ .run = { .fd = -1 },
                                                    .report = LAUNCH_REPORT_FD,
                                                    .asked = CONTROL_FD,
                                                    .outside = OUTSIDE_FD,
                                                    .work = -1,
                                                    .preload = -1,
                                                    .roots = ROOTS_FD });
}
