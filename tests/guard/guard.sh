#!/bin/sh
# The guard against commands and what it must say of them; see guard.py.
exec python3 "$(dirname "$0")/guard.py" "$@"
