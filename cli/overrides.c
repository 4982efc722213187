#include "cli/overrides.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static const struct {
        const char *option, *key;
        bool path;
} keys[] = {
        { "backend", "sandbox.backend" },
        { "read", "sandbox.fs_read_allow", true },
        { "write", "sandbox.fs_write_allow", true },
        { "deny-read", "sandbox.fs_read_deny", true },
        { "deny-write", "sandbox.fs_write_deny", true },
        { "network", "sandbox.network" },
        { "allow-host", "sandbox.network.hosts" },
        { "publish", "sandbox.network.publish" },
        { "host-port", "sandbox.network.host_ports" },
        { "root", "sandbox.root" },
        { "memory", "sandbox.max_memory_bytes" },
        { "cpu-secs", "sandbox.max_cpu_secs" },
        { "pids", "sandbox.max_pids" },
};

/* An option that was lost could be one that denies. */
static void add(struct overrides *overrides, const char *option, const char *key, const char *value) {
        char *text = NULL;

        if (overrides->count + 1 >= OVERRIDES_MAX || asprintf(&text, "%s=%s", key, value) < 0) {
                overrides->failed = true;
                return;
        }
        overrides->options[overrides->count] = option;
        overrides->items[overrides->count++] = text;
}

/* The shell leaves the ~ of --read=~/x and --read '~/x' to us. */
static void add_path(struct overrides *overrides, const char *option, const char *key, const char *value) {
        const char *home = getenv("HOME");
        char *path = NULL;

        if (!home || (strcmp(value, "~") != 0 && strncmp(value, "~/", 2) != 0)) {
                add(overrides, option, key, value);
        } else if (asprintf(&path, "%s%s", home, value + 1) >= 0) {
                add(overrides, option, key, path);
                free(path);
        } else {
                overrides->failed = true;
        }
}

/* --env NAME passes a variable that the user names here, secret or not; --env NAME=VALUE sets one. */
static void add_env(struct overrides *overrides, const char *text) {
        const char *equals = strchr(text, '=');
        char *key = NULL;

        if (!equals) {
                add(overrides, "env", "env.pass_secret", text);
        } else if (asprintf(&key, "env.set.%.*s", (int)(equals - text), text) >= 0) {
                add(overrides, "env", key, equals + 1);
                free(key);
        } else {
                overrides->failed = true;
        }
}

/* 0 is about what is passed on: what is captured always has a limit. */
static void add_output_limit(struct overrides *overrides, const char *text) {
        bool none = strcmp(text, "0") == 0;

        add(overrides, "output-limit", "run.output_limit", none ? "captured" : "always");
        if (!none)
                add(overrides, "output-limit", "run.output_bytes", text);
}

/* KEY=VALUE, as it was given. */
static void add_text(struct overrides *overrides, const char *text) {
        char *copy = overrides->count + 1 < OVERRIDES_MAX ? strdup(text) : NULL;

        if (copy)
                overrides->items[overrides->count++] = copy;
        else
                overrides->failed = true;
}

void overrides_read(const struct option_row *table, const struct options *options, struct overrides *ret) {
        *ret = (struct overrides){};
        for (size_t i = 0; i < options->given_count; i++) {
                const char *name = table[options->given[i].row].name, *value = options->given[i].value;

                for (size_t j = 0; j < sizeof(keys) / sizeof(*keys); j++)
                        if (strcmp(name, keys[j].option) == 0)
                                (keys[j].path ? add_path : add)(ret, name, keys[j].key, value);
                if (strcmp(name, "strict") == 0)
                        add(ret, name, "sandbox.syscall_policy", "strict");
                if (strcmp(name, "env") == 0)
                        add_env(ret, value);
                if (strcmp(name, "output-limit") == 0)
                        add_output_limit(ret, value);
                if (strcmp(name, "set") == 0)
                        add_text(ret, value);
        }
}

const char *overrides_option(const struct overrides *overrides, const char *message) {
        size_t len = strcspn(message, ":");

        for (size_t i = 0; i < overrides->count; i++)
                if (overrides->options[i] && strncmp(overrides->items[i], message, len) == 0 &&
                    strchr(".=", overrides->items[i][len]))
                        return overrides->options[i];
        return NULL;
}

void overrides_free(struct overrides *overrides) {
        for (size_t i = 0; i < overrides->count; i++)
                free(overrides->items[i]);
}

/* Seconds, with a fraction; 0 means none. */
int timeout_read(const char *command, const char *text, long long *ret_ms) {
        char *end;
        double seconds;

        *ret_ms = 0;
        if (!text)
                return 0;
        errno = 0;
        seconds = strtod(text, &end);
        if (errno || end == text || (*end && strcmp(end, "s") != 0) || !(seconds >= 0 && seconds < 1e9)) {
                log_line("%s: --timeout: expected a number of seconds, found '%s'", command, text);
                return -1;
        }
        *ret_ms = seconds == 0 ? -1 : seconds < 0.001 ? 1 : (long long)(seconds * 1000);
        return 0;
}
