#!/usr/bin/env bash
# The attacks in *.attacks without walls, where that is safe: one that cannot succeed would prove nothing. See lib.sh.
# shellcheck disable=SC2034 # for lib.sh
escape_plain=yes
# shellcheck source=tests/escape/lib.sh
. "$(dirname "$0")/lib.sh" none
