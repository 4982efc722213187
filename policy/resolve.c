#include "policy/resolve.h"

#include <stdio.h>

#include "base/text_reader.h"
#include "policy/egress.h"
#include "policy/resolver.h"
#include "policy/value_types.h"

/* ---- which policies ---- */

static const struct builtin_policy *builtin_find(struct str name) {
        for (size_t i = 0; i < builtin_policy_count; i++)
                if (str_is(name, builtin_policies[i].name))
                        return &builtin_policies[i];
        return NULL;
}

/* The config that defines it; only one that is trusted counts. */
static const struct config *config_defining(const struct resolver *r, struct str name, bool trusted) {
        for (size_t i = 0; i < r->count; i++)
                for (const struct config_policy *p = r->configs[i].policies; p; p = p->next)
                        if (r->configs[i].trusted == trusted && str_eq(p->name, name))
                                return &r->configs[i];
        return NULL;
}

static int policy_unknown(struct resolver *r, struct str name, const struct policy_origin *asked) {
        const struct config *untrusted = config_defining(r, name, false);
        struct reader_quoted quoted = reader_quote(name);
        char known[120] = "";
        size_t used = 0;

        if (untrusted)
                return origin_fail(asked, r->err, "policy %s is defined only in %.80s, which is not trusted", quoted.text,
                                   untrusted->file);
        for (size_t i = 0; i < builtin_policy_count; i++)
                used += (size_t)snprintf(known + used, sizeof(known) - used, "%s, ", builtin_policies[i].name);
        return origin_fail(asked, r->err, "unknown policy %s; available: %sand those in [policy.NAME]", quoted.text, known);
}

/* What `name` extends, and who says so. Every policy but the default one extends something. */
static struct str policy_parent(const struct resolver *r, struct str name, struct policy_origin *ret_said) {
        const struct builtin_policy *builtin = builtin_find(name);
        struct str parent = builtin && builtin->extends ? str_z(builtin->extends) : STR("default");

        *ret_said = (struct policy_origin){ 0 };
        for (size_t i = 0; i < r->count; i++) {
                for (const struct setting *s = r->configs[i].settings; s; s = s->next) {
                        if (s->key->section != SECTION_POLICY || !r->configs[i].trusted || !str_eq(s->policy, name))
                                continue;
                        parent = s->value.text;
                        *ret_said = origin_of(&r->configs[i], s, s->at);
                }
        }
        return parent;
}

/* What nobody asks for by name, the files may choose; and which of them says so. */
static struct str policy_by_default(const struct resolver *r, struct policy_origin *ret_said) {
        const struct key_row *key = key_run_policy();
        struct str name = STR("default");

        for (size_t i = 0; i < r->count; i++) {
                for (const struct setting *s = r->configs[i].settings; s; s = s->next) {
                        if (s->key != key || !r->configs[i].trusted)
                                continue;
                        name = s->value.text;
                        *ret_said = origin_of(&r->configs[i], s, s->at);
                }
        }
        return name;
}

/* `said`: who has chosen the policy. */
static int chain_build(struct resolver *r, struct policy_origin said) {
        struct str name = r->policy->name;

        for (; !str_is(name, "default"); name = policy_parent(r, name, &said)) {
                if (r->chain_count == POLICY_CHAIN_MAX - 1)
                        return origin_fail(&said, r->err, "policy %s extends itself, or a chain of more than %d policies",
                                           reader_quote(r->chain[0]).text, (int)POLICY_CHAIN_MAX);
                if (!builtin_find(name) && !config_defining(r, name, true))
                        return policy_unknown(r, name, &said);
                r->chain[r->chain_count++] = name;
        }
        r->chain[r->chain_count++] = name;
        policy_parent(r, name, &said);
        return said.file ? origin_fail(&said, r->err, "the policy default cannot extend another one") : 0;
}

/* ---- applying ---- */

static int builtin_apply(struct resolver *r, struct str name) {
        static const struct config from = { .layer = LAYER_BUILTIN, .trusted = true };
        const struct builtin_policy *builtin = builtin_find(name);

        for (size_t i = 0; builtin && i < builtin->count; i++) {
                struct setting setting = { .key = key_by_path(str_z(builtin->values[i].key)),
                                           .policy = str_z(builtin->name),
                                           .value = builtin->values[i].value };

                if (setting_apply(r, &from, &setting) < 0)
                        return -1;
        }
        return 0;
}

/* All that is said for a policy ("": for all), by files that are trusted; overrides come last. */
static int files_apply(struct resolver *r, struct str policy) {
        for (size_t i = 0; i < r->count; i++)
                if (r->configs[i].trusted && r->configs[i].layer != LAYER_OVERRIDE &&
                    settings_apply(r, &r->configs[i], policy) < 0)
                        return -1;
        return 0;
}

static int chain_apply(struct resolver *r) {
        for (size_t i = r->chain_count; i-- > 0;)
                if (builtin_apply(r, r->chain[i]) < 0 || files_apply(r, r->chain[i]) < 0)
                        return -1;
        return 0;
}

static int rest_apply(struct resolver *r) {
        for (size_t i = 0; i < r->count; i++)
                if (!r->configs[i].trusted && config_tighten(r, &r->configs[i]) < 0)
                        return -1;
        for (size_t i = 0; i < r->count; i++)
                if (r->configs[i].layer == LAYER_OVERRIDE && settings_apply(r, &r->configs[i], STR("")) < 0)
                        return -1;
        return 0;
}

/* ---- what only the whole can tell ---- */

static struct policy_origin *origin_at(const struct resolver *r, const char *path) {
        return &r->origins[key_index(key_by_path(str_z(path)))].origin;
}

/* A maximum takes a default that was given before along; one that was given for it, or later, is a mistake. */
static int timeout_finish(struct resolver *r) {
        struct run_policy *run = &r->policy->run;
        struct policy_origin *usual = origin_at(r, "run.timeout"), *most = origin_at(r, "run.timeout_max");

        if (run->timeout <= run->timeout_max)
                return 0;
        if (usual->layer >= most->layer && most->layer != LAYER_WORKSPACE)
                return origin_fail(usual, r->err, "run.timeout is greater than run.timeout_max");
        run->timeout = run->timeout_max;
        *usual = *most;
        return 0;
}

/* Hosts that a flag names are meant to be reached. */
static int network_hosts_finish(struct resolver *r) {
        struct sandbox_policy *sandbox = &r->policy->sandbox;
        struct policy_origin *kind = origin_at(r, "sandbox.network.kind"), *hosts = origin_at(r, "sandbox.network.hosts");

        if (sandbox->network != NETWORK_DENY || hosts->layer != LAYER_OVERRIDE || sandbox->network_hosts.count == 0)
                return 0;
        if (kind->layer == LAYER_OVERRIDE)
                return origin_fail(hosts, r->err, "sandbox.network.hosts: has no effect with sandbox.network = deny");
        sandbox->network = NETWORK_ALLOW_HOSTS;
        *kind = *hosts;
        return 0;
}

/* A star opens everything, so it has to be meant. */
static int network_finish(struct resolver *r) {
        const struct sandbox_policy *sandbox = &r->policy->sandbox;
        struct egress_rule rule;

        if (network_hosts_finish(r) < 0)
                return -1;

        if (sandbox->network == NETWORK_ALLOW_HOSTS && sandbox->network_hosts.count == 0 && !r->network_tightened)
                return origin_fail(origin_at(r, "sandbox.network.kind"), r->err,
                                   "sandbox.network: allow_hosts needs at least one host; use deny to allow none");
        if (sandbox->network_credential_count > EGRESS_CREDENTIALS_MAX)
                return origin_fail(origin_at(r, "sandbox.network.credential"), r->err,
                                   "sandbox.network.credential: more than %d hosts", EGRESS_CREDENTIALS_MAX);
        for (size_t i = 0; !sandbox->network_allow_any && i < sandbox->network_hosts.count; i++)
                if (egress_rule_read(sandbox->network_hosts.items[i], &rule) == 0 && str_is(rule.pattern, "*"))
                        return origin_fail(origin_at(r, "sandbox.network.hosts"), r->err,
                                           "sandbox.network.hosts: * allows any host; it needs allow_any = true");
        return 0;
}

static int policy_finish(struct resolver *r) {
        struct policy *p = r->policy;

        if (p->guard.allowed_commands.count && origin_at(r, "guard.allow_only_listed")->layer == LAYER_BUILTIN)
                p->guard.allow_only_listed = true; /* or the list would mean nothing */
        if (network_finish(r) < 0)
                return -1;
        p->env.no_proxies = network_is_filtered(p->sandbox.network);
        return timeout_finish(r);
}

static int policy_files(struct resolver *r) {
        struct policy_file *files = arena_alloc(r->arena, r->count * sizeof(*files));
        size_t used = 0;

        if (!files)
                return err_memory(r->err);
        for (size_t i = 0; i < r->count; i++)
                if (r->configs[i].layer > LAYER_ENVIRONMENT && r->configs[i].layer != LAYER_OVERRIDE)
                        files[used++] = (struct policy_file){ r->configs[i].layer, r->configs[i].file, r->configs[i].trusted };
        r->policy->files = files;
        r->policy->file_count = used;
        return 0;
}

int policy_resolve(const struct config *configs, size_t count, struct str name, struct str workspace, struct arena *arena,
                   const struct policy **ret, struct err *err) {
        struct resolver r = { .configs = configs, .count = count, .arena = arena, .err = err };
        struct policy_origin chosen = { 0 };

        if (!name.ptr)
                name = policy_by_default(&r, &chosen);
        if (!text_policy.valid(name))
                return err_set(err, ERR_INVALID, "invalid policy name: expected letters, digits, - and _");
        r.policy = ARENA_NEW(arena, struct policy);
        r.origins = arena_alloc(arena, key_count * sizeof(*r.origins));
        if (!r.policy || !r.origins)
                return err_memory(err);
        r.policy->name = name;
        r.policy->workspace = workspace;
        r.policy->configs = configs;
        r.policy->config_count = count;
        r.policy->origins = r.origins;
        for (size_t i = 0; i < key_count; i++)
                if (!section_is_of_items(keys[i].section) && keys[i].size)
                        key_store(&keys[i], r.policy, &keys[i].initial);
        if (chain_build(&r, chosen) < 0 || files_apply(&r, STR("")) < 0 || chain_apply(&r) < 0 || rest_apply(&r) < 0 ||
            policy_finish(&r) < 0 || policy_files(&r) < 0)
                return -1;
        *ret = r.policy;
        return 0;
}
