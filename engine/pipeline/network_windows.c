/*
 * No sandbox of Windows lists hosts.
 */
#include "engine/pipeline/run.h"

int run_network_begin(struct run *run, struct job_setup *setup, struct err *err) {
        (void)run;
        (void)setup;
        (void)err;
        return 0;
}

int credentials_check(const char *self, struct err *err) {
        (void)self;
        return err_set(err, ERR_UNSUPPORTED, "sandbox.network.credential cannot be used on this system");
}

void run_network_started(struct run *run) {
        (void)run;
}

void run_network_end(struct run *run) {
        (void)run;
}

void run_network_forget(struct run *run) {
        (void)run;
}

const char *const *run_network_refusals(struct run *run) {
        (void)run;
        return NULL;
}

void shell_ports_plan(struct run *run) {
        (void)run;
}

const char *shell_ports_served(struct run *run) {
        (void)run;
        return NULL;
}

void gateway_link_close(struct gateway_link *link) {
        (void)link;
}
