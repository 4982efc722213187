/*
 * The library that a shell is started with before its command is known: launch/warm/preload.h. It is code of ours in a process
 * of the command's, inside the complete sandbox, and has nothing that the command may not have.
 */
#include <fcntl.h>
#include <linux/prctl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/files.h"
#include "launch/inside.h"
#include "launch/report.h"
#include "launch/warm/command_message.h"
#include "launch/warm/preload.h"
#include "launch/warm/preload/shell_report.h"
#include "launch/warm/state_page.h"

static _Noreturn void give_up(const struct err *err) {
        report_failure(PRELOAD_REPORT_FD, err);
}

/* ---- what others see of the arguments ---- */

/* The numbers of /proc/self/stat, as proc(5) counts them. */
enum { STAT_START_CODE = 26, STAT_END_CODE, STAT_START_STACK, STAT_START_DATA = 45, STAT_END_DATA, STAT_START_BRK, STAT_COUNT };

/* False: the kernel does not say. */
static bool read_places(struct prctl_mm_map *ret) {
        FD_AUTO fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
        char text[2048], *at;
        ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        uint64_t values[STAT_COUNT] = {};

        if (len <= 0)
                return false;
        text[len] = 0;
        at = strrchr(text, ')'); /* its name may hold anything; behind it are the third and following */
        at = at ? strchr(at + 2, ' ') : NULL;
        for (int i = 4; at && i < STAT_COUNT; i++)
                values[i] = strtoull(at, &at, 10);
        *ret = (struct prctl_mm_map){
                .start_code = values[STAT_START_CODE],
                .end_code = values[STAT_END_CODE],
                .start_data = values[STAT_START_DATA],
                .end_data = values[STAT_END_DATA],
                .start_brk = values[STAT_START_BRK],
                .start_stack = values[STAT_START_STACK],
                .exe_fd = (uint32_t)-1,
        };
        return values[STAT_START_BRK] > 0;
}

/* For `ps` and /proc/self/cmdline. Where the kernel cannot do it, they show a command that does nothing. */
static void show_arguments(struct prctl_mm_map *map, const struct command_message *message) {
        map->brk = (uint64_t)(uintptr_t)sbrk(0);
        map->arg_start = (uint64_t)(uintptr_t)message->argv[0];
        map->arg_end = (uint64_t)(uintptr_t)message->words_end;
        map->env_start = (uint64_t)(uintptr_t)message->words_end;
        map->env_end = (uint64_t)(uintptr_t)message->end;
        prctl(PR_SET_MM, PR_SET_MM_MAP, map, sizeof(*map), 0);
}

/* ---- the command ---- */

/* The very shell that this is, called in the same way? */
static bool is_mine(const struct command_message *message, char *const *argv) {
        const char *self = (const char *)getauxval(AT_EXECFN); /* NOLINT(performance-no-int-to-ptr): that is what it is */

        for (int i = 0; i < 2; i++)
                if (!message->argv[i] || strcmp(message->argv[i], argv[i]) != 0)
                        return false;
        return self && strcmp(self, message->program) == 0 && message->argv[2] && !message->argv[3];
}

/* glibc passes `environ` to main(). */
static void become(struct command_message *message, char **argv, struct prctl_mm_map *map) {
        struct err err = {};

        if (!is_mine(message, argv))
                execute_or_report(message->program, message->argv, message->envp, PRELOAD_REPORT_FD);
        environ = (char **)message->envp;
        argv[2] = (char *)message->argv[2];
        if (map)
                show_arguments(map, message);
        if (files_close_from(PRELOAD_REPORT_FD + 1) < 0) {
                err_sys(&err, "closing files");
                give_up(&err);
        }
        fd_close(PRELOAD_REPORT_FD);
}

/* Takes out what this library was loaded by: the last. False: it was not. */
static bool take_variable(char **envp) {
        size_t count = 0;

        while (envp[count])
                count++;
        if (count == 0 || strcmp(envp[count - 1], PRELOAD_VARIABLE) != 0)
                return false;
        envp[count - 1] = NULL;
        return true;
}

/* Of the process that was started for it, and of no other that has inherited its environment. */
static bool is_awaited(int argc) {
        return argc == 3 && getppid() == 1 && getsid(0) == getpid() && fcntl(PRELOAD_REPORT_FD, F_SETFD, FD_CLOEXEC) == 0;
}

/* glibc passes what main() will get. Until the byte that says that it waits, this process may only end: another one takes its
 * place then. */
__attribute__((constructor)) static void wait_for_command(int argc, char **argv, char **envp) {
        struct command_message *message;
        struct prctl_mm_map map;
        struct state_page *page;
        struct err err = {};
        bool mapped;

        if (!take_variable(envp))
                return;
        mapped = read_places(&map);
        message = command_message_new(&err);
        page = state_page_map(PRELOAD_STATE_FD);
        fd_close(PRELOAD_STATE_FD);
        fd_close(PRELOAD_FILE_FD);
        if (!message || !is_awaited(argc) || write(PRELOAD_UP_FD, "", 1) != 1)
                _exit(125);
        fd_close(PRELOAD_UP_FD);
        if (command_message_receive(PRELOAD_WORK_FD, message, &err) < 0)
                give_up(&err);
        fd_close(PRELOAD_WORK_FD);
        if (chdir(message->cwd) < 0) {
                err_sys(&err, "cwd %s", message->cwd);
                give_up(&err);
        }
        become(message, argv, mapped ? &map : NULL);
        if (message->record.head.leaves_state && page)
                shell_report_begin(page, message->envp);
}
