/*
 * The settings file of an agent: found, read, and replaced as a whole or not at all.
 */
#ifndef BAILEY_HOOK_SETTINGS_H
#define BAILEY_HOOK_SETTINGS_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json5_edit.h"
#include "hook/agent.h"

struct settings {
        char *path; /* as a user would name it */
        char *real; /* behind links; NULL: there is no file */
        bool link;  /* the file itself is one */
        struct buf text;
        struct stat status; /* when it was read */
        int lock;           /* of its directory; -1: none */
};

/* The user's, or that of the project in the present directory. */
int settings_open(const struct hook_agent *agent, bool project, const char *const *environment, struct settings *ret,
                  struct err *err);
void settings_free(struct settings *settings);

/* What the text of such a file says; the root is an object. It stays in use. */
int settings_parse(const struct hook_agent *agent, struct str text, struct arena *arena, struct json5_file *ret,
                   struct err *err);

/* Does a setting of the agent switch all hooks off? */
bool settings_hooks_off(const struct tree_node *root, const struct hook_agent *agent);

/* Before a change: makes the directory, and keeps others of us out. The file has to be read again. */
int settings_lock(struct settings *settings, struct err *err);

/* Keeps the old text as FILE.bailey-backup, its owner and mode. A link stays one. */
int settings_replace(struct settings *settings, struct str text, struct err *err);
int settings_delete(struct settings *settings, struct err *err);

extern const char settings_backup[]; /* what is appended to the name */

/*
 * What would change in a text, for people.
 */

/* The lines that go and those that come, with some around them. */
void diff_write(struct str before, struct str after, struct buf *out);

#endif
