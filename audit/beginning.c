#include "audit/beginning.h"

#include <stdio.h>
#include <stdlib.h>

#include "audit/read.h"

#define OLDER "older"
#define AFTER_UNSAID "older_unsaid"

enum { LOOK_MAX = 2 * CHAIN_LINE_MAX };

void audit_beginning_mark(struct buf *body, size_t older, bool after_unsaid) {
        buf_format(body, ",\"" OLDER "\":%zu", older);
        if (after_unsaid)
                buf_append(body, STR(",\"" AFTER_UNSAID "\":true"));
}

static void look_at(struct str line, const struct chain_hash *prev, struct audit_beginning *ret) {
        const struct tree_node *record;
        struct str id;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        record = audit_parse(line, &arena);
        if (!record || (ret->line > 1 && !str_is(audit_field(record, "kind"), "repair")))
                return;
        id = audit_field(record, "id");
        if (id.len < sizeof(ret->id))
                snprintf(ret->id, sizeof(ret->id), "%.*s", (int)id.len, id.len ? id.ptr : "");
        ret->found = true;
        ret->genesis = strcmp(prev->hex, chain_genesis.hex) == 0;
        ret->older = audit_integer(record, OLDER, -1);
        ret->marked = ret->older >= 0;
        ret->after_unsaid = audit_is_true(record, AFTER_UNSAID);
}

int audit_beginning_read(int fd, uint64_t size, struct audit_beginning *ret, struct err *err) {
        struct audit_beginning beginning = {};
        enum chain_state state = CHAIN_TORN;
        struct chain_hash prev, hash;
        struct lines lines = { .fd = fd, .size = CHAIN_LINE_MAX, .limit = size < LOOK_MAX ? size : LOOK_MAX };
        struct str line;
        int result;

        lines.memory = malloc(CHAIN_LINE_MAX);
        if (!lines.memory)
                return err_memory(err);
        do /* what was torn there is not it; but then a repair is */
                result = lines_next(&lines, &line, err);
        while (result == LINE_WHOLE && (state = chain_look(line, &prev, &hash)) == CHAIN_TORN);
        beginning.line = lines.number;
        if (result == LINE_WHOLE && state == CHAIN_RIGHT)
                look_at(line, &prev, &beginning);
        free(lines.memory);
        if (result < 0)
                return -1;
        *ret = beginning;
        return 0;
}
