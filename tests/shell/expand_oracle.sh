#!/bin/sh
# Expansion against real bash; see expand_oracle.py.
exec python3 "$(dirname "$0")/expand_oracle.py" "$@"
