#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "gateway/limits.h"
#include "launch/files.h"
#include "tls/tls.h"

enum {
        SESSIONS_MAX = 1024,
        EVENTS_BATCH = 64,
        TAKE_BATCH = 16,
        TICK_MS = 500, /* how often deadlines are looked at */
        FILES_SPARE = 64,
};

struct tls_loop {
        int epoll;
        SSL_CTX *context;
        struct tls_places places;
        struct tls_session *sessions;
        size_t count, max;
};

/* Nothing that opens or makes anything. */
/* clang-format off */
static const int allowed_calls[] = {
        SYS_brk, SYS_clock_gettime, SYS_close, SYS_epoll_ctl, SYS_epoll_pwait, SYS_exit, SYS_exit_group, SYS_fcntl, SYS_futex,
        SYS_getegid, SYS_geteuid, SYS_getgid, SYS_getpid, SYS_getrandom, SYS_getsockopt, SYS_gettid, SYS_gettimeofday, SYS_getuid,
        SYS_madvise, SYS_mremap, SYS_munmap, SYS_read, SYS_recvfrom, SYS_recvmsg, SYS_restart_syscall, SYS_rt_sigprocmask,
        SYS_rt_sigreturn, SYS_sendmsg, SYS_sendto, SYS_shutdown, SYS_sigaltstack, SYS_write, SYS_writev,
#ifdef SYS_epoll_wait
        SYS_epoll_wait, SYS_time,
#endif
};
/* clang-format on */

/* ---- TLS ---- */

/* The store of certificates is read here, before files are out of reach; also the one that a variable names. */
static SSL_CTX *make_context(void) {
        static const unsigned char protocols[] = "\x08http/1.1";
        SSL_CTX *context;
        const char *file = getenv(X509_get_default_cert_file_env());

        if (OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_LOAD_SSL_STRINGS | OPENSSL_INIT_LOAD_CRYPTO_STRINGS,
                             NULL) != 1)
                return NULL;
        context = SSL_CTX_new(TLS_client_method());
        if (!context || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
            SSL_CTX_set_alpn_protos(context, protocols, sizeof(protocols) - 1) != 0)
                return NULL;
        SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
        SSL_CTX_set_mode(context,
                         SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
        if (file && *file)
                return SSL_CTX_load_verify_file(context, file) == 1 ? context : NULL;
        if (SSL_CTX_load_verify_file(context, "/etc/ssl/certs/ca-certificates.crt") == 1 ||
            SSL_CTX_load_verify_file(context, "/etc/pki/tls/certs/ca-bundle.crt") == 1 ||
            SSL_CTX_load_verify_file(context, X509_get_default_cert_file()) == 1)
                return context;
        return NULL;
}

/* ---- sessions ---- */

static void report(const struct tls_session *session) {
        struct handover_report report = { .id = session->id, .up = session->up, .down = session->down };

        memcpy(report.text, session->text, sizeof(report.text));
        if (send(TLS_GATEWAY_FD, &report, sizeof(report), MSG_NOSIGNAL) != (ssize_t)sizeof(report))
                _exit(0);
}

static void end(struct tls_loop *loop, struct tls_session *session) {
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, session->command, NULL);
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, session->outside, NULL);
        *(session->previous ? &session->previous->next : &loop->sessions) = session->next;
        if (session->next)
                session->next->previous = session->previous;
        loop->count--;
        report(session);
        tls_session_free(session);
}

static void begin(struct tls_loop *loop, const struct handover *message, int command, int outside) {
        const struct tls_place *place = &loop->places.items[message->credential];
        struct tls_session *session = tls_session_new(loop->context, place, message->id, command, outside);
        struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = session };
        int64_t now = time_monotonic();

        if (!session) {
                shutdown(command, SHUT_RDWR);
                shutdown(outside, SHUT_RDWR);
                close(command);
                close(outside);
                report(&(struct tls_session){ .id = message->id, .text = "out of memory" });
                return;
        }
        session->next = loop->sessions;
        if (session->next)
                session->next->previous = session;
        loop->sessions = session;
        loop->count++;
        if (place->reason)
                tls_session_fail(session, now, 502, place->reason);
        else if (loop->count > loop->max)
                tls_session_fail(session, now, 502, "too many connections with credentials");
        if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, command, &event) < 0 ||
            epoll_ctl(loop->epoll, EPOLL_CTL_ADD, outside, &event) < 0)
                end(loop, session);
}

/* From the gateway; it parses hostile bytes, so what it says is checked. */
static void take(struct tls_loop *loop) {
        for (int i = 0; i < TAKE_BATCH; i++) {
                struct handover message = {};
                int files[FDS_MAX];
                size_t count = 0;
                ssize_t len = fds_receive(TLS_GATEWAY_FD, &message, sizeof(message), files, &count, MSG_DONTWAIT);

                if (len < 0 && (errno == EAGAIN || errno == EINTR))
                        return;
                if (len < 0 && errno == EBADMSG) { /* its files came when no more could be opened */
                        report(&(struct tls_session){ .id = message.id, .text = "too many connections with credentials" });
                        continue;
                }
                if (len != (ssize_t)sizeof(message) || count != 2 || message.credential >= loop->places.count)
                        _exit(0);
                begin(loop, &message, files[0], files[1]);
        }
}

static bool turn_all(struct tls_loop *loop) {
        int64_t now = time_monotonic();
        bool busy = false;

        for (struct tls_session *session = loop->sessions, *next; session; session = next) {
                next = session->next;
                if (session->deadline && now >= session->deadline) {
                        session->deadline = 0;
                        tls_session_expire(session, now);
                }
                if (session->busy && !tls_session_turn(session, now))
                        end(loop, session);
                else
                        busy |= session->busy;
        }
        return busy;
}

static _Noreturn void serve(struct tls_loop *loop) {
        struct epoll_event events[EVENTS_BATCH];

        for (;;) {
                bool busy = turn_all(loop);
                int count = epoll_wait(loop->epoll, events, EVENTS_BATCH, busy ? 0 : loop->sessions ? TICK_MS : -1);

                if (count < 0 && errno != EINTR)
                        _exit(1);
                for (int i = 0; i < count; i++) {
                        struct tls_session *session = events[i].data.ptr;

                        if (session)
                                session->busy = true;
                        else
                                take(loop);
                }
        }
}

/* ---- the beginning ---- */

/* It may have been closed before. */
static bool has_engine(void) {
        char byte;

        return read(TLS_ALIVE_FD, &byte, 1) < 0 && errno == EAGAIN;
}

static bool is_socket(int fd) {
        struct stat st;

        return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* Words for whoever starts it by hand are the only thing it prints. */
static int prepare(struct tls_loop *loop, struct err *err) {
        static const struct limits limits = { .calls = allowed_calls,
                                              .call_count = sizeof(allowed_calls) / sizeof(allowed_calls[0]) };
        struct epoll_event event = { .events = EPOLLIN };

        prctl(PR_SET_DUMPABLE, 0);
        limits_signals();
        if (limits_end_with_pipe(TLS_ALIVE_FD, err) < 0 || tls_places_read(TLS_SECRETS_FD, &loop->places, err) < 0)
                return err_set(err, ERR_INVALID, "secrets");
        close(TLS_SECRETS_FD);
        loop->max = limits_connections(FILES_SPARE, SESSIONS_MAX);
        loop->context = make_context();
        if (!loop->context)
                return err_set(err, ERR_SYSTEM, "TLS, or the certificates of this machine, cannot be loaded");
        loop->epoll = epoll_create1(EPOLL_CLOEXEC);
        if (loop->epoll < 0 || epoll_ctl(loop->epoll, EPOLL_CTL_ADD, TLS_GATEWAY_FD, &event) < 0)
                return err_sys(err, "epoll");
        if (limits_begin(&limits, err) < 0)
                return -1;
        return limits_finish(&limits, err);
}

int main(int argc, char **argv) {
        static struct tls_loop loop;
        struct err err = {};

        (void)argv;
        if (argc > 1 || !is_socket(TLS_GATEWAY_FD)) {
                fputs("bailey-tls is started by bailey, for sandbox.network.credential\n", stderr);
                return 2;
        }
        if (prepare(&loop, &err) < 0 || !has_engine())
                return 1;
        serve(&loop);
}
