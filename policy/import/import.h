/*
 * Settings of coding agents and of other sandboxes as values of bailey's config. Denials may become stricter, and
 * permissions narrower, but never the other way round: other settings are skipped, and listed with the reason.
 * Pure: from texts.
 */
#ifndef BAILEY_POLICY_IMPORT_H
#define BAILEY_POLICY_IMPORT_H

#include "base/value_tree.h"
#include "policy/keys.h"

/* Places of such settings. */
enum import_base {
        IMPORT_HOME,    /* below HOME, or below the variable if that is set */
        IMPORT_PROJECT, /* below the workspace: its author wrote them, not its user */
        IMPORT_SYSTEM,  /* absolute */
};

struct import_place {
        enum import_base base;
        const char *variable; /* of IMPORT_HOME: stands for all but the last part of the path; NULL: none does */
        const char *path;     /* NULL ends the list. One that ends in / is a directory of *.toml and *.rules */
};

struct import_row;

struct import_format {
        const char *name;  /* "claude" */
        const char *title; /* "Claude Code" */
        const struct import_place *places;
        const struct import_row *rows;
        bool star_has_name; /* *.x.com includes x.com, as it does here */
        bool deep_stars;    /* **.x.com does */
};

extern const struct import_format import_formats[];
extern const size_t import_format_count;
const struct import_format *import_format_find(const char *name);

struct import_source {
        const char *path;
        struct str text;
        bool project; /* belongs to the workspace */
};

struct import_request {
        const struct import_format *format;
        const struct import_source *sources;
        size_t source_count;
        const char *home;      /* absolute, or NULL */
        const char *workspace; /* absolute */
};

struct import_origin {
        const char *file;
        const char *path; /* of the setting: "permissions.deny[0]" */
        struct tree_pos at;
        struct str text; /* what it says */
};

/* A value for bailey's config: an item of a list, or the only value. */
struct import_value {
        const struct key_row *key;
        struct str name; /* of an environment variable */
        struct str value;
        bool asks;   /* a pattern that only warns */
        bool denies; /* it makes a policy stricter */
        struct import_origin origin;
        const char *note; /* why the value was added, if not obvious; may be NULL */
};

struct import_left {
        struct import_origin origin;
        const char *reason;
        bool denies; /* it denies something, or asks about it, which is lost */
};

struct import {
        struct import_value *values;
        size_t value_count, value_room;
        struct import_left *left;
        size_t left_count, left_room;
};

/* The error is "FILE:LINE:COLUMN: message". Texts live in the arena, and refer to the paths of the sources. */
int import_read(const struct import_request *request, struct arena *arena, struct import *ret, struct err *err);

/* A pattern for a denied path, which then need not exist; the path itself if it is one. Empty without memory. */
struct str import_path_pattern(struct str path, struct arena *arena);
extern const char import_pattern_note[];

/* The value itself, as JSON and TOML write it: of a list, an item. */
void import_value_write(const struct import_value *value, struct buf *out);

/* As a config file: a value on each line, with its origin. Sorts the values. */
void import_write(struct import *import, struct buf *out);

#endif
