#!/usr/bin/env python3
"""All that is in the program's tables is in its help, its manuals and its documents, and they tell of nothing else.

What there is comes from the tables alone (`bailey __tables`, `config schema`, `rules`) and from the public header. What shells
complete is tested in tests/cli/completion.py, from the same tables.
"""

import os
import re
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "docs", "make"), os.path.join(ROOT, "tests")]

import header  # noqa: E402
from only import matching  # noqa: E402
from tables import Tables, initialize, is_of  # noqa: E402

BAILEY = os.path.abspath(os.environ.get("BAILEY") or os.path.join(ROOT, "build", "bailey"))
PAGES = os.path.join(os.path.dirname(BAILEY), "docs")
OPTIONS_MAX = 40  # cli/options.h


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more).stdout


TABLES = Tables(BAILEY)
HEADER = read("include", "bailey.h")
TEMPLATES = sorted(os.listdir(os.path.join(ROOT, "docs", "man")))


def help_of(*words):
    return run(BAILEY, *words, "--help")


def rendered(page):
    """A manual page as one reads it, without what makes letters bold."""
    return re.sub(".\b", "", run("mandoc", "-Tutf8", "-Owidth=400", os.path.join(PAGES, page)))


def part(text, pattern):
    """What stands under a heading, up to the next one of its kind; `pattern` has the heading as its one group."""
    parts = re.split(pattern, text, flags=re.M)
    return {name: body for name, body in zip(parts[1::2], parts[2::2])}


def has_option(text, option, where):
    argument = option["argument"] or ""
    wanted = "--" + option["name"] + ("[=" + argument[1:] if argument.startswith("[") else " " + argument if argument else "")
    if option["letter"]:
        wanted = "-%s, %s" % (option["letter"], wanted)
    assert re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(wanted), text), "%s is missing in %s" % (wanted, where)
    assert option["help"] in text, "%r is missing in %s" % (option["help"], where)


def has(text, wanted, where):
    assert wanted in text, "%r is missing in %s" % (wanted, where)


# ---- the tables themselves ----


def test_tables_make_sense():
    assert not TABLES.unknown_arguments, "cli/values.c has no row for: %s" % ", ".join(TABLES.unknown_arguments)
    names = [command["name"] for command in TABLES.commands]
    assert len(set(names)) == len(names), names
    for command in TABLES.commands:
        where, rows = command["name"], command["options"]
        subcommands = [row["name"] for row in command["subcommands"]]
        assert len(rows) <= OPTIONS_MAX, where
        for key in ("name", "letter"):
            keys = [row[key] for row in rows if row[key]]
            assert len(set(keys)) == len(keys), "%s: two options with one %s" % (where, key)
        assert rows[-1]["name"] == "help", where
        assert len(set(subcommands)) == len(subcommands), where
        assert command["default"] is None or command["default"] in subcommands, where
        assert bool(subcommands) or command["runs"], where
        for row in rows:
            for name in (row["of"] or "").split():
                assert name in subcommands or (name == where and command["runs"]), "%s --%s: no %s" % (where, row["name"], name)
        for row in [command] + command["subcommands"]:
            assert row["summary"] and "\n" not in row["summary"] and not row["summary"].endswith("."), row["name"]
            assert row["details"] == "" or row["details"].endswith("\n"), row["name"]
            assert row["exits"], row["name"]


# ---- all that is there is told ----


def test_help_has_everything():
    text = help_of()
    for option in TABLES.options:
        has_option(text, option, "bailey --help")
    for command in TABLES.commands:
        has(text, command["summary"], "bailey --help")
        check_help(command, help_of(command["name"]))


def check_help(command, text):
    where = "bailey %s --help" % command["name"]
    for option in command["options"]:
        has_option(text, option, where)
    for row in command["exits"] + command["examples"]:
        has(text, row["term"], where)
        has(text, row["text"], where)
    for row in command["subcommands"]:
        has(text, row["summary"], where)
        own, where = help_of(command["name"], row["name"]), "bailey %s %s --help" % (command["name"], row["name"])
        for option in command["options"]:
            if is_of(option, row["name"]):
                has_option(own, option, where)
            else:
                assert "--%s " % option["name"] not in own, "%s tells of --%s" % (where, option["name"])


def check_commands(sections, where, subheading):
    """A document with a section per command, and in it one per subcommand."""
    assert set(sections) >= {command["name"] for command in TABLES.commands}, "%s: %s" % (where, sorted(sections))
    for command in TABLES.commands:
        text = sections[command["name"]]
        for option in command["options"]:
            has_option(text.replace("\\|", "|"), option, "%s, %s" % (where, command["name"]))
        for row in [command] + command["subcommands"]:
            has(text, row["summary"][1:], where)
            for example in row["examples"]:
                has(text, example["term"], where)
        for row in command["subcommands"]:
            has(text, subheading % (command["name"], row["name"]), where)


def test_manual_has_every_command():
    text = rendered("bailey.1")
    for option in TABLES.options:
        has_option(text, option, "bailey.1")
    check_commands(part(text, r"^   (\w+)$"), "bailey.1", "bailey %s %s")


def test_commands_md_has_every_command():
    text = read("docs", "commands.md")
    check_commands(part(text, r"^## bailey (\w+)$"), "docs/commands.md", "### bailey %s %s")


def test_every_key_is_told():
    man, doc = part(rendered("bailey-config.5"), r"^   \[(.*)\]$"), part(read("docs", "config.md"), r"^## \[(.*)\]$")
    with tempfile.TemporaryDirectory() as home:
        subprocess.run([BAILEY, "config", "init"], check=True, capture_output=True, env={"HOME": home})
        initial = read(home, ".config", "bailey", "config.toml")
    sections = {name: keys for name, _, keys in TABLES.sections()}
    assert set(man) == set(sections) and set(doc) == set(sections), (sorted(man), sorted(doc), sorted(sections))
    for name, keys in sections.items():
        found = re.findall(r"^       (\w+) = ", man[name], flags=re.M)
        assert found == list(keys), "bailey-config.5, [%s]: %s" % (name, found)
        found = re.findall(r"^\| `(\w+)` \|", doc[name], flags=re.M)
        assert found == list(keys), "docs/config.md, [%s]: %s" % (name, found)
        for key, row in keys.items():
            has(man[name].replace("\n", " "), row["description"].replace("`", ""), "bailey-config.5")
            if name != "policy.NAME":
                has(initial, key, "what config init writes")


def test_every_rule_and_policy_is_told():
    page, guard = rendered("bailey.1"), read("docs", "guard.md")
    rules = {row["id"] for row in TABLES.rules}
    found = set(re.findall(r"^       ([\w-]+) \((?:warn|block); policies: ", page, flags=re.M))
    assert found == rules, "bailey.1: %s" % sorted(found ^ rules)
    for rule in rules:
        has(guard, "`%s`" % rule, "docs/guard.md")
    for row in TABLES.policies:
        has(rendered("bailey-config.5"), row["help"], "bailey-config.5")


def test_every_variable_is_told():
    """All that the sources ask the environment for, but where programs are looked for."""
    asked = set()
    for folder in ("policy", "sandbox", "engine", "hook", "mcp", "cli"):
        for name in os.listdir(os.path.join(ROOT, folder)):
            if name.endswith(".c"):
                asked |= set(re.findall(r'(?:getenv\(|(?:environment_get|directory_find)\([^,()]*, )"(\w+)"', read(folder, name)))
    page = part(rendered("bailey.1"), r"^([A-Z ]+)$")["ENVIRONMENT"]
    assert len(asked) > 6, asked
    for name in asked - {"PATH"}:
        assert re.search(r"\b%s\b" % name, page), "bailey.1 does not tell of " + name


def test_every_backend_is_told():
    """Those that a policy can name, of which some are for other systems."""
    names = re.findall(r"^\| (\w[\w-]*) \| .* \| run in this project's CI \|$", read("docs", "backends.md"), re.M)
    assert {"native", "docker"} <= set(names), names
    for command in ("run", "mcp"):
        option = next(row for row in TABLES.command(command)["options"] if row["name"] == "backend")
        for name in set(names) - {"none"}:
            has(option["help"], name, "bailey %s --help" % command)


def test_every_function_is_told():
    """By a plain search in the header, and not by the parser that the page is made with."""
    declared = set(re.findall(r"\b(bailey_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)))
    page = rendered("libbailey.3")
    told = set(re.findall(r"\b(bailey_\w+)\(", page))
    assert declared and declared == told, sorted(declared ^ told)
    assert declared == set(header.functions(HEADER))
    for name in re.findall(r"^(?:struct|enum) (bailey_\w+) \{", HEADER, flags=re.M):
        has(page, name + " {", "libbailey.3")
    for comment in re.findall(r"/\*(.*?)\*/", HEADER, flags=re.S):
        words = " ".join(re.sub(r"^ \* ?", "", comment, flags=re.M).replace("`", "").split())
        if not words.startswith(("----", "bailey:")):
            has(" ".join(page.replace("`", "").split()), words, "libbailey.3")


def test_every_tool_is_told():
    page = rendered("bailey-mcp.1")
    told = part(page, r"^   (\w+)$")
    tools = {tool["name"]: tool for tool in TABLES.tools()}
    assert set(told) == set(tools), sorted(set(told) ^ set(tools))
    for name, tool in tools.items():
        wanted = list(tool["inputSchema"]["properties"]) + list(tool["outputSchema"]["properties"])
        found = re.findall(r"^       (\w+) \(", told[name].split("COMMANDS IN THE FOREGROUND")[0], flags=re.M)
        assert found == wanted, (name, found, wanted)
    for option in TABLES.command("mcp")["options"]:
        has_option(page, option, "bailey-mcp.1")


def test_revisions_are_spoken():
    revisions = re.findall(r"\b20\d\d-\d\d-\d\d\b", part(rendered("bailey-mcp.1"), r"^([A-Z ]+)$")["PROTOCOL"])
    about = {"io.modelcontextprotocol/protocolVersion": revisions[-1], "io.modelcontextprotocol/clientCapabilities": {},
             "io.modelcontextprotocol/clientInfo": {"name": "docs", "version": "1"}}
    for revision in revisions[:-1]:
        assert TABLES.serve(initialize(revision))[0]["protocolVersion"] == revision, revision
    assert revisions[-1] in TABLES.serve({"method": "server/discover", "params": {"_meta": about}})[0]["supportedVersions"]


# ---- nothing else is told ----

INVOCATION = re.compile(r"(?:^|[\s(])(?:build/)?bailey +((?:[a-z]|--[a-z])[^|;&()]*)")


def invocations(line):
    """What stands behind the program's name in a line of code, up to the next command. Quoted texts are one word."""
    line = re.sub(r"'[^']*'|\"(?!\$\()[^\"]*\"", "X", line)
    return INVOCATION.findall(line.split(" # ")[0])


def check_invocation(text, where):
    words = text.split()
    if words[0].startswith("-"):
        assert words[0][2:].split("=")[0] in [row["name"] for row in TABLES.options], "%s: bailey %s" % (where, text)
        return
    found = [command for command in TABLES.commands if command["name"] == words[0].rstrip(".,:")]
    assert found, "%s: there is no bailey %s" % (where, words[0])
    known = {"--" + row["name"] for row in found[0]["options"]} | {"-" + row["letter"] for row in found[0]["options"] if row["letter"]}
    if found[0]["subcommands"] and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
        assert words[1] in [row["name"] for row in found[0]["subcommands"]], "%s: bailey %s" % (where, text)
    for word in words[1:]:
        if word == "--" or word.endswith(".,"):
            break
        if re.match(r"--?[a-z]", word, re.I):
            assert re.split(r"[=.,;:[]", word)[0] in known, "%s: bailey %s: no %s" % (where, text, word)


def test_documents_tell_of_nothing_else():
    names = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "NEWS.md"]
    names += [os.path.join("docs", name) for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md")]
    count = 0
    for name in names:
        text = read(name)
        code = re.findall(r"`([^`\n]+)`", text) + re.findall(r"^ {4,}(\S.*)$", text, flags=re.M)
        for line in code:
            for text_of_command in invocations(line):
                check_invocation(text_of_command, name)
                count += 1
    assert count > 20, count


def test_examples_can_be_given():
    for command in TABLES.commands:
        for row in [command] + command["subcommands"]:
            for example in row["examples"]:
                found = invocations(example["term"])
                assert found, "%s is no example" % example["term"]
                for text in found:
                    check_invocation(text, "the examples of " + command["name"])


def test_manuals_tell_of_nothing_else():
    known = {"--" + row["name"] for row in TABLES.options}
    known |= {"--" + row["name"] for command in TABLES.commands for row in command["options"]}
    for page in sorted(os.listdir(PAGES)):
        text = rendered(page)
        for word in re.findall(r"(?<![\w-])--[a-z][\w-]*", text):
            assert word in known, "%s tells of %s" % (page, word)
    for name in part(rendered("bailey.1"), r"^   ([a-z]+)$"):
        assert name in [command["name"] for command in TABLES.commands], "bailey.1 tells of bailey %s" % name
    commands = part(read("docs", "commands.md"), r"^### bailey (\w+ \w+)$")
    assert set(commands) == {"%s %s" % (command["name"], row["name"]) for command in TABLES.commands for row in command["subcommands"]}


def test_templates_name_keys_that_there_are():
    sections = {name: keys for name, _, keys in TABLES.sections()}
    keys = {"%s.%s" % (name, key) for name, rows in sections.items() for key in rows} | set(sections)
    for template in TEMPLATES:
        for key in re.findall(r"\*((?:%s)\.[a-z_.]+)\*" % "|".join(sections), read("docs", "man", template)):
            assert key in keys, "%s tells of %s" % (template, key)


# ---- they are right ----


def test_documents_are_up_to_date():
    said = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "docs", "make"), BAILEY, "docs", "--check"], text=True,
                          capture_output=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr


def test_session_in_readme_is_what_the_program_prints():
    said = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "docs", "record"), BAILEY, "session", "--check"], text=True,
                          capture_output=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr


def test_manuals_are_all_made_and_without_a_warning():
    assert sorted(os.listdir(PAGES)) == [name[:-len(".scd")] for name in TEMPLATES]
    for page in os.listdir(PAGES):
        said = subprocess.run(["mandoc", "-Tlint", "-Wall", os.path.join(PAGES, page)], capture_output=True, text=True, check=False)
        assert said.returncode == 0 and not said.stdout and not said.stderr, said.stdout + said.stderr


def test_config_example_is_right():
    example = re.search(r"^```\n(.*?)^```", read("docs", "man", "bailey-config.5.scd"), re.S | re.M)[1]
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(example)
        file.flush()
        said = subprocess.run([BAILEY, "config", "check", file.name], capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr


# ---- files of the repository ----


def repository():
    """Every file and directory, from the root; without what is built, and what is hidden."""
    found = set()
    for directory, names, files in os.walk(ROOT):
        names[:] = [name for name in names if not name.startswith(".") and name != "__pycache__" and (directory, name) != (ROOT, "build")]
        found |= {os.path.relpath(os.path.join(directory, name), ROOT) for name in names + files}
    return found


def named_paths(text, tops):
    """What looks like a file of ours: begins with one of our folders, or ends as C does. In backticks, or in a table of files."""
    tables = [line for block in re.findall(r"^```\n(.*?)^```", text, re.S | re.M) for line in block.splitlines()]
    words = [word for quoted in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))
             for word in quoted.split()[:1 if quoted.startswith("tools/build ") else None]]  # behind that are names of targets
    words += [word for line in tables if line.split("/")[0] in tops or line.startswith("   ") for word in re.findall(r"[\w*/]+\.[ch]\b", line)]
    for word in words:
        word = word.rstrip("/,.:")
        if re.fullmatch(r"[\w.*/-]+", word) and (word.split("/")[0] in tops and "/" in word or re.search(r"\w\.(c|h|def)$", word)):
            yield word


def stands_for(word, tops):
    """A word as a pattern of paths: NAME is any name, and a file without its top folder may be in any."""
    pattern = re.sub(r"(?<![a-z])[A-Z]{2,}(?![a-z])", "*", word) if not word.endswith(".md") else word
    return re.compile(("" if word.split("/")[0] in tops else "(?:.*/)?") + re.escape(pattern).replace(r"\*", "[^/]*") + "$")


def test_files_that_are_named_exist():
    files = repository()
    tops = {path for path in files if "/" not in path and os.path.isdir(os.path.join(ROOT, path))}
    documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]
    documents += ["docs/" + name for name in sorted(os.listdir(os.path.join(ROOT, "docs"))) if name.endswith(".md")]
    missing, seen = [], 0
    for document in documents:
        for word in named_paths(read(document), tops):
            seen += 1
            pattern = stands_for(word, tops)
            if not any(pattern.match(path) for path in files):
                missing.append("%s names %s" % (document, word))
    assert not missing, "\n".join(missing)
    assert seen > 100, "only %d paths were found" % seen


# ---- running ----


def test_walkthrough_names_functions_where_they_are():
    section = part(read("ARCHITECTURE.md"), r"^## (.*)$")["One Bash call, function by function"]
    named = re.findall(r"`(\w+)\(\)` \((\S+)\)", section)
    assert 30 <= len(named) <= 40, "%d functions; the call can be followed with at most 40" % len(named)
    assert len(named) == len(set(named)) == section.count("()`"), "each function once, with its file"
    for function, path in named:
        assert re.search(r"^\w[^;(]*\b%s\([^;]*?\) \{$" % function, read(path), re.M), "%s() is not in %s" % (function, path)


def main():
    tests = {name[len("test_"):].replace("_", " "): test for name, test in globals().items() if name.startswith("test_")}
    chosen = matching(tests)
    print("1..%d" % len(chosen))
    failed = 0
    for number, name in enumerate(chosen, 1):
        label = "%d - %s" % (number, name)
        try:
            tests[name]()
            print("ok " + label)
        except Exception:  # any of them is a failure
            failed += 1
            print("not ok " + label)
            print("\n".join("# " + line for line in traceback.format_exc().splitlines()))
    return 1 if failed else 0


sys.exit(main())
