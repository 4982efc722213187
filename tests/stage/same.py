"""What a command leaves when it is staged and applied is what it leaves when it is not; and undo leaves what was there before.

One round of four is run under sanitizers, the others by the release build: what differs between them are the scripts.
"""

import os
import random
import stat
import subprocess
import sys
import tempfile

BAILEY = os.environ["BAILEY"]
SHIPPED = os.path.join(os.path.dirname(os.path.dirname(BAILEY)), "bailey")
if not os.access(SHIPPED, os.X_OK):
    SHIPPED = BAILEY
ROUNDS = int(os.environ.get("STAGE_ROUNDS", "40"))
SEED = int(os.environ.get("STAGE_SEED", "1"))
NAMES = ["a", "b", "c", "d", "e f", "-g", "h"]
OLD = 1_600_000_000


def path(rng, depth=3):
    return "./" + "/".join(rng.choice(NAMES) for _ in range(rng.randint(1, depth)))


def quoted(text):
    return "'" + text + "'"


def step(rng, links):
    """Left out is what overlayfs does differently: it does not rename directories (mv copies them then, but to no directory that
    is there, and files in them lose their other names), and a file of the workspace that has several names becomes one of its own
    when it is written by one of them. Nor are directories closed, which mv cannot rename then, but can copy."""
    one, other = path(rng), path(rng)
    inside = (other + "/").startswith(one + "/")
    one, other = quoted(one), quoted(other)
    copies = ["true"] if inside or links else ["[ -e %s ] || mv -T %s %s" % (other, one, other), "[ -e %s ] || cp -a %s %s" % (other, one, other)]
    links = [] if not links else ["[ -d %s ] || ln -f %s %s" % (one, one, other)]
    return rng.choice(copies + links + [
        "echo %d >%s" % (rng.randrange(100), one),
        "echo %d >>%s" % (rng.randrange(100), one),
        "rm -f %s" % one,
        "rm -rf %s" % one,
        "mkdir %s" % one,
        "mkdir -p %s" % one,
        "rmdir %s" % one,
        "[ -d %s ] || mv -fT %s %s" % (one, one, other),
        "cp %s %s" % (one, other),
        "ln -sfn %s %s" % (quoted(rng.choice(NAMES + ["/nowhere", "../x"])), one),
        "[ -d %s ] || chmod %s %s" % (one, rng.choice(["600", "755", "444", "4755"]), one),
        "chmod %s %s" % (rng.choice(["755", "700", "1777"]), one),
        "touch -d @%d %s" % (OLD + rng.randrange(1000), one),
        "truncate -s %d %s" % (rng.randrange(10000), one),
        "rm -rf %s && mkdir -p %s && echo new >%s/x" % (one, one, one),
        "find . -name %s -delete" % quoted(rng.choice(NAMES)),
        "sed -i s/1/one/ %s" % one,
    ])


def script(rng, steps, links=False):
    return "\n".join("{ %s; } 2>/dev/null" % step(rng, links) for _ in range(steps)) + "\ntrue"


def tree(root):
    """What there is, with what must be the same. Times, only where a command has set them: others are those of the run."""
    found, links = {}, {}
    for above, directories, files in os.walk(root):
        for name in directories + files:
            whole = os.path.join(above, name)
            status = os.lstat(whole)
            facts = [stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid]
            if stat.S_ISLNK(status.st_mode):
                facts = [facts[0], os.readlink(whole)]
            elif stat.S_ISREG(status.st_mode):
                with open(whole, "rb") as file:
                    facts.append(file.read())
                links.setdefault(status.st_ino, []).append(os.path.relpath(whole, root))
            if not stat.S_ISDIR(status.st_mode) and OLD <= status.st_mtime < OLD + 1000:
                facts.append(status.st_mtime)
            facts.append([attribute for attribute in os.listxattr(whole, follow_symlinks=False) if "overlay" in attribute])
            found[os.path.relpath(whole, root)] = facts
    return found, sorted(sorted(names) for names in links.values() if len(names) > 1)


def difference(one, other):
    return [(name, one[0].get(name), other[0].get(name)) for name in sorted(set(one[0]) | set(other[0]))
            if one[0].get(name) != other[0].get(name)] or (one[1], other[1])


class Round:
    def __init__(self, top, seed):
        self.program = SHIPPED if seed % 4 else BAILEY
        self.rng = random.Random(seed)
        self.top = os.path.join(top, str(seed))
        self.plain, self.staged = os.path.join(self.top, "plain"), os.path.join(self.top, "staged")
        os.makedirs(self.plain)
        os.makedirs(os.path.join(self.top, "home"))
        os.makedirs(os.path.join(self.top, "run"), 0o700)
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": os.path.join(self.top, "home"),
                            "XDG_RUNTIME_DIR": os.path.join(self.top, "run"), "BAILEY_HOME_DIR": os.path.join(self.top, "homes")}

    def bailey(self, *arguments, cwd):
        done = subprocess.run([self.program, *arguments], cwd=cwd, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError("bailey %s: %d\n%s%s" % (" ".join(arguments), done.returncode, done.stdout, done.stderr))

    def run(self, text, cwd, *options):
        self.bailey("run", "--set", "guard.mode=off", "--set", "sandbox.backend=native", *options, text, cwd=cwd)

    def go(self):
        start = script(self.rng, 40)
        subprocess.run(["bash", "-c", start], cwd=self.plain, check=True)
        subprocess.run(["cp", "-a", self.plain, self.staged], check=True)
        before = tree(self.staged)
        links = self.rng.random() < 0.5
        commands = [script(self.rng, 12, links) for _ in range(self.rng.randint(1, 3))]
        for command in commands:
            self.run(command, self.plain)
            self.run(command, self.staged, "--stage")
        if tree(self.staged) != before:
            raise AssertionError("the workspace of the stage has changed: %r" % (difference(tree(self.staged), before),))
        self.bailey("apply", cwd=self.staged)
        if tree(self.staged) != tree(self.plain):
            raise AssertionError("not the same: %r\n%s" % (difference(tree(self.staged), tree(self.plain)), "\n--\n".join(commands)))
        self.undo(before)

    def undo(self, before):
        listed = subprocess.run([self.program, "undo", "--list"], cwd=self.staged, env=self.environment, capture_output=True, text=True, check=True)
        if "Nothing" in listed.stdout:
            return
        self.bailey("undo", cwd=self.staged)
        if tree(self.staged) != before:
            raise AssertionError("not undone: %r" % (difference(tree(self.staged), before),))


def works(top):
    one = Round(top, -1)
    try:
        one.run("true", one.plain, "--stage")
    except AssertionError as error:
        return str(error).replace("\n", " ")
    return None


def main():
    with tempfile.TemporaryDirectory(prefix="bailey-stage-") as top:
        problem = works(top)
        if problem:
            print("1..0 # skip no overlay of a workspace works here: " + problem)
            return
        print("1..%d" % ROUNDS)
        for i in range(ROUNDS):
            try:
                Round(top, SEED + i).go()
                print("ok %d seed %d" % (i + 1, SEED + i), flush=True)
            except AssertionError as error:
                print("not ok %d seed %d" % (i + 1, SEED + i))
                print("".join("# %s\n" % line for line in str(error).split("\n")), flush=True)


if __name__ == "__main__":
    sys.exit(main())
