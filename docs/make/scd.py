"""Manual pages: a template for scdoc, in which a line {{name argument}} stands for rows of a table; and what scdoc makes of it."""

import re
import subprocess
import textwrap

import header
from tables import key_default, key_type, option_argument, options_of, sentence, usage

DEFAULT_MOST = 400  # characters of a default


# ---- text for scdoc ----


def escape(text):
    """So that it comes out as it is: no emphasis, no list, no table."""
    return re.sub(r"([\\*_#\[\]|~<>+-])", r"\\\1", text)


def prose(text):
    """With `code` in bold."""
    parts = text.split("`")
    return "".join("*%s*" % escape(part) if i % 2 else escape(part) for i, part in enumerate(parts))


def literal(text):
    return "```\n%s\n```\n" % text.rstrip("\n").replace("\\", "\\\\")


def syntax(text):
    """A way of writing operands: names are underlined."""
    return re.sub(r"[A-Z]{2,}|\b[A-Z]\b|[^A-Z]+|[A-Z]", lambda found: "_%s_" % found[0] if found[0].isupper() else escape(found[0]), text)


def item(term, *paragraphs):
    text = "\n\n".join(text.strip() for text in paragraphs if text)
    return term + "\n" + re.sub("^(?=.)", "\t", text, flags=re.M) + "\n\n"


# ---- rows ----


def options(rows):
    out = ""
    for row in rows:
        term = ("*-%s*, " % row["letter"] if row["letter"] else "") + "*--%s*" % escape(row["name"])
        out += item(term + syntax(option_argument(row)), prose(row["help"]))
    return out


def exits(rows):
    return "Exit status: %s.\n\n" % "; ".join("*%s* %s" % (escape(row["term"]), prose(row["text"])) for row in rows)


def examples(rows):
    return "".join(item(prose(sentence(row["text"])), literal(row["term"])) for row in rows)


def usage_line(command, subcommand=None):
    words = usage(command, subcommand).split(" ", 3 if subcommand else 2)
    known = 3 if subcommand else 2
    return "*%s* %s" % (escape(" ".join(words[:known])), syntax(" ".join(words[known:])))


def details(row):
    return prose(row["details"]) + "\n" if row["details"] else ""


def subcommand(command, row):
    usual = " This is the default subcommand." if row["name"] == command["default"] else ""
    ending = exits(row["exits"]) if row["exits"] != command["exits"] else ""
    return item(usage_line(command, row), prose(sentence(row["summary"])) + usual, details(row), options(options_of(command, row)),
                ending, examples(row["examples"]))


def command_body(command):
    """All but the usage and the summary."""
    out = details(command) + options(options_of(command, None)) + exits(command["exits"])
    for row in command["subcommands"]:
        out += subcommand(command, row)
    return out + ("Examples:\n\n" + examples(command["examples"]) if command["examples"] else "")


# ---- what a template can ask for ----


def fill_commands(tables, _):
    return "".join("## %s\n\n%s\n\n%s\n\n%s" % (command["name"], usage_line(command), prose(sentence(command["summary"])),
                                              command_body(command)) for command in tables.commands)


def fill_command(tables, name):
    return command_body(tables.command(name))


def fill_usage(tables, name):
    return usage_line(tables.command(name)) + "\n"


def fill_options(tables, _):
    return options(tables.options)


def fill_keys(tables, _):
    out = ""
    for name, description, keys in tables.sections():
        out += "## [%s]\n\n%s\n\n" % (name, prose(description))
        for key, row in keys.items():
            kind, default = key_type(row), key_default(row, DEFAULT_MOST)
            kind = ", ".join("*%s*" % escape(word) for word in kind) if isinstance(kind, list) else escape(kind)
            out += item("*%s* = %s" % (escape(key), kind), prose(row["description"]),
                        "Default: %s" % escape(default) if default else "")
    return out


def fill_policies(tables, _):
    return "".join(item("*%s*" % escape(row["name"]), prose(row["help"])) for row in tables.policies)


def fill_rules(tables, _):
    out = ""
    for row in tables.rules:
        said = sentence(row["message"].replace("%s", "...")) + " " + row["instead"]
        out += item("*%s* (%s; policies: %s)" % (escape(row["id"]), row["severity"], row["policies"]), prose(said))
    return out


def fields(schema, answers):
    out = ""
    for name, row in schema["properties"].items():
        kind = row["type"] if isinstance(row["type"], str) else " or ".join(row["type"])
        needed = ", required" if name in schema.get("required", []) and not answers else ""
        out += item("*%s* (%s%s)" % (escape(name), kind, needed), prose(row.get("description", "")))
    return out


def fill_tools(tables, _):
    out = ""
    for tool in tables.tools():
        given, answer = fields(tool["inputSchema"], False), fields(tool["outputSchema"], True)
        out += "## %s\n\n%s\n\n" % (escape(tool["name"]), prose(tool["description"]))
        out += "Takes:\n\n" + given if given else "Takes nothing.\n\n"
        out += "Answers:\n\n" + answer
    return out


def fill_functions(tables, _):
    return header.manual(escape, prose, literal, tables.header)


FILLS = {name[len("fill_"):]: function for name, function in globals().items() if name.startswith("fill_")}


def fill(template, tables):
    return re.sub(r"^\{\{(\w+) ?(.*)\}\}$", lambda found: FILLS[found[1]](tables, found[2]), template, flags=re.M)


# ---- scdoc ----


def wrapped(line):
    """A line of text in several, each of which is text, too."""
    return [re.sub(r"^(?=['.])", r"\\&", part) for part in textwrap.wrap(line, 78, break_long_words=False, break_on_hyphens=False)]


def clean(roff):
    """What scdoc 1.11 writes and mandoc complains of: empty paragraphs, long lines, and a title in small letters. And dashes
    that belong to code, which troff would set as hyphens."""
    roff = re.sub(r'^\.TH "([^"]*)"', lambda found: '.TH "%s"' % found[1].upper(), roff, flags=re.M)
    roff = re.sub(r"^\.P\n((?:\.RE\n)+)", r"\1.P\n", roff, flags=re.M)  # the space belongs behind what is indented
    lines, kept, is_code = roff.rstrip("\n").split("\n"), [], False
    for i, line in enumerate(lines):
        before, following = kept[-1] if kept else "", (lines + [".SH"])[i + 1]
        if line == ".P" and (re.match(r"\.(SH|SS|RE|P$|TH)", following) or re.match(r"\.(SH|SS|TH|P$)", before)):
            continue
        is_code = line == ".nf" or (is_code and line != ".fi")
        line = re.sub(r"\\fB[^\\]*", lambda found: found[0].replace("-", "\\-"), line)
        if is_code and not line.startswith("."):
            line = line.replace("\\-", "-").replace("-", "\\-")
        kept += [line] if is_code or line.startswith(".") else wrapped(line)
    return "\n".join(kept) + "\n"


def page(template, tables):
    text = fill(template, tables)
    text = re.sub(r"\n{3,}", "\n\n", text)
    said = subprocess.run(["scdoc"], input=text, capture_output=True, text=True, check=False)
    if said.returncode:
        raise SystemExit("scdoc: %s" % said.stderr.strip())
    return clean(said.stdout)
