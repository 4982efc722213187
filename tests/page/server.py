"""A running `bailey audit serve`, and its answers, each of which has to have what all of them have."""
import contextlib
import json
import os
import re
import signal
import socket
import subprocess

from browser import BAILEY, WAIT, equal, records


class Server:
    def __init__(self, directory, count, *more):
        os.environ["XDG_RUNTIME_DIR"] = directory  # sessions of the tests, and no others
        self.config = records(directory, count)
        self.process = subprocess.Popen([BAILEY, "audit", "serve", "--config", self.config, *more], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=directory, text=True)
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f-]{36})", self.address)
        assert match, (self.address, self.process.stderr.read() if self.process.poll() is not None else "")
        self.port, self.token = int(match[1]), match[2]

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)

    def raw(self, *parts):
        """Sends these bytes, and returns all that comes back."""
        with self.connect() as connection:
            with contextlib.suppress(ConnectionError):  # what is refused need not be taken to its end; the answer can be read
                for part in parts:
                    connection.sendall(part)
            answer = b""
            while True:
                try:
                    got = connection.recv(1 << 16)
                except ConnectionResetError:
                    break
                if not got:
                    break
                answer += got
        return answer

    def ask(self, target, method="GET", host=None, cookie=None, more=""):
        head = f"{method} {target} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\n{more}"
        if cookie:
            head += f"Cookie: {cookie}\r\n"
        return Answer(self.raw((head + "\r\n").encode()))

    def enter(self):
        """Uses the token; returns the cookie and the place."""
        answer = self.ask(f"/?token={self.token}")
        equal(answer.status, 200)
        match = re.fullmatch(r"(bailey=[0-9a-f-]{36}); Path=(/[0-9a-f-]{36}/); HttpOnly; SameSite=Strict",
                             answer.fields["set-cookie"])
        assert match, answer.fields
        return match[1], match[2]

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait(WAIT)
        said = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        assert "Sanitizer" not in said and "runtime error" not in said, said
        return status


class Agent:
    """An MCP server with a command in the background, whose session can be looked at from outside."""

    def __init__(self, directory, config, command):
        environment = {**os.environ, "BAILEY_SANDBOX": "none", "BAILEY_ALLOW_NO_SANDBOX": "1"}
        workspace = os.path.join(directory, "work")
        os.makedirs(workspace, exist_ok=True)
        self.process = subprocess.Popen([BAILEY, "mcp", "--config", config, "--set", "mcp.warned=run"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=workspace, text=True,
                                        env=environment)
        self.call(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "test", "version": "1"}})
        answer = self.call(2, "tools/call", {"name": "Bash", "arguments": {
            "command": command, "description": "wait", "run_in_background": True}})
        assert not answer["result"].get("isError"), answer

    def call(self, number, method, parameters):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == number:
                return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait(WAIT)
        self.process.stdout.close()


class Answer:
    def __init__(self, data):
        head, _, self.body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        match = re.fullmatch(r"HTTP/1\.1 (\d{3}) [A-Za-z ]+", lines[0])
        assert match, data[:200]
        self.status = int(match[1])
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            assert name.lower() not in self.fields, lines
            self.fields[name.lower()] = value
        equal(int(self.fields["content-length"]), len(self.body))
        equal(self.fields["connection"], "close")
        equal(self.fields["cache-control"], "no-store")
        equal(self.fields["x-content-type-options"], "nosniff")
        equal(self.fields["referrer-policy"], "no-referrer")
        assert "frame-ancestors 'none'" in self.fields["content-security-policy"]


@contextlib.contextmanager
def serving(directory, count=20, *more):
    server = Server(directory, count, *more)
    try:
        yield server
    finally:
        if server.process.returncode is None:
            equal(server.close(), 0)
