/* git's own reading of a config is the measure: `git config --list -z` of the same bytes. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "protect/git.h"

static int show(void *context, const struct git_setting *setting, struct err *err) {
        struct buf *buf = context;

        (void)err;
        buf_append(buf, setting->section);
        if (setting->subsection.ptr) {
                buf_char(buf, '.');
                buf_append(buf, setting->subsection);
        }
        if (setting->section.len)
                buf_char(buf, '.');
        buf_append(buf, setting->name);
        buf_char(buf, '\n');
        buf_append(buf, setting->value);
        buf_char(buf, '\0');
        return 0;
}

/* False when git refuses the text: then nothing it said counts. */
static bool ask_git(struct str text, struct buf *ret) {
        char path[] = "/tmp/bailey-config-XXXXXX", command[128];
        int fd = mkstemp(path), c;
        FILE *pipe;

        assert_true(fd >= 0);
        assert_int_equal(write(fd, text.ptr, text.len), text.len);
        close(fd);
        snprintf(command, sizeof(command), "git config --no-includes -z --list -f %s 2>/dev/null", path);
        pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command of this test */
        assert_non_null(pipe);
        while ((c = getc(pipe)) != EOF)
                buf_char(ret, (char)c);
        c = pclose(pipe);
        unlink(path);
        return c == 0;
}

static void as_git_reads(void **state) {
        static const struct str texts[] = {
                STR("[core]\n\tworktree = ../../w\n\tbare = false\n"),
                STR("[CoRe]HooksPath=x"),
                STR("[core] a = 1 ; c\n b = 2# c\n# [x]\n;[y]\n c=\"3 # ; \" 4\n"),
                STR("[a]\r\n b = c\r\n d =\r\n"),
                STR("[a \"B \\\" \\\\ \\x.y\"]\n k = v\n[a.B.C]\n k=w\n"),
                STR("[a]\n k = one\\\n two\\\r\n  three\n l = \\t\\n\\b\\\\\\\"\n"),
                STR("[a]\n k =   spaces   inside   \t \n l = \"  quoted  \"  \n m = x\"  \"y \" \"\n"),
                STR("[include]\n path = ../x\n[includeIf \"gitdir:~/a/\"]\n path = \"b c\"\n"),
                STR("\xef\xbb\xbf[a]\nk=v\n"),
                STR("[a]\nk = \xc3\xbc\xff\n[b-c]d-e=f\n"),
                STR("[a] ; comment\n[b] c = d [e]\n[f]g=h"),
                STR("[a]\n\tk = v\\\n"),
                STR("[a]\nk=\"\"\nl=\"\\\"\"\n"),
                STR("\n\n   [a]   \n   k   =   v   \n"),
                STR("k = v\n[a]\nb = c\n"),
                STR("[a]\nk = \\"),
                STR(""),
        };

        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                ARENA_AUTO arena;
                BUF_AUTO ours, theirs;

                arena_init(&arena, 0);
                buf_init(&ours, 1 << 16);
                buf_init(&theirs, 1 << 16);
                assert_int_equal(git_config_read(texts[i], &arena, show, &ours, NULL), 0);
                assert_true(ask_git(texts[i], &theirs));
                if (!str_eq(buf_str(&ours), buf_str(&theirs)))
                        fail_msg("of: %s\nours: %.*s\ngit's: %.*s", texts[i].ptr, (int)ours.len, ours.ptr, (int)theirs.len,
                                 theirs.ptr);
        }
}

/* What git refuses does nothing there, and must not harm us. */
static void as_git_refuses(void **state) {
        static const struct str texts[] = {
                STR("[a\nk=v"),    STR("[a]\n1=2\n"),   STR("[a]\nk = \"x\n"), STR("[a]\nk = \\q\n"),
                STR("[a \"b]\nk"), STR("[a \"b\"\nk="), STR("[a]\nk v\n"),     STR("["),
                STR("[a \"b\\"),   STR("[a b]\nc=d\n"), STR("[a]\nk_x = 1\n"),
        };

        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                ARENA_AUTO arena;
                BUF_AUTO ours, theirs;

                arena_init(&arena, 0);
                buf_init(&ours, 1 << 16);
                buf_init(&theirs, 1 << 16);
                assert_int_equal(git_config_read(texts[i], &arena, show, &ours, NULL), 1);
                if (ours.len)
                        fail_msg("ours, of %s: %s", texts[i].ptr, ours.ptr);
                if (ask_git(texts[i], &theirs))
                        fail_msg("git reads %s", texts[i].ptr);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(as_git_reads),
                cmocka_unit_test(as_git_refuses),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
