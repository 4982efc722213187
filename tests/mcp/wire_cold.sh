#!/bin/sh
# wire.sh once more, where no sandbox is ready before it is needed. Of the release build: wire.sh and clients_cold.sh, which does the
# same with clients, are under sanitizers.
export TEST_FLAGS='--set run.warm=0'
shipped=${BAILEY:-$(dirname "$0")/../../build/asan/bailey} shipped=${shipped%/asan/bailey}/bailey
if [ -x "$shipped" ]; then export BAILEY="$shipped"; fi
# shellcheck source=tests/mcp/lib.sh
. "$(dirname "$0")/lib.sh"
suite wire "$@"
