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
        { "ufw", "show status verbose numbered version" },
};

/* Parts of programs' names. */
static const char *const miners[] = { "bfgminer", "cgminer", "coin-hive",    "coinhive",  "cpuminer", "ethminer",
                                      "lolminer", "minerd",  "nbminer",      "nheqminer", "nsfminer", "phoenixminer",
                                      "srbminer", "t-rex",   "teamredminer", "wildrig",   "xmr-stak", "xmrig" };

/* Parts of the names of hosts that miners work for. */
static const char *const pools[] = { "2miners",    "antpool",    "ethermine", "f2pool",      "flypool",  "hashvault",
                                     "herominers", "minergate",  "minexmr",   "moneroocean", "nanopool", "nicehash",
                                     "supportxmr", "unmineable", "viabtc",    "woolypooly",  "xmrpool",  "zpool.ca" };

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

static const char *const clients[] = { "clickhouse-client", "createdb",   "dropdb",       "mariadb",  "mongo",
                                       "mongodump",         "mongosh",    "mongorestore", "mysql",    "mysqladmin",
                                       "mysqldump",         "nix",        "nix-shell",    "nix-env",  "nix-build",
                                       "pg_dump",           "pg_restore", "psql",         "redis-cli" };

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
        { "*", WORD_IS_OPENING },
        { "--", WORD_IS_LAUNCHING },
        { "0", WORD_IS_OFF },
        { "0.0.0.0/0", WORD_IS_OPENING },
        { "2fa", WORD_IS_GUARDING },
        { "::/0", WORD_IS_OPENING },
        { "a", WORD_IS_ENGLISH },
        { "about", WORD_IS_ENGLISH },
        { "accept", WORD_IS_FORCING },
        { "accept-data-loss", WORD_IS_DESTROYING },
        { "access-key", WORD_IS_SECRET },
        { "access-token", WORD_IS_SECRET },
        { "acl", WORD_IS_ACCESS },
        { "add", WORD_IS_TEXT },
        { "administratoraccess", WORD_IS_OPENING },
        { "after", WORD_IS_LAUNCHING },
        { "aide", WORD_IS_SERVICE },
        { "alias", WORD_IS_SUBCOMMAND },
        { "all", WORD_IS_FORCING },
        { "allauthenticatedusers", WORD_IS_OPENING | WORD_IS_ACCESS },
        { "allow-all", WORD_IS_OFF },
        { "allow-all-tools", WORD_IS_UNCHECKED },
        { "allow-data-loss", WORD_IS_DESTROYING },
        { "allow-downgrades", WORD_IS_UNCHECKED },
        { "allow-remove-essential", WORD_IS_UNCHECKED },
        { "allow-unauthenticated", WORD_IS_UNCHECKED },
        { "allow-untrusted", WORD_IS_UNCHECKED },
        { "allowerasing", WORD_IS_UNCHECKED },
        { "allusers", WORD_IS_OPENING | WORD_IS_ACCESS },
        { "an", WORD_IS_ENGLISH },
        { "and", WORD_IS_ENGLISH },
        { "annihilate", WORD_IS_DESTROYING },
        { "annotate", WORD_IS_TEXT },
        { "annotation", WORD_IS_TEXT | WORD_IS_NOUN },
        { "anonymous", WORD_IS_OPENING },
        { "antivirus", WORD_IS_GUARDING },
        { "any", WORD_IS_ENGLISH },
        { "anyone", WORD_IS_OPENING },
        { "api-key", WORD_IS_SECRET },
        { "apikey", WORD_IS_SECRET },
        { "apparmor", WORD_IS_GUARDING | WORD_IS_SERVICE },
        { "apparmor.service", WORD_IS_SERVICE },
        { "approve", WORD_IS_FORCING },
        { "are", WORD_IS_ENGLISH },
        { "at", WORD_IS_SUBCOMMAND },
        { "auditbeat", WORD_IS_SERVICE },
        { "auditctl", WORD_IS_SERVICE },
        { "auditd", WORD_IS_SERVICE },
        { "auditd.service", WORD_IS_SERVICE },
        { "auth", WORD_IS_TELLING },
        { "authorized-networks", WORD_IS_ACCESS },
        { "auto-approve", WORD_IS_FORCING },
        { "auto-approve-all", WORD_IS_UNCHECKED },
        { "autoremove", WORD_IS_DISABLING },
        { "b", WORD_IS_TEXT },
        { "batch", WORD_IS_SUBCOMMAND },
        { "be", WORD_IS_ENGLISH },
        { "because", WORD_IS_ENGLISH },
        { "been", WORD_IS_ENGLISH },
        { "before", WORD_IS_LAUNCHING | WORD_IS_ENGLISH },
        { "bind", WORD_IS_SUBCOMMAND },
        { "body", WORD_IS_TEXT },
        { "branch-protection", WORD_IS_SERVICE },
        { "builtin", WORD_IS_SUBCOMMAND },
        { "but", WORD_IS_ENGLISH },
        { "bypass", WORD_IS_DISABLING },
        { "bypass-permissions", WORD_IS_UNCHECKED },
        { "c", WORD_IS_LAUNCHING },
        { "cache", WORD_IS_HARMLESS },
        { "caches", WORD_IS_HARMLESS },
        { "call", WORD_IS_LAUNCHING },
        { "can", WORD_IS_ENGLISH },
        { "cannot", WORD_IS_ENGLISH },
        { "cascade", WORD_IS_FORCING },
        { "cert", WORD_IS_GUARDING },
        { "certificate", WORD_IS_GUARDING },
        { "certificates", WORD_IS_GUARDING },
        { "certs", WORD_IS_GUARDING },
        { "check", WORD_IS_HARMLESS },
        { "checksum", WORD_IS_GUARDING },
        { "chkrootkit", WORD_IS_SERVICE },
        { "cidr", WORD_IS_ACCESS },
        { "cidr-ip", WORD_IS_ACCESS },
        { "cidrip", WORD_IS_ACCESS },
        { "clamav", WORD_IS_SERVICE },
        { "clamav-daemon", WORD_IS_SERVICE },
        { "clamd", WORD_IS_SERVICE },
        { "clear", WORD_IS_WEAK },
        { "cloudtrail", WORD_IS_GUARDING | WORD_IS_SERVICE },
        { "cluster-admin", WORD_IS_OPENING },
        { "clusterrole", WORD_IS_ACCESS },
        { "cmd", WORD_IS_LAUNCHING },
        { "cmds", WORD_IS_LAUNCHING },
        { "command", WORD_IS_SUBCOMMAND | WORD_IS_LAUNCHING },
        { "commands", WORD_IS_LAUNCHING },
        { "comment", WORD_IS_TEXT | WORD_IS_NOUN },
        { "commit", WORD_IS_TEXT },
        { "confirm", WORD_IS_FORCING },
        { "coreutils", WORD_IS_SERVICE },
        { "could", WORD_IS_ENGLISH },
        { "credential", WORD_IS_SECRET },
        { "credentials", WORD_IS_SECRET },
        { "crowdsec", WORD_IS_SERVICE },
        { "crowdstrike", WORD_IS_SERVICE },
        { "csp", WORD_IS_GUARDING },
        { "csrf", WORD_IS_GUARDING },
        { "dangerous", WORD_IS_FORCING | WORD_IS_UNCHECKED },
        { "deactivate", WORD_IS_DISABLING },
        { "declare", WORD_IS_SUBCOMMAND },
        { "decommission", WORD_IS_DESTROYING },
        { "decrypt", WORD_IS_TELLING },
        { "del", WORD_IS_DESTROYING },
        { "delete", WORD_IS_DESTROYING | WORD_IS_DISABLING },
        { "delete-all", WORD_IS_DESTROYING },
        { "delete-all-data", WORD_IS_DESTROYING },
        { "delete-database", WORD_IS_DESTROYING },
        { "deletion", WORD_IS_DESTROYING | WORD_IS_NOUN },
        { "deprovision", WORD_IS_DESTROYING },
        { "deregister", WORD_IS_WEAK },
        { "describe", WORD_IS_HARMLESS },
        { "description", WORD_IS_TEXT | WORD_IS_NOUN },
        { "dest", WORD_IS_OUTPUT },
        { "destination", WORD_IS_OUTPUT },
        { "destroy", WORD_IS_DESTROYING },
        { "destroy-all", WORD_IS_DESTROYING },
        { "devmode", WORD_IS_UNCHECKED },
        { "did", WORD_IS_ENGLISH },
        { "disable", WORD_IS_DISABLING | WORD_IS_OFF },
        { "disabled", WORD_IS_OFF },
        { "disarm", WORD_IS_DISABLING },
        { "disown", WORD_IS_SUBCOMMAND },
        { "do", WORD_IS_LAUNCHING },
        { "does", WORD_IS_ENGLISH },
        { "don't", WORD_IS_ENGLISH },
        { "done", WORD_IS_ENGLISH },
        { "down", WORD_IS_WEAK },
        { "downgrade", WORD_IS_WEAK },
        { "dpkg", WORD_IS_SERVICE },
        { "drop", WORD_IS_DESTROYING },
        { "drop-all", WORD_IS_DESTROYING },
        { "dry-run", WORD_IS_HARMLESS },
        { "dryrun", WORD_IS_HARMLESS },
        { "dump", WORD_IS_TELLING },
        { "e", WORD_IS_LAUNCHING },
        { "each", WORD_IS_LAUNCHING },
        { "echo", WORD_IS_TEXT },
        { "enable", WORD_IS_SUBCOMMAND },
        { "encryption", WORD_IS_GUARDING },
        { "entrypoint", WORD_IS_LAUNCHING },
        { "env", WORD_IS_SUBCOMMAND },
        { "erase", WORD_IS_DESTROYING | WORD_IS_DISABLING },
        { "erase-all", WORD_IS_DESTROYING },
        { "es", WORD_IS_SUBCOMMAND },
        { "eval", WORD_IS_LAUNCHING },
        { "everybody", WORD_IS_OPENING },
        { "everyone", WORD_IS_OPENING },
        { "evict", WORD_IS_WEAK },
        { "exec", WORD_IS_SUBCOMMAND | WORD_IS_LAUNCHING },
        { "execute", WORD_IS_LAUNCHING },
        { "explain", WORD_IS_TEXT },
        { "export", WORD_IS_TELLING },
        { "export-file", WORD_IS_OUTPUT },
        { "f", WORD_IS_FORCING },
        { "fail2ban", WORD_IS_SERVICE },
        { "fail2ban.service", WORD_IS_SERVICE },
        { "falco", WORD_IS_SERVICE },
        { "falcon-sensor", WORD_IS_SERVICE },
        { "false", WORD_IS_OFF },
        { "file", WORD_IS_SUBCOMMAND },
        { "filebeat", WORD_IS_SERVICE },
        { "filter", WORD_IS_TEXT | WORD_IS_NOUN },
        { "find", WORD_IS_SUBCOMMAND | WORD_IS_TEXT },
        { "firewall", WORD_IS_GUARDING | WORD_IS_SERVICE },
        { "firewalld", WORD_IS_SERVICE },
        { "firewalld.service", WORD_IS_SERVICE },
        { "flush", WORD_IS_WEAK | WORD_IS_DISABLING },
        { "force", WORD_IS_FORCING },
        { "force-all", WORD_IS_UNCHECKED },
        { "force-bad-verify", WORD_IS_UNCHECKED },
        { "force-depends", WORD_IS_UNCHECKED },
        { "force-reset", WORD_IS_DESTROYING },
        { "force-yes", WORD_IS_UNCHECKED },
        { "format", WORD_IS_WEAK },
        { "from", WORD_IS_ENGLISH },
        { "ftp", WORD_IS_SUBCOMMAND },
        { "g", WORD_IS_TEXT },
        { "get", WORD_IS_SUBCOMMAND | WORD_IS_TELLING },
        { "getent", WORD_IS_SUBCOMMAND },
        { "glibc", WORD_IS_SERVICE },
        { "gpg", WORD_IS_GUARDING },
        { "gpgcheck", WORD_IS_GUARDING },
        { "gpgchecks", WORD_IS_GUARDING },
        { "grantee", WORD_IS_ACCESS },
        { "grep", WORD_IS_TEXT },
        { "guardduty", WORD_IS_GUARDING | WORD_IS_SERVICE },
        { "h", WORD_IS_HARMLESS },
        { "hard", WORD_IS_FORCING },
        { "hard-delete", WORD_IS_DESTROYING },
        { "harddelete", WORD_IS_DESTROYING },
        { "has", WORD_IS_ENGLISH },
        { "hash", WORD_IS_SUBCOMMAND },
        { "have", WORD_IS_ENGLISH },
        { "head", WORD_IS_SUBCOMMAND },
        { "header", WORD_IS_TEXT },
        { "help", WORD_IS_SUBCOMMAND | WORD_IS_HARMLESS },
        { "history", WORD_IS_SUBCOMMAND },
        { "hook", WORD_IS_LAUNCHING },
        { "host", WORD_IS_SUBCOMMAND },
        { "hostkey", WORD_IS_GUARDING },
        { "how", WORD_IS_ENGLISH },
        { "hsts", WORD_IS_GUARDING },
        { "http", WORD_IS_SUBCOMMAND },
        { "https", WORD_IS_SUBCOMMAND },
        { "i'm", WORD_IS_ENGLISH },
        { "ignore", WORD_IS_OFF },
        { "ignore-dependencies", WORD_IS_UNCHECKED },
        { "inactive", WORD_IS_OFF },
        { "ingress", WORD_IS_ACCESS },
        { "init", WORD_IS_SUBCOMMAND },
        { "insecure", WORD_IS_OFF },
        { "insecure-skip-tls-verify", WORD_IS_UNCHECKED },
        { "install", WORD_IS_SUBCOMMAND },
        { "instead", WORD_IS_ENGLISH },
        { "invoke", WORD_IS_LAUNCHING },
        { "ip", WORD_IS_SUBCOMMAND },
        { "ipranges", WORD_IS_ACCESS },
        { "is", WORD_IS_ENGLISH },
        { "issue", WORD_IS_TEXT | WORD_IS_NOUN },
        { "it", WORD_IS_ENGLISH },
        { "its", WORD_IS_ENGLISH },
        { "join", WORD_IS_SUBCOMMAND },
        { "journald", WORD_IS_SERVICE },
        { "k", WORD_IS_TEXT },
        { "keychain", WORD_IS_SECRET },
        { "kill", WORD_IS_SUBCOMMAND | WORD_IS_DISABLING },
        { "label", WORD_IS_TEXT | WORD_IS_NOUN },
        { "launch", WORD_IS_LAUNCHING },
        { "libc-bin", WORD_IS_SERVICE },
        { "libc6", WORD_IS_SERVICE },
        { "linked", WORD_IS_FORCING },
        { "list", WORD_IS_SUBCOMMAND | WORD_IS_HARMLESS },
        { "local", WORD_IS_SUBCOMMAND },
        { "log", WORD_IS_TEXT },
        { "log-file", WORD_IS_OUTPUT },
        { "logfile", WORD_IS_OUTPUT },
        { "logging", WORD_IS_GUARDING },
        { "logrotate", WORD_IS_SERVICE },
        { "look", WORD_IS_SUBCOMMAND },
        { "m", WORD_IS_TEXT },
        { "mail", WORD_IS_SUBCOMMAND },
        { "man", WORD_IS_SUBCOMMAND },
        { "mask", WORD_IS_DISABLING },
        { "match", WORD_IS_TEXT },
        { "may", WORD_IS_ENGLISH },
        { "mdatp", WORD_IS_SERVICE },
        { "member", WORD_IS_ACCESS },
        { "message", WORD_IS_TEXT | WORD_IS_NOUN },
        { "mfa", WORD_IS_GUARDING },
        { "msg", WORD_IS_TEXT },
        { "mtls", WORD_IS_GUARDING },
        { "must", WORD_IS_ENGLISH },
        { "n", WORD_IS_HARMLESS },
        { "name", WORD_IS_TEXT },
        { "nc", WORD_IS_SUBCOMMAND },
        { "never", WORD_IS_ENGLISH | WORD_IS_OFF },
        { "nftables", WORD_IS_SERVICE },
        { "no", WORD_IS_ENGLISH | WORD_IS_OFF },
        { "no-confirm", WORD_IS_FORCING },
        { "no-gpg-check", WORD_IS_UNCHECKED },
        { "no-gpg-checks", WORD_IS_UNCHECKED },
        { "no-gpg-verify", WORD_IS_UNCHECKED },
        { "no-input", WORD_IS_FORCING },
        { "no-op", WORD_IS_HARMLESS },
        { "no-prompt", WORD_IS_FORCING },
        { "no-signature-check", WORD_IS_UNCHECKED },
        { "no-verify-signatures", WORD_IS_UNCHECKED },
        { "noconfirm", WORD_IS_FORCING },
        { "nodeps", WORD_IS_UNCHECKED },
        { "nodigest", WORD_IS_UNCHECKED },
        { "nogpgcheck", WORD_IS_UNCHECKED },
        { "none", WORD_IS_OFF },
        { "noninteractive", WORD_IS_FORCING },
        { "noop", WORD_IS_HARMLESS },
        { "nosignature", WORD_IS_UNCHECKED },
        { "not", WORD_IS_ENGLISH },
        { "note", WORD_IS_TEXT | WORD_IS_NOUN },
        { "notes", WORD_IS_TEXT | WORD_IS_NOUN },
        { "now", WORD_IS_ENGLISH },
        { "nuke", WORD_IS_DESTROYING },
        { "o", WORD_IS_OUTPUT },
        { "obliterate", WORD_IS_DESTROYING },
        { "of", WORD_IS_ENGLISH },
        { "off", WORD_IS_DISABLING | WORD_IS_OFF },
        { "on", WORD_IS_ENGLISH },
        { "op", WORD_IS_SUBCOMMAND },
        { "opensnitch", WORD_IS_SERVICE },
        { "openssh-server", WORD_IS_SERVICE },
        { "optional", WORD_IS_OFF },
        { "or", WORD_IS_ENGLISH },
        { "osquery", WORD_IS_SERVICE },
        { "osqueryd", WORD_IS_SERVICE },
        { "ossec", WORD_IS_SERVICE },
        { "our", WORD_IS_ENGLISH },
        { "out", WORD_IS_OUTPUT },
        { "out-file", WORD_IS_OUTPUT },
        { "outfile", WORD_IS_OUTPUT },
        { "output", WORD_IS_OUTPUT },
        { "output-file", WORD_IS_OUTPUT },
        { "overwrite", WORD_IS_WEAK },
        { "pass", WORD_IS_SUBCOMMAND },
        { "passphrase", WORD_IS_SECRET },
        { "passthrough", WORD_IS_OFF },
        { "password", WORD_IS_SECRET },
        { "passwords", WORD_IS_SECRET },
        { "patch", WORD_IS_SUBCOMMAND },
        { "pattern", WORD_IS_TEXT },
        { "pause", WORD_IS_DISABLING },
        { "permissive", WORD_IS_OFF },
        { "plan", WORD_IS_HARMLESS },
        { "please", WORD_IS_ENGLISH },
        { "policy-arn", WORD_IS_ACCESS },
        { "post", WORD_IS_SUBCOMMAND },
        { "predefined-acl", WORD_IS_ACCESS },
        { "prefixes", WORD_IS_ACCESS },
        { "preview", WORD_IS_HARMLESS },
        { "principal", WORD_IS_ACCESS },
        { "print", WORD_IS_SUBCOMMAND | WORD_IS_TEXT | WORD_IS_TELLING },
        { "private-key", WORD_IS_SECRET },
        { "prod", WORD_IS_FORCING },
        { "production", WORD_IS_FORCING },
        { "prompt", WORD_IS_TEXT },
        { "protection", WORD_IS_GUARDING },
        { "public", WORD_IS_OPENING },
        { "publicly-readable", WORD_IS_ACCESS },
        { "purge", WORD_IS_DESTROYING | WORD_IS_DISABLING },
        { "q", WORD_IS_TEXT },
        { "query", WORD_IS_TEXT },
        { "r", WORD_IS_SUBCOMMAND },
        { "ranges", WORD_IS_ACCESS },
        { "rb", WORD_IS_WEAK },
        { "rc", WORD_IS_SUBCOMMAND },
        { "read", WORD_IS_SUBCOMMAND | WORD_IS_TELLING },
        { "reason", WORD_IS_TEXT },
        { "recreate", WORD_IS_WEAK },
        { "recursive", WORD_IS_FORCING },
        { "refresh-token", WORD_IS_SECRET },
        { "regex", WORD_IS_TEXT },
        { "remove", WORD_IS_WEAK | WORD_IS_DISABLING },
        { "remove-all", WORD_IS_DESTROYING },
        { "replace", WORD_IS_WEAK },
        { "reset", WORD_IS_SUBCOMMAND | WORD_IS_WEAK },
        { "reset-all", WORD_IS_DESTROYING },
        { "reveal", WORD_IS_TELLING },
        { "revocation", WORD_IS_GUARDING },
        { "rkhunter", WORD_IS_SERVICE },
        { "rls", WORD_IS_GUARDING },
        { "rm", WORD_IS_WEAK | WORD_IS_DISABLING },
        { "rollback", WORD_IS_WEAK },
        { "rsyslog", WORD_IS_SERVICE },
        { "rsyslog.service", WORD_IS_SERVICE },
        { "rule", WORD_IS_TEXT | WORD_IS_NOUN },
        { "run", WORD_IS_LAUNCHING },
        { "samhain", WORD_IS_SERVICE },
        { "save-to", WORD_IS_OUTPUT },
        { "say", WORD_IS_TEXT },
        { "script", WORD_IS_SUBCOMMAND | WORD_IS_LAUNCHING },
        { "search", WORD_IS_TEXT },
        { "secret", WORD_IS_SECRET },
        { "secret-key", WORD_IS_SECRET },
        { "secrets", WORD_IS_SECRET },
        { "security", WORD_IS_SUBCOMMAND | WORD_IS_SERVICE },
        { "selinux", WORD_IS_GUARDING | WORD_IS_SERVICE },
        { "send-message", WORD_IS_TEXT },
        { "set", WORD_IS_SUBCOMMAND },
        { "setenforce", WORD_IS_GUARDING },
        { "sftp", WORD_IS_SUBCOMMAND },
        { "sh", WORD_IS_LAUNCHING },
        { "shell", WORD_IS_LAUNCHING },
        { "shift", WORD_IS_SUBCOMMAND },
        { "should", WORD_IS_ENGLISH },
        { "show", WORD_IS_TELLING },
        { "simulate", WORD_IS_HARMLESS },
        { "skip", WORD_IS_OFF | WORD_IS_FORCING },
        { "skip-confirm", WORD_IS_FORCING },
        { "skip-tls-verify", WORD_IS_UNCHECKED },
        { "snort", WORD_IS_SERVICE },
        { "so", WORD_IS_ENGLISH },
        { "some", WORD_IS_ENGLISH },
        { "sort", WORD_IS_SUBCOMMAND },
        { "source", WORD_IS_SUBCOMMAND },
        { "source-ranges", WORD_IS_ACCESS },
        { "spawn", WORD_IS_LAUNCHING },
        { "split", WORD_IS_SUBCOMMAND },
        { "ssh", WORD_IS_SUBCOMMAND },
        { "ssl", WORD_IS_GUARDING },
        { "sslverify", WORD_IS_GUARDING },
        { "start", WORD_IS_LAUNCHING },
        { "stop", WORD_IS_DISABLING },
        { "strict-host-key-checking", WORD_IS_UNCHECKED },
        { "subject", WORD_IS_TEXT | WORD_IS_NOUN },
        { "such", WORD_IS_ENGLISH },
        { "summary", WORD_IS_TEXT },
        { "suricata", WORD_IS_SERVICE },
        { "suspend", WORD_IS_DISABLING },
        { "suspended", WORD_IS_OFF },
        { "sysmon", WORD_IS_SERVICE },
        { "systemd-journald", WORD_IS_SERVICE },
        { "t", WORD_IS_TEXT },
        { "tag", WORD_IS_TEXT | WORD_IS_NOUN },
        { "tail", WORD_IS_SUBCOMMAND },
        { "teardown", WORD_IS_WEAK | WORD_IS_DISABLING },
        { "telnet", WORD_IS_SUBCOMMAND },
        { "temp", WORD_IS_HARMLESS },
        { "terminate", WORD_IS_DESTROYING },
        { "terminate-all", WORD_IS_DESTROYING },
        { "test", WORD_IS_SUBCOMMAND },
        { "tests", WORD_IS_TEXT | WORD_IS_NOUN },
        { "tetragon", WORD_IS_SERVICE },
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
        { "title", WORD_IS_TEXT | WORD_IS_NOUN },
        { "tls", WORD_IS_GUARDING },
        { "tmp", WORD_IS_HARMLESS },
        { "to", WORD_IS_ENGLISH },
        { "todo", WORD_IS_TEXT },
        { "token", WORD_IS_SECRET },
        { "tokens", WORD_IS_SECRET },
        { "top", WORD_IS_SUBCOMMAND },
        { "topic", WORD_IS_TEXT | WORD_IS_NOUN },
        { "trail", WORD_IS_GUARDING },
        { "trap", WORD_IS_SUBCOMMAND },
        { "tripwire", WORD_IS_SERVICE },
        { "truncate", WORD_IS_SUBCOMMAND | WORD_IS_WEAK },
        { "trust-all-tools", WORD_IS_UNCHECKED },
        { "trusted-host", WORD_IS_UNCHECKED },
        { "turn-off", WORD_IS_DISABLING },
        { "type", WORD_IS_SUBCOMMAND },
        { "ufw", WORD_IS_SERVICE },
        { "unattended-upgrades", WORD_IS_SERVICE },
        { "unauthorized", WORD_IS_GUARDING },
        { "undefine", WORD_IS_DESTROYING },
        { "undo", WORD_IS_WEAK },
        { "uninstall", WORD_IS_DISABLING },
        { "uninstall-all", WORD_IS_DESTROYING },
        { "unlink", WORD_IS_SUBCOMMAND },
        { "unload", WORD_IS_DISABLING },
        { "unprotect", WORD_IS_OFF },
        { "unpublish", WORD_IS_WEAK },
        { "unsafe", WORD_IS_FORCING | WORD_IS_OFF },
        { "unseal", WORD_IS_TELLING },
        { "unset", WORD_IS_SUBCOMMAND },
        { "unverified", WORD_IS_OFF },
        { "validate", WORD_IS_HARMLESS },
        { "version", WORD_IS_HARMLESS },
        { "view", WORD_IS_TELLING },
        { "visibility", WORD_IS_ACCESS },
        { "waf", WORD_IS_GUARDING | WORD_IS_SERVICE },
        { "wait", WORD_IS_SUBCOMMAND },
        { "was", WORD_IS_ENGLISH },
        { "watch", WORD_IS_SUBCOMMAND },
        { "wazuh-agent", WORD_IS_SERVICE },
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
        { "without", WORD_IS_ENGLISH | WORD_IS_OFF },
        { "world", WORD_IS_OPENING },
        { "would", WORD_IS_ENGLISH },
        { "write-to", WORD_IS_OUTPUT },
        { "x", WORD_IS_LAUNCHING },
        { "y", WORD_IS_FORCING },
        { "yank", WORD_IS_WEAK },
        { "yes", WORD_IS_FORCING },
        { "yolo", WORD_IS_UNCHECKED },
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

static bool has_one_of(struct str text, const char *const *parts, size_t count) {
        for (size_t i = 0; text.len && i < count; i++)
                if (memmem(text.ptr, text.len, parts[i], strlen(parts[i])))
                        return true;
        return false;
}

bool name_is_miner(struct str program) {
        return has_one_of(program, miners, COUNT(miners));
}

bool name_is_pool(struct str host) {
        size_t dot = str_find(host, '.');

        return dot < host.len && str_find(host, ' ') == host.len &&
               (has_one_of(host, pools, COUNT(pools)) || (str_starts(host, STR("pool.")) && str_find(host, ':') < host.len));
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
        char lower[25];

        if (!word.len || word.len >= sizeof(lower))
                return 0;
        for (size_t i = 0; i < word.len; i++)
                lower[i] = (char)ascii_lower((unsigned char)word.ptr[i]);
        lower[word.len] = '\0';
        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = *lower - *words[middle].word;

                order = order ? order : strcmp(lower, words[middle].word);

                if (order == 0)
                        return words[middle].kind;
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return 0;
}

/* The next part of my-word, my_word, my:word or myWord. */
struct str word_next_part(struct str *rest) {
        size_t end = 0;
        struct str part;

        while (rest->len && !is_ascii_alnum((unsigned char)rest->ptr[0]))
                *rest = str_skip(*rest, 1);
        while (end < rest->len && is_ascii_alnum((unsigned char)rest->ptr[end]) &&
               !(end && rest->ptr[end] >= 'A' && rest->ptr[end] <= 'Z' && rest->ptr[end - 1] >= 'a'))
                end++;
        part = str_take(*rest, end);
        *rest = str_skip(*rest, end);
        return part;
}

unsigned word_parts_kind(struct str word) {
        unsigned kind = 0;

        while (word.len)
                kind |= word_kind(word_next_part(&word));
        return kind;
}

/* The kinds of the parts of a word: apps:destroy, drop-database, delete_queue. A part in the middle says nothing. */
unsigned word_order_kind(struct str word) {
        unsigned kind = word_kind(word);
        size_t first = 0, last = word.len;

        while (first < word.len && !strchr(":-_", word.ptr[first]))
                first++;
        while (last > 0 && !strchr(":-_", word.ptr[last - 1]))
                last--;
        if (first == word.len) /* deletebucket, but not deleted */
                return kind | ((str_starts(word, STR("delete")) || str_starts(word, STR("destroy"))) && word.len > 8
                                       ? WORD_IS_DESTROYING
                                       : 0);
        if (word.ptr[first] == ':' ||
            (word.ptr[first] == '-' && word_kind(str_skip(word, last)) & (WORD_IS_SECRET | WORD_IS_NOUN)))
                kind |= word_kind(str_skip(word, last));
        return kind | (word.ptr[first] == ':' ? 0 : word_kind(str_take(word, first)));
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
