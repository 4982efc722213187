#include "engine/pipeline/session_tmp.h"

#include <sys/stat.h>

#include "base/fd.h"

void session_tmp_init(struct session_tmp *tmp) {
        *tmp = (struct session_tmp){ .holder = { .pidfd = -1, .socket = -1 },
                                     .named.connection = -1,
                                     .directory = { .fd = -1 } };
        arena_init(&tmp->arena, 0);
}

static int join(struct session_tmp *tmp, const char *workspace, uint64_t size, uint32_t id_base, struct err *err) {
        struct named_tmp_content content = { .workspace = workspace, .size = size };

        if (tmp->named.connection >= 0)
                return 0;
        return named_tmp_join(&tmp->named, &content, id_base, &tmp->lost, &tmp->holder.socket, err);
}

int session_tmp_hold(struct session_tmp *tmp, const char *workspace, uint64_t size, uint32_t id_base, struct err *err) {
        if (tmp->named.name)
                return join(tmp, workspace, size, id_base, err);
        if (tmp_holder_alive(&tmp->holder))
                return 0;
        tmp->lost = tmp->lost || tmp->used; /* it was killed */
        tmp->used = false;
        tmp_holder_end(&tmp->holder);
        return tmp_holder_start(&(struct tmp_content){ .size = size, .lock = -1 }, id_base, &tmp->holder, err);
}

/* Who cleans up the host's /tmp may have removed it. */
static bool is_there(const struct tmpdir *directory) {
        struct stat st;

        return directory->fd >= 0 && fstat(directory->fd, &st) == 0 && st.st_nlink > 0;
}

int session_tmp_directory(struct session_tmp *tmp, const char **ret_path, struct err *err) {
        const char *path;

        if (!is_there(&tmp->directory)) {
                tmp->lost = tmp->lost || tmp->directory.fd >= 0;
                fd_close(TAKE_FD(tmp->directory.fd));
                if (tmpdir_make(&tmp->directory, &tmp->arena, &path, err) < 0)
                        return -1;
        }
        *ret_path = tmp->directory.path;
        return 0;
}

void session_tmp_free(struct session_tmp *tmp) {
        tmp_holder_end(&tmp->holder);
        named_tmp_leave(&tmp->named);
        tmpdir_remove(&tmp->directory);
        arena_free(&tmp->arena);
}
