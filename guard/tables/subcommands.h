/*
 * Programs that are told by words what to do: which of them throw something away, show a secret, send something off, or run
 * the command behind the word. A word of a row stands for itself, its beginning (delete-*), or any word (*).
 * DESTROY, and not with --help or --dry-run.
 */
#ifndef BAILEY_GUARD_TABLES_SUBCOMMANDS_H
#define BAILEY_GUARD_TABLES_SUBCOMMANDS_H

#include <stddef.h>

enum word_effect {
        WORDS_DESTROY,  /* destroys data that cannot be restored */
        WORDS_SECRET,   /* prints credentials */
        WORDS_SEND,     /* local data leaves the machine */
        WORDS_TUNNEL,   /* others come in */
        WORDS_LAUNCH,   /* the words behind are a command */
        WORDS_SHELL,    /* each word behind, or what follows its =, is shell code */
        WORDS_ESCALATE, /* more rights than before */
        WORDS_SYSTEM,   /* changes the system as what is on the blocklist does */
        WORDS_WEAKEN,   /* switches off a protection, or lets others in */
        WORDS_ATTACK,   /* searches other machines for weaknesses, or attacks them */
        WORDS_LATER,    /* plants code that runs later */
        WORDS_CODE,     /* the word behind is code in a language of the table of interpreters */
};

struct word_row {
        const char *program;
        const char *words;  /* in this order, options left out */
        const char *option; /* one of these must be there too: letters and names, as "f force"; name=value stands anywhere */
        enum word_effect effect;
        unsigned skip;      /* operands before a command, or code; not of SHELL: then what is behind them is a command, too */
        const char *unless; /* none of these may be there */
};

extern const struct word_row word_rows[]; /* sorted by program; of one, the first row that matches counts */
extern const size_t word_row_count;

#endif
