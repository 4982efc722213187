/*
 * A search for repositories on its way: for protect_nested.c and protect_around.c only.
 */
#ifndef BAILEY_PROTECT_NESTED_INSIDE_H
#define BAILEY_PROTECT_NESTED_INSIDE_H

#include "protect/nested.h"

struct tree {
        const char *path; /* below the workspace; "" is itself */
        enum nested_kind kind;
};

struct finder {
        const struct nested_visitor *visitor;
        struct arena *arena;  /* for the paths that are handed out */
        struct arena scratch; /* for those that are only gone through: hostile trees may have many */
        int workspace;
        const char *path;
        struct tree *trees;
        size_t count, room;
        bool too_many;
        unsigned deep_left;
};

/* A directory below another one, or below the workspace when that is -1. */
int finder_open(const struct finder *f, int from, const char *path, int flags);

/* NULL when it is too long for anybody to use, or there is no memory for it. */
const char *finder_join(struct arena *arena, const char *path, struct str name);

/* There is something of that name in the directory. */
bool finder_sees(int fd, const char *path);

/* What is to be visited; once. */
int finder_add(struct finder *f, const char *path, enum nested_kind kind, struct err *err);

/* Looks for repositories in this directory and those below it, a few deep or, with `deep`, as deep as they are. Takes off
 * `left` what it has seen; `ret_all` is false when that was too little. protect_around.c */
int finder_look_around(struct finder *f, const char *path, bool deep, unsigned *left, bool *ret_all, struct err *err);

#endif
