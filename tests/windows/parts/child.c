/*
 * A program for others to start: does what its first argument says.
 */
#include <windows.h>

#include "base/program.h"
#include "base/windows/wide.h"

/* Each with its length, so that nothing can be mistaken for anything else. */
static int show_arguments(int argc, char **argv) {
        for (int i = 0; i < argc; i++)
                printf("%u:%s\n", (unsigned)strlen(argv[i]), argv[i]);
        return 0;
}

static int show_environment(void) {
        for (char **v = windows_environ; *v; v++)
                printf("%s\n", *v);
        return 0;
}

static int write_much(const char *count) {
        for (long i = 0; i < strtol(count, NULL, 10); i++)
                printf("line %ld of many\n", i);
        return 0;
}

/* The number may be the handle of an event here; of something else it is left alone. */
static int set_event(const char *number) {
        SetEvent((HANDLE)(uintptr_t)strtoull(number, NULL, 10));
        return 0;
}

/* Goes on for ten minutes after this has ended, unless somebody ends it. */
static int leave_behind(const char *self) {
        STARTUPINFOW start = { .cb = sizeof(start) };
        PROCESS_INFORMATION process;
        struct wide_path path;
        wchar_t line[] = L"child sleep 600";

        if (wide_path(self, &path) < 0 ||
            !CreateProcessW(path.text, line, NULL, NULL, FALSE, CREATE_BREAKAWAY_FROM_JOB, NULL, NULL, &start, &process)) {
                if (!CreateProcessW(path.text, line, NULL, NULL, FALSE, 0, NULL, NULL, &start, &process))
                        return 1;
                printf("kept ");
        }
        printf("%lu\n", process.dwProcessId);
        return 0;
}

static int read_input(void) {
        char byte;

        printf("%d\n", read(0, &byte, 1));
        return 0;
}

int main(int argc, char **argv) {
        const char *what;

        if (program_begin(&argc, &argv) < 0)
                return 99;
        what = argc > 1 ? argv[1] : "";
        if (strcmp(what, "arguments") == 0)
                return show_arguments(argc - 2, argv + 2);
        if (strcmp(what, "environment") == 0)
                return show_environment();
        if (strcmp(what, "exit") == 0 && argc > 2)
                ExitProcess((UINT)strtoul(argv[2], NULL, 0));
        if (strcmp(what, "much") == 0 && argc > 2)
                return write_much(argv[2]);
        if (strcmp(what, "handle") == 0 && argc > 2)
                return set_event(argv[2]);
        if (strcmp(what, "leave") == 0)
                return leave_behind(argv[0]);
        if (strcmp(what, "input") == 0)
                return read_input();
        if (strcmp(what, "sleep") == 0 && argc > 2)
                Sleep((DWORD)strtoul(argv[2], NULL, 10) * 1000);
        if (strcmp(what, "both") == 0) {
                printf("to stdout\n");
                fprintf(stderr, "to stderr\n");
        }
        return 0;
}
