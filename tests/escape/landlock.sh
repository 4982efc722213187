#!/usr/bin/env bash
# The attacks in *.attacks against the backend landlock, as root and as an ordinary user. What they are: lib.sh.
# It cannot protect files inside the workspace, so that is not asked of it.
# shellcheck disable=SC2034 # for lib.sh
backend_config='protect_workspace = false'
# shellcheck source=tests/escape/lib.sh
. "$(dirname "$0")/lib.sh" landlock
