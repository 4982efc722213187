/*
 * connect() of a socket of the network, by pid 1 itself: it is over at once in a network where every address is local, and
 * where the socket does not wait. A process that does it costs five times as much as the connection.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "launch/broker.h"
#include "launch/kernel.h"

enum { PATIENCE = 1000 /* microseconds */ };

static void interrupt(int number) {
        (void)number;
}

/* The socket, its flags and its options are the command's, too, whose other threads could make it wait just now. So what
 * keeps this process from waiting is a signal, again and again: the first could come before the call. */
static void begin(sigset_t *ret_before) {
        static const struct itimerval soon = { { 0, PATIENCE }, { 0, PATIENCE } };
        sigset_t alarm;

        sigaction(SIGALRM, &(struct sigaction){ .sa_handler = interrupt }, NULL);
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        sigprocmask(SIG_UNBLOCK, &alarm, ret_before);
        kernel_set_timer(&soon);
}

/* Nothing else here is to be interrupted: who is in the sandbox can send that signal, too. */
static void end(sigset_t *before) {
        static const struct itimerval never;

        kernel_set_timer(&never);
        sigaddset(before, SIGALRM);
        sigprocmask(SIG_SETMASK, before, NULL);
}

/* Elsewhere a socket that waits may do so for minutes. */
static bool is_quick(const struct broker_plan *plan, const struct broker_connect *r) {
        int flags;

        if (r->domain != AF_INET && r->domain != AF_INET6)
                return false;
        flags = plan->own_network ? 0 : fcntl(r->socket, F_GETFL);
        return plan->own_network || (flags >= 0 && flags & O_NONBLOCK);
}

int broker_connect_now(const struct broker_plan *plan, const struct broker_connect *r) {
        union {
                struct sockaddr any;
                char bytes[sizeof(r->bytes)];
        } address;
        sigset_t before;
        int result;

        if (!is_quick(plan, r))
                return BROKER_WAITS;
        memcpy(&address, r->bytes, sizeof(address));
        begin(&before);
        result = connect(r->socket, &address.any, (socklen_t)r->len) < 0 ? -errno : 0;
        end(&before);
        return result == -EINTR ? BROKER_WAITS : result; /* the next connect() waits on */
}
