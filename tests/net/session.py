#!/usr/bin/env python3
"""session.py BAILEY FLAG...: a session of `bailey mcp`, by the lines of its standard input.

    run COMMAND          a command; prints its output, and what is said of it
    start COMMAND        one in the background
    until TEXT           waits until one in the background has printed that
    end                  ends the one that was started last
    host COMMAND         on the host, where BAILEY is bailey and SERVER the process of the server; prints its output
    warm                 waits until a sandbox is ready
    kills COMMAND        COMMAND again and again, each time with the gateway killed meanwhile, KILLS times in all; after each, a command has the
                         network again. Prints what is wrong

What takes longer than PATIENCE is told of, and the end.
"""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

PATIENCE = 60


class Session:
    def __init__(self, words):
        self.words = words
        self.server = subprocess.Popen([words[0], "mcp", *words[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0
        self.shells = []
        self.said = ""
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "net", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.server.stdin.flush()

    def ask(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while line := self.server.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self.count:
                return answer.get("result") or answer
        raise EOFError("the server has ended")

    def tool(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        return result.get("structuredContent") or {"output": json.dumps(result)}

    def run(self, command):
        result = self.tool("Bash", command=command, description="a test")
        for text in (result.get("output", ""), result.get("message") or "", result.get("explanation") or "", *(result.get("warnings") or ())):
            if text:
                print(text.rstrip("\n"), flush=True)

    def start(self, command):
        result = self.tool("Bash", command=command, description="a test", run_in_background=True)
        self.shells.append(result["shell_id"])
        self.said = ""

    def until(self, text):
        deadline = time.monotonic() + PATIENCE
        while text not in self.said:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {text!r} in {self.said!r}")
            self.said = self.tool("BashOutput", shell_id=self.shells[-1], wait_ms=200).get("stdout", "")
        print(text, flush=True)

    def end(self, _):
        self.tool("KillShell", shell_id=self.shells.pop())

    def host(self, command):
        environment = {**os.environ, "BAILEY": self.words[0], "SERVER": str(self.server.pid)}
        subprocess.run(["bash", "-c", command], env=environment, check=False, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def warm(self, _):
        """A shell waits in a sandbox that is ready: see tests/escape/warm.py."""
        deadline = time.monotonic() + PATIENCE
        while not any(command == b"bash\0-c\0:\0" for command in commands()):
            if time.monotonic() > deadline:
                raise TimeoutError("no sandbox is ready")
            time.sleep(0.005)

    def kills(self, command):
        count, seed = int(os.environ.get("KILLS") or 5), os.urandom(4).hex()
        chance = random.Random(seed)
        for turn in range(count):
            killer = Killer(chance.uniform(0, 0.4))
            said = self.tool("Bash", command=command, description="a test").get("output", "")
            killed = killer.finish()
            after = self.tool("Bash", command="curl -s http://web.example/", description="a test").get("output", "")
            if not said.endswith("finished\n") or "OPENED" in said or killed != 1 or after != "hello from web.example\n":
                print(f"turn {turn}, seed {seed}: killed {killed}: {said!r}, then {after!r}", flush=True)
        print(f"killed {count} times", flush=True)


class Killer(threading.Thread):
    """Kills the gateway after a time, or as soon as there is one."""

    def __init__(self, delay):
        super().__init__()
        self.delay, self.killed, self.stop = delay, 0, threading.Event()
        self.start()

    def run(self):
        self.stop.wait(self.delay)
        while not self.killed:
            for pid in gateways():
                os.kill(pid, signal.SIGKILL)
                self.killed += 1
            if not self.killed and self.stop.wait(0.002):
                return

    def finish(self):
        self.stop.set()
        self.join()
        return self.killed


def gateways():
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/comm", "rb") as file:
                if file.read() == b"bailey-gateway\n":
                    yield int(entry)
        except OSError:
            continue


def commands():
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                yield file.read()
        except OSError:
            continue


def main():
    session = Session(sys.argv[1:])
    try:
        for line in sys.stdin:
            word, _, rest = line.strip().partition(" ")
            if word:
                getattr(session, word)(rest)
    except (EOFError, TimeoutError, KeyError) as error:
        print("session:", error)
    session.server.stdin.close()
    sys.exit(session.server.wait(PATIENCE))


main()
