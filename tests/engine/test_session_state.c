/* What is kept of a report that a hostile command has written. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "engine/pipeline/run.h"
#include "launch/warm/state_page.h"

static const char *const envp[] = { "PATH=/usr/bin:/bin", "A=1", NULL };

struct scene {
        struct policy policy;
        struct session_state state;
        struct run run;
};

static void begin(struct scene *s) {
        memset(s, 0, sizeof(*s));
        session_state_init(&s->state);
        arena_init(&s->run.arena, 0);
        s->run.order.policy = &s->policy;
        s->run.lent.state = &s->state;
        s->run.facts.host.workspace = "/ws";
        s->run.facts.host.cwd = "/ws";
        s->run.attempt.launch.envp = envp;
        s->run.attempt.launch.namespaces = LAUNCH_NAMESPACES;
        s->run.result.out.end = BAILEY_EXITED;
        buf_init(&s->run.begun.left, STATE_TEXT_MAX);
}

static void take(struct scene *s, const char *report, size_t len) {
        buf_clear(&s->run.begun.left);
        buf_append(&s->run.begun.left, str_from(report, len));
        run_state_end(&s->run);
}

static void end(struct scene *s) {
        session_state_free(&s->state);
        buf_free(&s->run.begun.left);
        arena_free(&s->run.arena);
}

#define TAKE(s, text) take(s, text, sizeof(text))

static void directories(void **state) {
        static const char *const bad[] = {
                "/etc", "/", "/wsx", "/ws/../etc", "/ws/./x", "/ws//x", "/ws/x/..", "/ws/x/.", "/ws/"
        };
        struct scene s;

        (void)state;
        begin(&s);
        TAKE(&s, "/ws/sub");
        assert_string_equal(s.state.cwd, "/ws/sub");
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                take(&s, bad[i], strlen(bad[i]) + 1);
                assert_non_null(s.state.cwd);
                assert_string_equal(s.state.cwd, "/ws/sub");
        }
        assert_int_equal(s.run.result.notice_count, sizeof(bad) / sizeof(*bad));
        s.run.facts.host.cwd = "/ws/sub";
        TAKE(&s, "/ws");
        assert_null(s.state.cwd);
        end(&s);
}

static void variables(void **state) {
        static const char kept[] = "+B=2\0+C=x=y\n\xff\0-A\0-PATH=";
        struct scene s;

        (void)state;
        begin(&s);
        TAKE(&s, "+B=2\0+C=x=y\n\xff\0-A\0+LD_PRELOAD=x\0+BAD\0*D=1\0+=x\0+B=3\0-PATH=\0+E F=1\0-LD_X");
        assert_int_equal(s.state.variables.len, sizeof(kept));
        assert_memory_equal(s.state.variables.ptr, kept, sizeof(kept));
        TAKE(&s, "+B=4");
        assert_null(memmem(s.state.variables.ptr, s.state.variables.len, "+B=2", 4));
        assert_non_null(memmem(s.state.variables.ptr, s.state.variables.len, "+B=4", 5));
        end(&s);
}

static void merging(void **state) {
        const char *const *merged;
        struct scene s;
        struct err err;

        (void)state;
        begin(&s);
        assert_int_equal(session_state_merge(STR("+B=2\0-A\0+PATH=/x\0"), envp, &s.run.arena, &merged, &err), 0);
        assert_string_equal(merged[0], "B=2");
        assert_string_equal(merged[1], "PATH=/x");
        assert_null(merged[2]);
        end(&s);
}

static void too_many(void **state) {
        static char report[STATE_TEXT_MAX];
        size_t len = 0, count = 0;
        struct str rest;
        struct scene s;

        (void)state;
        begin(&s);
        for (int i = 0; len < sizeof(report) - 16; i++)
                len += (size_t)snprintf(report + len, 16, "+N%d=", i) + 1;
        take(&s, report, len);
        for (rest = buf_str(&s.state.variables); session_state_next(&rest).len;)
                count++;
        assert_int_equal(count, SESSION_VARIABLES_MAX);
        end(&s);
}

static void only_what_has_ended_by_itself(void **state) {
        struct scene s;

        (void)state;
        begin(&s);
        s.run.result.out.end = BAILEY_TIMED_OUT;
        TAKE(&s, "/ws/sub");
        s.run.result.out.end = BAILEY_CANCELLED;
        TAKE(&s, "+B=1");
        s.run.result.out.end = BAILEY_EXITED;
        s.run.order.options.background = 1;
        TAKE(&s, "+B=1");
        assert_null(s.state.cwd);
        assert_int_equal(s.state.variables.len, 0);
        end(&s);
}

/* ---- the page ---- */

static void pages(void **state) {
        static const struct {
                uint32_t length;
                const char *text;
                size_t read;
        } cases[] = { { 0, "", 0 },
                      { 3, "/a", 3 },
                      { 2, "/a", 0 },
                      { STATE_TEXT_MAX, "", STATE_TEXT_MAX },
                      { STATE_TEXT_MAX + 1, "", 0 },
                      { UINT32_MAX, "", 0 } };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                FD_AUTO fd = state_page_make();
                struct state_page *page = state_page_map(fd);
                BUF_AUTO out;

                buf_init(&out, STATE_TEXT_MAX);
                assert_non_null(page);
                assert_int_equal(ftruncate(fd, 1 << 20), -1);
                assert_int_equal(ftruncate(fd, 0), -1);
                memcpy(page->text, cases[i].text, strlen(cases[i].text) + 1);
                page->length = cases[i].length;
                state_page_read(fd, &out);
                assert_int_equal(out.len, cases[i].read);
                munmap(page, sizeof(*page));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(directories), cmocka_unit_test(variables), cmocka_unit_test(merging),
                cmocka_unit_test(too_many),    cmocka_unit_test(pages),     cmocka_unit_test(only_what_has_ended_by_itself),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
