/*
 * The files that bailey's program is made of. A command that could write one would control the sandbox of the next command.
 */
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "sandbox/host_parts.h"

/* The kernel's word for a file that was replaced while it runs: what has its name now is what is started next. */
static const char deleted[] = " (deleted)";

static void drop_deleted(char *path) {
        size_t len = strlen(path), end = sizeof(deleted) - 1;

        if (len > end && strcmp(path + len - end, deleted) == 0 && access(path, F_OK) < 0)
                path[len - end] = 0;
}

static bool running_file(char ret[static PATH_MAX]) {
        ssize_t len = readlink("/proc/self/exe", ret, PATH_MAX - 1);

        if (len <= 0)
                return false;
        ret[len] = 0;
        drop_deleted(ret);
        return ret[0] == '/';
}

/* The object in memory that this code is part of, by the loader's name; the program itself has none. */
static int find_object(struct dl_phdr_info *info, size_t size, void *ret_name) {
        uintptr_t here = (uintptr_t)&find_object;

        (void)size;
        for (size_t i = 0; i < info->dlpi_phnum; i++) {
                uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

                if (info->dlpi_phdr[i].p_type == PT_LOAD && here >= start && here - start < info->dlpi_phdr[i].p_memsz) {
                        *(const char **)ret_name = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : NULL;
                        return 1;
                }
        }
        return 0;
}

/* Where the kernel says that the code here comes from. */
static bool mapped_file(char ret[static PATH_MAX]) {
        char line[PATH_MAX + 128];
        bool found = false;
        FILE *maps = fopen("/proc/self/maps", "re");

        while (maps && !found && fgets(line, sizeof(line), maps)) {
                unsigned long start, end;
                int at = 0;

                if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &at) < 2 || line[at] != '/')
                        continue;
                if ((uintptr_t)&find_object < start || (uintptr_t)&find_object >= end)
                        continue;
                line[strcspn(line, "\n")] = 0;
                found = snprintf(ret, PATH_MAX, "%s", line + at) < PATH_MAX;
        }
        if (maps)
                fclose(maps);
        if (found)
                drop_deleted(ret);
        return found;
}

/* The loader's name may lead there by links, but be relative to a directory that is no longer the current one; the kernel's
 * leads to the file. */
static int keep_library(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err) {
        const char *name = NULL;
        char path[PATH_MAX];

        dl_iterate_phdr(find_object, (void *)&name);
        if (!name)
                return 0;
        if (mapped_file(path) && host_keep_program(host, sandbox, path, arena, err) < 0)
                return -1;
        return host_keep_program(host, sandbox, name, arena, err);
}

/* bailey-tls, which is started from beside it, and gets secrets. */
static int keep_helper(struct host *host, const struct sandbox_policy *sandbox, const char *program, struct arena *arena,
                       struct err *err) {
        char real[PATH_MAX], path[PATH_MAX + 16];

        if (!realpath(program, real))
                return 0;
        snprintf(path, sizeof(path), "%.*sbailey-tls", (int)(strrchr(real, '/') + 1 - real), real);
        return host_keep_program(host, sandbox, path, arena, err);
}

int host_system_own(struct host *host, const struct sandbox_policy *sandbox, const char *self, struct arena *arena,
                    struct err *err) {
        const char *started = (const char *)getauxval(AT_EXECFN); /* NOLINT(performance-no-int-to-ptr): that is what it is */
        char path[PATH_MAX];

        if (running_file(path) &&
            (host_keep_program(host, sandbox, path, arena, err) < 0 || keep_helper(host, sandbox, path, arena, err) < 0))
                return -1;
        if (*self && keep_helper(host, sandbox, self, arena, err) < 0)
                return -1;
        if (keep_library(host, sandbox, arena, err) < 0)
                return -1;
        if (*self)
                return host_keep_program(host, sandbox, self, arena, err);
        /* A link that leads here is what a hook or an agent's settings start. */
        return started ? host_keep_program(host, sandbox, started, arena, err) : 0;
}
