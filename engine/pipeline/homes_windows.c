#include "engine/pipeline/run.h"

/* There are no homes of workspaces. */
int run_home_hold(struct run *run) {
        (void)run;
        return 0;
}

int run_home_check(struct run *run) {
        (void)run;
        return 0;
}

void run_home_tidy(const struct run *run) {
        (void)run;
}

void run_home_end(struct run *run) {
        (void)run;
}
