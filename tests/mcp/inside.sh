#!/bin/sh
# Somebody else's MCP server inside of bailey run; see inside.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
need_clients
suite inside "$@"
