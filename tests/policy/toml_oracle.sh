#!/bin/sh
# The TOML reader against Python's; see toml_oracle.py.
exec python3 -B "$(dirname "$0")/toml_oracle.py" "$@"
