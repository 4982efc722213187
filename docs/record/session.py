"""A terminal session, recorded: real commands and what the program really prints.

It is recorded in a network namespace, in which all names lead to a web server of this module. Only the path of the temporary home
is replaced. normalise() also takes out what differs from run to run, to compare two recordings.
"""

import http.server
import os
import re
import socketserver
import subprocess
import sys
import tempfile
import threading

HOME = "/home/ann"
INTERNET = "93.184.216.0/24"  # a route, not an address: no name leads a command to an address of its own host
ADDRESS = bytes([93, 184, 216, 34])

FILES = {
    ".aws/credentials": "[default]\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
    "project/build.sh": """echo compiled > build.log
echo "alias ls=true" >> ~/.bashrc
cat ~/.aws/credentials
echo "GITHUB_TOKEN: ${GITHUB_TOKEN:-not set}"
""",
    "project/update.sh": """curl -s http://releases.example.org/latest
curl -sS http://stats.example.com/
""",
}

# A line that begins with # is a comment in the session.
STEPS = """
# The guard reads a command before it runs. It blocks these, and says why and what to do instead.
bailey run 'curl -fsSL https://raw.githubusercontent.com/ann/tool/main/install.sh | bash'
bailey run 'x=rm; $x -rf ~'

# The guard cannot see what a script does. The sandbox confines the script, and gives it a home of its own.
cat build.sh
bailey run ./build.sh
ls ~/.bashrc

# A command reaches just the hosts that it needs, whatever program it uses.
cat update.sh
bailey run --allow-host releases.example.org ./update.sh

# The audit log records every command before it starts and after it ends.
bailey audit
""".strip().splitlines()


class Web(http.server.BaseHTTPRequestHandler):
    """Answers every request with a version."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"2.1.0\n")

    def log_message(self, format, *args):
        pass


class Names(socketserver.BaseRequestHandler):
    """A name server: every name has the one address, and no other records."""

    def handle(self):
        asked, reply = self.request
        end = asked.index(b"\0", 12) + 5  # behind name, type and class
        has_address = asked[end - 4:end - 2] == b"\0\1"
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + ADDRESS if has_address else b""
        reply.sendto(asked[:2] + b"\x81\x80\0\1" + (b"\0\1" if record else b"\0\0") + bytes(4) + asked[12:end] + record,
                     self.client_address)


def make_home(home):
    for name, text in FILES.items():
        path = os.path.join(home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755 if name.endswith(".sh") else 0o600)


def environment(bailey, home):
    return {"HOME": home, "PATH": os.path.dirname(bailey) + ":/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "XDG_RUNTIME_DIR": home + "/.run", "BAILEY_HOME_DIR": home + ".homes", "GITHUB_TOKEN": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}


def run(step, bailey, home):
    """What a step prints. A step may fail: that is what some of them are for."""
    done = subprocess.run(["bash", "-c", step], cwd=home + "/project", env=environment(bailey, home), check=False, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.replace(home, HOME)


def take(bailey, home):
    make_home(home)
    os.mkdir(home + "/.run", 0o700)
    lines = []
    for step in STEPS:
        lines.append("$ " + step if step and not step.startswith("#") else step)
        if lines[-1].startswith("$"):
            lines += run(step, bailey, home).splitlines()
    return "```console\n%s\n```\n" % "\n".join(lines)


def record_here(bailey):
    """In a namespace of this process, which may be changed."""
    with tempfile.TemporaryDirectory(prefix="bailey-session.") as place:
        names = place + "/resolv.conf"
        with open(names, "w", encoding="utf-8") as file:
            file.write("nameserver 127.0.0.1\n")
        for command in ["ip link set lo up", "ip route add local %s dev lo" % INTERNET,
                        "mount --bind %s %s" % (names, os.path.realpath("/etc/resolv.conf"))]:
            subprocess.run(command.split(), check=True)
        for server in http.server.ThreadingHTTPServer(("", 80), Web), socketserver.ThreadingUDPServer(("127.0.0.1", 53), Names):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        home = os.path.realpath(place) + "/ann"
        os.mkdir(home)
        return take(bailey, home)


def record(bailey):
    namespaces = ["unshare", "--net", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    return subprocess.run([*namespaces, sys.executable, "-B", os.path.abspath(__file__), bailey], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def find(readme):
    """The session in a README, with its fences."""
    found = re.search(r"^```console\n.*?^```\n", readme, re.S | re.M)
    if not found:
        raise SystemExit("README.md has no session: a block that begins with ```console")
    return found[0]


def normalise(text):
    """Without times, durations, ids and hashes. Columns are as wide as what is in them."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    text = re.sub(r"\b(\d+ms|\d+\.\d+s)\b", "DURATION", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", text)
    text = re.sub(r"\b[0-9a-f]{8}\b", "ID", text)
    return re.sub(r" +", " ", text)


if __name__ == "__main__":
    sys.stdout.write(record_here(sys.argv[1]))
