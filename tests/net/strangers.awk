# Reads names.txt, the resolver's log and the servers' log. Prints each name that was asked for and each server that was reached although
# neither is in `hosts`: the words of sandbox.network.hosts and of flags. `packages`: the preset counts, too.

function allowed(name,    i, pattern) {
        for (i = 1; i <= count; i++) {
                pattern = list[i]
                sub(/:[0-9*]+$/, "", pattern)
                if (pattern == "*" || name == pattern)
                        return 1
                if (substr(pattern, 1, 2) == "*." && (name == substr(pattern, 3) || name ~ ("\\." substr(pattern, 3) "$")))
                        return 1
        }
        return 0
}

BEGIN {
        hosts = tolower(hosts)
        if ((packages " " hosts) ~ /packages/)
                hosts = hosts " registry.npmjs.org pypi.org files.pythonhosted.org deb.debian.org"
        if (hosts ~ /@github/)
                hosts = hosts " github.com"
        count = split(hosts, list, /[ =]+/)
}

# each address -> those of its names that are allowed; an alias is not followed, its target has a line of its own
FILENAME ~ /names.txt$/ && $1 !~ /^#/ {
        if ($2 == "->")
                target[$1] = $3
        else
                for (i = 2; i <= NF; i++)
                        addresses[$1] = addresses[$1] " " $i
        next
}

FILENAME ~ /questions$/ && !allowed($1) { print "the resolver was asked for " $1 }

FILENAME ~ /visits$/ && !ready {
        ready = 1
        for (name in target)
                if (allowed(name)) {
                        for (at = name; at in target && steps++ < 10;)
                                at = target[at]
                        open_addresses = open_addresses addresses[at] " "
                        steps = 0
                }
        for (name in addresses)
                if (allowed(name))
                        open_addresses = open_addresses addresses[name] " "
        for (i = 1; i <= count; i++)
                open_addresses = open_addresses " " list[i] " "
}

FILENAME ~ /visits$/ && ($1 == "tcp" || $1 == "udp") && index(open_addresses, " " $2 " ") == 0 { print "a server was reached: " $0 }
