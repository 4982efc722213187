/*
 * Reads the audit log: all files, the oldest first, as they were at one moment.
 */
#ifndef BAILEY_AUDIT_READ_H
#define BAILEY_AUDIT_READ_H

#include "audit/file.h"
#include "base/lines.h"
#include "base/value_tree.h"

struct audit_source {
        int number; /* path.N; 0: the newest */
        int fd;
        uint64_t size; /* at that moment; ends with a whole record, or with what a killed writer left */
        dev_t device;
        ino_t inode;
};

struct audit_reader {
        char path[PATH_MAX];
        struct audit_source *sources;
        size_t count, index; /* index: the one that is read */
        struct lines lines;
};

/* Lists the older files, the oldest first. Returns how many. */
size_t audit_rotated_list(const char *path, int ret_numbers[static AUDIT_ROTATED_MAX]);

/* It is not an error if no file exists. */
int audit_reader_open(const char *path, struct audit_reader *ret, struct err *err);
void audit_reader_close(struct audit_reader *reader);

/* The next line, whatever is in it. LINE_END: no more of them in the files as they were. */
int audit_reader_next(struct audit_reader *reader, struct str *ret_line, struct err *err);

/* Goes to the next file; returns false if there is none. */
bool audit_reader_advance(struct audit_reader *reader);

/* After the end: looks for what has been written since, also in a file that took the place of the newest one. */
int audit_reader_again(struct audit_reader *reader, struct err *err);

/* ---- records ---- */

struct audit_query { /* of NULL and empty: any */
        const char *kind, *action, *rule, *session;
        const char *id;            /* all of it, or the first 8 characters or more */
        char since[32], until[32]; /* the start of a time as records have it; `until` is not included */
};

/* "2026-11-16", "2026-11-16T04:30", "2026-11-16T04:30:12.123Z", in UTC; or how long ago: "90s", "15m", "2h", "7d". */
int audit_when(const char *text, int64_t now, char ret[static 32], struct err *err);

/* A line as a tree, in the arena; NULL when it is not a record. */
const struct tree_node *audit_parse(struct str line, struct arena *arena);

bool audit_matches(const struct audit_query *query, const struct tree_node *record);

/* The string of that name; empty when there is none. */
struct str audit_field(const struct tree_node *record, const char *name);

/* The number, or `otherwise`. */
int64_t audit_integer(const struct tree_node *record, const char *name, int64_t otherwise);

bool audit_is_true(const struct tree_node *record, const char *name);

#endif
