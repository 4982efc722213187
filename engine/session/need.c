#include "engine/session/need.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "guard/guard.h"
#include "policy/addresses.h"
#include "policy/credentials.h"
#include "policy/egress.h"
#include "policy/files.h"
#include "policy/hosts.h"
#include "policy/unasked.h"

enum { TEXT_MAX = 4 * PATH_MAX };

/* ---- hosts ---- */

static bool is_special(const struct host *host) {
        if (host->kind == HOST_NAME)
                return host_is_loopback(host);
        return host_address_kind(host) != ADDRESS_PUBLIC && host_address_kind(host) != ADDRESS_PRIVATE;
}

static int read_host(const char *text, struct egress_rule *ret, struct err *err) {
        struct host host;

        if (egress_rule_read(str_z(text), ret) < 0 || ret->any_port || memchr(ret->pattern.ptr, '*', ret->pattern.len) ||
            host_from_url(ret->pattern, &host) < 0 || !host.ascii)
                return err_set(err, ERR_INVALID,
                               "'%.100s' is not a host: give its name, such as example.org or example.org:8443, without "
                               "wildcards",
                               text);
        if (is_special(&host))
                return err_set(err, ERR_INVALID, "%.100s cannot be asked for: it is this machine, or a special address", text);
        return 0;
}

int need_host_check(const char *host, struct err *err) {
        struct egress_rule rule;

        return read_host(host, &rule, err);
}

const char *need_host_name(const char *host, struct arena *arena) {
        struct egress_rule rule;

        return read_host(host, &rule, &(struct err){}) < 0 ? NULL : arena_dup(arena, rule.pattern);
}

/* Without a gateway only the guard has a say. */
static bool guard_allows(const struct guard_policy *guard, const struct egress_rule *rule) {
        struct host host;

        return host_from_url(rule->pattern, &host) == 0 &&
               (guard->allow_any_domain || host_list_allows(guard->domain_allowlist, guard->domain_denylist, &host));
}

bool need_host_is_met(const struct policy *policy, const char *host, struct arena *arena) {
        struct egress_rule rule;
        struct egress egress;

        if (policy->sandbox.network == NETWORK_DENY || read_host(host, &rule, &(struct err){}) < 0)
                return false;
        if (policy->sandbox.network == NETWORK_INHERIT)
                return guard_allows(&policy->guard, &rule);
        return egress_from_policy(policy, arena, &egress, &(struct err){}) == 0 && egress_covers(&egress, &rule);
}

/* ---- paths ---- */

static int refuse_path(const char *path, const char *why, struct err *err) {
        return err_set(err, ERR_REFUSED, "%.200s cannot be asked for: %s", path, why);
}

/* ~/x is of the home directory. */
static int absolute(const char *path, const char *home, char ret[static PATH_MAX], struct err *err) {
        bool of_home = strncmp(path, "~/", 2) == 0;
        int len;

        if ((path[0] != '/' && !of_home) || (of_home && !home))
                return refuse_path(path, "a path is absolute, or begins with ~/", err);
        len = snprintf(ret, PATH_MAX, "%s%s", of_home ? home : "", of_home ? path + 1 : path);
        return len < PATH_MAX ? 0 : refuse_path(path, "it is too long", err);
}

static int find(const char *path, const char *home, char ret_real[static PATH_MAX], struct err *err) {
        char whole[PATH_MAX];
        struct stat info;

        if (absolute(path, home, whole, err) < 0)
                return -1;
        if (!realpath(whole, ret_real) || stat(ret_real, &info) < 0)
                return err_sys(err, "%.200s cannot be asked for", path);
        return S_ISDIR(info.st_mode) || S_ISREG(info.st_mode) ? 0 : refuse_path(path, "it is no directory and no file", err);
}

/* Either is inside of the other one. */
static bool overlap(const char *a, const char *b) {
        return path_within(a, b) || path_within(b, a);
}

/* The guard knows the places that matter: may a command write and read there? */
static int ask_guard(const struct policy *policy, const char *real, struct arena *arena, struct err *err) {
        struct policy strict = *policy;
        struct verdict verdict;
        BUF_AUTO text;

        strict.guard = (struct guard_policy){ .mode = GUARD_ENFORCE, .max_command_length = TEXT_MAX };
        buf_init(&text, TEXT_MAX);
        if (strpbrk(real, "'\n"))
                return refuse_path(real, "its name has a quote or a line break", err);
        buf_format(&text, ": >'%s' >'%s/x'; cat '%s' '%s/x'", real, real, real, real);
        if (text.failed)
                return err_memory(err);
        if (guard_check(buf_str(&text), &strict, arena, &verdict) == 0 && verdict.action == ACTION_ALLOWED)
                return 0;
        if (!verdict.reasons)
                return refuse_path(real, "it cannot be judged", err);
        return err_set(err, ERR_REFUSED, "%.200s cannot be asked for: a command that %.*s is never allowed", real,
                       (int)verdict.reasons->what.len, verdict.reasons->what.ptr);
}

/* The part of a pattern that is no pattern: what is below it may be meant, and what is above contains it. */
static void in_home(const char *home, const char *pattern, char ret[static PATH_MAX]) {
        int plain = (int)strcspn(pattern, "*?");

        while (pattern[plain] && plain && pattern[plain - 1] != '/')
                plain--;
        snprintf(ret, PATH_MAX, "%s/%.*s", home, plain, pattern);
        for (size_t len = strlen(ret); len > 1 && ret[len - 1] == '/'; len--)
                ret[len - 1] = 0;
}

static bool masks(const char *mask, const char *home, const char *real) {
        char path[PATH_MAX];

        if (!mask)
                return false;
        if (strncmp(mask, "~/", 2) != 0)
                return overlap(mask, real);
        in_home(home, mask + 2, path);
        return overlap(path, real);
}

/* Of what is in a home, as sandboxes hide it and programs run it. */
static int check_home(const char *home, const char *real, struct err *err) {
        char path[PATH_MAX];

        if (path_within(home, real))
                return refuse_path(real, "it contains your home directory", err);
        for (size_t i = 0; i < credential_count; i++)
                if (masks(credentials[i].mask, home, real))
                        return refuse_path(real, "it has to do with credentials", err);
        for (size_t i = 0; i < private_count; i++)
                if (masks(private_places[i].mask, home, real))
                        return refuse_path(real, "it has to do with private data", err);
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_HOME));) {
                in_home(home, row->path, path);
                if (strcmp(path, home) != 0 && overlap(path, real))
                        return err_set(err, ERR_REFUSED, "%.200s cannot be asked for: %s runs what is there, or in it", real,
                                       row->by);
        }
        return 0;
}

/* bailey's own directories are nobody's to write. */
static int check_own(const char *const *environment, const char *real, struct err *err) {
        struct directory directory;

        if ((directory_config(environment, &directory) && overlap(directory.path, real)) ||
            (directory_state(environment, &directory) && overlap(directory.path, real)))
                return refuse_path(real, "bailey's own files are there", err);
        return 0;
}

int need_write_check(const struct policy *policy, const char *const *environment, const char *path, struct arena *arena,
                     const char **ret, struct err *err) {
        const char *workspace = arena_dup(arena, policy->workspace), *home = environment_get(environment, "HOME"), *copy;
        char real[PATH_MAX], real_home[PATH_MAX], real_workspace[PATH_MAX];

        if (!workspace)
                return err_memory(err);
        if (!home || !realpath(home, real_home))
                return refuse_path(path, "your home directory is not known", err);
        if (find(path, real_home, real, err) < 0)
                return -1;
        if (!*workspace || !realpath(workspace, real_workspace) || overlap(real, real_workspace))
                return refuse_path(path, "what can be written in the workspace does not change", err);
        if (check_home(real_home, real, err) < 0 || check_own(environment, real, err) < 0 ||
            ask_guard(policy, real, arena, err) < 0)
                return -1;
        copy = arena_dup(arena, str_z(real));
        if (!copy)
                return err_memory(err);
        *ret = copy;
        return 0;
}
