/*
 * Internal functions of cgroup*.c: small files of a cgroup, and the names of our cgroups.
 */
#ifndef BAILEY_LAUNCH_CGROUP_PARTS_H
#define BAILEY_LAUNCH_CGROUP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns 0, or -1 and errno. A cgroup's files take a value in one write. */
int cgroup_file_write(const char *dir, const char *file, const char *value);
int cgroup_file_writable(const char *dir, const char *file);

/* Reads as much as fits, NUL-terminated. */
int cgroup_file_read(const char *dir, const char *file, char *ret, size_t size);

/* Returns true if the list contains the word: "cpu memory pids\n" contains "memory". */
bool cgroup_text_has_word(const char *text, const char *word);

/* Returns the number on the line "key number", or 0. */
uint64_t cgroup_text_number(const char *text, const char *key);

/* Sends SIGKILL to all processes in cgroup.procs except this one, or only counts them. Returns how many. */
size_t cgroup_procs_kill(const char *dir, bool only_count);

enum { CGROUP_NAME_SIZE = 64 };
void cgroup_name_new(char ret[static CGROUP_NAME_SIZE]);

/* The name of the cgroup of all commands of this user with these limits. */
void cgroup_name_kept(int64_t memory_percent, int64_t pids, char ret[static CGROUP_NAME_SIZE]);

#endif
