/*
 * Any line as a job, and any file as the results of an earlier batch: an error, or what holds then.
 *
 * The first byte says which of the two the rest is.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "batch/job.h"
#include "batch/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth) {
        if (!truth)
                abort();
}

static void check_job(struct str text) {
        struct err err;
        struct job *job = job_new(text, 1, job_mark(text), "/usr", &err);

        require(job && job->mark && job->mark == job_mark(text));
        if (err.code == ERR_NONE) {
                require(!job->command != !job->argv && (!job->argv || job->argv[0]));
                require(!job->workspace || job->workspace[0] == '/');
                require(!job->cwd || path_within(job->cwd, job->workspace ? job->workspace : "/usr"));
                require(job->timeout_ms >= -1 && job->retries >= 0 && job->retries <= 100);
        } else {
                require(err.msg[0]);
        }
        job_free(job);
}

static off_t size_of(int fd) {
        struct stat st;

        require(fstat(fd, &st) == 0);
        return st.st_size;
}

/* What was accepted is whole lines, which are accepted again. A new result comes behind them, and is then among them. */
static void check_results(int fd) {
        struct results results, again;
        struct err err = {};
        BUF_AUTO line;
        off_t size;

        buf_init(&line, 1 << 10);
        if (results_open(&results, fd, "r", true, false, &err) < 0) {
                require(err.msg[0]);
                results_free(&results);
                return;
        }
        size = size_of(fd);
        require(!size || (pread(fd, &(char){ 0 }, 1, size - 1) == 1 && results.before));
        result_begin(&line, 1 << 20, 7);
        buf_append(&line, STR(",\"id\":null}"));
        if (results_have(&results, 1 << 20, 7, &err) == 0) {
                require(results_add(&results, 1 << 20, 7, &line, &err) == 0 && results_write(&results, &err) == 0);
                require(size_of(fd) > size);
                require(results_open(&again, fd, "r", true, false, &err) == 0 && again.before == results.before + 1);
                require(results_have(&again, 1 << 20, 7, &err) == 1 && results_have(&again, 1 << 20, 8, &err) < 0);
                results_free(&again);
        }
        results_free(&results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        int fd;

        if (size < 1 || size > 16 << 10)
                return 0;
        if (data[0] & 1) {
                check_job(str_from((const char *)data + 1, size - 1));
                return 0;
        }
        fd = memfd_create("results", MFD_CLOEXEC);
        require(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
        check_results(fd);
        close(fd);
        return 0;
}
