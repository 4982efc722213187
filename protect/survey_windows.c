/*
 * Nothing is protected inside of a workspace: appcontainer.c refuses policies that ask for it where it can be written.
 */
#include "protect/protect.h"

static int refuse(struct err *err) {
        return err_set(err, ERR_UNSUPPORTED,
                       "a writable workspace cannot be protected on Windows: set sandbox.protect_workspace or "
                       "sandbox.workspace_write to false, or use the policy readonly");
}

int protect_survey(const char *workspace, const char *home, const struct protection *known, struct arena *arena,
                   struct protection *ret, struct err *err) {
        (void)home;
        (void)known;
        *ret = (struct protection){ .workspace = arena_dup(arena, str_z(workspace)) };
        return ret->workspace ? 0 : err_memory(err);
}

struct baseline *baseline_get(struct baseline **list, const char *workspace) {
        static struct baseline none;

        (void)list;
        (void)workspace;
        return &none;
}

void baseline_free(struct baseline **list, const char *state_dir) {
        (void)state_dir;
        *list = NULL;
}

int protect_begin(struct baseline *baseline, const struct protect_request *request, struct protection *ret, struct err *err) {
        (void)baseline;
        (void)request;
        (void)ret;
        return refuse(err);
}

int protect_recover(const struct protect_request *request, struct err *err) {
        (void)request;
        (void)err;
        return 0;
}

int protect_check(const struct baseline *baseline, const struct protect_request *request, struct err *err) {
        (void)baseline;
        (void)request;
        return refuse(err);
}

int protect_end(struct baseline *baseline, const struct protect_request *request, struct err *err) {
        (void)baseline;
        (void)request;
        return refuse(err);
}
