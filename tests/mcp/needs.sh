#!/bin/sh
# What a command says that it needs; see needs.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
suite needs "$@"
