"""Rounds of 20 commands and two MCP servers in one workspace (the current directory), whose processes are killed at random, while a
user works there. After each round, and one more command: nothing of the user's is lost, no plant is at a protected place, no process
and no mount is left, and nothing of bailey's is in the workspace. For crash.sh, which has made a host of its own for it."""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

BAILEY, WHO, ROUNDS, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
W = os.getcwd()
COMMANDS, SERVERS, CALLS = 20, 2, 6
PATIENCE = 100  # seconds for what takes far less on an idle machine
MARK = "PLANTED"

# What commands do. {n} is another number each time; a plant has MARK in it.
HARMLESS = [
    "echo {n} >work/{n}",
    "for i in 1 2 3 4 5; do echo $i >>work/{n}; sleep 0.02; done",
    "mkdir -p work/d{n}; echo {n} >work/d{n}/a; mv work/d{n}/a work/{n}",
    "git log --oneline >work/{n}; git -C nested status >>work/{n}",
    "git init -q work/r{n}; echo a >work/r{n}/a; git -C work/r{n} add a; git -C work/r{n} commit -qm one; echo {n} >work/{n}",
]
PLANTS = [
    "echo '# PLANTED {n}' >.envrc",
    "echo '# PLANTED {n}' >.envrc; sleep 0.1; rm -f .envrc; echo '# PLANTED again {n}' >.envrc; sleep 0.1",
    "echo '{{}} PLANTED {n}' >x{n}; mv x{n} .mcp.json",
    "echo '# PLANTED {n}' >.bashrc; ln .bashrc work/l{n}; sleep 0.05; rm -f .bashrc; mv work/l{n} .bashrc",
    "mkdir -p .claude; echo PLANTED {n} >.claude/settings.json; sleep 0.1",
    "ln -s /PLANTED/{n} .codex",
    "for d in . nested; do echo '# PLANTED {n}' >$d/.git/hooks/pre-commit; chmod 755 $d/.git/hooks/pre-commit; done",
    "mv .git/hooks .git/h{n}; mkdir -p .git/hooks; echo '# PLANTED {n}' >.git/hooks/post-commit",
    "for d in . nested; do git -C $d config core.fsmonitor /PLANTED/{n}; git -C $d config alias.x '!PLANTED {n}'; done",
    "printf '[core]\\n\\tpager = PLANTED {n}\\n' >c{n}; for d in . nested; do cp c{n} $d/.git/config; done; mv c{n} .git/config",
    "git init -q work/r{n}; git -C work/r{n} config core.pager PLANTED{n}; echo '# PLANTED' >work/r{n}/.git/hooks/post-checkout; sleep 0.1",
    "chmod 000 nested; sleep 0.05; chmod 755 nested; echo '# PLANTED' >nested/.git/hooks/post-commit",
    "(for i in $(seq 40); do echo '# PLANTED {n}' >.envrc; sleep 0.01; done)",
]
PROTECTED = [".envrc", ".mcp.json", ".bashrc", ".claude", ".codex", ".git/hooks", ".git/config", "nested/.git/hooks", "nested/.git/config"]

chance = random.Random(SEED)
number = 0


def next_number():
    global number
    number += 1
    return number


def next_command():
    """A command, and the file that it has made when it says that all went well, if any."""
    n = next_number()
    if chance.random() < 0.5:
        return "set -e; " + chance.choice(HARMLESS).format(n=n), f"work/{n}"
    return chance.choice(PLANTS).format(n=n), None


# ---- processes ----


def processes():
    """Process ids with names, without those that only wait to be reaped."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except (OSError, NotADirectoryError):
            continue
        if not name.isdigit():
            continue
        program, state = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2]
        if state not in "ZX":
            found[int(name)] = program
    return found


def describe(pid):
    """A process that should not be there any more, and what it waits for."""
    said = [f"process {pid} is left:"]
    for name in ("cmdline", "wchan", "syscall"):
        said.append((content(f"/proc/{pid}/{name}") or "?").replace("\0", " ").strip()[-200:])
    said += [line for line in (content(f"/proc/{pid}/status") or "").splitlines() if line.startswith(("PPid", "NSpid", "State", "SigBlk"))]
    return " ".join(said)


def mounts():
    with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
        return sorted(line.split(" ", 2)[2] for line in file)


def until(what):
    end = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


# ---- what runs ----


class Server:
    """Answers are read by a thread of their own, as a full pipe would stop it."""

    def __init__(self, backend):
        self.process = subprocess.Popen([BAILEY, "mcp", "--workspace", W, "--backend", backend, "--set", "guard.mode=off"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answers, self.sent = {}, {}
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.send({"id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        self.send({"method": "notifications/initialized"})

    def read(self):
        for line in self.process.stdout:
            try:
                answer = json.loads(line)
            except ValueError:  # cut off by its end
                continue
            if "method" not in answer:
                self.answers[answer.get("id")] = answer

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):  # it was killed
            pass

    def call(self, id_, command, made):
        background = chance.random() < 0.3
        self.sent[id_] = None if background else made
        self.send({"id": id_, "method": "tools/call", "params": {"name": "Bash", "arguments": {
            "command": command, "description": "a test", "run_in_background": background}}})

    def answered(self):
        return self.process.poll() is not None or all(id_ in self.answers for id_ in self.sent)

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)

    def made(self):
        """What commands have made that have ended well."""
        for id_, made in self.sent.items():
            result = self.answers.get(id_, {}).get("result", {}).get("structuredContent") or {}
            if made and result.get("exit_code") == 0:
                yield made


class User(threading.Thread):
    """Makes and changes files of their own until told to stop; knows what each must hold."""

    def __init__(self, nth):
        super().__init__(daemon=True)
        self.nth, self.new, self.files = nth, f".cursor/u{nth}.json", {}
        self.stopped, self.chance, self.problem = threading.Event(), random.Random(SEED + nth), None

    def write(self, path, text, how):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if how == "rename":
            with open(path + "~", "w", encoding="utf-8") as file:
                file.write(text)
            os.rename(path + "~", path)
        elif how == "append":
            with open(path, "a", encoding="utf-8") as file:
                file.write(text)
            text = self.files.get(path, "") + text
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.files[path] = text

    def write_new(self):
        """The directory may be set aside before the file is in it."""
        for _ in range(100):
            try:
                return self.write(self.new, f"new {self.nth}", "new")
            except FileNotFoundError:
                pass
        return self.write(self.new, f"new {self.nth}", "new")

    def run(self):
        try:
            while not self.stopped.is_set():
                if self.chance.random() < 0.1 and self.new not in self.files:  # nobody can tell who made it: it may be set aside
                    self.write_new()
                where = self.chance.choice(["user", "user", "user/deep", ".vscode"])
                path = f"{where}/u{self.nth}.{self.chance.randrange(10)}"
                self.write(path, f"{path} {self.chance.random()}\n", self.chance.choice(["new", "rename", "append"]))
                time.sleep(self.chance.random() / 50)
        except OSError as problem:
            self.problem = f"the user could not work: {problem}"


def kill_some(before, runs, done):
    """SIGKILL for processes of bailey that this round has started, until the round is over."""
    killed = 0
    while not done.is_set() and killed < COMMANDS:
        done.wait(chance.random() / 10)
        ours = [pid for pid, name in processes().items() if name == "bailey" and pid not in before]
        if ours and not done.is_set():
            try:
                os.kill(chance.choice(ours), signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
    runs.append(killed)


def busy(backend, before):
    """A round; what went wrong, what was made, and how many were killed."""
    wrong, made, killed, running = [], [], [], []
    servers = [Server(backend) for _ in range(SERVERS)]
    done = threading.Event()
    killer = threading.Thread(target=kill_some, args=(before, killed, done), daemon=True)
    killer.start()
    for i in range(COMMANDS):
        command, makes = next_command()
        running.append((subprocess.Popen([BAILEY, "run", "--workspace", W, "--backend", backend, "--set", "guard.mode=off", command],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), makes))
        if i < CALLS:
            for server in servers:
                server.call(i + 1, *next_command())
        time.sleep(chance.random() / 50)
    for process, makes in running:
        try:
            if process.wait(PATIENCE) == 0 and makes:
                made.append(makes)
        except subprocess.TimeoutExpired:
            wrong.append(f"pid {process.pid} does not end")
    for server in servers:
        if not until(server.answered):
            wrong.append("a server does not answer")
    done.set()
    killer.join()
    for server in servers:
        try:
            server.end()
        except subprocess.TimeoutExpired:
            wrong.append("a server does not end")
        made.extend(server.made())
    return wrong, made, killed[0]


# ---- what must hold ----


def bailey(*arguments):
    return subprocess.run([BAILEY, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)


def aside():
    """Absolute path -> ids"""
    found = {}

    def look(value):
        if isinstance(value, dict):
            if "id" in value and "path" in value:
                found.setdefault(os.path.join(W, value["path"]), []).append(str(value["id"]))
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                look(item)

    try:
        look(json.loads(bailey("aside", "list", "--json").stdout))
    except ValueError:
        pass
    return found


def content(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def restored(path, text):
    """Whether one of those that are aside brings it back."""
    whole = os.path.join(W, path)
    for place, ids in aside().items():
        if not (whole + "/").startswith(place + "/"):
            continue
        for id_ in ids:
            subprocess.run(["rm", "-rf", place], check=True)  # another one of them, which was not it
            bailey("restore", id_)
            if content(path) == text:
                return True
    return False


def lost(files):
    """Files that are neither there nor brought back by `bailey restore`."""
    for path, text in files.items():
        if content(path) == text:
            continue
        if not path.startswith(".cursor/"):
            yield f"{path} is {content(path)!r}, not {text!r}"
        elif not restored(path, text):
            yield f"{path} is lost"


def planted():
    places = list(PROTECTED)
    for name in os.listdir("work"):
        places += [f"work/{name}/.git/config", f"work/{name}/.git/hooks"]
    for place in places:
        if os.path.islink(place) and MARK in os.readlink(place):
            yield f"{place} is a link to {os.readlink(place)}"
        elif os.path.isdir(place):
            for directory, _, names in os.walk(place):
                for name in names:
                    if MARK in (content(os.path.join(directory, name)) or ""):
                        yield os.path.join(directory, name) + " is planted"
        elif MARK in (content(place) or ""):
            yield f"{place} is planted"


def litter():
    for directory, directories, names in os.walk(W):
        for name in directories + names:
            if "bailey" in name.lower() or "aside" in name.lower():
                yield os.path.join(directory, name) + " is left in the workspace"


def a_round(nth):
    backend = "bwrap" if nth % 4 == 0 else "native"
    before, mounted, config = processes(), mounts(), {d: content(f"{d}/.git/config") for d in (".", "nested")}
    user = User(nth)
    user.start()
    wrong, made, killed = busy(backend, before)
    user.stopped.set()
    user.join()
    if user.problem:
        wrong.append(user.problem)
    if not until(lambda: not set(processes()) - set(before)):
        wrong += [describe(pid) for pid in processes() if pid not in before]
    last = bailey("run", "--workspace", W, "--backend", backend, "--set", "guard.mode=off", "true")
    if last.returncode != 0:
        wrong.append(f"the last command ended with {last.returncode}: {last.stderr.decode(errors='replace')}")
    if not until(lambda: not set(processes()) - set(before)):
        wrong += ["after the last command: " + describe(pid) for pid in processes() if pid not in before]
    os.chmod("nested", 0o755)  # a command may have closed it, and was killed
    if mounts() != mounted:
        wrong += ["mounts: " + line.strip() for line in set(mounts()) ^ set(mounted)]
    wrong += planted()
    wrong += litter()
    wrong += lost(user.files)
    wrong += [f"{path} is not there, though its command ended with 0" for path in made if not os.path.exists(path)]
    wrong += [f"{d}/.git/config is not as it was" for d, text in config.items() if content(f"{d}/.git/config") != text]
    return wrong, f"{backend}, {killed} killed, {len(made)} commands ended well"


def main():
    failed = 0
    print(f"1..{ROUNDS}", flush=True)
    for nth in range(1, ROUNDS + 1):
        wrong, what = a_round(nth)
        failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {nth} - {WHO}: round {nth} of seed {SEED}: {what}", flush=True)
        for line in wrong[:20]:
            print("# " + line.replace("\n", "\n# ")[:400], flush=True)
        # each round begins with a workspace that is as it should be
        subprocess.run(["find", ".", "-mindepth", "1", "-delete"], check=True)
        subprocess.run(["cp", "-a", "/srv/template/project/.", "."], check=True)
    sys.exit(failed > 0)


main()
