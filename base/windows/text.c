/*
 * Functions on texts and times that the C library of Windows lacks.
 */
#include <fnmatch.h>

void *memmem(const void *text, size_t length, const void *part, size_t part_length) {
        const char *at = text, *first = part;

        if (part_length == 0)
                return (void *)text;
        while (length >= part_length) {
                const char *found = memchr(at, *first, length - part_length + 1);

                if (!found)
                        return NULL;
                if (memcmp(found, part, part_length) == 0)
                        return (void *)found;
                length -= (size_t)(found - at) + 1;
                at = found + 1;
        }
        return NULL;
}

void *memrchr(const void *text, int byte, size_t length) {
        const unsigned char *bytes = text;

        while (length-- > 0)
                if (bytes[length] == (unsigned char)byte)
                        return (void *)(bytes + length);
        return NULL;
}

char *strchrnul(const char *text, int byte) {
        while (*text && *text != (char)byte)
                text++;
        return (char *)text;
}

void *reallocarray(void *memory, size_t count, size_t size) {
        size_t bytes;

        if (__builtin_mul_overflow(count, size, &bytes)) {
                errno = ENOMEM;
                return NULL;
        }
        return realloc(memory, bytes);
}

time_t timegm(struct tm *time) {
        return _mkgmtime(time);
}

struct tm *gmtime_r(const time_t *time, struct tm *ret) {
        return gmtime_s(ret, time) == 0 ? ret : NULL;
}

int fnmatch(const char *pattern, const char *text, int flags) {
        const char *star = NULL, *mark = NULL;

        (void)flags;
        while (*text) {
                if (*pattern == '*') {
                        star = pattern++;
                        mark = text;
                } else if (*pattern == '?' || *pattern == *text) {
                        pattern++;
                        text++;
                } else if (star) {
                        pattern = star + 1;
                        text = ++mark;
                } else {
                        return 1;
                }
        }
        while (*pattern == '*')
                pattern++;
        return *pattern != 0;
}
