"""docs/config.md and docs/commands.md."""

from tables import key_default, key_type, option_argument, options_of, sentence, usage

CONFIG_HEAD = """# Configuration

Generated from the table of keys (`make docs`). `bailey config schema` prints the same as JSON Schema.

The files are `config.toml`, `config.json5` or `config.json`. Later ones override earlier ones: built-in, `/etc/bailey/`,
`$XDG_CONFIG_HOME/bailey/`, the workspace's `.bailey.toml` (`.json5`, `.json`), `--config FILE`, options. The workspace's file takes effect
after `bailey trust` for its present content. Until then bailey reports it, and it can only make the policy stricter. Lists add to the
built-in ones. To replace them, write `{ replace = true, items = [...] }`. Write names in snake_case or camelCase.

    bailey config show          # print every value in force, and where it comes from
    bailey config check FILE    # check a file; print FILE:LINE:COLUMN: message if it is wrong
    bailey config init          # write a file with every key, its default and its meaning

`[policy.NAME]` defines a policy: `extends`, and any section below inside it. `[guard]` is also spelled `bashSandbox`.
"""

COMMANDS_HEAD = """# Commands

Generated from the tables of commands and options (`make docs`). `bailey COMMAND --help` and bailey(1) say the same.

"""


def cell(text):
    return text.replace("|", "\\|")


def config(tables):
    lines = [CONFIG_HEAD]
    for name, description, keys in tables.sections():
        lines.append("## [%s]\n" % name)
        if description:
            lines.append(description + "\n")
        lines.append("| key | type | default | what it does |\n|---|---|---|---|")
        for key, row in keys.items():
            kind, default = key_type(row), key_default(row, 40)
            lines.append("| `%s` | %s | %s | %s |" % (
                key, " \\| ".join(kind) if isinstance(kind, list) else kind,
                default if default.endswith(" items") or not default else "`%s`" % default, cell(row["description"])))
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def options(rows):
    lines = ["| option | what it does |\n|---|---|"]
    for row in rows:
        names = ("-%s, " % row["letter"] if row["letter"] else "") + "--" + row["name"]
        lines.append("| `%s` | %s |" % (cell(names + option_argument(row)), cell(row["help"])))
    return lines + [""]


def ending(row):
    """Exit statuses and examples."""
    lines = ["Exit status: %s.\n" % "; ".join("`%s` %s" % (one["term"], one["text"]) for one in row["exits"])]
    if row["examples"]:
        lines += ["    # %s\n    %s" % (one["text"], one["term"]) for one in row["examples"]] + [""]
    return lines


def commands(tables):
    lines = [COMMANDS_HEAD + "    bailey COMMAND [OPTION...] [OPERAND...]\n"] + options(tables.options)
    for command in tables.commands:
        lines += ["## bailey %s\n" % command["name"], "    %s\n" % usage(command), sentence(command["summary"]) + "\n"]
        if command["details"]:
            lines.append(command["details"])
        lines += options(options_of(command, None)) + ending(command)
        for row in command["subcommands"]:
            usual = " This is the default subcommand." if row["name"] == command["default"] else ""
            lines += ["### bailey %s %s\n" % (command["name"], row["name"]), "    %s\n" % usage(command, row),
                      sentence(row["summary"]) + usual + "\n"]
            if row["details"]:
                lines.append(row["details"])
            if options_of(command, row):
                lines += options(options_of(command, row))
            if row["exits"] != command["exits"] or row["examples"]:
                lines += ending(row)
    return "\n".join(lines).rstrip("\n") + "\n"
