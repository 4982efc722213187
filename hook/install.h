/*
 * bailey in the settings of an agent: put in, taken out, looked for.
 */
#ifndef BAILEY_HOOK_INSTALL_H
#define BAILEY_HOOK_INSTALL_H

#include "hook/agent.h"
#include "hook/hook.h"

struct hook_install {
        const char *agent;
        bool project;                /* its settings in the present directory; else the user's */
        bool dry_run;                /* only say what would change */
        struct hook_options options; /* of the hook; its agent does not matter */
};

/* What was done is said, a line each. Returns 1 when something changed, or would, 0 when all is as it should be. */
int hook_install(const struct hook_install *install, struct buf *said, struct err *err);
int hook_uninstall(const struct hook_install *install, struct buf *said, struct err *err);

/* The same with the text of a settings file: put in with these options, or taken out when they are NULL. */
int hook_change_text(const struct hook_agent *agent, const struct hook_options *options, struct str text, struct buf *ret,
                     struct err *err);

/* Where bailey is, and where not: for people, or as JSON. */
int hook_list(const char *const *environment, bool json, struct buf *out, struct err *err);

#endif
