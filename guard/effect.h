/*
 * What a command would do, said in a way that does not depend on how it was spelled. Programs are read into effects
 * (judge*.c); rules speak only of effects (rules.c).
 */
#ifndef BAILEY_GUARD_EFFECT_H
#define BAILEY_GUARD_EFFECT_H

#include <stdint.h>

#include "base/str.h"
#include "bash/syntax/ast.h"

enum effect_kind {
        FX_RUN,       /* a program, by its base name */
        FX_READ,      /* the content of a file */
        FX_WRITE,     /* to a file, or puts something else in its place */
        FX_DELETE,    /* a path */
        FX_PERMIT,    /* changes who may use a path */
        FX_CONNECT,   /* to a host */
        FX_UPLOAD,    /* local data to a host */
        FX_LISTEN,    /* opens a way in: a reverse shell or tunnel */
        FX_CODE,      /* runs code: where from, is in the flags */
        FX_ENVIRON,   /* shows the environment, or a secret in it */
        FX_ESCALATE,  /* becomes another user, or leaves a boundary */
        FX_INJECT,    /* sets a variable that makes programs run code */
        FX_LATER,     /* plants code that runs later */
        FX_HISTORY,   /* throws away work that version control keeps, or has not got yet */
        FX_CONTAINER, /* starts a container that reaches the host */
        FX_EXHAUST,   /* uses up processes or disk */
        FX_MINE,      /* mines cryptocurrency */
        FX_ATTACK,    /* searches other machines for weaknesses, or attacks them */
        FX_WEAKEN,    /* switches off a protection, or lets others in */
        FX_ENDLESS,   /* waits for something that may never come */
        FX_TEXT,      /* the command's own bytes: unreadable, too long, misleading */
        FX_KINDS,
};

/* What is known about it. A rule asks for all of some and any of others. */
enum effect_flag {
        /* paths */
        PATH_CRITICAL = 1 << 0,   /* /, a home or system directory itself, or all that is in one */
        PATH_SYSTEM = 1 << 1,     /* belongs to the system */
        PATH_DEVICE = 1 << 2,     /* a disk, memory or the like */
        PATH_CREDENTIAL = 1 << 3, /* holds keys or passwords */
        PATH_DOTENV = 1 << 4,     /* .env: holds them often enough */
        PATH_STARTUP = 1 << 5,    /* runs later, outside the sandbox */
        PATH_ENVIRON = 1 << 6,    /* /proc/PID/environ */
        PATH_SOCKET = 1 << 7,     /* /dev/tcp/HOST/PORT */
        PATH_HARMLESS = 1 << 8,   /* /dev/null and its like */
        PATH_UNKNOWN = 1 << 9,
        /* how */
        HOW_RECURSIVE = 1 << 10,
        HOW_WORLD = 1 << 11,    /* FX_PERMIT: everybody may write */
        HOW_OWNER = 1 << 12,    /* FX_PERMIT: another owner */
        HOW_EMPTIES = 1 << 13,  /* FX_WRITE: what was there is gone */
        PATH_OUTSIDE = 1 << 14, /* FX_DELETE, FX_WRITE: neither in the workspace nor in a temporary place */
        PATH_WHOLE = 1 << 15,   /* FX_DELETE, FX_WRITE: all of the workspace, or what git keeps of it */
        /* hosts; no path is one */
        HOST_DENIED = 1 << 0,
        HOST_UNLISTED = 1 << 1, /* not on the allowlist */
        HOST_UNKNOWN = 1 << 2,
        HOST_PRIVATE = 1 << 3,  /* an address of a local network */
        HOST_METADATA = 1 << 4, /* an address of the machine's own cloud or link */
        /* code */
        CODE_NETWORK = 1 << 17, /* it comes from the network */
        CODE_PIPED = 1 << 18,   /* it comes from a pipe, and what is in it cannot be known */
        CODE_OPAQUE = 1 << 19,  /* it cannot be known */
        CODE_OPTION = 1 << 20,  /* an option of an ordinary program runs it */
        CODE_HIDDEN = 1 << 21,  /* the program's name is a pattern or otherwise obscured */
        /* names */
        NAME_BLOCKED = 1 << 22,  /* on the blocklist */
        NAME_UNLISTED = 1 << 23, /* not on the list of a policy that has one */
        NAME_SECRET = 1 << 24,
        NAME_SUDO = 1 << 25,
        /* texts */
        TEXT_SYNTAX = 1 << 26,
        TEXT_LONG = 1 << 27, /* or too deep */
        TEXT_CONTROL = 1 << 28,
        TEXT_LOOKALIKE = 1 << 29,

        NAME_ASKED = 1 << 30, /* on the list of what the user is asked about first */
};

struct effect {
        struct effect *next;
        struct str subject; /* the path, host, program or name */
        struct range range; /* in the command given to guard_check() */
        uint32_t flags;
        enum effect_kind kind;
};

const char *effect_name(enum effect_kind kind); /* "delete" */

#endif
