#!/usr/bin/env python3
"""The guard against commands and what it must say of them.

Every block of *.test is a command and a verdict:

    === name                            or: === name [escaped], for C escapes and \\<N*text\\>
    command text, any lines
    --- blocked RULE...                 or: --- warned RULE..., --- allowed
    --- policy readonly                 if it is not the default one; policies.toml has more
    --- lookalike RULE...               it looks like what RULE catches, and must be allowed

The rules named must be among the reasons; an allowed command has none. Each rule of `bailey rules` needs a case that it catches
and a look-alike that it does not. All commands go through one `bailey test --batch`, in a directory of their own and without any
config but policies.toml, so that it does not matter where, or by whom, this is run. One TAP test a case.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

from only import ONLY, matching  # noqa: E402

BUILD = os.path.join(HERE, "..", "..", "build")
ACTIONS = ("allowed", "warned", "blocked")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b", "e": "\x1b", "\\": "\\"}


def find_bailey():
    if os.environ.get("BAILEY"):
        return os.path.abspath(os.environ["BAILEY"])
    found = [p for p in (os.path.join(BUILD, "asan", "bailey"), os.path.join(BUILD, "bailey")) if os.path.exists(p)]
    return os.path.abspath((found or [os.path.join(BUILD, "bailey")])[0])


class Case:
    """A command and what is to be said of it."""

    def __init__(self, file, line, name, escaped):
        self.file, self.line, self.name, self.escaped = file, line, name, escaped
        self.lines, self.action, self.rules, self.lookalike, self.policy = [], None, [], [], "default"

    def fail(self, message):
        sys.exit("%s:%d: %s" % (self.file, self.line, message))

    def text(self):
        text = "\n".join(self.lines)
        return decode(self, text) if self.escaped else text


# ---- reading the cases ----


def decode(case, text):
    """C escapes, \\uXXXX, and \\<N*text\\> for the text N times (not nested)."""
    text = re.sub(r"\\<(\d+)\*(.*?)\\>", lambda m: m[2] * int(m[1]), text, flags=re.S)

    def one(match):
        if match[1][0] in "xu" and len(match[1]) > 1:
            return chr(int(match[1][1:], 16))
        if match[1] not in ESCAPES:
            case.fail("unknown escape \\%s" % match[1])
        return ESCAPES[match[1]]

    return re.sub(r"\\(x[0-7][0-9a-fA-F]|u[0-9a-fA-F]{4}|.)", one, text, flags=re.S)


def start_case(file, number, line):
    match = re.fullmatch(r"=== (.+?)( \[escaped\])?", line)
    if not match:
        sys.exit("%s:%d: a case starts with `=== name`" % (file, number))
    return Case(file, number, match[1], bool(match[2]))


def add_verdict(case, line):
    words = line.split()[1:]
    if words and words[0] in ACTIONS and not case.action:
        case.action, case.rules = words[0], words[1:]
    elif len(words) == 2 and words[0] == "policy":
        case.policy = words[1]
    elif len(words) > 1 and words[0] == "lookalike":
        case.lookalike += words[1:]
    else:
        case.fail("cannot read `%s`" % line)


def check_case(case):
    if not case.action:
        case.fail("no verdict")
    if (case.action == "allowed") == bool(case.rules):
        case.fail("a command that is allowed breaks no rule, and any other one does")
    if case.lookalike and case.action != "allowed":
        case.fail("a look-alike is allowed")


def read_cases(path):
    file, cases, told = os.path.basename(path), [], False
    with open(path, encoding="utf-8", newline="\n") as stream:
        lines = stream.read().split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("==="):
            cases.append(start_case(file, number, line))
            told = False
        elif not cases:
            continue  # the head of the file
        elif line.startswith("--- "):
            add_verdict(cases[-1], line)
            told = True
        elif not told:
            cases[-1].lines.append(line)
        elif line:
            cases[-1].fail("text after the verdict: %s" % line)
    for case in cases:
        check_case(case)
    for name, count in collections.Counter(case.name for case in cases).items():
        if count > 1:
            sys.exit("%s: %d cases are called %s" % (file, count, name))
    return cases


# ---- asking ----


def run(argv, text=""):
    """In a home without anything in it."""
    with tempfile.TemporaryDirectory(prefix="bailey-guard-") as home:
        workspace = os.path.join(home, "project")
        os.mkdir(workspace)
        passed = {k: v for k, v in os.environ.items() if "SAN_OPTIONS" in k}
        environment = {"PATH": "/usr/bin:/bin", "HOME": home, "XDG_CONFIG_HOME": home, "LC_ALL": "C.UTF-8", **passed}
        argv = [find_bailey()] + [workspace if word == "WORKSPACE" else word for word in argv]
        try:
            done = subprocess.run(argv, input=text.encode(), capture_output=True, env=environment, cwd=workspace, check=False)
        except OSError as error:
            sys.exit("%s: %s" % (argv[0], error.strerror))
    if done.returncode != 0:
        sys.exit("%s: status %d: %s" % (" ".join(argv), done.returncode, done.stderr.decode("utf-8", "replace")))
    return done.stdout.decode("utf-8", "replace")


def ask(cases):
    asked = "".join(json.dumps({"command": case.text(), "policy": case.policy}) + "\n" for case in cases)
    answers = run(["test", "--batch", "--workspace", "WORKSPACE", "--config", os.path.join(HERE, "policies.toml")], asked)
    answers = [json.loads(line) for line in answers.split("\n")[:-1]]
    if len(answers) != len(cases):
        sys.exit("bailey test --batch: %d answers to %d commands" % (len(answers), len(cases)))
    for answer in answers:
        if answer["reasons"] and answer["reasons"][0]["rule"] == "input":
            sys.exit("bailey test --batch: %s" % answer["reasons"][0]["message"])
    return answers


# ---- comparing ----


def judge(case, answer):
    given = [reason["rule"] for reason in answer["reasons"]]
    problems = []
    if answer["action"] != case.action:
        problems.append("expected %s, it is %s" % (case.action, answer["action"]))
    problems += ["the reasons do not include %s" % rule for rule in case.rules if rule not in given]
    if case.action == "allowed" and given:
        problems.append("allowed, and yet with reasons")
    size = len(case.text().encode())
    for reason in answer["reasons"]:
        start, end = reason["range"]
        if not 0 <= start <= end <= size:
            problems.append("%s: the range %d..%d is not in the command" % (reason["rule"], start, end))
        if not reason["message"]:
            problems.append("%s: says nothing" % reason["rule"])
    return problems + (["reasons: %s" % ", ".join(given)] if problems and given else [])


def judge_rules(cases):
    """Is every rule tested both ways, and every rule that is tested one?"""
    known = [rule["id"] for rule in json.loads(run(["rules", "--json"]))]
    caught = {rule for case in cases for rule in case.rules}
    spared = {rule for case in cases for rule in case.lookalike}
    problems = ["no case is caught by %s" % rule for rule in known if rule not in caught]
    problems += ["no look-alike of %s is allowed" % rule for rule in known if rule not in spared]
    own = {"no-deploys", "no-verify"}  # of policies.toml
    return problems + ["there is no rule %s" % rule for rule in sorted((caught | spared) - set(known) - own)]


def title(case):
    return "%s: %s" % (case.file, case.name)


def tell(number, name, problems):
    print("%s %d - %s" % ("not ok" if problems else "ok", number, name))
    for line in problems:
        print("#   " + line)


def main(argv):
    paths = argv or sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith(".test"))
    cases = matching((case for path in paths for case in read_cases(path)), title)
    every = not argv and not ONLY
    failed = 0
    print("1..%d" % (len(cases) + every))
    for number, (case, answer) in enumerate(zip(cases, ask(cases)), 1):
        problems = judge(case, answer)
        if problems:
            problems.append("%s:%d %s %r" % (case.file, case.line, case.policy, case.text()[:200]))
        failed += bool(problems)
        tell(number, title(case), problems)
    if every:
        problems = judge_rules(cases)
        failed += bool(problems)
        tell(len(cases) + 1, "every rule has a case that it catches and a look-alike that it does not", problems)
    print("# %d cases, %d failed" % (len(cases), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
