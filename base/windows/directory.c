/*
 * What is in a directory.
 */
#include <windows.h>

#include "base/windows/wide.h"

struct windows_directory {
        HANDLE find;
        WIN32_FIND_DATAW next;
        bool more;
        struct windows_entry entry;
};

struct windows_directory *windows_opendir(const char *path) {
        struct windows_directory *directory = calloc(1, sizeof(*directory));
        struct wide_path wide;
        size_t len;

        if (!directory || wide_path(path, &wide) < 0)
                goto fail;
        len = wcslen(wide.text);
        if (len + 3 > WIDE_PATH_MAX) {
                errno = ENAMETOOLONG;
                goto fail;
        }
        wmemcpy(wide.text + len, L"\\*", 3);
        directory->find = FindFirstFileW(wide.text, &directory->next);
        if (directory->find == INVALID_HANDLE_VALUE) {
                windows_fail();
                goto fail;
        }
        directory->more = true;
        return directory;
fail:
        free(directory);
        return NULL;
}

struct windows_entry *windows_readdir(struct windows_directory *directory) {
        if (!directory->more)
                return NULL;
        if (WideCharToMultiByte(CP_UTF8, 0, directory->next.cFileName, -1, directory->entry.d_name,
                                sizeof(directory->entry.d_name), NULL, NULL) == 0)
                directory->entry.d_name[0] = 0;
        directory->more = FindNextFileW(directory->find, &directory->next);
        return &directory->entry;
}

int windows_closedir(struct windows_directory *directory) {
        FindClose(directory->find);
        free(directory);
        return 0;
}

int alphasort(const struct windows_entry **a, const struct windows_entry **b) {
        return strcmp((*a)->d_name, (*b)->d_name);
}

static int add(struct windows_entry ***list, size_t *count, const struct windows_entry *entry) {
        struct windows_entry **longer = realloc(*list, (*count + 1) * sizeof(**list)), *copy = malloc(sizeof(*copy));

        if (longer)
                *list = longer;
        if (!longer || !copy) {
                free(copy);
                return -1;
        }
        *copy = *entry;
        longer[(*count)++] = copy;
        return 0;
}

/* `path` is "."; nobody asks for another one. */
int scandirat(int directory, const char *path, struct windows_entry ***ret, int (*wanted)(const struct windows_entry *entry),
              int (*compare)(const struct windows_entry **a, const struct windows_entry **b)) {
        struct windows_entry **list = NULL, *entry;
        struct windows_directory *entries;
        struct wide_path wide;
        size_t count = 0;
        char name[PATH_MAX];
        bool whole = true;
        DWORD len = GetFinalPathNameByHandleW((HANDLE)_get_osfhandle(directory), wide.text, WIDE_PATH_MAX, 0);

        (void)path;
        if (len == 0 || len >= WIDE_PATH_MAX)
                return windows_fail();
        if (wide_path_back(wide.text, name, sizeof(name)) < 0 || !(entries = windows_opendir(name)))
                return -1;
        while (whole && (entry = windows_readdir(entries)))
                whole = !wanted(entry) || add(&list, &count, entry) == 0;
        windows_closedir(entries);
        if (!whole) {
                while (count > 0)
                        free(list[--count]);
                free(list);
                errno = ENOMEM;
                return -1;
        }
        if (count)
                qsort(list, count, sizeof(*list), (int (*)(const void *, const void *))compare);
        *ret = list;
        return (int)count;
}
