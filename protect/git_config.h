/*
 * The syntax of git's config files, as git reads it; the caller interprets the keys. Includes are ordinary keys
 * here.
 */
#ifndef BAILEY_PROTECT_GIT_CONFIG_H
#define BAILEY_PROTECT_GIT_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct git_setting {
        struct str section, name; /* in lower case */
        struct str subsection;    /* as written, in [section.sub] in lower case; empty: none */
        struct str value;         /* NUL-terminated; empty for a bare key */
};

typedef int git_setting_fn(void *context, const struct git_setting *setting, struct err *err);

/* Calls back for each setting in the order of the file, and stops if the callback fails. Returns 1 if the file has a syntax
 * error, so that git would refuse it. */
int git_config_read(struct str text, struct arena *arena, git_setting_fn *show, void *context, struct err *err);

#endif
