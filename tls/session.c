#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "tls/tls.h"

#define HANDSHAKE_TIME (20 * TIME_SECOND)
#define REQUEST_TIME (60 * TIME_SECOND) /* for its head */
#define DRAIN_TIME (2 * TIME_SECOND)

enum {
        ROUNDS = 16,            /* in a turn: nobody waits for a fast stream */
        REQUEST_MAX = 64 << 10, /* a block that grows by its head */
};

/* ---- the beginning ---- */

/* Its certificate has to be for this name, by the store of this machine, before a byte of the request is sent. */
static SSL *start_tls(SSL_CTX *context, const struct tls_place *place, int fd) {
        SSL *ssl = SSL_new(context);

        if (!ssl)
                return NULL;
        SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        if (SSL_set_fd(ssl, fd) == 1 && SSL_set_tlsext_host_name(ssl, place->name) == 1 &&
            SSL_set1_host(ssl, place->name) == 1) {
                SSL_set_verify(ssl, SSL_VERIFY_PEER, NULL);
                SSL_set_connect_state(ssl);
                return ssl;
        }
        SSL_free(ssl);
        return NULL;
}

struct tls_session *tls_session_new(SSL_CTX *context, const struct tls_place *place, uint64_t id, int command, int outside) {
        struct tls_session *session = calloc(1, sizeof(*session));

        if (!session)
                return NULL;
        *session = (struct tls_session){ .place = place, .id = id, .command = command, .outside = outside, .busy = true };
        buf_init(&session->request, REQUEST_MAX);
        session->deadline = time_monotonic() + HANDSHAKE_TIME;
        session->ssl = start_tls(context, place, outside);
        session->forwarded = calloc(1, sizeof(*session->forwarded));
        if (session->ssl && session->forwarded) {
                session->forwarded->secret = &place->secret;
                return session;
        }
        session->command = session->outside = -1;
        tls_session_free(session);
        return NULL;
}

void tls_session_free(struct tls_session *session) {
        if (session->ssl)
                SSL_free(session->ssl);
        fd_close(session->command);
        fd_close(session->outside);
        buf_free(&session->request);
        free(session->forwarded);
        free(session);
}

/* ---- the end ---- */

/* The gateway has both files, too, so that closing them here would end nothing. */
static void drain(struct tls_session *session, int64_t now) {
        shutdown(session->command, SHUT_WR);
        shutdown(session->outside, SHUT_RDWR);
        session->state = TLS_DRAIN;
        session->deadline = now + DRAIN_TIME;
        session->busy = true;
}

static const char *status_text(int status) {
        return status == 400 ? "Bad Request" : "Bad Gateway";
}

void tls_session_fail(struct tls_session *session, int64_t now, int status, const char *why) {
        char page[1024];
        size_t len;

        for (len = 0; why[len] && len < sizeof(session->text) - 1; len++)
                session->text[len] = why[len] < ' ' || why[len] > '~' ? '?' : why[len];
        session->text[len] = '\0';
        if (!session->down && !session->answer_len) { /* not into the middle of what the host says */
                snprintf(page, sizeof(page),
                         "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n"
                         "# bailey: %s: %s\n",
                         status, status_text(status), sizeof("# bailey: : \n") - 1 + strlen(session->place->name) + len,
                         session->place->name, session->text);
                (void)!send(session->command, page, strlen(page), MSG_DONTWAIT | MSG_NOSIGNAL);
        }
        drain(session, now);
}

void tls_session_expire(struct tls_session *session, int64_t now) {
        if (session->state == TLS_DRAIN)
                session->command_eof = session->busy = true;
        else
                tls_session_fail(session, now, 502,
                                 session->state == TLS_HANDSHAKE ? "it does not finish the TLS handshake"
                                                                 : "the request does not come to the end of its head");
}

/* ---- TLS ---- */

enum { STUCK, MOVED, ENDED, BROKEN };

static int result_of(const struct tls_session *session, int result) {
        switch (SSL_get_error(session->ssl, result)) {
        case SSL_ERROR_NONE:
                return MOVED;
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:
                return STUCK;
        case SSL_ERROR_ZERO_RETURN:
                return ENDED;
        default:
                return BROKEN;
        }
}

/* Many servers just close. Whether an answer is whole can be seen from its head, as without TLS. */
static bool is_end_without_word(void) {
        unsigned long error = ERR_peek_last_error();

        return !error || ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

static void handshake_failed(struct tls_session *session, int64_t now) {
        long verified = SSL_get_verify_result(session->ssl);
        const char *reason = ERR_reason_error_string(ERR_peek_last_error());
        char text[256];

        if (verified != X509_V_OK)
                snprintf(text, sizeof(text), "its certificate is not accepted: %s", X509_verify_cert_error_string(verified));
        else if (is_end_without_word() || !reason)
                snprintf(text, sizeof(text), "it ended the connection in the TLS handshake");
        else
                snprintf(text, sizeof(text), "the TLS handshake failed: %s", reason);
        tls_session_fail(session, now, 502, text);
}

static int shake_hands(struct tls_session *session, int64_t now) {
        int result;

        ERR_clear_error();
        result = result_of(session, SSL_do_handshake(session->ssl));
        if (result == STUCK)
                return STUCK;
        if (result != MOVED || SSL_get_verify_result(session->ssl) != X509_V_OK) {
                handshake_failed(session, now);
                return MOVED;
        }
        session->state = TLS_RELAY;
        session->deadline = now + REQUEST_TIME;
        return MOVED;
}

/* ---- the relay ---- */

static int read_request(struct tls_session *session, int64_t now) {
        char block[TLS_BLOCK];
        ssize_t n = recv(session->command, block, sizeof(block), MSG_DONTWAIT);
        bool begun = session->forwarded->state != FORWARDED_HEAD;

        if (n < 0)
                return errno == EAGAIN || errno == EINTR ? STUCK : BROKEN;
        if (n == 0) {
                session->command_eof = true;
                return session->forwarded->state == FORWARDED_OVER ? STUCK : BROKEN;
        }
        session->up += (uint64_t)n;
        buf_clear(&session->request);
        session->sent = 0;
        if (forwarded_feed(session->forwarded, str_from(block, (size_t)n), &session->request) < 0 || session->request.failed) {
                buf_clear(&session->request);
                tls_session_fail(session, now, 400, session->forwarded->why ? session->forwarded->why : "out of memory");
                return MOVED;
        }
        if (!begun && session->forwarded->state != FORWARDED_HEAD)
                session->deadline = 0;
        return MOVED;
}

static int send_request(struct tls_session *session, int64_t now) {
        size_t moved = 0;
        int result;

        if (session->sent == session->request.len)
                return session->command_eof ? STUCK : read_request(session, now);
        ERR_clear_error();
        result = result_of(session, SSL_write_ex(session->ssl, session->request.ptr + session->sent,
                                                 session->request.len - session->sent, &moved));
        session->sent += moved;
        return result == ENDED ? BROKEN : result;
}

static int read_answer(struct tls_session *session, int64_t now) {
        int result;

        session->answer_at = session->answer_len = 0;
        ERR_clear_error();
        result = result_of(session, SSL_read_ex(session->ssl, session->answer, sizeof(session->answer), &session->answer_len));
        if (result == ENDED || (result == BROKEN && is_end_without_word())) {
                session->outside_eof = true;
                if (session->down)
                        drain(session, now);
                else
                        tls_session_fail(session, now, 502, "it ended the connection without an answer");
                return MOVED;
        }
        return result;
}

static int pass_answer(struct tls_session *session, int64_t now) {
        ssize_t n;

        if (session->answer_at == session->answer_len)
                return read_answer(session, now);
        n = send(session->command, session->answer + session->answer_at, session->answer_len - session->answer_at,
                 MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0)
                return errno == EAGAIN || errno == EINTR ? STUCK : BROKEN;
        session->answer_at += (size_t)n;
        session->down += (uint64_t)n;
        return MOVED;
}

/* A host that breaks off while the request is sent may have answered before: that counts. */
static int relay(struct tls_session *session, int64_t now) {
        int up = send_request(session, now), down;

        if (session->state != TLS_RELAY)
                return MOVED;
        down = pass_answer(session, now);
        if (session->state != TLS_RELAY)
                return MOVED;
        if (down == BROKEN && !session->down)
                tls_session_fail(session, now, 502, "it broke the connection");
        return down == BROKEN || (up == BROKEN && down != MOVED) ? BROKEN : up == MOVED || down == MOVED;
}

static int read_away(struct tls_session *session) {
        char block[TLS_BLOCK];
        ssize_t n = session->command_eof ? 0 : recv(session->command, block, sizeof(block), MSG_DONTWAIT);

        return n > 0 ? MOVED : n < 0 && (errno == EAGAIN || errno == EINTR) ? STUCK : ENDED;
}

bool tls_session_turn(struct tls_session *session, int64_t now) {
        int result = MOVED;

        for (int i = 0; i < ROUNDS && result == MOVED; i++)
                switch (session->state) {
                case TLS_HANDSHAKE:
                        result = shake_hands(session, now);
                        break;
                case TLS_RELAY:
                        result = relay(session, now);
                        break;
                case TLS_DRAIN:
                        result = read_away(session);
                        break;
                }
        session->busy = result == MOVED;
        if (result != BROKEN && result != ENDED)
                return true;
        shutdown(session->command, SHUT_RDWR);
        shutdown(session->outside, SHUT_RDWR);
        return false;
}
