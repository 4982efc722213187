#include "run/rootfs.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/command.h"

enum { BLOCK = 512, NAME_SIZE = 100, PROGRAM_MAX = 16 << 20, LIST_MAX = 64 << 10, LIST_SECONDS = 10 };

static const char *const busybox_places[] = {
        "/bin/busybox",
        "/usr/bin/busybox",
        "/bin/busybox-static",
        "/bin/busybox.static",
        "/usr/bin/busybox-static",
        "/sbin/busybox",
        NULL,
};
static const char *const bash_places[] = { "/bin/bash-static", "/usr/bin/bash-static", NULL };

const struct rootfs_places rootfs_places_usual = { busybox_places, bash_places };

static const struct {
        const char *name;
        unsigned mode;
} directories[] = {
        { "bin/", 0755 },  { "dev/", 0755 },      { "etc/", 0755 }, { "home/", 0755 }, { "proc/", 0555 },
        { "root/", 0700 }, { "run/", 0755 },      { "sys/", 0555 }, { "tmp/", 01777 }, { "usr/", 0755 },
        { "var/", 0755 },  { "var/tmp/", 01777 }, { "srv/", 0755 },
};

static const struct {
        const char *name, *target;
} links[] = { { "sbin", "bin" }, { "usr/bin", "../bin" }, { "usr/sbin", "../bin" } };

static const struct {
        const char *name, *text;
} files[] = {
        { "etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n" },
        { "etc/group", "root:x:0:\nnogroup:x:65534:\n" },
        { "etc/hostname", "bailey\n" },
};

#define EACH(name, table) for (size_t name = 0; name < sizeof(table) / sizeof(*(table)); name++)

/* ---- tar ---- */

struct header {
        char name[NAME_SIZE], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[NAME_SIZE], magic[6],
                version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};

static void put(char *at, size_t size, const char *text) {
        size_t len = strnlen(text, size);

        memcpy(at, text, len);
}

static void add_header(struct buf *tar, const char *name, char type, unsigned mode, size_t size, const char *target) {
        struct header h = { .type = type, .magic = "ustar", .version = { '0', '0' } };
        const unsigned char *bytes = (const unsigned char *)&h;
        unsigned sum = 0;
        char number[16];

        put(h.name, NAME_SIZE, name);
        put(h.link, NAME_SIZE, target);
        snprintf(h.mode, sizeof(h.mode), "%07o", mode);
        snprintf(h.uid, sizeof(h.uid), "%07o", 0U);
        snprintf(h.gid, sizeof(h.gid), "%07o", 0U);
        snprintf(h.size, sizeof(h.size), "%011zo", size);
        snprintf(h.mtime, sizeof(h.mtime), "%011o", 0U);
        memset(h.checksum, ' ', sizeof(h.checksum));
        for (size_t i = 0; i < sizeof(h); i++)
                sum += bytes[i];
        snprintf(number, sizeof(number), "%06o", sum);
        memcpy(h.checksum, number, 7);
        buf_append(tar, str_from((const char *)&h, sizeof(h)));
}

static void add_file(struct buf *tar, const char *name, unsigned mode, struct str content) {
        static const char zeroes[BLOCK];

        add_header(tar, name, '0', mode, content.len, "");
        buf_append(tar, content);
        buf_append(tar, str_from(zeroes, (BLOCK - content.len % BLOCK) % BLOCK));
}

/* ---- programs ---- */

/* A program that needs no others: an ELF file without an interpreter. */
static bool is_static(struct str file) {
        Elf64_Ehdr head;

        if (file.len < sizeof(head) || memcmp(file.ptr, ELFMAG, SELFMAG) != 0 || file.ptr[EI_CLASS] != ELFCLASS64)
                return false;
        memcpy(&head, file.ptr, sizeof(head));
        for (size_t i = 0; i < head.e_phnum; i++) {
                size_t at = head.e_phoff + i * head.e_phentsize;
                Elf64_Phdr part;

                if (at > file.len || file.len - at < sizeof(part))
                        return false;
                memcpy(&part, file.ptr + at, sizeof(part));
                if (part.p_type == PT_INTERP)
                        return false;
        }
        return true;
}

static const char *find_static(const char *const *places, struct buf *ret_content) {
        for (; *places; places++) {
                FD_AUTO fd = open(*places, O_RDONLY | O_CLOEXEC);

                buf_clear(ret_content);
                if (fd >= 0 && fd_read_all(fd, ret_content, NULL) == 0 && is_static(buf_str(ret_content)))
                        return *places;
        }
        return NULL;
}

/* A link for each of the programs that it can be. */
static int add_applets(struct buf *tar, const char *busybox, struct err *err) {
        const char *argv[] = { busybox, "--list", NULL }, *const envp[] = { NULL };
        struct command list = {
                .argv = argv, .envp = envp, .timeout = LIST_SECONDS * TIME_SECOND, .in = -1, .out = -1, .err = -1
        };
        struct command_end end = {};
        char name[NAME_SIZE];
        struct str rest;
        int result;

        buf_init(&end.out, LIST_MAX);
        result = command_run(&list, &end, err);
        if (result == 0)
                result = command_check(&list, &end, err);
        for (rest = buf_str(&end.out); result == 0 && rest.len;) {
                struct str applet = str_take(rest, str_find(rest, '\n'));

                if (applet.len && applet.len < NAME_SIZE - 5 && !str_is(applet, "busybox")) {
                        snprintf(name, sizeof(name), "bin/%.*s", (int)applet.len, applet.ptr);
                        add_header(tar, name, '2', 0777, 0, "busybox");
                }
                rest = str_skip(rest, applet.len + 1);
        }
        buf_free(&end.out);
        return result;
}

int rootfs_write(const struct rootfs_places *places, struct buf *tar, struct err *err) {
        static const char end[2 * BLOCK];
        const char *busybox;
        BUF_AUTO program;

        buf_init(&program, PROGRAM_MAX);
        EACH (i, directories)
                add_header(tar, directories[i].name, '5', directories[i].mode, 0, "");
        EACH (i, links)
                add_header(tar, links[i].name, '2', 0777, 0, links[i].target);
        EACH (i, files)
                add_file(tar, files[i].name, 0644, str_z(files[i].text));
        busybox = find_static(places->busybox, &program);
        if (!busybox)
                return err_set(err, ERR_NOT_FOUND,
                               "building an image needs a static busybox: run apt install busybox-static, or give an archive "
                               "of a root file system with --tarball");
        add_file(tar, "bin/busybox", 0755, buf_str(&program));
        if (add_applets(tar, busybox, err) < 0)
                return err_context(err, "%s --list", busybox);
        if (find_static(places->bash, &program))
                add_file(tar, "bin/bash", 0755, buf_str(&program));
        buf_append(tar, str_from(end, sizeof(end)));
        return tar->failed ? err_set(err, ERR_TOO_COMPLEX, "the image is larger than %d MiB", ROOTFS_MAX >> 20) : 0;
}
