#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "gateway/connection.h"
#include "gateway/forward.h"
#include "gateway/handover.h"
#include "gateway/loop.h"
#include "gateway/protocol.h"
#include "gateway/proxy.h"
#include "gateway/question.h"

enum { CONNECTIONS_DEFAULT = 512 };

struct command *command_find(const struct gateway *gateway, uint64_t id) {
        struct command *command = gateway->commands;

        while (command && (command->id != id || command->ending))
                command = command->next;
        return command;
}

static void tell_failure(struct gateway *gateway, uint64_t command, const char *text) {
        struct gateway_event event = { .kind = GATEWAY_FAILED, .command = command };

        snprintf(event.text, sizeof(event.text), "%s", text);
        event_send(gateway, &event);
}

/* ---- policy ---- */

/* Replaces the policy; the old one stays if the new one is not valid. */
static int take_egress(struct command *command, struct str bytes, struct err *err) {
        struct arena arena;
        struct egress egress;
        char *copy = malloc(bytes.len + 1);

        if (!copy)
                return err_memory(err);
        memcpy(copy, bytes.ptr, bytes.len);
        arena_init(&arena, 8 << 20);
        if (egress_read(str_from(copy, bytes.len), &arena, &egress, err) < 0) {
                arena_free(&arena);
                free(copy);
                return -1;
        }
        if (!egress.max_connections)
                egress.max_connections = CONNECTIONS_DEFAULT;
        arena_free(&command->arena);
        free(command->egress_bytes);
        command->arena = arena;
        command->egress_bytes = copy;
        command->egress = egress;
        return 0;
}

/* ---- listeners ---- */

/* A sixteenth of all connections is only for commands that have few of them: no command can take them all. */
bool command_may_connect(const struct gateway *gateway, const struct command *command) {
        size_t kept = gateway->open_max / 16 + 1, few = kept / 8 + 1;

        if (command->open >= command->egress.max_connections || gateway->open >= gateway->open_max)
                return false;
        return gateway->open + kept < gateway->open_max || command->open < few;
}

static bool has_room(const struct gateway *gateway, const struct listener *listener) {
        const struct command *command = listener->target ? command_find(gateway, listener->target) : listener->command;

        if (!command || time_monotonic() < gateway->files_short_until)
                return false;
        switch (listener->kind) {
        case GATEWAY_DNS_UDP:
                return question_has_room(command);
        case GATEWAY_DNS_TCP:
                return command->stream_count < COMMAND_STREAMS_MAX;
        default:
                return command_may_connect(gateway, command);
        }
}

void command_pause(struct listener *listener) {
        if (listener->paused)
                return;
        listener->paused = true;
        listener->command->throttled = true;
        loop_change(&listener->watch, 0);
}

void command_resume(struct gateway *gateway, struct command *command) {
        if (!command->throttled)
                return;
        command->throttled = question_resume(command);
        for (struct listener *listener = command->listeners; listener; listener = listener->next) {
                if (listener->paused && has_room(gateway, listener)) {
                        listener->paused = false;
                        loop_change(&listener->watch, EPOLLIN);
                }
                command->throttled |= listener->paused;
        }
}

int command_listen(struct command *command, struct listener from) {
        struct listener *listener = malloc(sizeof(*listener));

        if (!listener)
                return -1;
        *listener = from;
        listener->command = command;
        listener->watch.ready = from.kind == GATEWAY_DNS_UDP   ? question_udp_ready
                                : from.kind == GATEWAY_DNS_TCP ? question_tcp_ready
                                                               : connection_ready;
        if (listener->watch.ready == connection_ready) /* each connection that it accepts has them, too */
                dial_set_options(listener->watch.fd);
        if (loop_watch(command->set.fd, &listener->watch, EPOLLIN) < 0) {
                free(listener);
                return -1;
        }
        listener->next = command->listeners;
        command->listeners = listener;
        return 0;
}

void command_used(struct gateway *gateway, struct command *command) {
        if (!command->used)
                event_send(gateway, &(struct gateway_event){ .kind = GATEWAY_USED, .command = command->id });
        command->used = true;
}

/* Of `target`, or all of them: 0. */
static void close_listeners(struct gateway *gateway, struct command *command, uint64_t target) {
        struct listener **at = &command->listeners;

        while (*at) {
                struct listener *listener = *at;

                if (target && listener->target != target) {
                        at = &listener->next;
                        continue;
                }
                *at = listener->next;
                loop_unwatch(&listener->watch);
                listener->next = gateway->dead_listeners;
                gateway->dead_listeners = listener;
        }
}

void command_free_dead(struct gateway *gateway) {
        while (gateway->dead_commands) {
                struct command *command = gateway->dead_commands;

                gateway->dead_commands = command->dead;
                free(command);
        }
        while (gateway->dead_listeners) {
                struct listener *listener = gateway->dead_listeners;

                gateway->dead_listeners = listener->next;
                free(listener);
        }
}

/* ---- requests ---- */

static bool is_listening(int fd, enum gateway_socket kind) {
        int type = 0, accepts = 0, wanted = kind == GATEWAY_DNS_UDP ? SOCK_DGRAM : SOCK_STREAM;
        socklen_t len = sizeof(int);

        if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || type != wanted)
                return false;
        len = sizeof(int);
        return kind == GATEWAY_DNS_UDP || (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &len) == 0 && accepts);
}

static int add_items(struct gateway *gateway, struct command *command, const struct request *request, int *files,
                     struct err *err) {
        if (request->target && !command_find(gateway, request->target))
                return err_set(err, ERR_NOT_FOUND, "the command that listens there has ended");
        for (size_t i = 0; i < request->item_count; i++) {
                enum gateway_socket kind = request->items[i].kind;

                if (kind > GATEWAY_CREDENTIAL || (request->target && kind != GATEWAY_HOST_PORT) ||
                    !is_listening(files[i], kind))
                        return err_set(err, ERR_INVALID, "a file that is no socket for connections");
                if (fcntl(files[i], F_SETFL, O_NONBLOCK) < 0)
                        return err_sys(err, "a socket");
                if (command_listen(command, (struct listener){ .watch.fd = files[i],
                                                               .kind = kind,
                                                               .port = request->items[i].port,
                                                               .published = request->target,
                                                               .inside_port = request->items[i].port,
                                                               .target = request->target }) < 0)
                        return err_sys(err, "watching a socket");
                files[i] = -1;
        }
        return 0;
}

static int add_command(struct gateway *gateway, const struct request *request, struct str egress, int *files, struct err *err) {
        struct command *command;

        if (command_find(gateway, request->command) || gateway->command_count >= LOOP_COMMANDS_MAX)
                return err_set(err, ERR_INVALID, "too many commands, or one twice");
        command = calloc(1, sizeof(*command));
        if (!command)
                return err_memory(err);
        command->id = request->command;
        command->tokens = COMMAND_QUESTIONS_SECOND;
        command->tokens_at = time_monotonic();
        if (loop_open_set(gateway, command, err) < 0 || take_egress(command, egress, err) < 0) {
                fd_close(command->set.fd);
                free(command);
                return -1;
        }
        command->next = gateway->commands;
        gateway->commands = command;
        gateway->command_count++;
        return add_items(gateway, command, request, files, err);
}

void command_end_some(struct gateway *gateway, struct command *command) {
        if (command->asked || !connection_end(gateway, command))
                return;
        command->asked = true;
        command->sent = 0;
        event_flush(gateway);
}

static void end_command(struct gateway *gateway, struct command *command) {
        close_listeners(gateway, command, 0);
        for (struct command *other = gateway->commands; other; other = other->next)
                close_listeners(gateway, other, command->id);
        question_end(gateway, command);
        command->sockets_wanted = 0;
        command->ending = true;
        command->asked = false;
        command_end_some(gateway, command);
}

static int handle(struct gateway *gateway, struct command *command, const struct request *request, struct str egress,
                  int *files, size_t file_count, struct err *err) {
        switch ((enum request_kind)request->kind) {
        case REQUEST_ADD:
        case REQUEST_PROXY:
        case REQUEST_TLS:
                break;
        case REQUEST_LISTEN:
                return add_items(gateway, command, request, files, err);
        case REQUEST_CHANGE:
                if (take_egress(command, egress, err) < 0)
                        return -1;
                connection_judge_again(gateway, command);
                command_resume(gateway, command);
                break;
        case REQUEST_PUBLISH:
                return forward_publish(gateway, command, request->host_port, request->inside_port, err);
        case REQUEST_SOCKET:
                connection_give_socket(gateway, command, file_count ? TAKE_FD(files[0]) : -1);
                break;
        case REQUEST_ASK:
                command->asked = true;
                command->sent = 0;
                event_flush(gateway);
                break;
        case REQUEST_END:
                end_command(gateway, command);
                break;
        }
        return 0;
}

static void set_tls(struct gateway *gateway, struct str why, int *files, size_t file_count) {
        char text[256];

        snprintf(text, sizeof(text), "%.*s", (int)str_take(why, sizeof(text) - 1).len, why.ptr ? why.ptr : "");
        handover_set(gateway, file_count ? TAKE_FD(files[0]) : -1, text);
}

/* Files that nobody has taken are closed by the caller. */
void command_request(struct gateway *gateway, const void *bytes, size_t len, int *files, size_t file_count) {
        struct request request;
        struct command *command;
        struct err err = {};
        int result;

        if (len < sizeof(request))
                return;
        memcpy(&request, bytes, sizeof(request));
        if (request.egress_len != len - sizeof(request) || request.item_count > GATEWAY_ITEMS_MAX ||
            ((request.kind == REQUEST_ADD || request.kind == REQUEST_LISTEN) && request.item_count != file_count))
                return;
        struct str egress = str_from((const char *)bytes + sizeof(request), request.egress_len);

        command = command_find(gateway, request.command);
        if (request.kind == REQUEST_TLS) {
                set_tls(gateway, egress, files, file_count);
                return;
        }
        if (request.kind == REQUEST_PROXY)
                result = proxy_set(gateway, egress, &err);
        else if (request.kind == REQUEST_ADD)
                result = add_command(gateway, &request, egress, files, &err);
        else if (command)
                result = handle(gateway, command, &request, egress, files, file_count, &err);
        else
                result = err_set(&err, ERR_NOT_FOUND, "no such command");
        if (request.kind == REQUEST_PROXY && !gateway->proxy)
                _exit(1); /* rather than to go around it */
        if (result < 0)
                tell_failure(gateway, request.command, err.msg);
}
