/*
 * The server for agents: MCP on two files, usually stdin and stdout. Requests are served side by side, and nothing that one of
 * them waits for keeps the others waiting.
 */
#ifndef BAILEY_MCP_SERVER_H
#define BAILEY_MCP_SERVER_H

#include <stdbool.h>

#include "bailey.h"

struct mcp_options {
        const struct bailey_policy *policy;
        const char *const *environment;
        int in, out;
        int stop_fd;                      /* readable: end */
        const char *stage;                /* that commands write to, see struct bailey_run_options; NULL: the workspace */
        bool listen;                      /* to its user, see bailey_session_listen() */
        void (*notice)(const char *text); /* what the user should know */
};

/* Serves until `in` ends or it is told to stop; then everything that was started is killed. On failure `ret_error` says why. */
int mcp_serve(const struct mcp_options *options, char *ret_error, size_t error_size);

#endif
