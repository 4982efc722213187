#!/usr/bin/env bats
# bailey env: names only, never values.

setup() {
        export HOME=$BATS_TEST_TMPDIR
        cd "$BATS_TEST_TMPDIR" || exit 1
        umask 022
        clean=(env -i "HOME=$HOME" PATH=/bin LC_ALL=C)
        if [ -n "${ASAN_OPTIONS-}" ]; then clean+=("ASAN_OPTIONS=$ASAN_OPTIONS"); fi
}

@test "what passes, and why the rest does not" {
        run "${clean[@]}" MY_API_KEY=hunter2 LD_AUDIT= FOO=hunter2 "$BAILEY" env
        [ "$status" = 0 ]
        grep -q '^pass  PATH  *finds programs$' <<<"$output"
        grep -q '^pass  LC_ALL  *locale (LC_\*)$' <<<"$output"
        grep -q '^drop  MY_API_KEY  *looks like a secret: an API key (\*API_KEY\*)$' <<<"$output"
        grep -q '^drop  LD_AUDIT  *makes programs run code: read by the loader of every program (LD_\*)$' <<<"$output"
        grep -q '^drop  FOO  *not listed$' <<<"$output"
        [[ $output != *hunter2* ]]
}

@test "the config's lists" {
        printf '[env]\npass = ["FOO", "MY_*"]\npass_secret = ["A_TOKEN"]\nset = { BAR = "hunter2" }\n' >c.toml
        run "${clean[@]}" MY_X=1 MY_TOKEN=1 A_TOKEN=1 FOO=1 BAR=1 "$BAILEY" env --config c.toml
        [ "$status" = 0 ]
        grep -q '^pass  FOO  *listed in \[env\]$' <<<"$output"
        grep -q '^pass  MY_X  *listed in \[env\]$' <<<"$output"
        grep -q '^pass  A_TOKEN  *listed in \[env\]$' <<<"$output"
        grep -q '^set   BAR  *set by the config$' <<<"$output"
        grep -q '^drop  MY_TOKEN  *looks like a secret' <<<"$output"
        [ "$(grep -c BAR <<<"$output")" = 1 ]
        [[ $output != *hunter2* ]]
}

@test "without a network, what makes package managers fail at once" {
        printf '[env]\nset = { UV_HTTP_RETRIES = "2" }\n' >c.toml
        run "${clean[@]}" PIP_RETRIES=9 PIP_DISABLE_PIP_VERSION_CHECK=0 "$BAILEY" env --config c.toml
        [ "$status" = 0 ]
        grep -q '^set   npm_config_fetch_retries  *no network: npm does not retry$' <<<"$output"
        grep -q '^set   PIP_RETRIES  *no network: ' <<<"$output"
        [ "$(grep -c PIP_RETRIES <<<"$output")" = 1 ]
        grep -q '^pass  PIP_DISABLE_PIP_VERSION_CHECK ' <<<"$output"
        grep -q '^set   UV_HTTP_RETRIES  *set by the config$' <<<"$output"
        [ "$(grep -c UV_HTTP_RETRIES <<<"$output")" = 1 ]
        printf '[sandbox]\nnetwork = "inherit"\n' >c.toml
        run "${clean[@]}" "$BAILEY" env --config c.toml
        [ "$status" = 0 ]
        [[ $output != *npm_config* ]]
}

@test "JSON" {
        run "${clean[@]}" X_TOKEN=hunter2 "$BAILEY" env --json --policy build
        [ "$status" = 0 ]
        [ "$(jq -r .policy <<<"$output")" = build ]
        [ "$(jq -c '.variables[] | select(.name == "X_TOKEN")' <<<"$output")" = \
                '{"name":"X_TOKEN","action":"drop","reason":"looks like a secret: a token (*TOKEN)","rule":"*TOKEN"}' ]
        [[ $output != *hunter2* ]]
}

@test "a name can be anything, and does nothing to a terminal" {
        run "${clean[@]}" $'A\e[31m\nB=1' "$BAILEY" env
        [ "$status" = 0 ]
        grep -q '^drop  A?\[31m?B  *not listed$' <<<"$output"
        run "${clean[@]}" $'A\e[31m\nB=1' "$BAILEY" env --json
        jq -e '.variables[] | select(.name == "A\u001b[31m\nB")' <<<"$output" >/dev/null
}

@test "operands are refused" {
        run "$BAILEY" env x
        [ "$status" = 2 ]
}

@test "with a gateway: no proxies, and nothing that makes package managers give up" {
        local kind
        for kind in packages allow_hosts; do
                printf '[env]\npass = ["http_proxy", "HTTPS_PROXY", "FOO"]\n[sandbox.network]\nkind = "%s"\nhosts = ["a.b"]\n' "$kind" >c.toml
                run "${clean[@]}" http_proxy=http://hunter2@p/ HTTPS_PROXY=x FOO=1 "$BAILEY" env --config c.toml
                [ "$status" = 0 ]
                grep -q '^drop  http_proxy  *the sandbox has a network gateway, and no proxy$' <<<"$output"
                grep -q '^drop  HTTPS_PROXY  *the sandbox has a network gateway, and no proxy$' <<<"$output"
                grep -q '^pass  FOO ' <<<"$output"
                [[ $output != *'no network'* && $output != *hunter2* ]]
        done
        sed -i 's/"allow_hosts"/"inherit"/' c.toml
        run "${clean[@]}" http_proxy=x "$BAILEY" env --config c.toml
        grep -q '^pass  http_proxy ' <<<"$output"
}
