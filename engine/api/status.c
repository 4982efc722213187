/*
 * Everything at a glance: the policy in short, what runs, what was refused lately.
 */
#include "audit/print.h"
#include "audit/read.h"
#include "base/number.h"
#include "base/time.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "engine/session/control.h"
#include "policy/keys.h"

enum { STATUS_MAX = 64 << 20, BLOCKS = 5 };

/* The word that config files have for a value. */
static const char *word_of(const char *key, int value) {
        return key_by_path(str_z(key))->words[value];
}

/* What a policy decides with lists, by how long they are. */
struct list_size {
        const char *name; /* of the key */
        size_t count;
};

static size_t list_sizes(const struct policy *p, struct list_size ret[static 8]) {
        const struct list_size sizes[] = {
                { "domain_allowlist", p->guard.domain_allowlist.count },
                { "domain_denylist", p->guard.domain_denylist.count },
                { "command_blocklist", p->guard.command_blocklist.count },
                { "allowed_commands", p->guard.allowed_commands.count },
                { "ask", p->guard.ask.count },
                { "dangerous_patterns", p->guard.pattern_count },
                { "network.hosts", p->sandbox.network_hosts.count },
        };

        memcpy(ret, sizes, sizeof(sizes));
        return sizeof(sizes) / sizeof(*sizes);
}

static void summary_json(const struct policy *p, struct buf *out) {
        struct list_size lists[8];
        size_t count = list_sizes(p, lists);

        buf_format(out, ",\"backend\":\"%s\",\"network\":\"%s\",\"container\":%s,\"lists\":{",
                   word_of("sandbox.backend", (int)p->sandbox.backend),
                   word_of("sandbox.network.kind", (int)p->sandbox.network), p->container.enabled ? "true" : "false");
        for (size_t i = 0; i < count; i++)
                buf_format(out, "%s\"%s\":%zu", i ? "," : "", lists[i].name, lists[i].count);
        buf_format(out, "},\"timeout_ms\":%lld,\"timeout_max_ms\":%lld,\"output_bytes\":%lld",
                   (long long)(p->run.timeout / 1000000), (long long)(p->run.timeout_max / 1000000),
                   (long long)p->run.output_bytes);
}

static void summary_text(const struct policy *p, struct buf *out) {
        char output[SIZE_TEXT_SIZE];
        struct list_size lists[8];
        size_t count = list_sizes(p, lists);

        size_format((uint64_t)p->run.output_bytes, output);
        buf_format(out,
                   "    backend %s, network %s, containers %s; timeout %lld s, at most %lld s; output %s\n    items in lists:",
                   word_of("sandbox.backend", (int)p->sandbox.backend),
                   word_of("sandbox.network.kind", (int)p->sandbox.network), p->container.enabled ? "on" : "off",
                   (long long)(p->run.timeout / TIME_SECOND), (long long)(p->run.timeout_max / TIME_SECOND), output);
        for (size_t i = 0; i < count; i++)
                buf_format(out, "%s %s %zu", i ? "," : "", lists[i].name, lists[i].count);
        buf_char(out, '\n');
}

static void policy_json(const struct bailey_policy *policy, struct buf *out) {
        const struct policy *p = policy->policy;

        buf_append(out, STR("{\"schemaVersion\":1,\"policy\":"));
        buf_json(out, p->name);
        buf_append(out, STR(",\"workspace\":"));
        buf_json(out, p->workspace);
        buf_format(out, ",\"guard\":\"%s\",\"bypassed\":%s", word_of("guard.mode", (int)p->guard.mode),
                   policy->bypassed ? "true" : "false");
        summary_json(p, out);
        buf_append(out, STR(",\"files\":["));
        for (size_t i = 0; i < p->file_count; i++) {
                buf_append(out, i ? STR(",{\"path\":") : STR("{\"path\":"));
                buf_json(out, str_z(p->files[i].path));
                buf_format(out, ",\"trusted\":%s}", p->files[i].trusted ? "true" : "false");
        }
        buf_char(out, ']');
}

static void policy_text(const struct bailey_policy *policy, struct buf *out) {
        const struct policy *p = policy->policy;

        buf_append(out, STR("policy "));
        buf_append(out, p->name);
        buf_append(out, STR(" for "));
        buf_visible(out, p->workspace);
        buf_format(out, ", guard: %s%s\n", word_of("guard.mode", (int)p->guard.mode), policy->bypassed ? ", bypassed" : "");
        summary_text(p, out);
        for (size_t i = 0; i < p->file_count; i++) {
                buf_append(out, STR("    "));
                buf_visible(out, str_z(p->files[i].path));
                buf_append(out, p->files[i].trusted ? STR("\n") : STR(" (not trusted)\n"));
        }
}

static int put_sessions(const char *const *environment, enum bailey_answer answer, struct buf *out, char *ret_error,
                        size_t error_size) {
        char *text;
        size_t length;

        if (bailey_sessions(environment, answer, &text, &length, ret_error, error_size) < 0)
                return -1;
        if (answer == BAILEY_ANSWER_JSON) {
                buf_append(out, STR(",\"sessions\":"));
                buf_append(out, str_take(str_from(text, length), str_find(str_from(text, length), '\n')));
        } else {
                buf_append(out, length ? str_from(text, length) : STR("no session is running\n"));
        }
        bailey_free(text);
        return 0;
}

/* What was refused, from the log and from the memory of sessions that write none. */
struct blocks {
        struct buf *out;
        bool json;
        size_t count;
};

/* A record as it is stored, or its line for people. */
static void put_block(struct blocks *blocks, struct str line) {
        struct str shown = blocks->json ? str_take(line, str_find(line, '\n')) : line;

        if (blocks->count++)
                buf_append(blocks->out, blocks->json ? STR(",") : STR("    "));
        else if (!blocks->json)
                buf_append(blocks->out, STR("recently refused:\n    "));
        buf_append(blocks->out, shown);
}

static int put_logged(const struct bailey_policy *policy, struct blocks *blocks, char *ret_error, size_t error_size) {
        const struct bailey_audit_query query = { .kind = "refused",
                                                  .newest = BLOCKS,
                                                  .format = blocks->json ? BAILEY_AUDIT_JSON : BAILEY_AUDIT_LINES };
        struct bailey_audit_reader *reader;
        const char *text;
        size_t length;
        int got;

        if (bailey_audit_open(policy, &query, &reader, ret_error, error_size) < 0)
                return -1;
        while ((got = bailey_audit_next(reader, &text, &length, ret_error, error_size)) == 1)
                put_block(blocks, str_from(text, length)); /* and no NUL behind it */
        bailey_audit_close(reader);
        return got;
}

static void put_unwritten(struct blocks *blocks, struct str line) {
        const struct tree_node *record;
        ARENA_AUTO arena;
        BUF_AUTO text;

        arena_init(&arena, 0);
        buf_init(&text, STATUS_MAX);
        record = audit_parse(line, &arena);
        if (!record)
                return;
        if (!blocks->json)
                audit_print_line(record, &text);
        put_block(blocks, blocks->json ? line : buf_str(&text));
}

static int put_remembered(const char *const *environment, struct blocks *blocks, char *ret_error, size_t error_size) {
        struct err err = {};
        struct str left;
        BUF_AUTO lines;

        buf_init(&lines, STATUS_MAX);
        if (control_ask_refused(environment, &lines, &err) < 0)
                return config_hand_error(&err, ret_error, error_size);
        for (left = buf_str(&lines); left.len; left = str_skip(left, str_find(left, '\n') + 1))
                put_unwritten(blocks, str_take(left, str_find(left, '\n')));
        return 0;
}

static int put_blocks(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                      struct buf *out, char *ret_error, size_t error_size) {
        struct blocks blocks = { .out = out, .json = answer == BAILEY_ANSWER_JSON };

        buf_append(out, blocks.json ? STR(",\"recent_blocks\":[") : STR(""));
        if (put_logged(policy, &blocks, ret_error, error_size) < 0 ||
            put_remembered(environment, &blocks, ret_error, error_size) < 0)
                return -1;
        buf_append(out, blocks.json ? STR("]}\n") : STR(""));
        return 0;
}

static int hand_out(struct buf *out, char **ret_text, size_t *ret_length, char *ret_error, size_t error_size) {
        struct err err;

        err_memory(&err);
        return config_hand_text(out, ret_text, ret_length) < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}

int bailey_status(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                  char **ret_text, size_t *ret_length, char *ret_error, size_t error_size) {
        struct buf out;

        buf_init(&out, STATUS_MAX);
        (answer == BAILEY_ANSWER_JSON ? policy_json : policy_text)(policy, &out);
        if (put_sessions(environment, answer, &out, ret_error, error_size) < 0 ||
            put_blocks(policy, environment, answer, &out, ret_error, error_size) < 0) {
                buf_free(&out);
                return -1;
        }
        return hand_out(&out, ret_text, ret_length, ret_error, error_size);
}

int bailey_allowed(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                   char **ret_text, size_t *ret_length, char *ret_error, size_t error_size) {
        const struct str_list *hosts = &policy->policy->guard.domain_allowlist;
        bool json = answer == BAILEY_ANSWER_JSON;
        struct buf out;

        buf_init(&out, STATUS_MAX);
        buf_append(&out, json ? STR("{\"domain_allowlist\":[") : STR(""));
        for (size_t i = 0; i < hosts->count; i++) {
                if (json) {
                        buf_append(&out, i ? STR(",") : STR(""));
                        buf_json(&out, hosts->items[i]);
                } else {
                        buf_append(&out, hosts->items[i]);
                        buf_char(&out, '\n');
                }
        }
        buf_append(&out, json ? STR("]") : STR(""));
        if (put_sessions(environment, answer, &out, ret_error, error_size) < 0) {
                buf_free(&out);
                return -1;
        }
        buf_append(&out, json ? STR("}\n") : STR(""));
        return hand_out(&out, ret_text, ret_length, ret_error, error_size);
}
