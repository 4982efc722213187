#!/usr/bin/env bash
# Package managers, and what else writes in a home (home/*.work), with the backend bwrap, as root and as an ordinary user; see lib.sh.
# shellcheck source=tests/work/lib.sh
. "$(dirname "$0")/lib.sh" bwrap home
