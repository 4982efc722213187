#!/usr/bin/env bats
# Homes of other users, wherever /etc/passwd says they are.
# shellcheck disable=SC2016,SC2154 # the commands are for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

# with_users LINE... -- ARGUMENT...: bailey, where /etc/passwd has these lines, too
with_users() {
        local lines=() users=$BATS_TEST_TMPDIR/passwd
        while [ "$1" != -- ]; do
                lines+=("$1")
                shift
        done
        shift
        cat /etc/passwd >"$users"
        printf '%s\n' "${lines[@]}" >>"$users"
        "${unshare[@]}" sh -c 'mount --bind "$1" /etc/passwd && shift && exec "$@"' sh "$users" "${clean[@]}" "$BAILEY" "$@"
}

setup_users() {
        unshare=(unshare -m)
        if [ "$(id -u)" != 0 ]; then unshare=(unshare -Urm); fi
        "${unshare[@]}" true || skip "no mount namespaces here"
        # not in /tmp, which is another one for commands
        place=$(mktemp -d /var/bailey-homes-XXXXXX 2>/dev/null) || skip "no place for homes"
        mkdir -p "$place/people/ann" "$place/people/bob/project" "$place/people/daemon"
        for user in ann bob daemon; do echo private >"$place/people/$user/file"; done
        chmod -R a+rX "$place"
}

teardown() {
        if [ -n "${place-}" ]; then rm -rf "$place"; fi
}

@test "they are empty, but for what is allowed" {
        setup_users
        people=$place/people
        users=("ann:x:4001:4001::$people/ann:/bin/sh" "bob:x:4002:4002::$people/bob:/bin/sh" "daemon:x:402:402::$people/daemon:/bin/sh")
        run with_users "${users[@]}" -- run --config "$OFF" "ls -A $people/ann; cat $people/ann/file; cat $people/bob/file $people/daemon/file"
        echo "$output"
        [ "$status" != 0 ]
        [ "$(grep -c '^private$' <<<"$output")" = 1 ] # the service's
        run with_users "${users[@]}" -- run --config "$OFF" --read "$people/ann" "cat $people/ann/file"
        echo "$output"
        [ "$output" = private ]
        run with_users "${users[@]}" -- run --config "$OFF" --workspace "$people/bob/project" "touch made; cat $people/bob/file"
        echo "$output"
        [ "$status" != 0 ]
        [[ $output != *private* ]]
        [ -e "$people/bob/project/made" ]
}

@test "many of them are one directory" {
        setup_users
        mapfile -t users < <(for ((i = 1; i <= 200; i++)); do echo "u$i:x:$((4000 + i)):1::$place/people/u$i:/bin/sh"; done)
        run with_users "${users[@]}" -- run --config "$OFF" "ls -A $place/people; cat $place/people/ann/file"
        echo "$output"
        [ "$status" != 0 ]
        [[ $output != *private* && $output != *$'ann\n'* ]]
        run with_users "${users[@]}" -- run --show-plan true
        echo "$output"
        [ "$(grep -c "^mount .*$place" <<<"$output")" = 2 ] # it is emptied, and sealed
}
