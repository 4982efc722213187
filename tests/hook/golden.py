#!/usr/bin/env python3
"""Questions of agents, and what they are told, word for word.

Each golden/AGENT/NAME.test has what `bailey hook` is called with, the question, and what comes of it:

    hook --mode wrap [NAME=VALUE...]    options, and variables of the environment
    --- question
    {...}
    --- 0                               the exit status, and the answer for the agent
    {...}
    --- said                            what is said on stderr; left out when there is nothing

@W@ stands for the workspace, @BAILEY@ for the program, N for a column. BAILEY_UPDATE=1 writes the answers anew. One TAP test a case; and each
agent needs an answer to allow, ask, deny, wrap, other tools, and to what is malformed.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

from only import ONLY, matching  # noqa: E402

BAILEY = os.path.realpath(os.environ.get("BAILEY") or os.path.join(HERE, "..", "..", "build", "asan", "bailey"))
NEEDED = ("allow", "ask", "deny", "malformed", "other-tool", "wrap", "wrap-ask", "wrap-deny")


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    call, question, _ = re.split(r"^--- question\n|^--- \d+\n", text, maxsplit=2, flags=re.M)
    return text, call, question


def ask(call, question, work):
    """What comes of it, as it stands in a file."""
    words = shlex.split(call.replace("@W@", work))
    variables = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
    home = os.path.join(os.path.dirname(work), "home")
    environment = {"HOME": home, "PATH": "/usr/bin:/bin", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""), **variables}
    question = question.replace("@W@", work).replace("@BAILEY@", BAILEY)
    done = subprocess.run([BAILEY] + [word for word in words if word.split("=")[0] not in variables], cwd=work, env=environment,
                          input=question.rstrip("\n").encode(), capture_output=True, timeout=200)
    out, said = (text.decode().replace(work, "@W@").replace(BAILEY, "@BAILEY@") for text in (done.stdout, done.stderr))
    said = re.sub(r"column \d+", "column N", said)  # depends on how long the path of the workspace is
    for line in out.split("\n")[:-1]:
        json.loads(line)  # an answer is one line of JSON, or nothing
    assert out.count("\n") <= 1, out
    return "--- %d\n%s" % (done.returncode, out) + ("--- said\n" + said if said else "")


def run(path, work):
    text, call, question = read(path)
    now = call + "--- question\n" + question + ask(call, question, work)
    if now != text and os.environ.get("BAILEY_UPDATE"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(now)
    elif now != text:
        return "expected:\n%s\nfound:\n%s" % (text, now)
    return None


def check_agents(agents):
    """Are all agents of the program here, with all that they need?"""
    tables = json.loads(subprocess.run([BAILEY, "__tables"], capture_output=True, check=True).stdout)
    rows = next(c for c in tables["commands"] if c["name"] == "hook")["options"]
    names = next(row["argument"] for row in rows if row["name"] == "agent").split("|")
    lacking = ["%s/%s" % (name, case) for name in names for case in NEEDED if case not in agents.get(name, [])]
    return "there is no " + ", ".join(lacking) if lacking else None


def relative(path):
    return os.path.relpath(path, os.path.join(HERE, "golden"))


def main():
    paths, agents = [], {}
    for agent in sorted(os.listdir(os.path.join(HERE, "golden"))):
        for name in sorted(os.listdir(os.path.join(HERE, "golden", agent))):
            paths.append(os.path.join(HERE, "golden", agent, name))
            agents.setdefault(agent, []).append(name.removesuffix(".test"))
    paths = matching(paths, relative)
    print("1..%d" % (len(paths) + (not ONLY)))
    failed = 0
    with tempfile.TemporaryDirectory() as top:
        top = os.path.realpath(top)
        work = os.path.join(top, "a workspace")
        os.makedirs(os.path.join(work, "sub"))
        os.mkdir(os.path.join(top, "home"))
        results = [(relative(path), run(path, work)) for path in paths]
        if not ONLY:
            results.append(("all agents", check_agents(agents)))
        for number, (name, problem) in enumerate(results, 1):
            failed += problem is not None
            print("%sok %d - %s" % ("not " if problem else "", number, name))
            if problem:
                print("\n".join("# " + line for line in problem.splitlines()))
    sys.exit(failed > 0)


main()
