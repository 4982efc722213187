#!/usr/bin/env bash
# The attacks in *.attacks by calls to an MCP server, in sandboxes of the backend native that were ready before. See lib.sh, warm.py.
# shellcheck disable=SC2034 # for lib.sh
escape_warm=yes
escape_shares=2 # each call takes longer here, and often waits
# shellcheck source=tests/escape/lib.sh
. "$(dirname "$0")/lib.sh" native
