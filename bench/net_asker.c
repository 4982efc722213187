/*
 * Clients (bench_net.c) that are asked line by line, and how they get into a sandbox of others.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "bench/net_asker.h"

void asker_start(struct asker *asker, const struct bench *bench, const char *name, const char *const *argv) {
        const struct child program = { .argv = argv };
        int in[2], out[2];
        struct err err;

        if (fd_pipe(in, &err) < 0 || fd_pipe(out, &err) < 0)
                bench_die("%s", err.msg);
        *asker = (struct asker){ .name = name, .pid = child_start(bench, &program, in[0], out[1]), .in = in[1], .out = out[0] };
        close(in[0]);
        close(out[1]);
}

void asker_stop(struct asker *asker) {
        int status;

        close(asker->in);
        close(asker->out);
        waitpid(asker->pid, &status, 0);
        samples_free(&asker->taken);
}

/* Returns -1 when it has ended. */
int64_t ask(const struct asker *asker, const char *line) {
        char said[64];
        size_t have = 0;
        struct err err;

        if (fd_write_all(asker->in, str_from(line, strlen(line)), &err) < 0)
                return -1;
        while (have + 1 < sizeof(said)) {
                ssize_t got = read(asker->out, said + have, sizeof(said) - 1 - have);

                if (got <= 0)
                        return -1;
                have += (size_t)got;
                said[have] = '\0';
                if (strchr(said, '\n'))
                        return strtoll(said, NULL, 10);
        }
        return -1;
}

void ask_in_turns(struct asker *askers, size_t count, const char *line, size_t times) {
        for (size_t i = 0; i < count; i++)
                askers[i].taken.count = 0;
        for (size_t run = 0; run < times + 1; run++)
                for (size_t i = 0; i < count; i++) {
                        struct asker *asker = &askers[run % 2 ? count - 1 - i : i];
                        int64_t taken = asker->ended ? -1 : ask(asker, line);

                        if (taken < 0)
                                asker->ended = true;
                        else if (run > 0) /* the first is for the caches */
                                samples_add(&asker->taken, taken);
                }
}
