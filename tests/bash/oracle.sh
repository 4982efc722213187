#!/bin/sh
# The parser against real bash; see oracle.py.
exec python3 -B "$(dirname "$0")/oracle.py" "$@"
