/*
 * Nothing is protected inside of a writable workspace (sandbox/appcontainer.c), so nothing is swept.
 */
#include "run/sweep.h"

static int refuse(struct err *err) {
        return err_set(err, ERR_UNSUPPORTED,
                       "a writable workspace cannot be protected on Windows: set sandbox.protect_workspace or "
                       "sandbox.workspace_write to false, or use the policy readonly");
}

int sweep_workspace(const char *workspace, const struct protection *before, bool keep, struct arena *arena,
                    struct str_list *ret_removed, struct err *err) {
        (void)workspace;
        (void)before;
        (void)keep;
        (void)arena;
        *ret_removed = (struct str_list){ 0 };
        return refuse(err);
}

int sweep_gate_open(const char *state_dir, int *ret_fd, struct err *err) {
        (void)state_dir;
        (void)ret_fd;
        return refuse(err);
}

int sweep_gate_mark(const char *state_dir, const struct sweep_shelf *shelf, struct protection *before, struct arena *arena,
                    struct err *err) {
        (void)state_dir;
        (void)shelf;
        (void)before;
        (void)arena;
        return refuse(err);
}

int sweep_shelf_begin(struct sweep_shelf *shelf, const char *state_dir, const char *workspace, const struct protection *before,
                      int64_t until, struct sweep_journal *ret, struct err *err) {
        (void)shelf;
        (void)state_dir;
        (void)workspace;
        (void)before;
        (void)until;
        (void)ret;
        return refuse(err);
}

void sweep_shelf_end(struct sweep_shelf *shelf, struct sweep_journal *journal) {
        (void)shelf;
        (void)journal;
}

void sweep_journal_leave(struct sweep_journal *journal) {
        (void)journal;
}

int sweep_recover(const char *state_dir, struct arena *arena, struct str_list *ret_removed, struct err *err) {
        (void)state_dir;
        (void)arena;
        (void)err;
        *ret_removed = (struct str_list){ 0 };
        return 0;
}
