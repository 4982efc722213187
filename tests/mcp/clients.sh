#!/bin/sh
# The MCP server as its official clients see it; see clients.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
need_clients
suite clients "$@"
