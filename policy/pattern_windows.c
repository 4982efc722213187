/*
 * Without PCRE2, which is not built for Windows here. A config that has expressions is refused: what they would find must not
 * go unseen.
 */
#include "policy/pattern.h"

int user_pattern_compile(struct user_pattern *pattern, struct arena *arena, struct err *err) {
        (void)pattern;
        (void)arena;
        return err_set(err, ERR_UNSUPPORTED,
                       "regular expressions are not available on Windows: remove the pattern, or use command_blocklist");
}

enum pattern_result user_pattern_matches(const struct user_pattern *pattern, struct str subject) {
        (void)pattern;
        (void)subject;
        return PATTERN_LIMIT; /* counts as a match */
}
