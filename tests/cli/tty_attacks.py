"""Inside: tries to reach any terminal but its own. Prints what worked."""

import fcntl
import glob
import os
import termios



def which(fd):
    st = os.fstat(fd)
    return st.st_dev, st.st_rdev


own = which(0)
inherited = [fd for fd in range(3, 1024) if os.path.exists(f"/proc/self/fd/{fd}") and os.isatty(fd)]
assert os.isatty(0)


def attempt(what, function):
    try:
        function()
    except OSError:
        return
    print("worked:", what)


def open_other(path):
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    other = os.isatty(fd) and which(fd) != own
    os.close(fd)
    if not other:
        raise OSError("its own, or none")


for path in ["/dev/tty0", "/dev/tty1", "/dev/console", os.environ["CALLER"], *(f"/dev/pts/{n}" for n in range(64))]:
    attempt(path, lambda path=path: open_other(path))
for path in glob.glob("/proc/[0-9]*/fd/*"):
    attempt(path, lambda path=path: open_other(path))
attempt("TIOCSTI", lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"))
attempt("TIOCSTI at /dev/tty", lambda: fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), termios.TIOCSTI, b"x"))
attempt("TIOCLINUX", lambda: fcntl.ioctl(0, 0x541C, b"\2"))
attempt("TIOCSETD", lambda: fcntl.ioctl(0, termios.TIOCSETD, b"\3\0\0\0"))
for fd in inherited:
    print("worked: inherited", fd)
print("own terminal:", os.isatty(os.open("/dev/tty", os.O_RDWR)), os.isatty(os.open("/proc/self/fd/0", os.O_RDWR)))
