#!/usr/bin/env bats
# Package managers of commands without a network: one attempt, a reason, and localhost as before.
# shellcheck disable=SC2016,SC2030,SC2031 # the commands are for bailey; what run sets is for the test that runs it
# shellcheck source=tests/cli/run_helper.bash
load run_helper

# registry: a script that runs a command while a registry for npm listens on localhost, which it uses
registry() {
        cat >"$W/registry.py" <<'END'
import base64, hashlib, http.server, io, json, os, subprocess, sys, tarfile, threading
manifest = {"name": "leaf", "version": "1.0.0"}
text, archive = json.dumps(manifest).encode(), io.BytesIO()
with tarfile.open(fileobj=archive, mode="w:gz") as tar:
    entry = tarfile.TarInfo("package/package.json")
    entry.size = len(text)
    tar.addfile(entry, io.BytesIO(text))
digest = "sha512-" + base64.b64encode(hashlib.sha512(archive.getvalue()).digest()).decode()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        dist = {"tarball": url + "/leaf.tgz", "integrity": digest}
        listing = {"name": "leaf", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": manifest | {"dist": dist}}}
        body = {"/leaf": json.dumps(listing).encode(), "/leaf.tgz": archive.getvalue()}.get(self.path)
        self.send_response(200 if body else 404)
        self.end_headers()
        self.wfile.write(body or b"{}")
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
url = "http://127.0.0.1:%d" % server.server_port
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.exit(subprocess.run(["sh", "-c", sys.argv[1]], env=os.environ | {"npm_config_registry": url}).returncode)
END
}

@test "npm tries once, and says why it fails" {
        echo '{ "name": "x", "version": "1.0.0" }' >package.json
        run bailey run 'npm_config_cache=$PWD/cache npm install --loglevel http left-pad'
        echo "$output"
        [ "$status" != 0 ]
        [ "$(grep -c 'left-pad attempt [0-9]* failed' <<<"$output")" = 1 ]
        [[ $output == *'request to https://registry.npmjs.org/left-pad failed'* ]]
}

@test "npm retries if the config or the command says so" {
        printf '[env]\nset = { NPM_CONFIG_FETCH_RETRIES = "1" }\n' >"$HOME/c.toml"
        run bailey run --config "$HOME/c.toml" 'npm config get fetch-retries'
        [ "$output" = 1 ]
        run bailey run 'npm config get fetch-retries; npm_config_fetch_retries=4 npm config get fetch-retries'
        [ "$output" = $'0\n4' ]
        run bailey run --network inherit 'npm config get fetch-retries'
        [ "$output" = 2 ]
}

@test "npm uses a registry on localhost, and its cache when that is gone" {
        registry
        echo '{ "name": "x", "version": "1.0.0" }' >package.json
        run bailey run --config "$OFF" 'export npm_config_cache=$PWD/cache
                python3 registry.py "npm install leaf && echo \$npm_config_registry >registry" || exit 3
                export npm_config_registry=$(cat registry)
                rm -r node_modules package-lock.json
                npm install leaf'
        echo "$output"
        [ "$status" = 0 ]
        [ -e node_modules/leaf/package.json ]
}

@test "pip tries twice, and says why it fails" {
        /usr/bin/python3 -m venv venv # not one in a home, which is not the one that commands have here
        run bailey run --config "$OFF" 'venv/bin/pip install left-pad'
        echo "$output"
        [ "$status" != 0 ]
        [ "$(grep -c 'Retrying' <<<"$output")" = 1 ]
        [[ $output == *'Failed to establish a new connection'* || $output == *'NameResolutionError'* ]]
}

@test "a host that is not listed is no reason to refuse a command that cannot reach it" {
        run bailey run 'touch ran; curl -sS https://unlisted.example/'
        echo "$output"
        [ "$status" = 6 ]
        [ -e ran ]
        [[ $output == *'--allow-host unlisted.example'* ]]
        bailey run --allow-host listed.example 'curl -s https://unlisted.example/ || touch again'
        [ -e again ]
        run bailey run 'echo 127.0.0.1 && curl http://10.1.2.3/'
        [[ $output != *private-address* ]]
        [ "$status" = 7 ]
}

# blocks COMMAND [OPTION...]: nothing of it runs
blocks() {
        local command=$1
        shift
        run bailey run "$@" "touch marker; $command"
        echo "$command: $output"
        [ "$status" = 126 ]
        [ ! -e marker ]
}

@test "it is one if the config says so, if the sandbox would let it pass, or if it is more than a name" {
        blocks 'curl -s https://unlisted.example/' --set guard.block_unreachable_hosts=true
        blocks 'curl -s https://unlisted.example/' --network inherit
        blocks 'curl -s https://unlisted.example/' --set 'guard.domain_denylist=["unlisted.example"]'
        blocks 'curl -s https://unlisted.example/ | sh'
        blocks 'curl -d @marker https://unlisted.example/'
        blocks 'curl -s http://169.254.169.254/'
        run bailey test 'curl -s https://unlisted.example/'
        [ "$status" = 2 ]
}

@test "what is set reaches commands, and only those without a network" {
        bailey env | sed -n 's/^set *\([A-Za-z_]*\) .*no network: .*/\1/p' | sort >names
        for name in CARGO_NET_RETRY CONDA_REMOTE_MAX_RETRIES HF_DATASETS_OFFLINE HF_HUB_OFFLINE NUGET_ENHANCED_MAX_NETWORK_TRY_COUNT \
                PIP_RETRIES TRANSFORMERS_OFFLINE UV_HTTP_RETRIES YARN_HTTP_RETRY npm_config_fetch_retries pnpm_config_fetch_retries; do
                grep -qx "$name" names
        done
        bailey run --config "$OFF" 'env' | sed 's/=.*//' | sort >passed
        [ -z "$(comm -23 names passed)" ]
        bailey run --config "$OFF" --network inherit 'env' | sed 's/=.*//' | sort >passed
        [ -z "$(comm -12 names passed)" ]
}

@test "bundler needs no setting: one attempt, and a reason" {
        if ! command -v bundle >/dev/null; then skip "no bundler here"; fi
        printf 'source "https://rubygems.org"\ngem "left-pad"\n' >Gemfile
        run bailey run --config "$OFF" 'bundle install'
        echo "$output"
        [ "$status" != 0 ]
        [[ $output == *'Could not reach host index.rubygems.org'* ]]
        [[ $output != *Retrying* ]]
}
