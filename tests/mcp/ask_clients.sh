#!/bin/sh
# Questions to the users of the official clients; see ask_clients.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
need_clients
suite ask_clients "$@"
