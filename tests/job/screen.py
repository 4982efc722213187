#!/usr/bin/env python3
"""What programs with a full screen show, against tmux.

Each program runs on a terminal, is given keys, and what it writes is recorded. The same bytes go to tmux and to run/screen.c, in
pieces of several sizes; both have to show the same. A key is sent when what the one before it had drawn is there.
"""

import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

from only import matching  # noqa: E402

SHOW = os.path.join(os.path.dirname(os.environ["BAILEY"]), "tests", "screen_show")
PATIENCE = float(os.environ.get("SCREEN_PATIENCE", "120"))
TEXT = "".join(f"line {n}: {'word ' * (n % 23)}end\n" for n in range(1, 200)) + "wide: 你好，世界 ä\u0301 → ✓\n"

# name, rows, columns, command, then: what has to be there before these keys are sent; the last: what has to be there at the end.
PROGRAMS = [
    ("vim", 24, 80, ["vim", "-u", "NONE", "-N", "text"], [
        ("line 12", "5j"), ("", "dd"), ("", "ihello \x1b"), ("hello", ":set number\r"), ("", "Gp"), ("wide", ":split\r"),
        ("text", "\x04"), ("", ":vsplit\r"), ("", "/word 1\r"), ("", ":echo 'mar' . 'ker'\r"), ("marker", "")]),
    ("vim leaves", 24, 80, ["bash", "-c", "echo before; vim -u NONE -N text; echo aft''er"], [
        ("line 12", "ixyz\x1b:q!\r"), ("after", "")]),
    ("less", 24, 80, ["less", "text"], [("line 12", " "), ("", "G"), ("wide", "b"), ("", "g"), ("", "/line 77\r"), ("77", "")]),
    ("less narrow", 10, 30, ["less", "text"], [("line 3", "jjjj"), ("", "kk"), ("", "G"), ("wide", "")]),
    ("top", 24, 80, ["top", "-d", "100"], [("COMMAND", "i"), ("", "1"), ("", "")]),
    ("python", 24, 80, [sys.executable, "-q"], [
        (">>> ", "import sys\r"), (">>> ", "for i in range(30): print(i, '-' * i * 4)\r\r"), ("29 ", "x = 'abc'\x01y = \x05\r"),
        ("abc", "\x1b[A\x1b[D\x7fz\r"), ("", "print('mar' + 'ker')\r"), ("marker", "")]),
    ("bash", 12, 40, ["bash", "--norc", "--noprofile", "-i"], [
        ("$ ", "echo " + "0123456789" * 9), ("89", "\x01\x1b[C\x1b[Cxyz\x05\r"), ("", "printf '\\e[2J\\e[5;5Hhere\\n'\r"),
        ("here", "ls /usr/bin | head -40 | column\r"), ("", "echo mar''ker\r"), ("marker", "")]),
    ("tput", 24, 80, ["bash", "-c", "tput csr 4 10; tput cup 10 0; seq 30; tput cup 5 3; tput il 2; echo -n in; tput cup 8 0; tput dl 1;"
                      "tput ich 3; tput sgr0; tput cup 20 70; echo -n 0123456789abcdef;"
                      "tput cup 15 5; tput ech 3; tput el1; tput cup 16 0; tput csr 0 23; tput cup 22 0; echo marker"],
     [("marker", "")]),
]


class Terminal:
    def __init__(self, rows, columns, command, directory):
        environment = {"PATH": os.environ["PATH"], "HOME": directory, "TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
                       "PS1": "$ ", "PYTHON_BASIC_REPL": "1", "LESSHISTFILE": "-"}
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(directory)
            os.execvpe(command[0], command, environment)
        self.bytes = b""
        self.seen = 0

    def read(self, timeout):
        if not select.select([self.master], [], [], timeout)[0]:
            return False
        try:
            got = os.read(self.master, 65536)
        except OSError:
            return False
        self.bytes += got
        return bool(got)

    def wait_for(self, text):
        """Since the last key: this, or, if it is empty, anything."""
        until = time.monotonic() + PATIENCE
        while (text.encode() not in self.bytes[self.seen:] if text else len(self.bytes) == self.seen):
            if not self.read(max(0, until - time.monotonic())) and time.monotonic() > until:
                raise AssertionError(f"'{text}' did not come: {self.bytes[-500:]!r}")
            if not text and len(self.bytes) == self.seen and not os.path.exists(f"/proc/{self.pid}"):
                break

    def type(self, keys):
        self.seen = len(self.bytes)
        os.write(self.master, keys.encode())

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.master)


def record(rows, columns, command, steps, directory):
    terminal = Terminal(rows, columns, command, directory)
    try:
        for text, keys in steps:
            terminal.wait_for(text)
            if keys:
                terminal.type(keys)
    finally:
        terminal.end()
    return terminal.bytes


def without_questions(data):
    """What tmux would answer to with more than this test waits for, and it does not change the screen."""
    for question in (b"\x1b[c", b"\x1b[>c", b"\x1b[6n", b"\x1b[5n"):
        data = data.replace(question, b"")
    return data


def tmux_shows(rows, columns, data, directory):
    """It has taken in all before a question that it answers to."""
    with open(os.path.join(directory, "bytes"), "wb") as file:
        file.write(without_questions(data) + b"\x1b[5n")
    with open(os.path.join(directory, "conf"), "w", encoding="utf-8") as file:
        file.write("set -g status off\nset -g history-limit 0\n")
    socket = os.path.join(directory, "tmux")
    tmux = ["tmux", "-u", "-S", socket]
    script = f"stty raw -echo; cat bytes; head -c 4 >answer; tmux -S {socket} wait-for -S done; exec sleep 1000"
    environment = dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm")
    environment.pop("TMUX", None)
    subprocess.run([*tmux, "-f", "conf", "new-session", "-d", "-x", str(columns), "-y", str(rows), script], cwd=directory, check=True,
                   env=environment)
    try:
        subprocess.run([*tmux, "wait-for", "done"], check=True, timeout=PATIENCE, env=environment)
        return subprocess.run([*tmux, "capture-pane", "-p"], check=True, capture_output=True, env=environment).stdout.decode()
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, env=environment)


def we_show(rows, columns, data, piece):
    return subprocess.run([SHOW, str(rows), str(columns), str(piece)], input=data, check=True, capture_output=True).stdout.decode()


def lines(text):
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]


def check(program):
    name, rows, columns, command, steps = program
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "text"), "w", encoding="utf-8") as file:
            file.write(TEXT)
        data = record(rows, columns, command, steps, directory)
        if os.environ.get("SCREEN_KEEP"):
            with open(os.path.join(os.environ["SCREEN_KEEP"], name.replace(" ", "_")), "wb") as file:
                file.write(data)
        expected = lines(tmux_shows(rows, columns, data, directory))
        for piece in (1, 7, 4096):
            shown = lines(we_show(rows, columns, data, piece))
            if shown != expected:
                for row in range(max(len(shown), len(expected))):
                    ours = shown[row] if row < len(shown) else ""
                    theirs = expected[row] if row < len(expected) else ""
                    print(f"# {' ' if ours == theirs else '!'} {theirs}" + ("" if ours == theirs else f"\n#   not: {ours}"))
                raise AssertionError(f"{name}: not what tmux shows, in pieces of {piece}")
        if not any(expected):
            raise AssertionError(f"{name}: the screen is empty")


def main():
    programs = matching(PROGRAMS, lambda program: program[0])
    missing = None if shutil.which("tmux") else "tmux is not installed"
    failed = False
    print(f"1..{len(programs)}")
    for number, program in enumerate(programs, 1):
        command = program[3][0]
        why = missing or (None if shutil.which(command) else f"{command} is not installed")
        if why:
            print(f"ok {number} - {program[0]} # SKIP {why}", flush=True)
            continue
        try:
            check(program)
            print(f"ok {number} - {program[0]}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            failed = True
            print(f"not ok {number} - {program[0]}\n# {error}", flush=True)
    return failed


sys.exit(main())
