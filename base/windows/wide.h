/*
 * Texts and paths on their way to Windows and back. For the files of this system only.
 */
#ifndef BAILEY_BASE_WINDOWS_WIDE_H
#define BAILEY_BASE_WINDOWS_WIDE_H

#include <wchar.h>

enum { WIDE_PATH_MAX = PATH_MAX };

struct wide_path {
        wchar_t text[WIDE_PATH_MAX];
};

/* A path of ours as Windows writes it: C:\Users\me. -1 with errno when it leads nowhere there. */
int wide_path(const char *path, struct wide_path *ret);

/* And back: /c/Users/me. -1 with errno when it does not fit. */
int wide_path_back(const wchar_t *path, char *ret, size_t size);

/* C:\Users\me, C:/Users/me -> /c/Users/me; any other path stays what it is, with slashes. `ret` has room for as many bytes. */
void path_to_posix(const char *path, char *ret, size_t size);

/* malloc()ed; NULL with errno. `length` -1: up to the NUL. Bytes that are not UTF-8 are an error. */
wchar_t *wide_text(const char *text, int length);
char *wide_text_back(const wchar_t *text);

/* What went wrong, as an errno. */
int windows_errno(unsigned long error);

/* Sets errno, and is -1. */
int windows_fail(void);

#endif
