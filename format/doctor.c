#include "format/format.h"

#include "format/json.h"

/* Prints what the backend can enforce; if it works, what it enforces on this host. */
static void text_limits(const struct bailey_backend *b, struct buf *out) {
        if (!b->works)
                buf_append(out, str_z(b->promise));
        for (size_t i = 0; b->works && i < b->limit_count; i++)
                buf_format(out, "%s%s %s, %s", i ? "; " : "", b->limits[i].text, format_limit_state(b->limits[i].state),
                           b->limits[i].how);
}

/* ---- for people ---- */

static void text_state(const struct bailey_backend *b, bool colors, struct buf *out) {
        if (!b->sandboxes)
                paint_put(out, colors, PAINT_BAD, "no sandbox");
        else if (b->enforces_policy)
                paint_put(out, colors, PAINT_GOOD, "enforces the policy");
        else if (b->works)
                paint_put(out, colors, PAINT_DOUBTFUL, "works, but not for this policy");
        else
                paint_put(out, colors, PAINT_BAD, "does not work");
}

static void text_missing(const struct bailey_backend *b, struct buf *out) {
        for (size_t i = 0; b->works && b->sandboxes && i < b->capability_count; i++)
                if (!b->capabilities[i].enforced)
                        buf_format(out, "    not enforced%s: %s (%s)\n", b->capabilities[i].needed ? ", but required" : "",
                                   b->capabilities[i].name, b->capabilities[i].text);
}

static void text_backend(const struct bailey_backend *b, bool colors, struct buf *out) {
        buf_format(out, "%-12s ", b->name);
        text_state(b, colors, out);
        buf_format(out, "\n    %s\n", b->summary);
        if (!b->works)
                buf_format(out,
                           "    reason: %s\n"
                           "    to enable it: %s\n",
                           b->why, b->remedy);
        text_missing(b, out);
        if (b->notice)
                buf_format(out, "    note: %s\n", b->notice);
        buf_append(out, STR("    limits: "));
        text_limits(b, out);
        buf_format(out, "\n    verified: %s\n", b->verified);
}

void format_backends_text(const struct bailey_backends *backends, const struct bailey_homes *stale, bool colors,
                          struct buf *out) {
        if (backends->problem) {
                buf_format(out, "%s\n", backends->problem);
                return;
        }
        for (size_t i = 0; i < backends->count; i++)
                text_backend(&backends->items[i], colors, out);
        format_stale_text(stale, out);
        if (backends->chosen) {
                buf_format(out, "commands run in the %s sandbox; /tmp is %s\n", backends->chosen->name,
                           !backends->chosen->sandboxes ? "that of the host"
                           : backends->chosen->keeps_tmp
                                   ? "kept for the session of a server, and otherwise empty for each command"
                                   : "empty for each command");
                return;
        }
        paint_put(out, colors, PAINT_BAD, "no sandbox enforces the policy");
        buf_append(out, STR(": commands do not run\n"));
}

/* ---- JSON ---- */

static void put_limits(struct buf *out, const struct bailey_backend *b) {
        put_object(out, "limits");
        for (size_t i = 0; i < b->limit_count; i++)
                put_text(out, b->limits[i].name, format_limit_state(b->limits[i].state));
        put_end(out);
}

static void put_backend(struct buf *out, const struct bailey_backend *b) {
        BUF_AUTO text;

        buf_init(&text, 1 << 16);
        text_limits(b, &text);
        put_item(out);
        put_text(out, "name", b->name);
        put_switch(out, "works", b->works);
        put_switch(out, "enforces_policy", b->enforces_policy);
        put_switch(out, "keeps_tmp", b->keeps_tmp);
        put_text(out, "why", b->why);
        put_text(out, "remedy", b->remedy);
        put_text(out, "notice", b->notice);
        put_bytes(out, "limits_text", buf_str(&text));
        if (b->works)
                put_limits(out, b);
        else
                put_null(out, "limits");
        put_text(out, "verified", b->verified);
        put_object(out, "capabilities");
        for (size_t i = 0; i < b->capability_count; i++)
                put_switch(out, b->capabilities[i].name, b->capabilities[i].enforced);
        put_end(out);
        put_end(out);
}

static void put_stale(struct buf *out, const struct bailey_homes *stale) {
        unsigned long long bytes = 0;

        for (size_t i = 0; i < stale->count; i++)
                bytes += stale->items[i].bytes;
        put_object(out, "stale_homes");
        put_number(out, "count", (long long)stale->count);
        put_number(out, "bytes", (long long)bytes);
        put_text(out, "remedy", stale->count ? "bailey home clear --stale --yes" : NULL);
        put_end(out);
}

/* The limits are those of the sandbox that commands run in; where there is none, of the first that is tried. */
void format_backends_json(const struct bailey_backends *backends, const struct bailey_homes *stale, struct buf *out) {
        if (backends->problem) {
                buf_format(out, "%s\n", backends->problem);
                return;
        }
        put_begin(out);
        put_number(out, "schemaVersion", 1);
        put_text(out, "chosen", backends->chosen ? backends->chosen->name : NULL);
        put_limits(out, backends->chosen ? backends->chosen : &backends->items[0]);
        put_number(out, "landlock", backends->landlock);
        put_array(out, "backends");
        for (size_t i = 0; i < backends->count; i++)
                put_backend(out, &backends->items[i]);
        put_array_end(out);
        put_stale(out, stale);
        put_end(out);
}
