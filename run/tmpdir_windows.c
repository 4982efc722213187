/*
 * An AppContainer has a directory of its own, which comes and goes with it.
 */
#include "run/tmpdir.h"

int tmpdir_make(struct tmpdir *tmpdir, struct arena *arena, const char **ret_path, struct err *err) {
        (void)tmpdir;
        (void)arena;
        (void)ret_path;
        return err_set(err, ERR_UNSUPPORTED, "a private /tmp is not available on Windows");
}

void tmpdir_remove(struct tmpdir *tmpdir) {
        (void)tmpdir;
}
