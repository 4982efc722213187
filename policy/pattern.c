#include "policy/pattern.h"

#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/time.h"

/*
 * The library's limits are for one place where a match may start, and a command has thousands of them. So the places are
 * tried in groups: each with few steps, which nearly always do; the few that need more get many, but only so often.
 *
 * A verdict must not depend on how busy the machine is, so this counts steps. But the library counts no step for a byte
 * that a repetition runs over ([ab]*[cd] on a long row of a), and for that there is a limit of processor time: of this
 * thread, as time that others use is none of ours, and several times what 8 KiB, the usual limit of a command, can take.
 */
enum {
        PLACES = 16,        /* in a group */
        STEPS_FEW = 50,     /* for each place */
        STEPS_MANY = 10000, /* for each place of a group that needs more */
        GROUPS_MANY = 32,   /* that get them */
        GROUPS_TIMED = 16,  /* between two looks at the clock */
        MATCH_DEPTH = 5000,
        MATCH_HEAP_KIB = 4096,
};
#define MATCH_TIME (TIME_SECOND / 4)

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
                return err_memory(err);
        if (pattern->regex.len > PATTERN_REGEX_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "the expression is longer than %d bytes", (int)PATTERN_REGEX_MAX);
        pattern->code = pcre2_compile_8((PCRE2_SPTR8)pattern->regex.ptr, pattern->regex.len,
                                        PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_USE_OFFSET_LIMIT, &code, &offset, context);
        return pattern->code ? 0 : compile_fail(code, offset, err);
}

/* ---- matching ---- */

/* From `start` on, at most PLACES places. A status of the library. */
static int group_match(const pcre2_code_8 *code, struct str subject, size_t start, uint32_t steps, pcre2_match_data_8 *data,
                       pcre2_match_context_8 *limits) {
        pcre2_set_offset_limit_8(limits, start + PLACES - 1);
        pcre2_set_match_limit_8(limits, steps);
        return pcre2_match_8(code, (PCRE2_SPTR8)subject.ptr, subject.len, start, 0, data, limits);
}

/* Of this thread, in nanoseconds. */
static int64_t processor_time(void) {
        struct timespec now = { 0 };

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return now.tv_sec * TIME_SECOND + now.tv_nsec;
}

static enum pattern_result subject_match(const pcre2_code_8 *code, struct str subject, pcre2_match_data_8 *data,
                                         pcre2_match_context_8 *limits) {
        int64_t deadline = subject.len / PLACES >= GROUPS_TIMED - 1 ? processor_time() + MATCH_TIME : 0; /* else nobody asks */
        int status = PCRE2_ERROR_NOMATCH, many = 0;

        pcre2_set_depth_limit_8(limits, MATCH_DEPTH);
        pcre2_set_heap_limit_8(limits, MATCH_HEAP_KIB);
        for (size_t start = 0; start <= subject.len && status == PCRE2_ERROR_NOMATCH; start += PLACES) {
                if (start / PLACES % GROUPS_TIMED == GROUPS_TIMED - 1 && processor_time() > deadline)
                        return PATTERN_LIMIT;
                status = group_match(code, subject, start, STEPS_FEW, data, limits);
                if (status == PCRE2_ERROR_MATCHLIMIT && many++ < GROUPS_MANY)
                        status = group_match(code, subject, start, STEPS_MANY, data, limits);
        }
        return status >= 0 ? PATTERN_YES : status == PCRE2_ERROR_NOMATCH ? PATTERN_NO : PATTERN_LIMIT;
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
