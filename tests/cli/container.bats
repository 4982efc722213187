#!/usr/bin/env bats
# `bailey container` where there may be no engine at all. Real ones: tests/container/.
# shellcheck disable=SC2030,SC2031 # what setup() sets is for all

load run_helper

nowhere() {
        clean+=(DOCKER_HOST=unix:///nonexistent.sock CONTAINER_HOST=unix:///nonexistent.sock)
}

@test "detect names every runtime, and why one is not there" {
        nowhere
        run bailey container detect --json
        [ "$status" -le 1 ]
        [ "$(jq -c '[.runtimes[].name]' <<<"$output")" = '["podman","docker","gvisor"]' ]
        jq -e '.runtimes[] | select(.name == "docker") | .available == false and (.why | length) > 0' <<<"$output"
        run bailey container detect
        [[ $output == *"docker   not available: "* ]]
        [[ $output != *"not available: gvisor: "* ]]
}

@test "status tells the config, and that nothing runs in containers" {
        nowhere
        run bailey container status --json
        [ "$status" = 0 ]
        jq -e '.wanted == null and .used == null and .config.image == "ubuntu:22.04"' <<<"$output"
        jq -e '.config.resource_limits == {"cpus":2,"memory_mb":512,"pids_limit":256}' <<<"$output"
        jq -e '.config.security_flags.drop_capabilities == ["ALL"]' <<<"$output"
}

@test "status: what is wanted and not there is a problem" {
        nowhere
        clean+=(BAILEY_SANDBOX=docker)
        run bailey container status --json
        [ "$status" = 1 ]
        jq -e '.wanted == "docker" and .used == null' <<<"$output"
}

@test "status: an image from elsewhere is a problem" {
        nowhere
        printf '[container]\nimage = "evil.example.com/a:1"\n' >"$W/../c.toml"
        run bailey container status --config "$W/../c.toml" --json
        [ "$status" = 1 ]
        jq -e '.image_problem | contains("evil.example.com")' <<<"$output"
}

@test "an engine on another machine is refused before it is asked" {
        clean+=(DOCKER_HOST=ssh://ann:geheimnis@far.example.com)
        refused 'DOCKER_HOST is ssh:' --backend docker
        [[ $output == *'another machine'* ]]
        [[ $output != *geheimnis* ]]
        clean+=(CONTAINER_HOST=tcp://127.0.0.1:1)
        refused 'CONTAINER_HOST is set' --backend podman
}

@test "auto: podman of an ordinary user comes before docker, that of root after it" {
        nowhere
        clean+=(DOCKER_HOST=tcp://127.0.0.1:1)
        place=$(mktemp -d) # not below bats' own directory, which is for its user only
        chmod 755 "$place"
        printf '[container]\nenabled = true\n' >"$place/c.toml"
        mkdir "$place/home" "$place/ws"
        if [ "$(id -u)" = 0 ]; then
                run bailey run --config "$place/c.toml" true
                echo "$output"
                [ "$status" = 125 ]
                [[ $output == *" docker: "*" podman: "*" gvisor: "* ]]
                chown 65534 "$place/home" "$place/ws"
                cp "$BAILEY" "$place/bailey"
                clean=(setpriv --reuid 65534 --regid 65534 --clear-groups "${clean[@]}" HOME="$place/home")
                BAILEY=$place/bailey
        fi
        run bailey run --config "$place/c.toml" --workspace "$place/ws" true
        rm -rf "$place"
        echo "$output"
        [ "$status" = 125 ]
        [[ $output == *" podman: "*" docker: "*" gvisor: "* ]]
}
