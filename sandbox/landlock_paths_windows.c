/*
 * What can be read is never listed here: an AppContainer is told what it may, not what it may not.
 */
#include "sandbox/host.h"

int host_open_up(struct host *host, struct arena *arena, struct err *err) {
        (void)host;
        (void)arena;
        return err_set(err, ERR_UNSUPPORTED, "there is no such sandbox on Windows");
}
