/*
 * Any config file and any value for one of its lists: refused, or the value is in the list and nothing else has changed.
 *
 * The first byte says in which language and which list, the first line what to add; the rest is the file.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tests/policy/edit_test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth) {
        if (!truth)
                abort();
}

static void check(struct str text, const char *path, const struct list_value *value, const char *camel) {
        struct err err = { 0 };
        ARENA_AUTO arena;
        BUF_AUTO out, again;
        json_t *old, *now;
        int changed;

        arena_init(&arena, 0);
        buf_init(&out, TREE_TEXT_MAX);
        buf_init(&again, TREE_TEXT_MAX);
        changed = config_list_add(text, path, value, &arena, &out, &err);
        if (changed < 0) {
                require(err.msg[0] != 0);
                return;
        }
        if (changed == 0)
                return;
        require(edit_only_inserts(text, buf_str(&out)));
        require(config_list_add(buf_str(&out), path, value, &arena, &again, &err) == 0 && again.len == 0);
        old = edit_values(text, path, &arena);
        now = edit_values(buf_str(&out), path, &arena);
        if (old && now) /* JSON has no word for infinity, and jansson none for an empty key with a NUL */
                require(edit_only_adds(old, now, value, camel));
        json_decref(old);
        json_decref(now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const char *const paths[] = { "c.toml", "c.json5", "c.json" };
        struct str rest = str_from((const char *)data, size), value;
        unsigned choice;

        if (size < 2 || size > 4096)
                return 0;
        choice = data[0];
        rest = str_skip(rest, 1);
        value = str_take(rest, str_find(rest, '\n'));
        rest = str_skip(rest, value.len + 1);
        if (choice & 4) {
                const struct list_value pattern = { "guard", "dangerous_patterns", "regex", value };

                check(rest, paths[choice % 3], &pattern, "dangerousPatterns");
        } else {
                const struct list_value host = { "guard", "domain_allowlist", NULL, value };

                check(rest, paths[choice % 3], &host, "domainAllowlist");
        }
        return 0;
}
