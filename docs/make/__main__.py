"""Manuals and documents from the program's own tables.

python3 docs/make BAILEY page docs/man/NAME.scd     a manual page, on standard output
python3 docs/make BAILEY docs [--check]             docs/config.md and docs/commands.md: written, or only compared
"""

import os
import sys

import markdown
import scd
from tables import Tables

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DOCUMENTS = {"config.md": markdown.config, "commands.md": markdown.commands}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def documents(tables, check):
    stale = []
    for name, make in DOCUMENTS.items():
        path, text = os.path.join(DOCS, name), make(tables)
        if os.path.exists(path) and read(path) == text:
            continue
        stale.append("docs/" + name)
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if check and stale:
        print("not what the tables say: %s; run make docs" % ", ".join(stale))
    return 1 if check and stale else 0


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in ("page", "docs"):
        sys.exit(__doc__)
    tables = Tables(sys.argv[1])
    tables.header = read(os.path.join(DOCS, "..", "include", "bailey.h"))
    if sys.argv[2] == "docs":
        return documents(tables, "--check" in sys.argv)
    sys.stdout.write(scd.page(read(sys.argv[3]), tables))
    return 0


sys.exit(main())
