/*
 * Signs (a table of phrases that programs print) are looked for in the output, line by line. A sign that speaks of a path
 * counts only with a path that the sandbox has something to do with.
 */
#include "run/explain_evidence.h"

#include <stdio.h>
#include <stdlib.h>

#include "policy/egress.h"
#include "policy/hosts.h"
#include "run/explain.h"

enum { PATH_TEXT_MAX = 512 };

/* Exit codes of a shell: the command cannot be executed, was not found, or was ended by a signal. */
enum { SHELL_NOT_EXECUTABLE = 126, SHELL_NOT_FOUND = 127, SHELL_SIGNAL_FIRST = 129, SHELL_SIGNAL_LAST = 128 + 64 };

/* ---- what programs print ---- */

/* In lower case, as is what they are compared with. "Connection refused" is no sign: without a network, there is no way to
 * somebody who could refuse, so it speaks of localhost, where nobody listens. */
static const struct phrase {
        uint16_t sign;
        const char *text;
        const char *with; /* on the same line; NULL: nothing */
} phrases[] = {
        { SIGN_NETWORK, "could not resolve host", NULL },
        { SIGN_NETWORK, "couldn't resolve host", NULL },
        { SIGN_NETWORK, "could not resolve proxy", NULL },
        { SIGN_NETWORK, "could not resolve hostname", NULL },
        { SIGN_NETWORK, "unable to resolve host", NULL },
        { SIGN_NETWORK, "temporary failure in name resolution", NULL },
        { SIGN_NETWORK, "temporary failure resolving", NULL },
        { SIGN_NETWORK, "name or service not known", NULL },
        { SIGN_NETWORK, "nodename nor servname provided", NULL },
        { SIGN_NETWORK, "no address associated with hostname", NULL },
        { SIGN_NETWORK, "network is unreachable", NULL },
        { SIGN_NETWORK, "network unreachable", NULL },
        { SIGN_NETWORK, "no route to host", NULL },
        { SIGN_NETWORK, "enetunreach", NULL },
        { SIGN_NETWORK, "ehostunreach", NULL },
        { SIGN_NETWORK, "enotfound", "getaddrinfo" },
        { SIGN_NETWORK, "enotfound", "registry" },
        { SIGN_NETWORK, "eai_again", NULL },
        { SIGN_NETWORK, "dial tcp: lookup", NULL },
        { SIGN_NETWORK, "failed to establish a new connection", NULL },
        { SIGN_NETWORK, "failed to lookup address information", NULL },
        { SIGN_NETWORK, "dns error", NULL },
        { SIGN_NETWORK, "nameresolutionerror", NULL },
        { SIGN_NETWORK, "unknown host", NULL },
        { SIGN_NETWORK, "unknownhostexception", NULL },
        { SIGN_NETWORK, "no servers could be reached", NULL },
        { SIGN_NETWORK, "could not connect to the endpoint url", NULL },
        { SIGN_NETWORK, "error connecting to api.github.com", NULL },
        { SIGN_LOCALHOST, "connection refused", NULL },
        { SIGN_LOCALHOST, "econnrefused", NULL },
        { SIGN_LOCALHOST, "couldn't connect to server", NULL },
        { SIGN_DENIED, "permission denied", NULL },
        { SIGN_DENIED, "eacces", NULL },
        { SIGN_READ_ONLY, "read-only file system", NULL },
        { SIGN_READ_ONLY, "erofs", NULL },
        { SIGN_BUSY, "device or resource busy", NULL },
        { SIGN_BUSY, "ebusy", NULL },
        { SIGN_MEMORY, "cannot allocate memory", NULL },
        { SIGN_MEMORY, "out of memory", NULL },
        { SIGN_MEMORY, "memoryerror", NULL },
        { SIGN_MEMORY, "virtual memory exhausted", NULL },
        { SIGN_MEMORY, "std::bad_alloc", NULL },
        { SIGN_SYSCALL, "bad system call", NULL },
        { SIGN_FILE_SIZE, "file size limit exceeded", NULL },
        { SIGN_FILE_SIZE, "file too large", NULL },
        { SIGN_PIDS, "resource temporarily unavailable", "fork" },
        { SIGN_PIDS, "resource temporarily unavailable", "clone" },
        { SIGN_PIDS, "resource temporarily unavailable", "pthread_create" },
        { SIGN_PIDS, "eagain", "spawn" },
        { SIGN_PIDS, "can't start new thread", NULL },
        { SIGN_SPACE, "no space left on device", NULL },
        { SIGN_SPACE, "enospc", NULL },
        { SIGN_OPEN_FILES, "too many open files", NULL },
        { SIGN_OPEN_FILES, "emfile", NULL },
        { SIGN_MISSING, "no such file or directory", NULL },
        { SIGN_MISSING, "enoent", NULL },
        { SIGN_MISSING, "does not exist", NULL },
        { SIGN_MISSING, "cannot find", NULL },
};

/* On a line with "Permission denied": it wanted to write. */
static const char *const writing[] = {
        "cannot create",    "can't create",    "could not create", "couldn't create", "unable to create",
        "failed to create", "cannot touch",    "cannot remove",    "cannot move",     "cannot copy",
        "cannot overwrite", "cannot unlink",   "for writing",      "mkdir",           "rmdir",
        "unlink",           "rename",          "copyfile",         "symlink",         "cannot write",
        "could not write",  "failed to write", "write error",      "cannot change",   "could not lock",
        "cannot make link", "cannot set",      "not writable",     "changing ",       "cannot install",
};

/* Output with one of these names a cause, and not that there is no network. */
static const char *const causes[] = {
        "abort",     "cannot",    "can't", "could not", "couldn't",  "denied",  "err!",    "error",
        "exception", "expected",  "fail",  "fatal",     "invalid",   "killed",  "missing", "no such",
        "not a ",    "not found", "panic", "refused",   "traceback", "unable ", "unknown", "usage:",
};

static const char *const temporary[] = { "/tmp", "/var/tmp", "/dev/shm", NULL };
static const char *const devices[] = { "/dev", NULL };
static const char *const localhosts[] = { "localhost", "127.0.0.1", "::1", NULL };

/* ---- looking ---- */

static bool has(struct str s, const char *text) {
        return s.len > 0 && memmem(s.ptr, s.len, text, strlen(text));
}

static void paths_add(struct paths *paths, struct str path) {
        for (size_t i = 0; i < paths->count; i++)
                if (str_eq(paths->items[i], path))
                        return;
        if (paths->count < EXPLAIN_PATHS_MAX)
                paths->items[paths->count++] = path;
}

/* The path of the list that the line names. */
static bool line_has(const struct evidence *evidence, struct str line, const char *const *list, struct str *ret_path) {
        for (; list && *list; list++)
                if (explain_names(evidence->in, line, str_z(*list))) {
                        *ret_path = str_z(*list);
                        return true;
                }
        return false;
}

static bool under_any(struct str text, const char *const *list) {
        for (; list && *list; list++)
                if (explain_is_under(text, str_z(*list)))
                        return true;
        return false;
}

/* A file that the command was to write: of a redirection, bash says no more than that it is denied. */
static bool is_target(const struct evidence *evidence, struct str path) {
        for (const struct effect *effect = evidence->in->verdict->effects; effect; effect = effect->next)
                if (effect->kind == FX_WRITE && str_eq(effect->subject, path))
                        return true;
        return false;
}

/* An absolute path on the line that is outside of all that can be written. With `wants_to_write` false, only one that the
 * command was to write. */
static bool line_has_outside(const struct evidence *evidence, struct str line, bool wants_to_write, struct str *ret_path) {
        for (size_t at = 0; explain_next_path(line, &at); at++) {
                struct str text = str_skip(line, at), path = explain_path_text(text);

                if (under_any(text, evidence->in->writable) || under_any(text, temporary) || under_any(text, devices) ||
                    path.len > PATH_TEXT_MAX)
                        continue;
                if (wants_to_write || is_target(evidence, path)) {
                        *ret_path = path;
                        return true;
                }
        }
        return false;
}

static bool is_writing(struct str lower) {
        for (size_t i = 0; i < sizeof(writing) / sizeof(*writing); i++)
                if (has(lower, writing[i]))
                        return true;
        return false;
}

static bool is_temporary(const char *path) {
        for (size_t i = 0; temporary[i]; i++)
                if (strcmp(path, temporary[i]) == 0)
                        return true;
        return false;
}

/* A workspace below /tmp is not in the private one. */
bool explain_workspace_writable(const struct explain_input *in) {
        for (const char *const *path = in->writable; in->workspace && path && *path; path++)
                if (explain_is_under(str_z(in->workspace), str_z(*path)) && !is_temporary(*path))
                        return true;
        return in->workspace && in->policy->sandbox.workspace_write && under_any(str_z(in->workspace), in->writable);
}

static void note_denied(struct evidence *evidence, struct str line, struct str lower, bool read_only) {
        struct str path;

        if (!read_only && line_has(evidence, line, evidence->in->masked, &path))
                paths_add(&evidence->masked, path);
        else if (evidence->prints_only)
                return; /* what it prints are not its own troubles */
        else if (line_has(evidence, line, evidence->in->read_only, &path))
                paths_add(&evidence->protected, path);
        else if (line_has_outside(evidence, line, read_only || is_writing(lower), &path))
                paths_add(&evidence->outside, path);
        else if (read_only && evidence->in->exit_code != 0 && evidence->in->workspace &&
                 !explain_workspace_writable(evidence->in))
                evidence->workspace_read_only = true;
}

/* Where `text` leads: absolute, ~/..., or ../... from where the command started; empty: it is none of these. */
static struct str resolve(const struct evidence *evidence, struct str text) {
        const char *base = str_starts(text, STR("~/")) ? evidence->in->home : evidence->in->cwd;
        struct str path = explain_path_text(text);
        char *joined;
        size_t size;

        if (str_starts(text, STR("/")))
                return path;
        if (!base || path.len > PATH_TEXT_MAX)
                return STR("");
        if (str_starts(text, STR("~/")))
                path = str_skip(path, 2);
        size = strlen(base) + path.len + 2;
        joined = arena_bytes(evidence->arena, size);
        if (!joined)
                return STR("");
        snprintf(joined, size, "%s/%.*s", base, (int)path.len, path.ptr);
        return str_z(joined);
}

static void note_hidden(struct evidence *evidence, struct str text) {
        struct str path = resolve(evidence, text);
        char copy[PATH_TEXT_MAX + 1];

        while (path.len && strchr(".:,", path.ptr[path.len - 1])) /* of the sentence */
                path.len--;
        if (path.len == 0 || path.len > PATH_TEXT_MAX)
                return;
        memcpy(copy, path.ptr, path.len);
        copy[path.len] = 0;
        if (evidence->in->is_hidden(evidence->in->context, copy))
                paths_add(&evidence->hidden, path);
}

/* It may be there for the user. */
static void note_missing(struct evidence *evidence, struct str line) {
        struct str path;

        if (line_has(evidence, line, evidence->in->masked, &path)) {
                paths_add(&evidence->masked, path);
                return;
        }
        for (size_t at = 0; explain_next_path(line, &at); at++)
                note_hidden(evidence, str_skip(line, at));
        for (size_t at = 0; at + 3 < line.len; at++)
                if ((at == 0 || strchr(" '\"`(=:", line.ptr[at - 1])) &&
                    (memcmp(line.ptr + at, "../", 3) == 0 || memcmp(line.ptr + at, "~/", 2) == 0))
                        note_hidden(evidence, str_skip(line, at));
}

static bool is_under_temporary(const struct evidence *evidence, struct str line) {
        struct str path;

        return line_has(evidence, line, temporary, &path);
}

static void note_line(struct evidence *evidence, unsigned sign, struct str line, struct str lower) {
        const unsigned of_paths = SIGN_BUSY | SIGN_SPACE;
        struct str path;

        bool local = has(lower, localhosts[0]) || has(lower, localhosts[1]) || has(lower, localhosts[2]);

        if ((sign == SIGN_NETWORK && local) || (sign == SIGN_LOCALHOST && !local))
                return;
        if (sign == SIGN_MISSING)
                note_missing(evidence, line);
        else if (sign == SIGN_DENIED || sign == SIGN_READ_ONLY)
                note_denied(evidence, line, lower, sign == SIGN_READ_ONLY);
        else if (sign == SIGN_BUSY && line_has(evidence, line, evidence->in->read_only, &path))
                paths_add(&evidence->protected, path);
        else if (!(sign & of_paths) || (sign == SIGN_SPACE && is_under_temporary(evidence, line)))
                evidence->seen |= sign;
}

/* Each line with the phrase, once. */
static void find_phrase(struct evidence *evidence, const struct phrase *phrase) {
        size_t at = 0, len = strlen(phrase->text);

        while (at < evidence->lower.len) {
                const char *hit = memmem(evidence->lower.ptr + at, evidence->lower.len - at, phrase->text, len);
                const char *before =
                        hit ? memrchr(evidence->lower.ptr + at, '\n', (size_t)(hit - evidence->lower.ptr) - at) : NULL;
                size_t start = before ? (size_t)(before + 1 - evidence->lower.ptr) : at;
                size_t line = str_find(str_skip(evidence->lower, start), '\n');
                struct str lower = str_from(evidence->lower.ptr + start, line);

                if (!hit)
                        return;
                if (!phrase->with || has(lower, phrase->with))
                        note_line(evidence, phrase->sign, str_from(evidence->output.ptr + start, line), lower);
                at = start + line + 1;
        }
}

/* Signs that could explain something: the policy has a limit or restriction that matches. */
static unsigned wanted_signs(const struct evidence *evidence) {
        const struct sandbox_policy *sandbox = &evidence->in->policy->sandbox;
        bool failed = evidence->in->exit_code != 0 && !evidence->prints_only;
        unsigned wanted = SIGN_DENIED;

        /* A program that needs no network may run one that does, and must have failed for it. */
        if (sandbox->network == NETWORK_DENY && (evidence->need || (failed && !evidence->in->verdict->local)))
                wanted |= SIGN_NETWORK;
        if (evidence->hosts.count > 0)
                wanted |= SIGN_NETWORK;
        if (failed && evidence->in->served)
                wanted |= SIGN_LOCALHOST;
        if (!evidence->prints_only)
                wanted |= SIGN_READ_ONLY | SIGN_BUSY;
        if (evidence->in->exit_code != 0 && evidence->in->is_hidden) /* also of one that only prints: it reads */
                wanted |= SIGN_MISSING;
        if (failed)
                wanted |= SIGN_SYSCALL | (sandbox->max_memory_bytes ? SIGN_MEMORY : 0) |
                          (sandbox->max_file_bytes ? SIGN_FILE_SIZE : 0) |
                          (sandbox->max_pids || sandbox->user_max_pids ? SIGN_PIDS : 0) |
                          (sandbox->tmp_bytes ? SIGN_SPACE : 0) | (sandbox->max_open_files ? SIGN_OPEN_FILES : 0);
        return wanted;
}

/* ---- the network ---- */

static bool has_code(const char *codes, int code) {
        for (char *end; *codes; codes = *end == ' ' ? end + 1 : end)
                if (strtol(codes, &end, 10) == code)
                        return true;
        return false;
}

static bool names_a_cause(const struct evidence *evidence) {
        for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
                if (has(evidence->lower, causes[i]))
                        return true;
        return false;
}

/* The exit code is the program's own, and the one that it has for having no network. */
static bool code_says_so(const struct evidence *evidence, const struct network_need *need) {
        return need->status && need->codes && has_code(need->codes, evidence->in->exit_code);
}

/* It connects, which cannot succeed, and nothing speaks of another cause: no exit code of its own, and no output. */
static bool silence_says_so(const struct evidence *evidence, const struct network_need *need) {
        int code = evidence->in->exit_code;

        return need->connects && !(need->status && need->codes) && code > 0 && code != SHELL_NOT_EXECUTABLE &&
               code != SHELL_NOT_FOUND && !(code >= SHELL_SIGNAL_FIRST && code <= SHELL_SIGNAL_LAST) &&
               !evidence->in->timed_out && !names_a_cause(evidence);
}

/* It waits for somebody whom it cannot reach; or seems to, as a program that has something to fetch and prints nothing. */
static bool timeout_says_so(const struct evidence *evidence, const struct network_need *need) {
        return evidence->in->timed_out && (need->reaches || (evidence->in->output_known && evidence->lower.len == 0));
}

static int add_host(struct evidence *evidence, struct str host) {
        struct paths *hosts = &evidence->hosts;
        char *copy;

        for (size_t i = 0; i < hosts->count; i++)
                if (str_eq(hosts->items[i], host))
                        return 0;
        if (hosts->count == EXPLAIN_PATHS_MAX)
                return 0;
        copy = arena_dup(evidence->arena, host);
        if (!copy)
                return -1;
        hosts->items[hosts->count++] = str_from(copy, host.len);
        return 0;
}

/* The hosts of the command that are out of its reach. A port that is not listed is for the gateway to say. */
static int note_hosts(struct evidence *evidence) {
        const struct policy *policy = evidence->in->policy;
        struct egress egress;
        struct host host;

        if (policy->sandbox.network == NETWORK_INHERIT)
                return 0;
        if (egress_from_policy(policy, evidence->arena, &egress, NULL) < 0)
                return -1;
        for (const struct effect *effect = evidence->in->verdict->effects; effect; effect = effect->next) {
                if ((effect->kind != FX_CONNECT && effect->kind != FX_UPLOAD) || effect->flags & HOST_UNKNOWN ||
                    host_from_url(effect->subject, &host) < 0 || host_is_loopback(&host))
                        continue;
                if (egress_judge_name(&egress, &host) != EGRESS_ALLOWED && add_host(evidence, host_text(&host)) < 0)
                        return -1;
        }
        return 0;
}

static void note_network(struct evidence *evidence) {
        static bool (*const says_so[])(const struct evidence *evidence,
                                       const struct network_need *need) = { code_says_so, silence_says_so, timeout_says_so };

        if (evidence->in->policy->sandbox.network != NETWORK_DENY && evidence->hosts.count == 0)
                return;
        evidence->need = evidence->in->verdict->needs;
        for (size_t i = 0; i < sizeof(says_so) / sizeof(*says_so); i++)
                for (const struct network_need *need = evidence->in->verdict->needs; need; need = need->next)
                        if (says_so[i](evidence, need)) {
                                evidence->need = need;
                                evidence->seen |= SIGN_NETWORK;
                                return;
                        }
}

/* `curl -s` says it by its exit status only. */
static void note_localhost(struct evidence *evidence) {
        enum { CURL_COULD_NOT_CONNECT = 7 };
        struct host host;

        if (!evidence->in->served || evidence->in->exit_code != CURL_COULD_NOT_CONNECT)
                return;
        for (const struct effect *effect = evidence->in->verdict->effects; effect; effect = effect->next)
                if (effect->kind == FX_CONNECT && !(effect->flags & HOST_UNKNOWN) &&
                    host_from_url(effect->subject, &host) == 0 && host_is_loopback(&host))
                        evidence->seen |= SIGN_LOCALHOST;
}

/* ---- all of it ---- */

static bool prints_only(const struct verdict *verdict) {
        for (const struct effect *effect = verdict->effects; effect; effect = effect->next)
                if (effect->kind == FX_DELETE || (effect->kind == FX_WRITE && !(effect->flags & PATH_HARMLESS)))
                        return false;
        return verdict->prints_only;
}

int explain_gather(struct evidence *evidence) {
        struct str all = evidence->in->output;
        unsigned wanted;
        char *lower;

        evidence->prints_only = prints_only(evidence->in->verdict);
        evidence->output = str_skip(all, all.len > EXPLAIN_OUTPUT_MAX ? all.len - EXPLAIN_OUTPUT_MAX : 0);
        lower = arena_bytes(evidence->arena, evidence->output.len);
        if (!lower)
                return -1;
        for (size_t i = 0; i < evidence->output.len; i++)
                lower[i] = (char)ascii_lower((unsigned char)evidence->output.ptr[i]);
        evidence->lower = str_from(lower, evidence->output.len);
        if (note_hosts(evidence) < 0)
                return -1;
        note_network(evidence);
        note_localhost(evidence);
        wanted = wanted_signs(evidence);
        for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++)
                if (phrases[i].sign & wanted)
                        find_phrase(evidence, &phrases[i]);
        return 0;
}
