/*
 * What is never proposed. A command can ask for any path and any host: a line must not open more than the thing that was asked
 * for, and nothing that holds secrets, that other users own, or that the guard would not let a command name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/api/learn.h"
#include "engine/why_table.h"
#include "guard/guard.h"
#include "guard/paths.h"
#include "home/walk.h"
#include "policy/credentials.h"
#include "policy/egress.h"
#include "policy/files.h"

enum { ENTRIES_MAX = 50000, TEXT_MAX = 16 << 10 };

#define LOOK_FOR (10 * TIME_SECOND)

bool refuse_is_plain(const char *text) {
        struct str s = str_z(text);

        while (s.len) {
                unsigned char c = (unsigned char)s.ptr[0];
                size_t len = str_utf8(s);

                if (c < 0x20 || c == 0x7f || len == 0 || (c == 0xc2 && s.len > 1 && (unsigned char)s.ptr[1] < 0xa0))
                        return false;
                s = str_skip(s, len);
        }
        return true;
}

/* ---- the guard ---- */

/* Would it block a command that does this? Also where the user has switched it off. */
static const char *guard_blocks(struct learn *l, const char *before, const char *path, const char *after) {
        struct policy *policy = ARENA_NEW(l->arena, struct policy);
        struct verdict verdict = {};
        BUF_AUTO text;

        buf_init(&text, TEXT_MAX);
        buf_append(&text, str_z(before));
        why_quote(&text, str_z(path));
        buf_append(&text, str_z(after));
        if (!policy || text.failed)
                return "it cannot be checked by the guard";
        *policy = *l->policy->policy;
        policy->guard.mode = GUARD_ENFORCE;
        policy->guard.allow_only_listed = false;
        if (guard_check(buf_str(&text), policy, l->arena, &verdict) < 0)
                return "it cannot be checked by the guard";
        for (const struct reason *r = verdict.reasons; r; r = r->next)
                if (r->severity == SEVERITY_BLOCK) {
                        BUF_AUTO reason;

                        buf_init(&reason, TEXT_MAX);
                        buf_format(&reason, "the guard blocks such commands (%.*s)", (int)r->id.len, r->id.ptr);
                        return reason.failed ? "the guard blocks such commands" : arena_dup(l->arena, buf_str(&reason));
                }
        return NULL;
}

/* ---- secrets ---- */

static bool is_store(const char *path) {
        for (size_t i = 0; i < credential_count; i++)
                if (path_glob(str_z(credentials[i].glob), str_z(path)))
                        return true;
        return false;
}

struct search {
        const char *top;
        unsigned entries;
        bool found;
};

static void look_at(void *context, const struct walk_entry *entry) {
        struct search *search = context;
        char path[PATH_MAX];

        search->entries++;
        if (!search->found && place_path(entry, search->top, path))
                search->found = is_store(path);
}

/* Everything below is opened, too, whatever its names are. */
static const char *refuse_content(const char *real) {
        FD_AUTO directory = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct search search = { .top = real };
        struct walk walk = { .deadline = time_monotonic() + LOOK_FOR, .visit = look_at, .context = &search };

        if (directory < 0)
                return errno == ENOTDIR ? NULL : "it cannot be searched for credentials";
        walk_tree(&walk, directory);
        if (search.found)
                return "there are files below it that can contain credentials";
        if (walk.late || walk.unread || search.entries > ENTRIES_MAX)
                return "it has too many files to look for credentials among them";
        return NULL;
}

static const char *refuse_secrets(const struct learn *l, const char *real) {
        const struct host_paths *masks = &l->host.masks;

        if (is_store(real))
                return "it can contain credentials";
        for (size_t i = 0; i < masks->count; i++) {
                if (path_within(real, masks->items[i].path))
                        return "it can contain credentials, or sandbox.fs_read_deny denies it";
                if (path_below(masks->items[i].path, real))
                        return "there are files below it that can contain credentials, or that sandbox.fs_read_deny denies";
        }
        return refuse_content(real);
}

/* ---- paths ---- */

static const char *refuse_wide(const struct learn *l, const char *real) {
        static const char *const homes[] = { "/home", "/root", "/Users", NULL };

        if (!strchr(real + 1, '/'))
                return "it is a directory of the root directory, or the root directory itself";
        if (l->home && path_within(l->home, real))
                return "it is your home directory, or contains it";
        if (path_within(l->workspace, real))
                return "it contains the workspace";
        for (const char *const *home = homes; *home; home++)
                if (path_within(real, *home) && !(l->home && path_within(real, l->home)))
                        return "it is in the home directory of another user";
        return NULL;
}

const char *refuse_path(struct learn *l, const char *real, enum learn_access access) {
        const char *reason = refuse_wide(l, real);
        struct stat st;

        if (!refuse_is_plain(real))
                return "its name has control characters, or is not UTF-8";
        if (reason)
                return reason;
        if (lstat(real, &st) < 0)
                return "it is not there any more";
        if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
                return "it is neither a file nor a directory";
        if (st.st_uid != geteuid() && (access == LEARN_WRITE || st.st_uid != 0))
                return "it belongs to another user";
        reason = refuse_secrets(l, real);
        if (!reason)
                reason = guard_blocks(l, "cat -- ", real, "");
        if (!reason && access == LEARN_WRITE)
                reason = S_ISDIR(st.st_mode) ? guard_blocks(l, "touch -- ", real, "/new")
                                             : guard_blocks(l, "echo x > ", real, "");
        if (!reason && access == LEARN_WRITE && !place_can_copy(real))
                reason = "it is too large: runs of bailey learn write to copies";
        return reason;
}

/* Services that act for whoever connects: session and system buses, service managers, agents that hold keys, screens. */
static bool is_session_service(const struct learn *l, const char *real) {
        static const char *const places[] = { "/run/user", "/run/systemd", "/run/dbus", "/tmp/.X11-unix", NULL };
        static const char *const variables[] = { "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", NULL };
        char place[PATH_MAX];

        for (const char *const *name = variables; *name; name++) {
                const char *value = environment_get(l->options->run.environment, *name);

                if (value && realpath(value, place) && path_within(real, place))
                        return true;
        }
        for (const char *const *name = places; *name; name++)
                if (path_within(real, *name))
                        return true;
        return false;
}

const char *refuse_socket(struct learn *l, const char *real) {
        const char *reason;

        if (!refuse_is_plain(real))
                return "its name has control characters, or is not UTF-8";
        reason = host_paths_find(&l->host.masks, real) || is_store(real) ? "it is where credentials are kept" : NULL;
        if (!reason && host_paths_find(&l->host.engines, real))
                reason = "it gives control of the host";
        if (!reason && is_session_service(l, real))
                reason = "its service acts with your permissions outside of the sandbox";
        return reason ? reason : guard_blocks(l, "cat -- ", real, "");
}

/* ---- hosts ---- */

const char *refuse_host(const char *host) {
        struct egress_rule rule;

        if (!refuse_is_plain(host) || egress_rule_read(str_z(host), &rule) < 0 || strchr(host, '*'))
                return "it is not the name of one host";
        return NULL;
}
