#include "engine/session/consent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/id.h"
#include "engine/session/change.h"
#include "engine/session/need.h"
#include "engine/session/session.h"
#include "policy/show.h"

enum { OVERRIDE_MAX = 8 << 10, SHOWN_MAX = 16 << 20 };

/* A host that is not allowed is the one thing that blocks a command and that the user is asked about. */
#define RULE_HOST "domain-not-allowed"

/* ---- needs ---- */

static bool has(const char *const *list, size_t count, const char *item) {
        for (size_t i = 0; i < count; i++)
                if (strcmp(list[i], item) == 0)
                        return true;
        return false;
}

static int too_much(struct err *err) {
        return err_set(err, ERR_TOO_COMPLEX, "it needs too much at once: ask for at most %d hosts and %d paths", NEEDS_MAX,
                       NEEDS_MAX);
}

static int add_host(struct consent *consent, const char *host, struct err *err) {
        if (has(consent->hosts, consent->host_count, host))
                return 0;
        if (consent->host_count == ASKED_MAX)
                return too_much(err);
        consent->hosts[consent->host_count] = arena_dup(&consent->arena, str_z(host));
        return consent->hosts[consent->host_count++] ? 0 : err_memory(err);
}

static int take_hosts(const struct policy *policy, const char *const *hosts, struct consent *consent, struct err *err) {
        for (size_t i = 0; hosts && hosts[i]; i++) {
                if (i == NEEDS_MAX)
                        return too_much(err);
                if (need_host_check(hosts[i], err) < 0)
                        return -1;
                if (!need_host_is_met(policy, hosts[i], &consent->arena) && add_host(consent, hosts[i], err) < 0)
                        return -1;
        }
        return 0;
}

static int take_writes(const struct bailey_session *session, const char *const *paths, struct consent *consent,
                       struct err *err) {
        for (size_t i = 0; paths && paths[i]; i++) {
                const char *real;

                if (i == NEEDS_MAX)
                        return too_much(err);
                if (need_write_check(session->policy->policy, session->environment, paths[i], &consent->arena, &real, err) < 0)
                        return -1;
                if (!has(consent->writes, consent->write_count, real))
                        consent->writes[consent->write_count++] = real;
        }
        return 0;
}

/* ---- the policy with them ---- */

static const char *override_text(struct arena *arena, const char *key, bool replace, const char *const *items, size_t count) {
        BUF_AUTO text;

        buf_init(&text, OVERRIDE_MAX);
        buf_format(&text, replace ? "%s={\"replace\":true,\"items\":[" : "%s=[", key);
        for (size_t i = 0; i < count; i++) {
                if (i)
                        buf_char(&text, ',');
                buf_json(&text, str_z(items[i]));
        }
        buf_append(&text, replace ? STR("]}") : STR("]"));
        return text.failed ? NULL : arena_dup(arena, buf_str(&text));
}

/* The lists that name hosts without ports. */
static const char *names_text(struct consent *consent) {
        const char *names[ASKED_MAX];

        for (size_t i = 0; i < consent->host_count; i++)
                if (!(names[i] = need_host_name(consent->hosts[i], &consent->arena)))
                        return NULL;
        return override_text(&consent->arena, "guard.domain_allowlist", false, names, consent->host_count);
}

/* Where there was no network, there are these hosts, and no others. */
static int derive(const struct bailey_session *session, struct consent *consent, struct err *err) {
        enum network_kind kind = session->policy->policy->sandbox.network;
        const char *overrides[5] = {};
        size_t count = 0;

        bailey_policy_free(consent->policy);
        consent->policy = NULL;
        if (!consent->host_count && !consent->write_count)
                return 0;
        if (consent->host_count) {
                overrides[count++] = names_text(consent);
                if (kind == NETWORK_DENY)
                        overrides[count++] = "sandbox.network.kind=allow_hosts";
                if (kind != NETWORK_INHERIT)
                        overrides[count++] = override_text(&consent->arena, "sandbox.network.hosts", kind == NETWORK_DENY,
                                                           consent->hosts, consent->host_count);
        }
        if (consent->write_count)
                overrides[count++] =
                        override_text(&consent->arena, "sandbox.fs_write_allow", false, consent->writes, consent->write_count);
        for (size_t i = 0; i < count; i++)
                if (!overrides[i])
                        return err_memory(err);
        return policy_derive(session->policy, overrides, &consent->policy, err);
}

/* What the config or the user denies is not asked for. */
static int check_denied(struct consent *consent, struct err *err) {
        for (size_t i = 0; i < consent->host_count; i++) {
                const struct change_items items = {
                        .items = { { .key = "guard.domain_allowlist",
                                     .value = need_host_name(consent->hosts[i], &consent->arena) } },
                        .count = 1,
                };

                if (!items.items[0].value)
                        return err_memory(err);
                if (change_check(consent->policy->policy, &items, err) < 0)
                        return -1;
        }
        return 0;
}

/* ---- the verdict with them ---- */

static struct run *judged(struct bailey_session *session, const struct bailey_run_options *options,
                          const struct consent *consent, struct err *err) {
        struct bailey_run_options copy = *options;
        struct run *run;

        copy.environment = session->environment;
        run = run_new(consent->policy ? consent->policy : session->policy, &copy);
        if (!run) {
                err_memory(err);
                return NULL;
        }
        run->lent.state = &session->state;
        run->lent.accepted = session->accepted;
        if (run_judge(run) == 0)
                return run;
        *err = run->result.err;
        run_free(run);
        return NULL;
}

static bool is_about_host(const struct reason *reason) {
        return reason->severity == SEVERITY_BLOCK && reason->effect && str_is(reason->id, RULE_HOST);
}

/* Those that block the command. Returns how many. */
static int add_blocked_hosts(const struct run *run, struct consent *consent, struct err *err) {
        size_t before = consent->host_count;

        for (const struct reason *r = run->judged.verdict.reasons; r; r = r->next) {
                const char *host = is_about_host(r) ? arena_dup(&consent->arena, r->effect->subject) : NULL;

                if (host && need_host_check(host, &(struct err){}) == 0 && add_host(consent, host, err) < 0)
                        return -1;
        }
        return (int)(consent->host_count - before);
}

/* ---- what is asked ---- */

static int add_item(struct consent *consent, enum bailey_asked_kind kind, struct str subject, struct str why, struct err *err) {
        const char *copy = arena_dup(&consent->arena, subject), *why_copy = arena_dup(&consent->arena, why);

        for (size_t i = 0; i < consent->count; i++)
                if (consent->items[i].kind == kind &&
                    str_eq(str_from(consent->items[i].subject.text, consent->items[i].subject.length), subject) &&
                    str_eq(str_from(consent->items[i].why.text, consent->items[i].why.length), why))
                        return 0;
        if (!copy || !why_copy)
                return err_memory(err);
        if (consent->count == ASKED_MAX)
                return err_set(err, ERR_TOO_COMPLEX,
                               "the user would have to agree to more than %d things at once: split the command", ASKED_MAX);
        consent->items[consent->count++] = (struct bailey_asked){ kind, { copy, subject.len }, { why_copy, why.len } };
        return 0;
}

/* Reasons that block it no more once a host is allowed, such as to send data there, are named all the same. */
static int add_warnings(struct consent *consent, const struct run *run, bool blocking, struct err *err) {
        for (const struct reason *r = run->judged.verdict.reasons; r; r = r->next) {
                bool wanted = blocking ? r->severity == SEVERITY_BLOCK && !is_about_host(r) : run_reason_asks(run, r);

                if (wanted && add_item(consent, BAILEY_ASKED_WARNING, r->id, r->what, err) < 0)
                        return -1;
        }
        return 0;
}

static int add_needs(struct consent *consent, struct err *err) {
        for (size_t i = 0; i < consent->host_count; i++)
                if (add_item(consent, BAILEY_ASKED_HOST, str_z(consent->hosts[i]), STR(""), err) < 0)
                        return -1;
        for (size_t i = 0; i < consent->write_count; i++)
                if (add_item(consent, BAILEY_ASKED_WRITE, str_z(consent->writes[i]), STR(""), err) < 0)
                        return -1;
        return 0;
}

/* Returns 1 when the command would run then. */
static int put_verdict(struct bailey_session *session, const struct bailey_run_options *options, struct consent *consent,
                       struct err *err) {
        struct run *first = judged(session, options, consent, err), *run = first;
        int result = first ? 1 : -1;

        if (first && first->judged.verdict.action == ACTION_BLOCKED) {
                run = NULL;
                result = add_blocked_hosts(first, consent, err);
                if (result > 0)
                        result = derive(session, consent, err) < 0 || !(run = judged(session, options, consent, err)) ? -1 : 1;
                if (result > 0 && run->judged.verdict.action == ACTION_BLOCKED)
                        result = 0;
                if (result > 0 && add_warnings(consent, first, true, err) < 0)
                        result = -1;
        }
        if (result > 0) {
                const char *cwd = run->begun.cwd;

                consent->command = arena_dup(&consent->arena, run->judged.command);
                consent->cwd = cwd ? arena_dup(&consent->arena, str_z(cwd)) : NULL;
                if (!consent->command || (cwd && !consent->cwd))
                        result = err_memory(err);
                else if (add_warnings(consent, run, false, err) < 0)
                        result = -1;
        }
        if (run && run != first)
                run_free(run);
        if (first)
                run_free(first);
        return result;
}

/* ---- the digest ---- */

static void digest_add(struct sha256 *sha, struct str text) {
        char length[32];

        snprintf(length, sizeof(length), "%zu:", text.len);
        sha256_add(sha, str_z(length));
        sha256_add(sha, text);
}

static int put_digest(const struct bailey_session *session, const struct bailey_run_options *options, struct consent *consent,
                      struct err *err) {
        uint8_t digest[SHA256_SIZE];
        struct sha256 sha;
        char flags[64];
        BUF_AUTO rules;

        buf_init(&rules, SHOWN_MAX);
        policy_show_json(session->policy->policy, &rules);
        if (rules.failed)
                return err_memory(err);
        sha256_init(&sha);
        digest_add(&sha, str_z(consent->command));
        digest_add(&sha, str_z(consent->cwd ? consent->cwd : ""));
        snprintf(flags, sizeof(flags), "%d %d %d %d %lld %d", options->background, options->input,
                 options->terminal != BAILEY_TERMINAL_NONE, options->fresh, options->timeout_ms, session->policy->bypassed);
        digest_add(&sha, str_z(flags));
        digest_add(&sha, options->fresh ? STR("") : buf_str(&session->state.variables));
        digest_add(&sha, buf_str(&rules));
        for (size_t i = 0; i < consent->count; i++) {
                digest_add(&sha, str_from(&"whp"[consent->items[i].kind], 1));
                digest_add(&sha, str_from(consent->items[i].subject.text, consent->items[i].subject.length));
                digest_add(&sha, str_from(consent->items[i].why.text, consent->items[i].why.length));
        }
        sha256_end(&sha, digest);
        id_hex(str_from((const char *)digest, sizeof(digest)), consent->digest);
        return 0;
}

/* ---- possible answers ---- */

/* Would the user's config say for good what the session would have? */
static bool can_save(const struct bailey_session *session, struct consent *consent) {
        const struct policy *policy = session->policy->policy;

        for (size_t i = 0; i < consent->host_count; i++) {
                struct change_items here, there;

                if (policy->sandbox.network == NETWORK_DENY ||
                    change_items(BAILEY_ALLOW_DOMAIN, consent->hosts[i], policy, &consent->arena, &here, &(struct err){}) < 0 ||
                    change_config_items(BAILEY_ALLOW_DOMAIN, consent->hosts[i], session->environment, &consent->arena, &there,
                                        &(struct err){}) < 0 ||
                    here.count != there.count)
                        return false;
        }
        return consent->host_count && consent->host_count == consent->count;
}

static int find(struct bailey_session *session, const struct bailey_run_options *options, struct consent *consent,
                struct err *err) {
        int result;

        if (take_hosts(session->policy->policy, options->need_hosts, consent, err) < 0 ||
            take_writes(session, options->need_write, consent, err) < 0 || derive(session, consent, err) < 0)
                return -1;
        if (consent->host_count && session->policy->policy->guard.allow_only_listed &&
            session->policy->policy->sandbox.network == NETWORK_DENY)
                return err_set(err, ERR_REFUSED, "the policy %.*s has no network: no host can be asked for",
                               (int)session->policy->policy->name.len, session->policy->policy->name.ptr);
        result = put_verdict(session, options, consent, err);
        if (result <= 0)
                return result;
        if (check_denied(consent, err) < 0 || add_needs(consent, err) < 0)
                return -1;
        if (!consent->count)
                return 0;
        consent->session = !consent->write_count;
        consent->always = can_save(session, consent);
        return put_digest(session, options, consent, err) < 0 ? -1 : 1;
}

int consent_find(struct bailey_session *session, const struct bailey_run_options *options, struct consent *ret,
                 struct err *err) {
        *ret = (struct consent){};
        arena_init(&ret->arena, 0);
        return find(session, options, ret, err);
}

void consent_free(struct consent *consent) {
        bailey_policy_free(consent->policy);
        arena_free(&consent->arena);
        *consent = (struct consent){};
}

/* ---- for more than this command ---- */

int consent_keep(struct bailey_session *session, struct consent *consent, struct err *err) {
        for (size_t i = 0; i < consent->host_count; i++) {
                const char *name = need_host_name(consent->hosts[i], &consent->arena);

                if (!name)
                        return err_memory(err);
                if (change_allow(session, consent->hosts[i], name, err) < 0)
                        return -1;
        }
        for (size_t i = 0; i < consent->count; i++) {
                const struct bailey_asked *item = &consent->items[i];

                if (item->kind == BAILEY_ASKED_WARNING &&
                    change_accept(session, str_from(item->subject.text, item->subject.length),
                                  str_from(item->why.text, item->why.length), err) < 0)
                        return -1;
        }
        return 0;
}

int consent_save(const struct bailey_session *session, const struct consent *consent, struct err *err) {
        for (size_t i = 0; i < consent->host_count; i++) {
                char *path = NULL;

                if (bailey_config_change(session->environment, BAILEY_ALLOW_DOMAIN, consent->hosts[i], &path, err->msg,
                                         sizeof(err->msg)) < 0) {
                        err->code = ERR_REFUSED;
                        return -1;
                }
                free(path);
        }
        return 0;
}
