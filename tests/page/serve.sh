#!/bin/sh
# bailey audit serve, asked as it should be and as it should not; see serve.py.
exec python3 -B "$(dirname "$0")/serve.py" "$@"
