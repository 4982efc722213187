#include "engine/stage_guards.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "policy/unasked.h"
#include "protect/survey.h"

static struct str first_names(const char *path, size_t length) {
        return str_take(str_z(path), length);
}

/* The path itself, or something in it. */
static bool is_within_nocase(const char *path, const char *protected) {
        size_t length = strlen(protected);

        return strlen(path) >= length && (!path[length] || path[length] == '/') &&
               str_eq_nocase(first_names(path, length), str_z(protected));
}

/* Where a name begins that is `name`; NULL: nowhere. */
static const char *find_name(const char *path, const char *name) {
        for (const char *at = path; at; at = strchr(at, '/')) {
                at += *at == '/';
                if (is_within_nocase(at, name))
                        return at;
        }
        return NULL;
}

/* Names that git gives a meaning, in a directory .git, or in one of a submodule or worktree in that. */
static bool is_in_git(const char *path) {
        const char *git = find_name(path, ".git"), *name;

        bool nested = git && git[4] && (is_within_nocase(git + 5, "modules") || is_within_nocase(git + 5, "worktrees"));

        if (!git || !git[4])
                return false;
        for (size_t i = 0; (name = protect_git_name(i)); i++)
                if (nested ? find_name(git + 5, name) != NULL : is_within_nocase(git + 5, name))
                        return true;
        return false;
}

/* As a file it leads to another directory. */
static bool is_git_itself(const char *path) {
        const char *slash = strrchr(path, '/');

        return str_eq_nocase(str_z(slash ? slash + 1 : path), STR(".git"));
}

const char *stage_guards(const char *path, bool directory) {
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE));)
                if (is_within_nocase(path, row->path))
                        return row->by;
        return is_in_git(path) || (!directory && is_git_itself(path)) ? "git" : NULL;
}
