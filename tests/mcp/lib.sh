# shellcheck shell=sh
# For the suites in node: which node, and whether the official clients are there. Sourced.
here=$(cd "$(dirname "$0")" && pwd)
packages=$here/../../build/npm

skip() {
        echo "1..0 # skip $1"
        exit
}

# Not every distribution's node is new enough for the clients, so there is one among the packages.
node=$packages/node_modules/.bin/node
if ! "$node" --version >/dev/null 2>&1; then node=node; fi

# suite NAME ARGUMENT...: becomes it
suite() {
        if ! "$node" -e 'process.exit(process.versions.node.split(".")[0] >= 18 ? 0 : 1)' 2>/dev/null; then
                skip 'no node 18 or newer: tools/deps test installs it'
        fi
        name=$1
        shift
        exec "$node" "$here/$name.mjs" "$@"
}

need_clients() {
        if ! cmp -s "$here/package-lock.json" "$packages/installed"; then
                skip 'the official MCP clients are not here: tools/deps test installs them from npm'
        fi
}
