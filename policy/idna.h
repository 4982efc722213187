/*
 * Names in other scripts: DNS has xn--bcher-kva.example for what people write as bücher.example.
 */
#ifndef BAILEY_POLICY_IDNA_H
#define BAILEY_POLICY_IDNA_H

#include "base/str.h"

enum { IDNA_MAX = 1024 };

/* The name as people write it, in UTF-8. Labels that cannot be decoded (RFC 3492) stay as they are; so does what is too long.
 */
struct str idna_read(struct str name, char room[static IDNA_MAX]);

#endif
