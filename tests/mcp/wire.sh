#!/bin/sh
# The MCP server, spoken to line by line; see wire.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
suite wire "$@"
