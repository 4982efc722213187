/*
 * Mounts whose owners are mapped (Linux 5.12): to a command with ids of its own (launch/identity.h), files belong to whom they
 * belong on disk, and what it makes belongs to root there. Only who is root on the host can make them. So the parent does, and
 * passes them to the new process, which attaches them.
 */
#ifndef BAILEY_LAUNCH_MAPPED_H
#define BAILEY_LAUNCH_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "launch/files.h"

/* A copy of what is mounted at `place`, detached; with what is mounted below, unless `alone`. `userns` is that of the command;
 * -1: owners are not mapped. ERR_NO_IDENTITY: a file system or the kernel does not support it. */
struct mapped_copy {
        int userns;
        bool read_only, alone;
};
/* Sets the error for something that was needed for it, from errno, as above. */
int mapped_failed(const char *what, struct err *err);
int mapped_copy(int place, const char *path, const struct mapped_copy *how, struct err *err);

/* The user namespace of a process. */
int mapped_userns(pid_t pid, struct err *err);

/* Passes files with their numbers; mapped_end() sends what is left, and says that this was all. That the other process is gone
 * is no error: it reports why. */
struct mapped_sender {
        int socket;
        struct mapped_message {
                unsigned count;
                int numbers[FDS_MAX];
        } message;
        int files[FDS_MAX];
};
/* Closes `file`. */
int mapped_send(struct mapped_sender *sender, int number, int file, struct err *err);
int mapped_end(struct mapped_sender *sender, struct err *err);
/* Instead: closes what was not sent. */
void mapped_cancel(struct mapped_sender *sender);

/* Where they come from. */
struct mapped_channel {
        int socket;
        int outside; /* a pidfd of the process that sends them; -1: unknown */
};

/* Waits for all of them; those that do not come are left as they are. */
int mapped_receive(const struct mapped_channel *channel, int *ret_files, size_t count, struct err *err);

#endif
