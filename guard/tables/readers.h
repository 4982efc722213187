/*
 * Files that programs run or obey without being told their names, so that a command that writes one and then starts such a
 * program runs what it wrote.
 */
#ifndef BAILEY_GUARD_TABLES_READERS_H
#define BAILEY_GUARD_TABLES_READERS_H

#include <stdbool.h>
#include <stddef.h>

enum content {
        CONTENT_CODE,    /* in the language of the program `language` */
        CONTENT_SHELL,   /* commands */
        CONTENT_RECIPES, /* commands behind a tab, and in $(shell ...) */
        CONTENT_VALUES,  /* NAME: COMMAND, - COMMAND, NAME = COMMAND, a line each; or just the command */
        CONTENT_STRINGS, /* JSON, some of whose strings are commands */
        CONTENT_COMPOSE, /* containers */
        CONTENT_IMAGE,   /* RUN COMMAND, in a container */
        CONTENT_HOSTS,   /* NAME = URL, where things are fetched from */
};

struct reader {
        const char *programs; /* globs of their names */
        const char *files;    /* globs of base names */
        const char *language; /* of CONTENT_CODE; else NULL */
        enum content content;
        bool named; /* or any other file that is named to them */
};

extern const struct reader readers[];
extern const size_t reader_count;

#endif
