#include "sandbox/host_parts.h"

#include <limits.h>
#include <mach-o/dyld.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#define SANDBOX_EXEC "/usr/bin/sandbox-exec"

/* ---- places ---- */

/* Nothing is mounted, so nothing is replaced, emptied or kept; what can be read is in seatbelt_profile.c. */
static const char *const none[] = { NULL };

static const char *const no_workspace[] = {
        "/Applications", "/Library",     "/System",      "/Users",       "/Volumes", "/bin", "/opt",
        "/private",      "/private/etc", "/private/tmp", "/private/var", "/sbin",    "/usr", NULL,
};
static const char *const kernel_directories[] = { "/dev", NULL };
static const char *const idle[] = { "true", NULL };
static const char *const shells[] = { "/opt/homebrew/bin/bash", "/usr/local/bin/bash", "/bin/bash", NULL };

const struct host_places host_places = {
        .scratch = none,
        .emptied = none,
        .kept = none,
        .kept_with_network = none,
        .emptied_without_network = none,
        .masked_from_root = none,
        .system = none,
        .no_workspace = no_workspace,
        .kernel = kernel_directories,
        .shells = shells,
        .idle = idle,
};

/* ---- the user ---- */

int host_system_home(struct host *host, struct arena *arena, struct err *err) {
        const struct passwd *user = getpwuid(host->uid); /* users are not in /etc/passwd here */

        return user && user->pw_dir[0] == '/' && user->pw_dir[1]
                       ? host_add_if_there(host, &host->homes, arena, "home directory", user->pw_dir, err)
                       : 0;
}

/* ---- programs ---- */

/* They require Linux: the home is that of the host. */
int host_system_own_home(struct host *host, const struct policy *policy, const char *const *environment, struct arena *arena,
                         struct err *err) {
        (void)host, (void)policy, (void)environment, (void)arena, (void)err;
        return 0;
}

int host_system_programs(struct host *host, const char *self, struct arena *arena, struct err *err) {
        char given[PATH_MAX], real[PATH_MAX];
        uint32_t size = sizeof(given);

        host->self_wanted = self;
        if ((!*self && _NSGetExecutablePath(given, &size) < 0) || !realpath(*self ? self : given, real))
                return err_sys(err, "the path of this program");
        host->self = arena_dup(arena, str_z(real));
        if (access(SANDBOX_EXEC, X_OK) == 0)
                host->sandbox_exec = SANDBOX_EXEC;
        return host->self ? 0 : err_memory(err);
}

int host_system_own(struct host *host, const struct sandbox_policy *sandbox, const char *self, struct arena *arena,
                    struct err *err) {
        (void)self;
        return host->self ? host_keep_program(host, sandbox, host->self, arena, err) : 0;
}
