/*
 * Nothing is protected inside of a workspace: appcontainer.c refuses policies that ask for it where it can be written.
 */
#include "protect/survey.h"

int protect_survey(const char *workspace, const char *home, struct arena *arena, struct protection *ret, struct err *err) {
        (void)home;
        *ret = (struct protection){ .workspace = { .path = arena_dup(arena, str_z(workspace)), .directory = true } };
        return ret->workspace.path ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}
