/*
 * bailey mcp: the server for agents, on stdin and stdout.
 */
#include <malloc.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bailey.h"
#include "base/fd.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/overrides.h"
#include "mcp/server.h"

enum { OUTPUT_BLOCK = 128 << 10 }; /* memory for output goes back to the system when it is freed */

enum {
        OPTION_POLICY,
        OPTION_BACKEND,
        OPTION_WORKSPACE,
        OPTION_READ,
        OPTION_WRITE,
        OPTION_DENY_READ,
        OPTION_DENY_WRITE,
        OPTION_NETWORK,
        OPTION_ALLOW_HOST,
        OPTION_PUBLISH,
        OPTION_HOST_PORT,
        OPTION_ROOT,
        OPTION_MEMORY,
        OPTION_CPU_SECS,
        OPTION_PIDS,
        OPTION_ENV,
        OPTION_STAGE,
        OPTION_STRICT,
        OPTION_SET,
        OPTION_CONFIG,
        OPTION_HELP,
};

static const struct option_row option_rows[] = {
        [OPTION_POLICY] = ROW_POLICY,
        [OPTION_BACKEND] = ROW_BACKEND,
        [OPTION_WORKSPACE] = ROW_WORKSPACE,
        [OPTION_READ] = ROW_READ,
        [OPTION_WRITE] = ROW_WRITE,
        [OPTION_DENY_READ] = ROW_DENY_READ,
        [OPTION_DENY_WRITE] = ROW_DENY_WRITE,
        [OPTION_NETWORK] = ROW_NETWORK,
        [OPTION_ALLOW_HOST] = ROW_ALLOW_HOST,
        [OPTION_PUBLISH] = ROW_PUBLISH,
        [OPTION_HOST_PORT] = ROW_HOST_PORT,
        [OPTION_ROOT] = ROW_ROOT,
        [OPTION_MEMORY] = ROW_MEMORY,
        [OPTION_CPU_SECS] = ROW_CPU_SECS,
        [OPTION_PIDS] = ROW_PIDS,
        [OPTION_ENV] = ROW_ENV,
        [OPTION_STAGE] = { "stage", 0, "[STAGE]",
                           "write changes of the workspace to a stage instead (see bailey diff); default name: default" },
        [OPTION_STRICT] = ROW_STRICT,
        [OPTION_SET] = ROW_SET,
        [OPTION_CONFIG] = ROW_CONFIG,
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* What asks this program to end; a client that is gone does so, too, when we write to it. */
static int signals_watch(void) {
        sigset_t set;

        signal(SIGPIPE, SIG_IGN);
        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGHUP);
        sigprocmask(SIG_BLOCK, &set, NULL);
        return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void notice(const char *text) {
        log_line("mcp: bailey status, allow, deny and kill cannot reach this session: %s", text);
}

static enum exit_status mcp_run(const struct options *options) {
        const char *const *given = options->values;
        struct overrides overrides;
        struct mcp_options server = {
                .environment = (const char *const *)environ,
                .in = STDIN_FILENO,
                .out = STDOUT_FILENO,
                .listen = true,
                .notice = notice,
        };
        FD_AUTO signals = -1;
        char error[512];

        overrides_read(option_rows, options, &overrides);
        POLICY_AUTO policy =
                policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], &overrides);
        overrides_free(&overrides);
        if (!policy)
                return EXIT_USAGE;
        mallopt(M_MMAP_THRESHOLD, OUTPUT_BLOCK);
        server.policy = policy;
        if (given[OPTION_STAGE])
                server.stage = *given[OPTION_STAGE] ? given[OPTION_STAGE] : "default";
        server.stop_fd = signals = signals_watch();
        if (mcp_serve(&server, error, sizeof(error)) == 0)
                return EXIT_DONE;
        log_line("mcp: %s", error);
        return EXIT_PROBLEM;
}

static const struct help_row examples[] = {
        { "bailey mcp --workspace ~/project", "serve an agent in a project" },
        { "claude mcp add shell -- bailey mcp", "register the server with Claude Code" },
        {},
};

const struct cli_command cli_mcp = {
        .name = "mcp",
        .operands = "",
        .summary = "serve the Model Context Protocol on standard input and output",
        .details =
                "Provides the tools Bash, BashOutput, BashInput, KillShell, bash_sandbox_test and bash_container_status. Each\n"
                "command is checked, runs in its own sandbox, and is logged. The server exits at end of input or on "
                "SIGTERM,\nand kills all commands that it started.\n",
        .options = option_rows,
        .examples = examples,
        .run = mcp_run,
};
