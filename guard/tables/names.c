#include "guard/tables/names.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A name, and the one that is on blocklists. */
static const char *const related[][2] = {
        { "adduser", "useradd" },   { "arptables", "iptables" }, { "chage", "useradd" },     { "chpasswd", "useradd" },
        { "deluser", "userdel" },   { "gpasswd", "useradd" },    { "passwd", "useradd" },    { "setcap", "visudo" },
        { "ebtables", "iptables" }, { "groupadd", "useradd" },   { "groupdel", "userdel" },  { "ip6tables", "iptables" },
        { "kexec", "reboot" },      { "mke2fs", "mkfs" },        { "mkswap", "mkfs" },       { "modprobe", "insmod" },
        { "newfs", "mkfs" },        { "nft", "iptables" },       { "pivot_root", "chroot" }, { "sgdisk", "fdisk" },
        { "sfdisk", "fdisk" },      { "ufw", "iptables" },       { "usermod", "useradd" },   { "vipw", "visudo" },
};

/* Programs of blocklists, and with which words they only ask: all of them must be among these, and * is any without =. */
static const char *const asking[][2] = {
        { "chage", "-l --list *" },
        { "iptables", "-L -S -n -v -t --list --list-rules --line-numbers nat filter mangle raw" },
        { "mount", "-l -t -v" },
        { "nft", "list ruleset tables chains -a -n" },
        { "sysctl", "-a -n -e -q --all --values *" },
        { "ufw", "status verbose numbered" },
};

static const char *const miners[] = { "bfgminer", "cgminer",   "cpuminer",     "ethminer", "lolminer", "minerd",
                                      "nbminer",  "nheqminer", "phoenixminer", "t-rex",    "xmr-stak", "xmrig" };

static const char *const httpies[] = { "curlie", "http", "httpie", "https", "xh" };

static const char *const schemes[] = { "amqp",   "ftp",     "ftps",  "git",  "http",     "https",      "ldap",
                                       "ldaps",  "mongodb", "mysql", "nats", "postgres", "postgresql", "redis",
                                       "rediss", "sftp",    "ssh",   "svn",  "tcp",      "ws",         "wss" };

static const char *const databases[] = { "clickhouse-client", "duckdb", "mariadb", "mysql", "psql", "sqlcmd", "sqlite3" };

static const char *const host_variables[] = { "all_proxy",
                                              "cargo_http_proxy",
                                              "ftp_proxy",
                                              "goproxy",
                                              "http_proxy",
                                              "https_proxy",
                                              "npm_config_registry",
                                              "pghost",
                                              "pip_extra_index_url",
                                              "pip_index_url",
                                              "uv_default_index",
                                              "uv_index_url",
                                              "yarn_npm_registry_server" };

static const char *const clients[] = { "clickhouse-client", "createdb", "dropdb",       "mariadb", "mongo",
                                       "mongodump",         "mongosh",  "mongorestore", "mysql",   "mysqladmin",
                                       "mysqldump",         "pg_dump",  "pg_restore",   "psql",    "redis-cli" };

static const char *const vendor_registries[] = { "docker.elastic.co", "mcr.microsoft.com", "nvcr.io",
                                                 "registry.access.redhat.com", "registry.k8s.io" };

static const char *const local_hosts[] = { ".invalid", ".localhost", ".test", "host.containers.internal",
                                           "host.docker.internal" };

static const char *const metadata_hosts[] = {
        "instance-data",           "instance-data.ec2.internal", "metadata",
        "metadata.azure.internal", "metadata.google.internal",   "metadata.tencentyun.com"
};

static const char *const secrets[] = {
        "ANTHROPIC_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "AZURE_CLIENT_SECRET",
        "CLOUDFLARE_API_TOKEN",
        "CREDENTIALS",
        "DATABASE_URL",
        "DB_PASSWORD",
        "DOCKER_AUTH_CONFIG",
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "GITLAB_TOKEN",
        "GOOGLE_API_KEY",
        "HF_TOKEN",
        "JWT_SECRET",
        "MONGODB_URI",
        "MYSQL_ROOT_PASSWORD",
        "NPM_TOKEN",
        "OPENAI_API_KEY",
        "PASSPHRASE",
        "PASSWD",
        "PGPASSWORD",
        "POSTGRES_PASSWORD",
        "PRIVATE_KEY",
        "PYPI_TOKEN",
        "REDIS_URL",
        "SECRET_KEY_BASE",
        "SENTRY_DSN",
        "SLACK_BOT_TOKEN",
        "SSH_AUTH_SOCK",
        "STRIPE_SECRET_KEY",
        "TWILIO_AUTH_TOKEN",
};

/* Sorted. */
static const struct {
        const char *word;
        unsigned kind;
} words[] = {
        { "--", WORD_IS_LAUNCHING },
        { "a", WORD_IS_ENGLISH },
        { "about", WORD_IS_ENGLISH },
        { "access-key", WORD_IS_SECRET },
        { "access-token", WORD_IS_SECRET },
        { "add", WORD_IS_TEXT },
        { "after", WORD_IS_LAUNCHING },
        { "alias", WORD_IS_SUBCOMMAND },
        { "an", WORD_IS_ENGLISH },
        { "and", WORD_IS_ENGLISH },
        { "annihilate", WORD_IS_DESTROYING },
        { "annotate", WORD_IS_TEXT },
        { "annotation", WORD_IS_TEXT },
        { "any", WORD_IS_ENGLISH },
        { "api-key", WORD_IS_SECRET },
        { "apikey", WORD_IS_SECRET },
        { "are", WORD_IS_ENGLISH },
        { "at", WORD_IS_SUBCOMMAND },
        { "auth", WORD_IS_TELLING },
        { "b", WORD_IS_TEXT },
        { "batch", WORD_IS_SUBCOMMAND },
        { "be", WORD_IS_ENGLISH },
        { "because", WORD_IS_ENGLISH },
        { "been", WORD_IS_ENGLISH },
        { "before", WORD_IS_LAUNCHING | WORD_IS_ENGLISH },
        { "bind", WORD_IS_SUBCOMMAND },
        { "body", WORD_IS_TEXT },
        { "builtin", WORD_IS_SUBCOMMAND },
        { "but", WORD_IS_ENGLISH },
        { "c", WORD_IS_LAUNCHING },
        { "cache", WORD_IS_HARMLESS },
        { "caches", WORD_IS_HARMLESS },
        { "call", WORD_IS_LAUNCHING },
        { "can", WORD_IS_ENGLISH },
        { "cannot", WORD_IS_ENGLISH },
        { "check", WORD_IS_HARMLESS },
        { "cmd", WORD_IS_LAUNCHING },
        { "cmds", WORD_IS_LAUNCHING },
        { "command", WORD_IS_SUBCOMMAND | WORD_IS_LAUNCHING },
        { "commands", WORD_IS_LAUNCHING },
        { "comment", WORD_IS_TEXT },
        { "commit", WORD_IS_TEXT },
        { "could", WORD_IS_ENGLISH },
        { "credential", WORD_IS_SECRET },
        { "credentials", WORD_IS_SECRET },
        { "declare", WORD_IS_SUBCOMMAND },
        { "decommission", WORD_IS_DESTROYING },
        { "decrypt", WORD_IS_TELLING },
        { "del", WORD_IS_DESTROYING },
        { "delete", WORD_IS_DESTROYING },
        { "delete-all", WORD_IS_DESTROYING },
        { "deprovision", WORD_IS_DESTROYING },
        { "describe", WORD_IS_HARMLESS },
        { "description", WORD_IS_TEXT },
        { "destroy", WORD_IS_DESTROYING },
        { "did", WORD_IS_ENGLISH },
        { "disown", WORD_IS_SUBCOMMAND },
        { "do", WORD_IS_LAUNCHING },
        { "does", WORD_IS_ENGLISH },
        { "don't", WORD_IS_ENGLISH },
        { "done", WORD_IS_ENGLISH },
        { "drop", WORD_IS_DESTROYING },
        { "drop-all", WORD_IS_DESTROYING },
        { "dry-run", WORD_IS_HARMLESS },
        { "dryrun", WORD_IS_HARMLESS },
        { "dump", WORD_IS_TELLING },
        { "e", WORD_IS_LAUNCHING },
        { "each", WORD_IS_LAUNCHING },
        { "echo", WORD_IS_TEXT },
        { "enable", WORD_IS_SUBCOMMAND },
        { "entrypoint", WORD_IS_LAUNCHING },
        { "env", WORD_IS_SUBCOMMAND },
        { "erase", WORD_IS_DESTROYING },
        { "erase-all", WORD_IS_DESTROYING },
        { "es", WORD_IS_SUBCOMMAND },
        { "eval", WORD_IS_LAUNCHING },
        { "exec", WORD_IS_SUBCOMMAND | WORD_IS_LAUNCHING },
        { "execute", WORD_IS_LAUNCHING },
        { "explain", WORD_IS_TEXT },
        { "export", WORD_IS_TELLING },
        { "file", WORD_IS_SUBCOMMAND },
        { "filter", WORD_IS_TEXT },
        { "find", WORD_IS_SUBCOMMAND | WORD_IS_TEXT },
        { "from", WORD_IS_ENGLISH },
        { "ftp", WORD_IS_SUBCOMMAND },
        { "g", WORD_IS_TEXT },
        { "get", WORD_IS_SUBCOMMAND | WORD_IS_TELLING },
        { "getent", WORD_IS_SUBCOMMAND },
        { "grep", WORD_IS_TEXT },
        { "h", WORD_IS_HARMLESS },
        { "has", WORD_IS_ENGLISH },
        { "hash", WORD_IS_SUBCOMMAND },
        { "have", WORD_IS_ENGLISH },
        { "head", WORD_IS_SUBCOMMAND },
        { "header", WORD_IS_TEXT },
        { "help", WORD_IS_SUBCOMMAND | WORD_IS_HARMLESS },
        { "history", WORD_IS_SUBCOMMAND },
        { "hook", WORD_IS_LAUNCHING },
        { "host", WORD_IS_SUBCOMMAND },
        { "how", WORD_IS_ENGLISH },
        { "http", WORD_IS_SUBCOMMAND },
        { "https", WORD_IS_SUBCOMMAND },
        { "i'm", WORD_IS_ENGLISH },
        { "init", WORD_IS_SUBCOMMAND },
        { "install", WORD_IS_SUBCOMMAND },
        { "instead", WORD_IS_ENGLISH },
        { "invoke", WORD_IS_LAUNCHING },
        { "ip", WORD_IS_SUBCOMMAND },
        { "is", WORD_IS_ENGLISH },
        { "issue", WORD_IS_TEXT },
        { "it", WORD_IS_ENGLISH },
        { "its", WORD_IS_ENGLISH },
        { "join", WORD_IS_SUBCOMMAND },
        { "k", WORD_IS_TEXT },
        { "keychain", WORD_IS_SECRET },
        { "kill", WORD_IS_SUBCOMMAND },
        { "label", WORD_IS_TEXT },
        { "launch", WORD_IS_LAUNCHING },
        { "list", WORD_IS_SUBCOMMAND | WORD_IS_HARMLESS },
        { "local", WORD_IS_SUBCOMMAND },
        { "log", WORD_IS_TEXT },
        { "look", WORD_IS_SUBCOMMAND },
        { "m", WORD_IS_TEXT },
        { "mail", WORD_IS_SUBCOMMAND },
        { "man", WORD_IS_SUBCOMMAND },
        { "match", WORD_IS_TEXT },
        { "may", WORD_IS_ENGLISH },
        { "message", WORD_IS_TEXT },
        { "msg", WORD_IS_TEXT },
        { "must", WORD_IS_ENGLISH },
        { "n", WORD_IS_HARMLESS },
        { "name", WORD_IS_TEXT },
        { "nc", WORD_IS_SUBCOMMAND },
        { "never", WORD_IS_ENGLISH },
        { "no", WORD_IS_ENGLISH },
        { "no-op", WORD_IS_HARMLESS },
        { "noop", WORD_IS_HARMLESS },
        { "not", WORD_IS_ENGLISH },
        { "note", WORD_IS_TEXT },
        { "notes", WORD_IS_TEXT },
        { "now", WORD_IS_ENGLISH },
        { "nuke", WORD_IS_DESTROYING },
        { "obliterate", WORD_IS_DESTROYING },
        { "of", WORD_IS_ENGLISH },
        { "on", WORD_IS_ENGLISH },
        { "op", WORD_IS_SUBCOMMAND },
        { "or", WORD_IS_ENGLISH },
        { "our", WORD_IS_ENGLISH },
        { "pass", WORD_IS_SUBCOMMAND },
        { "passphrase", WORD_IS_SECRET },
        { "password", WORD_IS_SECRET },
        { "passwords", WORD_IS_SECRET },
        { "patch", WORD_IS_SUBCOMMAND },
        { "pattern", WORD_IS_TEXT },
        { "plan", WORD_IS_HARMLESS },
        { "please", WORD_IS_ENGLISH },
        { "post", WORD_IS_SUBCOMMAND },
        { "preview", WORD_IS_HARMLESS },
        { "print", WORD_IS_SUBCOMMAND | WORD_IS_TEXT | WORD_IS_TELLING },
        { "private-key", WORD_IS_SECRET },
        { "prompt", WORD_IS_TEXT },
        { "purge", WORD_IS_DESTROYING },
        { "q", WORD_IS_TEXT },
        { "query", WORD_IS_TEXT },
        { "r", WORD_IS_SUBCOMMAND },
        { "rc", WORD_IS_SUBCOMMAND },
        { "read", WORD_IS_SUBCOMMAND | WORD_IS_TELLING },
        { "reason", WORD_IS_TEXT },
        { "refresh-token", WORD_IS_SECRET },
        { "regex", WORD_IS_TEXT },
        { "remove-all", WORD_IS_DESTROYING },
        { "reset", WORD_IS_SUBCOMMAND },
        { "reveal", WORD_IS_TELLING },
        { "rule", WORD_IS_TEXT },
        { "run", WORD_IS_LAUNCHING },
        { "say", WORD_IS_TEXT },
        { "script", WORD_IS_SUBCOMMAND | WORD_IS_LAUNCHING },
        { "search", WORD_IS_TEXT },
        { "secret", WORD_IS_SECRET },
        { "secret-key", WORD_IS_SECRET },
        { "secrets", WORD_IS_SECRET },
        { "security", WORD_IS_SUBCOMMAND },
        { "send-message", WORD_IS_TEXT },
        { "set", WORD_IS_SUBCOMMAND },
        { "sftp", WORD_IS_SUBCOMMAND },
        { "sh", WORD_IS_LAUNCHING },
        { "shell", WORD_IS_LAUNCHING },
        { "shift", WORD_IS_SUBCOMMAND },
        { "should", WORD_IS_ENGLISH },
        { "show", WORD_IS_TELLING },
        { "simulate", WORD_IS_HARMLESS },
        { "so", WORD_IS_ENGLISH },
        { "some", WORD_IS_ENGLISH },
        { "sort", WORD_IS_SUBCOMMAND },
        { "source", WORD_IS_SUBCOMMAND },
        { "spawn", WORD_IS_LAUNCHING },
        { "split", WORD_IS_SUBCOMMAND },
        { "ssh", WORD_IS_SUBCOMMAND },
        { "start", WORD_IS_LAUNCHING },
        { "subject", WORD_IS_TEXT },
        { "such", WORD_IS_ENGLISH },
        { "summary", WORD_IS_TEXT },
        { "t", WORD_IS_TEXT },
        { "tag", WORD_IS_TEXT },
        { "tail", WORD_IS_SUBCOMMAND },
        { "telnet", WORD_IS_SUBCOMMAND },
        { "temp", WORD_IS_HARMLESS },
        { "terminate", WORD_IS_DESTROYING },
        { "test", WORD_IS_SUBCOMMAND },
        { "tests", WORD_IS_TEXT },
        { "text", WORD_IS_TEXT },
        { "than", WORD_IS_ENGLISH },
        { "that", WORD_IS_ENGLISH },
        { "the", WORD_IS_ENGLISH },
        { "their", WORD_IS_ENGLISH },
        { "them", WORD_IS_ENGLISH },
        { "then", WORD_IS_LAUNCHING },
        { "there", WORD_IS_ENGLISH },
        { "they", WORD_IS_ENGLISH },
        { "this", WORD_IS_ENGLISH },
        { "time", WORD_IS_SUBCOMMAND },
        { "title", WORD_IS_TEXT },
        { "tmp", WORD_IS_HARMLESS },
        { "to", WORD_IS_ENGLISH },
        { "todo", WORD_IS_TEXT },
        { "token", WORD_IS_SECRET },
        { "tokens", WORD_IS_SECRET },
        { "top", WORD_IS_SUBCOMMAND },
        { "topic", WORD_IS_TEXT },
        { "trap", WORD_IS_SUBCOMMAND },
        { "truncate", WORD_IS_SUBCOMMAND },
        { "type", WORD_IS_SUBCOMMAND },
        { "undefine", WORD_IS_DESTROYING },
        { "uninstall-all", WORD_IS_DESTROYING },
        { "unlink", WORD_IS_SUBCOMMAND },
        { "unseal", WORD_IS_TELLING },
        { "unset", WORD_IS_SUBCOMMAND },
        { "validate", WORD_IS_HARMLESS },
        { "version", WORD_IS_HARMLESS },
        { "view", WORD_IS_TELLING },
        { "wait", WORD_IS_SUBCOMMAND },
        { "was", WORD_IS_ENGLISH },
        { "watch", WORD_IS_SUBCOMMAND },
        { "we", WORD_IS_ENGLISH },
        { "were", WORD_IS_ENGLISH },
        { "what", WORD_IS_ENGLISH },
        { "what-if", WORD_IS_HARMLESS },
        { "whatif", WORD_IS_HARMLESS },
        { "when", WORD_IS_ENGLISH },
        { "which", WORD_IS_ENGLISH },
        { "who", WORD_IS_SUBCOMMAND },
        { "will", WORD_IS_ENGLISH },
        { "wipe", WORD_IS_DESTROYING },
        { "wipe-all", WORD_IS_DESTROYING },
        { "with", WORD_IS_LAUNCHING | WORD_IS_ENGLISH },
        { "without", WORD_IS_ENGLISH },
        { "would", WORD_IS_ENGLISH },
        { "x", WORD_IS_LAUNCHING },
        { "you", WORD_IS_ENGLISH },
        { "your", WORD_IS_ENGLISH },
        { "zap", WORD_IS_DESTROYING },
};

static bool is_one_of(struct str name, const char *const *names, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (name.len && *names[i] == *name.ptr && str_is(name, names[i]))
                        return true;
        return false;
}

struct str name_related(struct str program) {
        for (size_t i = 0; i < COUNT(related); i++)
                if (program.len && ascii_lower((unsigned char)*program.ptr) == (unsigned char)*related[i][0] &&
                    str_eq_nocase(program, str_z(related[i][0])))
                        return str_z(related[i][1]);
        return STR("");
}

bool name_asks(struct str program, struct str word) {
        const char *list = NULL;

        for (size_t i = 0; i < COUNT(asking) && !list; i++)
                list = str_is(program, asking[i][0]) ? asking[i][1] : NULL;
        if (!list || !word.len)
                return list;
        for (struct str rest = str_z(list); rest.len; rest = str_skip(rest, str_find(rest, ' ') + 1)) {
                struct str known = str_take(rest, str_find(rest, ' '));

                if (str_eq(known, word) || (str_is(known, "*") && word.ptr[0] != '-' && str_find(word, '=') == word.len))
                        return true;
        }
        return false;
}

bool name_is_miner(struct str program) {
        return is_one_of(program, miners, COUNT(miners));
}

bool name_is_httpie(struct str program) {
        return is_one_of(program, httpies, COUNT(httpies));
}

bool name_is_network_scheme(struct str scheme) {
        size_t plus = str_find(scheme, '+'); /* git+https, mongodb+srv */

        return is_one_of(str_take(scheme, plus), schemes, COUNT(schemes)) ||
               is_one_of(str_skip(scheme, plus + 1), schemes, COUNT(schemes));
}

bool name_is_database(struct str program) {
        return is_one_of(program, databases, COUNT(databases));
}

unsigned word_kind(struct str word) {
        size_t low = 0, high = COUNT(words);
        char lower[16];

        if (!word.len || word.len > sizeof(lower))
                return 0;
        for (size_t i = 0; i < word.len; i++)
                lower[i] = (char)ascii_lower((unsigned char)word.ptr[i]);
        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = str_cmp(str_from(lower, word.len), str_z(words[middle].word));

                if (order == 0)
                        return words[middle].kind;
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return 0;
}

bool name_is_client(struct str program) {
        return is_one_of(program, clients, COUNT(clients));
}

bool name_is_vendor_registry(struct str host) {
        return is_one_of(host, vendor_registries, COUNT(vendor_registries));
}

bool name_is_local_host(struct str host) {
        for (size_t i = 0; i < COUNT(local_hosts); i++)
                if (*local_hosts[i] == '.' ? str_ends(host, str_z(local_hosts[i])) : str_is(host, local_hosts[i]))
                        return true;
        return false;
}

bool name_is_metadata(struct str host) {
        return is_one_of(host, metadata_hosts, COUNT(metadata_hosts));
}

bool name_is_like_secret(struct str part) {
        for (size_t i = 0; i < COUNT(secrets); i++)
                for (struct str rest = str_z(secrets[i]); rest.len >= part.len; rest = str_skip(rest, 1))
                        if (str_eq_nocase(str_take(rest, part.len), part))
                                return true;
        return false;
}

bool variable_names_host(struct str variable) {
        for (size_t i = 0; i < COUNT(host_variables); i++)
                if (str_eq_nocase(variable, str_z(host_variables[i])))
                        return true;
        return false;
}
