/*
 * The status of a process that has ended. Windows has no signals, and codes of 32 bits: the status is the code.
 */
#ifndef BAILEY_BASE_WINDOWS_WAIT_H
#define BAILEY_BASE_WINDOWS_WAIT_H

#define WIFEXITED(status) ((void)(status), true)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((void)(status), false)
#define WTERMSIG(status) ((void)(status), 0)

#endif
