/*
 * Our entries in a settings file: what they should be, and which of those that are there are ours.
 */
#ifndef BAILEY_HOOK_ENTRY_H
#define BAILEY_HOOK_ENTRY_H

#include "base/buf.h"
#include "hook/agent.h"
#include "hook/hook.h"
#include "hook/tree.h"

/* The command line of the hook. */
void entry_command(const struct hook_agent *agent, const struct hook_options *options, struct buf *out);

/* The entry of the table with the command in it. */
json_t *entry_value(const struct hook_entry *entry, const char *command);

/* A place in the settings where bailey is called. */
struct entry_found {
        size_t handler; /* in the group, if it is in one */
        size_t entry;   /* in the array of the event */
        bool grouped;
        const char *event;
        const char *command;
};

/* The first of them; false: there is none. */
bool entry_find(json_t *settings, const char *event, struct entry_found *ret);

/* Is there anything in the place of our entries that is not as the agent wants it? */
int entry_check(json_t *settings, const struct hook_agent *agent, struct err *err);

/* Does a program run as the first word of this command exist? */
bool entry_works(const char *command, const char *const *environment);

#endif
