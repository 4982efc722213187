/*
 * The last steps, taken inside the walls that namespaces make, or alone where there are none: limits, Landlock,
 * privileges, system calls; then the command is started, waited for, and nothing of it is left.
 */
#ifndef BAILEY_LAUNCH_INSIDE_H
#define BAILEY_LAUNCH_INSIDE_H

#include "sandbox/launch.h"

/*
 * 0, 1 and 2 are the command's already. Reports over `report_fd`, and never returns. `lifeline` is only for a launch
 * without pids of its own: when its other end closes, everything inside is killed.
 */
_Noreturn void inside_run(const struct launch *launch, int report_fd, int lifeline);

#endif
