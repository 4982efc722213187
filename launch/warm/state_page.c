#include "launch/warm/state_page.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

int state_page_make(void) {
        FD_AUTO fd = memfd_create("bailey-state", MFD_CLOEXEC | MFD_ALLOW_SEALING);

        if (fd < 0 || ftruncate(fd, sizeof(struct state_page)) < 0 ||
            fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
                return -1;
        return TAKE_FD(fd);
}

struct state_page *state_page_map(int fd) {
        struct state_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        return page == MAP_FAILED ? NULL : page;
}

void state_page_read(int fd, struct buf *out) {
        struct stat info;
        uint32_t length = 0;
        char part[4096];

        if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_size != sizeof(struct state_page) ||
            pread(fd, &length, sizeof(length), 0) != sizeof(length) || length > STATE_TEXT_MAX)
                return;
        for (size_t at = 0; at < length;) {
                size_t wanted = length - at < sizeof(part) ? length - at : sizeof(part);
                ssize_t got = pread(fd, part, wanted, (off_t)(offsetof(struct state_page, text) + at));

                if (got <= 0)
                        break;
                buf_append(out, str_from(part, (size_t)got));
                at += (size_t)got;
        }
        if (out->failed || out->len != length || (length && out->ptr[length - 1]))
                buf_clear(out);
}
