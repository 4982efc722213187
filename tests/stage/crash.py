"""Kills `bailey apply` and `bailey undo` after a random time. Nothing is asserted of that time: whatever was reached, each file is whole."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

BAILEY = os.environ["BAILEY"]
ROUNDS = int(os.environ.get("STAGE_CRASHES", "12"))
FILES = 300
SCRIPT = """
for i in $(seq %d); do
        echo new >changed$i
        echo new >added$i
done
rm deleted*
mkdir -p directory/below
echo new >directory/below/file
""" % FILES


class Crash:
    def __init__(self, top, number):
        self.top = os.path.join(top, str(number))
        self.workspace = os.path.join(self.top, "ws")
        os.makedirs(self.workspace)
        os.makedirs(os.path.join(self.top, "home"))
        os.makedirs(os.path.join(self.top, "run"), 0o700)
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": os.path.join(self.top, "home"),
                            "XDG_RUNTIME_DIR": os.path.join(self.top, "run"), "BAILEY_HOME_DIR": os.path.join(self.top, "homes")}
        for i in range(1, FILES + 1):
            self.write("changed%d" % i)
            self.write("deleted%d" % i)

    def write(self, name):
        with open(os.path.join(self.workspace, name), "w", encoding="utf-8") as file:
            file.write("old\n")

    def read(self, name):
        try:
            with open(os.path.join(self.workspace, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def bailey(self, *arguments):
        return subprocess.run([BAILEY, *arguments], cwd=self.workspace, env=self.environment, capture_output=True, text=True,
                              check=False)

    def must(self, *arguments):
        done = self.bailey(*arguments)
        if done.returncode:
            raise AssertionError("bailey %s: %d %s" % (" ".join(arguments), done.returncode, done.stderr))
        return done.stdout

    def kill(self, after, *arguments):
        process = subprocess.Popen([BAILEY, *arguments], cwd=self.workspace, env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(after)
        process.kill()
        process.wait()

    def check_whole(self):
        """Returns how many files are new."""
        new = 0
        for i in range(1, FILES + 1):
            changed, deleted, added = self.read("changed%d" % i), self.read("deleted%d" % i), self.read("added%d" % i)
            if changed not in ("old\n", "new\n") or deleted not in ("old\n", None) or added not in ("new\n", None):
                raise AssertionError("neither old nor new: %d: %r %r %r" % (i, changed, deleted, added))
            new += (changed == "new\n") + (deleted is None) + (added is not None)
        return new

    def stage(self):
        self.must("run", "--set", "guard.mode=off", "--set", "sandbox.backend=native", "--stage", SCRIPT)

    def go(self, rng, longest):
        self.stage()
        self.kill(rng.random() * longest, "apply")
        reached = self.check_whole()
        self.must("undo", "--list")  # completes it
        if self.check_whole() not in (0, 3 * FILES):
            raise AssertionError("not completed: %d of %d" % (self.check_whole(), 3 * FILES))
        if self.check_whole() == 0:
            self.must("apply")
        if self.check_whole() != 3 * FILES:
            raise AssertionError("not applied")
        self.kill(rng.random() * longest, "undo")
        back = self.check_whole()
        self.must("undo", "--list")
        if self.check_whole() == 3 * FILES:
            self.must("undo")
        if self.check_whole() != 0 or os.path.exists(os.path.join(self.workspace, "directory")):
            raise AssertionError("not undone")
        return reached, back


def measure(top):
    one = Crash(top, "first")
    one.stage()
    start = time.monotonic()
    one.must("apply")
    return time.monotonic() - start


def main():
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="bailey-crash-") as top:
        try:
            longest = 1.2 * measure(top)
        except AssertionError as error:
            print("1..0 # skip no overlay of a workspace works here: " + str(error).replace("\n", " "))
            return
        print("1..%d" % ROUNDS)
        for i in range(1, ROUNDS + 1):
            try:
                print("ok %d killed when %d and %d were new" % ((i,) + Crash(top, i).go(rng, longest)), flush=True)
            except AssertionError as error:
                print("not ok %d\n# %s" % (i, str(error).replace("\n", "\n# ")), flush=True)
            shutil.rmtree(os.path.join(top, str(i)), ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
