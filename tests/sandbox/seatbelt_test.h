/*
 * A policy and a host as a profile, read back. For the suites about sandbox-exec.
 */
#ifndef BAILEY_TESTS_SANDBOX_SEATBELT_TEST_H
#define BAILEY_TESTS_SANDBOX_SEATBELT_TEST_H

#include "tests/test.h"

#include "policy/load.h"
#include "sandbox/seatbelt.h"
#include "tests/sandbox/sbpl_test.h"

#define ONE(at) \
        { .items = (struct host_path[]){ { .path = (at) } }, .count = 1, .room = 1 }
#define PROTECT(at) \
        { .items = (struct protected_path[]){ { .path = (at) } }, .count = 1 }

#define WORK "/Users/ann/work"
#define TMP "/private/tmp/.bailey-tmp-abcdef"

static const struct host mac = {
        .workspace = WORK,
        .homes = ONE("/Users/ann"),
        .masks = ONE("/Users/ann/.ssh"),
        .read = ONE("/Volumes/data"),
        .write = ONE("/Users/Shared/out"),
        .write_deny = ONE("/Users/Shared/out/a/keep"),
        .protection = { .read_only = { .items =
                                               (struct protected_path[]){
                                                       { .path = WORK "/.git/hooks", .kind = PROTECTED_HOOKS },
                                                       { .path = WORK "/sub/.git/modules/m/config", .kind = PROTECTED_CONFIG },
                                               },
                                       .count = 2 },
                        .anchors = PROTECT(WORK "/.git"),
                        .absent = PROTECT(WORK "/d/hooks"),
                        .git_write = PROTECT("/Users/ann/repo/.git") },
        .tmpdir = TMP,
};

static bool profile_of(const struct host *host, const char *const *overrides, struct arena *arena, struct sbpl *ret,
                       struct err *err) {
        struct policy_request wanted = { .overrides = overrides, .builtin_only = true };
        const struct policy *policy;
        const char *text;

        if (policy_load(&wanted, arena, &policy, err) < 0)
                fail_msg("%s", err->msg);
        if (seatbelt_profile(policy, host, arena, &text, err) < 0)
                return false;
        if (!sbpl_parse(ret, text, arena))
                fail_msg("%s\n%s", ret->why, text);
        return true;
}

#endif
