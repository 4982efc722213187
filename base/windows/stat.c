/*
 * stat() and its kin. Who owns a file and who else may write it are told as far as somebody here asks: is it the user's own,
 * the system's, or somebody else's, and may users at large write it.
 */
#include <aclapi.h>
#include <windows.h>

#include "base/windows/wide.h"

enum { NOBODY = 65534, SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, SID_SIZE = 68 };

#define WRITE_RIGHTS                                                                                                 \
        (GENERIC_WRITE | GENERIC_ALL | FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC | \
         WRITE_OWNER)

/* ---- owners ---- */

static bool is_one_of(PSID sid, const WELL_KNOWN_SID_TYPE *types, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (IsWellKnownSid(sid, types[i]))
                        return true;
        return false;
}

static bool is_ours(PSID sid) {
        union {
                TOKEN_USER user;
                char room[sizeof(TOKEN_USER) + SID_SIZE];
        } info;
        HANDLE token;
        DWORD size;
        bool same;

        if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
                return false;
        same = GetTokenInformation(token, TokenUser, &info, sizeof(info), &size) && EqualSid(sid, info.user.User.Sid);
        CloseHandle(token);
        return same;
}

static uid_t owner_of(PSID sid) {
        static const WELL_KNOWN_SID_TYPE system[] = { WinLocalSystemSid, WinBuiltinAdministratorsSid };

        if (!sid)
                return NOBODY;
        if (is_one_of(sid, system, sizeof(system) / sizeof(*system)))
                return 0;
        return is_ours(sid) ? WINDOWS_UID : NOBODY;
}

/* A file without a list is everybody's. */
static bool others_write(PACL list) {
        static const WELL_KNOWN_SID_TYPE others[] = { WinWorldSid, WinBuiltinUsersSid, WinAuthenticatedUserSid,
                                                      WinBuiltinGuestsSid, WinAnonymousSid };

        for (DWORD i = 0; list && i < list->AceCount; i++) {
                ACCESS_ALLOWED_ACE *ace;

                if (GetAce(list, i, (void **)&ace) && ace->Header.AceType == ACCESS_ALLOWED_ACE_TYPE &&
                    !(ace->Header.AceFlags & INHERIT_ONLY_ACE) && ace->Mask & WRITE_RIGHTS &&
                    is_one_of(&ace->SidStart, others, sizeof(others) / sizeof(*others)))
                        return true;
        }
        return !list;
}

/* What cannot be told belongs to nobody. */
static void fill_owner(HANDLE handle, struct windows_stat *st) {
        PSECURITY_DESCRIPTOR descriptor = NULL;
        PSID owner = NULL;
        PACL list = NULL;

        st->st_uid = NOBODY;
        if (GetSecurityInfo(handle, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, NULL, &list,
                            NULL, &descriptor) != ERROR_SUCCESS)
                return;
        st->st_uid = owner_of(owner);
        if (others_write(list))
                st->st_mode |= S_IWOTH;
        LocalFree(descriptor);
}

/* ---- the rest ---- */

static unsigned mode_of(DWORD attributes) {
        if (attributes & FILE_ATTRIBUTE_REPARSE_POINT)
                return S_IFLNK | 0700;
        if (attributes & FILE_ATTRIBUTE_DIRECTORY)
                return S_IFDIR | 0700;
        return S_IFREG | (attributes & FILE_ATTRIBUTE_READONLY ? 0400 : 0600);
}

static int64_t seconds_of(FILETIME time) {
        int64_t ticks = (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);

        return ticks / 10000000 - INT64_C(11644473600); /* tenths of microseconds since 1601 */
}

static int fill(HANDLE handle, bool link, struct windows_stat *ret) {
        BY_HANDLE_FILE_INFORMATION info;

        if (!GetFileInformationByHandle(handle, &info))
                return windows_fail();
        if (!link)
                info.dwFileAttributes &= ~(DWORD)FILE_ATTRIBUTE_REPARSE_POINT; /* it was followed */
        *ret = (struct windows_stat){
                .st_dev = info.dwVolumeSerialNumber,
                .st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
                .st_mode = mode_of(info.dwFileAttributes),
                .st_nlink = info.nNumberOfLinks,
                .st_uid = WINDOWS_UID,
                .st_size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow),
                .st_mtime = seconds_of(info.ftLastWriteTime),
        };
        return 0;
}

static int stat_wide(const wchar_t *path, bool follow, struct windows_stat *ret) {
        HANDLE handle = CreateFileW(path, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT), NULL);
        int result;

        if (handle == INVALID_HANDLE_VALUE)
                return windows_fail();
        result = fill(handle, !follow, ret);
        CloseHandle(handle);
        return result;
}

int windows_stat(const char *path, struct windows_stat *ret) {
        struct wide_path wide;

        return wide_path(path, &wide) < 0 ? -1 : stat_wide(wide.text, true, ret);
}

int windows_lstat(const char *path, struct windows_stat *ret) {
        struct wide_path wide;

        return wide_path(path, &wide) < 0 ? -1 : stat_wide(wide.text, false, ret);
}

int windows_fstat(int fd, struct windows_stat *ret) {
        HANDLE handle = (HANDLE)_get_osfhandle(fd);

        if (GetFileType(handle) != FILE_TYPE_DISK) {
                *ret = (struct windows_stat){ .st_mode = S_IFCHR | 0600, .st_uid = WINDOWS_UID };
                return handle == INVALID_HANDLE_VALUE ? -1 : 0;
        }
        if (fill(handle, false, ret) < 0)
                return -1;
        fill_owner(handle, ret);
        return 0;
}

int windows_fstatat(int directory, const char *name, struct windows_stat *ret, int flags) {
        int fd = windows_openat(directory, name, O_RDONLY | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0)), result;

        if (fd < 0 && errno == ELOOP && flags & AT_SYMLINK_NOFOLLOW) {
                *ret = (struct windows_stat){ .st_mode = S_IFLNK | 0700, .st_uid = NOBODY };
                return 0;
        }
        if (fd < 0)
                return -1;
        result = windows_fstat(fd, ret);
        windows_close(fd);
        return result;
}
