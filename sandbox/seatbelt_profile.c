#include "sandbox/seatbelt.h"

#include <stdlib.h>
#include <string.h>

#include "policy/unasked.h"

enum { PROFILE_MAX = 8 << 20 };

#define EACH(name, table) for (size_t name = 0; name < sizeof(table) / sizeof(*(table)); name++)

/* ---- what every command needs ---- */

/* Signals and what is told of processes: only inside. A process's arguments come with its environment, so nobody's are told.
 * Opening /dev/fd/N gives no more than having N. No terminals: other windows of the user are some, too. */
static const char *const always[] = {
        "(allow process-fork)",
        "(allow process-exec)",
        "(allow signal (target self))",
        "(allow signal (target same-sandbox))",
        "(allow process-info* (target self))",
        "(allow process-info* (target same-sandbox))",
        "(allow file-read* (literal \"/\"))", /* before a program begins, dyld looks at it */
        "(allow file-read-metadata (literal \"/etc\") (literal \"/tmp\") (literal \"/var\"))",
        "(allow file-read* file-write-data (literal \"/dev/null\"))",
        "(allow file-read* file-write-data (literal \"/dev/zero\"))",
        "(allow file-read* (literal \"/dev/random\"))",
        "(allow file-read* (literal \"/dev/urandom\"))",
        "(allow file-read* file-write-data file-ioctl (literal \"/dev/dtracehelper\"))",
        "(allow file-read* file-write-data (subpath \"/dev/fd\"))",
        "(allow file-read* (literal \"/dev/stdin\") (literal \"/dev/stdout\") (literal \"/dev/stderr\"))",
        "(allow sysctl-read (sysctl-name-prefix \"hw.\"))", /* without these two, zsh of macOS 26 does not start */
        "(allow sysctl-read (sysctl-name-prefix \"kern.\"))",
        "(deny sysctl-read (sysctl-name-prefix \"kern.procargs\"))",
        "(allow sysctl-read (sysctl-name-prefix \"machdep.cpu.\") (sysctl-name \"vm.loadavg\"))",
};

/* Users, groups, notifications, logs. Not those that start programs outside (`open` would), hand out keys or the clipboard. */
static const char *const services[] = {
        "com.apple.bsd.dirhelper",
        "com.apple.diagnosticd",
        "com.apple.logd",
        "com.apple.system.logger",
        "com.apple.system.notification_center",
        "com.apple.system.opendirectoryd.libinfo",
        "com.apple.system.opendirectoryd.membership",
};

/* Names, routes, proxies, certificates. */
static const char *const network_services[] = {
        "com.apple.SystemConfiguration.DNSConfiguration",
        "com.apple.SystemConfiguration.configd",
        "com.apple.dnssd.service",
        "com.apple.networkd",
        "com.apple.trustd",
        "com.apple.trustd.agent",
};

/* Not simply network*: that has the sockets of Docker, of ssh-agent and of all else that listens on this host in it. */
static const char *const network_rules[] = {
        "(allow network* (local ip) (remote ip))",
        "(allow network-outbound (remote unix-socket (path-literal \"/private/var/run/mDNSResponder\")))",
        "(allow system-socket (socket-domain AF_ROUTE))",
        "(allow sysctl-read (sysctl-name-prefix \"net.routetable\"))",
};

static const char *const system_places[] = {
        "/usr",
        "/System",
        "/Library",
        "/bin",
        "/sbin",
        "/private/var/db/dyld",
        "/private/etc",
        "/private/var/db/timezone",
        "/private/var/db/xcode_select_link",
        "/private/var/select",
        "/private/var/run/resolv.conf",
};

/* With root = "host", beside the user's own home. */
static const char *const host_places[] = { "/Applications", "/opt", "/nix" };

/* In a home, ~/Library holds what applications know of their user. Of it, only what is there to build with. */
static const char *const library_places[] = { "Android", "Developer", "Java", "Python", "pnpm" };

/* ---- names ---- */

struct names {
        struct str *items;
        size_t count, room;
};

struct profile {
        const struct policy *policy;
        const struct host *host;
        struct arena *arena;
        struct buf text;
        struct names ways;  /* to what can be read */
        struct names roots; /* of what can be written */
        struct names pins;  /* what may not be renamed, as a rule would not go with it */
        struct err *err;
        bool failed;
};

static void fail(struct profile *p) {
        err_set(p->err, ERR_MEMORY, "out of memory");
        p->failed = true;
}

static void names_add(struct profile *p, struct names *names, struct str name) {
        if (names->count == names->room) {
                size_t room = names->room ? names->room * 2 : 64;
                struct str *items = arena_alloc(p->arena, room * sizeof(*items));

                if (!items) {
                        fail(p);
                        return;
                }
                if (names->count)
                        memcpy(items, names->items, names->count * sizeof(*items));
                names->items = items;
                names->room = room;
        }
        names->items[names->count++] = name;
}

/* The directories above `path` whose names are at least `shortest` long. */
static void names_add_above(struct profile *p, struct names *names, const char *path, size_t shortest) {
        for (const char *slash = strchr(path + 1, '/'); slash && !p->failed; slash = strchr(slash + 1, '/'))
                if ((size_t)(slash - path) >= shortest)
                        names_add(p, names, str_from(path, (size_t)(slash - path)));
}

static int compare(const void *a, const void *b) {
        return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void names_sort(struct names *names) {
        size_t kept = 0;

        if (names->count)
                qsort(names->items, names->count, sizeof(*names->items), compare);
        for (size_t i = 0; i < names->count; i++)
                if (i == 0 || !str_eq(names->items[i], names->items[kept - 1]))
                        names->items[kept++] = names->items[i];
        names->count = kept;
}

/* ---- rules ---- */

int seatbelt_quote(struct buf *out, struct str text, struct err *err) {
        for (size_t i = 0; i < text.len; i++)
                if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
                        return err_set(err, ERR_INVALID, "sandbox-exec: %.*s: a path with control characters", (int)i,
                                       text.ptr);
        buf_char(out, '"');
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == '"' || text.ptr[i] == '\\')
                        buf_char(out, '\\');
                buf_char(out, text.ptr[i]);
        }
        buf_char(out, '"');
        return 0;
}

static void line(struct profile *p, const char *text) {
        buf_format(&p->text, "%s\n", text);
}

/* One rule with one filter of one string. */
static void rule(struct profile *p, const char *what, const char *filter, struct str path) {
        if (p->failed)
                return;
        buf_format(&p->text, "(%s (%s ", what, filter);
        if (seatbelt_quote(&p->text, path, p->err) < 0)
                p->failed = true;
        buf_append(&p->text, STR("))\n"));
}

static void allow_read(struct profile *p, const char *path) {
        rule(p, "allow file-read*", "subpath", str_z(path));
        names_add_above(p, &p->ways, path, 1);
}

static void allow_write(struct profile *p, const char *path) {
        allow_read(p, path);
        rule(p, "allow file-write*", "subpath", str_z(path));
        names_add(p, &p->roots, str_z(path));
        names_add(p, &p->pins, str_z(path));
}

/* A directory on the way to it could be renamed, and the rule would speak of nothing. */
static void pin_way(struct profile *p, const char *path) {
        for (size_t i = 0; i < p->roots.count; i++) {
                struct str root = p->roots.items[i];

                if (strncmp(path, root.ptr, root.len) == 0 && path[root.len] == '/')
                        names_add_above(p, &p->pins, path, root.len);
        }
}

static void deny(struct profile *p, const char *what, const char *path) {
        rule(p, what, "subpath", str_z(path));
        pin_way(p, path);
}

/* ---- what is allowed ---- */

static void add_services(struct profile *p, const char *const *names, size_t count) {
        for (size_t i = 0; i < count; i++)
                rule(p, "allow mach-lookup", "global-name", str_z(names[i]));
}

static void add_home(struct profile *p, const char *home) {
        BUF_AUTO path;
        size_t len;

        buf_init(&path, PROFILE_MAX);
        allow_read(p, home);
        buf_format(&path, "%s/Library", home);
        len = path.len;
        rule(p, "deny file-read*", "subpath", buf_str(&path));
        EACH (i, library_places) {
                path.len = len;
                buf_format(&path, "/%s", library_places[i]);
                rule(p, "allow file-read*", "subpath", buf_str(&path));
        }
        path.len = len;
        rule(p, "allow file-read-metadata", "literal", buf_str(&path));
}

static void add_readable(struct profile *p) {
        const struct host *host = p->host;

        EACH (i, system_places)
                allow_read(p, system_places[i]);
        if (p->policy->sandbox.root == ROOT_HOST) {
                EACH (i, host_places)
                        allow_read(p, host_places[i]);
                for (size_t i = 0; i < host->homes.count; i++)
                        add_home(p, host->homes.items[i].path);
        }
        for (size_t i = 0; i < host->read.count; i++)
                allow_read(p, host->read.items[i].path);
}

static void add_writable(struct profile *p) {
        const struct host *host = p->host;
        const struct protected_paths *git = &host->protection.git_write;

        if (p->policy->sandbox.workspace_write)
                allow_write(p, host->workspace);
        else
                allow_read(p, host->workspace);
        for (size_t i = 0; i < host->write.count; i++)
                allow_write(p, host->write.items[i].path);
        for (size_t i = 0; p->policy->sandbox.workspace_write && i < git->count; i++)
                allow_write(p, git->items[i].path);
        for (size_t i = 0; i < host->write.count; i++)
                pin_way(p, host->write.items[i].path);
        allow_write(p, host->tmpdir);
}

/* ---- what is denied all the same ---- */

/* As a pattern. Whatever could mean something in one becomes a dot, for any byte: of a denial, too much is harmless. */
static void add_pattern(struct buf *out, unsigned char c) {
        if (c == '.')
                buf_append(out, STR("[.]"));
        else
                buf_char(out, is_ascii_alnum(c) || c == '/' || c == '_' || c == '-' || c >= 0x80 ? (char)c : '.');
}

/* A protected name that nobody may have used yet. Most volumes take .ENVRC for .envrc, but only once there is one. */
static void deny_name(struct profile *p, const char *directory, const char *name) {
        buf_append(&p->text, STR("(deny file-write* (regex #\"^"));
        for (const char *c = directory; *c; c++)
                add_pattern(&p->text, (unsigned char)*c);
        buf_char(&p->text, '/');
        for (const char *c = name; *c; c++)
                if (is_ascii_alpha((unsigned char)*c))
                        buf_format(&p->text, "[%c%c]", ascii_lower((unsigned char)*c), ascii_upper((unsigned char)*c));
                else
                        add_pattern(&p->text, (unsigned char)*c);
        buf_append(&p->text, STR("($|/)\"))\n"));
}

static void deny_paths(struct profile *p, const char *what, const struct protected_paths *paths) {
        for (size_t i = 0; i < paths->count; i++)
                deny(p, what, paths->items[i].path);
}

static void add_protection(struct profile *p) {
        const struct protection *protection = &p->host->protection;

        deny_paths(p, "deny file-write*", &protection->read_only);
        deny_paths(p, "deny file-write*", &protection->absent);
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE));)
                deny_name(p, p->host->workspace, row->path);
        for (size_t i = 0; i < protection->anchors.count; i++) {
                names_add(p, &p->pins, str_z(protection->anchors.items[i].path));
                pin_way(p, protection->anchors.items[i].path);
        }
}

/* A second name or a clone of a file is not bound by what is said of the first one. */
static void add_denied(struct profile *p) {
        const struct host *host = p->host;

        for (size_t i = 0; i < host->write_deny.count; i++)
                deny(p, "deny file-write*", host->write_deny.items[i].path);
        if (p->policy->sandbox.workspace_write && p->policy->sandbox.protect_workspace)
                add_protection(p);
        for (size_t i = 0; i < host->masks.count; i++)
                deny(p, "deny file-read* file-write*", host->masks.items[i].path);
        line(p, "(deny file-link file-clone)");
}

static void add_mark(struct profile *p) {
        BUF_AUTO path;

        buf_init(&path, PROFILE_MAX);
        buf_format(&path, "%s" SEATBELT_FOLDER, p->host->tmpdir);
        rule(p, "deny file-read* file-write*", "subpath", buf_str(&path));
        path.len = 0;
        buf_format(&path, "%s" SEATBELT_FILE, p->host->tmpdir);
        rule(p, "allow file-read-data", "literal", buf_str(&path));
}

static void add_names(struct profile *p, const char *what, struct names *names) {
        names_sort(names);
        for (size_t i = 0; i < names->count; i++)
                rule(p, what, "literal", names->items[i]);
}

static void compile(struct profile *p) {
        bool inherit = p->policy->sandbox.network == NETWORK_INHERIT;

        line(p, "(version 1)");
        line(p, "(deny default)");
        EACH (i, always)
                line(p, always[i]);
        add_services(p, services, sizeof(services) / sizeof(*services));
        if (inherit)
                add_services(p, network_services, sizeof(network_services) / sizeof(*network_services));
        for (size_t i = 0; inherit && i < sizeof(network_rules) / sizeof(*network_rules); i++)
                line(p, network_rules[i]);
        add_readable(p);
        add_writable(p);
        add_names(p, "allow file-read-metadata", &p->ways);
        add_denied(p);
        add_names(p, "deny file-write-unlink", &p->pins);
        add_mark(p);
}

int seatbelt_profile(const struct policy *policy, const struct host *host, struct arena *arena, const char **ret,
                     struct err *err) {
        struct profile p = { .policy = policy, .host = host, .arena = arena, .err = err };
        const char *text = NULL;

        buf_init(&p.text, PROFILE_MAX);
        compile(&p);
        if (!p.failed && p.text.failed) {
                err_set(err, ERR_TOO_COMPLEX, "sandbox-exec: a profile of more than %d bytes", PROFILE_MAX);
                p.failed = true;
        }
        if (!p.failed && !(text = arena_dup(arena, buf_str(&p.text))))
                fail(&p);
        buf_free(&p.text);
        if (p.failed)
                return -1;
        *ret = text;
        return 0;
}
