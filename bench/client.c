/*
 * The client's side of the protocol, as far as it is measured. An answer is only looked at after the clock was.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "bench/client.h"

enum { BUFFER_SIZE = 4 << 20, SETTINGS_MAX = 8, PATIENCE_MS = 120000, WARM_UP = 20 };

static void send_line(struct client *client, struct str line) {
        struct err err;

        if (fd_write_all(client->in, line, &err) < 0)
                bench_die("the server does not listen: %s", err.msg);
}

/* A line: the request up to its one text, which needs no escapes, that, and the rest. */
static void request(struct client *client, const char *before, const char *text, const char *behind) {
        BUF_AUTO line;

        buf_init(&line, BUFFER_SIZE);
        buf_format(&line, "{\"jsonrpc\":\"2.0\",\"id\":%llu,%s%s%s}\n", ++client->last_id, before, text, behind);
        send_line(client, buf_str(&line));
}

void client_start(struct client *client, const struct bench *bench, const char *const *settings) {
        const char *argv[4 + 2 * SETTINGS_MAX + 1] = { bench->bailey, "mcp", "-w", bench->work };
        const struct child program = { .argv = argv };
        int in[2], out[2];
        struct err err;

        for (size_t at = 4; *settings && at < 4 + 2 * SETTINGS_MAX; settings++) {
                argv[at++] = "-s";
                argv[at++] = *settings;
        }
        *client = (struct client){ .buffer = malloc(BUFFER_SIZE) };
        if (!client->buffer || fd_pipe(in, &err) < 0 || fd_pipe(out, &err) < 0)
                bench_die("no memory or no pipe for a server");
        client->pid = child_start(bench, &program, in[0], out[1]);
        close(in[0]);
        close(out[1]);
        client->in = in[1];
        client->out = out[0];
        request(client, "\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"", "2025-06-18",
                "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}");
        client_answer(client);
        send_line(client, STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"));
}

void client_stop(struct client *client) {
        int status;

        close(client->in);
        close(client->out);
        free(client->buffer);
        if (waitpid(client->pid, &status, 0) != client->pid || status != 0)
                bench_die("the server ended with status %d", status);
        *client = (struct client){ .in = -1, .out = -1 };
}

void client_bash(struct client *client, const char *command, bool background) {
        request(client, "\"method\":\"tools/call\",\"params\":{\"name\":\"Bash\",\"arguments\":{\"command\":\"", command,
                background ? "\",\"description\":\"what is measured\",\"run_in_background\":true}}"
                           : "\",\"description\":\"what is measured\"}}");
}

void client_kill_shell(struct client *client, const char *shell) {
        request(client, "\"method\":\"tools/call\",\"params\":{\"name\":\"KillShell\",\"arguments\":{\"shell_id\":\"", shell,
                "\",\"signal\":\"SIGKILL\"}}");
}

/* Waits for a whole line, and for nothing behind it. */
static struct str read_line(struct client *client) {
        struct pollfd wait = { .fd = client->out, .events = POLLIN };
        char *end;

        client->have -= client->used;
        memmove(client->buffer, client->buffer + client->used, client->have);
        client->used = 0;
        while (!(end = memchr(client->buffer, '\n', client->have))) {
                ssize_t got = 0;

                if (client->have < BUFFER_SIZE && poll(&wait, 1, PATIENCE_MS) > 0)
                        got = read(client->out, client->buffer + client->have, BUFFER_SIZE - client->have);
                if (got <= 0)
                        bench_die("the server does not answer");
                client->have += (size_t)got;
        }
        client->used = (size_t)(end - client->buffer) + 1;
        return str_from(client->buffer, client->used);
}

struct str client_answer(struct client *client) {
        struct str line = read_line(client);

        if (memmem(line.ptr, line.len, "\"isError\":true", strlen("\"isError\":true")) ||
            memmem(line.ptr, line.len, "\"error\":{", strlen("\"error\":{")))
                bench_die("the server answers: %.*s", (int)line.len, line.ptr);
        return line;
}

int64_t client_time(struct client *client, const char *command) {
        int64_t begun = time_monotonic(), taken;
        struct str line;

        client_bash(client, command, false);
        line = read_line(client);
        taken = time_monotonic() - begun;
        if (!memmem(line.ptr, line.len, "\"exit_code\":0,", strlen("\"exit_code\":0,")))
                bench_die("%s: the server answers: %.*s", command, (int)line.len, line.ptr);
        return taken;
}

int64_t client_pump(struct client *client, const char *command, size_t count, size_t at_once) {
        size_t sent = 0, answered = 0;
        int64_t begun = time_monotonic();

        for (; answered < count; answered++) {
                for (; sent < count && sent - answered < at_once; sent++)
                        client_bash(client, command, false);
                client_answer(client);
        }
        return time_monotonic() - begun;
}

void client_warm_up(struct client *client, const struct bench *bench) {
        client_pump(client, "true", bench->quick ? 2 : WARM_UP, 1);
}
