#!/bin/sh
# The guard against commands and what it must say of them; see guard.py.
exec python3 -B "$(dirname "$0")/guard.py" "$@"
