/*
 * Wraps commands for wrap.py: reads them from stdin, each ended by NUL, and writes what wrap_command() makes of them in the
 * same way. wrap_texts PROGRAM WORKSPACE. Fails when one of them is not recognised as wrapped, or not taken back.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "hook/wrap.h"

enum { INPUT_MAX = 16 << 20 };

static int wrap_one(const struct wrap *wrap, struct str text) {
        BUF_AUTO out, back;

        buf_init(&out, INPUT_MAX);
        buf_init(&back, INPUT_MAX);
        wrap_command(&out, wrap, text);
        if (!wrap_is(buf_str(&out), wrap, &back))
                return -1;
        if (!str_eq(text.len && text.ptr[0] == '-' ? str_skip(buf_str(&back), 1) : buf_str(&back), text))
                return -1;
        buf_char(&out, '\0');
        fwrite(out.ptr, 1, out.len, stdout);
        return out.failed ? -1 : 0;
}

int main(int argc, char **argv) {
        struct wrap wrap = { .program = argc > 2 ? argv[1] : "", .workspace = argc > 2 ? argv[2] : "" };
        struct err err;
        BUF_AUTO input;
        struct str rest;

        buf_init(&input, INPUT_MAX);
        if (argc != 3 || fd_read_all(STDIN_FILENO, &input, &err) < 0)
                return 2;
        for (rest = buf_str(&input); rest.len; rest = str_skip(rest, str_find(rest, '\0') + 1))
                if (wrap_one(&wrap, str_take(rest, str_find(rest, '\0'))) < 0)
                        return 1;
        return 0;
}
