/*
 * The completion scripts of cli/shells/, which are in the program, too.
 */
#ifndef BAILEY_CLI_SHELLS_H
#define BAILEY_CLI_SHELLS_H

extern const char shell_bash[], shell_zsh[], shell_fish[];

#endif
