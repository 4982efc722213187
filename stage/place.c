#include "stage/place.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/path.h"

/* As the kernel writes it in mountinfo: \040 for a space. */
static void unescape(char *text) {
        char *to = text;

        for (const char *from = text; *from; from++) {
                if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' && from[3] >= '0' &&
                    from[3] <= '7') {
                        *to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
                        from += 3;
                } else {
                        *to++ = *from;
                }
        }
        *to = 0;
}

/* 36 35 98:0 /root /mount/point options... */
static bool mount_point(char *line, const char **ret) {
        char *rest = line, *word = NULL;

        for (int i = 0; i < 5; i++)
                word = strsep(&rest, " ");
        if (!word)
                return false;
        unescape(word);
        *ret = word;
        return true;
}

static int check_mounts(const char *workspace, struct err *err) {
        FILE *file = fopen("/proc/self/mountinfo", "re");
        char *line = NULL;
        const char *point;
        size_t size = 0;
        int result = 0;

        if (!file)
                return err_sys(err, "/proc/self/mountinfo");
        while (result == 0 && getline(&line, &size, file) >= 0)
                if (mount_point(line, &point) && path_below(point, workspace))
                        result = err_set(err, ERR_UNSUPPORTED,
                                         "cannot stage %s: %s is mounted in it, and an overlay would not show it", workspace,
                                         point);
        free(line);
        fclose(file);
        return result;
}

int stage_check_place(const char *workspace, int directory, const char *path, struct err *err) {
        struct statx here, there;

        if (path_within(path, workspace))
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "cannot stage %s: it contains bailey's own directory, %s; set XDG_STATE_HOME to one outside of it",
                        workspace, path);
        if (statx(AT_FDCWD, workspace, AT_NO_AUTOMOUNT, STATX_MNT_ID, &here) < 0)
                return err_sys(err, "%s", workspace);
        if (statx(directory, "", AT_EMPTY_PATH, STATX_MNT_ID, &there) < 0)
                return err_sys(err, "%s", path);
        if (here.stx_dev_major != there.stx_dev_major || here.stx_dev_minor != there.stx_dev_minor ||
            here.stx_mnt_id != there.stx_mnt_id)
                return err_set(err, ERR_UNSUPPORTED,
                               "cannot stage %s: %s is on another file system; set XDG_STATE_HOME to a directory on the file "
                               "system of the workspace, outside the workspace",
                               workspace, path);
        return check_mounts(workspace, err);
}
