#!/usr/bin/env bash
# The network of allowed hosts (*.net): everything, as an ordinary user with the backend native and TPROXY; see lib.sh.
# shellcheck disable=SC2034 # for lib.sh
net_shares=3
# shellcheck source=tests/net/lib.sh
. "$(dirname "$0")/lib.sh" all
