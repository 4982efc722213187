/*
 * The running commands of a session, and background commands that have ended recently.
 */
#ifndef BAILEY_ENGINE_SESSION_H
#define BAILEY_ENGINE_SESSION_H

#include "engine/pipeline/run.h"

enum { KEPT_BYTES_MAX = 32 << 20 }; /* of commands that have ended, all together; past it, only what came of the older ones */

/* An object that the epoll reports when it is ready. */
struct source {
        void (*turn)(struct bailey_session *session, struct source *source);
};

/* A command with an id. */
struct shell {
        struct source source;
        struct shell *next, *previous; /* in the order of their start */
        struct shell *next_news;
        unsigned news; /* 1 << enum bailey_event_kind */
        char id[ID_SIZE];
        bool background;
        struct arena arena; /* of what is below, and of what the run was asked for */
        struct run *run;    /* NULL: it is over, and only the following is kept: */
        struct stream out, err;
        uint64_t told; /* bytes received at the time of the last event */
        struct str command;
        const char *description; /* NULL: not said */
        int64_t begun;           /* realtime */
        int64_t ended;           /* monotonic; 0: it has not */
        enum bailey_status status;
        int exit_code;
        long long duration_ms;
        const char *message, *explanation;
};

/* Sandboxes that are being torn down. */
struct leaving {
        struct source source;
        struct leaving *next, *previous;
        struct launched launched;
};

/* A change made while the session ran. */
struct change {
        struct change *next; /* an older one */
        const char *text;    /* "allow example.org" */
};

struct bailey_session {
        const struct bailey_policy *given, *policy; /* as it began, as it is now */
        struct change *changes;                     /* the newest first */
        int64_t begun;                              /* realtime */
        struct control *control;                    /* NULL: it cannot be reached from outside */
        struct arena arena;
        const char *const *environment;
        struct secrets secrets;
        struct pool pool;
        struct session_tmp tmp;
        struct session_state state;
        struct gateway_link gateway;
        struct source gateway_source;
        struct host_cache *host_cache; /* NULL: not gathered yet */
        struct baseline *baselines;
        struct buf later;                         /* run.h */
        int64_t recovered, warned[WARNING_COUNT]; /* run.h */
        struct leaving *leaving;
        int epoll_fd, timer_fd, news_fd;
        int64_t timer;  /* when it goes off, or before: to set it costs more than to be woken in vain; monotonic, 0: never */
        bool news_told; /* `news_fd` is readable */
        struct shell *first, *last;
        struct shell *first_news, *last_news;
};

/* ---- from outside: control.c ---- */

int64_t control_deadline(const struct control *control);
void control_due(struct bailey_session *session, int64_t now);
void control_close(struct bailey_session *session);

/* ---- from inside ---- */

struct shell *session_find(struct bailey_session *session, const char *id);

/* The timer again, after something that is due at another time now. */
void session_arm(struct bailey_session *session);

#endif
