/*
 * A client of `bailey mcp`: one server, lines of requests in, lines of answers out.
 */
#ifndef BAILEY_BENCH_CLIENT_H
#define BAILEY_BENCH_CLIENT_H

#include "bench/bench.h"

struct client {
        pid_t pid;
        int in, out;
        char *buffer;
        size_t have, used; /* bytes in the buffer, and those of the line that was answered last */
        unsigned long long last_id;
};

/* Starts a server, with settings like "run.warm=0" (NULL-terminated), and shakes hands. */
void client_start(struct client *client, const struct bench *bench, const char *const *settings);

/* Ends it, and waits for its end. */
void client_stop(struct client *client);

void client_bash(struct client *client, const char *command, bool background);
void client_kill_shell(struct client *client, const char *shell);

/* The next answer, which must be none of an error. Valid until the next one. */
struct str client_answer(struct client *client);

/* A call and its answer: how long that takes. */
int64_t client_time(struct client *client, const char *command);

/* `count` calls, some of them at a time: how long that takes. */
int64_t client_pump(struct client *client, const char *command, size_t count, size_t at_once);

/* After some calls, so that everything is in its caches, and a pool has learned what is needed. */
void client_warm_up(struct client *client, const struct bench *bench);

#endif
