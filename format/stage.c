#include "format/format.h"

#include "base/number.h"
#include "format/json.h"

static const char *const kind_names[] = {
        [BAILEY_STAGE_DELETED] = "deleted",
        [BAILEY_STAGE_CHANGED] = "changed",
        [BAILEY_STAGE_ADDED] = "new",
};

/* ---- the list ---- */

void format_stages_json(const struct bailey_stages *stages, struct buf *out) {
        put_begin(out);
        put_array(out, "stages");
        for (size_t i = 0; i < stages->count; i++) {
                const struct bailey_stage *stage = &stages->items[i];

                put_item(out);
                put_text(out, "name", stage->name);
                put_text(out, "workspace", stage->workspace);
                put_text(out, "begun", stage->begun);
                put_text(out, "discarded", stage->discarded);
                put_switch(out, "busy", stage->busy);
                put_number(out, "changed", (long long)stage->changed);
                put_number(out, "new", (long long)stage->added);
                put_number(out, "deleted", (long long)stage->deleted);
                put_number(out, "bytes", (long long)stage->bytes);
                put_text(out, "problem", stage->problem);
                put_end(out);
        }
        put_array_end(out);
        put_end(out);
}

static void put_stage(const struct bailey_stage *stage, struct buf *out) {
        char size[SIZE_TEXT_SIZE];

        size_format(stage->bytes, size);
        buf_format(out, "%s  ", stage->name);
        buf_visible(out, str_z(stage->workspace ? stage->workspace : "unknown workspace"));
        if (stage->problem) {
                buf_append(out, STR("  cannot be examined: "));
                buf_visible(out, str_z(stage->problem));
        } else {
                buf_format(out, "  %llu changed, %llu new, %llu deleted, %s", stage->changed, stage->added, stage->deleted,
                           size);
        }
        if (stage->begun)
                buf_format(out, "  begun %s%s", stage->begun, stage->busy ? ", in use" : "");
        if (stage->discarded)
                buf_format(out, ", discarded %s", stage->discarded);
        buf_char(out, '\n');
}

void format_stages_text(const struct bailey_stages *stages, struct buf *out) {
        if (!stages->count)
                buf_append(out, STR("No stages.\n"));
        for (size_t i = 0; i < stages->count; i++)
                put_stage(&stages->items[i], out);
}

/* ---- what is in one ---- */

static void put_change(const struct bailey_stage_change *change, struct buf *out) {
        put_item(out);
        put_bytes(out, "path", str_z(change->path));
        put_text(out, "kind", kind_names[change->kind]);
        put_text(out, "type", change->type);
        put_number(out, "before_bytes", (long long)change->before_bytes);
        put_number(out, "after_bytes", (long long)change->after_bytes);
        put_number(out, "before_mode", change->before_mode);
        put_number(out, "after_mode", change->after_mode);
        put_switch(out, "same_content", change->same_content);
        put_switch(out, "binary", change->binary);
        put_number(out, "added_lines", (long long)change->added_lines);
        put_number(out, "removed_lines", (long long)change->removed_lines);
        put_text(out, "conflict", change->conflict);
        put_text(out, "protected", change->protected_by);
        if (change->text)
                put_bytes(out, "diff", str_from(change->text, change->text_length));
        put_end(out);
}

void format_stage_changes_json(const struct bailey_stage_changes *changes, struct buf *out) {
        put_begin(out);
        put_text(out, "name", changes->name);
        put_text(out, "workspace", changes->workspace);
        put_number(out, "changed", (long long)changes->changed);
        put_number(out, "new", (long long)changes->added);
        put_number(out, "deleted", (long long)changes->deleted);
        put_text(out, "digest", changes->digest);
        put_array(out, "changes");
        for (size_t i = 0; i < changes->count; i++)
                put_change(&changes->items[i], out);
        put_array_end(out);
        put_end(out);
}

static void put_notes(const struct bailey_stage_change *change, const struct stage_style *style, struct buf *out) {
        if (change->same_content && change->before_mode != change->after_mode)
                buf_format(out, ", mode %04o, before %04o", change->after_mode, change->before_mode);
        else if (change->same_content)
                buf_append(out, STR(", only its times, links or attributes"));
        else if (change->before_mode && change->after_mode && change->before_mode != change->after_mode)
                buf_format(out, ", mode %04o, before %04o", change->after_mode, change->before_mode);
        if (change->protected_by) {
                buf_append(out, STR(", "));
                paint_put(out, style->colors, PAINT_DOUBTFUL, "protected: run by ");
                paint_put(out, style->colors, PAINT_DOUBTFUL, change->protected_by);
        }
        if (change->conflict) {
                buf_append(out, STR(", "));
                paint_put(out, style->colors, PAINT_BAD, "conflict: ");
                paint_put(out, style->colors, PAINT_BAD, change->conflict);
        }
}

/* "changed  path, 3 lines more": one line. */
static void put_row(const struct bailey_stage_change *change, const struct stage_style *style, struct buf *out) {
        static const enum paint paints[] = { PAINT_BAD, PAINT_DOUBTFUL, PAINT_GOOD };
        char before[SIZE_TEXT_SIZE], after[SIZE_TEXT_SIZE];

        size_format(change->before_bytes, before);
        size_format(change->after_bytes, after);
        paint_put(out, style->colors, paints[change->kind], kind_names[change->kind]);
        buf_append(out, change->kind == BAILEY_STAGE_ADDED ? STR("      ") : STR("  "));
        buf_visible(out, str_z(change->path));
        if (strcmp(change->type, "directory") == 0)
                buf_char(out, '/');
        else if (strcmp(change->type, "file") != 0)
                buf_format(out, " (%s)", change->type);
        if (change->text)
                buf_format(out, "  +%llu -%llu", change->added_lines, change->removed_lines);
        else if (change->kind == BAILEY_STAGE_CHANGED && !change->same_content)
                buf_format(out, "  %s, before %s", after, before);
        else if (strcmp(change->type, "file") == 0 && !change->same_content)
                buf_format(out, "  %s", change->kind == BAILEY_STAGE_DELETED ? before : after);
        put_notes(change, style, out);
        buf_char(out, '\n');
}

/* What a terminal would act on is escaped. Elsewhere the lines are as they are, so that patch(1) takes them. */
static void put_line(struct str line, const struct stage_style *style, struct buf *out) {
        enum paint paint = line.ptr[0] == '+' ? PAINT_GOOD : line.ptr[0] == '-' ? PAINT_BAD : PAINT_NONE;
        BUF_AUTO shown;

        buf_init(&shown, 16 * line.len + 16);
        if (style->terminal)
                buf_columns(&shown, line);
        else
                buf_append(&shown, line);
        buf_char(&shown, 0);
        if (shown.failed || !style->colors)
                buf_append(out, shown.failed ? line : str_from(shown.ptr, shown.len - 1));
        else
                paint_put(out, true, paint, shown.ptr);
        buf_char(out, '\n');
}

static void put_hunks(const struct bailey_stage_change *change, const struct stage_style *style, struct buf *out) {
        struct str rest = str_from(change->text, change->text_length);

        buf_append(out, change->kind == BAILEY_STAGE_ADDED ? STR("--- /dev/null") : STR("--- a/"));
        if (change->kind != BAILEY_STAGE_ADDED)
                buf_visible(out, str_z(change->path));
        buf_append(out, STR("\n+++ b/"));
        buf_visible(out, str_z(change->path));
        buf_char(out, '\n');
        while (rest.len) {
                size_t length = str_find(rest, '\n');

                put_line(str_take(rest, length), style, out);
                rest = str_skip(rest, length + 1);
        }
}

void format_stage_changes_text(const struct bailey_stage_changes *changes, const struct stage_style *style, struct buf *out) {
        for (size_t i = 0; i < changes->count; i++) {
                const struct bailey_stage_change *change = &changes->items[i];

                put_row(change, style, out);
                if (!style->stat && change->text && change->text_length)
                        put_hunks(change, style, out);
        }
        buf_format(out, "%llu changed, %llu new, %llu deleted\n", changes->changed, changes->added, changes->deleted);
}

void format_stage_rows(const struct bailey_stage_changes *changes, const struct stage_style *style, struct buf *out) {
        for (size_t i = 0; i < changes->count; i++)
                put_row(&changes->items[i], style, out);
}

/* ---- what was applied ---- */

void format_applied_json(const struct bailey_stage_applied *applied, struct buf *out) {
        put_begin(out);
        put_text(out, "id", applied->id);
        put_number(out, "changed", (long long)applied->changed);
        put_number(out, "new", (long long)applied->added);
        put_number(out, "deleted", (long long)applied->deleted);
        put_switch(out, "refused", applied->refused);
        put_switch(out, "empty", applied->empty);
        put_switch(out, "recorded", applied->recorded);
        put_array(out, "left");
        for (size_t i = 0; i < applied->left_count; i++)
                put_change(&applied->left[i], out);
        put_array_end(out);
        put_texts(out, "notices", applied->notices);
        put_end(out);
}

void format_applied_text(const struct bailey_stage_applied *applied, struct buf *out) {
        buf_format(out, "applied: %llu changed, %llu new, %llu deleted", applied->changed, applied->added, applied->deleted);
        if (applied->id)
                buf_format(out, "; to revert: bailey undo %s", applied->id);
        buf_char(out, '\n');
}

void format_undoables_json(const struct bailey_stage_undoables *found, struct buf *out) {
        put_begin(out);
        put_array(out, "applied");
        for (size_t i = 0; i < found->count; i++) {
                put_item(out);
                put_text(out, "id", found->items[i].id);
                put_text(out, "stage", found->items[i].name);
                put_text(out, "workspace", found->items[i].workspace);
                put_text(out, "applied", found->items[i].applied);
                put_number(out, "bytes", (long long)found->items[i].bytes);
                put_switch(out, "undone", found->items[i].undone);
                put_end(out);
        }
        put_array_end(out);
        put_end(out);
}

void format_undoables_text(const struct bailey_stage_undoables *found, struct buf *out) {
        if (!found->count)
                buf_append(out, STR("Nothing can be undone.\n"));
        for (size_t i = 0; i < found->count; i++) {
                const struct bailey_stage_undoable *item = &found->items[i];
                char size[SIZE_TEXT_SIZE];

                size_format(item->bytes, size);
                buf_format(out, "%s  %s  %s  ", item->id, item->applied, item->name);
                buf_visible(out, str_z(item->workspace));
                buf_format(out, "  %s kept%s\n", size, item->undone ? ", undone" : "");
        }
}
