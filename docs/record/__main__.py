"""The pictures in README.md: a recorded terminal session, and a screenshot of the audit page.

python3 docs/record BAILEY session                  print the session
python3 docs/record BAILEY session --write          write it to README.md, unless README.md has the same already
python3 docs/record BAILEY session --check          fail if README.md has another one
python3 docs/record BAILEY screenshot FILE.png      needs chromium
"""

import os
import sys

import screenshot
import session

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")


def update(bailey, check):
    with open(README, encoding="utf-8") as file:
        text = file.read()
    recorded = session.record(bailey)
    if session.normalise(session.find(text)) == session.normalise(recorded):
        return 0
    if check:
        print("README.md has another session than this one; run make docs\n\n" + recorded)
        return 1
    with open(README, "w", encoding="utf-8") as file:
        file.write(text.replace(session.find(text), recorded))
    return 0


def main():
    bailey, what, more = (sys.argv[1:] + [None] * 3)[:3]
    if what == "session" and more in ("--write", "--check"):
        return update(os.path.abspath(bailey), more == "--check")
    if what == "session" and not more:
        sys.stdout.write(session.record(os.path.abspath(bailey)))
        return 0
    if what == "screenshot" and more:
        return screenshot.take(os.path.abspath(bailey), more)
    sys.exit(__doc__)


sys.exit(main())
