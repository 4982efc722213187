/*
 * Large memory that only this process needs: a child that is cloned does not get it. To copy the tables of such memory takes
 * longer than all the rest of a clone, where there is much of it.
 */
#ifndef BAILEY_BASE_PAGES_H
#define BAILEY_BASE_PAGES_H

#include <stddef.h>

/* NULL: there is none. It is not cleared where it was used before. */
void *pages_new(size_t size);

/* `size` as it was asked for; NULL is fine. */
void pages_free(void *pages, size_t size);

#endif
