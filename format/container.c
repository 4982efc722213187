#include "format/format.h"

#include <string.h>

#include "format/json.h"

/* ---- for people ---- */

static void text_limits(const struct bailey_runtime *runtime, struct buf *out) {
        const char *before = "; does not limit ";

        for (size_t i = 0; i < runtime->limit_count; i++)
                if (runtime->limits[i].state != BAILEY_LIMIT_ENFORCED) {
                        buf_format(out, "%s%s", before, runtime->limits[i].name);
                        before = ", ";
                }
}

static void text_runtime(const struct bailey_runtime *runtime, struct buf *out) {
        if (runtime->why) {
                buf_format(out, "%-8s not available: %s\n", runtime->name, runtime->why);
                return;
        }
        buf_format(out, "%-8s %s %s%s", runtime->name, runtime->path, runtime->version, runtime->rootless ? ", rootless" : "");
        text_limits(runtime, out);
        if (runtime->has_image >= 0)
                buf_append(out, runtime->has_image ? STR("; has the image") : STR("; does not have the image"));
        buf_char(out, '\n');
}

static void text_policy(const struct bailey_containers *c, struct buf *out) {
        if (!c->wanted)
                buf_append(out, STR("commands do not run in containers: set [container] enabled = true, or "
                                    "BAILEY_SANDBOX=docker, podman or gvisor\n"));
        else if (c->used)
                buf_format(out, "commands run in containers of %s\n", c->used);
        else if (c->image_problem)
                buf_append(out, STR("commands cannot run: the image cannot be used\n"));
        else
                buf_format(out, "commands cannot run: the container runtime %s is not available\n", c->wanted);
        for (size_t i = 0; i < c->setting_count; i++) {
                const struct bailey_setting *s = &c->settings[i];
                int path = (int)(strlen(s->section) + 1 + strlen(s->name));

                buf_format(out, "  %s.%s%*s %s\n", s->section, s->name, path < 45 ? 45 - path : 0, "", s->toml);
        }
        if (c->image_problem)
                buf_format(out, "the image cannot be used: %s\n", c->image_problem);
}

void format_containers_text(const struct bailey_containers *c, struct buf *out) {
        for (size_t i = 0; i < c->runtime_count; i++)
                text_runtime(&c->runtimes[i], out);
        if (c->of_policy)
                text_policy(c, out);
}

/* ---- JSON ---- */

static void put_runtime(struct buf *out, const struct bailey_runtime *runtime) {
        put_item(out);
        put_text(out, "name", runtime->name);
        put_switch(out, "available", !runtime->why);
        put_text(out, "why", runtime->why);
        put_text(out, "path", runtime->path);
        put_text(out, "version", runtime->version);
        if (!runtime->why) {
                put_switch(out, "rootless", runtime->rootless);
                put_object(out, "limits");
                for (size_t i = 0; i < runtime->limit_count; i++)
                        put_switch(out, runtime->limits[i].name, runtime->limits[i].state == BAILEY_LIMIT_ENFORCED);
                put_end(out);
        }
        if (runtime->has_image >= 0)
                put_switch(out, "has_image", runtime->has_image);
        put_end(out);
}

static void put_section(struct buf *out, const struct bailey_containers *c, const char *section) {
        for (size_t i = 0; i < c->setting_count; i++)
                if (strcmp(c->settings[i].section, section) == 0)
                        put_json(out, c->settings[i].name, c->settings[i].json);
}

static void put_policy(struct buf *out, const struct bailey_containers *c) {
        put_text(out, "wanted", c->wanted);
        put_text(out, "used", c->used);
        put_text(out, "image_problem", c->image_problem);
        put_object(out, "config");
        put_section(out, c, "container");
        put_object(out, "resource_limits");
        put_section(out, c, "container.resource_limits");
        put_end(out);
        put_object(out, "security_flags");
        put_section(out, c, "container.security_flags");
        put_end(out);
        put_end(out);
}

void format_containers_json(const struct bailey_containers *c, struct buf *out) {
        put_begin(out);
        put_number(out, "schemaVersion", 1);
        put_array(out, "runtimes");
        for (size_t i = 0; i < c->runtime_count; i++)
                put_runtime(out, &c->runtimes[i]);
        put_array_end(out);
        if (c->of_policy)
                put_policy(out, c);
        put_end(out);
}
