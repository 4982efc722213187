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
        { "process-info-pidinfo", "others", 0 }, /* these first ones: the default may not deny them */
        { "process-info-pidinfo", "same-sandbox", ALL },
        { "process-info-listpids", "others", 0 },
        { "nvram-get", "", 0 },
        { "nvram-set", "", 0 },
        { "iokit-get-properties", "", 0 },
        { "lsopen", "", 0 },
        { "job-creation", "", 0 },
        { "mach-lookup", "xpc:com.apple.a", 0 },
        { "system-fcntl", "80", 0 },
        { "system-fcntl", "110", 0 },
        { "system-fcntl", "50", ALL },
        { "file-map-executable", "/usr/lib/libSystem.B.dylib", ALL },
        { "ipc-posix-sem", "", ALL },
        { "ipc-posix-shm-write-create", "", 0 },
        { "mach-host-info", "", ALL },
        { "mach-host-special-port-set", "", 0 },
        { "sysctl-read", "hw.ncpu", ALL },
        { "sysctl-read", "kern.osrelease", ALL },
        { "sysctl-read", "kern.procargs2", 0 },
        { "sysctl-write", "kern.hostname", 0 },
        { "mach-lookup", "com.apple.system.opendirectoryd.libinfo", ALL },
        { "mach-lookup", "com.apple.logd", ALL },
        { "mach-lookup", "com.apple.diagnosticd", 0 },
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
        { "file-read-data", "/System/Volumes/Data/home/bob/x", 0 },
        { "file-read-data", "/System/Volumes/Preboot/x", 0 },
        { "file-read-data", "/System/Volumes/Preboot/Cryptexes/OS/x", ALL },
        { "file-read-metadata", "/System/Volumes/Preboot", ALL },
        { "file-read-data", "/Library/x", ALL },
        { "file-read-data", "/bin/sh", ALL },
        { "file-read-data", "/sbin/mount", ALL },
        { "file-read-data", "/private/var/db/dyld/x", ALL },
        { "file-read-data", "/private/var/db/dslocal/nodes", 0 },
        { "file-read-metadata", "/dev", ALL },
        { "file-read-data", "/dev", 0 },
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
        { "file-write-create", WORK "/d/HOOKS/x", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/D/hooks", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/d/hooks2", BUT(READ_ONLY) },
        { "file-write-create", WORK "/d/x", BUT(READ_ONLY) },
        { "file-write-unlink", WORK "/d", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/D", ONLY(UNPROTECTED) },

        { "file-write-create", WORK "/.github", ONLY(UNPROTECTED) },
        { "file-write-unlink", WORK "/.GitHub", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.github/workflows/x", BUT(READ_ONLY) },
        { "file-write-create", WORK "/.github/hooks", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.github2", BUT(READ_ONLY) },
        { "file-write-create", WORK "/.jj", ONLY(UNPROTECTED) },
        { "file-write-unlink", WORK "/.jj/repo", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.jj/repo/store", BUT(READ_ONLY) },

        { "file-write-create", WORK "/.v\u017fcode", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.\u212ailo/x", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.gitcon\ufb01g", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.en\u200cvrc", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/\u200c.envrc", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.hu\u017f\u212ay", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.vcode", BUT(READ_ONLY) },
        { "file-write-create", WORK "/.gitcong", BUT(READ_ONLY) },

        { "file-write-create", WORK "/.git/commondir", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.git/gitdir", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.git/config.worktree", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.GIT/Config", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.git/config.lock", BUT(READ_ONLY) },
        { "file-write-create", WORK "/.git", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/sub/.git/modules/m/commondir", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/sub/.git/modules/m/index", BUT(READ_ONLY) },
        { "file-write-create", "/Users/ann/repo/.git/commondir", ONLY(UNPROTECTED) },
        { "file-write-create", "/Users/ann/repo/.git/hooks/x", ONLY(UNPROTECTED) },

        { "file-write-create", WORK "/.envrc", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.EnvRC", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.vscode/tasks.json", ONLY(UNPROTECTED) },
        { "file-write-create", WORK "/.envrc/x", ONLY(UNPROTECTED) },
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

/* Where there is more to protect than is listed, nothing of the workspace can be written. */
static void sealed_is_read_only(void **state) {
        struct sbpl *s = calloc(1, sizeof(*s));
        struct host host = mac;
        struct err err = {};
        ARENA_AUTO arena;

        (void)state;
        assert_non_null(s);
        arena_init(&arena, 0);
        host.protection.sealed = true;
        assert_true(profile_of(&host, settings[BY_DEFAULT], &arena, s, &err));
        assert_true(sbpl_allows(s, "file-read-data", WORK "/a"));
        assert_false(sbpl_allows(s, "file-write-create", WORK "/a"));
        assert_false(sbpl_allows(s, "file-write-data", "/Users/ann/repo/.git/x"));
        assert_true(sbpl_allows(s, "file-write-data", "/Users/Shared/out/x"));
        assert_true(sbpl_allows(s, "file-write-create", TMP "/x"));
        free(s);
}

/* A name that is not ASCII has several spellings, and not all of them are of the same length. */
static void absent_in_every_spelling(void **state) {
        static const char *const spellings[] = { "/caf\u00e9/hooks", "/cafe\u0301/hooks", "/CAFE\u0301/Hooks/x" };
        struct sbpl *s = calloc(1, sizeof(*s));
        char path[256];

        (void)state;
        assert_non_null(s);
        for (size_t i = 0; i < 2; i++) {
                struct host host = mac;
                struct err err = {};
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                host.protection.absent =
                        (struct protected_paths)PROTECT(i & 1 ? WORK "/caf\u00e9/hooks" : WORK "/cafe\u0301/hooks");
                assert_true(profile_of(&host, settings[BY_DEFAULT], &arena, s, &err));
                for (size_t j = 0; j < sizeof(spellings) / sizeof(*spellings); j++) {
                        snprintf(path, sizeof(path), WORK "%s", spellings[j]);
                        assert_false(sbpl_allows(s, "file-write-create", path));
                }
                assert_true(sbpl_allows(s, "file-write-create", WORK "/b/hooks"));
        }
        free(s);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(profiles_decide),
                cmocka_unit_test(sealed_is_read_only),
                cmocka_unit_test(absent_in_every_spelling),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
