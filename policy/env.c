#include "policy/env.h"

/* ---- names and patterns ---- */

static bool byte_matches(char pattern, char c, bool any_case) {
        if (any_case)
                return ascii_lower((unsigned char)pattern) == ascii_lower((unsigned char)c);
        return pattern == c;
}

/* Where stars stand for any bytes. Goes back to the last star only, which is enough when all of them match all. */
static bool wildcard_matches(const char *pattern, struct str name, bool any_case) {
        const char *star = NULL;
        size_t i = 0, star_at = 0;

        if (*pattern != '*' && name.len && !byte_matches(*pattern, name.ptr[0], any_case))
                return false;
        while (i < name.len) {
                if (*pattern == '*') {
                        star = pattern++;
                        star_at = i;
                } else if (*pattern && byte_matches(*pattern, name.ptr[i], any_case)) {
                        pattern++;
                        i++;
                } else if (star) {
                        pattern = star + 1;
                        i = ++star_at;
                } else {
                        return false;
                }
        }
        while (*pattern == '*')
                pattern++;
        return !*pattern;
}

bool env_name_valid(struct str name) {
        if (name.len == 0 || is_ascii_digit((unsigned char)name.ptr[0]))
                return false;
        for (size_t i = 0; i < name.len; i++)
                if (!is_ascii_alnum((unsigned char)name.ptr[i]) && name.ptr[i] != '_')
                        return false;
        return true;
}

bool env_pattern_valid(struct str pattern) {
        if (pattern.len > 1 && pattern.ptr[pattern.len - 1] == '*')
                pattern.len--;
        return env_name_valid(pattern);
}

static bool list_matches(struct str_list patterns, struct str name) {
        for (size_t i = 0; i < patterns.count; i++) {
                struct str pattern = patterns.items[i];
                bool prefix = pattern.len && pattern.ptr[pattern.len - 1] == '*';

                if (prefix ? str_starts(name, str_take(pattern, pattern.len - 1)) : str_eq(name, pattern))
                        return true;
        }
        return false;
}

static bool list_has(struct str_list names, struct str name) {
        for (size_t i = 0; i < names.count; i++)
                if (str_eq(names.items[i], name))
                        return true;
        return false;
}

static bool pairs_have(struct env_pairs pairs, struct str name) {
        for (size_t i = 0; i < pairs.count; i++)
                if (str_eq(pairs.items[i].name, name))
                        return true;
        return false;
}

/* ---- the table ---- */

static bool may_be(unsigned char of_pattern, unsigned char of_name) {
        return of_pattern == '*' || ascii_lower(of_pattern) == of_name;
}

/* Of upper and lower case they are the same. */
static uint32_t letters_of(struct str name) {
        uint32_t letters = 0;

        for (size_t i = 0; i < name.len; i++)
                letters |= UINT32_C(1) << (name.ptr[i] & 31);
        return letters;
}

const struct env_rule *env_rule_find(struct str name) {
        uint32_t missing = ~letters_of(name);
        unsigned char first = ascii_lower((unsigned char)(name.len ? name.ptr[0] : 0));
        unsigned char last = ascii_lower((unsigned char)(name.len ? name.ptr[name.len - 1] : 0));

        for (size_t i = 0; i < env_rule_count; i++) {
                const struct env_rule *rule = &env_rules[i];

                if (rule->letters & missing || !may_be(rule->first, first) || !may_be(rule->last, last))
                        continue;
                if (wildcard_matches(rule->pattern, name, rule->verdict == ENV_SECRET || rule->verdict == ENV_UNLISTED))
                        return rule;
        }
        return NULL;
}

bool env_is_secret(struct str name) {
        const struct env_rule *rule = env_rule_find(name);

        return rule && rule->verdict == ENV_SECRET;
}

bool env_runs_code(struct str name) {
        const struct env_rule *rule = env_rule_find(name);

        return rule && rule->verdict == ENV_RUNS_CODE;
}

/* ---- verdicts ---- */

/* http_proxy, ALL_PROXY, npm_config_https_proxy, npm_config_noproxy; not GOPROXY, which is a registry. */
static bool names_proxy(struct str name) {
        static const struct str ends[] = { STR("_proxy"), STR("_noproxy") };

        for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
                if (name.len > ends[i].len && str_eq_nocase(str_skip(name, name.len - ends[i].len), ends[i]))
                        return true;
        return false;
}

static enum env_verdict judge(const struct env_policy *policy, struct str name, const struct env_rule **ret_rule) {
        const struct env_rule *rule = env_rule_find(name);

        *ret_rule = NULL;
        if (name.len == 0)
                return ENV_INVALID;
        if (pairs_have(policy->set, name))
                return ENV_SET;
        if (list_has(policy->pass_secret, name))
                return ENV_PASS;
        *ret_rule = rule;
        if (rule && rule->verdict != ENV_UNLISTED)
                return rule->verdict;
        *ret_rule = NULL;
        return list_matches(policy->pass, name) ? ENV_PASS : ENV_UNLISTED;
}

enum env_verdict env_judge(const struct env_policy *policy, struct str name, const struct env_rule **ret_rule) {
        const struct env_rule *none;
        enum env_verdict verdict = judge(policy, name, ret_rule ? ret_rule : &none);

        return verdict == ENV_PASS && policy->no_proxies && names_proxy(name) ? ENV_PROXY : verdict;
}

const char *env_verdict_text(enum env_verdict verdict) {
        static const char *const texts[] = {
                [ENV_PASS] = "passes",
                [ENV_SET] = "set by the config",
                [ENV_SECRET] = "looks like a secret",
                [ENV_RUNS_CODE] = "makes programs run code",
                [ENV_UNLISTED] = "not listed",
                [ENV_PROXY] = "the sandbox has a network gateway, and no proxy",
                [ENV_INVALID] = "invalid name",
        };

        return texts[verdict];
}

struct str env_name(const char *entry) {
        struct str whole = str_z(entry);
        size_t len = str_find(whole, '=');

        return len < whole.len ? str_take(whole, len) : STR("");
}

/* ---- the environment of a command ---- */

static const char *pair_text(struct str name, struct str value, struct arena *arena) {
        char *text = arena_bytes(arena, name.len + 1 + value.len + 1);

        if (!text)
                return NULL;
        memcpy(text, name.ptr, name.len);
        text[name.len] = '=';
        if (value.len)
                memcpy(text + name.len + 1, value.ptr, value.len);
        text[name.len + 1 + value.len] = '\0';
        return text;
}

/* In any spelling, as npm reads all of them. */
static bool is_given(const struct env_policy *policy, const char *const *environment, struct str name) {
        for (size_t i = 0; i < policy->set.count; i++)
                if (str_eq_nocase(policy->set.items[i].name, name))
                        return true;
        for (; environment && *environment; environment++)
                if (str_eq_nocase(env_name(*environment), name) && env_judge(policy, env_name(*environment), NULL) == ENV_PASS)
                        return true;
        return false;
}

size_t env_offline(const struct env_policy *policy, const char *const *environment, const struct offline_row **ret) {
        size_t count = 0;

        for (size_t i = 0; i < offline_count; i++)
                if (!is_given(policy, environment, str_z(offline_rows[i].name)))
                        ret[count++] = &offline_rows[i];
        return count;
}

static int add_offline(const struct env_policy *policy, const char *const *environment, struct arena *arena,
                       const char **list) {
        const struct offline_row **rows = arena_alloc(arena, offline_count * sizeof(*rows));
        size_t count = rows ? env_offline(policy, environment, rows) : 0;

        for (size_t i = 0; i < count; i++) {
                list[i] = pair_text(str_z(rows[i]->name), str_z(rows[i]->value), arena);
                if (!list[i])
                        return -1;
        }
        return rows ? 0 : -1;
}

int env_filter(const struct env_policy *policy, bool offline, const char *const *environment, struct arena *arena,
               const char *const **ret, struct err *err) {
        size_t count = 0, used = 0;
        const char **list;

        while (environment && environment[count])
                count++;
        list = arena_alloc(arena, (count + policy->set.count + offline_count + 1) * sizeof(*list));
        if (!list)
                return err_memory(err);
        for (size_t i = 0; i < count; i++)
                if (env_judge(policy, env_name(environment[i]), NULL) == ENV_PASS)
                        list[used++] = environment[i];
        for (size_t i = 0; i < policy->set.count; i++) {
                list[used] = pair_text(policy->set.items[i].name, policy->set.items[i].value, arena);
                if (!list[used++])
                        return err_memory(err);
        }
        if (offline && add_offline(policy, environment, arena, list + used) < 0)
                return err_memory(err);
        *ret = list;
        return 0;
}

/*
 * Only settings that shorten the wait and change nothing else. Switches such as npm_config_offline, CARGO_NET_OFFLINE,
 * UV_OFFLINE, YARN_ENABLE_NETWORK and COMPOSER_DISABLE_NETWORK are no rows: they also forbid a registry on the command's own
 * localhost, and cargo's forbids git dependencies in directories of this machine, too. The exceptions are those of Hugging
 * Face, which forbid a hub on localhost: its library retries for 23 s per file, and has no setting for it. HF_HUB_OFFLINE is
 * for huggingface_hub and what is built on it, the other two for versions of transformers and datasets with downloads of their
 * own.
 *
 * npm and pnpm install from their caches if the network fails, so that prefer-offline is not necessary. It would use old lists
 * of versions of a registry on localhost.
 *
 * Tried with the programs: those of cargo, npm, pip, pnpm, and yarn (4.18: 0.5 s instead of 7.5 s). Those of conda, Hugging
 * Face, NuGet and uv are from their documentation.
 *
 * Not necessary for go (neither GOPROXY=off nor GOFLAGS=-mod=mod, which would let go change go.mod and ignore vendored
 * modules), bundler, gem, maven and git: they fail at once. There is no variable for gradle and yarn 1.
 */
const struct offline_row offline_rows[] = {
        { "CARGO_NET_RETRY", "0", "cargo does not retry" },
        { "CONDA_REMOTE_MAX_RETRIES", "0", "conda does not retry" },
        { "HF_DATASETS_OFFLINE", "1", "datasets of Hugging Face come from its cache" },
        { "HF_HUB_OFFLINE", "1", "libraries of Hugging Face use their cache" },
        { "NUGET_ENHANCED_MAX_NETWORK_TRY_COUNT", "1", "nuget does not retry" },
        { "PIP_DISABLE_PIP_VERSION_CHECK", "1", "pip does not look for a newer pip" },
        { "PIP_RETRIES", "1", "pip retries once" }, /* with 0 it does not say why it finds no version */
        { "TRANSFORMERS_OFFLINE", "1", "transformers of Hugging Face come from its cache" },
        { "UV_HTTP_RETRIES", "0", "uv does not retry" },
        { "YARN_HTTP_RETRY", "0", "yarn does not retry" }, /* yarn 2 and later */
        { "npm_config_fetch_retries", "0", "npm does not retry" },
        { "pnpm_config_fetch_retries", "0", "pnpm does not retry" }, /* pnpm 11; before, npm's */
};

const size_t offline_count = sizeof(offline_rows) / sizeof(*offline_rows);
