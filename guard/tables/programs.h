/*
 * The programs that the guard knows.
 */
#ifndef BAILEY_GUARD_TABLES_PROGRAMS_H
#define BAILEY_GUARD_TABLES_PROGRAMS_H

#include <stdint.h>

#include "base/str.h"

struct call;

enum act {
        ACT_NAMES,   /* its operands are words, or names of files it does not open */
        ACT_READ,    /* files it reads */
        ACT_PATTERN, /* a pattern or script, then files it reads */
        ACT_WRITE,   /* files it writes */
        ACT_DELETE,
        ACT_COMMAND,  /* a command it runs */
        ACT_TEXT,     /* words that together are shell code */
        ACT_FETCH,    /* URLs */
        ACT_CONNECT,  /* a host */
        ACT_ESCALATE, /* a command it runs as somebody else, or somewhere else */
        ACT_SHELL,
        ACT_CODE,    /* an interpreter of another language */
        ACT_ESCAPES, /* a program whose own commands can run a shell */
        ACT_SPECIAL, /* has a judge of its own */
        ACT_UNKNOWN, /* nothing is known about its operands and options: judged like a program without a row */
};

enum trait {
        TRAIT_READS = 1,       /* shows what it reads: .env counts */
        TRAIT_PRINTS = 2,      /* shows its arguments or its input */
        TRAIT_NETWORK = 4,     /* what it prints comes from the network */
        TRAIT_ONE_DASH = 8,    /* long options have one dash: find, openssl, java */
        TRAIT_ORDERED = 16,    /* the first operand ends the options, as the rest is a command */
        TRAIT_LOOKUP = 32,     /* asks the network for a name */
        TRAIT_FROM_INPUT = 64, /* without operands, runs what it reads */
        TRAIT_DECODES = 256,   /* what it prints may have been anything before */
        TRAIT_LOUD = 128,      /* says so when it fails, so that silence means success */
};

struct program {
        const char *name;
        uint8_t act;
        uint16_t traits;
        uint8_t skip;        /* operands before those that `act` speaks of */
        const char *options; /* that take an argument or mean something, see guard/tables/options.h */
        void (*judge)(struct call *call);
        /* Lists of words. Of subcommands, "*" is any of them, and none. */
        const char *online; /* subcommands that need the network; WORD?: only if something is missing that it would fetch */
        const char *codes;  /* exit codes that mean: no network */
        const char *prints; /* subcommands that only print, so that failures in the output are not their own */
};

extern const struct program programs[];
extern const size_t program_count;
const struct program *program_row(struct str name);
const struct program *program_find(struct str name); /* the row, unless that says ACT_UNKNOWN */

#endif
