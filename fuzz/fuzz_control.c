/*
 * Any lines for the control socket of a session in which nothing runs. Each gets one answer: "ok" or an error of one line; what
 * is said in JSON is JSON, and only what was allowed or denied is on the list of changes. The same bytes over a connection, in
 * pieces: the first line gets its answer, and nothing else does. And as a session's answer to somebody who asks.
 */
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "engine/session/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 64, SENT_MAX = 4 * CONTROL_LINE_MAX };

static void require(bool truth) {
        if (!truth)
                abort();
}

static const struct bailey_policy *builtin(void) {
        static const char *const overrides[] = { "audit.enabled=false", NULL };
        static const struct bailey_policy_options options = { .overrides = overrides };
        static struct bailey_policy *policy;
        char error[256];

        if (!policy)
                require(bailey_policy_load(&options, &policy, error, sizeof(error)) == 0);
        return policy;
}

static size_t count_changes(struct bailey_session *session) {
        json_t *answer;
        size_t count;
        BUF_AUTO out;

        buf_init(&out, CONTROL_ANSWER_MAX);
        control_answer(session, STR("json"), &out);
        require(str_starts(buf_str(&out), STR("ok\n{")));
        answer = json_loadb(out.ptr + 3, out.len - 3, 0, NULL);
        require(json_is_array(json_object_get(answer, "changes")) && json_is_array(json_object_get(answer, "shells")));
        count = json_array_size(json_object_get(answer, "changes"));
        json_decref(answer);
        return count;
}

/* "+KEY VALUE", "-KEY VALUE" or "! NOTICE" in each line. */
static bool is_list_of_changes(struct str text) {
        for (; text.len; text = str_skip(text, str_find(text, '\n') + 1)) {
                struct str line = str_take(text, str_find(text, '\n'));

                if (!line.len || !strchr("+-!", line.ptr[0]) || str_find(line, ' ') >= line.len)
                        return false;
        }
        return true;
}

/* Returns whether it was a change, and was taken. */
static bool check_answer(struct str line, struct str answer) {
        struct str word = str_take(line, str_find(line, ' '));
        bool change = str_is(word, "allow") || str_is(word, "deny");

        require(answer.len && answer.ptr[answer.len - 1] == '\n');
        if (str_starts(answer, STR("error "))) {
                require(str_find(answer, '\n') == answer.len - 1);
                return false;
        }
        require(str_starts(answer, STR("ok\n")));
        require(change || str_is(word, "json") || str_is(word, "text") || str_is(word, "refused"));
        require(!change || is_list_of_changes(str_skip(answer, 3)));
        return change;
}

/* ---- a connection ---- */

/* The first byte of a piece says how long it is, or that it is all the rest. */
static struct str piece_of(struct str rest) {
        unsigned char c = (unsigned char)rest.ptr[0];

        return str_take(rest, c % 8 ? c : rest.len);
}

static void send_pieces(struct bailey_session *session, int fd, struct str rest) {
        while (rest.len) {
                struct str piece = piece_of(rest);
                ssize_t sent = send(fd, piece.ptr, piece.len, MSG_NOSIGNAL);

                if (sent <= 0)
                        break; /* it has its answer */
                bailey_session_step(session);
                rest = str_skip(rest, (size_t)sent);
        }
        shutdown(fd, SHUT_WR);
        bailey_session_step(session);
}

/* Up to the end, which has to come. */
static void receive_all(struct bailey_session *session, int fd, struct buf *ret) {
        char chunk[1 << 16];
        ssize_t got = 1;

        for (int turns = 0; got != 0; turns++) {
                got = recv(fd, chunk, sizeof(chunk), 0);
                if (got < 0 && errno == ECONNRESET) /* it did not read all of it */
                        return;
                require(got >= 0 || (errno == EAGAIN && turns < 1000));
                buf_append(ret, str_from(chunk, got > 0 ? (size_t)got : 0));
                bailey_session_step(session);
        }
}

/* Returns whether it was a change, and was taken. */
static bool check_connection(struct bailey_session *session, struct str text) {
        size_t end = str_find(text, '\n');
        int fds[2];
        BUF_AUTO answer;

        buf_init(&answer, CONTROL_ANSWER_MAX);
        require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
        control_take(session, fds[1]);
        send_pieces(session, fds[0], text);
        receive_all(session, fds[0], &answer);
        fd_close(fds[0]);
        if (end < text.len && end < CONTROL_LINE_MAX)
                return check_answer(str_take(text, end), buf_str(&answer));
        require(text.len >= CONTROL_LINE_MAX ? str_starts(buf_str(&answer), STR("error a line that is too long"))
                                             : !answer.len);
        return false;
}

/* ---- the other end ---- */

static void check_asker(struct str text) {
        struct str first = str_take(text, str_find(text, '\n'));
        struct err err = {};
        int fds[2], result;
        BUF_AUTO answer;

        buf_init(&answer, CONTROL_ANSWER_MAX);
        require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
        require(send(fds[0], text.ptr, text.len, MSG_NOSIGNAL) == (ssize_t)text.len && shutdown(fds[0], SHUT_WR) == 0);
        result = control_ask(fds[1], STR("json \n"), &answer, &err);
        require((result == 0) == str_is(first, "ok"));
        if (result == 0)
                require(str_eq(buf_str(&answer), str_skip(text, first.len + 1)));
        else
                require(err.code == (str_starts(first, STR("error ")) ? ERR_REFUSED : ERR_SYSTEM) && !answer.len);
        fd_close(fds[0]);
        fd_close(fds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const char *const environment[] = { "HOME=/nonexistent", NULL };
        struct str rest = size ? str_from((const char *)data, size) : STR("");
        struct bailey_session *session;
        size_t changes = 0;
        char error[256];

        check_asker(str_take(rest, SENT_MAX));
        require(bailey_session_new(builtin(), environment, &session, error, sizeof(error)) == 0);
        changes += check_connection(session, str_take(rest, SENT_MAX));
        for (int i = 0; i < LINES_MAX && rest.len; i++) {
                struct str line = str_take(rest, str_find(rest, '\n'));
                BUF_AUTO out;

                buf_init(&out, CONTROL_ANSWER_MAX);
                control_answer(session, line, &out);
                require(!out.failed);
                changes += check_answer(line, buf_str(&out));
                rest = str_skip(rest, line.len + 1);
        }
        require(count_changes(session) <= changes && (changes == 0 || count_changes(session) > 0));
        bailey_session_free(session);
        return 0;
}
