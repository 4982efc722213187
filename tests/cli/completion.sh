#!/bin/sh
# What real shells complete; see completion.py.
exec python3 -B "$(dirname "$0")/completion.py"
