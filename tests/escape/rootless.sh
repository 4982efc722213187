#!/usr/bin/env bash
# Attacks of *.attacks on containers of an ordinary user's podman. What they are: lib.sh.
# shellcheck source=tests/escape/lib.sh
. "$(dirname "$0")/lib.sh" rootless
