#include "sandbox/seatbelt.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/unasked.h"

enum { PROFILE_MAX = 8 << 20 };

#define EACH(name, table) for (size_t name = 0; name < sizeof(table) / sizeof(*(table)); name++)

/* ---- what every command needs ---- */

/* `(deny default)` does not include the first ones, or is not known to: of other processes their arguments and environment,
 * of the machine its devices, and what has the system start programs. */
static const char *const never[] = {
        "(deny process-info*)",
        "(deny nvram*)",
        "(deny iokit-get-properties)",
        "(deny lsopen)",
        "(deny job-creation)",
        "(deny appleevent-send)",
        "(deny mach-lookup (xpc-service-name-prefix \"\"))",
        "(deny system-fcntl (fcntl-command 80 110))", /* they change a file by a descriptor that can only read */
};

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
        "(allow file-read-metadata (literal \"/dev\"))", /* else clang cannot write to /dev/null */
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
        "(allow ipc-posix-sem)", /* multiprocessing of Python */
        "(allow mach-host*)",    /* the number of processors */
        "(deny mach-host-special-port-set)",
};

/* Users, groups, notifications, writing logs. Not those that start programs outside (`open` would), hand out keys or the
 * clipboard, or (diagnosticd) what other processes log. */
static const char *const services[] = {
        "com.apple.bsd.dirhelper",
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

/* In /System, but no part of the system: homes and other volumes by a second name. dyld needs the part below. */
#define SYSTEM_VOLUMES "/System/Volumes"
#define SYSTEM_CRYPTEXES SYSTEM_VOLUMES "/Preboot/Cryptexes"

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
        struct names rules; /* whole ones about directories that may be neither made nor renamed */
        struct err *err;
        bool failed;
};

static void fail(struct profile *p) {
        err_memory(p->err);
        p->failed = true;
}

static void names_add(struct profile *p, struct names *names, struct str name) {
        if (arena_room(p->arena, &names->items, names->count, &names->room, sizeof(*names->items)))
                names->items[names->count++] = name;
        else
                fail(p);
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
        rule(p, "deny file-read*", "subpath", STR(SYSTEM_VOLUMES));
        allow_read(p, SYSTEM_CRYPTEXES);
        if (p->policy->sandbox.root == ROOT_HOST) {
                EACH (i, host_places)
                        allow_read(p, host_places[i]);
                for (size_t i = 0; i < host->homes.count; i++)
                        add_home(p, host->homes.items[i].path);
        }
        for (size_t i = 0; i < host->read.count; i++)
                allow_read(p, host->read.items[i].path);
}

/* Not where there is more to protect than the survey lists. */
static bool workspace_write(const struct profile *p) {
        return p->policy->sandbox.workspace_write && !p->host->protection.sealed;
}

static void add_writable(struct profile *p) {
        const struct host *host = p->host;
        const struct protected_paths *git = &host->protection.git_write;

        if (workspace_write(p))
                allow_write(p, host->workspace);
        else
                allow_read(p, host->workspace);
        for (size_t i = 0; i < host->write.count; i++)
                allow_write(p, host->write.items[i].path);
        for (size_t i = 0; workspace_write(p) && i < git->count; i++)
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

/* Of a name, the letters from `at` on that one character can stand for: U+FB01 is "fi" to APFS, and U+00DF is "ss". */
static size_t ligature(struct str at) {
        static const char *const known[] = { "ff", "fi", "fl", "ss", "st" };
        size_t len = 0;

        for (bool more = true; more; len += more) {
                more = false;
                EACH (i, known)
                        more = more || str_eq_nocase(str_take(str_skip(at, len), 2), str_z(known[i]));
        }
        return len ? len + 1 : 0;
}

static void add_letters(struct buf *out, struct str letters) {
        buf_char(out, '[');
        for (size_t i = 0; i < letters.len; i++)
                buf_format(out, "%c%c", ascii_lower((unsigned char)letters.ptr[i]), ascii_upper((unsigned char)letters.ptr[i]));
        buf_char(out, ']');
}

/* No byte of printable ASCII. */
#define NOT_ASCII "[^ -~]"

/*
 * A name in all spellings that a volume may take for it: in capitals, with characters that fold to letters (U+017F is s, U+212A
 * is k, ligatures), and with those that HFS+ ignores anywhere. What is not ASCII may be composed with the letter before it.
 */
static void add_name_pattern(struct buf *out, struct str name) {
        buf_append(out, STR(NOT_ASCII "*"));
        for (size_t i = 0, len; i < name.len; i += len) {
                struct str at = str_skip(name, i);
                unsigned char c = (unsigned char)*at.ptr, next = at.len > 1 ? (unsigned char)at.ptr[1] : 0;

                len = 1;
                if (c == '/') {
                        buf_append(out, STR("/" NOT_ASCII "*"));
                        continue;
                }
                if (c >= 0x80 || next >= 0x80) {
                        while (len < at.len && (unsigned char)at.ptr[len] >= 0x80)
                                len++;
                        buf_append(out, STR("[^/]*"));
                        continue;
                }
                if (ligature(at)) {
                        len = ligature(at);
                        buf_char(out, '(');
                        add_letters(out, str_take(at, len));
                        buf_append(out, STR("|" NOT_ASCII ")+"));
                        continue;
                }
                if (ascii_lower(c) == 's' || ascii_lower(c) == 'k') {
                        buf_char(out, '(');
                        add_letters(out, str_take(at, 1));
                        buf_append(out, STR("|" NOT_ASCII ")"));
                } else if (is_ascii_alpha(c)) {
                        add_letters(out, str_take(at, 1));
                } else {
                        add_pattern(out, c);
                }
                buf_append(out, STR(NOT_ASCII "*"));
        }
}

static void add_regex_rule(struct buf *out, const char *what, const char *directory, struct str name, const char *end) {
        buf_format(out, "(%s (regex #\"^", what);
        for (const char *c = directory; *c; c++)
                add_pattern(out, (unsigned char)*c);
        buf_char(out, '/');
        add_name_pattern(out, name);
        buf_format(out, "%s\"))", end);
}

/* A directory in front of a protected name: one that was prepared elsewhere could be renamed to it. */
static void deny_front(struct profile *p, const char *directory, struct str front) {
        BUF_AUTO text;
        const char *kept;

        buf_init(&text, PROFILE_MAX);
        add_regex_rule(&text, "deny file-write-create file-write-unlink", directory, front, "$");
        kept = text.failed ? NULL : arena_dup(p->arena, buf_str(&text));
        if (kept)
                names_add(p, &p->rules, str_z(kept));
        else
                fail(p);
}

/* A protected name that nobody may have used yet. Most volumes take .ENVRC for .envrc, but only once there is one. */
static void deny_name(struct profile *p, const char *directory, const char *name) {
        for (const char *slash = strchr(name, '/'); slash && !p->failed; slash = strchr(slash + 1, '/'))
                deny_front(p, directory, str_from(name, (size_t)(slash - name)));
        add_regex_rule(&p->text, "deny file-write*", directory, str_z(name), "($|/)");
        buf_char(&p->text, '\n');
}

/* The spelling is that of a config or a link. */
static void deny_absent(struct profile *p, const char *path) {
        size_t shortest = SIZE_MAX;

        for (size_t i = 0; i < p->roots.count; i++) {
                struct str root = p->roots.items[i];

                if (root.len < shortest && strncmp(path, root.ptr, root.len) == 0 && path[root.len] == '/')
                        shortest = root.len;
        }
        deny(p, "deny file-write*", path);
        if (shortest < SIZE_MAX) {
                const char *root = arena_dup(p->arena, str_from(path, shortest));

                if (root)
                        deny_name(p, root, path + shortest + 1);
                else
                        fail(p);
        }
}

/* Where git takes its config and hooks from, in a git directory that may have no such names yet. */
static void deny_git_names(struct profile *p, const char *directory, const char *prefix) {
        char name[64];
        const char *one;

        for (size_t i = 0; (one = protect_git_name(i)); i++) {
                snprintf(name, sizeof(name), "%s%s", prefix, one);
                deny_name(p, directory, name);
        }
}

/* Of a config or of an entry of a worktree that is protected, the git directory; NULL: it is something else. */
static const char *git_directory(struct profile *p, const struct protected_path *item) {
        const char *name = strrchr(item->path, '/');
        const char *directory;

        if (!name || name == item->path ||
            (item->kind != PROTECTED_ENTRY && (item->kind != PROTECTED_CONFIG || strcmp(name, "/config") != 0)))
                return NULL;
        directory = arena_dup(p->arena, str_from(item->path, (size_t)(name - item->path)));
        if (!directory)
                fail(p);
        return directory;
}

static void add_git(struct profile *p) {
        const struct protection *protection = &p->host->protection;
        struct names directories = {};

        for (size_t i = 0; i < protection->git_write.count; i++)
                names_add(p, &directories, str_z(protection->git_write.items[i].path));
        for (size_t i = 0; i < protection->read_only.count && !p->failed; i++) {
                const char *directory = git_directory(p, &protection->read_only.items[i]);

                if (directory)
                        names_add(p, &directories, str_z(directory));
        }
        names_sort(&directories);
        deny_git_names(p, p->host->workspace, ".git/"); /* also where there is none yet */
        for (size_t i = 0; i < directories.count && !p->failed; i++)
                deny_git_names(p, directories.items[i].ptr, "");
}

static void deny_paths(struct profile *p, const char *what, const struct protected_paths *paths) {
        for (size_t i = 0; i < paths->count; i++)
                deny(p, what, paths->items[i].path);
}

static void add_protection(struct profile *p) {
        const struct protection *protection = &p->host->protection;

        deny_paths(p, "deny file-write*", &protection->read_only);
        for (size_t i = 0; i < protection->absent.count && !p->failed; i++)
                deny_absent(p, protection->absent.items[i].path);
        add_git(p);
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE));)
                deny_name(p, p->host->workspace, row->path);
        names_sort(&p->rules);
        for (size_t i = 0; i < p->rules.count; i++)
                buf_format(&p->text, "%.*s\n", (int)p->rules.items[i].len, p->rules.items[i].ptr);
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
        if (workspace_write(p) && p->policy->sandbox.protect_workspace)
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
        EACH (i, never)
                line(p, never[i]);
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
