# shellcheck shell=bash disable=SC2154 # lib.sh has set $new
# For lib.sh: makes the registries, once for all who work, in $T/registry; without a network, so that nothing can come from elsewhere.
: "${T:?}" "${here:?}"
"${new[@]}" env -i HOME="$T/nobody" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 \
        python3 "$here/home/registry.py" make "$T/registry" >"$T/made" 2>&1 || {
        cat "$T/made" >&2
        return 1
}
mkdir -p "$T/registry/bin"
cp "$here/home/registry.py" "$here"/home/*.txt "$T/registry/"
if [ -e "$here/../../build/npm-work/installed" ]; then
        cp -R "$here/../../build/npm-work/node_modules" "$T/registry/"
fi
cat >"$T/registry/bin/registry" <<'EOF'
#!/bin/sh
exec python3 /srv/registry/registry.py serve /srv/registry "$@"
EOF
for name in pnpm yarn; do
        if [ -e "$T/registry/node_modules/.bin/$name" ]; then ln -s "../node_modules/.bin/$name" "$T/registry/bin/$name"; fi
done
chmod -R a+rX "$T/registry"
chmod 755 "$T/registry/bin/registry"
