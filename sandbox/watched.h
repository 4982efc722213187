/*
 * System calls that take paths, for runs that keep evidence (launch/evidence.h): where their arguments are, and what they want
 * of the file. connect() is not among them: launch/broker.c has its arguments.
 */
#ifndef BAILEY_SANDBOX_WATCHED_H
#define BAILEY_SANDBOX_WATCHED_H

#include <stddef.h>
#include <stdint.h>

/* What a call wants; several at once. */
enum watched_want {
        WATCHED_READ = 1 << 0,   /* its content: it has to be readable */
        WATCHED_WRITE = 1 << 1,  /* to change its content, mode or times */
        WATCHED_CREATE = 1 << 2, /* to create it if it is missing */
        WATCHED_ENTRY = 1 << 3,  /* to remove or replace it in its directory */
        WATCHED_LINK = 1 << 4,   /* the link itself, if it is one */

        /* Said by an argument instead: */
        WATCHED_FLAGS = 1 << 5, /* the flags of open() */
        WATCHED_HOW = 1 << 6,   /* a struct open_how */
        WATCHED_MODE = 1 << 7,  /* the mode of access() */
};

struct watched_call {
        const char *name; /* in syscalls.def */
        int8_t dir, path; /* which arguments; dir -1: the current directory */
        int8_t mode;      /* that WATCHED_FLAGS, _HOW and _MODE are in */
        uint8_t want;     /* enum watched_want; 0: only that it is there */
};

/* A call with two paths has two rows. */
extern const struct watched_call watched_calls[];
extern const size_t watched_count;
enum { WATCHED_MAX = 64 }; /* there are no more */

#endif
