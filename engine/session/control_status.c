/*
 * What a session says of itself: as JSON, and for people.
 */
#include <unistd.h>

#include "base/time.h"
#include "engine/session/control.h"
#include "engine/session/session.h"

enum { LINE_TEXT_MAX = 160 };

static void put_changes(const struct change *change, struct buf *out) {
        if (!change)
                return;
        put_changes(change->next, out); /* the oldest first */
        if (out->ptr[out->len - 1] != '[')
                buf_char(out, ',');
        buf_json(out, str_z(change->text));
}

static const char *const status_names[] = {
        [BAILEY_STATUS_RUNNING] = "running",     [BAILEY_STATUS_COMPLETED] = "completed", [BAILEY_STATUS_KILLED] = "killed",
        [BAILEY_STATUS_TIMED_OUT] = "timed out", [BAILEY_STATUS_FAILED] = "failed",
};

/* The first line, as far as it fits. */
static void text_line(struct str text, struct buf *out) {
        struct str line = str_take(str_take(text, LINE_TEXT_MAX), str_find(text, '\n'));

        while (line.len && line.len < text.len && ((unsigned char)line.ptr[line.len] & 0xc0) == 0x80)
                line.len--; /* no half of a character */
        buf_visible(out, line);
        if (line.len < text.len)
                buf_append(out, STR(" ..."));
}

static void text_shell(const struct bailey_shell *shell, struct buf *out) {
        buf_format(out, "    %s  %s  %-9s  %8.1f s  ", shell->id, shell->started, status_names[shell->status],
                   (double)shell->duration_ms / 1e3);
        text_line(str_from(shell->command.text, shell->command.length), out);
        if (shell->description) {
                buf_append(out, STR("  # "));
                text_line(str_z(shell->description), out);
        }
        buf_char(out, '\n');
}

static void json_shell(const struct bailey_shell *shell, struct buf *out) {
        buf_format(out, "{\"shell_id\":\"%s\",\"status\":\"%s\",\"exit_code\":", shell->id, status_names[shell->status]);
        buf_format(out, shell->ended ? "%d" : "null", shell->exit_code);
        buf_format(out, ",\"started\":\"%s\",\"duration_ms\":%lld,\"command\":", shell->started, shell->duration_ms);
        buf_json(out, str_from(shell->command.text, shell->command.length));
        if (shell->description) {
                buf_append(out, STR(",\"description\":"));
                buf_json(out, str_z(shell->description));
        }
        buf_format(out, ",\"stdout_bytes\":%llu,\"stderr_bytes\":%llu}", shell->out_bytes, shell->err_bytes);
}

static void text_hosts(const struct bailey_network_state *network, struct buf *out) {
        for (size_t i = 0; i < network->host_count; i++) {
                buf_append(out, i ? STR(", ") : STR("    hosts: "));
                buf_visible(out, str_z(network->hosts[i]));
        }
        if (network->host_count)
                buf_char(out, '\n');
}

/* What is refused is worth a line also where no list of hosts is. */
static void text_network(const struct bailey_network_state *network, struct buf *out) {
        buf_format(out, "    network: %s", network->kind);
        if (network->capture)
                buf_format(out, ", by %s, open connections: %llu", network->capture, network->open);
        buf_char(out, '\n');
        text_hosts(network, out);
        for (size_t i = 0; i < network->refusal_count; i++) {
                buf_format(out, "    refused %s: ", network->refusals[i].when);
                buf_visible(out, str_z(network->refusals[i].message));
                buf_char(out, '\n');
        }
}

static void json_refusal(const struct bailey_refusal *refusal, struct buf *out) {
        buf_format(out, "{\"time\":\"%s\",\"host\":", refusal->when);
        buf_json(out, str_z(refusal->host));
        buf_format(out, ",\"port\":%d,\"verdict\":\"%s\",\"message\":", refusal->port, refusal->verdict);
        buf_json(out, str_z(refusal->message));
        buf_char(out, '}');
}

static void json_network(const struct bailey_network_state *network, struct buf *out) {
        buf_format(out, "{\"kind\":\"%s\",\"capture\":", network->kind);
        buf_format(out, network->capture ? "\"%s\"" : "null", network->capture);
        buf_append(out, STR(",\"hosts\":["));
        for (size_t i = 0; i < network->host_count; i++) {
                buf_append(out, i ? STR(",") : STR(""));
                buf_json(out, str_z(network->hosts[i]));
        }
        buf_format(out, "],\"open\":%llu,\"refused\":[", network->open);
        for (size_t i = 0; i < network->refusal_count; i++) {
                buf_append(out, i ? STR(",") : STR(""));
                json_refusal(&network->refusals[i], out);
        }
        buf_append(out, STR("]}"));
}

static size_t count_foreground(const struct bailey_session *session) {
        size_t count = 0;

        for (const struct shell *shell = session->first; shell; shell = shell->next)
                count += !shell->background && !shell->ended;
        return count;
}

/* What is told of a session, besides its policy. */
struct status {
        struct bailey_network_state network;
        struct bailey_shell_list shells;
        char started[TIME_TEXT_SIZE];
};

static int status_gather(struct bailey_session *session, struct status *ret) {
        if (bailey_session_network(session, &ret->network) < 0)
                return -1;
        if (bailey_shells(session, &ret->shells) < 0) {
                bailey_network_state_free(&ret->network);
                return -1;
        }
        time_format(session->begun, ret->started);
        return 0;
}

static void status_free(struct status *status) {
        bailey_network_state_free(&status->network);
        bailey_shell_list_free(&status->shells);
}

int control_put_json(struct bailey_session *session, struct buf *out) {
        const struct policy *policy = session->policy->policy;
        struct status status;

        if (status_gather(session, &status) < 0)
                return -1;
        buf_format(out, "{\"session\":\"%s\",\"pid\":%d,\"started\":\"%s\",\"policy\":", bailey_session_id(session), getpid(),
                   status.started);
        buf_json(out, policy->name);
        buf_append(out, STR(",\"workspace\":"));
        buf_json(out, policy->workspace);
        buf_format(out, ",\"foreground\":%zu,\"changes\":[", count_foreground(session));
        put_changes(session->changes, out);
        buf_append(out, STR("],\"network\":"));
        json_network(&status.network, out);
        buf_append(out, STR(",\"shells\":["));
        for (size_t i = 0; i < status.shells.count; i++) {
                if (i)
                        buf_char(out, ',');
                json_shell(&status.shells.items[i], out);
        }
        buf_append(out, STR("]}\n"));
        status_free(&status);
        return 0;
}

static void text_changes(const struct change *change, struct buf *out) {
        if (!change)
                return;
        text_changes(change->next, out);
        buf_format(out, "    %s\n", change->text);
}

int control_put_text(struct bailey_session *session, struct buf *out) {
        const struct policy *policy = session->policy->policy;
        struct status status;

        if (status_gather(session, &status) < 0)
                return -1;
        buf_format(out, "session %s  pid %d  since %s  policy %.*s\n", bailey_session_id(session), getpid(), status.started,
                   (int)policy->name.len, policy->name.ptr);
        buf_append(out, STR("    workspace "));
        buf_visible(out, policy->workspace);
        buf_format(out, ", %zu commands in the foreground\n", count_foreground(session));
        text_network(&status.network, out);
        text_changes(session->changes, out);
        for (size_t i = 0; i < status.shells.count; i++)
                text_shell(&status.shells.items[i], out);
        status_free(&status);
        return 0;
}
