/*
 * The words that programs' rows describe options with. A row lists options with a space between them: a name without dashes,
 * how many arguments it takes, and what it means, if anything:
 *
 *   NAME=MEANING  needs an argument, which is what the word says
 *   NAME?MEANING  may have an argument, attached
 *   NAME!MEANING  has none
 *
 * "o=write" of curl: -o needs an argument, a file that is written.
 */
#ifndef BAILEY_GUARD_TABLES_OPTIONS_H
#define BAILEY_GUARD_TABLES_OPTIONS_H

#include "base/str.h"

/* What an option, or its argument, means. Sorted by the word that stands for it in rows. */
/* clang-format off */
#define OPTION_MEANINGS(X)                                                                                   \
        X(ADD, "add")                 /* leaves what is in the file that it writes */                        \
        X(ASK, "ask")                 /* only asks or lists: the program does nothing else */                \
        X(CD, "cd")                   /* a directory that it goes to */                                      \
        X(CHECKPOINT, "checkpoint")   /* an action of tar: exec=CODE runs that */                            \
        X(CODE, "code")               /* code in the program's own language */                               \
        X(COMMAND, "command")         /* the rest of argv is a command that it runs */                       \
        X(DELETE, "delete")           /* deletes what it is told of */                                       \
        X(ENDLESS, "endless")         /* waits without end */                                                \
        X(EXTRACT, "extract")         /* of tar: unpacks, so that operands are names in the archive */       \
        X(IN_PLACE, "in-place")       /* writes the files that it reads */                                   \
        X(INTO, "into")               /* a directory that it unpacks into */                                 \
        X(LISTEN, "listen")           /* waits to be called, so that no operand is a host */                 \
        X(METHOD, "method")           /* of a request */                                                     \
        X(MODE, "mode")               /* the permissions of what it writes */                                \
        X(MODULE, "module")           /* of python: the program that it runs, by another name */             \
        X(PAIR, "pair")               /* takes two arguments */                                              \
        X(PAYLOAD, "payload")         /* bytes that it sends with a lookup */                                \
        X(PROGRAM, "program")         /* a program to run, perhaps with arguments */                         \
        X(PROXY, "proxy")             /* another way to the host, which makes the host's name worthless */   \
        X(READ, "read")               /* a file that it reads */                                             \
        X(RECURSIVE, "recursive")     /* works on all that is below, too */                                  \
        X(RUNS, "runs")               /* makes it run something that the command does not show */            \
        X(SCRIPT, "script")           /* its script or pattern, so that no operand is */                     \
        X(SCRIPT_FILE, "script-file") /* a file with that */                                                 \
        X(SEND, "send")               /* data to send; @FILE for that of a file */                           \
        X(SEND_FILE, "send-file")     /* a file that it sends */                                             \
        X(SHELL, "shell")             /* shell code to run; without an argument of its own, an operand is */ \
        X(SIZE, "size")               /* how much it writes */                                               \
        X(SSH_OPTION, "ssh-option")   /* NAME=VALUE, as in ssh_config(5) */                                  \
        X(TARGET, "target")           /* the directory to copy to, so that no operand is */                  \
        X(TUNNEL, "tunnel")           /* a way in for others */                                              \
        X(URL, "url")                 /* a URL or host that it connects to */                                \
        X(WRITE, "write")             /* a file that it writes */
/* clang-format on */

enum meaning {
        MEANS_NOTHING,
#define AS_ENUM(name, word) MEANS_##name,
        OPTION_MEANINGS(AS_ENUM)
#undef AS_ENUM
};

enum meaning meaning_find(struct str word); /* MEANS_NOTHING: there is no such word */

#endif
