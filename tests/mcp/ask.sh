#!/bin/sh
# Commands that wait for the user's consent; see ask.mjs.
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
suite ask "$@"
