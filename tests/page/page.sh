#!/bin/sh
# The audit page in a real browser; see page.py.
exec python3 -B "$(dirname "$0")/page.py" "$@"
