/*
 * A search for repositories on its way: for nested.c and nested_around.c only.
 */
#ifndef BAILEY_PROTECT_NESTED_INSIDE_H
#define BAILEY_PROTECT_NESTED_INSIDE_H

#include "protect/survey_inside.h"

struct tree {
        const char *path; /* below the workspace; "" is itself */
        bool bare;        /* a git directory by itself; else a directory with a `.git` */
};

struct finder {
        struct survey *s;
        struct arena scratch; /* for paths that are only gone through: hostile trees may have many */
        struct tree *trees;
        size_t count, room;
        unsigned links;     /* gitlinks that were looked at */
        unsigned deep_left; /* names in directories, below repositories whose index says nothing */
};

/* A directory below another one, or below the workspace when that is -1. */
int finder_open(const struct finder *f, int from, const char *path, int flags);

/* NULL when it is too long for anybody to use, or there is no memory for it. */
const char *finder_join(struct arena *arena, const char *path, struct str name);

/* There is something of that name in the directory. */
bool finder_sees(int fd, const char *path);

/* What is to be visited; once. */
int finder_add(struct finder *f, const char *path, bool bare, struct err *err);

/* Looks for repositories in this directory and those below it, a few deep or, with `deep`, as deep as they are. Takes off
 * `left` what it has seen; `ret_all` is false when that was too little. nested_around.c */
int finder_look_around(struct finder *f, const char *path, bool deep, unsigned *left, bool *ret_all, struct err *err);

#endif
