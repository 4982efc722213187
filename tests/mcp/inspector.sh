#!/bin/sh
# The MCP server and the inspector's command line; see inspector.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
need_clients
suite inspector "$@"
