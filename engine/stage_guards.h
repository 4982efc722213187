/*
 * Which paths of a stage are protected: those that programs on the host would run (policy/unasked.h, protect/survey.h).
 */
#ifndef BAILEY_ENGINE_STAGE_GUARDS_H
#define BAILEY_ENGINE_STAGE_GUARDS_H

#include <stdbool.h>

/* By its name alone, whatever its case. What can only be found out in the tree, such as a git directory of another name, is
 * found by the survey when it is there. Returns a sentence; NULL: it is not protected. */
const char *stage_guards(const char *path, bool directory);

#endif
