#include "policy/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/time.h"

/*
 * The library's limits are for one place where a match may start, and a command has thousands of them. So the places are
 * tried in groups, with a look at the clock between groups.
 */
enum {
        MATCH_STEPS = 10000, /* per place */
        MATCH_DEPTH = 1000,
        MATCH_HEAP_KIB = 4096,
        PLACES = 64, /* per group */
};
#define MATCH_TIME (TIME_SECOND / 20)

/* ---- compiling: all memory comes from the arena and goes with it ---- */

static void *memory_get(size_t size, void *arena) {
        return arena_alloc(arena, size);
}

static void memory_put(void *memory, void *arena) {
        (void)memory;
        (void)arena;
}

static int compile_fail(int code, size_t offset, struct err *err) {
        PCRE2_UCHAR8 text[160] = "unknown error";

        pcre2_get_error_message_8(code, text, sizeof(text));
        return err_set(err, ERR_INVALID, "%s, at byte %zu of the expression", (const char *)text, offset + 1);
}

int user_pattern_compile(struct user_pattern *pattern, struct arena *arena, struct err *err) {
        pcre2_general_context_8 *memory = pcre2_general_context_create_8(memory_get, memory_put, arena);
        pcre2_compile_context_8 *context = memory ? pcre2_compile_context_create_8(memory) : NULL;
        PCRE2_SIZE offset = 0;
        int code = 0;

        if (!context)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (pattern->regex.len > PATTERN_REGEX_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "the expression is longer than %d bytes", (int)PATTERN_REGEX_MAX);
        pattern->code = pcre2_compile_8((PCRE2_SPTR8)pattern->regex.ptr, pattern->regex.len,
                                        PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_USE_OFFSET_LIMIT, &code, &offset, context);
        return pattern->code ? 0 : compile_fail(code, offset, err);
}

/* ---- matching ---- */

/* From `start` on, at most PLACES places. */
static enum pattern_result group_match(const pcre2_code_8 *code, struct str subject, size_t start, pcre2_match_data_8 *data,
                                       pcre2_match_context_8 *limits) {
        int status;

        pcre2_set_offset_limit_8(limits, start + PLACES - 1);
        status = pcre2_match_8(code, (PCRE2_SPTR8)subject.ptr, subject.len, start, 0, data, limits);
        return status >= 0 ? PATTERN_YES : status == PCRE2_ERROR_NOMATCH ? PATTERN_NO : PATTERN_LIMIT;
}

static enum pattern_result subject_match(const pcre2_code_8 *code, struct str subject, pcre2_match_data_8 *data,
                                         pcre2_match_context_8 *limits) {
        enum pattern_result result = PATTERN_NO;
        int64_t deadline = time_monotonic() + MATCH_TIME;

        pcre2_set_match_limit_8(limits, MATCH_STEPS);
        pcre2_set_depth_limit_8(limits, MATCH_DEPTH);
        pcre2_set_heap_limit_8(limits, MATCH_HEAP_KIB);
        for (size_t start = 0; start <= subject.len && result == PATTERN_NO; start += PLACES) {
                result = group_match(code, subject, start, data, limits);
                if (result == PATTERN_NO && time_monotonic() > deadline)
                        result = PATTERN_LIMIT;
        }
        return result;
}

enum pattern_result user_pattern_matches(const struct user_pattern *pattern, struct str subject) {
        /* Without a context of our own they take memory from malloc(), not from the policy's arena. */
        pcre2_match_data_8 *data = pcre2_match_data_create_8(1, NULL);
        pcre2_match_context_8 *limits = pcre2_match_context_create_8(NULL);
        enum pattern_result result = PATTERN_LIMIT;

        if (subject.len == 0)
                subject = STR("");
        if (data && limits && pattern->code)
                result = subject_match(pattern->code, subject, data, limits);
        pcre2_match_data_free_8(data);
        pcre2_match_context_free_8(limits);
        return result;
}
