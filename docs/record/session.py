"""A terminal session, recorded: real commands and what the program really prints.

Only these are replaced: the path of the temporary home, and the port of the server on this machine. normalise() also takes out
what differs from run to run, to compare two recordings.
"""

import http.server
import os
import re
import subprocess
import tempfile
import threading

HOME, PORT = "/home/ann", "8080"

FILES = {
    ".aws/credentials": "[default]\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
    "project/build.sh": """echo compiled > build.log
echo "alias ls=true" >> ~/.bashrc
cat ~/.aws/credentials
echo "GITHUB_TOKEN: ${GITHUB_TOKEN:-not set}"
curl -s http://localhost:8080/version || echo "no network"
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

# The network is available only on request.
bailey run --network inherit 'curl -s http://localhost:8080/version'

# The audit log records every command before it starts and after it ends.
bailey audit
bailey audit verify
""".strip().splitlines()


class Version(http.server.BaseHTTPRequestHandler):
    """The server that the session asks: it answers every request with a version."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"2.1.0\n")

    def log_message(self, format, *args):
        pass


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


def run(step, bailey, home, port):
    """What a step prints. A step may fail: that is what some of them are for."""
    done = subprocess.run(["bash", "-c", step.replace(PORT, port)], cwd=home + "/project", env=environment(bailey, home), check=False,
                          text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.replace(home, HOME).replace(":" + port, ":" + PORT)


def take(bailey, home, port):
    make_home(home)
    os.mkdir(home + "/.run", 0o700)
    script = home + "/project/build.sh"
    with open(script, encoding="utf-8") as file:
        text = file.read().replace(PORT, port)
    with open(script, "w", encoding="utf-8") as file:
        file.write(text)
    lines = []
    for step in STEPS:
        lines.append("$ " + step if step and not step.startswith("#") else step)
        if lines[-1].startswith("$"):
            lines += run(step, bailey, home, port).splitlines()
    return "```console\n%s\n```\n" % "\n".join(lines)


def record(bailey):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Version)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with tempfile.TemporaryDirectory(prefix="bailey-session.") as place:
            home = os.path.realpath(place) + "/ann"
            os.mkdir(home)
            return take(bailey, home, str(server.server_address[1]))
    finally:
        server.shutdown()
        server.server_close()


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
