#include "launch/warm/preload/shell_report.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- what bash exports: variables.h ---- */

/* The same since bash 2.0. */
struct shell_variable {
        char *name, *value;
        char *exported;
        void (*dynamic)(void), (*assign)(void);
        int attributes;
        int context;
};

enum { NO_TEXT = 0x4 | 0x8 | 0x40 | 0x800 }; /* arrays, functions, associative arrays, references: never exported as they are */

#define OF_BASH extern __attribute__((weak, visibility("default")))

OF_BASH struct shell_variable **all_exported_variables(void);
OF_BASH void *shell_variables;
OF_BASH void *global_variables;
OF_BASH char *dist_version;

enum { LIST_SPACE = 64 << 10 };

/* Bash ends when it has no memory for the list, which must not come from here. */
static bool has_memory(void) {
        void *space = malloc(LIST_SPACE);

        free(space);
        return space != NULL;
}

static bool is_known_bash(void) {
        return all_exported_variables && &shell_variables && &global_variables && &dist_version && dist_version &&
               (dist_version[0] == '4' || dist_version[0] == '5') && dist_version[1] == '.';
}

/* Without those of functions and of single commands, `A=1 make`, which end with these. */
static struct shell_variable **list_variables(void) {
        void *scope = shell_variables;
        struct shell_variable **list;

        shell_variables = global_variables;
        list = all_exported_variables();
        shell_variables = scope;
        return list;
}

/* ---- the report ---- */

static struct {
        struct state_page *page;
        const char *const *envp; /* at the beginning */
        pid_t pid;               /* the children of the shell have this, too */
} report;

static bool fits(size_t used, size_t more) {
        return more <= STATE_TEXT_MAX - used;
}

static size_t put(size_t used, enum state_text kind, const char *name, size_t name_len, const char *value) {
        size_t value_len = value ? strlen(value) : 0;
        char *at = report.page->text + used;

        if (!fits(used, 1 + name_len + 1 + value_len + 1))
                return used;
        *at++ = (char)kind;
        memcpy(at, name, name_len);
        at += name_len;
        if (value) {
                *at++ = '=';
                memcpy(at, value, value_len);
                at += value_len;
        }
        *at++ = 0;
        return (size_t)(at - report.page->text);
}

static size_t put_directory(void) {
        char path[PATH_MAX];

        if (syscall(SYS_getcwd, path, sizeof(path)) < 0 || path[0] != '/')
                return put(0, STATE_REMOVED, "", 0, NULL);
        return put(0, STATE_DIRECTORY, path + 1, strlen(path + 1), NULL);
}

static const char *value_before(const char *name, size_t len) {
        for (const char *const *variable = report.envp; *variable; variable++)
                if (strncmp(*variable, name, len) == 0 && (*variable)[len] == '=')
                        return *variable + len + 1;
        return NULL;
}

static bool has_text(const struct shell_variable *variable) {
        return variable->value && !(variable->attributes & NO_TEXT);
}

static size_t put_set(size_t used, struct shell_variable *const *list) {
        for (; *list; list++) {
                size_t len = strlen((*list)->name), before = used;
                const char *old = value_before((*list)->name, len);

                if (!has_text(*list) || (old && strcmp(old, (*list)->value) == 0))
                        continue;
                used = put(used, STATE_SET, (*list)->name, len, (*list)->value);
                if (used == before)
                        used = put(used, STATE_LONG, (*list)->name, len, NULL);
        }
        return used;
}

/* What bash does not take for a variable, it hands on as it is. */
static bool is_name(const char *text, size_t len) {
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

        return len && !(text[0] >= '0' && text[0] <= '9') && strspn(text, letters) == len;
}

static size_t put_unset(size_t used, struct shell_variable *const *list) {
        for (const char *const *variable = report.envp; *variable; variable++) {
                size_t len = strcspn(*variable, "=");
                struct shell_variable *const *at = list;

                while (*at && !(has_text(*at) && strncmp((*at)->name, *variable, len) == 0 && !(*at)->name[len]))
                        at++;
                if (!*at && is_name(*variable, len))
                        used = put(used, STATE_UNSET, *variable, len, NULL);
        }
        return used;
}

static void write_report(void) {
        struct shell_variable *const none = NULL;
        struct shell_variable **list;
        int before = errno;
        size_t used;

        if (!report.page || getpid() != report.pid || !has_memory())
                return;
        report.page->length = 0;
        used = put_directory();
        list = list_variables();
        used = put_unset(put_set(used, list ? list : &none), list ? list : &none);
        free(list);
        report.page->length = (uint32_t)used;
        errno = before;
}

__attribute__((destructor)) static void at_exit(void) {
        write_report();
}

/* Of bash, which calls this one. What the shell is not any more has nothing to report, so it is done before. */
__attribute__((visibility("default"))) int execve(const char *path, char *const argv[], char *const envp[]) {
        write_report();
        return (int)syscall(SYS_execve, path, argv, envp);
}

void shell_report_begin(struct state_page *page, const char *const *envp) {
        if (!is_known_bash())
                return;
        report.envp = envp;
        report.pid = getpid();
        report.page = page;
}
