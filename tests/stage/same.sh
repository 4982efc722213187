#!/bin/sh
# Random scripts leave the same tree whether they are staged and applied or not. STAGE_ROUNDS=500 for more of them.
exec python3 -B "$(dirname "$0")/same.py"
