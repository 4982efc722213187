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

static const char *const host_variables[] = {
        "all_proxy",     "cargo_http_proxy", "ftp_proxy",           "goproxy",
        "http_proxy",    "https_proxy",      "npm_config_registry", "pip_extra_index_url",
        "pip_index_url", "uv_default_index", "uv_index_url",        "yarn_npm_registry_server"
};

static bool is_one_of(struct str name, const char *const *names, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (str_is(name, names[i]))
                        return true;
        return false;
}

struct str name_related(struct str program) {
        for (size_t i = 0; i < COUNT(related); i++)
                if (str_eq_nocase(program, str_z(related[i][0])))
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

bool variable_names_host(struct str variable) {
        for (size_t i = 0; i < COUNT(host_variables); i++)
                if (str_eq_nocase(variable, str_z(host_variables[i])))
                        return true;
        return false;
}
