#include "format/format.h"
#include "format/json.h"

void put_findings(struct buf *out, const struct bailey_why_finding *findings, size_t count) {
        put_array(out, "findings");
        for (size_t i = 0; i < count; i++) {
                put_item(out);
                put_text(out, "layer", findings[i].layer);
                put_text(out, "kind", findings[i].kind);
                put_text(out, "subject", findings[i].subject);
                put_text(out, "text", findings[i].text);
                put_text(out, "setting", findings[i].setting);
                put_text(out, "option", findings[i].option);
                put_text(out, "opens", findings[i].opens);
                put_text(out, "program", findings[i].program);
                put_end(out);
        }
        put_array_end(out);
}

void format_why_json(const struct bailey_why *why, struct buf *out) {
        put_begin(out);
        put_text(out, "id", why->id);
        put_text(out, "time", why->time);
        put_bytes(out, "command", text_str(why->command));
        put_text(out, "cwd", why->cwd);
        put_text(out, "policy", why->policy);
        put_text(out, "backend", why->backend);
        put_text(out, "action", why->action);
        put_text(out, "end", why->end);
        put_text(out, "message", why->message);
        put_switch(out, "output_known", why->output_known);
        put_texts(out, "effects", why->effects);
        put_findings(out, why->findings, why->finding_count);
        put_end(out);
        buf_char(out, '\n');
}

static void line(struct buf *out, const char *name, const char *text) {
        if (!text)
                return;
        buf_format(out, "%-11s ", name);
        buf_visible(out, str_z(text));
        buf_char(out, '\n');
}

static void put_finding(const struct bailey_why_finding *finding, struct buf *out) {
        buf_char(out, '\n');
        line(out, "stopped by", finding->layer);
        line(out, "because", finding->text);
        line(out, "asked by", finding->program);
        line(out, "to allow it", finding->setting ? finding->setting : "there is no setting for this");
        if (finding->option) {
                buf_append(out, STR("once        bailey run "));
                buf_visible(out, str_z(finding->option));
                buf_char(out, '\n');
        }
        line(out, "it opens", finding->opens);
}

void format_denied_text(const struct bailey_outcome *o, struct buf *out) {
        for (size_t i = 0; i < o->finding_count; i++)
                put_finding(&o->findings[i], out);
        if (o->finding_count == 0)
                buf_append(out, STR("\nNothing was denied.\n"));
        if (o->findings_lost)
                buf_append(out, STR("\nMore was denied than is kept.\n"));
}

void format_why_text(const struct bailey_why *why, struct buf *out) {
        buf_append(out, STR("command     "));
        buf_visible(out, text_str(why->command));
        buf_char(out, '\n');
        line(out, "id", why->id);
        line(out, "time", why->time);
        line(out, "in", why->cwd);
        line(out, "policy", why->policy);
        line(out, "sandbox", why->backend);
        line(out, "verdict", why->action);
        for (size_t i = 0; why->effects[i]; i++)
                line(out, i ? "" : "effects", why->effects[i]);
        line(out, "end", why->end);
        line(out, "message", why->message);
        for (size_t i = 0; i < why->finding_count; i++)
                put_finding(&why->findings[i], out);
        if (why->finding_count || why->message)
                return;
        buf_append(out, STR("\nThe audit log contains no sign that bailey stopped it.\n"));
        if (!why->output_known)
                buf_append(out, STR("Its output was not examined; bailey run --json does that.\n"));
}
