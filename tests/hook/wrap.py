#!/usr/bin/env python3
"""What --mode wrap makes of commands, run by real shells.

First: whatever the command, every shell that an agent may use hands exactly it to bailey. A program that prints its arguments
stands in for bailey there, so that thousands of texts can be tried. Then: for each command of nasty.py, what wrap made of it
writes and exits as the command itself does under bash. The guard is off, as this is about quoting. The quoting itself and each tenth
command are run under sanitizers, the others by the release build: what differs between them is the text.
"""

import concurrent.futures
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile

from nasty import COMMANDS

HERE = os.path.dirname(os.path.abspath(__file__))
BAILEY = os.path.realpath(os.environ.get("BAILEY") or os.path.join(HERE, "..", "..", "build", "asan", "bailey"))
SHIPPED = os.path.join(os.path.dirname(os.path.dirname(BAILEY)), "bailey")
if not os.access(SHIPPED, os.X_OK):
    SHIPPED = BAILEY
KNOWN_SHELLS = (["bash"], ["bash", "--posix"], ["dash"], ["zsh", "-f"], ["ksh"], ["busybox", "sh"])
SHELLS = [shell for shell in KNOWN_SHELLS if shutil.which(shell[0])]
ALPHABET = list("'\"\\$`!\n -a=~*#;&|<>(){}[]?\t\r%^\x7f\x1b\u00fc\u2028\U0001f600")
SEED, RANDOM_TEXTS, WORKERS = 7, 1500, 4
number = 0


def tap(problem, name):
    global number
    number += 1
    name = name if "# SKIP" in name else name.encode("unicode_escape").decode()[:100].replace("#", "\\#")
    print("%sok %d - %s" % ("not " if problem else "", number, name))
    if problem:
        print("\n".join("# " + line for line in problem.encode("unicode_escape").decode().split("\\n")))
    return bool(problem)


class Place:
    """A home, a workspace, and a config without a guard."""

    def __init__(self, top):
        top = os.path.realpath(top)
        self.work, self.home = os.path.join(top, "it's a \"workspace\" $HOME"), os.path.join(top, "home")
        self.config = os.path.join(top, "it's off.toml")
        os.makedirs(os.path.join(self.work, "sub"))
        os.makedirs(self.home)
        with open(self.config, "w") as file:
            file.write('[guard]\nmode = "off"\n')
        with open(os.path.join(self.work, "f"), "w") as file:
            file.write("one\ntwo 'three'\n")
        self.environment = {"HOME": self.home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "BAILEY_HOME_DIR": self.home + ".homes",
                            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}

    def run(self, argv, **more):
        return subprocess.run(argv, cwd=self.work, env=self.environment, capture_output=True, timeout=120, **more)

    def wrapped(self, bailey, command):
        question = {"cwd": self.work, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
        done = self.run([bailey, "hook", "--mode", "wrap", "--config", self.config], input=json.dumps(question).encode())
        if done.returncode != 0:
            raise SystemExit("hook: %d %s" % (done.returncode, done.stderr))
        return json.loads(done.stdout)["hookSpecificOutput"]["updatedInput"]["command"]


# ---- quoting ----


def random_texts():
    chance = random.Random(SEED)
    return ["".join(chance.choice(ALPHABET) for _ in range(chance.randrange(30))) for _ in range(RANDOM_TEXTS)]


def wrap_texts(place, texts):
    """What the quoting itself makes of them, without a question for each; the program is called `told`."""
    helper = os.path.join(os.path.dirname(BAILEY), "tests", "wrap_texts")
    done = place.run([helper, "told", place.work], input=b"".join(text.encode() + b"\0" for text in texts))
    if done.returncode != 0:
        raise SystemExit("wrap_texts: %d %s" % (done.returncode, done.stderr))
    return done.stdout.split(b"\0")[:-1]


def check_quoting(place, shell, texts, wraps):
    """Does each of them come through? A function that tells its arguments stands in for bailey."""
    told = b"told() { for a in \"$@\"; do printf '%s\\0' \"$a\"; done; printf '\\1\\0'; }\n"
    done = place.run(shell + ["-s"], input=told + b"\n".join(wraps))
    calls = done.stdout.split(b"\1\0")[:-1]
    if len(calls) != len(texts):
        return "%d calls of %d: %s" % (len(calls), len(texts), done.stderr.decode())
    for text, call in zip(texts, calls):
        wanted = ["run", "--workspace", place.work, "--cwd", place.work, (" " if text.startswith("-") else "") + text]
        if call.split(b"\0")[:-1] != [word.encode() for word in wanted]:
            return "%r came as %r" % (wanted, call)
    return None


# ---- behaviour ----


def outcome(place, argv):
    done = place.run(argv, stdin=subprocess.DEVNULL)
    for name in ("out", "private"):
        if os.path.exists(os.path.join(place.work, name)):
            os.unlink(os.path.join(place.work, name))
    code = done.returncode
    return (128 - code if code < 0 else code), done.stdout, done.stderr


def check_behaviour(place, bailey, command):
    plain, walled = outcome(place, ["bash", "-c", "--", command]), outcome(place, ["bash", "-c", place.wrapped(bailey, command)])
    if plain[:2] != walled[:2]:
        return "plain: %r\nwrapped: %r" % (plain, walled)
    errors = [b"\n".join(l for l in one[2].split(b"\n") if not l.startswith(b"bailey: ")) for one in (plain, walled)]
    if errors[0] != errors[1]:
        return "plain stderr: %r\nwrapped: %r" % tuple(errors)
    return None


def behave(top, commands):
    """Several at a time, each in a place of its own."""
    places = queue.SimpleQueue()
    for i in range(WORKERS):
        places.put(Place(os.path.join(top, str(i))))

    def one(numbered):
        n, command = numbered
        place = places.get()
        try:
            return command, check_behaviour(place, SHIPPED if n % 10 else BAILEY, command)
        finally:
            places.put(place)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        yield from pool.map(one, enumerate(commands))


def main():
    commands = list(dict.fromkeys(COMMANDS))
    texts = list(dict.fromkeys(commands + random_texts()))
    failed = 0
    with tempfile.TemporaryDirectory() as top:
        place = Place(top)
        walls = place.run([BAILEY, "run", "--config", place.config, "true"])
        wraps = wrap_texts(place, texts)
        print("1..%d" % (1 + len(SHELLS) + len(commands)))
        failed += tap(None if len(commands) >= 200 else "only %d" % len(commands), "there are at least 200 commands")
        for shell in SHELLS:
            name = "quoting of %d texts in %s" % (len(texts), " ".join(shell))
            failed += tap(check_quoting(place, shell, texts, wraps), name)
        if walls.returncode != 0:
            for command in commands:
                tap(None, "run # SKIP no sandbox: %s" % walls.stderr.decode().strip()[:100])
        else:
            for command, problem in behave(top, commands):
                failed += tap(problem, command)
    sys.exit(failed > 0)


main()
