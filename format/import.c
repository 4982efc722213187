#include "format/format.h"
#include "format/json.h"

void format_import_json(const struct bailey_import *import, struct buf *out) {
        put_begin(out);
        put_texts(out, "files", import->files);
        put_array(out, "values");
        for (size_t i = 0; i < import->value_count; i++) {
                const struct bailey_import_value *value = &import->values[i];

                put_item(out);
                put_text(out, "key", value->key);
                put_json(out, "value", value->value);
                put_text(out, "file", value->file);
                put_number(out, "line", value->line);
                put_text(out, "setting", value->setting);
                put_bytes(out, "text", text_str(value->text));
                put_end(out);
        }
        put_array_end(out);
        put_array(out, "left");
        for (size_t i = 0; i < import->left_count; i++) {
                const struct bailey_import_left *left = &import->left[i];

                put_item(out);
                put_switch(out, "denies", left->denies);
                put_text(out, "reason", left->reason);
                put_text(out, "file", left->file);
                put_number(out, "line", left->line);
                put_text(out, "setting", left->setting);
                put_bytes(out, "text", text_str(left->text));
                put_end(out);
        }
        put_array_end(out);
        put_text(out, "changed", import->changed);
        put_end(out);
        buf_char(out, '\n');
}

void format_import_left(const struct bailey_import_left *left, struct buf *out) {
        buf_append(out, left->denies ? STR("skipped, although it denies something: ") : STR("skipped: "));
        buf_visible(out, str_z(left->file));
        buf_format(out, ":%u: ", left->line);
        buf_visible(out, str_z(left->setting));
        if (left->text.length) {
                buf_append(out, STR(" = "));
                buf_visible(out, text_str(left->text));
        }
        buf_append(out, STR(": "));
        buf_visible(out, str_z(left->reason));
}

void format_import_config(const struct bailey_import *import, struct buf *out) {
        for (size_t i = 0; import->files[i]; i++) {
                buf_append(out, STR("# from "));
                buf_visible(out, str_z(import->files[i]));
                buf_char(out, '\n');
        }
        buf_char(out, '\n');
        buf_append(out, text_str(import->config));
}

void format_import_changed(const struct bailey_import *import, struct buf *out) {
        if (import->changed) {
                buf_visible(out, str_z(import->changed));
                buf_append(out, STR(" changed; running sessions are not affected. It now has:\n"));
        } else {
                buf_append(out, STR("your config file was not changed. It already has:\n"));
        }
        for (size_t i = 0; i < import->value_count; i++) {
                const struct bailey_import_value *value = &import->values[i];

                buf_format(out, "  %s: %s  # ", value->key, value->value);
                buf_visible(out, str_z(value->file));
                buf_append(out, STR(": "));
                buf_visible(out, str_z(value->setting));
                buf_char(out, '\n');
        }
}
