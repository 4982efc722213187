/*
 * Sessions of bailey_run(), for the outside.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/config.h"
#include "engine/pipeline/named_tmp.h"
#include "include/bailey.h"

static int put_sessions(const struct named_tmp_state *states, size_t count, struct arena *arena, struct bailey_tmps *ret) {
        struct bailey_tmp *items = arena_alloc(arena, (count + 1) * sizeof(*items));

        if (!items)
                return -1;
        for (size_t i = 0; i < count; i++)
                items[i] = (struct bailey_tmp){ states[i].name, states[i].workspace, states[i].users };
        *ret = (struct bailey_tmps){ .items = items, .count = count, .memory = arena };
        return 0;
}

int bailey_tmp_list(const char *const *environment, struct bailey_tmps *ret, char *ret_error, size_t error_size) {
        struct err err = {};
        struct arena *arena = config_memory_new(&err);
        struct named_tmp_state *states = arena ? arena_alloc(arena, NAMED_TMP_LIST_MAX * sizeof(*states)) : NULL;
        int count = -1;

        if (!states)
                err_memory(&err);
        else
                count = named_tmp_list(environment, states, NAMED_TMP_LIST_MAX, &err);
        if (count >= 0 && put_sessions(states, (size_t)count, arena, ret) == 0)
                return 0;
        if (count >= 0)
                err_memory(&err);
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_tmps_free(struct bailey_tmps *tmps) {
        config_memory_free(tmps->memory);
        *tmps = (struct bailey_tmps){};
}

int bailey_tmp_end(const char *const *environment, const char *workspace, const char *name, char *ret_error,
                   size_t error_size) {
        struct err err = {};
        char real[PATH_MAX];
        const char *asked = workspace ? workspace : ".", *found = realpath(asked, real);

        if (!found && asked[0] == '/' && (errno == ENOENT || errno == ENOTDIR))
                found = asked; /* one that is gone has only the name that it had */
        if (!found)
                err_sys(&err, "%s", asked);
        return found && named_tmp_end(environment, found, name, &err) == 0 ? 0 : config_hand_error(&err, ret_error, error_size);
}
