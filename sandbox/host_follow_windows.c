#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/host_parts.h"

/* What a link says is not told here, only where a path leads: one that leads elsewhere counts as a link itself. */
int host_follow(struct host *host, struct arena *arena, const char *key, const char *path, char ret_real[static PATH_MAX],
                struct err *err) {
        if (!realpath(path, ret_real)) {
                snprintf(ret_real, PATH_MAX, "%s", path);
                return 1;
        }
        return str_eq_nocase(str_z(path), str_z(ret_real))
                       ? 0
                       : host_note_link(host, arena, (struct host_link){ .key = key, .path = path, .at = path }, err);
}
