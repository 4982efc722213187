#!/bin/sh
# clients.sh once more, where no sandbox is ready before it is needed.
export TEST_FLAGS='--set run.warm=0'
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
need_clients
suite clients "$@"
