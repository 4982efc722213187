/*
 * Sessions of other processes, asked through their sockets (control.h).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/time.h"
#include "engine/session/change.h"
#include "engine/config.h"
#include "engine/session/control.h"

enum { SESSIONS_MAX = 4096 }; /* stale ones too, as they are found out one by one */

struct sessions {
        struct control_place place; /* -1: there is none, and no session */
        char ids[SESSIONS_MAX][ID_SIZE];
        size_t count;
};

/* ---- one ---- */

static int connect_at(int fd, const struct sessions *sessions, const char *name) {
        struct sockaddr_un address;

        control_address(&sessions->place, name, &address);
        return connect(fd, (struct sockaddr *)&address, sizeof(address));
}

/* Nobody listens there: its process was killed, or holds the lock because it is about to. */
static void remove_stale(int fd, const struct sessions *sessions, const char *name) {
        if (flock(sessions->place.fd, LOCK_EX | LOCK_NB) < 0)
                return;
        if (connect_at(fd, sessions, name) < 0 && errno == ECONNREFUSED)
                unlinkat(sessions->place.fd, name, 0);
        flock(sessions->place.fd, LOCK_UN);
}

/* ERR_NOT_FOUND: it has ended. */
static int connect_to(const struct sessions *sessions, const char *id, int *ret_fd, struct err *err) {
        struct timeval patience = { .tv_sec = CONTROL_SECONDS };
        char name[ID_SIZE + sizeof(CONTROL_SUFFIX)];
        FD_AUTO fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        snprintf(name, sizeof(name), "%s" CONTROL_SUFFIX, id);
        if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
            setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
                return err_sys(err, "cannot create a socket");
        if (connect_at(fd, sessions, name) < 0) {
                if (errno == ECONNREFUSED)
                        remove_stale(fd, sessions, name);
                else if (errno != ENOENT)
                        return err_sys(err, "cannot connect to it");
                return err_set(err, ERR_NOT_FOUND, "it has ended");
        }
        *ret_fd = TAKE_FD(fd);
        return 0;
}

/* Sends the line, and receives up to the end. */
static int exchange(int fd, struct str line, struct buf *ret, struct err *err) {
        int64_t deadline = time_monotonic() + CONTROL_SECONDS * TIME_SECOND;
        char chunk[16 << 10];
        ssize_t got = -1;
        bool sent;

        errno = 0;
        sent = send(fd, line.ptr, line.len, MSG_NOSIGNAL) == (ssize_t)line.len;
        while (sent && time_monotonic() < deadline) {
                got = recv(fd, chunk, sizeof(chunk), 0);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got <= 0)
                        break;
                buf_append(ret, str_from(chunk, (size_t)got));
        }
        if (got == 0 && ret->len && !ret->failed)
                return 0;
        if (got == 0 || errno == EPIPE || errno == ECONNRESET)
                return err_set(err, ERR_SYSTEM, "it closed the connection: it has ended, or does not accept this process");
        return err_set(err, ERR_SYSTEM, "it does not respond");
}

int control_ask(int fd, struct str line, struct buf *ret, struct err *err) {
        BUF_AUTO answer;
        struct str text, first;

        buf_init(&answer, CONTROL_ANSWER_MAX);
        if (exchange(fd, line, &answer, err) < 0)
                return -1;
        text = buf_str(&answer);
        first = str_take(text, str_find(text, '\n'));
        if (str_starts(first, STR("error ")))
                return err_set(err, ERR_REFUSED, "%.*s", (int)first.len - 6, first.ptr + 6);
        if (!str_is(first, "ok"))
                return err_set(err, ERR_SYSTEM, "its response is invalid");
        if (ret)
                buf_append(ret, str_skip(text, first.len + 1));
        return 0;
}

static int ask(const struct sessions *sessions, const char *id, const char *word, const char *subject, struct buf *ret,
               struct err *err) {
        FD_AUTO fd = -1;
        BUF_AUTO line;

        buf_init(&line, CONTROL_LINE_MAX);
        buf_format(&line, "%s %s\n", word, subject);
        if (line.failed || strchr(subject, '\n'))
                return err_set(err, ERR_INVALID, "%s: too long, or contains a line break", word);
        if (connect_to(sessions, id, &fd, err) < 0)
                return -1;
        return control_ask(fd, buf_str(&line), ret, err);
}

/* ---- all ---- */

static int by_id(const void *a, const void *b) {
        return strcmp(a, b);
}

static void sessions_free(struct sessions *sessions) {
        if (sessions)
                fd_close(sessions->place.fd);
        free(sessions);
}

static int list_names(struct sessions *sessions, struct err *err) {
        int copy = openat(sessions->place.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* the lock stays with the other */
        DIR *directory = copy < 0 ? NULL : fdopendir(copy);
        struct dirent *entry;

        if (!directory) {
                fd_close(copy);
                return err_sys(err, "%s", sessions->place.directory.path);
        }
        while ((entry = readdir(directory)) && sessions->count < SESSIONS_MAX)
                if (strlen(entry->d_name) == ID_SIZE - 1 + strlen(CONTROL_SUFFIX) &&
                    strcmp(entry->d_name + ID_SIZE - 1, CONTROL_SUFFIX) == 0)
                        snprintf(sessions->ids[sessions->count++], ID_SIZE, "%.*s", ID_SIZE - 1, entry->d_name);
        closedir(directory);
        qsort(sessions->ids, sessions->count, sizeof(*sessions->ids), by_id);
        return 0;
}

/* Those that are there, or seem to be; NULL on failure. None is no error. */
static struct sessions *find_all(const char *const *environment, struct err *err) {
        struct sessions *sessions = calloc(1, sizeof(*sessions));

        if (!sessions) {
                err_memory(err);
                return NULL;
        }
        sessions->place.fd = -1;
        if (control_open_place(environment, false, &sessions->place, err) < 0) {
                if (err->code == ERR_NOT_FOUND)
                        return sessions;
        } else if (list_names(sessions, err) == 0) {
                return sessions;
        }
        sessions_free(sessions);
        return NULL;
}

/* Leaves those that are alive and whose ids begin like that. */
static struct sessions *find_alive(const char *const *environment, const char *beginning, struct err *err) {
        struct sessions *sessions = find_all(environment, err);
        size_t kept = 0;

        for (size_t i = 0; sessions && i < sessions->count; i++) {
                struct err why = {};
                FD_AUTO fd = -1;

                if (beginning && strncmp(sessions->ids[i], beginning, strlen(beginning)) != 0)
                        continue;
                if (connect_to(sessions, sessions->ids[i], &fd, &why) == 0 || why.code != ERR_NOT_FOUND)
                        memmove(sessions->ids[kept++], sessions->ids[i], ID_SIZE);
        }
        if (sessions)
                sessions->count = kept;
        return sessions;
}

static int check_one(const struct sessions *sessions, const char *beginning, struct err *err) {
        if (sessions->count == 1)
                return 0;
        if (sessions->count)
                return err_set(err, ERR_INVALID,
                               "%zu sessions are running%s%.36s, such as %s and %s: select one with --session; bailey status "
                               "lists them",
                               sessions->count, beginning ? " with IDs that begin with " : "", beginning ? beginning : "",
                               sessions->ids[0], sessions->ids[1]);
        if (beginning)
                return err_set(err, ERR_NOT_FOUND,
                               "no running session with an ID that begins with '%.40s'; bailey status lists them", beginning);
        return err_set(err, ERR_NOT_FOUND, "no session is running; use --save to change your config file");
}

/* "+KEY VALUE" */
static int read_item(struct str line, struct arena *arena, struct bailey_changed_item *ret) {
        size_t space = str_find(line, ' ');

        if (!line.len || space >= line.len || (line.ptr[0] != '+' && line.ptr[0] != '-'))
                return -1;
        *ret = (struct bailey_changed_item){
                .key = arena_dup(arena, str_skip(str_take(line, space), 1)),
                .value = arena_dup(arena, str_skip(line, space + 1)),
                .removed = line.ptr[0] == '-',
        };
        return ret->key && ret->value ? 0 : -1;
}

static int read_items(struct str text, struct arena *arena, struct bailey_changed *ret, struct err *err) {
        struct bailey_changed_item *items = arena_alloc(arena, CHANGE_ITEMS_MAX * sizeof(*items));

        bool failed = !items;

        for (ret->count = 0; !failed && text.len; text = str_skip(text, str_find(text, '\n') + 1)) {
                struct str line = str_take(text, str_find(text, '\n'));

                if (str_starts(line, STR("! ")))
                        failed = !(ret->notice = arena_dup(arena, str_skip(line, 2)));
                else if (ret->count == CHANGE_ITEMS_MAX || read_item(line, arena, &items[ret->count++]) < 0)
                        return err_set(err, ERR_SYSTEM, "its response is invalid");
        }
        ret->items = items;
        return failed ? err_memory(err) : 0;
}

static int change_one(const struct sessions *sessions, enum bailey_change change, const char *subject,
                      struct bailey_changed *ret, struct err *err) {
        const char *id = sessions->ids[0];
        struct arena *arena = config_memory_new(err);
        int result = arena ? 0 : -1;
        BUF_AUTO answer;

        buf_init(&answer, CONTROL_ANSWER_MAX);
        if (result == 0)
                result = ask(sessions, id, change_word(change), subject, &answer, err);
        *ret = (struct bailey_changed){ .memory = arena };
        memcpy(ret->session, id, BAILEY_ID_SIZE);
        if (result == 0)
                result = read_items(buf_str(&answer), arena, ret, err);
        if (result < 0)
                config_memory_free(arena);
        return result < 0 && err->code == ERR_SYSTEM ? err_context(err, "session %s", id) : result;
}

int bailey_sessions_change(const char *const *environment, const char *session, enum bailey_change change, const char *subject,
                           struct bailey_changed *ret, char *ret_error, size_t error_size) {
        struct err err = {};
        struct sessions *sessions = find_alive(environment, session, &err);
        int result = sessions ? check_one(sessions, session, &err) : -1;
        struct bailey_changed changed;

        if (result == 0)
                result = change_one(sessions, change, subject, &changed, &err);
        sessions_free(sessions);
        if (result < 0)
                return config_hand_error(&err, ret_error, error_size);
        *ret = changed;
        return 0;
}

void bailey_changed_free(struct bailey_changed *changed) {
        config_memory_free(changed->memory);
        *changed = (struct bailey_changed){};
}

/* Has it ended, or does it say that it has no such shell? */
static bool is_elsewhere(const struct err *why) {
        return why->code == ERR_NOT_FOUND || (why->code == ERR_REFUSED && str_starts(str_z(why->msg), STR(CONTROL_NO_SHELL)));
}

/* Asks one after the other. If none has it, the first that did not tell may be the one. */
static int kill_anywhere(const struct sessions *sessions, const char *id, struct err *err) {
        const char *silent = NULL;
        struct err first;

        for (size_t i = 0; i < sessions->count; i++) {
                struct err why = {};

                if (ask(sessions, sessions->ids[i], "kill", id, NULL, &why) == 0)
                        return 0;
                if (!silent && !is_elsewhere(&why)) {
                        silent = sessions->ids[i];
                        first = why;
                }
        }
        if (silent)
                return err_set(err, first.code, "no shell with the ID '%.64s' in the sessions that respond; session %s: %s", id,
                               silent, first.msg);
        return err_set(err, ERR_NOT_FOUND, "no shell with the ID '%.64s' in any running session; bailey status lists them", id);
}

int bailey_sessions_kill(const char *const *environment, const char *id, char *ret_error, size_t error_size) {
        struct err err = {};
        struct sessions *sessions = find_all(environment, &err);
        int result = sessions ? kill_anywhere(sessions, id, &err) : -1;

        sessions_free(sessions);
        return result < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}

/* What a session says of itself, or that it says nothing; nothing when it has ended. */
static void put_session(const struct sessions *sessions, const char *id, bool json, struct buf *out) {
        struct err why = {};
        BUF_AUTO one;

        buf_init(&one, CONTROL_ANSWER_MAX);
        if (ask(sessions, id, json ? "json" : "text", "", &one, &why) < 0) {
                if (why.code == ERR_NOT_FOUND)
                        return;
                buf_clear(&one);
                buf_format(&one, json ? "{\"session\":\"%s\",\"error\":" : "session %s: ", id);
                (json ? buf_json : buf_visible)(&one, str_z(why.msg));
                buf_append(&one, json ? STR("}\n") : STR("\n"));
        }
        if (json && out->len > 1)
                buf_char(out, ',');
        buf_append(out, json ? str_take(buf_str(&one), str_find(buf_str(&one), '\n')) : buf_str(&one));
}

int control_ask_refused(const char *const *environment, struct buf *ret, struct err *err) {
        struct sessions *sessions = find_all(environment, err);

        for (size_t i = 0; sessions && i < sessions->count; i++) {
                struct err ignored;

                ask(sessions, sessions->ids[i], "refused", "", ret, &ignored);
        }
        sessions_free(sessions);
        return sessions ? 0 : -1;
}

int bailey_sessions(const char *const *environment, enum bailey_answer answer, char **ret_text, size_t *ret_length,
                    char *ret_error, size_t error_size) {
        struct err err = {};
        struct sessions *sessions = find_all(environment, &err);
        bool json = answer == BAILEY_ANSWER_JSON;
        struct buf out;

        if (!sessions)
                return config_hand_error(&err, ret_error, error_size);
        buf_init(&out, (size_t)CONTROL_ANSWER_MAX * 4);
        if (json)
                buf_char(&out, '[');
        for (size_t i = 0; i < sessions->count; i++)
                put_session(sessions, sessions->ids[i], json, &out);
        if (json)
                buf_append(&out, STR("]\n"));
        sessions_free(sessions);
        if (config_hand_text(&out, ret_text, ret_length) == 0)
                return 0;
        err_memory(&err);
        return config_hand_error(&err, ret_error, error_size);
}
