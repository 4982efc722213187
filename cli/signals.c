#include "cli/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int watch(const int *numbers, size_t count) {
        sigset_t set;
        int fd;

        sigemptyset(&set);
        for (size_t i = 0; i < count; i++)
                sigaddset(&set, numbers[i]);
        sigprocmask(SIG_BLOCK, &set, NULL);
        fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        if (fd != 0)
                return fd;
        fd = fcntl(0, F_DUPFD_CLOEXEC, 3); /* stdin is closed; but for the library 0 means none */
        close(0);
        return fd;
}

int signals_watch(void) {
        static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

        return watch(numbers, sizeof(numbers) / sizeof(*numbers));
}

int signals_of_terminal(void) {
        static const int numbers[] = { SIGWINCH, SIGTSTP, SIGCONT };

        return watch(numbers, sizeof(numbers) / sizeof(*numbers));
}

int signals_which(int fd) {
        struct signalfd_siginfo info;

        return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : SIGINT;
}
