/*
 * Rows of the tables of formats, and the functions that convert a setting.
 */
#ifndef BAILEY_POLICY_IMPORT_TAKE_H
#define BAILEY_POLICY_IMPORT_TAKE_H

#include "policy/import/import.h"

enum import_kind {
        IMPORT_ALLOWS,
        IMPORT_ASKS,
        IMPORT_DENIES,
};

/* A setting, and where it is. */
struct setting_place {
        const struct tree_node *node;
        const char *path;
};

struct importer {
        struct arena *arena;
        const struct import_request *request;
        const struct import_source *source; /* that is being read */
        const struct tree_node *const *roots;
        struct import *ret;
        bool failed; /* out of memory */

        bool only_listed;      /* commands that are not allowed do not run */
        bool workspace_listed; /* the workspace can be written only where that is allowed */
        bool workspace_allowed;
        bool network_off;                                       /* whatever hosts are listed */
        const struct import_origin *network_any, *network_none; /* settings by which all hosts, or none, can be reached */
};

struct import_row {
        /* A star is any name; a last part "?" is all that no other row of that table names. NULL ends the table. */
        const char *path;
        void (*take)(struct importer *im, const struct import_row *row, struct setting_place at); /* NULL: restricts nothing */
        enum import_kind kind;
        const char *text; /* why it is skipped; or the key that it becomes */
};

/* ---- results ---- */

/* Validated by the key's row: invalid values are skipped. Returns true if it was added. */
bool import_take(struct importer *im, struct setting_place at, enum import_kind kind, const char *key, struct str value);

/* A stricter value of a key that is no list. */
void import_set(struct importer *im, struct setting_place at, const char *key, const char *value);

void import_leave(struct importer *im, struct setting_place at, enum import_kind kind, const char *reason);
struct import_origin import_origin(struct importer *im, struct setting_place at);

/* For values that need more than that. NULL without memory. */
struct import_value *import_add(struct importer *im, struct setting_place at, const char *key, struct str value);

/* ---- rows ---- */

void take_left(struct importer *im, const struct import_row *row, struct setting_place at); /* unless false or empty */
void take_hosts(struct importer *im, const struct import_row *row, struct setting_place at);
void take_variables(struct importer *im, const struct import_row *row, struct setting_place at);

/* Paths as sandboxes have them: absolute, ~/..., or relative to the workspace. `text` is the key. */
void take_paths(struct importer *im, const struct import_row *row, struct setting_place at);

/* All strings of an array; other items are skipped. */
typedef void import_item(struct importer *im, const struct import_row *row, struct setting_place at, struct str text);
void take_each(struct importer *im, const struct import_row *row, struct setting_place at, import_item *take);

/* All items of an array, of any type. `expected` is the message for another type. */
typedef void import_node(struct importer *im, const struct import_row *row, struct setting_place item);
void take_items(struct importer *im, const struct import_row *row, struct setting_place at, const char *expected,
                import_node *take);

bool place_is(struct setting_place at, bool value);         /* a boolean that is this */
bool place_says(struct setting_place at, const char *text); /* a string that is this */
struct setting_place place_item(struct importer *im, struct setting_place at, const struct tree_node *item, size_t index);
struct setting_place place_member(struct importer *im, struct setting_place at, const struct tree_node *member);

/* The first file in which this setting (names with dots between them) is this string, or true. */
bool import_says(const struct importer *im, const char *path, const char *text);

/* ---- one setting ---- */

enum command_form {
        COMMAND_GLOB,   /* "git push", "git push:*", "git * main" */
        COMMAND_PREFIX, /* all commands that begin so: "git push"; "dd if=" ends within a word */
};
void import_command(struct importer *im, struct setting_place at, enum import_kind kind, enum command_form form,
                    struct str text);

/* A regular expression that the whole command is searched for. */
void import_pattern(struct importer *im, struct setting_place at, enum import_kind kind, struct str regex);

enum path_form {
        PATH_PLAIN,    /* relative to the workspace */
        PATH_SETTINGS, /* relative to the settings file, or to the workspace that it belongs to */
        PATH_RULE,     /* as in .gitignore; / is the settings file's directory, // the root */
};
void import_path(struct importer *im, struct setting_place at, enum import_kind kind, enum path_form form, const char *key,
                 struct str text);

void import_host(struct importer *im, struct setting_place at, enum import_kind kind, struct str text);
void import_any_host(struct importer *im, struct setting_place at);
void import_no_host(struct importer *im, struct setting_place at, bool whatever_is_listed); /* but those that are */
void import_hosts_end(struct importer *im);

void import_variable(struct importer *im, struct setting_place at, struct str name, struct str value);

/* ---- texts in the arena; "" without memory ---- */

const char *import_text(struct importer *im, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define STR_ARG(s) (int)(s).len, (s).ptr

extern const struct import_row claude_rows[], srt_rows[], codex_rows[], gemini_rows[], cursor_rows[], fence_rows[];

#endif
