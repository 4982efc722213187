# shellcheck shell=bash
# For lib.sh: this network namespace becomes a host on the made-up internet, which is another one, behind a veth. So what is dialled is no
# address of this host, and its own addresses, its loopback and the networks beside it are there to be reached, too.
#
# names.txt has the names and addresses, resolver.py and servers.py answer there; $T/questions and $T/visits log that.
: "${T:?}" "${N:?}" "${me:?}" "${user:?}" "${server:?}"
internet=0
as_server=()
if [ "$server" != "$me" ]; then as_server=(setpriv --reuid "$server" --regid "$server" --clear-groups --inh-caps=-all --bounding-set=-all); fi

# in_internet COMMAND...: there
in_internet() {
        nsenter -t "$internet" -n -- "$@"
}

# empty FILE...: of $T
empty() {
        local file
        for file; do : >"$T/$file"; done
}

# internet_addresses: all that are its own, also those where nothing listens
internet_addresses() {
        awk '$1 !~ /^#/ && $2 != "->" && $2 != "lost" { for (i = 2; i <= NF; i++) if ($i ~ /[.:]/) print $i }' "$T/made/names.txt" |
                grep -vxE '127\..*|0\..*|::1|::ffff:.*|fe80:.*|81\.2\.69\.142|2a00:1450:4001::142' | sort -u
}

# resolv_conf TEXT: how names are found, on the host
resolv_conf() {
        rm -f /etc/resolv.conf
        printf '%s\n' "$1" >/etc/resolv.conf
}

# own_places: file systems of this namespace's own, over those that tests could harm or that say who is who
own_places() {
        local place

        mkdir "$T/etc"
        cp -a /etc/. "$T/etc" 2>/dev/null
        for place in /root /home /srv /run /var/tmp /dev/shm /etc; do
                mount -t tmpfs -o mode=755,size=2g bailey-net "$place" || return
        done
        chmod 1777 /var/tmp /dev/shm
        cp -a "$T/etc/." /etc && rm -rf "${T:?}/etc"
        mkdir -p /home/agent /home/git /run/sshd "$N"
        cp -R "$T/made/." "$N" && mv "$N"/bin/* "$N" || return
        printf 'agent:x:%s:%s::/home/agent:/bin/bash\ngit:x:%s:%s::/home/git:/bin/sh\n' "$user" "$user" "$server" "$server" >>/etc/passwd
        printf '%s\n' "passwd: files" "group: files" "hosts: files dns" >/etc/nsswitch.conf
        printf '127.0.0.1 localhost\n::1 localhost\n' >/etc/hosts
        hostname host.example
}

# trust: our certification authority, by all who look for one where Debian has them
trust() {
        local certificates=/etc/ssl/certs

        rm -rf "$certificates"
        mkdir -p "$certificates/java"
        cp "$N/ca.pem" "$certificates/ca-certificates.crt"
        cp "$N/ca.pem" "$certificates/$(openssl x509 -hash -noout -in "$N/ca.pem").0"
        if [ -e "$N/cacerts" ]; then cp "$N/cacerts" "$certificates/java/cacerts"; fi
}

# wire: the two networks, and the cable between them
wire() {
        local address

        unshare --net sleep infinity &
        internet=$!
        until [ "$(readlink "/proc/$internet/ns/net")" != "$(readlink /proc/self/ns/net)" ] && grep -q sleep "/proc/$internet/comm"; do
                read -rt 0.01 <>"$T/pause"
        done
        ip link set lo up && ip link add net0 type veth peer name wan netns "$internet" || return
        printf 'address add %s dev net0\n' 81.2.69.142/24 "2a00:1450:4001::142/64 nodad" >"$T/wire"
        printf '%s\n' 'link set net0 up' 'route add default via 81.2.69.1' 'route add default via 2a00:1450:4001::1' >>"$T/wire"
        {
                printf '%s\n' 'link set lo up' 'address add 81.2.69.1/24 dev wan' 'address add 2a00:1450:4001::1/64 dev wan nodad' 'link set wan up'
                for address in 9.9.9.9 2620:fe::fe $(internet_addresses); do
                        case $address in
                        *:*) echo "address add $address/128 dev lo nodad" ;;
                        *) echo "address add $address/32 dev lo" ;;
                        esac
                done
        } >"$T/wire.internet"
        ip -batch "$T/wire" && in_internet ip -batch "$T/wire.internet" &&
                in_internet sh -c 'echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start' # for servers that root may not run
}

# start NAME COMMAND...: a server that says "ready"
start() {
        local name=$1

        : >"$T/$name.ready"
        "${@:2}" >"$T/$name.ready" 2>"$T/$name.err" &
        for _ in {1..1000}; do
                if grep -q ready "$T/$name.ready"; then return; fi
                if ! kill -0 $! 2>/dev/null; then return 1; fi
                read -rt 0.01 <>"$T/pause"
        done
        return 1
}

# start_at ADDRESS PORT COMMAND...: one that does not, but listens there
start_at() {
        in_internet "${@:3}" >"$T/server-$2.err" 2>&1 &
        for _ in {1..1000}; do
                if in_internet bash -c ": </dev/tcp/$1/$2" 2>/dev/null; then return; fi
                if ! kill -0 $! 2>/dev/null; then return 1; fi
                read -rt 0.01 <>"$T/pause"
        done
        return 1
}

start_ssh() {
        install -m 600 -o "$server" "$N/host_key" /run/sshd/key
        cp "$N/user_key.pub" /run/sshd/authorized
        printf '%s\n' "HostKey /run/sshd/key" "AuthorizedKeysFile /run/sshd/authorized" "ListenAddress 140.82.121.4:22" "PidFile none" \
                "UsePAM no" "StrictModes no" "PasswordAuthentication no" "KbdInteractiveAuthentication no" "MaxStartups 100" \
                "AcceptEnv GIT_PROTOCOL" >/run/sshd/config
        start_at 140.82.121.4 22 "${as_server[@]}" "$(command -v sshd)" -D -e -f /run/sshd/config
}

start_postgres() {
        local bin

        bin=$(dirname "$(find /usr/lib/postgresql -name initdb 2>/dev/null | sort | tail -n 1)")
        if [ ! -x "$bin/initdb" ]; then return; fi
        install -d -m 700 -o "$server" /run/postgres
        (cd / && exec "${as_server[@]}" env -i PATH="$PATH" "$bin/initdb" -D /run/postgres/data -U agent -A trust --no-sync --no-locale -E UTF8) \
                >"$T/initdb.err" 2>&1 || return
        printf 'host all all all trust\n' >>/run/postgres/data/pg_hba.conf
        start_at 93.184.216.54 5432 "${as_server[@]}" "$bin/postgres" -D /run/postgres/data -c listen_addresses=93.184.216.54 -c fsync=off \
                -c unix_socket_directories=/run/postgres
}

# start_others: those that take longer, for the cases of all.net
start_others() {
        mkdir "$N/h2"
        echo 'hello by HTTP/2' >"$N/h2/index.html"
        if command -v nghttpd >/dev/null; then
                start_at 93.184.216.11 443 nghttpd -a 93.184.216.11 -d "$N/h2" 443 "$N/key.pem" "$N/certificate.pem" || return
        fi
        if command -v sshd >/dev/null; then start_ssh || return; fi
        start_postgres || return
        start_at 140.82.121.4 9418 "${as_server[@]}" env HOME="$N" git -c safe.directory='*' daemon --base-path="$N/git" --listen=140.82.121.4 \
                --enable=receive-pack "$N/git"
}

# internet_start all|short: with all servers, or with those that short cases need
internet_start() {
        mkfifo "$T/pause" && own_places && trust && wire || return
        chmod 600 "$N"/*key
        chown "$user" "$N/user_key"
        chown -R "$server" "$N/git"
        empty questions visits
        chmod 666 "$T/questions" "$T/visits"
        resolv_conf 'nameserver 9.9.9.9'
        start resolver in_internet python3 -B "$T/internet/resolver.py" "$N/names.txt" "$T/questions" 9.9.9.9 2620:fe::fe &&
                start host-resolver python3 -B "$T/internet/resolver.py" "$N/names.txt" "$T/questions" 127.0.0.1 127.0.0.53 || return
        # shellcheck disable=SC2046 # words
        start servers in_internet python3 -B "$T/internet/servers.py" "$N" "$T/visits" $(internet_addresses | grep -vxF 93.184.216.99) &&
                start host-servers python3 -B "$T/internet/servers.py" "$N" "$T/visits" --host 127.0.0.1 ::1 81.2.69.142 2a00:1450:4001::142 || return
        if [ "$1" = all ]; then start_others || return; fi
}
