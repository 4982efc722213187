/*
 * What profiles for sandbox-exec allow and what they do not, with every setting that makes a difference.
 */
#include "tests/sandbox/seatbelt_test.h"

/* Settings, and what they decide. */
enum { BY_DEFAULT, MINIMAL, READ_ONLY, UNPROTECTED, NETWORK, SETTING_COUNT };
#define ALL ((1U << SETTING_COUNT) - 1)
#define BUT(setting) (ALL & ~(1U << (setting)))
#define ONLY(setting) (1U << (setting))

static const char *const settings[SETTING_COUNT][3] = {
        [MINIMAL] = { "sandbox.root=minimal" },
        [READ_ONLY] = { "sandbox.workspace_write=false" },
        [UNPROTECTED] = { "sandbox.protect_workspace=false" },
        [NETWORK] = { "sandbox.network=inherit" },
};

static const struct {
        const char *operation, *value;
        uint32_t allowed; /* with which settings */
} decisions[] = {
        { "process-fork", "", ALL },
        { "process-exec", "", ALL },
        { "signal", "self", ALL },
        { "signal", "same-sandbox", ALL },
        { "signal", "others", 0 },
        { "process-info-pidinfo", "others", 0 },
        { "sysctl-read", "hw.ncpu", ALL },
        { "sysctl-read", "kern.osrelease", ALL },
        { "sysctl-read", "kern.procargs2", 0 },
        { "sysctl-write", "kern.hostname", 0 },
        { "mach-lookup", "com.apple.system.opendirectoryd.libinfo", ALL },
        { "mach-lookup", "com.apple.trustd.agent", ONLY(NETWORK) },
        { "mach-lookup", "com.apple.coreservices.launchservicesd", 0 },
        { "mach-lookup", "com.apple.SecurityServer", 0 },
        { "mach-lookup", "com.apple.pasteboard.1", 0 },
        { "mach-priv-task-port", "others", 0 },
        { "iokit-open", "", 0 },
        { "appleevent-send", "", 0 },
        { "network-outbound", "ip", ONLY(NETWORK) },
        { "network-bind", "ip", ONLY(NETWORK) },
        { "network-inbound", "ip", ONLY(NETWORK) },
        { "network-outbound", "/private/var/run/mDNSResponder", ONLY(NETWORK) },
        { "network-outbound", "/private/var/run/docker.sock", 0 },
        { "network-outbound", "/private/tmp/com.apple.launchd.x/Listeners", 0 },

        { "file-read-data", "/", ALL },
        { "file-read-metadata", "/etc", ALL },
        { "file-read-metadata", "/Users", ALL },
        { "file-read-data", "/Users", 0 },
        { "file-read-data", "/usr/lib/dyld", ALL },
        { "file-read-data", "/System/Library/x", ALL },
        { "file-read-data", "/Library/x", ALL },
        { "file-read-data", "/bin/sh", ALL },
        { "file-read-data", "/sbin/mount", ALL },
        { "file-read-data", "/private/var/db/dyld/x", ALL },
        { "file-read-data", "/private/var/db/dslocal/nodes", 0 },
        { "file-read-data", "/dev/null", ALL },
        { "file-write-data", "/dev/null", ALL },
        { "file-write-create", "/dev/null", 0 },
        { "file-read-data", "/dev/urandom", ALL },
        { "file-read-data", "/dev/random", ALL },
        { "file-read-data", "/dev/dtracehelper", ALL },
        { "file-ioctl", "/dev/dtracehelper", ALL },
        { "file-read-data", "/dev/ttys001", 0 },
        { "file-read-data", "/dev/disk0", 0 },
        { "file-read-data", "/opt/homebrew/bin/git", BUT(MINIMAL) },
        { "file-read-data", "/Users/ann/notes", BUT(MINIMAL) },
        { "file-read-data", "/Users/ann/.ssh/id_ed25519", 0 },
        { "file-read-metadata", "/Users/ann/.ssh", 0 },
        { "file-read-data", "/Users/ann/Library/Cookies/x", 0 },
        { "file-read-data", "/Users/ann/Library/Developer/x", BUT(MINIMAL) },
        { "file-read-data", "/Users/bob/notes", 0 },
        { "file-read-data", "/private/tmp/x", 0 },
        { "file-read-data", "/Volumes/data/x", ALL },
        { "file-write-data", "/Volumes/data/x", 0 },
        { "file-write-mode", "/Volumes/data/x", 0 },
        { "file-write-data", "/usr/local/bin/x", 0 },
        { "file-write-data", "/Users/ann/.zshrc", 0 },

        { "file-read-data", WORK "/a", ALL },
        { "file-write-create", WORK "/a", BUT(READ_ONLY) },
        { "file-write-data", WORK "/.git/index", BUT(READ_ONLY) },
        { "file-write-data", WORK "/.git/hooks/pre-commit", ONLY(UNPROTECTED) },
        { "file-read-data", WORK "/.git/hooks/pre-commit", ALL },
        { "file-write-unlink", WORK "/.git/hooks", ONLY(UNPROTECTED) },
        { "file-write-unlink", WORK "/.git", ONLY(UNPROTECTED) },
        { "file-write-unlink", WORK "/.git/index", BUT(READ_ONLY) },
        { "file-write-unlink", WORK, 0 },
        { "file-write-create", WORK "/d/hooks/x", ONLY(UNPROTECTED) },
        { "file-write-unlink", WORK "/d", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.envrc", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.EnvRC", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.vscode/tasks.json", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.envrc2", BUT(READ_ONLY) },
        { "file-write-create", WORK "/aenvrc", BUT(READ_ONLY) },
        { "file-write-create", WORK "/sub/.envrc", BUT(READ_ONLY) },
        { "file-link", WORK "/a", 0 },
        { "file-clone", WORK "/a", 0 },
        { "file-write-create", WORK "2", 0 },
        { "file-write-data", "/Users/ann/repo/.git/x", BUT(READ_ONLY) },
        { "file-write-data", "/Users/Shared/out/x", ALL },
        { "file-write-data", "/Users/Shared/out/a/x", ALL },
        { "file-write-data", "/Users/Shared/out/a/keep", 0 },
        { "file-write-unlink", "/Users/Shared/out/a", 0 },
        { "file-write-unlink", "/Users/Shared/out", 0 },

        { "file-write-create", TMP "/x", ALL },
        { "file-write-unlink", TMP, 0 },
        { "file-write-create", TMP SEATBELT_FOLDER "/x", 0 },
        { "file-write-data", TMP SEATBELT_FILE, 0 },
        { "file-write-unlink", TMP SEATBELT_FOLDER, 0 },
        { "file-read-data", TMP SEATBELT_FOLDER, 0 }, /* by these two, processes under this profile are known */
        { "file-read-data", TMP SEATBELT_FILE, ALL },
};

static void profiles_decide(void **state) {
        struct sbpl *s = calloc(1, sizeof(*s));
        ARENA_AUTO arena;

        (void)state;
        assert_non_null(s);
        arena_init(&arena, 0);
        for (uint32_t i = 0; i < SETTING_COUNT; i++) {
                struct err err = {};

                if (!profile_of(&mac, settings[i], &arena, s, &err))
                        fail_msg("%s", err.msg);
                for (size_t j = 0; j < sizeof(decisions) / sizeof(*decisions); j++)
                        if (sbpl_allows(s, decisions[j].operation, decisions[j].value) != !!(decisions[j].allowed & 1U << i))
                                fail_msg("with %s: %s of %s is %s", settings[i][0] ? settings[i][0] : "nothing set",
                                         decisions[j].operation, decisions[j].value,
                                         decisions[j].allowed & 1U << i ? "denied" : "allowed");
        }
        free(s);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(profiles_decide),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
