#!/usr/bin/env python3
"""Completion in real shells, against the tables that the program itself tells: nothing is listed here by hand.

Bash offers what comes behind the last = or :, fish the whole word; `value` and `word` stand for the two.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

import shells

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests"))

from only import matching  # noqa: E402

BAILEY = os.path.abspath(os.environ.get("BAILEY") or os.path.join(ROOT, "build", "bailey"))

CONFIG = "[policy.mine]\n"
OTHER = "[policy.another]\n"
PLANTED = "#!/bin/sh\n: >planted\n"


def tell(*arguments):
    return subprocess.run([BAILEY, *arguments], check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout


TABLES = json.loads(tell("__tables"))
RULES = {rule["id"] for rule in json.loads(tell("rules", "--json"))}
SCHEMA = json.loads(tell("config", "schema"))["$defs"]
ITEMS = ("policy", "guard.dangerous_patterns", "sandbox.network.credential")  # their keys are those of the items of a list
KEYS = {"%s.%s" % (section, key): row for section, rows in SCHEMA.items() if section not in ITEMS
        for key, row in rows["properties"].items() if "allOf" in row}
COMMANDS = TABLES["commands"]


def is_of(option, name):
    return option["of"] is None or name in option["of"].split()


def options_of(command, name=None):
    return {"--" + option["name"] for option in command["options"] if name is None or is_of(option, name)}


class World:
    """A home with a config file, a directory with files, a PATH with the program, and one shell."""

    def __init__(self, name, load=None):
        self.name = name
        self.root = tempfile.mkdtemp()
        self.work, home, path = (os.path.join(self.root, part) for part in ("work", "home", "bin"))
        for directory in (self.work, path, os.path.join(home, ".config", "bailey"), os.path.join(self.work, "some dir")):
            os.makedirs(directory)
        self.write(os.path.join(home, ".config", "bailey", "config.toml"), CONFIG)
        self.write(os.path.join(self.work, "other.toml"), OTHER)
        self.write(os.path.join(self.work, "bailey"), PLANTED)
        os.chmod(os.path.join(self.work, "bailey"), 0o755)
        os.symlink(BAILEY, os.path.join(path, "bailey"))
        environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        environment.update(HOME=home, PATH=path + ":" + os.environ["PATH"], SOME_VARIABLE="1", LC_ALL="C.UTF-8")
        self.shell = shells.SHELLS[name](self.work, environment, load)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def offered(self, line):
        return self.shell.ask(line)[0]

    def whole(self, before, values):
        """Candidates as this shell shows them where `before` stands in front of them in the same word."""
        return {before + value for value in values} if self.name == "fish" else set(values)

    def close(self):
        self.shell.close()
        shutil.rmtree(self.root)


def same(found, wanted, line):
    assert found == wanted, "%r: not offered: %s; not expected: %s" % (line, sorted(wanted - found), sorted(found - wanted))


# ---- tests ----


def test_commands(world):
    same(world.offered("bailey "), {command["name"] for command in COMMANDS}, "bailey ")
    same(world.offered("bailey --"), {"--" + option["name"] for option in TABLES["options"]}, "bailey --")
    same(world.offered("bailey help "), {command["name"] for command in COMMANDS}, "bailey help ")


def test_subcommands(world):
    for command in COMMANDS:
        names = {row["name"] for row in command["subcommands"]}
        for line in ("bailey %s ", "bailey help %s "):
            if names:
                same(world.offered(line % command["name"]), names, line % command["name"])


def test_options(world):
    for command in COMMANDS:
        line = "bailey %s --" % command["name"]
        same(world.offered(line), options_of(command), line)
        for row in command["subcommands"]:
            line = "bailey %s %s --" % (command["name"], row["name"])
            same(world.offered(line), options_of(command, row["name"]), line)


def test_choices(world):
    for command in COMMANDS:
        for option in command["options"]:
            if not option["argument"] or "|" not in option["argument"] or option["argument"][0] == "[":
                continue  # what can be left out is not asked for
            choice, before = set(option["argument"].split("|")), "--%s=" % option["name"]
            line = "bailey %s --%s " % (command["name"], option["name"])
            same(world.offered(line), choice, line)
            line = "bailey %s %s" % (command["name"], before)
            same(world.offered(line), world.whole(before, choice), line)
    same(world.offered("bailey completion "), {"bash", "zsh", "fish"}, "bailey completion ")


def test_policies(world):
    known = {"default", "readonly", "build", "mine"}
    for line in ("bailey run --policy ", "bailey test -p "):
        same(world.offered(line), known, line)
    for line in ("bailey run --config other.toml --policy ", "bailey test -c other.toml -p ", "bailey run -cother.toml -p "):
        same(world.offered(line), known | {"another"}, line)
    line = "bailey run --config=other.toml --policy=a"
    same(world.offered(line), world.whole("--policy=", {"another"}), line)


def test_rules_and_backends(world):
    same(world.offered("bailey audit --rule "), RULES, "rules")
    words = set(KEYS["sandbox.backend"]["allOf"][0]["enum"])
    same(world.offered("bailey run -b "), words, "backends")


def test_settings(world):
    wanted = {key + "=" for key in KEYS}
    same(world.offered("bailey run --set "), wanted, "keys")
    for key, row in KEYS.items():
        if "enum" in row["allOf"][0]:
            line, words = "bailey run --set %s=" % key, row["allOf"][0]["enum"]
            before = "" if world.name == "bash" else key + "="
            same(world.offered(line), {before + word for word in words}, line)
    assert "SOME_VARIABLE" in world.offered("bailey run --env SOME_V")


def test_files(world):
    same(world.offered("bailey config check oth"), {"other.toml"}, "a file operand")
    same(world.offered("bailey parse --file oth"), {"other.toml"}, "a file argument")
    same(world.offered("bailey parse --file=oth"), world.whole("--file=", {"other.toml"}), "a file behind =")
    found, after = world.shell.ask("bailey run --workspace so")
    assert len(found) == 1 and "other.toml" not in found, found
    if world.name != "fish":
        assert after == "bailey run --workspace some\\ dir/", after
    assert not world.offered("bailey trust oth"), "a file where a directory is asked for"
    assert not world.offered("bailey config show oth"), "an operand where none is taken"


def test_programs(world):
    assert "env" in world.offered("bailey run en")
    assert "env" in world.offered("bailey run -- en")
    same(world.offered("bailey run -- cat oth"), {"other.toml"}, "arguments of a program")
    same(world.offered("bailey run --policy=mine -- bailey aud"), {"audit"}, "a program with completion of its own")


def test_planted(world):
    world.offered("./bailey ")
    world.offered(os.path.join(world.work, "bailey") + " run --")
    assert not os.path.exists(os.path.join(world.work, "planted")), "a TAB ran what was typed"


def test_printed(world):
    load = "bailey completion fish | source" if world.name == "fish" else 'eval "$(bailey completion %s)"' % world.name
    if world.name == "zsh":
        load = "autoload -Uz compinit; compinit -D -u; " + load
    other = World(world.name, load)
    try:
        same(other.offered("bailey aud"), {"audit"}, "bailey aud")
    finally:
        other.close()


TESTS = [test_commands, test_subcommands, test_options, test_choices, test_policies, test_rules_and_backends, test_settings,
         test_files, test_programs, test_planted, test_printed]


def title(shell, test):
    return "%s: %s" % (shell, test.__name__[len("test_"):].replace("_", " "))


def run(number, test, world):
    label = "%d - %s" % (number, title(world.name, test))
    try:
        test(world)
    except Exception:  # pylint: disable=broad-except  # any of them is a failure
        print("not ok " + label)
        print("\n".join("# " + line for line in traceback.format_exc().splitlines()))
        return False
    print("ok " + label)
    return True


def main():
    failed = number = 0
    chosen = matching([(name, test) for name in shells.SHELLS for test in TESTS], lambda case: title(*case))
    print("1..%d" % len(chosen))
    for name in dict.fromkeys(name for name, _ in chosen):
        world = World(name) if shells.is_there(name) else None
        for test in (test for of, test in chosen if of == name):
            number += 1
            if world:
                failed += not run(number, test, world)
            else:
                print("ok %d - %s # SKIP there is no %s here" % (number, title(name, test), name))
        if world:
            world.close()
    return 1 if failed else 0


sys.exit(main())
