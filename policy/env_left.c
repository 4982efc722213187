#include "policy/env_left.h"

struct left_rule {
        struct str name; /* with a star at its end: all that begin like this */
        const char *why; /* NULL: nobody needs to know */
};

/* Besides what env_table.c says. Names of bash are those by which it reads, or checks, another command than was written. */
static const struct left_rule left_rules[] = {
        { STR("_"), NULL },
        { STR("PWD"), NULL },
        { STR("OLDPWD"), NULL },
        { STR("SHLVL"), NULL },
        { STR("HOME"), "the sandbox chooses it" },
        { STR("TMPDIR"), "the sandbox chooses it" },
        { STR("IFS"), "a setting of the shell" },
        { STR("CDPATH"), "a setting of the shell" },
        { STR("POSIXLY_CORRECT"), "a setting of the shell" },
        { STR("GLOBIGNORE"), "a setting of the shell" },
        { STR("EXECIGNORE"), "a setting of the shell" },
        { STR("FIGNORE"), "a setting of the shell" },
        { STR("FUNCNEST"), "a setting of the shell" },
        { STR("TMOUT"), "a setting of the shell" },
        { STR("TIMEFORMAT"), "a setting of the shell" },
        { STR("PS*"), "a setting of the shell" },
        { STR("BASH*"), "a setting of the shell" },
        { STR("SHELLOPTS"), "a setting of the shell" },
        { STR("COMP_*"), "a setting of the shell" },
        { STR("HIST*"), "a setting of the shell" },
        { STR("OPT*"), "a setting of the shell" },
        { STR("DIRSTACK"), "a setting of the shell" },
        { STR("EPOCH*"), "a setting of the shell" },
        { STR("EUID"), "a setting of the shell" },
        { STR("UID"), "a setting of the shell" },
        { STR("PPID"), "a setting of the shell" },
        { STR("GROUPS"), "a setting of the shell" },
        { STR("LINENO"), "a setting of the shell" },
        { STR("RANDOM"), "a setting of the shell" },
        { STR("SRANDOM"), "a setting of the shell" },
        { STR("SECONDS"), "a setting of the shell" },
};

static const struct left_rule *find(struct str name) {
        for (size_t i = 0; i < sizeof(left_rules) / sizeof(*left_rules); i++) {
                struct str pattern = left_rules[i].name;
                bool prefix = pattern.ptr[pattern.len - 1] == '*';

                if (prefix ? str_starts(name, str_take(pattern, pattern.len - 1)) : str_eq(name, pattern))
                        return &left_rules[i];
        }
        return NULL;
}

bool env_left_is_own(struct str name) {
        const struct left_rule *rule = find(name);

        return rule && !rule->why;
}

const char *env_left_refusal(const struct env_policy *policy, struct str name) {
        const struct left_rule *rule = find(name);
        enum env_verdict verdict = env_judge(policy, name, NULL);

        if (!env_name_valid(name))
                return "its name is not valid";
        if (rule)
                return rule->why ? rule->why : "each shell sets it";
        return verdict == ENV_PASS || verdict == ENV_UNLISTED ? NULL : env_verdict_text(verdict);
}

/* Commands can write there anyway, also where it is below /tmp. */
static bool is_within(struct str path, struct str workspace) {
        return workspace.len > 1 && str_starts(path, workspace) && path.len > workspace.len && path.ptr[workspace.len] == '/';
}

bool env_left_path_ok(struct str directory, struct str workspace) {
        static const struct str never[] = { STR("/tmp/"), STR("/var/tmp/"), STR("/dev/"),    STR("/proc/"),
                                            STR("/sys/"), STR("/run/"),     STR("/var/run/") };
        static const struct str parts[] = { STR("/../"), STR("/./"), STR("//") };
        char text[4096];
        struct str path;

        if (directory.len == 0 || directory.ptr[0] != '/' || directory.len + 1 > sizeof(text))
                return false;
        memcpy(text, directory.ptr, directory.len);
        text[directory.len] = '/';
        path = str_from(text, directory.len + 1);
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
                for (size_t at = 0; at < directory.len; at++)
                        if (str_starts(str_skip(path, at), parts[i]))
                                return false;
        for (size_t i = 0; i < sizeof(never) / sizeof(*never) && !is_within(path, workspace); i++)
                if (str_starts(path, never[i]))
                        return false;
        return true;
}
