#!/bin/sh
# The config keys as the docs tell them; see config_doc.py.
exec python3 "$(dirname "$0")/config_doc.py" "$@"
