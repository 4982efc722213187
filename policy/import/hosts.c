/*
 * Hosts that can or cannot be reached, and what comes of all of them together: the kind of the network.
 */
#include "policy/import/take.h"

#include "policy/egress.h"
#include "policy/hosts.h"

static const char denied_key[] = "guard.domain_denylist", allowed_key[] = "guard.domain_allowlist",
                  hosts_key[] = "sandbox.network.hosts";

/* The host of "host:443"; all of an address in brackets, or of one with several colons. */
static struct str without_port(struct str text) {
        size_t colon = str_find(text, ':');
        uint16_t port;

        if (colon == text.len || (port_read(str_skip(text, colon + 1), &port) < 0 && !str_is(str_skip(text, colon + 1), "*")))
                return text;
        return str_take(text, colon);
}

/* *.x.com of programs where it does not include x.com; else empty. */
static struct str name_excluded(const struct importer *im, struct str text) {
        return !im->request->format->star_has_name && str_starts(text, STR("*.")) ? without_port(str_skip(text, 2)) : STR("");
}

static bool is_loopback(struct str text) {
        struct host host;

        return host_from_url(text, &host) == 0 && host_is_loopback(&host);
}

static const struct import_origin *origin_new(struct importer *im, struct setting_place at) {
        struct import_origin *origin = ARENA_NEW(im->arena, struct import_origin);

        if (!origin)
                im->failed = true;
        else
                *origin = import_origin(im, at);
        return origin;
}

void import_any_host(struct importer *im, struct setting_place at) {
        if (!im->network_any)
                im->network_any = origin_new(im, at);
}

void import_no_host(struct importer *im, struct setting_place at, bool whatever_is_listed) {
        if (!im->network_none || whatever_is_listed)
                im->network_none = origin_new(im, at);
        im->network_off |= whatever_is_listed;
}

static void allow(struct importer *im, struct setting_place at, struct str text, const char *note) {
        struct str host = without_port(text);
        size_t before = im->ret->value_count;

        if (is_loopback(text)) {
                import_leave(im, at, IMPORT_ALLOWS,
                             "localhost is private to the command; use sandbox.network.host_ports for ports of this machine");
        } else if (str_is(text, "*")) {
                import_any_host(im, at);
        } else if (text.len && text.ptr[0] == '@') { /* a preset here, nothing there */
                import_leave(im, at, IMPORT_ALLOWS, "no host");
        } else if (import_take(im, at, IMPORT_ALLOWS, hosts_key, text)) {
                if (im->ret->value_count > before)
                        im->ret->values[before].note = note;
                import_take(im, at, IMPORT_ALLOWS, allowed_key, host);
        }
}

void import_host(struct importer *im, struct setting_place at, enum import_kind kind, struct str text) {
        bool deep = im->request->format->deep_stars && str_starts(text, STR("**."));

        if (deep)
                text = str_skip(text, 1);
        if (kind == IMPORT_ALLOWS)
                allow(im, at, text, deep ? "there, **.name includes the name itself" : NULL);
        else
                import_take(im, at, kind, denied_key, without_port(text));
}

static void take_host(struct importer *im, const struct import_row *row, struct setting_place at, struct str text) {
        import_host(im, at, row->kind, text);
}

/* A list of allowed hosts is all of them: an empty one allows none. */
void take_hosts(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (row->kind == IMPORT_ALLOWS)
                import_no_host(im, at, false);
        take_each(im, row, at, take_host);
}

/* ---- at the end ---- */

static const struct import_value *find(const struct importer *im, const char *key, struct str value) {
        for (size_t i = 0; i < im->ret->value_count; i++)
                if (im->ret->values[i].key == key_by_path(str_z(key)) && str_eq(im->ret->values[i].value, value))
                        return &im->ret->values[i];
        return NULL;
}

static const struct import_value *first_of(const struct importer *im, const char *key) {
        for (size_t i = 0; i < im->ret->value_count; i++)
                if (im->ret->values[i].key == key_by_path(str_z(key)))
                        return &im->ret->values[i];
        return NULL;
}

/* Like import_add(), for what follows from other settings. */
static void add(struct importer *im, const struct import_origin *origin, const char *key, struct str value, bool denies,
                const char *note) {
        struct import *ret = im->ret;
        char *copy = arena_dup(im->arena, value);

        if (!copy || !arena_room(im->arena, &ret->values, ret->value_count, &ret->value_room, sizeof(*ret->values))) {
                im->failed = true;
                return;
        }
        ret->values[ret->value_count++] = (struct import_value){ .key = key_by_path(str_z(key)),
                                                                 .value = str_from(copy, value.len),
                                                                 .origin = *origin,
                                                                 .denies = denies,
                                                                 .note = note };
}

/* Here *.x.com includes x.com: where it does not there, and nothing else allows x.com, that is denied. */
static void exclude_names(struct importer *im) {
        size_t count = im->ret->value_count;

        for (size_t i = 0; i < count; i++) {
                struct import_value value = im->ret->values[i];
                struct str name = name_excluded(im, value.value);

                if (value.key != key_by_path(str_z(hosts_key)) || !name.len || value.note || find(im, hosts_key, name) ||
                    find(im, denied_key, name))
                        continue;
                add(im, &value.origin, denied_key, name, true, "there, *.name does not include the name itself");
        }
}

void import_hosts_end(struct importer *im) {
        const struct import_value *host;
        struct import_origin first;

        exclude_names(im);
        host = first_of(im, hosts_key);
        if (im->network_off) {
                add(im, im->network_none, "sandbox.network.kind", STR("\"deny\""), true, NULL);
                return;
        }
        if (im->network_any)
                add(im, im->network_any, "guard.allow_curl_to_arbitrary_domains", STR("true"), false, NULL);
        if (im->network_any && (host || first_of(im, denied_key))) {
                add(im, im->network_any, hosts_key, STR("*"), false, NULL);
                add(im, im->network_any, "sandbox.network.allow_any", STR("true"), false, NULL);
                add(im, im->network_any, "sandbox.network.kind", STR("\"allow_hosts\""), true, NULL);
        } else if (im->network_any) {
                add(im, im->network_any, "sandbox.network.kind", STR("\"inherit\""), false, NULL);
        } else if (host) {
                first = host->origin; /* the list may move */
                add(im, &first, "sandbox.network.kind", STR("\"allow_hosts\""), true, NULL);
        } else if (im->network_none) {
                add(im, im->network_none, "sandbox.network.kind", STR("\"deny\""), true, NULL);
        }
}
