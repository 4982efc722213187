#!/bin/sh
# The audit page in a real browser; see page.py.
exec python3 "$(dirname "$0")/page.py" "$@"
