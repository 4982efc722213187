#include "base/name_set.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

enum { LISTED_MAX = 4096 };

static unsigned name_bit(const char *name, size_t len) {
        uint64_t hash = UINT64_C(0xcbf29ce484222325);

        for (size_t i = 0; i < len; i++)
                hash = (hash ^ ascii_lower((unsigned char)name[i])) * UINT64_C(0x100000001b3);
        return (unsigned)(hash >> 20) % NAME_SET_BITS;
}

void name_set_read(const char *directory, struct name_set *ret) {
        DIR *dir = opendir(directory);
        const struct dirent *entry;
        size_t count = 0;

        memset(ret, 0, sizeof(*ret));
        if (!dir && (errno == ENOENT || errno == ENOTDIR))
                return;
        errno = 0;
        while (dir && count < LISTED_MAX && (entry = readdir(dir))) {
                unsigned bit = name_bit(entry->d_name, strlen(entry->d_name));

                ret->bits[bit / 64] |= UINT64_C(1) << bit % 64;
                count++;
        }
        if (!dir || count == LISTED_MAX || errno)
                memset(ret, 0xff, sizeof(*ret));
        if (dir)
                closedir(dir);
}

bool name_set_may_have(const struct name_set *set, const char *name, size_t len) {
        unsigned bit = name_bit(name, len);

        return set->bits[bit / 64] >> bit % 64 & 1;
}

/* The last one is the home itself. */
static const char *const listed[HOME_LISTED] = { ".cache/", ".config/", ".local/share/", "" };

static void list(struct home_names *names, int which) {
        char path[PATH_MAX];

        names->listed[which] = true;
        if (snprintf(path, sizeof(path), "%s/%s", names->home, listed[which]) < (int)sizeof(path))
                name_set_read(path, &names->names[which]);
        else
                memset(&names->names[which], 0xff, sizeof(names->names[which]));
}

bool home_names_may_have(struct home_names *names, const char *path) {
        int which = 0;
        size_t len;

        while (strncmp(path, listed[which], strlen(listed[which])) != 0)
                which++;
        len = strlen(listed[which]);
        if (!names->listed[which])
                list(names, which);
        return name_set_may_have(&names->names[which], path + len, strcspn(path + len, "/"));
}
