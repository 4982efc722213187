#!/bin/sh
# From README.md to an agent that is guarded, as somebody new would go; see newcomer.py.
exec python3 -B "$(dirname "$0")/newcomer.py"
