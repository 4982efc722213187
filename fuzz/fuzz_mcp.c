/*
 * Any lines for the server, with commands that are not run: what they do is said by the input, too. Whatever comes out is lines
 * of JSON, each an answer or a notification; no request is answered twice, and none that was cancelled.
 *
 * The input is lines. One that begins with '!' is not for the server: each of its bytes lets something happen to commands, or
 * time pass.
 */
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "mcp/call.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth) {
        if (!truth)
                abort();
}

/* ---- an engine that runs nothing ---- */

enum { SHELLS_MAX = 32, EVENTS_MAX = 4096 };

struct stub_shell {
        char id[BAILEY_ID_SIZE];
        char *command;
        bool background, started, ended, killed, taken;
};

struct bailey_session {
        struct stub_shell shells[SHELLS_MAX];
        size_t count;
        struct bailey_event events[EVENTS_MAX];
        size_t first, last;
};

static void tell(struct bailey_session *session, const struct stub_shell *shell, enum bailey_event_kind kind) {
        struct bailey_event *event = &session->events[session->last];

        if (session->last == EVENTS_MAX)
                return;
        session->last++;
        event->kind = kind;
        memcpy(event->id, shell->id, sizeof(event->id));
}

static void end_shell(struct bailey_session *session, struct stub_shell *shell) {
        if (!shell->ended)
                tell(session, shell, BAILEY_EVENT_ENDED);
        shell->ended = true;
}

static struct stub_shell *find(struct bailey_session *session, const char *id) {
        for (size_t i = 0; i < session->count; i++)
                if (!session->shells[i].taken && strcmp(session->shells[i].id, id) == 0)
                        return &session->shells[i];
        return NULL;
}

/* What a byte lets happen. */
static void happen(struct mcp_server *server, uint8_t byte) {
        struct bailey_session *session = server->session;
        struct stub_shell *shell = session->count ? &session->shells[byte / 4 % session->count] : NULL;

        if (byte % 4 == 3)
                server->now += byte / 4 * (TIME_SECOND / 2);
        if (!shell || shell->ended)
                return;
        if (byte % 4 == 0 && shell->background && !shell->started) {
                shell->started = true;
                tell(session, shell, BAILEY_EVENT_STARTED);
        } else if (byte % 4 == 1 || byte % 4 == 0) {
                tell(session, shell, BAILEY_EVENT_OUTPUT);
        } else if (byte % 4 == 2) {
                end_shell(session, shell);
        }
}

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* "a..." is asked about, but "ab..." is refused, and "ac..." cannot be said. */
int bailey_question(struct bailey_session *session, const struct bailey_run_options *options, struct bailey_question *ret,
                    char *ret_error, size_t error_size) {
        static const struct bailey_asked items[] = {
                { BAILEY_ASKED_WARNING, { "r\xff", 2 }, { "w\n", 2 } },
                { .kind = BAILEY_ASKED_HOST, .subject = { "h", 1 } },
        };

        (void)session;
        if (options->command[0] == 'a' && options->command[1] == 'c')
                snprintf(ret_error, error_size, "no");
        if (options->command[0] != 'a' || options->command[1] == 'b' || options->command[1] == 'c')
                return options->command[1] == 'c' ? -1 : 0;
        *ret = (struct bailey_question){
                .items = items, .count = 2, .session = 1, .command = strdup(options->command), .digest = digest
        };
        ret->memory = (char *)ret->command;
        require(ret->command);
        return 1;
}

void bailey_question_free(struct bailey_question *question) {
        free(question->memory);
        *question = (struct bailey_question){};
}

int bailey_question_record(struct bailey_session *session, const struct bailey_question *question, const char *client,
                           const char *answer, char *ret_error, size_t error_size) {
        (void)session, (void)answer, (void)ret_error, (void)error_size;
        require(question->command && client);
        return 0;
}

int bailey_start(struct bailey_session *session, const struct bailey_run_options *options, char ret_id[BAILEY_ID_SIZE],
                 char *ret_error, size_t error_size) {
        struct stub_shell *shell = &session->shells[session->count];

        require(options->command && options->timeout_ms >= 0);
        if (options->command[0] == 'a' && options->consent == BAILEY_CONSENT_TO_ASK)
                return 1;
        require(options->consent < BAILEY_CONSENT_ONCE || strcmp(options->agreed, digest) == 0);
        if (session->count == SHELLS_MAX) {
                snprintf(ret_error, error_size, "no more shells");
                return -1;
        }
        snprintf(shell->id, sizeof(shell->id), "00000000-0000-4000-8000-%012zu", session->count);
        shell->command = strdup(options->command);
        shell->background = options->background;
        session->count++;
        if (options->command[0] == 'r' || options->consent == BAILEY_CONSENT_NONE) /* is refused */
                end_shell(session, shell);
        memcpy(ret_id, shell->id, BAILEY_ID_SIZE);
        return 0;
}

int bailey_take(struct bailey_session *session, const char *id, struct bailey_outcome *ret) {
        static const char *const notices[] = { "one", "two", NULL };
        struct stub_shell *shell = find(session, id);

        if (!shell || (shell->ended && shell->started && shell->background))
                return -1;
        if (!shell->ended)
                return 0;
        shell->taken = true;
        *ret = (struct bailey_outcome){
                .end = shell->killed              ? BAILEY_CANCELLED
                       : shell->command[0] == 'r' ? BAILEY_REFUSED
                                                  : BAILEY_EXITED,
                .exit_code = (unsigned char)shell->command[0],
                .message = shell->command,
                .notices = notices,
                .output = shell->command,
                .output_length = strlen(shell->command),
        };
        return 1;
}

void bailey_outcome_free(struct bailey_outcome *outcome) {
        *outcome = (struct bailey_outcome){};
}

int bailey_input(struct bailey_session *session, const char *id, const struct bailey_input *input,
                 struct bailey_input_taken *ret, char *ret_error, size_t error_size) {
        struct stub_shell *shell = find(session, id);

        require(input->text || !input->length);
        require(input->length || input->end || (input->keys && input->keys[0]));
        if (!shell || shell->ended) {
                snprintf(ret_error, error_size, "no such shell");
                return -1;
        }
        *ret = (struct bailey_input_taken){ .taken = input->length, .waiting = input->length % 3 };
        return 0;
}

int bailey_signal(struct bailey_session *session, const char *id, int signal, char *ret_error, size_t error_size) {
        struct stub_shell *shell = find(session, id);

        require(signal > 0 && signal != SIGKILL);
        if (!shell || shell->ended) {
                snprintf(ret_error, error_size, "no such shell");
                return -1;
        }
        return 0;
}

int bailey_resize(struct bailey_session *session, const char *id, int rows, int columns, char *ret_error, size_t error_size) {
        require(rows > 0 && columns > 0);
        return bailey_signal(session, id, SIGWINCH, ret_error, error_size);
}

int bailey_screen(struct bailey_session *session, const char *id, struct bailey_screen *ret, char *ret_error,
                  size_t error_size) {
        struct stub_shell *shell = find(session, id);

        if (!shell || !shell->background) {
                snprintf(ret_error, error_size, "no such screen");
                return -1;
        }
        *ret = (struct bailey_screen){ .text = shell->command, .length = strlen(shell->command), .rows = 24, .columns = 80 };
        return 0;
}

void bailey_screen_free(struct bailey_screen *screen) {
        *screen = (struct bailey_screen){};
}

int bailey_kill(struct bailey_session *session, const char *id, int signal) {
        struct stub_shell *shell = find(session, id);

        if (!shell)
                return -1;
        shell->killed = shell->killed || !shell->ended;
        if (signal == SIGKILL)
                end_shell(session, shell);
        return 0;
}

int bailey_read(struct bailey_session *session, const char *id, const struct bailey_read_options *options,
                struct bailey_reading *ret, char *ret_error, size_t error_size) {
        const struct stub_shell *shell = find(session, id);

        if (!shell || (options->filter && options->filter[0] == '(')) {
                if (error_size)
                        snprintf(ret_error, error_size, "no shell, or no filter");
                return -1;
        }
        *ret = (struct bailey_reading){
                .status = !shell->ended   ? BAILEY_STATUS_RUNNING
                          : shell->killed ? BAILEY_STATUS_KILLED
                                          : BAILEY_STATUS_COMPLETED,
                .command = shell->command,
                .started = "2026-11-16T04:30:00.000Z",
                .out = { .text = shell->command, .length = options->since ? 0 : strlen(shell->command) },
                .err = { .text = "\xff\x1b[31m\n", .length = options->since ? 0 : 7 },
                .next = "1.2",
        };
        return 0;
}

void bailey_reading_free(struct bailey_reading *reading) {
        *reading = (struct bailey_reading){};
}

int bailey_session_event(struct bailey_session *session, struct bailey_event *ret) {
        if (session->first == session->last)
                return 0;
        *ret = session->events[session->first++];
        return 1;
}

int bailey_session_new(const struct bailey_policy *policy, const char *const *environment, struct bailey_session **ret,
                       char *ret_error, size_t error_size) {
        (void)policy, (void)environment, (void)ret, (void)ret_error, (void)error_size;
        return -1;
}

void bailey_session_free(struct bailey_session *session) {
        for (size_t i = 0; i < session->count; i++)
                free(session->shells[i].command);
        free(session);
}

int bailey_session_fd(const struct bailey_session *session) {
        (void)session;
        return -1;
}

void bailey_session_step(struct bailey_session *session) {
        (void)session;
}

const struct bailey_policy *bailey_session_policy(const struct bailey_session *session) {
        (void)session;
        return NULL;
}

int bailey_abilities(const struct bailey_policy *policy, const char *const *environment, struct bailey_abilities *ret) {
        (void)policy;
        (void)environment;
        *ret = (struct bailey_abilities){
                .sandboxed = 1, .guarded = 1, .timeout_ms = 1500, .timeout_max_ms = 60000, .ask_timeout_ms = 2000
        };
        return 0;
}

int bailey_check(const struct bailey_policy *policy, const char *text, size_t length, struct bailey_verdict *ret) {
        static const struct bailey_reason reason = { .rule = { "r", 1 }, .message = { "m\xff", 2 }, .blocks = 1 };

        (void)policy, (void)text, (void)length;
        *ret = (struct bailey_verdict){ .action = BAILEY_BLOCKED, .reasons = &reason, .reason_count = 1 };
        return BAILEY_BLOCKED;
}

void bailey_verdict_free(struct bailey_verdict *verdict) {
        *verdict = (struct bailey_verdict){};
}

int bailey_container_status(const struct bailey_policy *policy, const char *const *environment, struct bailey_containers *ret) {
        (void)policy, (void)environment;
        *ret = (struct bailey_containers){};
        return 1;
}

void bailey_free(void *pointer) {
        free(pointer);
}

const char *bailey_version(void) {
        return "0";
}

int bailey_session_listen(struct bailey_session *session, char *ret_error, size_t error_size) {
        (void)session, (void)ret_error, (void)error_size;
        return 0;
}

/* ---- what may be said ---- */

enum { IDS_MAX = 256 };

struct known {
        char *id; /* JSON */
        size_t asked, answered;
        bool cancelled; /* while it was being served */
};

struct scene {
        struct mcp_server server;
        struct mcp_options options;
        struct known ids[IDS_MAX];
        size_t count, checked; /* bytes of the queue */
};

/* Beside a number that is too large, 5 comes to us as 5.0. */
static char *id_text(json_t *id) {
        double number = json_real_value(id);
        bool is_exact = json_is_real(id) && fabs(number) < 0x1p53 && trunc(number) == number;
        json_t *whole = is_exact ? json_integer((json_int_t)number) : json_incref(id);
        char *text = json_dumps(whole, JSON_ENCODE_ANY | JSON_COMPACT);

        json_decref(whole);
        return text;
}

static struct known *known_id(struct scene *scene, json_t *id) {
        char *text = id_text(id);
        struct known *known = scene->ids;

        require(text);
        while (known < scene->ids + scene->count && strcmp(known->id, text) != 0)
                known++;
        if (known < scene->ids + scene->count) {
                free(text);
                return known;
        }
        if (scene->count == IDS_MAX) {
                free(text);
                return NULL;
        }
        scene->count++;
        known->id = text;
        return known;
}

static void note_message(struct scene *scene, json_t *message) {
        json_t *id = json_object_get(message, "id");
        struct known *known = json_is_string(id) || json_is_number(id) ? known_id(scene, id) : NULL;

        if (!known)
                return;
        known->asked++;
        known->cancelled = false; /* it may be answered again */
}

/* What is cancelled while it is being served, and by an id that only one request has. */
static void note_cancelled(struct scene *scene) {
        for (const struct call *call = scene->server.calls; call; call = call->next)
                for (size_t i = 0; i < scene->count; i++)
                        if (call->cancelled && strcmp(call->id, scene->ids[i].id) == 0)
                                scene->ids[i].cancelled = scene->ids[i].asked == scene->ids[i].answered + 1;
}

static void note_line(struct scene *scene, struct str line) {
        static const size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY;
        json_t *root = json_loadb(line.ptr, line.len, flags, NULL);

        if (!root)
                root = json_loadb(line.ptr, line.len, flags | JSON_DECODE_INT_AS_REAL, NULL);
        if (!json_is_array(root))
                note_message(scene, root);
        for (size_t i = 0; i < json_array_size(root); i++)
                note_message(scene, json_array_get(root, i));
        json_decref(root);
}

/* Nothing is told of a request that is not being served. */
static void check_progress(const struct scene *scene, json_t *params) {
        char *token = json_dumps(json_object_get(params, "progressToken"), JSON_ENCODE_ANY | JSON_COMPACT);
        const struct call *call = scene->server.calls;

        require(token && json_is_real(json_object_get(params, "progress")));
        while (call && (call->cancelled || !call->progress || strcmp(call->progress, token) != 0))
                call = call->next;
        require(call);
        free(token);
}

static void check_message(struct scene *scene, json_t *message) {
        json_t *id = json_object_get(message, "id"), *result = json_object_get(message, "result");
        json_t *error = json_object_get(message, "error");
        struct known *known;

        require(json_is_object(message) && strcmp(json_string_value(json_object_get(message, "jsonrpc")), "2.0") == 0);
        if (id && json_object_get(message, "method")) {
                require(scene->server.client.asks && !result && !error);
                return;
        }
        if (json_object_get(json_object_get(message, "params"), "requestId"))
                return; /* the server takes a question back */
        if (json_object_get(message, "method")) {
                require(!id && !result && !error && json_is_object(json_object_get(message, "params")));
                check_progress(scene, json_object_get(message, "params"));
                return;
        }
        require(id && json_is_object(result) != json_is_object(error));
        if (error)
                require(json_is_integer(json_object_get(error, "code")) && json_is_string(json_object_get(error, "message")));
        if (json_is_null(id))
                return;
        known = known_id(scene, id);
        require(!known || ++known->answered <= known->asked);
        require(!known || !known->cancelled);
}

static void check_output(struct scene *scene) {
        struct str out = str_skip(buf_str(&scene->server.wire.queue), scene->checked);

        require(!scene->server.wire.queue.failed);
        while (out.len) {
                struct str line = str_take(out, str_find(out, '\n'));
                json_t *root = json_loadb(line.ptr, line.len, JSON_ALLOW_NUL, NULL);

                require(root && line.len < out.len);
                if (json_is_array(root))
                        require(json_array_size(root) > 0 && scene->server.has_batches);
                else
                        check_message(scene, root);
                for (size_t i = 0; i < json_array_size(root); i++)
                        check_message(scene, json_array_get(root, i));
                json_decref(root);
                out = str_skip(out, line.len + 1);
        }
        scene->checked = scene->server.wire.queue.len;
}

/* ---- the input ---- */

static void take_line(struct scene *scene, struct str line) {
        static const struct str forks = STR("bash_container_status"); /* a process for each: not here */

        if (line.len && line.ptr[0] == '!') {
                for (size_t i = 1; i < line.len; i++)
                        happen(&scene->server, (uint8_t)line.ptr[i]);
        } else if (!line.len || !memmem(line.ptr, line.len, forks.ptr, forks.len)) {
                note_line(scene, line);
                rpc_take(&scene->server, line, false);
                note_cancelled(scene);
                rpc_take(&scene->server, STR(""), line.len % 64 == 63);
        }
        server_work(&scene->server);
        for (const struct call *call = scene->server.calls; call; call = call->next) /* or it would be asked again at once */
                require(!call_deadline(&scene->server, call) || call_deadline(&scene->server, call) > scene->server.now);
        check_output(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct scene *scene = calloc(1, sizeof(*scene));
        struct str rest = str_from((const char *)data, size);

        require(scene);
        scene->server.options = &scene->options;
        scene->server.session = calloc(1, sizeof(*scene->server.session));
        require(scene->server.session);
        buf_init(&scene->server.wire.queue, WIRE_OUT_MAX);
        while (rest.len) {
                struct str line = str_take(rest, str_find(rest, '\n'));

                take_line(scene, line);
                rest = str_skip(rest, line.len + 1);
        }
        for (struct call *call = scene->server.calls; call; call = call->next)
                call->done = true;
        calls_drop_done(&scene->server);
        bailey_session_free(scene->server.session);
        buf_free(&scene->server.wire.queue);
        for (size_t i = 0; i < scene->count; i++)
                free(scene->ids[i].id);
        free(scene);
        return 0;
}
