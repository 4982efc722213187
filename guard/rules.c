#include "guard/rules.h"

bool rule_applies(const struct rule *rule, const struct effect *effect, const struct guard_policy *policy) {
        if (rule->kind != effect->kind || (effect->flags & rule->all) != rule->all)
                return false;
        if (rule->any && !(effect->flags & rule->any))
                return false;
        if (rule->kind == FX_WRITE && rule->scope == SCOPE_LISTED && effect->flags & PATH_HARMLESS)
                return false;
        return rule->scope == SCOPE_ALL || (rule->scope == SCOPE_LISTED) == policy->allow_only_listed;
}

const char *effect_name(enum effect_kind kind) {
        static const char *const names[FX_KINDS] = {
                [FX_RUN] = "run",       [FX_READ] = "read",           [FX_WRITE] = "write",         [FX_DELETE] = "delete",
                [FX_PERMIT] = "permit", [FX_CONNECT] = "connect",     [FX_UPLOAD] = "upload",       [FX_LISTEN] = "listen",
                [FX_CODE] = "code",     [FX_ENVIRON] = "environment", [FX_ESCALATE] = "escalate",   [FX_INJECT] = "inject",
                [FX_LATER] = "later",   [FX_HISTORY] = "history",     [FX_CONTAINER] = "container", [FX_EXHAUST] = "exhaust",
                [FX_MINE] = "mine",     [FX_WEAKEN] = "weaken",       [FX_ATTACK] = "attack",       [FX_ENDLESS] = "endless",
                [FX_TEXT] = "text",
        };

        return names[kind];
}
