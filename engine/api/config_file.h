/*
 * Changes of the user's config file, in place: all of them, or none.
 */
#ifndef BAILEY_ENGINE_CONFIG_FILE_H
#define BAILEY_ENGINE_CONFIG_FILE_H

#include "policy/config.h"
#include "policy/load.h"

struct config_change {
        struct config_text config; /* as it was */
        struct buf text;           /* as it will be */
        bool changed;
};

int config_change_begin(const char *const *environment, struct arena *arena, struct config_change *ret, struct err *err);

/* After a failure the text is as before. */
int config_change_add(struct config_change *change, const struct list_value *value, struct arena *arena, struct err *err);

/* Checks that it is a config, and writes it where a link leads to, so that it stays one. Returns whether it had to. */
int config_change_write(const struct config_change *change, struct arena *arena, struct err *err);

void config_change_free(struct config_change *change);

#endif
