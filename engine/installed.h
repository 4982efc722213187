/*
 * Paths of the installation. installed.c is written by the build from installed.c.in.
 */
#ifndef BAILEY_ENGINE_INSTALLED_H
#define BAILEY_ENGINE_INSTALLED_H

extern const char installed_program[]; /* bailey itself */
extern const char installed_tls[];     /* bailey-tls */

#endif
