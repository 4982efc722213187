"""Which cases to run: those whose names match the regular expression in TEST_ONLY, which `tests/run -k` sets, or else all."""

import os
import re

ONLY = os.environ.get("TEST_ONLY", "")


def matching(cases, name=str):
    """Those of the cases whose name(case) matches. Says in TAP that cases are chosen: tests/run names suites that cannot do that."""
    if not ONLY:
        return list(cases)
    print("# only " + ONLY, flush=True)
    return [case for case in cases if re.search(ONLY, name(case))]
