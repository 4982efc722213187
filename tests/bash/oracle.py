#!/usr/bin/env python3
"""The parser against real bash.

Every case under cases/*.test says what bash makes of a text: rejected, or accepted with these simple commands in it. The case is
checked against our parser and against the bash of this machine, so that neither our expectation nor our parser can be wrong
alone. Nothing of a case is ever run: bash gets -n or --pretty-print. One TAP test a case. The format is told in cases/README.
"""

import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

from only import ONLY, matching  # noqa: E402

BAILEY = os.environ.get("BAILEY") or os.path.join(HERE, "..", "..", "build", "bailey")
PRINTER = os.path.join(os.path.dirname(os.path.abspath(BAILEY)), "tests", "print_texts")
BASH = os.environ.get("BASH_ORACLE") or "bash"
ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", **{k: v for k, v in os.environ.items() if "SAN_OPTIONS" in k}}
VERDICTS = ("accepted", "rejected", "refused")
CHECKS = ("pretty", "print", "bash")


class Case:
    """A text and what is true of it. `commands` is None where only the verdict is told."""

    def __init__(self, file, line, name, escaped):
        self.file, self.line, self.name, self.escaped = file, line, name, escaped
        self.text = b""
        self.verdict = None
        self.commands = None
        self.skip = {}

    def fail(self, message):
        sys.exit("%s:%d: %s" % (self.file, self.line, message))


# ---- reading the cases ----

ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f", b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"\\": b"\\"}


def decode_text(case, text):
    """C escapes, and \\<N*text\\> for the text N times (not nested)."""
    text = re.sub(rb"\\<(\d+)\*(.*?)\\>", lambda m: m[2] * int(m[1]), text, flags=re.S)

    def one(match):
        if match[1].startswith(b"x"):
            return bytes([int(match[1][1:], 16)])
        if match[1] not in ESCAPES:
            case.fail("unknown escape \\%s" % match[1].decode("latin-1"))
        return ESCAPES[match[1]]

    return re.sub(rb"\\(x[0-9a-fA-F]{2}|.)", one, text, flags=re.S)


def decode_words(line):
    """a|b -> [a, b]. \\| \\\\ \\n \\t \\r \\v \\xHH stand for one byte; any other backslash for itself."""
    words, word, at = [], b"", 0
    while at < len(line):
        two = line[at : at + 2]
        if line[at : at + 1] == b"|":
            words.append(word)
            word, at = b"", at + 1
        elif two == b"\\x" and re.fullmatch(rb"[0-9a-fA-F]{2}", line[at + 2 : at + 4]):
            word, at = word + bytes([int(line[at + 2 : at + 4], 16)]), at + 4
        elif two in (b"\\|", b"\\\\", b"\\n", b"\\t", b"\\r", b"\\v"):
            word, at = word + ESCAPES.get(two[1:], b"|"), at + 2
        else:
            word, at = word + line[at : at + 1], at + 1
    return tuple(words + [word])


def start_case(file, number, line):
    match = re.fullmatch(rb"=== (.*?)( \[escaped\])?", line)
    if not match:
        sys.exit("%s:%d: a case starts with `=== name`" % (file, number))
    return Case(file, number, match[1].decode(), bool(match[2]))


def start_section(case, line):
    """Takes in a `---` line; returns the name of the section whose lines follow."""
    title = line[4:].decode()
    if title == "note":
        return "note"
    if title == "commands":
        case.commands = []
        case.verdict = case.verdict or "accepted"
        return "commands"
    if title in VERDICTS:
        case.verdict = title
        return "end"
    match = re.fullmatch(r"no (\w+): (.+)", title)
    if not match or match[1] not in CHECKS:
        case.fail("unknown section `%s`" % title)
    case.skip[match[1]] = match[2]
    return "end"


def add_line(case, section, line):
    if section == "text":
        case.text += line + b"\n"
    elif section == "commands" and line:
        case.commands.append(decode_words(line))
    elif section == "end" and line:
        case.fail("text after the end of the case: %s" % line.decode("latin-1"))


def read_cases(path):
    file, cases, section = os.path.basename(path), [], None
    with open(path, "rb") as stream:
        lines = stream.read().split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.startswith(b"==="):
            cases.append(start_case(file, number, line))
            section = "text"
        elif not cases:
            continue  # the head of the file
        elif line.startswith(b"--- "):
            section = start_section(cases[-1], line)
        else:
            add_line(cases[-1], section, line)
    for case in cases:
        case.text = case.text[:-1]
        if case.escaped:
            case.text = decode_text(case, case.text)
        if not case.verdict:
            case.fail("no verdict")
    names = collections.Counter(case.name for case in cases)
    for case in cases:
        if names[case.name] > 1:
            case.fail("a second case of this name")
    return cases


# ---- asking bash and bailey ----


def run(argv):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT, check=False)


def bash_version():
    try:
        found = run([BASH, "-c", "echo ${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]}"]).stdout.split()
    except OSError:
        return (0, 0)
    return tuple(int(n) for n in found) if len(found) == 2 else (0, 0)


def bash_accepts(text):
    """After an error inside [[ ]] or for (( )) bash skips all the rest, with a message or without, and yet exits with 0. So a
    text that has one of these is asked for again with one more error at its end, to see whether bash gets that far."""
    argv = [BASH, "--norc", "--noprofile", "-O", "extglob", "-n", "-c", "--"]
    done = run(argv + [text])
    message = readable(done.stderr).strip()
    accepted = done.returncode == 0
    if accepted and re.search(rb"\[\[|\(\(", text.replace(b"\\\n", b"")) and "here-document" not in message:
        accepted = run(argv + [text + b"\n)"]).returncode != 0
    return accepted, message


def bash_pretty(text):
    with tempfile.NamedTemporaryFile(prefix="bailey-oracle-") as file:
        file.write(text)
        file.flush()
        pretty = run([BASH, "--norc", "--noprofile", "--pretty-print", "-O", "extglob", file.name]).stdout
    return pretty.replace(b"coproc COPROC ", b"coproc ")  # for `coproc cmd`, where bash 5.2 makes COPROC the command


def readable(data):
    return data.decode("utf-8", "replace")


def is_utf8(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def tree_commands(text, node):
    """The words of every simple command below a node of `parse --json`, cut out of the text by their ranges."""
    if isinstance(node, list):
        return [found for child in node for found in tree_commands(text, child)]
    if not isinstance(node, dict):
        return []
    found = [found for child in node.values() for found in tree_commands(text, child)]
    if node.get("kind") == "simple" and node.get("words"):
        found.append([readable(text[slice(*word["range"])]) for word in node["words"]])
    return found


def bailey_parse_one(text):
    answer = json.loads(readable(run([BAILEY, "parse", "--json", "--", text]).stdout))
    return dict(answer, commands=tree_commands(text, answer["commands"]))


def bailey_parse(texts):
    """One answer a text. What is not UTF-8 cannot be said in JSON; it goes in alone, as an argument."""
    answers = [None] * len(texts)
    batch = [i for i, text in enumerate(texts) if is_utf8(text)]
    asked = "".join(json.dumps({"command": texts[i].decode()}) + "\n" for i in batch)
    done = subprocess.run([BAILEY, "parse", "--batch"], input=asked.encode(), capture_output=True, check=False)
    lines = done.stdout.decode("utf-8", "replace").split("\n")[:-1]
    if len(lines) != len(batch):
        sys.exit("bailey parse --batch: %d answers to %d commands, status %d: %s"
                 % (len(lines), len(batch), done.returncode, readable(done.stderr)))
    for i, line in zip(batch, lines):
        answers[i] = json.loads(line)
    for i, text in enumerate(texts):
        if answers[i] is None:
            answers[i] = bailey_parse_one(text)
        # In [[ ]], bash complains and drops the rest, and yet exits with 0: the answer then is ok, with the error.
        answers[i]["ok"] = answers[i]["ok"] and "error" not in answers[i]
    return answers


def bailey_print(texts):
    """What `bailey parse --print` prints of each text, and its status, by one process: to start it takes longer than to print any text."""
    done = subprocess.run([PRINTER], input=b"".join(text + b"\0" for text in texts), capture_output=True, env=ENVIRONMENT, check=False)
    answers, rest = [], done.stdout
    while rest:
        head, _, rest = rest.partition(b"\n")
        status, length = map(int, head.split())
        text, rest = rest[:length], rest[length:]
        answers.append((text if text.endswith(b"\n") or not text else text + b"\n", status))
    if len(answers) != len(texts) or done.returncode != 0:
        sys.exit("%s: %d of %d texts, status %d: %s" % (PRINTER, len(answers), len(texts), done.returncode, readable(done.stderr)))
    return answers


# ---- comparing ----


def multiset(commands):
    return collections.Counter(tuple(word.replace("\\\n", "") for word in words) for words in commands)


def decode_ansi(match):
    """$'...' as the value it stands for, near enough to compare: a printer may spell it in another way."""
    letters = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v"))

    def one(escape):
        code = escape[1]
        if code[0] in "xuU" and len(code) > 1:
            return chr(int(code[1:].strip("{}"), 16))
        if code[0] == "c" and len(code) > 1:
            return chr(127 if code[1] == "?" else ord(code[1].upper()) & 31)
        return chr(int(code, 8)) if code[0].isdigit() else letters.get(code, code)

    codes = r"\\(x\{?[0-9a-fA-F]{1,2}\}?|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c\\\\|c[^\\]|.)"
    return "'" + re.sub(codes, one, match[1], flags=re.S) + "'"


def loosely(commands):
    """Words as a printer may leave them: other quotes, blanks and separators. What a substitution holds is dropped; its
    commands are in the list by themselves."""

    def loose(word):
        word = re.split(r"`|[$<>]\(", word.replace("\\\n", ""), maxsplit=1)[0]
        word = re.sub(r"\$'((?:[^'\\]|\\.)*)'", decode_ansi, word, flags=re.S)
        return re.sub(r"""\$(?=["'])|[\s;'"\\\x01]""", "", word)

    return collections.Counter(tuple(loose(word) for word in words) for words in commands)


def difference(want, got):
    lines = ["missing: %r" % (words,) for words in (want - got).elements()]
    return lines + ["too much: %r" % (words,) for words in (got - want).elements()]


def check_ours(case, answer):
    if answer["ok"] != (case.verdict == "accepted"):
        return ["expected %s, bailey says %s" % (case.verdict, json.dumps(answer.get("error")) if not answer["ok"] else "ok")]
    if case.commands is None:
        return []
    want = multiset([readable(word) for word in words] for words in case.commands)
    return difference(want, multiset(answer["commands"]))


def check_bash(case, accepted, message):
    if "bash" in case.skip or accepted == (case.verdict != "rejected"):
        return []
    return ["expected %s, bash %s" % (case.verdict, "accepts" if accepted else "rejects: " + message)]


def check_reparsed(what, text, want, answer):
    if not answer["ok"]:
        problems = ["bailey rejects it: %s" % json.dumps(answer["error"])]
    else:
        problems = difference(want, loosely(answer["commands"]))
    return ["%s: %s" % (what, line) for line in problems + (["text %r" % readable(text)] if problems else [])]


def observe(case, printed, with_bash):
    """All that bash says of one case and of what we print of it, so that a pool can gather it."""
    seen = {"printed": printed, "pretty": None, "bash": None}
    if not with_bash:
        return seen
    seen["bash"] = bash_accepts(case.text)
    if printed:
        seen["printed_bash"] = bash_accepts(printed[0])
    if case.verdict == "accepted" and "pretty" not in case.skip:
        seen["pretty"] = bash_pretty(case.text)
    return seen


def observe_all(cases, with_bash):
    which = [i for i, case in enumerate(cases) if case.verdict == "accepted" and "print" not in case.skip]
    printed = dict(zip(which, bailey_print([cases[i].text for i in which])))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda i: observe(cases[i], printed.get(i), with_bash), range(len(cases))))


def check_printed(seen, answer, again):
    text, status = seen["printed"]
    if status != 0:
        return ["parse --print: status %d" % status]
    problems = check_reparsed("printed", text, loosely(answer["commands"]), again)
    accepted, message = seen.get("printed_bash", (True, ""))
    if not accepted:
        problems.append("bash rejects what we print: %s: %r" % (message, readable(text)))
    return problems


def judge(case, answer, seen, printed, pretty):
    problems = check_ours(case, answer)
    if seen["bash"]:
        problems += check_bash(case, *seen["bash"])
    if printed and answer["ok"]:
        problems += check_printed(seen, answer, printed)
    if pretty and answer["ok"]:
        problems += check_reparsed("pretty-printed by bash", seen["pretty"], loosely(answer["commands"]), pretty)
    return problems


def ask_again(seen, key, text_of):
    """Parses what the first round produced, all in one batch."""
    which = [i for i, s in enumerate(seen) if s[key] is not None]
    answers = bailey_parse([text_of(seen[i]) for i in which])
    return dict(zip(which, answers))


def main(argv):
    paths = argv or sorted(os.path.join(HERE, "cases", f) for f in os.listdir(os.path.join(HERE, "cases")) if f.endswith(".test"))
    cases = matching((case for path in paths for case in read_cases(path)), lambda case: "%s: %s" % (case.file, case.name))
    version = bash_version()
    with_bash = version >= (5, 2)
    answers = bailey_parse([case.text for case in cases])
    seen = observe_all(cases, with_bash)
    printed = ask_again(seen, "printed", lambda s: s["printed"][0])
    pretty = ask_again(seen, "pretty", lambda s: s["pretty"])

    print("1..%d" % (len(cases) + (not ONLY)))
    failed = 0
    for number, case in enumerate(cases, 1):
        i = number - 1
        problems = judge(case, answers[i], seen[i], printed.get(i), pretty.get(i))
        failed += bool(problems)
        print("%s %d - %s: %s" % ("not ok" if problems else "ok", number, case.file, case.name))
        for line in problems:
            print("#   " + line)
        if problems:
            print("#   %s:%d %r" % (case.file, case.line, readable(case.text)))
    if not ONLY:
        reason = "" if with_bash else " # SKIP bash 5.2 is needed, found %d.%d" % version
        print("ok %d - compared with bash%s" % (len(cases) + 1, reason))
    print("# %d cases, %d failed" % (len(cases), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
