/*
 * The record, for those who read it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/print.h"
#include "audit/verify.h"
#include "base/time.h"
#include "engine/api/audit.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "include/bailey.h"

enum { TEXT_MAX = 16 << 20 };

/* A record that is kept until it is known to be among the newest. */
struct kept {
        char *line;
        size_t length;
        char id[64];
        bool intent;
};

struct bailey_audit_reader {
        struct audit_reader files;
        struct audit_query query;
        char *texts[5]; /* that the query points to */
        enum bailey_audit_format format;
        struct arena arena;
        struct buf out;
        struct kept *kept;
        size_t newest, kept_count, kept_next;
        bool head, old; /* the head of a table is due; what was there at first is not read yet */
};

static int fail(struct err *err, char *ret_error, size_t error_size) {
        return config_hand_error(err, ret_error, error_size);
}

int records_hand_out(struct buf *out, char **ret_text, size_t *ret_length, struct err *err) {
        buf_char(out, '\0');
        if (out->failed) {
                buf_free(out);
                return err_memory(err);
        }
        *ret_text = out->ptr;
        *ret_length = out->len - 1;
        return 0;
}

/* ---- opening ---- */

static int open_files(const struct bailey_policy *policy, struct audit_reader *ret, struct err *err) {
        const char *path = audit_path(policy->audit);

        if (!path)
                return err_set(err, ERR_INVALID,
                               "cannot find the audit log: none of audit.path, XDG_STATE_HOME and HOME is set");
        return audit_reader_open(path, ret, err);
}

static int read_query(const struct bailey_audit_query *asked, struct bailey_audit_reader *reader, struct err *err) {
        struct audit_query *query = &reader->query;
        const char *const from[] = { asked->kind, asked->action, asked->rule, asked->session, asked->id };
        const char **const to[] = { &query->kind, &query->action, &query->rule, &query->session, &query->id };
        int64_t now = time_realtime();

        for (size_t i = 0; i < sizeof(from) / sizeof(*from); i++) {
                if (!from[i])
                        continue;
                *to[i] = reader->texts[i] = strdup(from[i]);
                if (!reader->texts[i])
                        return err_memory(err);
        }
        if (asked->since && audit_when(asked->since, now, reader->query.since, err) < 0)
                return -1;
        return asked->until ? audit_when(asked->until, now, reader->query.until, err) : 0;
}

int records_open(const struct bailey_policy *policy, const struct bailey_audit_query *query, struct bailey_audit_reader **ret,
                 struct err *err) {
        struct bailey_audit_reader *reader = calloc(1, sizeof(*reader));

        if (!reader)
                return err_memory(err);
        arena_init(&reader->arena, 0);
        buf_init(&reader->out, TEXT_MAX);
        reader->format = query->format;
        reader->newest = query->newest;
        reader->head = query->format == BAILEY_AUDIT_CSV;
        reader->old = true;
        if (read_query(query, reader, err) < 0 || open_files(policy, &reader->files, err) < 0) {
                bailey_audit_close(reader);
                return -1;
        }
        *ret = reader;
        return 0;
}

int bailey_audit_open(const struct bailey_policy *policy, const struct bailey_audit_query *query,
                      struct bailey_audit_reader **ret, char *ret_error, size_t error_size) {
        struct err err = {};

        return records_open(policy, query, ret, &err) < 0 ? fail(&err, ret_error, error_size) : 0;
}

void bailey_audit_close(struct bailey_audit_reader *reader) {
        if (!reader)
                return;
        audit_reader_close(&reader->files);
        for (size_t i = 0; i < reader->kept_count; i++)
                free(reader->kept[i].line);
        free(reader->kept);
        for (size_t i = 0; i < sizeof(reader->texts) / sizeof(*reader->texts); i++)
                free(reader->texts[i]);
        buf_free(&reader->out);
        arena_free(&reader->arena);
        free(reader);
}

/* ---- records ---- */

int records_next(struct bailey_audit_reader *reader, struct str *ret_line, const struct tree_node **ret_record,
                 struct err *err) {
        for (;;) {
                int kind = audit_reader_next(&reader->files, ret_line, err);

                if (kind < 0 || kind == LINE_END)
                        return kind;
                arena_reset(&reader->arena);
                *ret_record = kind == LINE_WHOLE ? audit_parse(*ret_line, &reader->arena) : NULL;
                if (*ret_record && audit_matches(&reader->query, *ret_record))
                        return 1;
        }
}

int records_again(struct bailey_audit_reader *reader, struct err *err) {
        return audit_reader_again(&reader->files, err);
}

static void print(struct bailey_audit_reader *reader, struct str line, const struct tree_node *record) {
        buf_clear(&reader->out);
        if (reader->head)
                audit_print_csv_head(&reader->out);
        reader->head = false;
        switch (reader->format) {
        case BAILEY_AUDIT_LINES:
                audit_print_line(record, &reader->out);
                break;
        case BAILEY_AUDIT_DETAILS:
                audit_print_details(record, &reader->out);
                break;
        case BAILEY_AUDIT_CSV:
                audit_print_csv(record, &reader->out);
                break;
        case BAILEY_AUDIT_JSON:
                buf_append(&reader->out, line);
                buf_char(&reader->out, '\n');
        }
}

/* ---- the newest ---- */

static void kept_remove(struct bailey_audit_reader *reader, size_t index) {
        free(reader->kept[index].line);
        reader->kept_count--;
        memmove(&reader->kept[index], &reader->kept[index + 1], (reader->kept_count - index) * sizeof(*reader->kept));
}

/* A line for each command: its end takes the place of its beginning. It is among the last, unless much else was going on. */
static void replace_intent(struct bailey_audit_reader *reader, struct str id) {
        for (size_t i = reader->kept_count; id.len && i-- > 0;)
                if (reader->kept[i].intent && str_is(id, reader->kept[i].id)) {
                        kept_remove(reader, i);
                        return;
                }
}

static int keep(struct bailey_audit_reader *reader, struct str line, const struct tree_node *record, struct err *err) {
        struct str id = audit_field(record, "id");
        struct kept kept = { .length = line.len, .intent = str_is(audit_field(record, "kind"), "intent") };

        if (reader->format == BAILEY_AUDIT_LINES)
                replace_intent(reader, id);
        kept.line = malloc(line.len + 1);
        if (!kept.line)
                return err_memory(err);
        memcpy(kept.line, line.ptr, line.len);
        snprintf(kept.id, sizeof(kept.id), "%.*s", (int)(id.len < sizeof(kept.id) ? id.len : 0), id.len ? id.ptr : "");
        if (reader->kept_count == reader->newest)
                kept_remove(reader, 0);
        reader->kept[reader->kept_count++] = kept;
        return 0;
}

static int keep_newest(struct bailey_audit_reader *reader, struct err *err) {
        const struct tree_node *record;
        struct str line;
        int got;

        if (!reader->kept)
                reader->kept = calloc(reader->newest, sizeof(*reader->kept));
        if (!reader->kept)
                return err_memory(err);
        while ((got = records_next(reader, &line, &record, err)) > 0)
                if (keep(reader, line, record, err) < 0)
                        return -1;
        reader->old = false;
        return got;
}

static bool print_kept(struct bailey_audit_reader *reader) {
        while (reader->kept_next < reader->kept_count) {
                const struct kept *kept = &reader->kept[reader->kept_next++];
                struct str line = str_from(kept->line, kept->length);
                const struct tree_node *record;

                arena_reset(&reader->arena);
                record = audit_parse(line, &reader->arena);
                if (record) {
                        print(reader, line, record);
                        return true;
                }
        }
        return false;
}

/* 1: there is a text. */
static int next_text(struct bailey_audit_reader *reader, struct err *err) {
        const struct tree_node *record;
        struct str line;
        int got;

        if (reader->newest && reader->old && keep_newest(reader, err) < 0)
                return -1;
        if (print_kept(reader))
                return 1;
        if (!reader->old && audit_reader_again(&reader->files, err) < 0)
                return -1;
        while ((got = records_next(reader, &line, &record, err)) > 0) {
                if (reader->format == BAILEY_AUDIT_LINES && str_is(audit_field(record, "kind"), "intent"))
                        continue;
                print(reader, line, record);
                return 1;
        }
        reader->old = false;
        if (got == 0 && reader->head) { /* a table without rows has a head too */
                buf_clear(&reader->out);
                audit_print_csv_head(&reader->out);
                reader->head = false;
                return 1;
        }
        return got;
}

int bailey_audit_next(struct bailey_audit_reader *reader, const char **ret_text, size_t *ret_length, char *ret_error,
                      size_t error_size) {
        struct err err = {};
        int got = next_text(reader, &err);

        if (got > 0 && reader->out.failed)
                got = err_memory(&err);
        if (got < 0)
                return fail(&err, ret_error, error_size);
        if (got > 0) {
                *ret_text = reader->out.ptr;
                *ret_length = reader->out.len;
        }
        return got;
}

/* ---- sums ---- */

/* In the order of enum audit_group. */
static const enum bailey_audit_group groups[] = {
        [GROUP_KIND] = BAILEY_AUDIT_BY_KIND,       [GROUP_ACTION] = BAILEY_AUDIT_BY_ACTION, [GROUP_RULE] = BAILEY_AUDIT_BY_RULE,
        [GROUP_BACKEND] = BAILEY_AUDIT_BY_BACKEND, [GROUP_END] = BAILEY_AUDIT_BY_END,       [GROUP_HOUR] = BAILEY_AUDIT_BY_HOUR,
};

static int put_stats(struct audit_stats *stats, struct arena *arena, struct bailey_audit_stats *ret, struct err *err) {
        struct bailey_audit_count *items = arena_alloc(arena, (stats->count + 1) * sizeof(*items));
        bool failed = !items;

        audit_stats_sort(stats);
        for (size_t i = 0; !failed && i < stats->count; i++) {
                const struct audit_counter *counter = &stats->counters[i];

                items[i] = (struct bailey_audit_count){ groups[counter->group], arena_dup(arena, str_z(counter->name)),
                                                        counter->count };
                failed = !items[i].name;
        }
        *ret = (struct bailey_audit_stats){
                .commands = stats->commands,
                .first = arena_dup(arena, str_z(stats->first)),
                .last = arena_dup(arena, str_z(stats->last)),
                .items = items,
                .count = stats->count,
                .memory = arena,
        };
        return failed || !ret->first || !ret->last ? err_memory(err) : 0;
}

static int count_records(const struct bailey_policy *policy, const struct bailey_audit_query *query, struct arena *arena,
                         struct bailey_audit_stats *ret, struct err *err) {
        struct audit_stats *stats = audit_stats_new();
        struct bailey_audit_reader *reader = NULL;
        const struct tree_node *record;
        struct str line;
        int got = stats ? records_open(policy, query, &reader, err) : err_memory(err);

        while (got >= 0 && (got = records_next(reader, &line, &record, err)) > 0)
                audit_stats_add(stats, record);
        if (got == 0)
                got = put_stats(stats, arena, ret, err);
        bailey_audit_close(reader);
        audit_stats_free(stats);
        return got;
}

int bailey_audit_stats(const struct bailey_policy *policy, const struct bailey_audit_query *query,
                       struct bailey_audit_stats *ret, char *ret_error, size_t error_size) {
        struct bailey_audit_stats stats;
        struct err err = {};
        struct arena *arena = config_memory_new(&err);

        if (!arena || count_records(policy, query, arena, &stats, &err) < 0) {
                config_memory_free(arena);
                return fail(&err, ret_error, error_size);
        }
        *ret = stats;
        return 0;
}

void bailey_audit_stats_free(struct bailey_audit_stats *stats) {
        config_memory_free(stats->memory);
        *stats = (struct bailey_audit_stats){};
}

/* ---- the chain ---- */

static int put_check(const struct audit_check *check, const char *path, struct arena *arena, struct bailey_audit_check *ret,
                     struct err *err) {
        *ret = (struct bailey_audit_check){
                .records = check->records,
                .repairs = check->repairs,
                .files = check->files,
                .from_start = check->from_start,
                .last = arena_dup(arena, str_z(check->last.hex)),
                .path = arena_dup(arena, str_z(path)),
                .problem = check->problem,
                .file = arena_dup(arena, str_z(rotated_path(path, check->number).text)),
                .id = arena_dup(arena, str_z(check->id)),
                .line = check->line,
                .torn = check->torn,
                .torn_bytes = check->torn_bytes,
                .memory = arena,
        };
        if (!ret->last || !ret->path || !ret->file || !ret->id)
                return err_memory(err);
        if (!check->problem)
                ret->file = NULL;
        return 0;
}

static int verify(const struct bailey_policy *policy, struct arena *arena, struct bailey_audit_check *ret, struct err *err) {
        struct audit_reader files;
        struct audit_check check;
        int result;

        if (open_files(policy, &files, err) < 0)
                return -1;
        result = audit_verify(&files, policy->policy->audit.rotate_keep, &check, err);
        if (result == 0)
                result = put_check(&check, files.path, arena, ret, err);
        audit_reader_close(&files);
        return result;
}

int bailey_audit_verify(const struct bailey_policy *policy, struct bailey_audit_check *ret, char *ret_error,
                        size_t error_size) {
        struct bailey_audit_check check = {};
        struct err err = {};
        struct arena *arena = config_memory_new(&err);

        if (!arena || verify(policy, arena, &check, &err) < 0) {
                config_memory_free(arena);
                return fail(&err, ret_error, error_size);
        }
        *ret = check;
        return !check.problem;
}

void bailey_audit_check_free(struct bailey_audit_check *check) {
        config_memory_free(check->memory);
        *check = (struct bailey_audit_check){};
}

/* ---- memory ---- */

int bailey_audit_recent(const struct bailey_policy *policy, size_t count, char **ret_text, size_t *ret_length) {
        struct err ignored;
        struct buf out;

        buf_init(&out, TEXT_MAX);
        audit_recent(policy->audit, count, &out);
        return records_hand_out(&out, ret_text, ret_length, &ignored);
}
