"""The TOML reader against Python's tomllib.

Every document must give the same tree here and there, in the same order, or be refused by both. The documents are those
of toml_documents.py (one TAP test each), mutations of them, and random statements about a few keys, which try the rules
against defining things twice (one TAP test for each 500). The random ones are the same in every run. TOML_ORACLE_SEED
and TOML_ORACLE_BATCHES ask for others and for more.
"""

import json
import math
import os
import random
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing appears beside the sources
import toml_documents as documents

HERE = os.path.dirname(os.path.abspath(__file__))
BAILEY = os.environ.get("BAILEY") or os.path.join(HERE, "..", "..", "build", "asan", "bailey")
TREE_DUMP = os.environ.get("TREE_DUMP") or os.path.join(os.path.dirname(BAILEY), "tests", "tree_dump")
SEED = int(os.environ.get("TOML_ORACLE_SEED") or 1)
BATCHES = int(os.environ.get("TOML_ORACLE_BATCHES") or 8)  # of each kind
BATCH = 500
DEPTH_MAX = 100
REFUSED = "refused"


def skip(reason):
    print("1..0 # SKIP " + reason)
    sys.exit(0)


try:
    import tomllib
except ImportError:
    skip("python 3.11 or later is needed, for tomllib")


# ---- what tomllib says ----

def is_small(value, depth=1):
    """Within the limits of our reader, which Python has not."""
    if isinstance(value, (dict, list)):
        if depth > DEPTH_MAX:
            return False
        return all(is_small(v, depth + 1) for v in (value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int) or -2 ** 63 <= value < 2 ** 63


def read_there(text):
    """The tree; REFUSED; or None when it may be refused here, and must be."""
    try:
        tree = tomllib.loads(text.decode())
    except (ValueError, RecursionError):
        return REFUSED
    return tree if is_small(tree) else None


# ---- what our reader says ----

def read_here(texts):
    """For each text a tree of tagged values, or a string: where and why it is refused."""
    frames = b"".join(b"toml %d\n%s" % (len(text), text) for text in texts)
    done = subprocess.run([TREE_DUMP], input=frames, stdout=subprocess.PIPE, check=False)
    lines = done.stdout.decode().split("\n")[:-1]
    if done.returncode != 0 or len(lines) != len(texts):
        return ["crash, status %d, or an answer too few" % done.returncode] * len(texts)
    return [json.loads(line[3:]) if line.startswith("ok ") else line for line in lines]


def same_float(a, b):
    return math.isnan(a) and math.isnan(b) or struct.pack("d", a) == struct.pack("d", b)


SCALARS = {
    "string": (str, lambda text, value: text == value),
    "integer": (int, lambda text, value: text == str(value)),
    "float": (float, lambda text, value: same_float(float(text), value)),
    "bool": (bool, lambda text, value: text == ("true" if value else "false")),
}


def same_moment(kind, text, value):
    """Dates are kept as they are written, so they are read once more; the kind is told by what is in the text."""
    has_date, has_time = "-" in text[:8], ":" in text
    has_offset = has_date and has_time and re.search(r"[Zz]$|[+-]..:..$", text)
    name = "-".join(["date"] * bool(has_date) + ["time"] * has_time).replace("-time", "time")
    return kind == name + ("" if has_offset else "-local") and repr(tomllib.loads("a = " + text)["a"]) == repr(value)


def same(here, there):
    if isinstance(there, list):
        return isinstance(here, list) and len(here) == len(there) and all(map(same, here, there))
    if not isinstance(here, dict):
        return False
    if isinstance(there, dict):
        return list(here) == list(there) and all(same(here[key], there[key]) for key in there)
    if list(here) != ["type", "value"] or not isinstance(here["value"], str):
        return False
    if here["type"] in SCALARS:
        kind, equal = SCALARS[here["type"]]
        return type(there) is kind and equal(here["value"], there)
    return same_moment(here["type"], here["value"], there)


def difference(here, there):
    """None when both agree."""
    if isinstance(here, str):
        if not here.startswith("error "):
            return here
        return None if there in (None, REFUSED) else "refused here: " + here
    if there is None:
        return "past a limit, but read here"
    if there == REFUSED:
        return "tomllib refuses it, read here: %s" % here
    return None if same(here, there) else "different:\n#   here    %s\n#   tomllib %s" % (here, there)


# ---- documents ----

def to_bytes(text):
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def written_documents():
    """(text, whether it was written to be valid, or None)"""
    for valid, values, whole in ((True, documents.VALID_VALUES, documents.VALID),
                                 (False, documents.INVALID_VALUES, documents.INVALID)):
        for value in values:
            yield "a = " + value, valid
            yield "a = [" + value + "]", valid or None
            yield "a = {b = " + value + "}\n[c]\nd.e = " + value, valid or None
        for text in whole:
            yield text, valid
    for parts in (99, 100, 101, 200):
        dotted = ".".join("a" * parts)
        for text in ("%s = 1", "[%s]", "[[%s]]", "a = {%s = 1}", "[%s]\nb = 1\n[[c]]"):
            yield text % dotted, True
        yield "a = " + "[" * parts + "]" * parts, True
        yield "a = " + "{a=" * parts + "1" + "}" * parts, True
    for integer in (2 ** 63 - 1, 2 ** 63, -2 ** 63, -2 ** 63 - 1, 2 ** 64 - 1, 2 ** 64, 10 ** 40, -10 ** 40):
        yield "a = %d" % integer, True
        if integer > 0:
            for base in ("0x%x", "0o%o"):
                yield "a = " + base % integer, True
            yield "a = " + bin(integer), True


TOKENS = [b"[", b"]", b"[[", b"]]", b"{", b"}", b"=", b".", b",", b"#", b'"', b"'", b'"""', b"'''", b"\\", b"\n",
          b"\r\n", b"\r", b" ", b"\t", b"a", b"b", b"0", b"1", b"-", b"+", b"_", b":", b"e", b"T", b"Z", b"0x", b"inf",
          b"nan", b"true", b"\\u00e9", b"\\U0001F600", b"\\\n", b"\xc3\xa9", b"\xff", b"\x00", b"\x7f", b"a = 1\n",
          b"[a]\n", b"[[a]]\n", b"{a=1}", b"1979-05-27", b"07:32:00", b"\xef\xbb\xbf"]


def mutate(rng, pool):
    text = bytearray(rng.choice(pool))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice((1, 1, 1, 2, 5)))
        action = rng.randrange(6)
        if action == 0:
            del text[at:to]
        elif action == 1:
            text[at:at] = rng.choice(TOKENS)
        elif action == 2:
            text[at:to] = rng.choice(TOKENS)
        elif action == 3:
            text[at:at] = text[at:to]
        elif action == 4:
            text[at:to] = text[at:to][::-1]
        else:
            text += b"\n" + rng.choice(pool)
    return bytes(text)


def random_key(rng, most):
    return ".".join(rng.choice("abc") for _ in range(rng.randint(1, most)))


def random_value(rng, depth=0):
    choice = rng.randrange(8 if depth < 3 else 4)
    if choice >= 6:
        pairs = ("%s = %s" % (random_key(rng, 2), random_value(rng, depth + 1)) for _ in range(rng.randrange(3)))
        return "{" + ", ".join(pairs) + "}"
    if choice >= 4:
        return "[" + ", ".join(random_value(rng, depth + 1) for _ in range(rng.randrange(3))) + "]"
    return rng.choice(("1", '"x"', "true", "1.5", "2020-02-29", "{}", "[]"))


def random_statements(rng):
    """Mostly what is valid after what is there already, or nearly all would be invalid for the same few reasons."""
    text = b""
    for _ in range(rng.randint(1, 9)):
        form = rng.choice(("[%s]\n", "[%s]\n", "[[%s]]\n", "[[%s]]\n", "%s = %s\n", "%s = %s\n", "%s = %s\n"))
        key, value = random_key(rng, 3), random_value(rng)
        longer = text + (form % ((key, value) if "=" in form else key)).encode()
        valid = read_there(longer) != REFUSED
        if valid or rng.random() < 0.2:
            text = longer
        if not valid and text is longer:
            break
    return text


# ---- TAP ----

class Tap:
    def __init__(self):
        self.count, self.failed = 0, 0

    def say(self, name, problems):
        self.count += 1
        self.failed += bool(problems)
        print("%sok %d - %s" % ("not " if problems else "", self.count, name))
        for problem in problems[:10]:
            print("# " + problem)


def compare(texts):
    """The problem of each text, or None; and how many tomllib reads."""
    there = [read_there(text) for text in texts]
    problems = [difference(*both) for both in zip(read_here(texts), there)]
    return problems, there


def main():
    if not os.access(TREE_DUMP, os.X_OK):
        skip("no %s" % TREE_DUMP)
    if read_there(b'a = "\\e"') != REFUSED:
        skip("this tomllib reads TOML 1.1, not 1.0.0")
    tap = Tap()
    written = [(to_bytes(text), valid) for text, valid in written_documents()]
    problems, there = compare([text for text, _ in written])
    for (text, valid), problem, tree in zip(written, problems, there):
        if not problem and valid is not None and valid == (tree == REFUSED):
            problem = "tomllib thinks otherwise"
        tap.say(repr(text[:60]).replace("#", "\\#"), [problem] if problem else [])
    pool = [text for (text, _), tree in zip(written, there) if tree != REFUSED and len(text) < 400]
    rng = random.Random(SEED)
    for name, make in (("mutations", lambda: mutate(rng, pool)), ("statements", lambda: random_statements(rng))):
        for batch in range(BATCHES):
            texts = [make() for _ in range(BATCH)]
            problems, there = compare(texts)
            read = sum(tree != REFUSED for tree in there)
            tap.say("%s, batch %d: %d documents, %d of them valid" % (name, batch + 1, BATCH, read),
                    ["%r: %s" % both for both in zip(texts, problems) if both[1]])
    print("1..%d" % tap.count)
    return tap.failed > 0


sys.exit(main())
