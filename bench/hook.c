/*
 * What an agent waits for before each of its commands: `bailey hook` from spawn to exit, with a question as Claude Code asks
 * it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "bench/bench.h"

static int question_open(const struct bench *bench) {
        char path[PATH_MAX + 16], text[2 * PATH_MAX];
        struct err err;
        FD_AUTO fd = -1;

        snprintf(
                text, sizeof(text),
                "{\"session_id\":\"s\",\"cwd\":\"%s\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":"
                "{\"command\":\"cd src && grep -rn 'TODO' . | head -20; make -j4 test 2>&1 | tail "
                "-5\",\"description\":\"x\"}}\n",
                bench->work);
        snprintf(path, sizeof(path), "%s/question", bench->place);
        fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd < 0)
                bench_die("%s: %s", path, strerror(errno));
        if (fd_write_all(fd, str_z(text), &err) < 0)
                bench_die("%s: %s", path, err.msg);
        return TAKE_FD(fd);
}

static int64_t ask(const struct bench *bench, const struct child *hook, int question) {
        int64_t begun;
        int status = -1;
        pid_t pid;

        lseek(question, 0, SEEK_SET);
        begun = time_monotonic();
        pid = child_start(bench, hook, question, -1);
        if (waitpid(pid, &status, 0) != pid || status != 0)
                bench_die("%s hook failed while it was measured: %d", bench->bailey, status);
        return time_monotonic() - begun;
}

void measure_hook(struct bench *bench) {
        const char *const argv[] = { bench->bailey, "hook", NULL };
        const struct child hook = { .argv = argv };
        struct samples samples = { 0 };
        struct row *row = row_add(bench, "hook-answer", "bailey hook answers an agent, median", "");
        FD_AUTO question = question_open(bench);

        for (int warm = 0; warm < 3; warm++) /* into the caches */
                ask(bench, &hook, question);
        for (size_t i = 0; i < bench->n; i++)
                samples_add(&samples, ask(bench, &hook, question));
        row_value(row, "ms", samples_quantile(&samples, 50) / 1e6, samples.count, AT_MOST, 10);
        row->p95 = samples_quantile(&samples, 95) / 1e6;
        samples_free(&samples);
}
