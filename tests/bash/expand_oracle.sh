#!/bin/sh
# Expansion against real bash; see expand_oracle.py.
exec python3 -B "$(dirname "$0")/expand_oracle.py" "$@"
