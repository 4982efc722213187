/*
 * Files by POSIX's functions. Each can be renamed and removed while it is open, as elsewhere.
 */
#include <stdarg.h>
#include <windows.h>

#include "base/windows/wide.h"
#include <sys/file.h>
#include <sys/random.h>
#include <sys/uio.h>

enum { SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, LOCKED_DIRECTORIES = 16 };

static HANDLE handle_of(int fd) {
        return (HANDLE)_get_osfhandle(fd);
}

static bool is_directory(int fd) {
        BY_HANDLE_FILE_INFORMATION info;

        return GetFileInformationByHandle(handle_of(fd), &info) && info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
}

/* ---- opening ---- */

static DWORD access_of(int flags) {
        switch (flags & (O_RDONLY | O_WRONLY | O_RDWR)) {
        case O_WRONLY:
                return GENERIC_WRITE;
        case O_RDWR:
                return GENERIC_READ | GENERIC_WRITE;
        default:
                return GENERIC_READ;
        }
}

static DWORD creation_of(int flags) {
        if (flags & O_CREAT && flags & O_EXCL)
                return CREATE_NEW;
        if (flags & O_CREAT)
                return OPEN_ALWAYS;
        return OPEN_EXISTING;
}

/* What is open now, a link or a directory, may not be what was asked for. */
static int check_kind(HANDLE handle, int flags) {
        BY_HANDLE_FILE_INFORMATION info;

        if (GetFileType(handle) != FILE_TYPE_DISK) /* NUL */
                return 0;
        if (!GetFileInformationByHandle(handle, &info))
                return windows_fail();
        if (flags & O_NOFOLLOW && info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) {
                errno = ELOOP;
                return -1;
        }
        if (flags & O_DIRECTORY && !(info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)) {
                errno = ENOTDIR;
                return -1;
        }
        if (access_of(flags) & GENERIC_WRITE && info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) {
                errno = EISDIR;
                return -1;
        }
        return 0;
}

/* Not inherited by any child. */
static int open_wide(const wchar_t *path, int flags) {
        HANDLE handle = CreateFileW(path, access_of(flags), SHARE_ALL, NULL, creation_of(flags),
                                    FILE_FLAG_BACKUP_SEMANTICS | (flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0), NULL);
        int fd;

        if (handle == INVALID_HANDLE_VALUE)
                return windows_fail();
        if (check_kind(handle, flags) < 0 || (flags & O_TRUNC && !SetEndOfFile(handle) && windows_fail() < 0)) {
                int saved = errno;

                CloseHandle(handle);
                errno = saved;
                return -1;
        }
        fd = _open_osfhandle((intptr_t)handle, (flags & O_APPEND) | O_BINARY | O_NOINHERIT);
        if (fd < 0)
                CloseHandle(handle);
        return fd;
}

int windows_open(const char *path, int flags, ...) {
        struct wide_path wide;

        return wide_path(path, &wide) < 0 ? -1 : open_wide(wide.text, flags);
}

/* The path of a name in an open directory. */
static int path_at(int directory, const char *name, struct wide_path *ret) {
        struct wide_path rest;
        DWORD len;

        if (directory == AT_FDCWD || name[0] == '/')
                return wide_path(name, ret);
        len = GetFinalPathNameByHandleW(handle_of(directory), ret->text, WIDE_PATH_MAX, 0);
        if (len == 0)
                return windows_fail();
        if (wide_path(name, &rest) < 0)
                return -1;
        if (len + 1 + wcslen(rest.text) >= WIDE_PATH_MAX) {
                errno = ENAMETOOLONG;
                return -1;
        }
        ret->text[len] = L'\\';
        wmemcpy(ret->text + len + 1, rest.text, wcslen(rest.text) + 1);
        return 0;
}

int windows_openat(int directory, const char *name, int flags, ...) {
        struct wide_path wide;

        return path_at(directory, name, &wide) < 0 ? -1 : open_wide(wide.text, flags);
}

/* ---- locks ---- */

/* No file is that long, and so nobody is kept from reading or writing one. */
static const OVERLAPPED lock_place = { .OffsetHigh = 0x7fffffff };

static struct {
        int fd;
        HANDLE file;
} locked_directories[LOCKED_DIRECTORIES];

static int lock_handle(HANDLE handle, int how) {
        OVERLAPPED place = lock_place;
        DWORD flags = (how & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0) | (how & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0);

        UnlockFileEx(handle, 0, 1, 0, &place); /* one lock at a time, as with flock() */
        if (how & LOCK_UN || LockFileEx(handle, flags, 0, 1, 0, &place))
                return 0;
        windows_fail();
        if (GetLastError() == ERROR_IO_PENDING)
                errno = EWOULDBLOCK;
        return -1;
}

/* A directory has no bytes to lock; a file in it has. It stays. */
static int lock_directory(int fd, int how) {
        struct wide_path path;
        HANDLE file;
        size_t i = 0;

        while (i < LOCKED_DIRECTORIES && locked_directories[i].file)
                i++;
        if (i == LOCKED_DIRECTORIES) {
                errno = ENOLCK;
                return -1;
        }
        if (path_at(fd, ".lock", &path) < 0)
                return -1;
        file = CreateFileW(path.text, GENERIC_READ | GENERIC_WRITE, SHARE_ALL, NULL, OPEN_ALWAYS, FILE_ATTRIBUTE_HIDDEN, NULL);
        if (file == INVALID_HANDLE_VALUE)
                return windows_fail();
        if (lock_handle(file, how) < 0) {
                CloseHandle(file);
                return -1;
        }
        locked_directories[i].fd = fd;
        locked_directories[i].file = file;
        return 0;
}

static void unlock_directory(int fd) {
        for (size_t i = 0; i < LOCKED_DIRECTORIES; i++)
                if (locked_directories[i].file && locked_directories[i].fd == fd) {
                        CloseHandle(locked_directories[i].file);
                        locked_directories[i].file = NULL;
                }
}

int flock(int fd, int how) {
        if (!is_directory(fd))
                return lock_handle(handle_of(fd), how);
        unlock_directory(fd);
        return how & LOCK_UN ? 0 : lock_directory(fd, how);
}

int windows_close(int fd) {
        unlock_directory(fd);
        return _close(fd);
}

/* ---- what is done to names ---- */

int windows_access(const char *path, int mode) {
        struct wide_path wide;
        DWORD attributes;

        if (wide_path(path, &wide) < 0)
                return -1;
        attributes = GetFileAttributesW(wide.text);
        if (attributes == INVALID_FILE_ATTRIBUTES)
                return windows_fail();
        if (mode & W_OK && attributes & FILE_ATTRIBUTE_READONLY) {
                errno = EACCES;
                return -1;
        }
        return 0;
}

/* Who may do what with it comes from the directory that it is in. A drive is there already. */
int windows_mkdir(const char *path, unsigned mode) {
        struct wide_path wide;

        (void)mode;
        if (wide_path(path, &wide) < 0)
                return -1;
        if (CreateDirectoryW(wide.text, NULL))
                return 0;
        windows_fail();
        if (GetFileAttributesW(wide.text) != INVALID_FILE_ATTRIBUTES)
                errno = EEXIST;
        return -1;
}

static int rename_wide(const struct wide_path *from, const struct wide_path *to) {
        return MoveFileExW(from->text, to->text, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0 : windows_fail();
}

int windows_rename(const char *from, const char *to) {
        return windows_renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int windows_renameat(int from_directory, const char *from, int to_directory, const char *to) {
        struct wide_path a, b;

        return path_at(from_directory, from, &a) < 0 || path_at(to_directory, to, &b) < 0 ? -1 : rename_wide(&a, &b);
}

int windows_unlink(const char *path) {
        return windows_unlinkat(AT_FDCWD, path, 0);
}

int windows_unlinkat(int directory, const char *name, int flags) {
        struct wide_path path;

        (void)flags;
        if (path_at(directory, name, &path) < 0)
                return -1;
        return DeleteFileW(path.text) ? 0 : windows_fail();
}

/* ---- what is done to content ---- */

int windows_fsync(int fd) {
        return is_directory(fd) || FlushFileBuffers(handle_of(fd)) ? 0 : windows_fail();
}

int windows_ftruncate(int fd, int64_t size) {
        FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = size };

        return SetFileInformationByHandle(handle_of(fd), FileEndOfFileInfo, &end, sizeof(end)) ? 0 : windows_fail();
}

/* To now, whatever the times are: nobody asks for anything else. */
int windows_futimens(int fd, const struct timespec times[2]) {
        FILETIME now;

        (void)times;
        GetSystemTimeAsFileTime(&now);
        return SetFileTime(handle_of(fd), NULL, &now, &now) ? 0 : windows_fail();
}

ssize_t windows_pread(int fd, void *bytes, size_t count, int64_t offset) {
        OVERLAPPED place = { .Offset = (DWORD)offset, .OffsetHigh = (DWORD)((uint64_t)offset >> 32) };
        DWORD got = 0;

        if (ReadFile(handle_of(fd), bytes, (DWORD)(count < 1 << 30 ? count : 1 << 30), &got, &place))
                return (ssize_t)got;
        return GetLastError() == ERROR_HANDLE_EOF ? 0 : windows_fail();
}

ssize_t readv(int fd, const struct iovec *places, int count) {
        for (int i = 0; i < count; i++)
                if (places[i].iov_len)
                        return read(fd, places[i].iov_base,
                                    (unsigned)(places[i].iov_len < 1 << 30 ? places[i].iov_len : 1 << 30));
        return 0;
}

/* ---- places ---- */

char *windows_realpath(const char *path, char *resolved) {
        struct wide_path wide, real;
        HANDLE handle;
        DWORD len;

        if (wide_path(path, &wide) < 0)
                return NULL;
        handle = CreateFileW(wide.text, 0, SHARE_ALL, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
        if (handle == INVALID_HANDLE_VALUE) {
                windows_fail();
                return NULL;
        }
        len = GetFinalPathNameByHandleW(handle, real.text, WIDE_PATH_MAX, 0);
        if (len == 0 || len >= WIDE_PATH_MAX)
                windows_fail();
        CloseHandle(handle);
        return len && len < WIDE_PATH_MAX && wide_path_back(real.text, resolved, PATH_MAX) == 0 ? resolved : NULL;
}

char *windows_getcwd(char *path, size_t size) {
        struct wide_path wide;
        DWORD len = GetCurrentDirectoryW(WIDE_PATH_MAX, wide.text);

        if (len == 0 || len >= WIDE_PATH_MAX) {
                windows_fail();
                return NULL;
        }
        if (!path) {
                path = malloc(PATH_MAX);
                size = PATH_MAX;
        }
        return !path || wide_path_back(wide.text, path, size) < 0 ? NULL : path;
}

/* What a link says is of no use here: windows_realpath() says where it leads. */
ssize_t windows_readlink(const char *path, char *text, size_t size) {
        (void)path;
        (void)text;
        (void)size;
        errno = ENOSYS;
        return -1;
}

/* The last six bytes of the path become something that nobody can guess. */
int windows_mkostemp(char *path, int flags) {
        static const char letters[] = "0123456789abcdefghijklmnopqrstuv";
        unsigned char random[6];

        if (strlen(path) < sizeof(random) || getrandom(random, sizeof(random), 0) != sizeof(random))
                return -1;
        for (size_t i = 0; i < sizeof(random); i++)
                path[strlen(path) - sizeof(random) + i] = letters[random[i] % 32];
        return windows_open(path, O_RDWR | O_CREAT | O_EXCL | flags);
}
