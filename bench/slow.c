/*
 * Texts that make a guard slow which is not linear, or thinks about the same thing twice.
 */
#include "bench/texts.h"

enum { SHELLS = 12, NESTED_MAX = 1 << 20 }; /* in shells; each doubles the backslashes */

/* Each is repeated until the text is as long as it should be. */
static const char *const stress[] = {
        "a=b ",
        "a=$a$a;",
        "a+=b;",
        "a+=($a);",
        "a[$a]=$a;",
        "$(",
        "`",
        "${",
        "${a/x/y}",
        "${a:-",
        "{a,",
        "{a,b}",
        "{1..9}",
        "$((",
        "$a",
        "'a'",
        "*",
        "a|",
        "a&",
        "a && ",
        "ls -l /tmp;",
        "rm -rf / ;",
        "rm -rf / ",
        "cat .env;",
        "echo $(cat .env);",
        "env|sort|",
        "cd a;",
        "cd ..;cat x;",
        "> /etc/x ",
        "echo a>f;sh f;",
        "x=$(curl h);eval $x;",
        "echo a|sh;",
        "for x in 1 2 3 4 5 6 7 8; do ",
        "for x in 1 2 3 4 5 6 7 8; do a; done;",
        "while a; do b; done;",
        "while a; do ",
        "if a; then b; fi;",
        "if a; then ",
        "if a; then b=1; else b=2; fi;",
        "case $a in b) c;; *) d;; esac;",
        "( ",
        "{ ",
        "[[ ",
        "f(){ g; };",
        "f(){ f;};f;",
        "f(){ ",
        "eval ",
        "eval a;",
        "nice ",
        "env a=b ",
        "xargs ",
        "bash -c 'a';",
        "bash -c \"",
        "python3 -c 'system(\"a\")';",
        "find . -exec ",
        "alias a=b;",
        "trap a EXIT;",
        "ln -s a b;cat b;",
        "curl http://a/ ",
        "git -c a=b ",
        "docker run -v /:/a ",
        "sed -e 1e ",
        "cat <<A\n",
        "cat <<A\n$a\nA\n",
        "<<<a ",
        "a b\n",
        "#\n",
        "\\\n",
        "\xc3\xa4",
        "\xe2\x80\x8b",
        "set -- $@ a;",
        "printf -v a %s $a;",
        "read a <<< $b;",
        "${a:-b} ",
        "{a,b,c,d,e,f,g}{a,b,c,d,e,f,g} ",
        "echo ${a[@]};a+=(x);",
        "find . -exec a \\; ",
        "nc a 1;",
        "a|b;",
        "<<A ",
        "((",
        "\"$(",
        "[",
        "((a) ",
        "$((a) ",
        "'",
        "\"",
        "#",
        "case x in x) ",
};

/* The same, with something before and behind it. */
static const struct framed {
        const char *name, *before, *repeated, *after;
} framed[] = {
        { "f(){ a;a;...};f;f;f;f;f;f;f;f", "f(){ ", "a;", "};f;f;f;f;f;f;f;f" },
        { "cat <<E >f ... sh f;sh f;sh f;sh f", "cat <<E >f\n", "a\n", "E\nsh f;sh f;sh f;sh f;sh f;sh f;sh f;sh f" },
        { "if a;then x=1;y=2;fi;b $x $y;b $x $y;", "x=3;y=4;if a;then x=1;y=2;fi;", "b $x $y;", "" },
        { "if a;then f(){ b;};fi;f;f;f;", "if a;then f(){ b;};else f(){ c;};fi;", "f;", "" },
        { "trap 'a;a;...' 0", "trap '", "a;", "' 0" },
        { "parallel a ::: b b b", "parallel a ::: ", "b ", "" },
        { "find /a /a /a ... -exec rm {} +", "find ", "/a ", "-exec rm {} + -exec cat {} + -exec cat {} +" },
        { "cat a/a/a/...", "cat ", "a/", "x" },
};

/* bash -c "bash -c \"...\"", as deep as fits, and blanks behind it. */
static void nested_shells(size_t size, struct buf *out) {
        BUF_AUTO inner;

        buf_init(&inner, NESTED_MAX);
        buf_clear(out);
        buf_append(out, STR("id"));
        for (unsigned depth = 0; depth < SHELLS && 2 * out->len + 16 < size; depth++) {
                buf_clear(&inner);
                buf_append(&inner, buf_str(out));
                buf_clear(out);
                buf_append(out, STR("bash -c \""));
                for (size_t i = 0; i < inner.len; i++) {
                        if (inner.ptr[i] == '"' || inner.ptr[i] == '\\')
                                buf_char(out, '\\');
                        buf_char(out, inner.ptr[i]);
                }
                buf_char(out, '"');
        }
        for (size_t i = out->len; i < size; i++)
                buf_char(out, ' ');
}

static const char *slow_repeated(const char *repeated, size_t size, struct buf *out) {
        size_t length = strlen(repeated);

        for (size_t i = 0; i < size; i++)
                buf_char(out, repeated[i % length]);
        return repeated;
}

static const char *slow_framed(const struct framed *text, size_t size, struct buf *out) {
        size_t length = strlen(text->repeated), after = strlen(text->after);

        buf_append(out, str_z(text->before));
        while (out->len + length + after <= size)
                buf_append(out, str_z(text->repeated));
        buf_append(out, str_z(text->after));
        return text->name;
}

const char *texts_slow(size_t number, size_t size, struct buf *out) {
        const size_t plain = sizeof(stress) / sizeof(*stress), framing = sizeof(framed) / sizeof(*framed);

        buf_clear(out);
        if (number < plain)
                return slow_repeated(stress[number], size, out);
        if (number < plain + framing)
                return slow_framed(&framed[number - plain], size, out);
        if (number > plain + framing)
                return NULL;
        nested_shells(size, out);
        return "bash -c \"bash -c ...";
}
