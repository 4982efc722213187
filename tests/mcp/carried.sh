#!/bin/sh
# The state that commands of a session leave for the next ones; see carried.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
suite carried "$@"
