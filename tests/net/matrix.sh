#!/usr/bin/env bash
# The network of allowed hosts: the short cases of *.net as root and as a user, native and bwrap, by TPROXY and ports, cold and warm; see lib.sh.
# It takes too long for `make test`, so it is not executable: bash tests/net/matrix.sh
# shellcheck source=tests/net/lib.sh
. "$(dirname "$0")/lib.sh" short
