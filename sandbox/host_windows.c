#include <windows.h>

#include "base/windows/wide.h"
#include "sandbox/host_parts.h"

/* ---- places ---- */

/* Nothing is mounted; what an AppContainer reaches by itself is Windows' own affair. */
static const char *const none[] = { NULL };

static const char *const no_workspace[] = {
        "/c", "/c/Program Files", "/c/Program Files (x86)", "/c/ProgramData", "/c/Users", NULL,
};
static const char *const system_directories[] = { "/c/Windows", NULL };

/* Of Git for Windows. Not the one in System32, which is another system. */
static const char *const shells[] = { "/c/Program Files/Git/usr/bin/bash.exe", "/c/Program Files/Git/bin/bash.exe", NULL };

static const char *const idle[] = { "/c/windows/system32/cmd.exe", "/c", "exit", "0", NULL };

const struct host_places host_places = {
        .scratch = none,
        .emptied = none,
        .kept = none,
        .kept_with_network = none,
        .emptied_without_network = none,
        .masked_from_root = none,
        .system = none,
        .no_workspace = no_workspace,
        .kernel = system_directories,
        .shells = shells,
        .idle = idle,
};

/* ---- the user ---- */

/* HOME may be anywhere; the profile is where programs keep their secrets. */
int host_system_home(struct host *host, struct arena *arena, struct err *err) {
        wchar_t profile[PATH_MAX];
        char path[PATH_MAX];
        DWORD len = GetEnvironmentVariableW(L"USERPROFILE", profile, PATH_MAX);

        if (len == 0 || len >= PATH_MAX || wide_path_back(profile, path, sizeof(path)) < 0 || !path[0])
                return 0;
        return host_add_if_there(host, &host->homes, arena, "home directory", path, err);
}

/* ---- programs ---- */

/* They require Linux: the home is that of the host. */
int host_system_own_home(struct host *host, const struct policy *policy, const char *const *environment, struct arena *arena,
                         struct err *err) {
        (void)host, (void)policy, (void)environment, (void)arena, (void)err;
        return 0;
}

int host_system_programs(struct host *host, const char *self, struct arena *arena, struct err *err) {
        wchar_t given[PATH_MAX];
        char path[PATH_MAX];
        DWORD len = GetModuleFileNameW(NULL, given, PATH_MAX);

        host->windows = true;
        host->self_wanted = self;
        if (len == 0 || len >= PATH_MAX || wide_path_back(given, path, sizeof(path)) < 0)
                return err_set(err, ERR_SYSTEM, "the path of this program");
        host->self = arena_dup(arena, str_z(path));
        return host->self ? 0 : err_memory(err);
}

int host_system_own(struct host *host, const struct sandbox_policy *sandbox, const char *self, struct arena *arena,
                    struct err *err) {
        (void)self;
        return host->self ? host_keep_program(host, sandbox, host->self, arena, err) : 0;
}
