#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/overrides.h"

struct bailey_policy *policy_from_options(const char *name, const char *workspace, const char *config,
                                          const struct overrides *overrides) {
        const struct bailey_policy_options options = {
                .policy = name,
                .workspace = workspace ? workspace : ".",
                .config = config,
                .overrides = overrides ? (const char *const *)overrides->items : NULL,
                .environment = (const char *const *)environ,
                .program = "",
        };
        struct bailey_policy *policy;
        const char *option;
        char error[256];

        if (overrides && overrides->failed) {
                log_line("out of memory");
                return NULL;
        }
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0) {
                option = overrides ? overrides_option(overrides, error) : NULL;
                if (option)
                        log_line("option --%s%s", option, error + strcspn(error, ":"));
                else
                        log_line("%s", error);
                return NULL;
        }
        for (size_t i = 0; bailey_policy_notice(policy, i); i++)
                log_line("%s", bailey_policy_notice(policy, i));
        return policy;
}

void policy_release(struct bailey_policy **policy) {
        bailey_policy_free(*policy);
}
