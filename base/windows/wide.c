#include "base/windows/wide.h"

#include <windows.h>

/* ---- errors ---- */

static const struct {
        DWORD error;
        int number;
} errors[] = {
        { ERROR_FILE_NOT_FOUND, ENOENT },
        { ERROR_PATH_NOT_FOUND, ENOENT },
        { ERROR_INVALID_DRIVE, ENOENT },
        { ERROR_BAD_NETPATH, ENOENT },
        { ERROR_BAD_NET_NAME, ENOENT },
        { ERROR_INVALID_NAME, ENOENT },
        { ERROR_BAD_PATHNAME, ENOENT },
        { ERROR_ACCESS_DENIED, EACCES },
        { ERROR_SHARING_VIOLATION, EACCES },
        { ERROR_PRIVILEGE_NOT_HELD, EPERM },
        { ERROR_FILE_EXISTS, EEXIST },
        { ERROR_ALREADY_EXISTS, EEXIST },
        { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
        { ERROR_OUTOFMEMORY, ENOMEM },
        { ERROR_LOCK_VIOLATION, EWOULDBLOCK },
        { ERROR_TOO_MANY_OPEN_FILES, EMFILE },
        { ERROR_DISK_FULL, ENOSPC },
        { ERROR_HANDLE_DISK_FULL, ENOSPC },
        { ERROR_DIRECTORY, ENOTDIR },
        { ERROR_DIR_NOT_EMPTY, ENOTEMPTY },
        { ERROR_BROKEN_PIPE, EPIPE },
        { ERROR_NO_DATA, EPIPE },
        { ERROR_CANT_RESOLVE_FILENAME, ELOOP },
        { ERROR_NOT_SUPPORTED, ENOSYS },
        { ERROR_CALL_NOT_IMPLEMENTED, ENOSYS },
};

int windows_errno(unsigned long error) {
        for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
                if (errors[i].error == error)
                        return errors[i].number;
        return EINVAL;
}

int windows_fail(void) {
        errno = windows_errno(GetLastError());
        return -1;
}

/* ---- texts ---- */

wchar_t *wide_text(const char *text, int length) {
        int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, length, NULL, 0);
        wchar_t *wide = count > 0 || length == 0 ? malloc(((size_t)count + 1) * sizeof(*wide)) : NULL;

        if (!wide) {
                errno = count > 0 ? ENOMEM : EILSEQ;
                return NULL;
        }
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, length, wide, count);
        wide[count] = 0;
        return wide;
}

/* Half a pair of surrogates, which Windows allows in names, becomes U+FFFD: such a name leads nowhere. */
char *wide_text_back(const wchar_t *text) {
        int count = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
        char *bytes = count > 0 ? malloc((size_t)count) : NULL;

        if (!bytes) {
                errno = ENOMEM;
                return NULL;
        }
        WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, count, NULL, NULL);
        return bytes;
}

/* ---- paths ---- */

static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_slash(char c) {
        return c == '/' || c == '\\';
}

/* Into the form of Windows, still UTF-8. */
static int path_native(const char *path, char *ret, size_t size) {
        int len;

        if (strcmp(path, "/dev/null") == 0)
                len = snprintf(ret, size, "NUL");
        else if (path[0] == '/' && is_letter(path[1]) && (path[2] == '/' || path[2] == 0))
                len = snprintf(ret, size, "%c:\\%s", path[1] & ~0x20, path[2] ? path + 3 : "");
        else if (path[0] == '/' && path[1] != '/')
                len = -1; /* there is no such root */
        else
                len = snprintf(ret, size, "%s", path);
        if (len < 0 || (size_t)len >= size) {
                errno = len < 0 ? ENOENT : ENAMETOOLONG;
                return -1;
        }
        for (char *c = ret; *c; c++)
                if (*c == '/')
                        *c = '\\';
        return 0;
}

int wide_path(const char *path, struct wide_path *ret) {
        char native[PATH_MAX];

        if (!*path) {
                errno = ENOENT;
                return -1;
        }
        if (path_native(path, native, sizeof(native)) < 0)
                return -1;
        if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, native, -1, ret->text, WIDE_PATH_MAX) == 0) {
                errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
                return -1;
        }
        return 0;
}

void path_to_posix(const char *path, char *ret, size_t size) {
        if (is_letter(path[0]) && path[1] == ':' && (is_slash(path[2]) || path[2] == 0))
                snprintf(ret, size, "/%c/%s", path[0] | 0x20, path[2] ? path + 3 : "");
        else
                snprintf(ret, size, "%s", path);
        for (char *c = ret; *c; c++)
                if (*c == '\\')
                        *c = '/';
        for (size_t len = strlen(ret); len > 1 && ret[len - 1] == '/'; len--)
                ret[len - 1] = 0;
}

/* \\?\C:\x, \\?\UNC\server\share */
int wide_path_back(const wchar_t *path, char *ret, size_t size) {
        char native[PATH_MAX];
        const char *rest = native;

        if (WideCharToMultiByte(CP_UTF8, 0, path, -1, native, sizeof(native), NULL, NULL) == 0 || strlen(native) + 2 > size) {
                errno = ENAMETOOLONG;
                return -1;
        }
        if (strncmp(native, "\\\\?\\UNC\\", 8) == 0) {
                native[6] = '\\';
                rest = native + 6;
        } else if (strncmp(native, "\\\\?\\", 4) == 0) {
                rest = native + 4;
        }
        path_to_posix(rest, ret, size);
        return 0;
}
