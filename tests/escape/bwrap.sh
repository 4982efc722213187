#!/usr/bin/env bash
# The attacks in *.attacks against the backend bwrap, as root and as an ordinary user. What they are: lib.sh.
# shellcheck source=tests/escape/lib.sh
. "$(dirname "$0")/lib.sh" bwrap
