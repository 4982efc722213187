#!/bin/sh
# The MCP server under load; `stress.sh full` for all of it; see stress.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
suite stress "$@"
