/*
 * Without a library that reads JSON.
 */
#include "cli/batch.h"

#include "base/log.h"

int batch_text(const struct batch_request *request, const char *name, struct str *ret) {
        (void)request;
        (void)name;
        (void)ret;
        return -1;
}

enum exit_status batch_run(const char *command, batch_answer *answer, void *context) {
        (void)answer;
        (void)context;
        log_line("%s: --batch is not available on Windows; run one command per call", command);
        return EXIT_USAGE;
}
