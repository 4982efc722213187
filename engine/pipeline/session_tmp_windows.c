/*
 * There are no sessions here.
 */
#include "engine/pipeline/session_tmp.h"

void session_tmp_init(struct session_tmp *tmp) {
        *tmp = (struct session_tmp){ 0 };
}

void session_tmp_free(struct session_tmp *tmp) {
        (void)tmp;
}

int session_tmp_hold(struct session_tmp *tmp, const char *workspace, uint64_t size, uint32_t id_base, struct err *err) {
        (void)tmp;
        (void)workspace;
        (void)size;
        (void)id_base;
        return err_set(err, ERR_UNSUPPORTED, "a session has no /tmp on Windows");
}

int session_tmp_directory(struct session_tmp *tmp, const char **ret_path, struct err *err) {
        (void)tmp;
        (void)ret_path;
        return err_set(err, ERR_UNSUPPORTED, "a session has no /tmp on Windows");
}
