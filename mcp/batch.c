/*
 * Several messages on one line, which one revision of the protocol has: what answers them goes into one line, too, once all of
 * it is there.
 */
#include <stdlib.h>

#include "mcp/call.h"

struct batch {
        struct buf answers; /* a line each */
        size_t open;        /* requests that are still being served, and one while the batch is taken in */
};

struct buf *batch_out(struct mcp_server *server) {
        return server->batch ? &server->batch->answers : &server->wire.queue;
}

struct batch *batch_join(struct mcp_server *server) {
        if (server->batch)
                server->batch->open++;
        return server->batch;
}

/* [answer,answer]: no answer has a newline inside. */
static void send_answers(struct batch *batch, struct buf *out) {
        struct buf *answers = &batch->answers;

        for (size_t i = 0; i < answers->len; i++)
                if (answers->ptr[i] == '\n')
                        answers->ptr[i] = ',';
        if (answers->failed)
                out->failed = true;
        if (!answers->len || answers->failed)
                return;
        buf_char(out, '[');
        buf_append(out, str_take(buf_str(answers), answers->len - 1));
        buf_append(out, STR("]\n"));
}

void batch_leave(struct mcp_server *server, struct batch *batch) {
        if (!batch || --batch->open > 0)
                return;
        send_answers(batch, &server->wire.queue);
        buf_free(&batch->answers);
        free(batch);
}

bool batch_take(struct mcp_server *server, json_t *messages, batch_each *take) {
        struct batch *batch = calloc(1, sizeof(*batch));

        if (!batch)
                return false;
        buf_init(&batch->answers, WIRE_OUT_MAX);
        batch->open = 1;
        server->batch = batch;
        for (size_t i = 0; i < json_array_size(messages); i++)
                take(server, json_array_get(messages, i));
        server->batch = NULL;
        batch_leave(server, batch);
        return true;
}
