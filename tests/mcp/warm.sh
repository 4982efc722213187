#!/bin/sh
# The MCP server with sandboxes that are ready before they are needed; see warm.mjs.
#
# What is mounted anywhere, as engines of containers do all the time, makes those useless: here nobody else mounts anything.
if [ -z "${TEST_APART-}" ] && [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
        TEST_APART=yes exec unshare --mount "$0" "$@"
fi
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
suite warm "$@"
