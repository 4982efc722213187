#include "format/format.h"

#include "base/number.h"
#include "format/json.h"

enum { WIDTH_MAX = 60 };

/* ---- sizes ---- */

static void put_size(unsigned long long bytes, bool complete, struct buf *out) {
        char text[SIZE_TEXT_SIZE];

        size_format(bytes, text);
        buf_format(out, "%s%s", complete ? "" : "at least ", text);
}

void format_home_size(const struct bailey_home *home, struct buf *out) {
        put_size(home->bytes, home->complete, out);
}

void format_homes_size(const struct bailey_homes *homes, struct buf *out) {
        unsigned long long bytes = 0;
        bool complete = true;

        for (size_t i = 0; i < homes->count; i++) {
                bytes += homes->items[i].bytes;
                complete = complete && homes->items[i].complete;
        }
        put_size(bytes, complete, out);
}

/* ---- lists ---- */

static const char *presence_name(enum bailey_presence presence) {
        return presence == BAILEY_PRESENT ? "present" : presence == BAILEY_GONE ? "gone" : "unknown";
}

static void put_column(struct buf *out, size_t start, size_t width) {
        do
                buf_char(out, ' ');
        while (!out->failed && out->len < start + width + 2);
}

static void put_workspace(const struct bailey_home *home, struct buf *out) {
        if (home->workspace)
                buf_visible(out, str_z(home->workspace));
        else
                buf_format(out, "(unknown: %s)", home->path);
}

static size_t width_of(const struct bailey_homes *homes) {
        size_t width = 0;

        for (size_t i = 0; i < homes->count; i++) {
                size_t len = homes->items[i].workspace ? strlen(homes->items[i].workspace) : 0;

                width = len > width && len <= WIDTH_MAX ? len : width;
        }
        return width;
}

void format_homes_text(const struct bailey_homes *homes, struct buf *out) {
        size_t width = width_of(homes);

        if (!homes->count)
                buf_append(out, STR("No homes are kept.\n"));
        for (size_t i = 0; i < homes->count; i++) {
                const struct bailey_home *home = &homes->items[i];
                size_t start = out->len;

                put_workspace(home, out);
                put_column(out, start, width);
                start = out->len;
                put_size(home->bytes, home->complete, out);
                put_column(out, start, 10);
                buf_format(out, "%s  %s%s\n", home->last_used, home->in_use ? "in use" : "not in use",
                           home->presence == BAILEY_GONE      ? ", workspace is gone"
                           : home->presence == BAILEY_UNKNOWN ? ", workspace cannot be checked"
                                                              : "");
        }
}

static void put_home(const struct bailey_home *home, struct buf *out) {
        put_text(out, "workspace", home->workspace);
        put_text(out, "home", home->home);
        put_text(out, "path", home->path);
        put_text(out, "workspace_state", presence_name(home->presence));
        put_switch(out, "in_use", home->in_use);
        put_text(out, "last_used", home->last_used);
        put_number(out, "bytes", (long long)home->bytes);
        put_number(out, "entries", (long long)home->entries);
        put_switch(out, "complete", home->complete);
}

static void put_homes(const struct bailey_homes *homes, bool cleared, struct buf *out) {
        put_begin(out);
        put_text(out, "directory", homes->directory);
        put_number(out, "max_bytes", (long long)homes->most_bytes);
        if (cleared)
                put_text(out, "problem", homes->problem);
        put_array(out, "homes");
        for (size_t i = 0; i < homes->count; i++) {
                put_item(out);
                put_home(&homes->items[i], out);
                if (cleared) {
                        put_switch(out, "removed", !homes->items[i].problem);
                        put_text(out, "problem", homes->items[i].problem);
                }
                put_end(out);
        }
        put_array_end(out);
        put_end(out);
}

void format_homes_json(const struct bailey_homes *homes, struct buf *out) {
        put_homes(homes, false, out);
}

void format_cleared_json(const struct bailey_homes *homes, struct buf *out) {
        put_homes(homes, true, out);
}

void format_cleared_text(const struct bailey_homes *homes, struct buf *out) {
        for (size_t i = 0; i < homes->count; i++) {
                const struct bailey_home *home = &homes->items[i];

                buf_append(out, home->problem ? STR("not removed: the home of ") : STR("removed the home of "));
                put_workspace(home, out);
                buf_append(out, STR(": "));
                if (home->problem) {
                        buf_visible(out, str_z(home->problem));
                } else {
                        put_size(home->bytes, home->complete, out);
                        buf_format(out, ", %llu files and directories", home->entries);
                }
                buf_char(out, '\n');
        }
}

void format_stale_text(const struct bailey_homes *homes, struct buf *out) {
        if (!homes->count)
                return;
        buf_format(out, "%zu home%s of workspaces that are gone take%s ", homes->count, homes->count == 1 ? "" : "s",
                   homes->count == 1 ? "s" : "");
        format_homes_size(homes, out);
        buf_append(out, STR("; to remove them: bailey home clear --stale, which asks first, or with --yes does not\n"));
}

/* ---- what commands wrote ---- */

static const char *kind_name(enum bailey_home_change_kind kind) {
        return kind == BAILEY_HOME_ADDED ? "added" : kind == BAILEY_HOME_CHANGED ? "changed" : "deleted";
}

static void text_change(const struct bailey_home_change *change, struct buf *out) {
        char size[SIZE_TEXT_SIZE] = "";

        if (change->type && strcmp(change->type, "file") == 0)
                size_format(change->bytes, size);
        buf_format(out, "%-8s %10s  ", kind_name(change->kind), size);
        buf_visible(out, text_str(change->path));
        if (change->type && strcmp(change->type, "directory") == 0)
                buf_append(out, change->unreadable ? STR("/ (cannot be listed)") : STR("/ (replaced)"));
        else if (change->type && strcmp(change->type, "file") != 0)
                buf_format(out, " (%s)", strcmp(change->type, "link") == 0 ? "link" : "not a file");
        buf_append(out, change->settings ? STR(" (settings)\n") : STR("\n"));
}

void format_home_changes_text(const struct bailey_home_changes *changes, struct buf *out) {
        for (size_t i = 0; i < changes->count; i++)
                text_change(&changes->items[i], out);
        if (changes->left_out) {
                buf_format(out, "and %llu more, ", changes->left_out);
                put_size(changes->left_out_bytes, true, out);
                buf_char(out, '\n');
        }
}

void format_home_changes_json(const struct bailey_home_changes *changes, struct buf *out) {
        put_begin(out);
        put_text(out, "workspace", changes->workspace);
        put_switch(out, "kept", changes->kept);
        put_switch(out, "in_use", changes->in_use);
        put_switch(out, "complete", changes->complete);
        put_number(out, "left_out", (long long)changes->left_out);
        put_number(out, "left_out_bytes", (long long)changes->left_out_bytes);
        put_array(out, "changes");
        for (size_t i = 0; i < changes->count; i++) {
                const struct bailey_home_change *change = &changes->items[i];

                put_item(out);
                put_text(out, "kind", kind_name(change->kind));
                put_bytes(out, "path", text_str(change->path));
                put_text(out, "type", change->type);
                put_number(out, "bytes", (long long)change->bytes);
                put_switch(out, "settings", change->settings);
                put_switch(out, "unreadable", change->unreadable);
                put_end(out);
        }
        put_array_end(out);
        put_end(out);
}
