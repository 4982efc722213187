#!/bin/sh
# Questions of agents, and what they are told; see golden.py.
exec python3 -B "$(dirname "$0")/golden.py" "$@"
