#include <windows.h>

#include "base/buf.h"
#include "base/windows/wide.h"
#include "launch/parts_windows.h"

static const char *const endings[] = { ".exe", ".com" };

static bool is_file(const char *path, struct wide_path *wide) {
        DWORD attributes = wide_path(path, wide) == 0 ? GetFileAttributesW(wide->text) : INVALID_FILE_ATTRIBUTES;

        return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

static bool ends_with(const char *path, const char *ending) {
        size_t len = strlen(path), end = strlen(ending);

        return len > end && str_eq_nocase(str_z(path + len - end), str_z(ending));
}

static bool has_ending(const char *path) {
        for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
                if (ends_with(path, endings[i]))
                        return true;
        return false;
}

/* With the endings that it lacks. */
static bool find_at(struct str directory, const char *name, struct wide_path *ret) {
        char path[PATH_MAX];

        if (has_ending(name))
                return snprintf(path, sizeof(path), "%.*s/%s", (int)directory.len, directory.ptr, name) < (int)sizeof(path) &&
                       is_file(path, ret);
        for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
                if (snprintf(path, sizeof(path), "%.*s/%s%s", (int)directory.len, directory.ptr, name, endings[i]) <
                            (int)sizeof(path) &&
                    is_file(path, ret))
                        return true;
        return false;
}

static bool is_absolute(const char *name) {
        return name[0] == '/' || name[0] == '\\' || (name[0] && name[1] == ':');
}

static bool find(const char *name, const char *const *envp, const char *cwd, struct wide_path *ret) {
        struct str path = STR("");
        const char *base = name;

        if (is_absolute(name)) {
                for (const char *c = name; *c; c++)
                        if (*c == '/' || *c == '\\')
                                base = c + 1;
                return base > name &&
                       find_at(str_from(name, (size_t)(base - name) > 1 ? (size_t)(base - name) - 1 : 1), base, ret);
        }
        if (strpbrk(name, "/\\:"))
                return find_at(str_z(cwd), name, ret);
        for (; *envp; envp++)
                if (strncmp(*envp, "PATH=", 5) == 0)
                        path = str_z(*envp + 5);
        while (path.len) {
                struct str directory = str_take(path, str_find(path, ';'));

                if (directory.len && find_at(directory, name, ret))
                        return true;
                path = str_skip(path, directory.len + 1);
        }
        return false;
}

int spawn_find(const char *name, const char *const *envp, const char *cwd, wchar_t *ret_path, size_t size, struct err *err) {
        struct wide_path path;
        wchar_t *file;
        DWORD len;

        /* Windows has another way to read the text of those, in which arguments can hide commands. */
        if (ends_with(name, ".bat") || ends_with(name, ".cmd"))
                return err_set(err, ERR_NOT_FOUND, "%s: scripts of cmd.exe are not started; only .exe and .com are", name);
        if (!find(name, envp, cwd, &path))
                return err_set(err, ERR_NOT_FOUND, "%s: there is no such program (.exe or .com)", name);
        len = GetFullPathNameW(path.text, (DWORD)size, ret_path, &file);
        if (len == 0 || len >= size)
                return err_set(err, ERR_NOT_FOUND, "%s: its path is too long", name);
        return 0;
}
