/*
 * Runs a fuzz target over every file of a directory, once, without libFuzzer: what a fuzzer found stays fixed. Prints
 * TAP. A case is a file, and has its name.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "tests/only.h"

enum { FILE_MAX = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_input(const struct dirent *entry) {
        return entry->d_name[0] != '.' && only_wants(entry->d_name);
}

static int replay(int directory, const char *name, struct err *err) {
        FD_AUTO fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
        BUF_AUTO content;
        uint8_t *exact;

        buf_init(&content, FILE_MAX);
        if (fd < 0)
                return err_sys(err, "%s", name);
        if (fd_read_all(fd, &content, err) < 0)
                return err_context(err, "%s", name);
        exact = malloc(content.len ? content.len : 1); /* no byte too many, so that ASan sees a read past the end */
        if (!exact)
                return err_set(err, ERR_MEMORY, "%s: out of memory", name);
        if (content.len)
                memcpy(exact, content.ptr, content.len);
        LLVMFuzzerTestOneInput(exact, content.len);
        free(exact);
        return 0;
}

int main(int argc, char **argv) {
        const char *path = argc == 2 ? argv[1] : ".";
        FD_AUTO directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct dirent **files = NULL;
        struct err err = { 0 };
        bool some;
        int count, failed = 0;

        setvbuf(stdout, NULL, _IOLBF, 0); /* after a crash the last line says which file it was */
        some = only_some();
        count = directory < 0 ? -1 : scandir(path, &files, is_input, alphasort);
        if (count < 0 || (count == 0 && !some)) {
                printf("1..0 # SKIP no corpus in %s\n", path);
                return 0;
        }
        printf("1..%d\n", count);
        for (int i = 0; i < count; i++) {
                printf("# %s/%s\n", path, files[i]->d_name);
                if (replay(directory, files[i]->d_name, &err) < 0) {
                        printf("# %s\nnot ", err.msg);
                        failed++;
                }
                printf("ok %d - %s\n", i + 1, files[i]->d_name);
                free(files[i]);
        }
        free(files);
        return failed > 0;
}
