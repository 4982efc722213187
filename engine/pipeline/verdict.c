#include "engine/pipeline/verdict.h"

int verdict_reasons(const struct verdict *verdict, struct arena *arena, const struct bailey_reason **ret, size_t *ret_count) {
        struct bailey_reason *reasons = NULL;
        size_t count = 0;

        for (const struct reason *r = verdict->reasons; r; r = r->next)
                count++;
        if (count && !(reasons = arena_alloc(arena, count * sizeof(*reasons))))
                return -1;
        count = 0;
        for (const struct reason *r = verdict->reasons; r; r = r->next) {
                const char *rule = arena_dup(arena, r->id), *message = arena_dup(arena, r->message);

                if (!rule || !message)
                        return -1;
                reasons[count++] = (struct bailey_reason){
                        .rule = { rule, r->id.len },
                        .message = { message, r->message.len },
                        .blocks = r->severity == SEVERITY_BLOCK,
                        .effect = r->effect ? effect_name(r->effect->kind) : NULL,
                        .start = r->range.start,
                        .end = r->range.end,
                };
        }
        *ret = reasons;
        *ret_count = count;
        return 0;
}

void verdict_reasons_text(const struct verdict *verdict, struct buf *out) {
        for (const struct reason *r = verdict->reasons; r; r = r->next) {
                buf_format(out, "%.*s: ", (int)r->id.len, r->id.ptr);
                buf_append(out, r->message);
                if (r->next)
                        buf_char(out, '\n');
        }
}
