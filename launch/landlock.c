#include "launch/inside.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "launch/kernel.h"

/* Rights on files by version: 13 at first, REFER with 2, TRUNCATE with 3, IOCTL_DEV with 5. */
static uint64_t known_rights(int version) {
        return (UINT64_C(1) << (version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13)) - 1;
}

static const uint64_t file_rights = LL_FS_EXECUTE | LL_FS_WRITE_FILE | LL_FS_READ_FILE | LL_FS_TRUNCATE | LL_FS_IOCTL_DEV;

/* A shell's > truncates a device, too. */
static const uint64_t use_rights = LL_FS_READ_FILE | LL_FS_WRITE_FILE | LL_FS_TRUNCATE;

static uint64_t rights_of(uint32_t grant, uint64_t known) {
        uint64_t rights = 0;

        if (grant & GRANT_READ)
                rights |= LL_FS_EXECUTE | LL_FS_READ_FILE | LL_FS_READ_DIR;
        if (grant & GRANT_LOOK)
                rights |= LL_FS_READ_FILE | LL_FS_READ_DIR;
        if (grant & (GRANT_USE | GRANT_TERMINAL))
                rights |= use_rights;
        if (grant & GRANT_TERMINAL)
                rights |= LL_FS_IOCTL_DEV;
        return grant & GRANT_WRITE ? known : rights & known;
}

static int add_fd(int ruleset, int fd, uint64_t rights, struct err *err) {
        struct ll_path rule = { .allowed = rights, .fd = fd };
        struct stat st;

        if (fstat(fd, &st) < 0)
                return err_sys(err, "Landlock: a path that was just opened");
        if (!S_ISDIR(st.st_mode))
                rule.allowed &= file_rights;
        return syscall(SYS_landlock_add_rule, ruleset, LL_RULE_PATH, &rule, 0) < 0 ? err_sys(err, "Landlock: adding a rule")
                                                                                   : 0;
}

static int add_path(int ruleset, const struct landlock_rule *rule, uint64_t known, struct err *err) {
        /* All paths were resolved: a link that is there now was created since, and must not widen the rules. */
        FD_AUTO fd = kernel_openat2(AT_FDCWD, rule->path, O_PATH | O_CLOEXEC, RESOLVE_NO_SYMLINKS);

        if (fd < 0)
                return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : err_sys(err, "Landlock: %s", rule->path);
        return add_fd(ruleset, fd, rights_of(rule->grant, known), err);
}

int landlock_apply(const struct landlock_plan *plan, int terminal, struct err *err) {
        int version = kernel_landlock_version();
        uint64_t known = known_rights(version);
        struct ll_ruleset handled = {
                .fs = known,
                .net = plan->deny_tcp && version >= 4 ? LL_NET_BIND_TCP | LL_NET_CONNECT_TCP : 0,
                .scoped = version >= 6 ? LL_SCOPE_ABSTRACT_UNIX | LL_SCOPE_SIGNAL : 0,
        };
        size_t size = version >= 6 ? sizeof(handled) : version >= 4 ? 16 : 8;
        FD_AUTO ruleset = -1;

        if (!plan->wanted || (version < 1 && !plan->required))
                return 0;
        if (version < 1)
                return err_set(err, ERR_UNSUPPORTED, "this kernel has no Landlock");
        ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
        if (ruleset < 0)
                return err_sys(err, "Landlock");
        for (size_t i = 0; i < plan->rule_count; i++)
                if (add_path(ruleset, &plan->rules[i], known, err) < 0)
                        return -1;
        if (terminal >= 0 && add_fd(ruleset, terminal, rights_of(GRANT_TERMINAL, known), err) < 0)
                return -1;
        return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ? err_sys(err, "Landlock: entering it") : 0;
}
