/*
 * Without a library that reads JSON.
 */
#include "cli/requests.h"

#include "base/log.h"

int request_text(const struct request *request, const char *name, struct str *ret) {
        (void)request;
        (void)name;
        (void)ret;
        return -1;
}

enum exit_status requests_answer(const char *command, request_answer *answer, void *context) {
        (void)answer;
        (void)context;
        log_line("%s: --batch is not available on Windows; run one command per call", command);
        return EXIT_USAGE;
}
