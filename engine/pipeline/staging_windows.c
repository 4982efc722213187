#include "engine/pipeline/run.h"

/* There are no overlays. */
int run_stage_begin(struct run *run) {
        return run->order.options.stage ? err_set(&run->result.err, ERR_INVALID, "staging requires Linux") : 0;
}

int run_stage_join(struct run *run, const struct backend *backend, struct err *err) {
        (void)run;
        (void)backend;
        (void)err;
        return 0;
}

void run_stage_leave(struct run *run) {
        (void)run;
}

void run_stage_end(struct run *run) {
        (void)run;
}

void run_stage_close(struct run *run) {
        (void)run;
}
