#include "launch/warm/preload.h"

#include <assert.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"

static_assert(PRELOAD_FILE_FD == 7, "PRELOAD_VARIABLE has its number");

enum { VARIABLES_MAX = 1024 };

int preload_open(void) {
        FD_AUTO fd = preload_library_size ? memfd_create("bailey-preload", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;

        if (fd < 0 || write(fd, preload_library, preload_library_size) != (ssize_t)preload_library_size ||
            fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
                return -1;
        return TAKE_FD(fd);
}

/* Whose loader knows LD_PRELOAD, and passes arguments on to constructors? */
static bool is_of_glibc(const char *program) {
        FD_AUTO fd = open(program, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would have us wait */
        union {
                ElfW(Ehdr) file;
                char bytes[4096];
        } head = {};
        char loader[64] = "";
        ElfW(Phdr) part;

        if (fd < 0 || pread(fd, head.bytes, sizeof(head.bytes), 0) < (ssize_t)sizeof(head.file) ||
            memcmp(head.bytes, ELFMAG, SELFMAG) != 0 || head.file.e_phentsize != sizeof(part))
                return false;
        for (size_t i = 0; i < head.file.e_phnum; i++) {
                size_t at = head.file.e_phoff + i * sizeof(part);

                if (at > sizeof(head.bytes) - sizeof(part))
                        return false;
                memcpy(&part, head.bytes + at, sizeof(part));
                if (part.p_type == PT_INTERP)
                        return pread(fd, loader, sizeof(loader) - 1, (off_t)part.p_offset) > 0 && strstr(loader, "/ld-linux");
        }
        return false;
}

/* Nothing may run in a sandbox before its command, and what the loader does or says is for the command to see. So there must be
 * nothing by which a library or a shell would do more than usual at its start. */
static bool is_harmless(const char *variable) {
        static const char *const begin[] = { "LD_", "BASH_ENV=", "ENV=", "SHELLOPTS=", "BASHOPTS=", "PS4=", "BASH_FUNC_" };

        for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
                if (strncmp(variable, begin[i], strlen(begin[i])) == 0)
                        return false;
        return true;
}

bool preload_suits(const struct launch *launch) {
        const char *const *argv = launch->argv;
        size_t count = 0;

        if (launch->program[0] != '/' || !argv[0] || !argv[1] || strcmp(argv[1], "-c") != 0 || !argv[2] || argv[3])
                return false;
        for (; launch->envp[count]; count++)
                if (!is_harmless(launch->envp[count]))
                        return false;
        return count < VARIABLES_MAX && is_of_glibc(launch->program);
}

/* Moves them to the numbers from PRELOAD_WORK_FD on; out of the way first, as one may stand where another has to go. */
static void arrange(const struct preload_files *files) {
        int from[] = { files->work, files->file, files->up, files->page };
        const int count = sizeof(from) / sizeof(*from);

        for (int i = 0; i < count; i++)
                if (from[i] >= 0)
                        from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, PRELOAD_WORK_FD + count);
        for (int i = 0; i < count; i++)
                if (from[i] < 0)
                        close(PRELOAD_WORK_FD + i);
                else
                        dup2(from[i], PRELOAD_WORK_FD + i);
        fcntl(PRELOAD_REPORT_FD, F_SETFD, 0);
}

_Noreturn void preload_become(const struct launch *launch, const struct preload_files *files) {
        const char *argv[] = { launch->argv[0], launch->argv[1], ":", NULL }; /* what a shell does that does not wait */
        const char *envp[VARIABLES_MAX + 1];
        size_t count = 0;

        for (; launch->envp[count]; count++)
                envp[count] = launch->envp[count];
        envp[count++] = PRELOAD_VARIABLE;
        envp[count] = NULL;
        arrange(files);
        execve(launch->program, (char *const *)argv, (char *const *)envp);
        _exit(127);
}
