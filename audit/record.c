#include "audit/record.h"

#include <unistd.h>

#include "base/sha256.h"
#include "base/time.h"

const char *audit_kind_name(enum audit_kind kind) {
        static const char *const names[] = {
                [AUDIT_INTENT] = "intent",     [AUDIT_OUTCOME] = "outcome", [AUDIT_REFUSED] = "refused",
                [AUDIT_FAILED] = "failed",     [AUDIT_TESTED] = "tested",   [AUDIT_CHANGED] = "changed",
                [AUDIT_INPUT] = "input",       [AUDIT_REPAIR] = "repair",   [AUDIT_ASKED] = "asked",
                [AUDIT_ANSWERED] = "answered",
        };

        return names[kind];
}

/* ---- parts ---- */

/* Not inside a character. */
static struct str cut(struct str s, size_t max) {
        if (s.len <= max)
                return s;
        while (max > 0 && ((unsigned char)s.ptr[max] & 0xc0) == 0x80)
                max--;
        return str_take(s, max);
}

static void json_text(struct buf *out, const char *name, const char *text, size_t max) {
        if (!text)
                return;
        buf_format(out, ",\"%s\":", name);
        buf_json(out, cut(str_z(text), max));
}

static void json_list(struct buf *out, const char *name, const char *const *items, size_t count) {
        buf_format(out, ",\"%s\":[", name);
        for (size_t i = 0; i < count && i < AUDIT_ITEMS_MAX; i++) {
                if (i)
                        buf_char(out, ',');
                buf_json(out, cut(str_z(items[i]), AUDIT_TEXT_MAX));
        }
        buf_char(out, ']');
        if (count > AUDIT_ITEMS_MAX)
                buf_format(out, ",\"%s_left_out\":%zu", name, count - AUDIT_ITEMS_MAX);
}

static bool is_utf8(struct str s) {
        while (s.len) {
                size_t step = str_utf8(s);

                if (!step)
                        return false;
                s = str_skip(s, step);
        }
        return true;
}

/* What the text cannot show is still known by its hash. */
static void json_command(const struct audit_record *record, struct buf *out) {
        bool whole = record->command.len <= AUDIT_COMMAND_MAX;

        buf_format(out, ",\"form\":\"%s\",\"command\":", record->argv ? "argv" : "command");
        buf_json(out, cut(record->command, AUDIT_COMMAND_MAX));
        if (!whole || !is_utf8(record->command)) {
                char hex[SHA256_HEX_SIZE];

                sha256_hex(record->command, hex);
                buf_format(out, ",\"command_truncated\":%s,\"command_bytes\":%zu,\"command_sha256\":\"%s\"",
                           whole ? "false" : "true", record->command.len, hex);
        }
}

static void json_reasons(const struct audit_record *record, struct buf *out) {
        buf_append(out, STR(",\"reasons\":["));
        for (size_t i = 0; i < record->reason_count && i < AUDIT_ITEMS_MAX; i++) {
                const struct audit_reason *reason = &record->reasons[i];

                buf_append(out, i ? STR(",{\"rule\":") : STR("{\"rule\":"));
                buf_json(out, cut(reason->rule, AUDIT_TEXT_MAX));
                buf_format(out, ",\"severity\":\"%s\",\"message\":", reason->severity);
                buf_json(out, cut(reason->message, AUDIT_TEXT_MAX));
                if (reason->subject.len) {
                        buf_append(out, STR(",\"subject\":"));
                        buf_json(out, cut(reason->subject, AUDIT_TEXT_MAX));
                }
                buf_format(out, ",\"range\":[%u,%u]}", reason->start, reason->end);
        }
        buf_char(out, ']');
        if (record->reason_count > AUDIT_ITEMS_MAX)
                buf_format(out, ",\"reasons_left_out\":%zu", record->reason_count - AUDIT_ITEMS_MAX);
}

static const char *boolean(bool value) {
        return value ? "true" : "false";
}

static void json_host(const struct audit_host *host, struct buf *out) {
        buf_append(out, STR("{\"host\":"));
        buf_json(out, cut(str_z(host->host), AUDIT_TEXT_MAX));
        buf_format(out, ",\"port\":%d,\"by\":\"%s\",\"verdict\":\"%s\"", host->port, host->by, host->verdict);
        json_text(out, "address", host->address, AUDIT_TEXT_MAX);
        buf_format(out, ",\"connections\":%llu,\"up\":%llu,\"down\":%llu}", (unsigned long long)host->connections,
                   (unsigned long long)host->up, (unsigned long long)host->down);
}

static void json_network(const struct audit_record *record, struct buf *out) {
        if (!record->network)
                return;
        buf_format(out, ",\"network\":{\"up\":%llu,\"down\":%llu,\"hosts\":[", (unsigned long long)record->network_up,
                   (unsigned long long)record->network_down);
        for (size_t i = 0; i < record->host_count && i < AUDIT_ITEMS_MAX; i++) {
                if (i)
                        buf_char(out, ',');
                json_host(&record->hosts[i], out);
        }
        buf_char(out, ']');
        if (record->host_count > AUDIT_ITEMS_MAX)
                buf_format(out, ",\"hosts_left_out\":%zu", record->host_count - AUDIT_ITEMS_MAX);
        buf_char(out, '}');
}

static void json_findings(const struct audit_record *record, struct buf *out) {
        if (!record->finding_count)
                return;
        buf_append(out, STR(",\"findings\":["));
        for (size_t i = 0; i < record->finding_count && i < AUDIT_ITEMS_MAX; i++) {
                buf_format(out, "%s{\"kind\":\"%s\",\"subject\":", i ? "," : "", record->findings[i].kind);
                buf_json(out, cut(str_z(record->findings[i].subject), AUDIT_TEXT_MAX));
                if (record->findings[i].program) {
                        buf_append(out, STR(",\"program\":"));
                        buf_json(out, cut(str_z(record->findings[i].program), AUDIT_TEXT_MAX));
                }
                buf_char(out, '}');
        }
        buf_char(out, ']');
}

static void json_outcome(const struct audit_record *record, struct buf *out) {
        buf_format(out, ",\"exit_code\":%d", record->exit_code);
        buf_format(out, record->signal ? ",\"signal\":%d" : ",\"signal\":null", record->signal);
        buf_format(out, ",\"timed_out\":%s,\"cancelled\":%s,\"duration_ms\":%lld", boolean(record->timed_out),
                   boolean(record->cancelled), (long long)record->duration_ms);
        if (record->output_known)
                buf_format(out, ",\"output_bytes\":%llu,\"truncated\":%s", (unsigned long long)record->output_bytes,
                           boolean(record->truncated));
        buf_format(out, ",\"redactions\":%llu", (unsigned long long)record->redactions);
        if (record->redactions_partial)
                buf_append(out, STR(",\"redactions_partial\":true"));
        json_list(out, "notices", record->notices, record->notice_count);
        json_network(record, out);
        json_findings(record, out);
}

/* ---- the whole ---- */

void audit_record_json(const struct audit_record *record, const char *session, int64_t time, struct buf *out) {
        char text[TIME_TEXT_SIZE];

        time_format(time, text);
        buf_format(out, "\"v\":1,\"kind\":\"%s\",\"time\":\"%s\",\"id\":\"%s\",\"session\":\"%s\",\"pid\":%d",
                   audit_kind_name(record->kind), text, record->id, session, (int)getpid());
        json_command(record, out);
        json_text(out, "description", record->description, AUDIT_TEXT_MAX);
        json_text(out, "cwd", record->cwd, AUDIT_PATH_MAX);
        json_text(out, "workspace", record->workspace, AUDIT_PATH_MAX);
        buf_append(out, STR(",\"policy\":"));
        buf_json(out, cut(record->policy, AUDIT_TEXT_MAX));
        buf_format(out, ",\"action\":\"%s\",\"bypassed\":%s", record->action, boolean(record->bypassed));
        json_reasons(record, out);
        if (record->asked_count)
                json_list(out, "asked", record->asked, record->asked_count);
        json_text(out, "answer", record->answer, AUDIT_TEXT_MAX);
        json_text(out, "client", record->client, AUDIT_TEXT_MAX);
        if (record->backend) {
                json_text(out, "backend", record->backend, AUDIT_TEXT_MAX);
                json_list(out, "enforced", record->guarantees, record->guarantee_count);
        }
        if (record->kind == AUDIT_OUTCOME)
                json_outcome(record, out);
        json_text(out, "message", record->message, AUDIT_TEXT_MAX);
}
