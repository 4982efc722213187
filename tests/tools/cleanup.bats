#!/usr/bin/env bats
# tools/check-cleanup against small files, right and wrong.

setup() {
        check=$BATS_TEST_DIRNAME/../../tools/check-cleanup
        cd "$BATS_TEST_TMPDIR" || exit 1
}

# body LINE...: x.c with a function of these lines
body() {
        {
                printf 'int f(int a) {\n'
                printf '        %s\n' "$@"
                printf '        return 0;\n}\n'
        } >x.c
}

@test "nothing leaves before the variable is initialised" {
        body 'BUF_AUTO text;' '' 'buf_init(&text, 10);' 'if (a)' '        return 1;'
        "$check" x.c
        body 'BUF_AUTO one, two;' 'buf_init(&one, 10);' 'buf_init(&two, 10);'
        "$check" x.c
        body 'ARENA_AUTO arena;' 'arena_init(&arena, 0);'
        "$check" x.c
        body 'BUF_AUTO text = { 0 };' 'if (a)' '        return 1;'
        "$check" x.c
}

@test "a return, a jump or the end before that is found" {
        for lines in 'if (a) return 1;' 'if (a) goto out;' ''; do
                body 'BUF_AUTO text;' "$lines" 'buf_char(&text, 1);'
                run "$check" x.c
                [ "$status" = 1 ]
                [[ $output == "x.c:"*": leaves before text is initialised, which is freed then" ]]
        done
}

@test "each variable of a line counts" {
        body 'BUF_AUTO one, two;' 'buf_init(&one, 10);' 'if (a)' '        return 1;' 'buf_init(&two, 10);'
        run "$check" x.c
        [ "$status" = 1 ]
        [[ $output == "x.c:5: leaves before two is initialised"* ]]
}
