/*
 * Our entries in a settings file: what they should be, and which of those that are there are ours.
 */
#ifndef BAILEY_HOOK_ENTRY_H
#define BAILEY_HOOK_ENTRY_H

#include "base/buf.h"
#include "base/value_tree.h"
#include "hook/agent.h"
#include "hook/hook.h"

/* The command line of the hook. */
void entry_command(const struct hook_agent *agent, const struct hook_options *options, struct buf *out);

/* {"EVENT": [ENTRY]}: the entry of the table with the command in it. NULL: no memory, or the command is no UTF-8. */
const struct tree_node *entry_hooks(const struct hook_entry *entry, struct str command, struct arena *arena);

/* A place in the settings where bailey is called. */
struct entry_found {
        const struct tree_node *entry;   /* in the array of the event */
        const struct tree_node *handler; /* in its group; NULL: it is the entry itself */
        const char *command;
};

/* The first of them, or the first behind the entry `after`; false: there is none. */
bool entry_find(const struct tree_node *settings, const char *event, const struct tree_node *after, struct entry_found *ret);

/* Is there anything in the place of our entries that is not as the agent wants it? */
int entry_check(const struct tree_node *settings, const struct hook_agent *agent, struct err *err);

/* Does a program run as the first word of this command exist? */
bool entry_works(const char *command, const char *const *environment);

#endif
