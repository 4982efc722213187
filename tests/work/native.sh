#!/usr/bin/env bash
# Everyday work (*.work) under the default policy with the backend native, as root and as an ordinary user; see lib.sh.
# shellcheck source=tests/work/lib.sh
. "$(dirname "$0")/lib.sh" native
