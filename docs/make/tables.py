"""What the program says of itself: its commands and options, config keys, rules and policies. Nothing else is known here."""

import json
import os
import subprocess


def option_argument(row):
    """ " FILE", or "[=NAME]" for one that may be left out."""
    argument = row["argument"]
    if not argument:
        return ""
    return "[=" + argument[1:] if argument.startswith("[") else " " + argument


class Tables:
    def __init__(self, bailey):
        self.bailey = os.path.abspath(bailey)
        rows = self.tell("__tables")
        self.options, self.commands, self.policies = rows["options"], rows["commands"], rows["policies"]
        self.unknown_arguments = rows["unknown_arguments"]
        self.schema = self.tell("config", "schema")
        self.rules = self.tell("rules", "--json")

    def tell(self, *arguments):
        """Without an environment, so that no file of the user who builds this matters."""
        said = subprocess.run([self.bailey, *arguments], check=True, capture_output=True, stdin=subprocess.DEVNULL,
                              env={"LC_ALL": "C.UTF-8"})
        return json.loads(said.stdout)

    def serve(self, *requests):
        """What the server for agents answers to these."""
        lines = "".join(json.dumps(dict(request, jsonrpc="2.0", id=i)) + "\n" for i, request in enumerate(requests))
        said = subprocess.run([self.bailey, "mcp", "--set", "run.warm=0"], check=True, capture_output=True, text=True, input=lines,
                              env={"LC_ALL": "C.UTF-8"})
        answers = sorted((json.loads(line) for line in said.stdout.splitlines()), key=lambda answer: answer["id"])
        return [answer.get("result") for answer in answers]

    def tools(self):
        return self.serve(initialize("2025-11-25"), {"method": "tools/list"})[1]["tools"]

    def command(self, name):
        return [command for command in self.commands if command["name"] == name][0]

    def sections(self):
        """Each section of a config file with its keys; second names, which refer to others, are left out."""
        for name, section in self.schema["$defs"].items():
            keys = {key: row for key, row in section.get("properties", {}).items() if "allOf" in row}
            if keys:
                yield "policy.NAME" if name == "policy" else name, section.get("description", ""), keys


def initialize(version):
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "docs", "version": "1"}}
    return {"method": "initialize", "params": about}


def is_of(option, name):
    return option["of"] is None or name in option["of"].split()


def options_of(command, subcommand):
    """Of a subcommand; of the command itself (None), those that are for all of its subcommands."""
    if subcommand:
        return [option for option in command["options"] if option["of"] is not None and is_of(option, subcommand["name"])]
    own = command["name"] if not command["default"] else command["default"]
    return [option for option in command["options"] if option["of"] is None or
            (command["runs"] and command["name"] in option["of"].split()) or
            (not command["subcommands"] and is_of(option, own))]


def usage(command, subcommand=None):
    words = ["bailey", command["name"]]
    operands = command["operands"]
    if subcommand:
        words.append(subcommand["name"])
        operands = subcommand["operands"]
    elif command["subcommands"]:
        words.append("[SUBCOMMAND]" if command["default"] or command["runs"] else "SUBCOMMAND")
    return " ".join(words + ["[OPTION...]"] + ([operands] if operands else []))


def sentence(text):
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".?!" else ".")


# ---- config keys ----


def key_type(row):
    """The words it can be, or what kind of value it takes."""
    kind = row["allOf"][0]
    if "enum" in kind:
        return [str(word) for word in kind["enum"]]
    if "anyOf" in kind:
        names = [one.get("type", "") for one in kind["anyOf"]]
        return "list" if "array" in names else " or ".join(dict.fromkeys(name for name in names if name))
    text = kind.get("type", "table")
    if "minimum" in kind and "maximum" in kind:
        text += ", %s to %s" % (kind["minimum"], kind["maximum"])
    return text if text != "array" else "list"


def key_default(row, most):
    """As JSON, or how many items there are where that is too long. Empty: none."""
    if "default" not in row:
        return ""
    text = json.dumps(row["default"])
    return text if len(text) <= most else "%d items" % len(row["default"])
