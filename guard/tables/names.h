/*
 * Names that mean something by themselves, whatever the arguments are.
 */
#ifndef BAILEY_GUARD_TABLES_NAMES_H
#define BAILEY_GUARD_TABLES_NAMES_H

#include "base/str.h"

/* The name on a blocklist that stands for this one, too: who may not do the one may not do the other. Empty: none. */
struct str name_related(struct str program);

/* A word with which the program only asks; an empty word: is there any? */
bool name_asks(struct str program, struct str word);

bool name_is_miner(struct str program);         /* of cryptocurrency */
bool name_is_pool(struct str host);             /* that miners work for */
bool name_is_httpie(struct str program);        /* httpie, or a program with the same arguments */
bool name_is_network_scheme(struct str scheme); /* what stands behind its :// begins with a host */
bool name_is_database(struct str program);      /* its code is SQL */

/* Words of a command line whose program is not known. */
enum word_kind {
        WORD_IS_SUBCOMMAND = 1, /* of many programs, and a program itself */
        WORD_IS_LAUNCHING = 2,  /* what follows is a command */
        WORD_IS_TEXT = 4,       /* what follows is a text or a pattern */
        WORD_IS_DESTROYING = 8,
        WORD_IS_HARMLESS = 16, /* beside it, nothing of value is destroyed */
        WORD_IS_ENGLISH = 32,  /* of a sentence, not of a command */
        WORD_IS_SECRET = 64,   /* what one keeps to oneself */
        WORD_IS_TELLING = 128, /* shows what is named beside it */
        WORD_IS_NOUN = 256,    /* followed by a text as an option, but not as an operand */
        WORD_IS_WEAK = 512,    /* destroys when it is forced */
        WORD_IS_FORCING = 1024,
        WORD_IS_DISABLING = 2048,   /* switches off a service that it names */
        WORD_IS_OFF = 4096,         /* the value of a setting that is off, or a part of its name that says so */
        WORD_IS_GUARDING = 8192,    /* a protection, as a part of a setting's name */
        WORD_IS_SERVICE = 16384,    /* a program that protects, or that nothing works without */
        WORD_IS_OPENING = 32768,    /* everybody */
        WORD_IS_ACCESS = 65536,     /* who may, as a part of a setting's name */
        WORD_IS_OUTPUT = 131072,    /* a file that is written */
        WORD_IS_UNCHECKED = 262144, /* does without a check */
};

unsigned word_kind(struct str word);
unsigned word_parts_kind(struct str word); /* of all parts: my-word, my_word, my:word, myWord */
unsigned word_order_kind(struct str word); /* what it tells a program to do: apps:destroy, delete_queue */
struct str word_next_part(struct str *rest);

bool name_is_client(struct str program);       /* of a database, which its arguments name */
bool name_is_vendor_registry(struct str host); /* of images that only its owner puts there */
bool name_is_local_host(struct str host);      /* it has a dot, and yet only a local network knows it */
bool name_is_metadata(struct str host);        /* the service of a cloud that hands out credentials */

bool name_is_like_secret(struct str part); /* it stands in the names of variables that often hold secrets */

/* A variable that names a host which what is fetched comes from, or goes through. */
bool variable_names_host(struct str variable);

#endif
