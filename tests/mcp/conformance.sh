#!/bin/sh
# The MCP server as the protocol's own conformance test sees it; see conformance.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
need_clients
suite conformance "$@"
