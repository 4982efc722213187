/*
 * Evidence: what system calls of a command are denied, although it may print nothing. The kernel reports the calls of
 * sandbox/watched.h to pid 1 inside (launch/broker.h), which copies the path, looks at the file as the caller would see it, and
 * notes what is missing, unreadable or read-only. The call always continues in the caller: nothing is decided here.
 *
 * The notes are in a memory file of fixed size, which is the supervisor's from the start and which no command has open. Most
 * notes are of files that do not exist on the host either; only the supervisor can tell. A command can make pid 1 note any
 * path, by asking for it, and change a path after it was copied: the notes are hostile input, and no decision depends on them.
 */
#ifndef BAILEY_LAUNCH_EVIDENCE_H
#define BAILEY_LAUNCH_EVIDENCE_H

#include <linux/seccomp.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "launch/broker.h"

enum evidence_want {
        EVIDENCE_READ = 1,
        EVIDENCE_WRITE,  /* to change the file */
        EVIDENCE_ENTRY,  /* to create, replace or remove it in its directory */
        EVIDENCE_SOCKET, /* to connect to this unix socket */
        EVIDENCE_PORT,   /* to connect to this port of localhost, where nothing listens: "/5432" */
        EVIDENCE_WANTS,
};

enum evidence_why {
        EVIDENCE_MISSING = 1,
        EVIDENCE_DENIED,    /* EACCES */
        EVIDENCE_READ_ONLY, /* EROFS */
        EVIDENCE_WHYS,
};

enum { EVIDENCE_PROGRAM_SIZE = 16 };

struct evidence_note {
        enum evidence_want want;
        enum evidence_why why;
        const char *program; /* the name of the process, which it can change */
        const char *path;    /* absolute, as the sandbox has it, without . and .. */
};

/* ---- in pid 1 ---- */

struct evidence;

/* Returns the file of the notes; -1: there is none to be had, and nothing is noted. */
int evidence_open(struct evidence **ret);

/* Notes what the call would be denied; nothing if it is none of the table. The call must continue afterwards. */
void evidence_call(struct evidence *evidence, int listener, const struct seccomp_notif *call);

/* What connect() will come to, if that is known already: of a socket that does not wait, the kernel says later that nothing
 * listens there. */
int evidence_of_socket(int socket, int result);

/* Notes a connection that failed with this negative errno. */
void evidence_connect(struct evidence *evidence, const struct broker_connect *request, int result);

/* ---- in the supervisor ---- */

struct evidence_notes {
        struct evidence_note *items; /* each once; texts in the arena */
        size_t count;
        bool lost; /* there were more */
};

/* Reads the notes, and checks them. What is not in order ends them. */
int evidence_read(int fd, struct arena *arena, struct evidence_notes *ret, struct err *err);

#endif
