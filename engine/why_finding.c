/*
 * A finding, with the texts of its row of the table.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "engine/why_table.h"
#include "policy/egress.h"

enum { TEXT_MAX = 64 << 10 };

struct making {
        struct arena *arena;
        bool failed; /* no memory */
};

static const char *text_of(struct making *a, struct str text) {
        const char *copy = arena_dup(a->arena, text);

        a->failed |= !copy;
        return copy ? copy : "";
}

void why_quote(struct buf *out, struct str text) {
        bool plain = text.len > 0;

        for (size_t i = 0; i < text.len; i++)
                plain &= is_ascii_alnum((unsigned char)text.ptr[i]) || (text.ptr[i] && strchr("/._-:@%+=,*", text.ptr[i]));
        if (plain && !memchr(text.ptr, '*', text.len)) {
                buf_append(out, text);
                return;
        }
        buf_char(out, '\'');
        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] == '\'')
                        buf_append(out, STR("'\\''"));
                else
                        buf_char(out, text.ptr[i]);
        buf_char(out, '\'');
}

enum form { FORM_TEXT, FORM_CONFIG, FORM_SHELL };

/* In quotes, as JSON and TOML write it; the quotes themselves are in the table. */
static void put_inside(struct buf *out, struct str text) {
        BUF_AUTO json;

        buf_init(&json, TEXT_MAX);
        buf_json(&json, text);
        if (json.failed)
                out->failed = true;
        else
                buf_append(out, str_from(json.ptr + 1, json.len - 2));
}

static void put_subject(struct buf *out, struct str subject, enum form form) {
        if (form == FORM_SHELL)
                why_quote(out, subject);
        else if (form == FORM_CONFIG)
                put_inside(out, subject);
        else
                buf_visible(out, subject);
}

/* The pattern of the table with the subject at %s. */
static const char *fill(struct making *a, const char *pattern, struct str subject, enum form form) {
        const char *at = pattern ? strstr(pattern, "%s") : NULL;
        BUF_AUTO out;

        buf_init(&out, TEXT_MAX);
        if (!pattern)
                return NULL;
        buf_append(&out, at ? str_from(pattern, (size_t)(at - pattern)) : str_z(pattern));
        if (at) {
                put_subject(&out, subject, form);
                buf_append(&out, str_z(at + 2));
        }
        a->failed |= out.failed;
        return text_of(a, buf_str(&out));
}

/* A path that may be allowed has to exist: the nearest directory above that does. Empty: that is the root. */
static struct str existing(struct making *a, struct str path) {
        char text[PATH_MAX];

        if (path.len >= sizeof(text) || snprintf(text, sizeof(text), "%.*s", (int)path.len, path.ptr) != (int)path.len)
                return STR("");
        while (strlen(text) > 1 && access(text, F_OK) < 0)
                *(strrchr(text, '/') == text ? text + 1 : strrchr(text, '/')) = '\0';
        return strlen(text) > 1 ? str_z(text_of(a, str_z(text))) : STR("");
}

int why_finding_make(const struct why_row *row, const struct why_subject *about, struct arena *arena,
                     struct bailey_why_finding *ret) {
        struct making making = { .arena = arena }, *a = &making;
        struct str subject = about->subject;
        bool path = row->option && strcmp(row->kind, "outside") == 0 && subject.len && subject.ptr[0] == '/';
        struct str allowed = path ? existing(a, subject) : subject;
        bool possible = !path || allowed.len;

        *ret = (struct bailey_why_finding){
                .layer = row->layer,
                .kind = text_of(a, about->kind),
                .subject = text_of(a, subject),
                .text = row->text ? fill(a, row->text, subject, FORM_TEXT) : text_of(a, about->text),
                .setting = possible ? fill(a, row->setting, allowed, FORM_CONFIG) : NULL,
                .option = possible ? fill(a, row->option, allowed, FORM_SHELL) : NULL,
                .opens = possible ? fill(a, row->opens, allowed, FORM_TEXT) : NULL,
                .program = about->program.len ? text_of(a, about->program) : NULL,
        };
        return making.failed ? -1 : 0;
}

/* ---- hosts ---- */

const char *why_host_kind(struct str verdict, const struct policy *policy) {
        if (str_is(verdict, "not_listed"))
                return policy->sandbox.network == NETWORK_DENY ? "host-deny" : "host";
        if (str_is(verdict, "port_not_listed"))
                return "port";
        if (str_is(verdict, "private"))
                return "private-host";
        return str_is(verdict, "denied") ? "host-denied" : NULL;
}

const char *why_host_subject(struct str host, int64_t port, const struct policy *policy, struct arena *arena) {
        uint16_t *usual = arena_alloc(arena, (policy->sandbox.network_ports.count + 1) * sizeof(*usual));
        size_t count = usual ? port_list_read(policy->sandbox.network_ports, usual, policy->sandbox.network_ports.count) : 0;
        bool plain = port <= 0, address = host.len && memchr(host.ptr, ':', host.len);
        const char *copy;
        BUF_AUTO text;

        for (size_t i = 0; i < count; i++)
                plain |= usual[i] == port;
        buf_init(&text, TEXT_MAX);
        buf_format(&text, address && !plain ? "[%.*s]" : "%.*s", (int)host.len, host.ptr);
        if (!plain)
                buf_format(&text, ":%lld", (long long)port);
        copy = text.failed ? NULL : arena_dup(arena, buf_str(&text));
        return copy ? copy : "";
}
