#!/usr/bin/env python3
"""docs/config.md against the table of config keys, as `bailey config schema` tells it.

config_doc.py --write makes the document anew; without it, one TAP test says whether it is what the table makes of it.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
DOCUMENT = os.path.join(ROOT, "docs", "config.md")
HEAD = """# Configuration

Made from the table of keys (`tests/policy/config_doc.py --write`); `bailey config schema` prints the same as JSON Schema.

Files are `config.toml`, `config.json5` or `config.json`. Later ones win: built-in, `/etc/bailey/`, `$XDG_CONFIG_HOME/bailey/`, the
workspace's `.bailey.toml` (`.json5`, `.json`), `--config FILE`, flags. A workspace's file counts once `bailey trust` has been told so
for its present content; until then it is announced, and can only make things tighter. Lists add to the built-in ones; a list that
is to replace them says so: `{ replace = true, items = [...] }`. Names are written in snake_case or camelCase.

    bailey config show          # every value in force, and where it came from
    bailey config check FILE    # is it right? FILE:LINE:COLUMN: message, if not
    bailey config init          # a file with every key, its default and what it means

`[policy.NAME]` holds a policy of your own: `extends`, and any section below inside it. `[guard]` is also spelled `bashSandbox`.
"""


def find_bailey():
    found = [os.environ.get("BAILEY"), os.path.join(ROOT, "build", "asan", "bailey"), os.path.join(ROOT, "build", "bailey")]
    return [path for path in found if path and os.path.exists(path)][0]


def type_name(row):
    kinds = row.get("allOf", [row])
    kind = kinds[0]
    if "enum" in kind:
        return " \\| ".join(str(word) for word in kind["enum"])
    if "anyOf" in kind:
        names = [one.get("type", "") for one in kind["anyOf"]]
        return "list" if "array" in names else " or ".join(dict.fromkeys(name for name in names if name))
    text = kind.get("type", "table")
    if "minimum" in kind and "maximum" in kind:
        text += ", %s to %s" % (kind["minimum"], kind["maximum"])
    return text if text != "array" else "list"


def default(row):
    if "default" not in row:
        return ""
    text = json.dumps(row["default"])
    return "`%s`" % text if len(text) <= 40 else "%d items" % len(row["default"])


def sections(schema):
    for name, section in schema["$defs"].items():
        rows = {key: row for key, row in section.get("properties", {}).items() if "$ref" not in row and "description" in row}
        if rows:
            yield name, section, rows


def make(schema):
    lines = [HEAD]
    for name, section, rows in sections(schema):
        lines.append("## [%s]\n" % ("policy.NAME" if name == "policy" else name))
        if section.get("description"):
            lines.append(section["description"] + "\n")
        lines.append("| key | type | default | what it does |\n|---|---|---|---|")
        lines += ["| `%s` | %s | %s | %s |" % (key, type_name(row), default(row), row["description"].replace("|", "\\|"))
                  for key, row in rows.items()]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    said = subprocess.run([find_bailey(), "config", "schema"], capture_output=True, check=True).stdout
    text = make(json.loads(said))
    if "--write" in sys.argv:
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(DOCUMENT, encoding="utf-8") as file:
        same = file.read() == text
    print("1..1\n%sok 1 - docs/config.md has every key of the table" % ("" if same else "not "))
    if not same:
        print("# run tests/policy/config_doc.py --write")
    return 0 if same else 1


sys.exit(main())
