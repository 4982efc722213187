#include "guard/tables/places.h"

#include <stddef.h>

const char *const place_top[] = {
        "Applications", "Library", "System", "Users", "Volumes", "bin",   "boot", "dev", "etc",
        "home",         "lib",     "lib32",  "lib64", "libx32",  "media", "mnt",  "opt", "proc",
        "private",      "root",    "run",    "sbin",  "srv",     "sys",   "usr",  "var", NULL,
};

const char *const place_system[] = {
        "/Library", "/System",      "/bin",  "/boot", "/dev", "/etc", "/lib",     "/lib32",     "/lib64",
        "/libx32",  "/private/etc", "/proc", "/sbin", "/sys", "/usr", "/var/lib", "/var/spool", NULL,
};

const char *const place_temporary[] = {
        "/dev",
        "/private/tmp",
        "/tmp",
        "/var/folders",
        "/var/tmp",
        "~/.bun/install/cache",
        "~/.cache",
        "~/.cargo/git",
        "~/.cargo/registry",
        "~/.ccache",
        "~/.gradle/caches",
        "~/.gradle/daemon",
        "~/.ivy2/cache",
        "~/.local/share/Trash",
        "~/.m2/repository",
        "~/.node-gyp",
        "~/.npm/_cacache",
        "~/.npm/_logs",
        "~/.npm/_npx",
        "~/.nuget/packages",
        "~/.pnpm-store",
        "~/.pub-cache",
        "~/.yarn/cache",
        "~/Library/Caches",
        "~/go/pkg",
        NULL,
};

const char *const place_devices[] = {
        "/dev/fd/*",   "/dev/full",  "/dev/null",   "/dev/ptmx", "/dev/pts/*",   "/dev/random", "/dev/shm", "/dev/shm/**",
        "/dev/stderr", "/dev/stdin", "/dev/stdout", "/dev/tty",  "/dev/urandom", "/dev/zero",   NULL,
};

const char *const place_sinks[] = { "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/*", "/proc/*/fd/*", NULL };

const char *const place_dotenv_examples[] = {
        "dist", "example", "sample", "template", "tmpl", "md", "schema", "defaults", NULL,
};

const char *const place_fixtures[] = {
        "__fixtures__", "dotfiles",  "examples", "fixtures", "mocks", "samples", "skel",
        "spec",         "templates", "test",     "testdata", "tests", NULL,
};
