#include "guard/tables/names.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A name, and the one that is on blocklists. */
static const char *const related[][2] = {
        { "adduser", "useradd" },   { "arptables", "iptables" }, { "chpasswd", "useradd" },  { "deluser", "userdel" },
        { "ebtables", "iptables" }, { "groupadd", "useradd" },   { "groupdel", "userdel" },  { "ip6tables", "iptables" },
        { "kexec", "reboot" },      { "mke2fs", "mkfs" },        { "mkswap", "mkfs" },       { "modprobe", "insmod" },
        { "newfs", "mkfs" },        { "nft", "iptables" },       { "pivot_root", "chroot" }, { "sgdisk", "fdisk" },
        { "sfdisk", "fdisk" },      { "ufw", "iptables" },       { "usermod", "useradd" },   { "vipw", "visudo" },
};

static const char *const miners[] = { "bfgminer", "cgminer",   "cpuminer",     "ethminer", "lolminer", "minerd",
                                      "nbminer",  "nheqminer", "phoenixminer", "t-rex",    "xmr-stak", "xmrig" };

static const char *const httpies[] = { "curlie", "http", "httpie", "https", "xh" };

static const char *const databases[] = { "clickhouse-client", "duckdb", "mariadb", "mysql", "psql", "sqlcmd", "sqlite3" };

static const char *const callers[] = { "lua", "luajit", "perl", "php", "r", "rscript", "ruby" };

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

bool name_is_miner(struct str program) {
        return is_one_of(program, miners, COUNT(miners));
}

bool name_is_httpie(struct str program) {
        return is_one_of(program, httpies, COUNT(httpies));
}

bool name_is_database(struct str program) {
        return is_one_of(program, databases, COUNT(databases));
}

bool name_calls_programs(struct str program) {
        return is_one_of(program, callers, COUNT(callers));
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
