"""A terminal that a user sits at, without a person: starts programs as a shell does, and sees what they send to it, byte for byte."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 60  # seconds: a bound for what must come


class Terminal:
    def __init__(self, argv, rows=24, columns=80, replace=None):
        """`replace`: {fd: file} that the program has instead of the terminal."""
        self.seen = b""
        self.taken = 0
        self.master, self.slave = pty.openpty()  # ours, too: what is set there can be looked at afterwards
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for fd in range(3):
                os.dup2((replace or {}).get(fd, self.slave), fd)
            os.closerange(3, 100)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execvp(argv[0], argv)

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if hasattr(self, "pid"):
            os.kill(self.pid, signal.SIGWINCH)

    def type(self, text):
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def read(self, seconds=0.05):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.seen += os.read(self.master, 65536)
        return True

    def wait_for(self, text):
        """Until it is seen, behind all that was waited for before."""
        text = text.encode() if isinstance(text, str) else text
        until = time.monotonic() + PATIENCE
        while text not in self.seen[self.taken :]:
            if time.monotonic() > until:
                raise AssertionError(f"{text!r} is not in {self.seen[self.taken:]!r}")
            self.read()
        self.taken = self.seen.index(text, self.taken) + len(text)

    def end(self):
        """Reads until the program has ended. Returns its status as a shell has it."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0):
                    pass
                return os.waitstatus_to_exitcode(status) % 256 if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        raise AssertionError(f"it does not end; seen: {self.seen!r}")

    def is_raw(self):
        return not termios.tcgetattr(self.slave)[3] & termios.ICANON

    def wait_raw(self, raw):
        until = time.monotonic() + PATIENCE
        while self.is_raw() != raw:
            assert time.monotonic() < until, f"raw is not {raw}"
            self.read()

    def assert_restored(self):
        now = termios.tcgetattr(self.slave)
        assert now == self.before, f"the terminal is {now}, and was {self.before}"


def bailey(*arguments):
    return [os.environ["BAILEY"], "run", *arguments]


def check(truth, *what):
    if not truth:
        print(*what, file=sys.stderr)
        sys.exit(1)
