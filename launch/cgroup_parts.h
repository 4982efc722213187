/*
 * What the files of cgroup*.c share and nobody else needs: small files of a cgroup, and the names we give.
 */
#ifndef BAILEY_LAUNCH_CGROUP_PARTS_H
#define BAILEY_LAUNCH_CGROUP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0, or -1 and errno. A cgroup's files take a value in one write. */
int cgroup_file_write(const char *dir, const char *file, const char *value);
int cgroup_file_writable(const char *dir, const char *file);

/* What fits, NUL-terminated. */
int cgroup_file_read(const char *dir, const char *file, char *ret, size_t size);

/* "cpu memory pids\n" has "memory". */
bool cgroup_text_has_word(const char *text, const char *word);

/* The number on the line "key number", or 0. */
uint64_t cgroup_text_number(const char *text, const char *key);

/* SIGKILL to all that cgroup.procs lists, except to ourselves, or just counts them. Returns how many. */
size_t cgroup_procs_kill(const char *dir, bool only_count);

enum { CGROUP_NAME_SIZE = 64 };
void cgroup_name_new(char ret[static CGROUP_NAME_SIZE]);

/* Of the one that all commands of this user with these limits are in. */
void cgroup_name_kept(int64_t memory_percent, int64_t pids, char ret[static CGROUP_NAME_SIZE]);

#endif
