#include "audit/verify.h"

#include <stdio.h>

#include "audit/chain.h"

enum { TORN_MAX = 8 * CHAIN_LINE_MAX };

/* What is behind the last whole record and is none. */
struct torn {
        struct buf bytes;
        uint64_t line; /* its first; 0: there is nothing */
};

struct verifier {
        struct audit_reader *reader;
        struct audit_check *check;
        struct torn torn;
        struct arena arena;
        uint64_t number; /* of the line that is looked at */
};

static int source_number(const struct verifier *v) {
        return v->reader->sources[v->reader->index].number;
}

static void set_id(struct verifier *v, struct str line) {
        const struct tree_node *record = audit_parse(line, &v->arena);
        struct str id = record ? audit_field(record, "id") : (struct str){};

        if (id.len < sizeof(v->check->id))
                snprintf(v->check->id, sizeof(v->check->id), "%.*s", (int)id.len, id.len ? id.ptr : "");
}

/* Always false: stop here. */
static bool broken(struct verifier *v, uint64_t number, struct str line, const char *problem) {
        v->check->problem = problem;
        v->check->number = source_number(v);
        v->check->line = number;
        set_id(v, line);
        return false;
}

static bool broken_torn(struct verifier *v) {
        struct str text = buf_str(&v->torn.bytes);

        return broken(v, v->torn.line, str_take(text, str_find(text, '\n')), "not a record, or one that was cut");
}

/* ---- lines ---- */

static bool add_torn(struct verifier *v, struct str line, bool newline) {
        if (!v->torn.line)
                v->torn.line = v->number;
        buf_append(&v->torn.bytes, line);
        if (newline)
                buf_char(&v->torn.bytes, '\n');
        return v->torn.bytes.failed ? broken(v, v->torn.line, (struct str){}, "not a record") : true;
}

/* Does this record say of what is before it that it is torn? */
static bool closes(const struct torn *torn, const struct tree_node *record) {
        const struct tree_node *count = tree_get(record, STR("torn_bytes"));
        struct str bytes = buf_str(&torn->bytes), said = audit_field(record, "torn_sha256");
        char hex[SHA256_HEX_SIZE];

        if (!count || count->kind != TREE_INTEGER)
                return false;
        if (bytes.len)
                bytes.len--; /* the newline that closed it */
        sha256_hex(bytes, hex);
        return count->integer >= 0 && (uint64_t)count->integer == bytes.len && str_is(said, hex);
}

static bool look_at_repair(struct verifier *v, struct str line) {
        const struct tree_node *record = audit_parse(line, &v->arena);
        bool repair = record && str_is(audit_field(record, "kind"), "repair");

        if (!repair)
                return v->torn.line ? broken_torn(v) : true;
        if (!closes(&v->torn, record))
                return broken(v, v->number, line, "the torn bytes that it speaks of are not before it");
        v->check->repairs++;
        v->torn.line = 0;
        buf_clear(&v->torn.bytes);
        return true;
}

/* Most records need not be parsed. */
static bool may_be_repair(struct str line) {
        static const char kind[] = "\"v\":1,\"kind\":\"repair\"";
        size_t at = sizeof(CHAIN_HEAD) - 1 + SHA256_HEX_SIZE - 1 + 2;

        return str_starts(str_skip(line, at), str_from(kind, sizeof(kind) - 1));
}

static bool look_at_line(struct verifier *v, struct str line) {
        struct audit_check *check = v->check;
        struct chain_hash prev, hash;
        enum chain_state state = chain_look(line, &prev, &hash);

        if (state == CHAIN_TORN)
                return add_torn(v, line, true);
        if (state == CHAIN_CHANGED)
                return v->torn.line ? broken_torn(v) : broken(v, v->number, line, "its content is not what its hash says");
        if ((v->torn.line || may_be_repair(line)) && !look_at_repair(v, line))
                return false;
        if (!check->records)
                check->from_start = strcmp(prev.hex, chain_genesis.hex) == 0;
        else if (strcmp(prev.hex, check->last.hex) != 0)
                return broken(v, v->number, line, "a record before it is missing or was changed");
        check->last = hash;
        check->records++;
        return true;
}

/* ---- files ---- */

/* Only the newest file may end in the middle of something. */
static bool look_at_end(struct verifier *v) {
        struct str rest = lines_rest(&v->reader->lines);
        bool last = v->reader->index + 1 == v->reader->count, newest = last && source_number(v) == 0;
        struct chain_hash prev, hash;
        enum chain_state state = chain_look(rest, &prev, &hash);

        if (v->reader->lines.skipping)
                return broken(v, v->number, (struct str){}, "longer than any record");
        if (!rest.len)
                return v->torn.line ? broken_torn(v) : true;
        if (state != CHAIN_TORN && !look_at_line(v, rest))
                return false;
        if (state == CHAIN_TORN && !add_torn(v, rest, false))
                return false;
        if (!newest)
                return v->torn.line ? broken_torn(v) : broken(v, v->number, rest, "the newline behind it is missing");
        v->check->torn = true;
        v->check->torn_bytes = v->torn.bytes.len;
        v->check->line = state == CHAIN_TORN ? v->torn.line : v->number;
        return true;
}

/* False: there is no more to look at, or no reason to. */
static bool look_at(struct verifier *v, enum line_kind kind, struct str line) {
        v->number = v->reader->lines.number + (kind == LINE_END); /* at the end, what has no newline */
        if (kind == LINE_WHOLE)
                return look_at_line(v, line);
        if (kind == LINE_TOO_LONG)
                return broken(v, v->number, (struct str){}, "longer than any record");
        return look_at_end(v) && audit_reader_advance(v->reader);
}

static int verify(struct verifier *v, struct err *err) {
        for (;;) {
                struct str line = {};
                int kind = lines_next(&v->reader->lines, &line, err);

                if (kind < 0)
                        return -1;
                if (!look_at(v, (enum line_kind)kind, line))
                        return 0;
                arena_reset(&v->arena);
        }
}

/* ---- the beginning ---- */

static bool broken_at(struct verifier *v, size_t source, const struct audit_beginning *at, const char *problem) {
        v->check->problem = problem;
        v->check->number = v->reader->sources[source].number;
        v->check->line = at->line;
        memcpy(v->check->id, at->id, sizeof(v->check->id));
        return false;
}

/* Of a first record that does not say that its file begins with it: was it written before records did? Then the next one that
 * does knows that; where there is none, as many files have to be there as are kept. */
static int may_begin(const struct audit_reader *reader, int64_t keep, struct err *err) {
        for (size_t i = 1; i < reader->count; i++) {
                struct audit_beginning later;

                if (audit_beginning_read(reader->sources[i].fd, reader->sources[i].size, &later, err) < 0)
                        return -1;
                if (later.marked)
                        return later.after_unsaid;
        }
        return (int64_t)reader->count > keep;
}

/* Is what is missing before the first record what rotation drops? 1: yes, 0: no, and that was said. */
static int look_at_beginning(struct verifier *v, int64_t keep, struct err *err) {
        const struct audit_reader *reader = v->reader;
        size_t newest = reader->count - 1;
        struct audit_beginning first, last;
        int fine;

        if (audit_beginning_read(reader->sources[0].fd, reader->sources[0].size, &first, err) < 0 ||
            audit_beginning_read(reader->sources[newest].fd, reader->sources[newest].size, &last, err) < 0)
                return -1;
        if (!first.found)
                return 1; /* so it is broken, which is said when its lines are looked at */
        fine = first.genesis || first.marked ? 1 : may_begin(reader, keep, err);
        if (fine == 0)
                return broken_at(v, 0, &first, "records before it are missing");
        if (fine > 0 && !first.genesis && last.found && reader->sources[newest].number == 0 && last.older > (int64_t)newest)
                return broken_at(v, newest, &last, "there are fewer older files than it speaks of");
        return fine;
}

int audit_verify(struct audit_reader *reader, int64_t keep, struct audit_check *ret, struct err *err) {
        struct audit_check check = { .files = reader->count, .last = chain_genesis };
        struct verifier v = { .reader = reader, .check = &check };
        int result = 0;

        arena_init(&v.arena, 0);
        buf_init(&v.torn.bytes, TORN_MAX);
        if (reader->count)
                result = look_at_beginning(&v, keep, err);
        if (result > 0)
                result = verify(&v, err);
        arena_free(&v.arena);
        buf_free(&v.torn.bytes);
        if (result == 0)
                *ret = check;
        return result;
}
