#include "launch/parts_darwin.h"

#include <errno.h>
#include <signal.h>
#include <sys/event.h>
#include <sys/wait.h>
#include <time.h>

#include "base/fd.h"

enum { PROBE_SECONDS = 5 };

/* Waits for its end, at most so long. */
static bool ends_well(pid_t pid, int seconds) {
        struct timespec left = { .tv_sec = seconds };
        struct kevent event;
        FD_AUTO queue = kqueue();
        int status = -1;

        EV_SET(&event, pid, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, NULL);
        if (queue < 0 || kevent(queue, &event, 1, NULL, 0, NULL) < 0)
                kill(pid, SIGKILL);
        kill(pid, SIGCONT);
        if (queue >= 0 && kevent(queue, NULL, 0, &event, 1, &left) != 1)
                kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool probe_sandbox_exec(const char *program, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes) {
        static const char *const envp[] = { NULL };
        const char *const argv[] = { program, "-p", "(version 1)(allow default)", "/usr/bin/true", NULL };
        pid_t pid;

        return posix_spawn(&pid, program, actions, attributes, (char *const *)argv, (char *const *)envp) == 0 &&
               ends_well(pid, PROBE_SECONDS);
}
