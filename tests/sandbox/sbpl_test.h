/*
 * Reads the language of sandbox-exec's profiles, as far as bailey writes it: knows the operations and filters by name, and
 * what each operation can be filtered by; refuses everything else. Then answers what a profile decides, the last rule that
 * speaks of something being the one that counts. What `(deny default)` may not include is allowed unless a rule denies it.
 */
#ifndef BAILEY_TESTS_SANDBOX_SBPL_TEST_H
#define BAILEY_TESTS_SANDBOX_SBPL_TEST_H

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"

enum { SBPL_DEPTH_MAX = 8, SBPL_RULES_MAX = 4096 };

enum sbpl_kind { SBPL_LIST, SBPL_SYMBOL, SBPL_STRING, SBPL_REGEX };

struct sbpl_node {
        enum sbpl_kind kind;
        struct str text; /* of a string: without its quotes and backslashes */
        struct sbpl_node *first, *next;
};

struct sbpl {
        struct arena *arena;
        const char *at;
        const struct sbpl_node *rules[SBPL_RULES_MAX];
        size_t count;
        char why[256]; /* it is refused */
};

static struct sbpl_node *sbpl_refuse(struct sbpl *s, const char *why) {
        if (!s->why[0])
                snprintf(s->why, sizeof(s->why), "%s before: %.60s", why, s->at);
        return NULL;
}

/* ---- reading ---- */

static struct sbpl_node *sbpl_new(struct sbpl *s, enum sbpl_kind kind) {
        struct sbpl_node *node = ARENA_NEW(s->arena, struct sbpl_node);

        assert_non_null(node);
        node->kind = kind;
        return node;
}

static void sbpl_skip(struct sbpl *s) {
        while (*s->at == ' ' || *s->at == '\n')
                s->at++;
}

static struct sbpl_node *sbpl_read_string(struct sbpl *s) {
        struct sbpl_node *node = sbpl_new(s, SBPL_STRING);
        char *text = arena_bytes(s->arena, strlen(s->at) + 1);
        size_t len = 0;

        assert_non_null(text);
        for (s->at++; *s->at != '"'; s->at++) {
                if ((unsigned char)*s->at < 0x20 || *s->at == 0x7f)
                        return sbpl_refuse(s, "a string with a control character or without an end");
                if (*s->at == '\\' && *++s->at != '"' && *s->at != '\\')
                        return sbpl_refuse(s, "an escape that nobody needs");
                text[len++] = *s->at;
        }
        s->at++;
        node->text = str_from(text, len);
        return node;
}

/* Nothing is escaped in these. */
static struct sbpl_node *sbpl_read_regex(struct sbpl *s) {
        struct sbpl_node *node = sbpl_new(s, SBPL_REGEX);
        size_t len = strcspn(s->at + 2, "\"\n\\");

        if (s->at[2 + len] != '"')
                return sbpl_refuse(s, "a pattern with a backslash or without an end");
        node->text = str_from(s->at + 2, len);
        s->at += len + 3;
        return node;
}

static struct sbpl_node *sbpl_read(struct sbpl *s, int depth);

static struct sbpl_node *sbpl_read_list(struct sbpl *s, int depth) {
        struct sbpl_node *node = sbpl_new(s, SBPL_LIST), **end = &node->first;

        if (depth == SBPL_DEPTH_MAX)
                return sbpl_refuse(s, "too deep");
        s->at++;
        for (sbpl_skip(s); *s->at != ')'; sbpl_skip(s)) {
                if (!(*end = sbpl_read(s, depth + 1)))
                        return NULL;
                end = &(*end)->next;
        }
        s->at++;
        return node->first ? node : sbpl_refuse(s, "an empty list");
}

static struct sbpl_node *sbpl_read(struct sbpl *s, int depth) {
        struct sbpl_node *node;
        size_t len;

        if (*s->at == '(')
                return sbpl_read_list(s, depth);
        if (*s->at == '"')
                return sbpl_read_string(s);
        if (s->at[0] == '#' && s->at[1] == '"')
                return sbpl_read_regex(s);
        len = strspn(s->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-*_");
        if (!len)
                return sbpl_refuse(s, *s->at ? "not of this language" : "more opened than closed");
        node = sbpl_new(s, SBPL_SYMBOL);
        node->text = str_from(s->at, len);
        s->at += len;
        return node;
}

/* ---- what is known ---- */

enum sbpl_about {
        ABOUT_NOTHING,
        ABOUT_FILES,
        ABOUT_PROCESSES,
        ABOUT_SYSCTL,
        ABOUT_MACH,
        ABOUT_NETWORK,
        ABOUT_SOCKETS,
        ABOUT_FCNTL
};

static const struct {
        const char *name;
        enum sbpl_about about;
} sbpl_operations[] = {
        { "appleevent-send", ABOUT_NOTHING },
        { "file-clone", ABOUT_FILES },
        { "file-ioctl", ABOUT_FILES },
        { "file-link", ABOUT_FILES },
        { "file-read*", ABOUT_FILES },
        { "file-read-data", ABOUT_FILES },
        { "file-read-metadata", ABOUT_FILES },
        { "file-write*", ABOUT_FILES },
        { "file-write-create", ABOUT_FILES },
        { "file-write-data", ABOUT_FILES },
        { "file-write-unlink", ABOUT_FILES },
        { "iokit-get-properties", ABOUT_NOTHING },
        { "ipc-posix-sem", ABOUT_NOTHING },
        { "job-creation", ABOUT_NOTHING },
        { "lsopen", ABOUT_NOTHING },
        { "mach-host*", ABOUT_NOTHING },
        { "mach-host-special-port-set", ABOUT_NOTHING },
        { "mach-lookup", ABOUT_MACH },
        { "network*", ABOUT_NETWORK },
        { "network-outbound", ABOUT_NETWORK },
        { "nvram*", ABOUT_NOTHING },
        { "process-exec", ABOUT_NOTHING },
        { "process-fork", ABOUT_NOTHING },
        { "process-info*", ABOUT_PROCESSES },
        { "signal", ABOUT_PROCESSES },
        { "sysctl-read", ABOUT_SYSCTL },
        { "system-fcntl", ABOUT_FCNTL },
        { "system-socket", ABOUT_SOCKETS },
};

/* Not denied by `(deny default)` of version 1, or not known to be: by their beginnings. XPC services have a filter of their
 * own; here their names begin with "xpc:". */
static const struct {
        const char *operation, *value;
} sbpl_not_by_default[] = {
        { "appleevent-send", "" },
        { "file-map-executable", "" },
        { "iokit-get-properties", "" },
        { "job-creation", "" },
        { "lsopen", "" },
        { "mach-lookup", "xpc:" },
        { "nvram", "" },
        { "process-info", "" },
        { "system-fcntl", "" },
};

static const struct {
        const char *name;
        enum sbpl_about about;
        enum sbpl_kind argument;
        const char *choices; /* of a symbol: each with a space around it */
} sbpl_filters[] = {
        { "fcntl-command", ABOUT_FCNTL, SBPL_SYMBOL, " 80 110 " },
        { "global-name", ABOUT_MACH, SBPL_STRING, NULL },
        { "literal", ABOUT_FILES, SBPL_STRING, NULL },
        { "local", ABOUT_NETWORK, SBPL_SYMBOL, " ip " },
        { "regex", ABOUT_FILES, SBPL_REGEX, NULL },
        { "remote", ABOUT_NETWORK, SBPL_SYMBOL, " ip " },
        { "socket-domain", ABOUT_SOCKETS, SBPL_SYMBOL, " AF_ROUTE " },
        { "subpath", ABOUT_FILES, SBPL_STRING, NULL },
        { "sysctl-name", ABOUT_SYSCTL, SBPL_STRING, NULL },
        { "sysctl-name-prefix", ABOUT_SYSCTL, SBPL_STRING, NULL },
        { "target", ABOUT_PROCESSES, SBPL_SYMBOL, " self same-sandbox " },
        { "xpc-service-name-prefix", ABOUT_MACH, SBPL_STRING, NULL },
};

#define SBPL_EACH(name, table) for (size_t name = 0; name < sizeof(table) / sizeof(*(table)); name++)

static bool sbpl_is(const struct sbpl_node *node, const char *symbol) {
        return node && node->kind == SBPL_SYMBOL && str_is(node->text, symbol);
}

/* Of (remote unix-socket (path-literal "/...")) the path; NULL: it is something else. */
static const struct sbpl_node *sbpl_unix_socket(const struct sbpl_node *argument) {
        const struct sbpl_node *path = sbpl_is(argument, "unix-socket") ? argument->next : NULL;

        if (!path || path->next || path->kind != SBPL_LIST || !sbpl_is(path->first, "path-literal"))
                return NULL;
        path = path->first->next;
        return path && path->kind == SBPL_STRING && !path->next ? path : NULL;
}

static bool sbpl_argument_fits(size_t filter, const struct sbpl_node *argument) {
        char word[64];

        if (sbpl_filters[filter].about == ABOUT_NETWORK && argument && sbpl_unix_socket(argument))
                return true;
        if (argument && argument->next && sbpl_filters[filter].about == ABOUT_FCNTL &&
            !sbpl_argument_fits(filter, argument->next))
                return false;
        if (!argument || (argument->next && sbpl_filters[filter].about != ABOUT_FCNTL))
                return false;
        if (argument->kind != sbpl_filters[filter].argument)
                return false;
        if (argument->kind == SBPL_STRING && sbpl_filters[filter].about == ABOUT_FILES)
                return argument->text.len && argument->text.ptr[0] == '/';
        if (!sbpl_filters[filter].choices)
                return argument->text.len > 0 || str_is(str_z(sbpl_filters[filter].name), "xpc-service-name-prefix");
        snprintf(word, sizeof(word), " %.*s ", (int)argument->text.len, argument->text.ptr);
        return strstr(sbpl_filters[filter].choices, word);
}

static bool sbpl_check_filter(struct sbpl *s, const struct sbpl_node *node, enum sbpl_about about) {
        if (node->kind == SBPL_LIST)
                SBPL_EACH(i, sbpl_filters)
        if (sbpl_is(node->first, sbpl_filters[i].name) && sbpl_filters[i].about == about &&
            sbpl_argument_fits(i, node->first->next))
                return true;
        sbpl_refuse(s, "a filter that is unknown, or does not fit its operation,");
        return false;
}

static bool sbpl_check_rule(struct sbpl *s, const struct sbpl_node *rule) {
        const struct sbpl_node *node = rule->kind == SBPL_LIST ? rule->first : NULL;
        enum sbpl_about about = ABOUT_NOTHING;
        bool any = false;

        if (!sbpl_is(node, "allow") && !sbpl_is(node, "deny"))
                return sbpl_refuse(s, "neither allow nor deny");
        for (node = node->next; node && node->kind == SBPL_SYMBOL; node = node->next, any = true) {
                size_t i = 0, count = sizeof(sbpl_operations) / sizeof(*sbpl_operations);

                while (i < count && !sbpl_is(node, sbpl_operations[i].name))
                        i++;
                if (i == count || (any && about != sbpl_operations[i].about))
                        return sbpl_refuse(s, "an operation that is unknown, or does not go with the others,");
                about = sbpl_operations[i].about;
        }
        if (!any)
                return sbpl_refuse(s, "no operation");
        for (; node; node = node->next)
                if (!sbpl_check_filter(s, node, about))
                        return false;
        return true;
}

/* Returns false, and `why`, unless all of it is understood. */
static bool sbpl_parse(struct sbpl *s, const char *text, struct arena *arena) {
        static const char head[] = "(version 1)\n(deny default)\n";

        memset(s, 0, sizeof(*s));
        s->arena = arena;
        s->at = text;
        if (strncmp(text, head, sizeof(head) - 1) != 0)
                return sbpl_refuse(s, "does not begin by denying everything");
        s->at += sizeof(head) - 1;
        for (sbpl_skip(s); *s->at; sbpl_skip(s)) {
                const struct sbpl_node *rule = s->count < SBPL_RULES_MAX ? sbpl_read(s, 0) : sbpl_refuse(s, "too many rules");

                if (!rule || !sbpl_check_rule(s, rule))
                        return false;
                s->rules[s->count++] = rule;
        }
        return true;
}

/* ---- what it decides ---- */

static bool sbpl_covers(struct str rule, const char *operation) {
        return str_is(rule, operation) || (rule.ptr[rule.len - 1] == '*' && strncmp(rule.ptr, operation, rule.len - 1) == 0);
}

static bool sbpl_matches_pattern(struct str pattern, const char *value) {
        char text[8192];
        regex_t compiled;
        bool matches;

        assert_true(pattern.len < sizeof(text));
        snprintf(text, sizeof(text), "%.*s", (int)pattern.len, pattern.ptr);
        assert_int_equal(regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB), 0);
        matches = regexec(&compiled, value, 0, NULL, 0) == 0;
        regfree(&compiled);
        return matches;
}

static bool sbpl_one_of(const struct sbpl_node *symbol, const char *value) {
        while (symbol && !sbpl_is(symbol, value))
                symbol = symbol->next;
        return symbol;
}

static bool sbpl_matches(const struct sbpl_node *filter, const char *value) {
        struct str text = filter->first->next->text;
        size_t len = text.len;

        if (sbpl_is(filter->first, "subpath"))
                return str_is(text, "/") || (strncmp(value, text.ptr, len) == 0 && (value[len] == 0 || value[len] == '/'));
        if (sbpl_is(filter->first, "regex"))
                return sbpl_matches_pattern(text, value);
        if (sbpl_is(filter->first, "xpc-service-name-prefix"))
                return strncmp(value, "xpc:", 4) == 0 && strncmp(value + 4, text.ptr, len) == 0;
        if (sbpl_is(filter->first, "fcntl-command"))
                return sbpl_one_of(filter->first->next, value);
        if (sbpl_is(filter->first, "sysctl-name-prefix"))
                return strncmp(value, text.ptr, len) == 0;
        if (sbpl_unix_socket(filter->first->next))
                return str_is(sbpl_unix_socket(filter->first->next)->text, value);
        return str_is(text, value);
}

static bool sbpl_allows_by_default(const char *operation, const char *value) {
        SBPL_EACH(i, sbpl_not_by_default)
        if (strncmp(operation, sbpl_not_by_default[i].operation, strlen(sbpl_not_by_default[i].operation)) == 0 &&
            strncmp(value, sbpl_not_by_default[i].value, strlen(sbpl_not_by_default[i].value)) == 0)
                return true;
        return false;
}

/* `value`: a path, a name, a target, a number; of an address "ip", or the path of a unix socket. */
static bool sbpl_allows(const struct sbpl *s, const char *operation, const char *value) {
        for (size_t i = s->count; i-- > 0;) {
                const struct sbpl_node *node = s->rules[i]->first->next;
                bool speaks = false;

                for (; node && node->kind == SBPL_SYMBOL; node = node->next)
                        speaks = speaks || sbpl_covers(node->text, operation);
                if (speaks && node) {
                        while (node && !sbpl_matches(node, value))
                                node = node->next;
                        speaks = node;
                }
                if (speaks)
                        return sbpl_is(s->rules[i]->first, "allow");
        }
        return sbpl_allows_by_default(operation, value);
}

#endif
