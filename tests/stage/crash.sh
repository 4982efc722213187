#!/bin/sh
# `bailey apply` that is killed: each file is the old or the new one, and the next command completes it. STAGE_CRASHES=100 for more.
exec python3 -B "$(dirname "$0")/crash.py"
