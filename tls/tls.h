/*
 * bailey-tls: the process that holds the secrets of sandbox.network.credential. The gateway, which no secret gets to, hands it
 * both ends of a connection (gateway/handover.h); it makes sure by TLS that the outer one is the secret's host, adds the header
 * to the one request that the command sends, and relays the rest. A program of its own, as bailey is static and TLS is large.
 * One thread, everything bounded.
 *
 * It gets three files: a socket to the gateway, a pipe that only bailey has the other end of, and a file with the secrets, one
 * line for each place of the policy:
 *
 *     HOST PORT ok HEADER: VALUE
 *     HOST PORT no REASON            there is no secret; requests are answered with that
 */
#ifndef BAILEY_TLS_TLS_H
#define BAILEY_TLS_TLS_H

#include <openssl/ssl.h>

#include "base/err.h"
#include "gateway/forwarded.h"
#include "gateway/handover.h"
#include "policy/egress.h"

enum { TLS_GATEWAY_FD = 3, TLS_ALIVE_FD, TLS_SECRETS_FD };

/* ---- secrets.c ---- */

struct tls_place {
        char *name; /* of the certificate */
        char host[300];
        struct forwarded_secret secret;
        const char *reason; /* why there is none; NULL: there is */
};

struct tls_places {
        struct tls_place items[EGRESS_CREDENTIALS_MAX];
        size_t count;
};

/* `ret` is empty. */
int tls_places_read(int fd, struct tls_places *ret, struct err *err);

/* ---- session.c ---- */

enum { TLS_BLOCK = 16 << 10 }; /* kept of a direction, at most */

struct tls_session {
        struct tls_session *previous, *next;
        const struct tls_place *place;
        uint64_t id, up, down;
        int64_t deadline; /* monotonic; 0: none */
        SSL *ssl;
        int command, outside;
        enum {
                TLS_HANDSHAKE,
                TLS_RELAY,
                TLS_DRAIN, /* all is said; what the command still sends is not to reset it */
        } state;
        bool busy; /* there may be more to do at once */
        bool command_eof, outside_eof;
        struct forwarded *forwarded;
        struct buf request; /* the part of it that is not sent yet, from `sent` on */
        size_t sent;
        char answer[TLS_BLOCK]; /* the same of the other direction */
        size_t answer_at, answer_len;
        char text[256]; /* of the report */
};

/* Takes the files. NULL: there is no memory. */
struct tls_session *tls_session_new(SSL_CTX *context, const struct tls_place *place, uint64_t id, int command, int outside);
void tls_session_free(struct tls_session *session);

/* Does what can be done now; false: it is over. */
bool tls_session_turn(struct tls_session *session, int64_t now);

/* Ends it with an answer in words, which is also reported. */
void tls_session_fail(struct tls_session *session, int64_t now, int status, const char *why);
void tls_session_expire(struct tls_session *session, int64_t now);

#endif
