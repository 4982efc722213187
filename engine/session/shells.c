/*
 * Commands of a session, looked at and ended by their ids.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "engine/config.h"
#include "engine/session/session.h"
#include "policy/pattern.h"

/* All lines of both streams together: whoever reads one command keeps the others of the session waiting. */
#define FILTER_TIME (TIME_SECOND / 20)
#define FILTER_LOOK (TIME_SECOND / 200) /* between two looks at the processor's clock, which costs more than most lines */

int bailey_kill(struct bailey_session *session, const char *id, int signal) {
        struct shell *shell = session_find(session, id);

        if (!shell)
                return -1;
        if (!shell->ended)
                job_cancel(&shell->run->job, signal, session->policy->policy->run.kill_grace);
        session_arm(session);
        return 0;
}

/* ---- reading ---- */

/* A reading, and what it points to. */
struct reading {
        struct arena arena;
        const struct bailey_read_options *options;
        size_t limit;
        uint64_t since[2];
        bool has_filter;
        struct user_pattern filter;
        int64_t filter_deadline; /* in processor time */
        int64_t filter_look;     /* monotonic: when that is looked at next */
};

static int read_cursor(struct reading *r, struct err *err) {
        const char *since = r->options->since;
        char end;

        if (!since || sscanf(since, "%" SCNu64 ".%" SCNu64 "%c", &r->since[0], &r->since[1], &end) == 2)
                return 0;
        return err_set(err, ERR_INVALID, "since: '%.40s' is not the `next` of an earlier result", since);
}

/* Of this thread, in nanoseconds. */
static int64_t processor_time(void) {
        struct timespec now = { 0 };

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return now.tv_sec * TIME_SECOND + now.tv_nsec;
}

static int read_filter(struct reading *r, struct err *err) {
        if (!r->options->filter)
                return 0;
        r->has_filter = true;
        r->filter_deadline = processor_time() + FILTER_TIME;
        r->filter.regex = str_z(r->options->filter);
        if (user_pattern_compile(&r->filter, &r->arena, err) == 0)
                return 0;
        return err_context(err, "filter");
}

static bool filter_is_late(struct reading *r) {
        int64_t now = time_monotonic();

        if (now < r->filter_look)
                return false;
        r->filter_look = now + FILTER_LOOK;
        return processor_time() > r->filter_deadline;
}

static int keep_lines(struct reading *r, struct str text, struct capture *lines, struct err *err) {
        while (text.len) {
                struct str line = str_take(text, str_find(text, '\n'));

                if (filter_is_late(r))
                        return err_set(err, ERR_TOO_COMPLEX,
                                       "filter: matching takes too long: use a simpler expression without nested repetitions, "
                                       "or pass `since` to search only newer output");
                if (user_pattern_matches(&r->filter, line) != PATTERN_NO) {
                        capture_add(lines, line);
                        capture_add(lines, STR("\n"));
                }
                text = str_skip(text, line.len + 1);
        }
        return 0;
}

/* Whole lines that match, of all that was kept, bounded as other output is. */
static int pick_lines(struct reading *r, struct str text, struct captured *ret, struct err *err) {
        struct capture lines;
        int result;

        if (capture_init(&lines, r->limit < CAPTURE_LIMIT_MIN ? CAPTURE_LIMIT_MIN : r->limit, err) < 0)
                return -1;
        result = keep_lines(r, text, &lines, err);
        if (result == 0)
                result = capture_show(&lines, r->limit, &r->arena, ret, err);
        capture_free(&lines);
        return result;
}

static int take_text(struct reading *r, const struct capture *capture, uint64_t since, struct captured *ret, struct err *err) {
        size_t limit = r->has_filter ? SIZE_MAX : r->limit; /* it has its turn when lines are picked */

        if (r->options->tail && capture->total > since && capture->total - since > limit)
                since = capture->total - limit;
        if (r->options->since || r->options->tail)
                return capture_since(capture, since, limit, &r->arena, ret, err);
        return capture_show(capture, limit, &r->arena, ret, err);
}

/* Of a command that never ran, or ended so long ago that only its counts are left. */
static int read_nothing(struct reading *r, uint64_t total, uint64_t since, struct bailey_stream *ret, struct err *err) {
        char text[96] = "";

        if (total > since)
                snprintf(text, sizeof(text), "... (%" PRIu64 " bytes of output are no longer available)\n", total - since);
        ret->text = arena_dup(&r->arena, str_z(text));
        ret->length = strlen(text);
        ret->bytes = total;
        ret->elided = total > since ? total - since : 0;
        return ret->text ? 0 : err_memory(err);
}

static int read_stream(struct reading *r, const struct stream *stream, uint64_t since, struct bailey_stream *ret,
                       uint64_t *ret_next, struct err *err) {
        const struct capture *capture = &stream->capture;
        struct captured captured, picked = {};

        if (!capture->head) {
                *ret_next = capture->total;
                return read_nothing(r, capture->total, since, ret, err);
        }
        if (take_text(r, capture, since, &captured, err) < 0)
                return -1;
        *ret_next = captured.next;
        *ret = (struct bailey_stream){ .bytes = capture->total, .elided = captured.elided };
        if (r->has_filter) {
                if (pick_lines(r, captured.text, &picked, err) < 0)
                        return -1;
                captured.text = picked.text;
                ret->elided += picked.elided;
        }
        ret->text = arena_dup(&r->arena, captured.text);
        ret->length = captured.text.len;
        return ret->text ? 0 : err_memory(err);
}

static int64_t run_time(const struct shell *shell) {
        return shell->ended ? shell->duration_ms : (time_monotonic() - shell->run->job.begun) / (TIME_SECOND / 1000);
}

static int read_shell(struct reading *r, struct shell *shell, struct bailey_reading *ret, struct err *err) {
        char started[TIME_TEXT_SIZE], next[64];
        uint64_t at[2] = {};

        if (read_cursor(r, err) < 0 || read_filter(r, err) < 0)
                return -1;
        if (!shell->ended) {
                stream_flush(&shell->out);
                stream_flush(&shell->err);
        }
        if (read_stream(r, &shell->out, r->since[0], &ret->out, &at[0], err) < 0 ||
            read_stream(r, &shell->err, r->since[1], &ret->err, &at[1], err) < 0)
                return -1;
        time_format(shell->begun, started);
        snprintf(next, sizeof(next), "%" PRIu64 ".%" PRIu64, at[0], at[1]);
        ret->status = shell->status;
        ret->exit_code = shell->exit_code;
        ret->duration_ms = run_time(shell);
        ret->command = arena_dup(&r->arena, shell->command);
        ret->started = arena_dup(&r->arena, str_z(started));
        ret->next = arena_dup(&r->arena, str_z(next));
        ret->description = shell->description ? arena_dup(&r->arena, str_z(shell->description)) : NULL;
        ret->message = shell->message ? arena_dup(&r->arena, str_z(shell->message)) : NULL;
        ret->explanation = shell->explanation ? arena_dup(&r->arena, str_z(shell->explanation)) : NULL;
        return ret->command && ret->started && ret->next ? 0 : err_memory(err);
}

int bailey_read(struct bailey_session *session, const char *id, const struct bailey_read_options *options,
                struct bailey_reading *ret, char *ret_error, size_t error_size) {
        struct reading *r = calloc(1, sizeof(*r));
        struct shell *shell = session_find(session, id);
        struct bailey_reading reading = { .memory = r };
        struct err err = {};

        if (!shell)
                err_set(&err, ERR_NOT_FOUND, "unknown shell_id '%.64s': there is no such shell, or it ended long ago", id);
        else if (!r)
                err_memory(&err);
        if (!r || !shell) {
                free(r);
                return config_hand_error(&err, ret_error, error_size);
        }
        arena_init(&r->arena, 0);
        r->options = options;
        r->limit = options->limit ? options->limit : (size_t)session->policy->policy->run.output_bytes;
        if (read_shell(r, shell, &reading, &err) < 0) {
                bailey_reading_free(&reading);
                return config_hand_error(&err, ret_error, error_size);
        }
        *ret = reading;
        return 0;
}

void bailey_reading_free(struct bailey_reading *reading) {
        struct reading *r = reading->memory;

        if (r)
                arena_free(&r->arena);
        free(r);
        *reading = (struct bailey_reading){};
}

/* ---- the list ---- */

static int put_shell(const struct shell *shell, struct arena *arena, struct bailey_shell *ret) {
        char started[TIME_TEXT_SIZE];

        time_format(shell->begun, started);
        *ret = (struct bailey_shell){
                .id = arena_dup(arena, str_z(shell->id)),
                .status = shell->status,
                .ended = shell->ended,
                .exit_code = shell->exit_code,
                .started = arena_dup(arena, str_z(started)),
                .duration_ms = run_time(shell),
                .command = { arena_dup(arena, shell->command), shell->command.len },
                .description = shell->description ? arena_dup(arena, str_z(shell->description)) : NULL,
                .out_bytes = shell->out.capture.total,
                .err_bytes = shell->err.capture.total,
        };
        return ret->id && ret->started && ret->command.text ? 0 : -1;
}

static int put_shells(const struct bailey_session *session, struct arena *arena, struct bailey_shell_list *ret) {
        struct bailey_shell *items;
        size_t count = 0;

        for (const struct shell *shell = session->first; shell; shell = shell->next)
                count += shell->background;
        items = arena_alloc(arena, (count + 1) * sizeof(*items));
        *ret = (struct bailey_shell_list){ items, count, arena };
        for (const struct shell *shell = session->first; items && shell; shell = shell->next)
                if (shell->background && put_shell(shell, arena, items++) < 0)
                        return -1;
        return items ? 0 : -1;
}

int bailey_shells(struct bailey_session *session, struct bailey_shell_list *ret) {
        struct bailey_shell_list list;
        struct err ignored;
        struct arena *arena = config_memory_new(&ignored);

        if (!arena || put_shells(session, arena, &list) < 0) {
                config_memory_free(arena);
                return -1;
        }
        *ret = list;
        return 0;
}

void bailey_shell_list_free(struct bailey_shell_list *list) {
        config_memory_free(list->memory);
        *list = (struct bailey_shell_list){};
}
