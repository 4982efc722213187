#include "audit/audit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/file.h"
#include "audit/ring.h"
#include "base/id.h"
#include "base/time.h"
#include "policy/files.h"

struct audit {
        const struct audit_policy *policy;
        char session[ID_SIZE];
        pthread_mutex_t lock;
        struct audit_ring ring;
        struct audit_file file; /* no path: none is configured */
};

static bool find_path(const struct audit_policy *policy, const char *const *environment, char ret[static PATH_MAX]) {
        struct directory state;
        int len;

        if (policy->path.len)
                len = snprintf(ret, PATH_MAX, "%.*s", (int)policy->path.len, policy->path.ptr);
        else if (directory_state(environment, &state))
                len = snprintf(ret, PATH_MAX, "%s/audit.jsonl", state.path);
        else
                return false;
        return len < PATH_MAX;
}

int audit_open(const struct audit_policy *policy, const char *const *environment, struct audit **ret, struct err *err) {
        struct audit *audit = calloc(1, sizeof(*audit));
        char path[PATH_MAX];

        if (!audit)
                return err_memory(err);
        if (id_new(audit->session, err) < 0) {
                free(audit);
                return -1;
        }
        audit->policy = policy;
        pthread_mutex_init(&audit->lock, NULL);
        audit_ring_init(&audit->ring, (size_t)policy->ring_size);
        audit_file_init(&audit->file, find_path(policy, environment, path) ? path : "", policy->rotate_bytes,
                        policy->rotate_keep);
        *ret = audit;
        return 0;
}

void audit_close(struct audit *audit) {
        if (!audit)
                return;
        audit_file_close(&audit->file);
        audit_ring_free(&audit->ring);
        pthread_mutex_destroy(&audit->lock);
        free(audit);
}

const char *audit_session(const struct audit *audit) {
        return audit->session;
}

const char *audit_path(const struct audit *audit) {
        return audit->file.path[0] ? audit->file.path : NULL;
}

void audit_settle(struct audit *audit, const char *const *environment) {
        char path[PATH_MAX];

        pthread_mutex_lock(&audit->lock);
        if (!audit->file.path[0] && find_path(audit->policy, environment, path))
                snprintf(audit->file.path, sizeof(audit->file.path), "%s", path);
        pthread_mutex_unlock(&audit->lock);
}

void audit_hurry(struct audit *audit, int64_t patience, int64_t until) {
        pthread_mutex_lock(&audit->lock);
        audit->file.patience = patience;
        audit->file.until = until;
        pthread_mutex_unlock(&audit->lock);
}

static int need_path(const struct audit *audit, struct err *err) {
        return audit_path(audit) ? 0
                                 : err_set(err, ERR_INVALID,
                                           "cannot find the audit log: none of audit.path, XDG_STATE_HOME and HOME is set");
}

int audit_ready(struct audit *audit, struct err *err) {
        int result;

        if (!audit->policy->enabled)
                return 0;
        if (need_path(audit, err) < 0)
                return -1;
        pthread_mutex_lock(&audit->lock);
        result = audit_file_open(&audit->file, err);
        pthread_mutex_unlock(&audit->lock);
        return result;
}

/* What could not be written is still remembered. */
static int write_locked(struct audit *audit, struct str body, struct err *err) {
        BUF_AUTO line;
        int result = 0;

        buf_init(&line, CHAIN_LINE_MAX);
        if (audit->policy->enabled) {
                result = need_path(audit, err);
                if (result == 0)
                        result = audit_file_append(&audit->file, body, &line, err);
        }
        if (!audit->policy->enabled || result < 0) {
                buf_clear(&line);
                buf_char(&line, '{');
                buf_append(&line, body);
                buf_char(&line, '}');
        }
        if (!line.failed)
                audit_ring_add(&audit->ring, buf_str(&line));
        return result;
}

int audit_write(struct audit *audit, const struct audit_record *record, struct err *err) {
        BUF_AUTO body;
        int result;

        buf_init(&body, CHAIN_LINE_MAX);
        audit_record_json(record, audit->session, time_realtime(), &body);
        if (body.failed)
                return err_memory(err);
        pthread_mutex_lock(&audit->lock);
        result = write_locked(audit, buf_str(&body), err);
        pthread_mutex_unlock(&audit->lock);
        return result;
}

void audit_unwritten(struct audit *audit, enum audit_kind kind, size_t count, struct buf *out) {
        char beginning[64];

        if (audit->policy->enabled)
                return;
        snprintf(beginning, sizeof(beginning), "{\"v\":1,\"kind\":\"%s\",", audit_kind_name(kind)); /* of audit_record_json() */
        pthread_mutex_lock(&audit->lock);
        audit_ring_lines(&audit->ring, str_z(beginning), count, out);
        pthread_mutex_unlock(&audit->lock);
}

void audit_recent(struct audit *audit, size_t count, struct buf *out) {
        pthread_mutex_lock(&audit->lock);
        audit_ring_json(&audit->ring, count, out);
        pthread_mutex_unlock(&audit->lock);
}
