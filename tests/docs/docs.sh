#!/bin/sh
# Help, manuals and documents against the program's tables; see docs.py.
exec python3 -B "$(dirname "$0")/docs.py"
