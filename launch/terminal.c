#include "launch/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/files.h"

/* By the master, not by a path: nobody can put another one there. */
static int open_slave(int master, struct err *err) {
        int locked = 0, slave;

        if (ioctl(master, TIOCSPTLCK, &locked) < 0)
                return err_sys(err, "a terminal for the command");
        slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
        return slave < 0 ? err_sys(err, "a terminal for the command") : slave;
}

/* What it shows is UTF-8, so a key that erases is to erase whole characters. */
static int set_up(const struct launch_terminal *terminal, int slave, struct err *err) {
        const struct winsize size = { .ws_row = terminal->rows, .ws_col = terminal->columns };
        struct termios modes;

        if (tcgetattr(slave, &modes) < 0)
                return err_sys(err, "a terminal for the command");
        modes.c_iflag |= IUTF8;
        if (tcsetattr(slave, TCSANOW, &modes) < 0 || ioctl(slave, TIOCSWINSZ, &size) < 0)
                return err_sys(err, "a terminal for the command");
        return 0;
}

int terminal_make(const struct launch_terminal *terminal, int control, int *ret_slave, struct err *err) {
        FD_AUTO master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), slave = -1;
        char kind = TERMINAL_MESSAGE;
        struct iovec message = { &kind, 1 };

        if (master < 0)
                return err_sys(err, "a terminal for the command: /dev/ptmx");
        slave = open_slave(master, err);
        if (slave < 0 || set_up(terminal, slave, err) < 0)
                return -1;
        if (fds_send(control, &message, 1, &master, 1) < 0)
                return err_sys(err, "a terminal for the command: passing it on");
        *ret_slave = TAKE_FD(slave);
        return 0;
}

int terminal_enter(const struct launch_terminal *terminal, int slave, struct err *err) {
        int last = terminal->errors_apart ? STDOUT_FILENO : STDERR_FILENO;

        if (ioctl(slave, TIOCSCTTY, 0) < 0)
                return err_sys(err, "a terminal for the command: TIOCSCTTY");
        for (int fd = STDIN_FILENO; fd <= last; fd++)
                if (dup2(slave, fd) < 0)
                        return err_sys(err, "a terminal for the command");
        return 0;
}
