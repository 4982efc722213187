/*
 * Findings become lines of a config: the narrowest that would allow what was denied.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "engine/api/learn.h"
#include "engine/why_table.h"
#include "home/shown.h"

enum {
        TEXT_MAX = 32 << 10,
        FILES_OF_DIRECTORY = 3, /* so many files of one directory, and the directory is proposed instead */
        LIMIT_TIMES_MAX = 64,   /* so much higher a limit is tried */
};

enum treat { TREAT_READ, TREAT_WRITE, TREAT_HOST, TREAT_PORT, TREAT_SOCKET, TREAT_LIMIT, TREAT_REFUSE };

/* A finding without a row is refused: what it is about is no path, host or limit of this command alone. */
static const struct treatment {
        const char *kind;
        enum treat treat;
        const char *key;    /* of a limit */
        const char *reason; /* of a refusal */
} treatments[] = {
        { "hidden", TREAT_READ, NULL, NULL },
        { "unseen", TREAT_READ, NULL, NULL },
        { "outside", TREAT_WRITE, NULL, NULL },
        { "host", TREAT_HOST, NULL, NULL },
        { "host-deny", TREAT_HOST, NULL, NULL },
        { "port", TREAT_HOST, NULL, NULL },
        { "host-port", TREAT_PORT, NULL, NULL },
        { "socket", TREAT_SOCKET, NULL, NULL },
        { "max_memory_bytes", TREAT_LIMIT, "sandbox.max_memory_bytes", NULL },
        { "max_pids", TREAT_LIMIT, "sandbox.max_pids", NULL },
        { "max_cpu_secs", TREAT_LIMIT, "sandbox.max_cpu_secs", NULL },
        { "max_file_bytes", TREAT_LIMIT, "sandbox.max_file_bytes", NULL },
        { "max_open_files", TREAT_LIMIT, "sandbox.max_open_files", NULL },
        { "tmp_bytes", TREAT_LIMIT, "sandbox.tmp_bytes", NULL },
        { "credentials", TREAT_REFUSE, NULL, "it can contain credentials" },
        { "engine-socket", TREAT_REFUSE, NULL, "it gives control of the host" },
        { "read-denied", TREAT_REFUSE, NULL, "sandbox.fs_read_deny denies it" },
        { "write-denied", TREAT_REFUSE, NULL, "sandbox.fs_write_deny denies it" },
        { "protected", TREAT_REFUSE, NULL, "programs outside of the sandbox run or read it" },
        { "bailey-program", TREAT_REFUSE, NULL, "it is the program that runs the command" },
        { "host-denied", TREAT_REFUSE, NULL, "guard.domain_denylist denies it" },
        { "private-host", TREAT_REFUSE, NULL, "it is a host of your own network" },
        { "network", TREAT_REFUSE, NULL, "no host is known that was asked for" },
        { "timeout", TREAT_REFUSE, NULL, "use --timeout" },
};

static const struct treatment *treatment_of(const char *kind) {
        static const struct treatment other = { "", TREAT_REFUSE, NULL, "no setting allows only this" };

        for (size_t i = 0; i < sizeof(treatments) / sizeof(*treatments); i++)
                if (strcmp(treatments[i].kind, kind) == 0)
                        return &treatments[i];
        return &other;
}

/* ---- lists ---- */

/* NULL: no memory, or none. */
static const char *copy_of(const struct learn *l, const char *text) {
        return text ? arena_dup(l->arena, str_z(text)) : NULL;
}

static const char *text_of(const struct learn *l, const struct bailey_why_finding *finding) {
        const char *copy = copy_of(l, finding->text);

        return copy ? copy : "";
}

static void add_refused(struct learn *l, const char *subject, const struct bailey_why_finding *finding, const char *reason) {
        const char *copy;

        for (size_t i = 0; i < l->refused_count; i++)
                if (strcmp(l->refused[i].subject, subject) == 0)
                        return;
        copy = l->refused_count < LEARN_REFUSED_MAX ? copy_of(l, subject) : NULL;
        if (copy)
                l->refused[l->refused_count++] = (struct bailey_learn_refused){
                        .subject = copy, .text = text_of(l, finding), .reason = reason, .program = copy_of(l, finding->program)
                };
}

static bool has_line(const struct learn *l, const char *key, const char *value) {
        for (size_t i = 0; i < l->count; i++)
                if (strcmp(l->lines[i].is.key, key) == 0 && strcmp(l->lines[i].is.value, value) == 0)
                        return true;
        return false;
}

/* True: it is new. */
static bool add_line(struct learn *l, struct line line, const struct bailey_why_finding *finding) {
        if (!line.is.value || has_line(l, line.is.key, line.is.value))
                return false;
        if (l->count == LEARN_LINES_MAX) {
                l->full = true;
                return false;
        }
        line.is.text = text_of(l, finding);
        line.is.program = copy_of(l, finding->program);
        l->lines[l->count++] = line;
        return true;
}

/* ---- paths ---- */

/* A cache or toolchain by its row; of the rest of the home, the path itself. */
static const char *name_in_home(const struct learn *l, const char *real) {
        char text[PATH_MAX + 2];
        const char *rest = real + strlen(l->home) + 1;

        for (size_t i = 0; i < shown_count; i++)
                if (shown_rows[i].kind != SHOWN_SETTINGS && path_within(rest, shown_rows[i].path))
                        rest = shown_rows[i].path;
        snprintf(text, sizeof(text), "~/%s", rest);
        return copy_of(l, text);
}

static bool is_directory(const char *path) {
        struct stat st;

        return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What a command writes in a directory of the home that is shown stays in its own home. */
static struct line line_of_path(const struct learn *l, const char *real, enum learn_access access) {
        bool in_home = l->home && path_below(real, l->home) && l->policy->policy->sandbox.home == HOME_OWN;

        if (in_home && is_directory(real))
                return (struct line){ .is = { .key = "sandbox.home_show", .value = name_in_home(l, real), .list = true },
                                      .reach = LEARN_SHOWS };
        if (access == LEARN_READ)
                return (struct line){ .is = { .key = "sandbox.fs_read_allow", .value = copy_of(l, real), .list = true },
                                      .reach = LEARN_SHOWS };
        return (struct line){ .is = { .key = "sandbox.fs_write_allow", .value = copy_of(l, real), .list = true },
                              .reach = LEARN_SHOWS,
                              .path = copy_of(l, real) };
}

static bool parent_of(const char *path, char ret[static PATH_MAX]) {
        const char *slash = strrchr(path, '/');

        if (!slash || slash == path)
                return false;
        snprintf(ret, PATH_MAX, "%.*s", (int)(slash - path), path);
        return true;
}

/* Where many files of a directory are asked for, there will be more. The lines of the files go. */
static void widen(struct learn *l, const char *real, const struct bailey_why_finding *finding) {
        char parent[PATH_MAX], other[PATH_MAX];
        size_t files = 0, kept = 0;

        if (!parent_of(real, parent))
                return;
        for (size_t i = 0; i < l->count; i++)
                files += strcmp(l->lines[i].is.key, "sandbox.fs_read_allow") == 0 && parent_of(l->lines[i].is.value, other) &&
                         strcmp(other, parent) == 0;
        if (files < FILES_OF_DIRECTORY || refuse_path(l, parent, LEARN_READ))
                return;
        for (size_t i = 0; i < l->count; i++)
                if (strcmp(l->lines[i].is.key, "sandbox.fs_read_allow") != 0 || !parent_of(l->lines[i].is.value, other) ||
                    strcmp(other, parent) != 0)
                        l->lines[kept++] = l->lines[i];
        l->count = kept;
        add_line(l, line_of_path(l, parent, LEARN_READ), finding);
}

/* Is it in what a line shows already? */
static bool is_covered(const struct learn *l, const struct line *line, const char *real) {
        char path[PATH_MAX];

        for (size_t i = 0; i < l->count; i++) {
                const struct bailey_learn_line *is = &l->lines[i].is;
                bool home = strncmp(is->value, "~/", 2) == 0;

                if (l->lines[i].reach != LEARN_SHOWS || (line->path && !l->lines[i].path))
                        continue;
                snprintf(path, sizeof(path), "%s%s", home ? l->home : "", is->value + home);
                if (path_within(real, path))
                        return true;
        }
        return false;
}

static bool add_path(struct learn *l, const struct bailey_why_finding *finding, enum learn_access access) {
        char real[PATH_MAX];
        const char *reason;
        struct line line;

        if (!realpath(finding->subject, real))
                return false;
        line = line_of_path(l, real, access);
        if (!line.is.value || is_covered(l, &line, real))
                return false;
        reason = refuse_path(l, real, access);
        if (reason)
                add_refused(l, finding->subject, finding, reason);
        if (reason || !add_line(l, line, finding))
                return false;
        if (access == LEARN_READ)
                widen(l, real, finding);
        return true;
}

/* ---- hosts, ports, sockets ---- */

static bool add_other(struct learn *l, const char *key, const char *value, const char *reason,
                      const struct bailey_why_finding *finding) {
        bool host = strcmp(key, "sandbox.network.hosts") == 0;
        const struct line line = { .is = { .key = key, .value = copy_of(l, value), .list = true },
                                   .reach = host ? LEARN_CONNECTS : LEARN_SERVICE };

        if (reason)
                add_refused(l, finding->subject, finding, reason);
        return !reason && line.is.value && add_line(l, line, finding);
}

static bool add_socket(struct learn *l, const struct bailey_why_finding *finding) {
        char real[PATH_MAX];

        return realpath(finding->subject, real) &&
               add_other(l, "sandbox.unix_sockets.paths", real, refuse_socket(l, real), finding);
}

/* ---- limits ---- */

static int64_t limit_of(const struct policy *policy, const char *kind) {
        const struct sandbox_policy *sandbox = &policy->sandbox;
        const struct {
                const char *kind;
                int64_t value;
        } limits[] = {
                { "max_memory_bytes", sandbox->max_memory_bytes }, { "max_pids", sandbox->max_pids },
                { "max_cpu_secs", sandbox->max_cpu_secs },         { "max_file_bytes", sandbox->max_file_bytes },
                { "max_open_files", sandbox->max_open_files },     { "tmp_bytes", sandbox->tmp_bytes },
        };

        for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
                if (strcmp(limits[i].kind, kind) == 0)
                        return limits[i].value;
        return 0;
}

/* Twice as much each time. */
static bool add_limit(struct learn *l, const struct treatment *treatment, const struct bailey_why_finding *finding) {
        int64_t first = limit_of(l->policy->policy, treatment->kind), now;
        struct line *line = NULL;
        const char *value;
        char text[32];

        for (size_t i = 0; i < l->count; i++)
                if (strcmp(l->lines[i].is.key, treatment->key) == 0)
                        line = &l->lines[i];
        now = line ? strtoll(line->is.value, NULL, 10) : first;
        if (now <= 0 || now / first >= LIMIT_TIMES_MAX || now > INT64_MAX / 2) {
                add_refused(l, treatment->key, finding, "a limit that is 64 times as high is reached, too");
                return false;
        }
        snprintf(text, sizeof(text), "%lld", (long long)now * 2);
        if (!line)
                return add_line(l, (struct line){ .is = { .key = treatment->key, .value = copy_of(l, text) } }, finding);
        value = copy_of(l, text);
        if (value)
                line->is.value = value;
        return value != NULL;
}

/* ---- findings ---- */

static bool add_finding(struct learn *l, const struct bailey_why_finding *finding) {
        const struct treatment *treatment = treatment_of(finding->kind);

        switch (treatment->treat) {
        case TREAT_READ:
                return add_path(l, finding, LEARN_READ);
        case TREAT_WRITE:
                return add_path(l, finding, LEARN_WRITE);
        case TREAT_HOST:
                return add_other(l, "sandbox.network.hosts", finding->subject, refuse_host(finding->subject), finding);
        case TREAT_PORT:
                return add_other(l, "sandbox.network.host_ports", finding->subject, NULL, finding);
        case TREAT_SOCKET:
                return add_socket(l, finding);
        case TREAT_LIMIT:
                return add_limit(l, treatment, finding);
        case TREAT_REFUSE:
                add_refused(l, finding->subject, finding, treatment->reason);
        }
        return false;
}

bool lines_add(struct learn *l, const struct bailey_outcome *outcome) {
        bool any = false;

        for (int round = 0; round < 2 && !any; round++)
                for (size_t i = 0; i < outcome->finding_count; i++)
                        if ((treatment_of(outcome->findings[i].kind)->treat == TREAT_READ) == (round == 1))
                                any |= add_finding(l, &outcome->findings[i]);
        return any;
}

const char *lines_need_trust(const struct learn *l) {
        bool shows = false, service = false, connects = l->policy->policy->sandbox.network != NETWORK_DENY;

        for (size_t i = 0; i < l->count; i++) {
                shows |= !l->lines[i].off && l->lines[i].reach == LEARN_SHOWS;
                connects |= !l->lines[i].off && l->lines[i].reach == LEARN_CONNECTS;
                service |= !l->lines[i].off && l->lines[i].reach == LEARN_SERVICE;
        }
        if (service)
                return "the next run would use a service of this host, which acts outside of the sandbox; if you trust the "
                       "command, use --trusted";
        return shows && connects ? "the next run would be shown files of yours, and have a connection by which it could send "
                                   "them away; if you trust the command, use --trusted"
                                 : NULL;
}

/* ---- as overrides ---- */

static const char *override_of(const struct bailey_learn_line *line, struct arena *arena) {
        BUF_AUTO text;

        buf_init(&text, TEXT_MAX);
        buf_format(&text, "%s=", line->key);
        if (line->list)
                buf_char(&text, '[');
        buf_json(&text, str_z(line->value));
        if (line->list)
                buf_char(&text, ']');
        if (!line->list) {
                buf_clear(&text);
                buf_format(&text, "%s=%s", line->key, line->value);
        }
        return text.failed ? NULL : arena_dup(arena, buf_str(&text));
}

const char *const *lines_overrides(const struct learn *l, const char *home_dir, struct arena *arena) {
        const char **overrides = arena_alloc(arena, (l->count + 2) * sizeof(*overrides));
        const struct bailey_learn_line home = { .key = "sandbox.home_dir", .value = home_dir };
        size_t count = 0;

        if (!overrides || !(overrides[count++] = override_of(&home, arena)))
                return NULL;
        for (size_t i = 0; i < l->count; i++)
                if (!l->lines[i].off && !(overrides[count++] = override_of(&l->lines[i].is, arena)))
                        return NULL;
        overrides[count] = NULL;
        return overrides;
}
