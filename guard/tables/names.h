/*
 * Names that mean something by themselves, whatever the arguments are.
 */
#ifndef BAILEY_GUARD_TABLES_NAMES_H
#define BAILEY_GUARD_TABLES_NAMES_H

#include "base/str.h"

/* The name on a blocklist that stands for this one, too: who may not do the one may not do the other. Empty: none. */
struct str name_related(struct str program);

bool name_is_miner(struct str program);    /* of cryptocurrency */
bool name_is_httpie(struct str program);   /* httpie, or a program with the same arguments */
bool name_is_database(struct str program); /* its code is SQL */

/* A variable that names a host which what is fetched comes from, or goes through. */
bool variable_names_host(struct str variable);

#endif
