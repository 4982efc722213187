#!/usr/bin/env python3
"""Static expansion against real bash.

Each line of expand_cases.txt is a script that calls P with some words. bash runs it in an empty directory with an empty
environment, where P prints its words; we walk it, and say which words P would get. Where we say that they are known, they must
be those that bash got. How a line begins tells what else is asked:

    (nothing)  all words of all calls must be known to us, in the same number of calls
    ?          may be unknown to us, but never wrong
    ~          we may show more calls than bash makes, but those that bash makes are among them, known or not
    #          a comment

Each is then asked again with an environment that is not known to us: what bash does must be among what we show.
A pilcrow stands for a newline. `./expand_oracle.py FILE` takes the cases from another file.
"""

import binascii
import concurrent.futures
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

from only import matching  # noqa: E402

BAILEY = os.environ.get("BAILEY") or os.path.join(HERE, "..", "..", "build", "asan", "bailey")
FIELDS = os.environ.get("EXPAND_FIELDS") or os.path.join(os.path.dirname(os.path.abspath(BAILEY)), "tests", "expand_fields")
BASH = os.environ.get("BASH_ORACLE") or "bash"
PRELUDE = b"""P() { printf '%d:' $#; for __w in "$@"; do printf '<%s>\\035' "$__w"; done; printf '\\036'; }
unset _ SHLVL PWD OLDPWD OPTIND OPTERR __w
"""


def read_cases(path):
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip(b"\n")
            if not line or line.startswith(b"#"):
                continue
            kind = b""
            if line[:1] in b"?~":
                kind, line = line[:1], line[1:].lstrip(b" ")
            yield number, kind.decode(), line.replace("¶".encode(), b"\n")


def ask_bash(script):
    """The words of each call of P."""
    with tempfile.TemporaryDirectory() as empty:
        out = subprocess.run([BASH, "--norc", "--noprofile", "-c", PRELUDE + script], cwd=empty, env={}, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout
    calls = []
    for call in out.split(b"\036")[:-1]:
        words = call[call.index(b":") + 1:].split(b"\035")[:-1]
        calls.append([word[1:-1] for word in words])
    return calls


def ask_us(scripts, *options):
    """For each script: (calls, end); a call is its words; one that is not known is None."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"\0".join(scripts) + b"\0")
        file.flush()
        out = subprocess.run([FIELDS, file.name, *options], stdout=subprocess.PIPE, check=True).stdout.decode()
    answers, calls = [], []
    for line in out.splitlines():
        if line.startswith("end "):
            answers.append((calls, line[4:]))
            calls = []
        else:
            calls.append([None if word == "?" else binascii.unhexlify(word[1:]) for word in line.split(" ")[1:]])
    return answers


def may_be(ours, theirs):
    """Could our call be theirs? A word that is not known may be none or many."""
    if None not in ours:
        return ours == theirs
    before, after = ours[:ours.index(None)], ours[::-1][:ours[::-1].index(None)][::-1]
    return theirs[:len(before)] == before and theirs[len(theirs) - len(after):] == after


def judge(kind, ours, end, theirs):
    """What is wrong, or None."""
    if end != "complete":
        return "the walk ended: " + end
    if kind == "~":
        for call in theirs:
            if not any(may_be(our, call) for our in ours):
                return "bash calls P %r, we show %r" % (call, ours)
        return None
    if len(ours) != len(theirs):
        return "bash calls P %d times, we show %d: %r %r" % (len(theirs), len(ours), theirs, ours)
    for our, their in zip(ours, theirs):
        if None in our and kind == "":
            return "not known to us, bash has %r" % their
        if not may_be(our, their):
            return "bash has %r, we %r" % (their, our)
    return None


def title(case):
    number, _, script = case
    return "line %d: %s" % (number, script.decode("utf-8", "replace").replace("\n", "\\n").replace("#", "\\#")[:100])


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "expand_cases.txt")
    cases = matching(read_cases(path), title)
    if not cases:
        print("1..0")
        return
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        bash = list(pool.map(ask_bash, [script for _, _, script in cases]))
    us = ask_us([script for _, _, script in cases])
    us_without = ask_us([script for _, _, script in cases], "unknown")
    if len(us) != len(cases) or len(us_without) != len(cases):
        sys.exit("expand_fields answered %d of %d" % (len(us), len(cases)))
    print("1..%d" % len(cases))
    failed = 0
    for n, ((number, kind, script), theirs, (ours, end), without) in enumerate(zip(cases, bash, us, us_without), 1):
        wrong = judge(kind, ours, end, theirs) or judge("~", *without, theirs)
        print("%s %d - %s" % ("not ok" if wrong else "ok", n, title((number, kind, script))))
        if wrong:
            failed += 1
            print("# " + wrong.replace("\n", "\\n"))
    sys.exit(1 if failed else 0)


main()
