/*
 * Ctrl-C, Ctrl-Break, and the end of the console come in a thread of their own, which writes a byte to a pipe.
 */
#include "cli/signals.h"

#include <windows.h>

#include "base/fd.h"

static int ends[2] = { -1, -1 };

static BOOL WINAPI ask(DWORD event) {
        (void)event;
        return write(ends[1], "", 1) == 1; /* true: it is dealt with, and this program goes on */
}

int signals_watch(void) {
        if (fd_pipe(ends, NULL) < 0 || !SetConsoleCtrlHandler(ask, TRUE))
                return -1;
        return ends[0];
}

int signals_of_terminal(void) {
        return -1;
}

int signals_which(int fd) {
        (void)fd;
        return SIGINT;
}
