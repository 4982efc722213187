#!/bin/sh
# What --mode wrap makes of commands, run by real shells; see wrap.py.
exec python3 -B "$(dirname "$0")/wrap.py" "$@"
