#include "launch/parts_windows.h"

#include <windows.h>

#include <sddl.h>

#include "base/buf.h"
#include "base/windows/wide.h"
#include "launch/command_line.h"

enum { ENVIRONMENT_MAX = 1 << 20, COMMAND_LINE_ROOM = 64 << 10, CAPABILITIES_MAX = 8, VARIABLES_MAX = 4096 };

/* ---- texts ---- */

static wchar_t *line_of(const char *const *argv, struct err *err) {
        wchar_t *line;
        BUF_AUTO text;

        buf_init(&text, COMMAND_LINE_ROOM);
        if (command_line(argv, &text, err) < 0)
                return NULL;
        buf_char(&text, 0);
        line = text.failed ? NULL : wide_text(text.ptr, -1);
        if (!line)
                err_sys(err, "the arguments of the command");
        return line;
}

static int compare_variables(const void *a, const void *b) {
        return _wcsicmp(*(wchar_t *const *)a, *(wchar_t *const *)b);
}

static wchar_t *variable_of(const wchar_t *name, const wchar_t *value) {
        size_t size = wcslen(name) + wcslen(value) + 2;
        wchar_t *variable = malloc(size * sizeof(*variable));

        if (variable)
                swprintf(variable, size, L"%ls=%ls", name, value);
        return variable;
}

struct variables {
        wchar_t *items[VARIABLES_MAX];
        size_t count;
};

/* Where temporary files go is up to the container, and without its root Windows does not start most programs. */
static int own_variables(const wchar_t *temporary, struct variables *ret) {
        static const wchar_t *const names[] = { L"TEMP", L"TMP", L"TMPDIR" };
        wchar_t root[MAX_PATH];

        if (GetSystemWindowsDirectoryW(root, MAX_PATH) == 0 || !(ret->items[ret->count] = variable_of(L"SYSTEMROOT", root)))
                return -1;
        ret->count++;
        for (size_t i = 0; temporary && *temporary && i < sizeof(names) / sizeof(*names); i++) {
                if (!(ret->items[ret->count] = variable_of(names[i], temporary)))
                        return -1;
                ret->count++;
        }
        return 0;
}

static bool is_set(const struct variables *variables, const wchar_t *variable) {
        size_t len = wcscspn(variable, L"=") + 1;

        for (size_t i = 0; i < variables->count; i++)
                if (_wcsnicmp(variables->items[i], variable, len) == 0)
                        return true;
        return false;
}

static int collect_variables(const struct spawn_setup *setup, struct variables *ret) {
        if (own_variables(setup->temporary, ret) < 0)
                return -1;
        for (const char *const *v = setup->envp; *v; v++) {
                wchar_t *variable = ret->count < VARIABLES_MAX ? wide_text(*v, -1) : NULL;

                if (!variable)
                        return -1;
                if (is_set(ret, variable))
                        free(variable);
                else
                        ret->items[ret->count++] = variable;
        }
        qsort(ret->items, ret->count, sizeof(*ret->items), compare_variables);
        return 0;
}

/* One behind the other, each with a NUL, and one more at the end. */
static wchar_t *join_variables(const struct variables *variables) {
        size_t size = 2, at = 0;
        wchar_t *block;

        for (size_t i = 0; i < variables->count; i++)
                size += wcslen(variables->items[i]) + 1;
        block = size <= ENVIRONMENT_MAX ? calloc(size, sizeof(*block)) : NULL;
        for (size_t i = 0; block && i < variables->count; i++) {
                wmemcpy(block + at, variables->items[i], wcslen(variables->items[i]) + 1);
                at += wcslen(variables->items[i]) + 1;
        }
        return block;
}

static wchar_t *environment_of(const struct spawn_setup *setup, struct err *err) {
        struct variables *variables = calloc(1, sizeof(*variables));
        wchar_t *block = variables && collect_variables(setup, variables) == 0 ? join_variables(variables) : NULL;

        for (size_t i = 0; variables && i < variables->count; i++)
                free(variables->items[i]);
        free(variables);
        if (!block)
                err_set(err, ERR_TOO_COMPLEX, "the environment of the command is too large, or is not UTF-8");
        return block;
}

/* ---- files ---- */

/* Copies that can be inherited, but only by a process that is given a list of them. */
static int inheritable(int fd, HANDLE *ret, struct err *err) {
        HANDLE own = GetCurrentProcess();

        if (DuplicateHandle(own, (HANDLE)_get_osfhandle(fd), own, ret, 0, TRUE, DUPLICATE_SAME_ACCESS))
                return 0;
        *ret = NULL;
        return error_last(err, "a file of the command");
}

/* ---- attributes ---- */

struct attributes {
        LPPROC_THREAD_ATTRIBUTE_LIST list;
        HANDLE files[2];
        SECURITY_CAPABILITIES security;
        SID_AND_ATTRIBUTES capabilities[CAPABILITIES_MAX];
};

static int set_container(struct attributes *a, const struct spawn_setup *setup, struct err *err) {
        a->security.AppContainerSid = setup->container;
        a->security.Capabilities = a->capabilities;
        for (const char *const *c = setup->capabilities; c && *c && a->security.CapabilityCount < CAPABILITIES_MAX; c++) {
                SID_AND_ATTRIBUTES *capability = &a->capabilities[a->security.CapabilityCount++];

                capability->Attributes = SE_GROUP_ENABLED;
                if (!ConvertStringSidToSidA(*c, &capability->Sid))
                        return error_last(err, *c);
        }
        if (!UpdateProcThreadAttribute(a->list, 0, PROC_THREAD_ATTRIBUTE_SECURITY_CAPABILITIES, &a->security,
                                       sizeof(a->security), NULL, NULL))
                return error_last(err, "the AppContainer of the command");
        return 0;
}

static int attributes_make(struct attributes *a, const struct spawn_setup *setup, struct err *err) {
        SIZE_T size = 0;

        if (inheritable(setup->out, &a->files[0], err) < 0 || inheritable(setup->err, &a->files[1], err) < 0)
                return -1;
        InitializeProcThreadAttributeList(NULL, 2, 0, &size);
        a->list = calloc(1, size);
        if (!a->list)
                return err_memory(err);
        if (!InitializeProcThreadAttributeList(a->list, 2, 0, &size)) {
                free(a->list);
                a->list = NULL;
                return error_last(err, "InitializeProcThreadAttributeList");
        }
        if (!UpdateProcThreadAttribute(a->list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, a->files, sizeof(a->files), NULL, NULL))
                return error_last(err, "the files of the command");
        return setup->container ? set_container(a, setup, err) : 0;
}

static void attributes_free(struct attributes *a) {
        if (a->list)
                DeleteProcThreadAttributeList(a->list);
        free(a->list);
        for (DWORD i = 0; i < a->security.CapabilityCount; i++)
                LocalFree(a->capabilities[i].Sid);
        for (size_t i = 0; i < 2; i++)
                if (a->files[i])
                        CloseHandle(a->files[i]);
}

/* ---- the process ---- */

static int create(const struct spawn_setup *setup, struct attributes *a, wchar_t *line, wchar_t *environment,
                  struct spawned *ret, struct err *err) {
        const DWORD flags = CREATE_SUSPENDED | EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW;
        STARTUPINFOEXW start = {
                .StartupInfo = { .cb = sizeof(start),
                                 .dwFlags = STARTF_USESTDHANDLES,
                                 .hStdInput = INVALID_HANDLE_VALUE,
                                 .hStdOutput = a->files[0],
                                 .hStdError = a->files[1] },
                .lpAttributeList = a->list,
        };
        PROCESS_INFORMATION process;
        struct wide_path cwd;

        if (wide_path(setup->cwd, &cwd) < 0)
                return err_sys(err, "cwd %s", setup->cwd);
        if (!CreateProcessAsUserW(setup->token, setup->program, line, NULL, NULL, TRUE, flags, environment, cwd.text,
                                  &start.StartupInfo, &process))
                return error_last(err, setup->argv[0]);
        *ret = (struct spawned){ process.hProcess, process.hThread, process.dwProcessId };
        return 0;
}

int spawn_suspended(const struct spawn_setup *setup, struct spawned *ret, struct err *err) {
        struct attributes attributes = { 0 };
        wchar_t *line = line_of(setup->argv, err), *environment = line ? environment_of(setup, err) : NULL;
        int result = environment ? attributes_make(&attributes, setup, err) : -1;

        if (result == 0)
                result = create(setup, &attributes, line, environment, ret, err);
        attributes_free(&attributes);
        free(environment);
        free(line);
        return result;
}
