#include "run/input_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"

void input_queue_init(struct input_queue *queue) {
        *queue = (struct input_queue){ .fd = -1 };
        buf_init(&queue->queue, (size_t)2 * INPUT_QUEUE_MAX); /* with what is written already, which goes when half of it is */
}

void input_queue_close(struct input_queue *queue) {
        fd_close(TAKE_FD(queue->fd));
}

void input_queue_free(struct input_queue *queue) {
        input_queue_close(queue);
        buf_free(&queue->queue);
}

int input_queue_open(struct input_queue *queue, int *ret_end, struct err *err) {
        int ends[2];

        if (fd_pipe(ends, err) < 0)
                return -1;
        input_queue_attach(queue, ends[1]);
        if (fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0) {
                input_queue_close(queue);
                fd_close(ends[0]);
                return err_sys(err, "input");
        }
        *ret_end = ends[0];
        return 0;
}

void input_queue_attach(struct input_queue *queue, int fd) {
        input_queue_close(queue);
        queue->fd = fd;
}

/* ---- in ---- */

size_t input_queue_waiting(const struct input_queue *queue) {
        return queue->queue.len - queue->start;
}

static void drop_written(struct input_queue *queue) {
        struct buf *buf = &queue->queue;
        size_t left = input_queue_waiting(queue);

        if (left > queue->start)
                return;
        if (left)
                memcpy(buf->ptr, buf->ptr + queue->start, left);
        buf->len = left;
        queue->start = 0;
}

int input_queue_check(const struct input_queue *queue, size_t len, struct err *err) {
        size_t waiting = input_queue_waiting(queue);

        if (queue->ending)
                return err_set(err, ERR_REFUSED, "its standard input was closed by an earlier call");
        if (queue->unread)
                return err_set(err, ERR_REFUSED, "the command has closed its standard input, and reads no more");
        if (len > INPUT_QUEUE_MAX - waiting)
                return err_set(
                        err, ERR_REFUSED,
                        "%zu bytes are too many: %zu bytes wait already that the command has not read, and at most %d can", len,
                        waiting, INPUT_QUEUE_MAX);
        return 0;
}

int input_queue_add(struct input_queue *queue, struct str text, struct err *err) {
        if (input_queue_check(queue, text.len, err) < 0)
                return -1;
        drop_written(queue);
        buf_append(&queue->queue, text);
        return queue->queue.failed ? err_memory(err) : 0;
}

/* ---- out ---- */

static void forget(struct input_queue *queue) {
        queue->start = queue->queue.len = 0;
}

/* Returns false if no more can be written now. */
static bool write_some(struct input_queue *queue) {
        struct fd_quiet quiet;
        ssize_t put;

        fd_quiet_begin(&quiet);
        put = write(queue->fd, queue->queue.ptr + queue->start, input_queue_waiting(queue));
        fd_quiet_end(&quiet);
        if (put > 0)
                queue->start += (size_t)put;
        else if (put < 0 && errno != EAGAIN && errno != EINTR)
                queue->unread = true;
        return put > 0;
}

bool input_queue_give(struct input_queue *queue) {
        if (queue->fd < 0)
                return false;
        while (input_queue_waiting(queue) && write_some(queue))
                ;
        if (queue->unread || !input_queue_waiting(queue))
                forget(queue);
        return !queue->unread && !(queue->ending && !input_queue_waiting(queue));
}
