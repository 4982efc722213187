#!/usr/bin/env bash
# The network of allowed hosts (*.net): everything, as an ordinary user with the backend native and TPROXY; see lib.sh.
# shellcheck source=tests/net/lib.sh
. "$(dirname "$0")/lib.sh" all
