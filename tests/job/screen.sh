#!/bin/sh
# The screens of real programs against those that tmux shows of the same bytes; see screen.py.
exec python3 -B "$(dirname "$0")/screen.py"
