#include "launch/report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void send_record(int fd, const struct report *report) {
        while (write(fd, report, sizeof(*report)) < 0 && errno == EINTR)
                ;
}

void report_send(int fd, enum report_kind kind, int status) {
        struct report report;

        memset(&report, 0, sizeof(report)); /* padding, too: it leaves this process */
        report.kind = kind;
        report.status = status;
        send_record(fd, &report);
}

void report_end(int fd, int status, uint32_t facts, const char *refused) {
        struct report report;

        memset(&report, 0, sizeof(report));
        report.kind = REPORT_ENDED;
        report.status = status;
        report.facts = facts;
        if (refused[0]) {
                report.facts |= REPORT_REFUSED;
                err_set(&report.err, ERR_INVALID, "%s", refused);
        }
        send_record(fd, &report);
}

_Noreturn void report_failure(int fd, const struct err *err) {
        struct report report;

        memset(&report, 0, sizeof(report));
        report.kind = REPORT_FAILED;
        report.err = *err;
        send_record(fd, &report);
        _exit(125);
}

int report_receive(int fd, struct report *ret) {
        ssize_t got;

        do
                got = read(fd, ret, sizeof(*ret));
        while (got < 0 && errno == EINTR);
        if (got == 0)
                return 0;
        return got == sizeof(*ret) ? 1 : -1;
}
