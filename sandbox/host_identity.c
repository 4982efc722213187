#include "sandbox/host_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "sandbox/launch.h"

/*
 * systemd lists who uses which ids (docs/UIDS-GIDS.md there): containers end at 0x70000000, and 0x7ffe0000 is for images of
 * others. Nobody is known to use what is in between. All of these ranges begin at a multiple of their size, so that the low 16
 * bits of an id outside are the id inside.
 */
enum { FIRST_BASE = 0x77350000, BASES = 64, FILE_SIZE_MAX = 16 << 20 };

static const char *const account_files[] = { "/etc/passwd", "/etc/group" };
static const char *const delegated_files[] = { "/etc/subuid", "/etc/subgid" };
static const char *const namespace_files[] = { "/proc/self/uid_map", "/proc/self/gid_map" };

/* ---- which are free ---- */

/* Marks the ranges that these ids are in; a bit each. */
static uint64_t taken_by(uint64_t first, uint64_t count) {
        uint64_t taken = 0;

        for (uint64_t i = 0; count && i < BASES; i++) {
                uint64_t base = FIRST_BASE + i * LAUNCH_ID_COUNT;

                if (first < base + LAUNCH_ID_COUNT && first + count > base)
                        taken |= UINT64_C(1) << i;
        }
        return taken;
}

/* The field after the next colon of a line; NULL: there is none. */
static const char *next_field(const char *field) {
        const char *end = field ? field + strcspn(field, ":\n") : NULL;

        return end && *end == ':' ? end + 1 : NULL;
}

static const char *next_line(const char *line) {
        line += strcspn(line, "\n");
        return *line ? line + 1 : line;
}

static uint64_t taken_accounts(const char *text) {
        uint64_t taken = 0;

        for (; *text; text = next_line(text)) {
                const char *id = next_field(next_field(text));

                if (id)
                        taken |= taken_by(strtoul(id, NULL, 10), 1);
        }
        return taken;
}

static uint64_t taken_delegated(const char *text) {
        uint64_t taken = 0;

        for (; *text; text = next_line(text)) {
                const char *first = next_field(text), *count = next_field(first);

                if (count)
                        taken |= taken_by(strtoul(first, NULL, 10) & UINT32_MAX, strtoul(count, NULL, 10) & UINT32_MAX);
        }
        return taken;
}

/* Those that a user namespace has as a whole. */
static uint64_t mapped(const char *text) {
        uint64_t found = 0;

        for (; *text; text = next_line(text)) {
                unsigned first, outside, count;

                if (sscanf(text, "%u %u %u", &first, &outside, &count) != 3)
                        continue;
                for (uint64_t i = 0; i < BASES; i++) {
                        uint64_t base = FIRST_BASE + i * LAUNCH_ID_COUNT;

                        if (first <= base && (uint64_t)first + count >= base + LAUNCH_ID_COUNT)
                                found |= UINT64_C(1) << i;
                }
        }
        return found;
}

int64_t host_choose_ids(const struct id_files *files) {
        uint64_t usable = UINT64_MAX;

        for (size_t i = 0; i < 2; i++)
                usable &= mapped(files->namespaces[i]);
        if (!usable)
                return -1;
        for (size_t i = 0; i < 2; i++)
                usable &= ~taken_accounts(files->accounts[i]) & ~taken_delegated(files->delegated[i]);
        for (int64_t i = 0; i < BASES; i++)
                if (usable & UINT64_C(1) << i)
                        return FIRST_BASE + i * LAUNCH_ID_COUNT;
        return 0;
}

/* ---- the files ---- */

static int read_text(const struct host *host, const char *path, struct buf *ret, struct err *err) {
        FD_AUTO fd = -1;

        if (strncmp(path, "/proc/", 6) != 0) /* which stays as it is */
                host_sees(host, path, true);
        buf_init(ret, FILE_SIZE_MAX);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 && errno != ENOENT)
                return err_sys(err, "%s", path);
        if (fd >= 0 && fd_read_all(fd, ret, err) < 0)
                return err_context(err, "%s", path);
        buf_char(ret, 0);
        return ret->failed ? err_set(err, ERR_TOO_COMPLEX, "%s: larger than %d bytes", path, FILE_SIZE_MAX) : 0;
}

static int read_all(const struct host *host, const char *const paths[static 2], struct buf texts[static 2],
                    const char *ret[static 2], struct err *err) {
        for (size_t i = 0; i < 2; i++) {
                if (read_text(host, paths[i], &texts[i], err) < 0)
                        return -1;
                ret[i] = texts[i].ptr;
        }
        return 0;
}

int host_gather_ids(struct host *host, struct err *err) {
        struct buf texts[6] = {};
        struct id_files files = {};
        int64_t base = 0;
        int result;

        if (host->uid != 0)
                return 0;
        result = read_all(host, account_files, texts, files.accounts, err) < 0 ||
                                 read_all(host, delegated_files, texts + 2, files.delegated, err) < 0 ||
                                 read_all(host, namespace_files, texts + 4, files.namespaces, err) < 0
                         ? -1
                         : 0;
        if (result == 0)
                base = host_choose_ids(&files);
        for (size_t i = 0; i < 6; i++)
                buf_free(&texts[i]);
        if (result == 0 && base > 0)
                host->id_base = (uint32_t)base;
        else if (result == 0)
                host->no_identity = base < 0 ? "commands are root outside the sandbox: this user namespace has no ids for them"
                                             : "commands are root outside the sandbox: all ids for them are in use "
                                               "(/etc/passwd, /etc/group, /etc/subuid, /etc/subgid)";
        return result;
}
