#!/bin/sh
# The TOML reader against Python's; see toml_oracle.py.
exec python3 "$(dirname "$0")/toml_oracle.py" "$@"
