/*
 * Arguments and environment are UTF-16 in Windows. Names of variables have no case there, so they are in upper case here, as
 * they are looked for. HOME is made up where there is none, and is a path of ours, as are the directories of XDG.
 */
#include "base/program.h"

#include <windows.h>

#include <shellapi.h>

#include "base/windows/wide.h"

char **windows_environ;

static const char *const paths[] = { "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR" };

static int take_arguments(int *argc, char ***argv) {
        int count = 0;
        wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
        char **arguments = wide ? calloc((size_t)count + 1, sizeof(*arguments)) : NULL;

        if (!arguments)
                return -1;
        for (int i = 0; i < count; i++)
                if (!(arguments[i] = wide_text_back(wide[i])))
                        return -1;
        LocalFree(wide);
        *argc = count;
        *argv = arguments;
        return 0;
}

/* "Path=C:\x" -> "PATH=C:\x". Some, like "=C:=C:\x", begin with the sign; they are no variables. */
static void raise_name(char *variable) {
        for (; *variable && *variable != '='; variable++)
                if (*variable >= 'a' && *variable <= 'z')
                        *variable = (char)(*variable - 'a' + 'A');
}

static char *named_path(const char *name, const char *value) {
        size_t size = strlen(name) + strlen(value) + 3;
        char *variable = malloc(size);

        if (!variable)
                return NULL;
        snprintf(variable, size, "%s=", name);
        path_to_posix(value, variable + strlen(name) + 1, size - strlen(name) - 1);
        return variable;
}

/* NULL without memory. */
static char *variable_of(const wchar_t *wide) {
        char *variable = wide_text_back(wide), *path;

        if (!variable)
                return NULL;
        raise_name(variable);
        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                size_t len = strlen(paths[i]);

                if (strncmp(variable, paths[i], len) != 0 || variable[len] != '=')
                        continue;
                path = named_path(paths[i], variable + len + 1);
                free(variable);
                return path;
        }
        return variable;
}

static const char *value_of(const char *name) {
        size_t len = strlen(name);

        for (char **v = windows_environ; *v; v++)
                if (strncmp(*v, name, len) == 0 && (*v)[len] == '=')
                        return *v + len + 1;
        return NULL;
}

static int take_environment(void) {
        wchar_t *block = GetEnvironmentStringsW();
        const char *profile;
        size_t count = 0;

        for (const wchar_t *v = block; v && *v; v += wcslen(v) + 1)
                count++;
        windows_environ = calloc(count + 2, sizeof(*windows_environ));
        if (!block || !windows_environ)
                return -1;
        count = 0;
        for (const wchar_t *v = block; *v; v += wcslen(v) + 1)
                if (*v != L'=' && !(windows_environ[count++] = variable_of(v)))
                        return -1;
        FreeEnvironmentStringsW(block);
        profile = value_of("USERPROFILE");
        if (!value_of("HOME") && profile && !(windows_environ[count] = named_path("HOME", profile)))
                return -1;
        return 0;
}

int program_begin(int *argc, char ***argv) {
        for (int fd = 0; fd < 3; fd++)
                _setmode(fd, O_BINARY);
        return take_arguments(argc, argv) < 0 || take_environment() < 0 ? -1 : 0;
}

const char *program_path(const char *path) {
        size_t size = strlen(path) + 3;
        char *posix = malloc(size);

        if (posix)
                path_to_posix(path, posix, size);
        return posix;
}
