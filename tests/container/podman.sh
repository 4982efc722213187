#!/usr/bin/env bash
# Commands in real containers of podman. What is tried: cases.sh.
# shellcheck source=tests/container/lib.sh
. "$(dirname "$0")/lib.sh" podman
