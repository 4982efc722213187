#include "sandbox/host_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "policy/files.h"

/*
 * A command that could write these would control the sandbox of the next one. In a writable place they are kept read-only, and
 * made if they are not there, as only what is there can be.
 */
static int keep_settings(struct host *host, const struct sandbox_policy *sandbox, const char *const *environment,
                         struct arena *arena, struct err *err) {
        struct directory places[2];
        size_t count = 0;

        count += directory_config(environment, &places[count]);
        count += directory_state(environment, &places[count]);
        for (size_t i = 0; i < count; i++) {
                FD_AUTO made = -1;

                host_sees(host, places[i].path, false);
                if (host_is_writable(host, sandbox, places[i].path) &&
                    (directory_make(places[i].path, &made, err) < 0 ||
                     host_add_if_there(host, &host->write_deny, arena, "bailey's own directory", places[i].path, err) < 0))
                        return -1;
        }
        return 0;
}

/* After a rotation the next file has the same name, so the directory is protected rather than the file. */
static int keep_audit_directory(struct host *host, const char *directory, const char *real, struct arena *arena,
                                struct err *err) {
        if (path_within(host->workspace, real))
                return err_set(err, ERR_INVALID, "audit.path: %s contains the workspace; use a separate directory", directory);
        for (size_t i = 0; i < host->write.count; i++)
                if (path_within(host->write.items[i].path, real))
                        return err_set(err, ERR_INVALID,
                                       "audit.path: %s contains a directory of fs_write_allow; use a separate directory",
                                       directory);
        return host_paths_add(&host->write_deny, arena, real, true, err) < 0
                       ? -1
                       : host_paths_add(&host->masks, arena, real, true, err);
}

static int mask_audit_files(struct host *host, const struct audit_policy *audit, const char *path, struct arena *arena,
                            struct err *err) {
        char name[PATH_MAX + 16];

        if (host_add_if_there(host, &host->masks, arena, "audit.path", path, err) < 0)
                return -1;
        for (int i = 1; i <= audit->rotate_keep + 1; i++) {
                snprintf(name, sizeof(name), "%s.%d", path, i);
                if (host_add_if_there(host, &host->masks, arena, "audit.path", name, err) < 0)
                        return -1;
        }
        return 0;
}

/* Commands have no access to the audit log. In bailey's own directory it is inaccessible already. */
static int keep_audit(struct host *host, const struct policy *policy, const struct host_question *question, struct arena *arena,
                      struct err *err) {
        const char *slash = question->audit ? strrchr(question->audit, '/') : NULL;
        char directory[PATH_MAX], real[PATH_MAX];
        struct directory state;
        int missing;

        if (!slash || (directory_state(question->environment, &state) && path_within(question->audit, state.path)))
                return 0;
        snprintf(directory, sizeof(directory), "%.*s", slash > question->audit ? (int)(slash - question->audit) : 1,
                 question->audit);
        host_sees(host, directory, false);
        missing = host_follow(host, arena, "audit.path", directory, real, err);
        if (missing)
                return missing < 0 ? -1 : err_sys(err, "audit.path: %s", directory);
        if (host_is_writable(host, &policy->sandbox, real))
                return keep_audit_directory(host, directory, real, arena, err);
        return mask_audit_files(host, &policy->audit, question->audit, arena, err);
}

int host_keep_program(struct host *host, const struct sandbox_policy *sandbox, const char *path, struct arena *arena,
                      struct err *err) {
        char real[PATH_MAX];
        int missing;

        host_sees(host, path, false);
        missing = host_follow(host, arena, "bailey's own program", path, real, err);
        if (missing < 0)
                return -1;
        if (missing)
                return is_absence(errno) ? 0 : err_sys(err, "bailey's own program: %s", path);
        if (!host_is_writable(host, sandbox, real))
                return 0;
        for (size_t i = 0; i < host->write_deny.count; i++)
                if (strcmp(host->write_deny.items[i].path, real) == 0)
                        return 0;
        if (host_paths_add(&host->write_deny, arena, real, false, err) < 0)
                return -1;
        host->write_deny.items[host->write_deny.count - 1].program = true;
        return 0;
}

int host_keep_own(struct host *host, const struct policy *policy, const struct host_question *question, struct arena *arena,
                  struct err *err) {
        if (keep_settings(host, &policy->sandbox, question->environment, arena, err) < 0 ||
            host_system_own(host, &policy->sandbox, question->program ? question->program : "", arena, err) < 0)
                return -1;
        return keep_audit(host, policy, question, arena, err);
}
