#!/usr/bin/env bash
# Commands in real containers with gVisor. What is tried: cases.sh.
# shellcheck source=tests/container/lib.sh
. "$(dirname "$0")/lib.sh" gvisor
