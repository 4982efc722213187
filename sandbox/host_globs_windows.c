#include "sandbox/host_parts.h"

bool glob_is_pattern(struct str text) {
        return str_find(text, '*') < text.len || str_find(text, '?') < text.len;
}

static int refuse_patterns(const struct str_list *list, const char *key, struct err *err) {
        for (size_t i = 0; i < list->count; i++)
                if (glob_is_pattern(list->items[i]))
                        return err_set(err, ERR_UNSUPPORTED, "%s: %.*s: there are no patterns on Windows; name the path", key,
                                       (int)list->items[i].len, list->items[i].ptr);
        return 0;
}

int host_globs_find(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct host_match **ret,
                    struct err *err) {
        (void)host;
        (void)arena;
        *ret = NULL;
        return refuse_patterns(&sandbox->fs_read_deny, "fs_read_deny", err) < 0
                       ? -1
                       : refuse_patterns(&sandbox->fs_write_deny, "fs_write_deny", err);
}

bool host_denies_match(const struct host *host, const struct host_match *match) {
        (void)host;
        (void)match;
        return true;
}

int host_gather_globs(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err) {
        struct host_match *match;

        return host_globs_find(host, sandbox, arena, &match, err);
}
