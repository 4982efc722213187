#include "format/format.h"
#include "format/json.h"

/* As a config file has it, but for the list around the other items. */
static void put_value(const struct bailey_learn_line *line, struct buf *out) {
        if (!line->list) {
                buf_append(out, str_z(line->value));
                return;
        }
        buf_char(out, '[');
        buf_json(out, str_z(line->value));
        buf_char(out, ']');
}

void format_learned_json(const struct bailey_learned *learned, const char *path, const char *diff, struct buf *out) {
        put_begin(out);
        put_switch(out, "passes", learned->passes);
        put_text(out, "problem", learned->problem);
        put_number(out, "runs", learned->runs);
        put_number(out, "exit_code", learned->exit_code);
        put_bytes(out, "output", str_from(learned->output, learned->output_length));
        put_array(out, "lines");
        for (size_t i = 0; i < learned->line_count; i++) {
                const struct bailey_learn_line *line = &learned->lines[i];

                put_item(out);
                put_text(out, "key", line->key);
                put_text(out, "value", line->value);
                put_switch(out, "list", line->list);
                put_text(out, "text", line->text);
                put_text(out, "program", line->program);
                put_end(out);
        }
        put_array_end(out);
        put_array(out, "not_proposed");
        for (size_t i = 0; i < learned->refused_count; i++) {
                const struct bailey_learn_refused *refused = &learned->refused[i];

                put_item(out);
                put_text(out, "subject", refused->subject);
                put_text(out, "text", refused->text);
                put_text(out, "reason", refused->reason);
                put_text(out, "program", refused->program);
                put_end(out);
        }
        put_array_end(out);
        put_texts(out, "notices", learned->notices);
        put_text(out, "file", path);
        put_text(out, "diff", diff);
        put_end(out);
        buf_char(out, '\n');
}

/* Programs that apply a diff skip what stands in front of it. */
void format_learned_text(const struct bailey_learned *learned, const char *diff, struct buf *out) {
        for (size_t i = 0; i < learned->line_count; i++) {
                const struct bailey_learn_line *line = &learned->lines[i];

                buf_format(out, "# %s = ", line->key);
                put_value(line, out);
                buf_append(out, STR("\n#     "));
                if (line->program) {
                        buf_visible(out, str_z(line->program));
                        buf_append(out, STR(": "));
                }
                buf_visible(out, str_z(line->text));
                buf_char(out, '\n');
        }
        buf_append(out, str_z(diff));
}

void format_learned_refused(const struct bailey_learn_refused *refused, struct buf *out) {
        buf_append(out, STR("not proposed: "));
        buf_visible(out, str_z(refused->subject));
        if (refused->program) {
                buf_append(out, STR(", asked for by "));
                buf_visible(out, str_z(refused->program));
        }
        buf_append(out, STR(": "));
        buf_visible(out, str_z(refused->reason));
}
