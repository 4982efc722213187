/*
 * The syntax of git's config files, as git reads it; what the keys mean is the caller's business. Includes are keys like
 * any other here.
 */
#ifndef BAILEY_PROTECT_GIT_CONFIG_H
#define BAILEY_PROTECT_GIT_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct git_setting {
        struct str section, name; /* in lower case */
        struct str subsection;    /* as written, in [section.sub] in lower case; empty when there is none */
        struct str value;         /* NUL-terminated; empty for a bare key */
};

typedef int git_setting_fn(void *context, const struct git_setting *setting, struct err *err);

/* Shows each setting in the order of the file, and stops where the callback fails. 1: the syntax is wrong from somewhere on,
 * and git would refuse the file. */
int git_config_read(struct str text, struct arena *arena, git_setting_fn *show, void *context, struct err *err);

#endif
