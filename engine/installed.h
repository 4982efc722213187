/*
 * Where this was installed, as far as anybody asks. installed.c is written by the build from installed.c.in.
 */
#ifndef BAILEY_ENGINE_INSTALLED_H
#define BAILEY_ENGINE_INSTALLED_H

extern const char installed_program[]; /* bailey itself */

#endif
