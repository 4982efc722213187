#include "format/format.h"

#include "format/json.h"

const char *format_action(enum bailey_action action) {
        static const char *const names[] = {
                [BAILEY_ALLOWED] = "allowed",
                [BAILEY_WARNED] = "warned",
                [BAILEY_BLOCKED] = "blocked",
        };

        return names[action];
}

static const char *severity(const struct bailey_reason *reason) {
        return reason->blocks ? "block" : "warn";
}

/* ---- JSON ---- */

static void put_range(struct buf *out, size_t start, size_t end) {
        buf_format(out, ",\"range\":[%zu,%zu]", start, end);
}

void put_reasons(struct buf *out, const struct bailey_reason *reasons, size_t count) {
        put_array(out, "reasons");
        for (size_t i = 0; i < count; i++) {
                put_item(out);
                put_bytes(out, "rule", text_str(reasons[i].rule));
                put_text(out, "severity", severity(&reasons[i]));
                put_bytes(out, "message", text_str(reasons[i].message));
                put_range(out, reasons[i].start, reasons[i].end);
                if (reasons[i].effect)
                        put_text(out, "effect", reasons[i].effect);
                put_end(out);
        }
        put_array_end(out);
}

static void put_commands(struct buf *out, const struct bailey_verdict *verdict) {
        put_array(out, "commands");
        for (size_t i = 0; i < verdict->command_count; i++) {
                const struct bailey_command *command = &verdict->commands[i];

                buf_append(out, i ? STR(",[") : STR("["));
                for (size_t j = 0; j < command->count; j++)
                        put_string(out, text_str(command->words[j]));
                buf_char(out, ']');
        }
        put_array_end(out);
}

static void put_effects(struct buf *out, const struct bailey_verdict *verdict) {
        put_array(out, "effects");
        for (size_t i = 0; i < verdict->effect_count; i++) {
                const struct bailey_effect *effect = &verdict->effects[i];

                put_item(out);
                put_text(out, "effect", effect->kind);
                put_bytes(out, "subject", text_str(effect->subject));
                put_range(out, effect->start, effect->end);
                put_end(out);
        }
        put_array_end(out);
}

void format_verdict_json(const struct bailey_verdict *verdict, struct buf *out) {
        put_begin(out);
        put_text(out, "action", format_action(verdict->action));
        if (verdict->bypassed)
                put_switch(out, "bypassed", true);
        if (verdict->would_block)
                put_switch(out, "would_block", true);
        put_reasons(out, verdict->reasons, verdict->reason_count);
        put_commands(out, verdict);
        put_effects(out, verdict);
        put_end(out);
}

/* ---- for people ---- */

/* The line in which the range begins, and a row of carets under it. */
static void mark_range(struct str source, const struct bailey_reason *reason, struct buf *out) {
        size_t start = reason->start < source.len ? reason->start : source.len, end = start, line = start;

        while (line > 0 && source.ptr[line - 1] != '\n')
                line--;
        while (end < source.len && source.ptr[end] != '\n')
                end++;
        if (end - line > 160)
                return;
        buf_append(out, STR("    "));
        buf_columns(out, str_take(str_skip(source, line), end - line));
        buf_append(out, STR("\n    "));
        for (size_t i = line; i < start; i++)
                if (((unsigned char)source.ptr[i] & 0xc0) != 0x80)
                        buf_char(out, source.ptr[i] == '\t' ? '\t' : ' ');
        if (start == end) /* what is missing there */
                buf_char(out, '^');
        for (size_t i = start; i < end && (i < reason->end || i == start); i++)
                if (((unsigned char)source.ptr[i] & 0xc0) != 0x80)
                        buf_char(out, '^');
        buf_char(out, '\n');
}

/* A verdict that is not the guard's last word has no colour. */
static void text_action(const struct bailey_verdict *verdict, bool colors, struct buf *out) {
        static const enum paint paints[] = {
                [BAILEY_ALLOWED] = PAINT_GOOD,
                [BAILEY_WARNED] = PAINT_DOUBTFUL,
                [BAILEY_BLOCKED] = PAINT_BAD,
        };
        bool final = !verdict->bypassed && !verdict->would_block;

        paint_put(out, colors, final ? paints[verdict->action] : PAINT_NONE, format_action(verdict->action));
        if (verdict->bypassed)
                buf_append(out, STR(" (the guard is disabled by the environment)"));
        else if (verdict->would_block)
                buf_append(out, STR(" (mode warn: would be blocked)"));
        buf_char(out, '\n');
}

static void text_command(const struct bailey_command *command, struct buf *out) {
        buf_append(out, STR("  "));
        for (size_t i = 0; i < command->count; i++) {
                buf_visible(out, text_str(command->words[i]));
                buf_char(out, i + 1 < command->count ? ' ' : '\n');
        }
}

void format_commands_text(const struct bailey_verdict *verdict, struct buf *out) {
        if (!verdict->empty)
                buf_append(out, STR("commands\n"));
        for (size_t i = 0; i < verdict->command_count; i++)
                text_command(&verdict->commands[i], out);
}

void format_verdict_text(const struct bailey_verdict *verdict, struct str source, bool colors, struct buf *out) {
        text_action(verdict, colors, out);
        for (size_t i = 0; i < verdict->reason_count; i++) {
                const struct bailey_reason *r = &verdict->reasons[i];

                buf_format(out, "  %s %.*s: ", severity(r), (int)r->rule.length, r->rule.text);
                buf_visible(out, text_str(r->message));
                buf_char(out, '\n');
                mark_range(source, r, out);
        }
        format_commands_text(verdict, out);
        if (verdict->effect_count)
                buf_append(out, STR("effects\n"));
        for (size_t i = 0; i < verdict->effect_count; i++) {
                buf_format(out, "  %s ", verdict->effects[i].kind);
                buf_visible(out, text_str(verdict->effects[i].subject));
                buf_char(out, '\n');
        }
}
