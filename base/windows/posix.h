/*
 * What the rest of this program takes for granted of POSIX, where Windows has it under another name or not at all. The build
 * for Windows puts it in front of every file, so that these need no #ifdef.
 *
 * Paths are those of a POSIX shell on Windows: /c/Users/me is C:\Users\me, //server/share a share. All functions here take
 * both forms, as UTF-8, and hand out the first; a path like /etc leads nowhere.
 */
#ifndef BAILEY_BASE_WINDOWS_POSIX_H
#define BAILEY_BASE_WINDOWS_POSIX_H

/* First, for the names below are macros. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <locale.h>
#include <process.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

typedef unsigned uid_t;
typedef unsigned gid_t;
typedef unsigned long long windows_ino_t;
typedef unsigned long long sigset_t;
#define ino_t windows_ino_t

#undef PATH_MAX
#define PATH_MAX 4096
#define NAME_MAX 255

/* ---- numbers that Windows has none for; those of flags are ours alone ---- */

enum {
        SIGHUP = 1,
        SIGQUIT = 3,
        SIGKILL = 9,
        SIGPIPE = 13,
        SIGXCPU = 24,
        SIGXFSZ = 25,
        SIGSYS = 31,
};

#define O_CLOEXEC 0x01000000
#define O_DIRECTORY 0x02000000
#define O_NOFOLLOW 0x04000000
#define O_NONBLOCK 0x08000000
#define O_NOCTTY 0
#define O_PATH 0

#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 0x100

#define S_IFLNK 0xA000
#define S_IFSOCK 0xC000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)
#define S_ISSOCK(mode) (((mode)&S_IFMT) == S_IFSOCK)
#undef S_IWGRP
#undef S_IWOTH
#define S_IWGRP 0020
#define S_IWOTH 0002
#define UTIME_NOW (-1L)

/* ---- the user ---- */

enum { WINDOWS_UID = 1000 }; /* whoever runs this; 0 is the system and its administrators, all others are one */

static inline uid_t geteuid(void) {
        return WINDOWS_UID;
}

/* ---- files ---- */

/* `st_mode` has the bit of S_IWOTH when users at large may write; only of an open file. */
struct windows_stat {
        uint32_t st_dev;
        uint64_t st_ino;
        unsigned st_mode, st_nlink;
        uid_t st_uid;
        int64_t st_size, st_mtime;
};

int windows_stat(const char *path, struct windows_stat *ret);
int windows_lstat(const char *path, struct windows_stat *ret);
int windows_fstat(int fd, struct windows_stat *ret);
int windows_fstatat(int directory, const char *name, struct windows_stat *ret, int flags);
int windows_open(const char *path, int flags, ...);
int windows_openat(int directory, const char *name, int flags, ...);
int windows_close(int fd);
int windows_access(const char *path, int mode);
int windows_mkdir(const char *path, unsigned mode);
int windows_rename(const char *from, const char *to);
int windows_renameat(int from_directory, const char *from, int to_directory, const char *to);
int windows_unlink(const char *path);
int windows_unlinkat(int directory, const char *name, int flags);
int windows_fsync(int fd);
int windows_ftruncate(int fd, int64_t size);
int windows_futimens(int fd, const struct timespec times[2]);
ssize_t windows_pread(int fd, void *bytes, size_t count, int64_t offset);
char *windows_realpath(const char *path, char *resolved);
char *windows_getcwd(char *path, size_t size);
struct windows_directory *windows_opendir(const char *path);
struct windows_entry *windows_readdir(struct windows_directory *directory);
int windows_closedir(struct windows_directory *directory);
ssize_t windows_readlink(const char *path, char *text, size_t size);
int windows_mkostemp(char *path, int flags);

struct windows_entry {
        char d_name[1024];
};

#include <dirent.h>
#undef stat
#undef fstat
#undef open
#undef ftruncate
#define stat windows_stat
#define lstat windows_lstat
#define fstat windows_fstat
#define fstatat windows_fstatat
#define open windows_open
#define openat windows_openat
#define close windows_close
#define access windows_access
#define mkdir windows_mkdir
#define rename windows_rename
#define renameat windows_renameat
#define unlink windows_unlink
#define unlinkat windows_unlinkat
#define fsync windows_fsync
#define ftruncate windows_ftruncate
#define futimens windows_futimens
#define pread windows_pread
#define realpath windows_realpath
#define getcwd windows_getcwd
#define DIR struct windows_directory
#define dirent windows_entry
#define opendir windows_opendir
#define readdir windows_readdir
#define closedir windows_closedir
#define readlink windows_readlink
#define mkostemp windows_mkostemp

int scandirat(int directory, const char *path, struct windows_entry ***ret, int (*wanted)(const struct windows_entry *entry),
              int (*compare)(const struct windows_entry **a, const struct windows_entry **b));
int alphasort(const struct windows_entry **a, const struct windows_entry **b);

#define tell windows_tell /* which is not used, and is a name of ours */

/* ---- the program ---- */

extern char **windows_environ; /* UTF-8; see base/program.h */
#undef environ
#define environ windows_environ

/* ---- texts and times ---- */

void *memmem(const void *text, size_t length, const void *part, size_t part_length);
void *memrchr(const void *text, int byte, size_t length);
char *strchrnul(const char *text, int byte);
void *reallocarray(void *memory, size_t count, size_t size);
time_t timegm(struct tm *time);
struct tm *gmtime_r(const time_t *time, struct tm *ret);

static inline const char *strerrordesc_np(int number) {
        return strerror(number);
}

typedef _locale_t locale_t;
#define LC_ALL_MASK LC_ALL
#define strtod_l _strtod_l

static inline locale_t newlocale(int category, const char *name, locale_t base) {
        (void)base;
        return _create_locale(category, name);
}

static inline void freelocale(locale_t locale) {
        _free_locale(locale);
}

#endif
