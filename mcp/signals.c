#include "mcp/signals.h"

#include <signal.h>
#include <string.h>

static const struct {
        const char *name;
        int number;
        enum signal_use uses;
} signals[] = {
        { "SIGINT", SIGINT, SIGNAL_ENDS | SIGNAL_TELLS },
        { "SIGTERM", SIGTERM, SIGNAL_ENDS | SIGNAL_TELLS },
        { "SIGHUP", SIGHUP, SIGNAL_ENDS | SIGNAL_TELLS },
        { "SIGQUIT", SIGQUIT, SIGNAL_ENDS | SIGNAL_TELLS },
        { "SIGKILL", SIGKILL, SIGNAL_ENDS },
        { "SIGTSTP", SIGTSTP, SIGNAL_TELLS },
        { "SIGCONT", SIGCONT, SIGNAL_TELLS },
        { "SIGUSR1", SIGUSR1, SIGNAL_TELLS },
        { "SIGUSR2", SIGUSR2, SIGNAL_TELLS },
};

enum { COUNT = sizeof(signals) / sizeof(*signals) };

static bool is_named(const char *name, const char *signal) {
        return str_eq_nocase(str_z(name), str_z(signal)) || str_eq_nocase(str_z(name), str_z(signal + strlen("SIG")));
}

int signal_number(const char *name, enum signal_use use) {
        for (size_t i = 0; i < COUNT; i++)
                if (signals[i].uses & use && is_named(name, signals[i].name))
                        return signals[i].number;
        return 0;
}

static size_t count_for(enum signal_use use) {
        size_t count = 0;

        for (size_t i = 0; i < COUNT; i++)
                count += (signals[i].uses & use) != 0;
        return count;
}

void signal_names(enum signal_use use, struct buf *out) {
        size_t left = count_for(use);

        for (size_t i = 0; i < COUNT; i++)
                if (signals[i].uses & use)
                        buf_format(out, "%s%s", signals[i].name, --left > 1 ? ", " : left ? " or " : "");
}
