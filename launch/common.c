/*
 * Parts of a launch that are the same on Linux and macOS.
 */
#include <sys/resource.h>

#include "launch/report.h"
#include "launch/start.h"

int limits_apply(const struct launch *launch, struct err *err) {
        for (size_t i = 0; i < launch->limit_count; i++) {
                const struct launch_limit *limit = &launch->limits[i];
                struct rlimit now, wanted = { limit->value, limit->value };

                if (limit->resource == RLIMIT_CPU) /* at the soft limit the signal says what ended the command */
                        wanted.rlim_max++;
                if (getrlimit(limit->resource, &now) == 0 && now.rlim_max < wanted.rlim_max) {
                        wanted.rlim_max = now.rlim_max; /* it is stricter already */
                        wanted.rlim_cur = now.rlim_max < limit->value ? now.rlim_max : limit->value;
                }
                if (setrlimit(limit->resource, &wanted) < 0)
                        return err_sys(err, "limit %d to %llu", limit->resource, (unsigned long long)limit->value);
        }
        return 0;
}

bool launch_hear(struct launched *launched) {
        struct report report;

        if (launched->report_fd < 0 || report_receive(launched->report_fd, &report) != 1)
                return false;
        launched->said = report.kind;
        launched->status = report.status;
        launched->facts = report.facts;
        launched->failure = report.err;
        return true;
}

int launch_started(struct launched *launched) {
        if (launched->said == 0)
                launch_hear(launched);
        return launched->said == REPORT_STARTED || launched->said == REPORT_ENDED ? 0 : -1;
}
