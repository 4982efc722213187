"""Commands that break careless quoting. Each says the same wherever it runs, in a directory with the file `f`."""

QUOTES = [
    "echo it\\'s", 'echo "it\'s"', "echo 'it'\\''s'", "echo \"a\"'b'\"c\"", "echo ''", 'echo ""',
    "printf '[%s]' '' \"\" ''",
    "echo \"'\"", "echo '\"'", "echo \\'\\'\\'", 'echo \\"\\"', "echo '''a'''", "echo \"\"\"a\"\"\"", "echo $'a\\'b'",
    "echo $'\\x41\\u00e9\\n\\t|'", 'echo $"text"', "echo 'a\\b\\\\c'", 'echo "a\\b\\\\c"', "echo a\\\\b", "echo \\\\",
    "echo '\\'",
    "echo \"\\\\\"", "printf '%s\\n' \\a \\b \\$ \\`", "echo '\\''", "echo \"\\\"\"", "echo ''\\'''\\'''",
    "'echo' 'hidden quotes'",
    '"e"c\'h\'o mixed', "echo 'a", 'echo "a', "echo a'", "echo `echo \"a\"", "echo 'multi\nline'", 'echo "multi\nline"',
    "echo '$(id -u)' \"$(echo '$(x)')\"", "printf '%q\\n' \"it's \\\"q\\\"\"", "echo \"${x:-'q'}\" ${x:-\"it's\"}",
    "x=\"it's\"; echo \"$x\" '$x' ${x}", "echo \"a'b'c\" 'd\"e\"f'", "eval \"echo 'it'\\\\''s'\"",
    "bash -c 'echo \"it'\\''s\"'",
    "bash -c \"bash -c \\\"bash -c 'echo deep'\\\"\"", "sh -c 'echo $0 $1' it\\'s \"a b\"",
    "trap 'echo \"bye'\\''s\"' EXIT; echo hi",
]

DOLLARS = [
    "echo $HOME_NOT_SET-end", "a=1; echo $a${a}\"$a\"'$a'", "echo $((1+2))", "echo $(echo a)", "echo `echo a`",
    "echo \\$a \"\\$a\"",
    "echo $", "echo '$'", "echo $$ | wc -l", "echo $# \"$@\" $0", "set -- a 'b c'; echo \"$@\" $# \"$2\"",
    "echo ${#HOSTTYPE} >/dev/null",
    "a=(x 'y z'); echo ${a[1]} ${#a[@]} \"${a[@]}\"", "a=abc; echo ${a^^} ${a:1} ${a/b/'} x", "a=x; b=a; echo ${!b}",
    "echo ~+ | wc -l",
    "echo $? ; false; echo $?", "echo $(( 0x1f )) $[2*3]", "echo \"$(printf '%s' \"it's\")\"",
    "echo \"`echo \\\"q\\\"`\"",
    "echo $(cat <<< \"x y\")", "echo ${a:?unset}", "echo ${a:-`echo b`}", "IFS=,; a='1,2'; echo $a",
    "readonly r=1; r=2; echo no",
    "echo $LINENO\necho $LINENO", "f() { echo \"$1|$2\"; }; f 'a b' \"c'd\"", "echo {a,b}{1..3}", "echo {a,'b c'}",
    "echo [f]", "echo 'f'*",
    "echo ?", "shopt -s extglob\necho @(f|g)", "echo nothing-*", "declare -A m=([k]=v); echo ${m[k]}",
    "let 'a = 5'; echo $a",
    "echo $((a=3, a**2))", "((3 > 2)) && echo yes", "[[ \"it's\" == it?s ]] && echo match",
    "[[ a =~ ^(a|b)$ ]] && echo ${BASH_REMATCH[1]}",
]

SPECIALS = [
    "echo hi!", "echo 'hi!'", "echo \"hi!\"", "echo !!", "echo !-1 !x", "! true", "! false", "echo a; ! echo b",
    "echo ^a^b", "echo #no",
    "echo a#b # comment", "# only a comment", "echo a & wait", "echo a && echo b || echo c", "echo a; echo b;",
    "{ echo a; }", "(echo a; exit 3)",
    "echo a | cat | cat", "echo a |& cat", "echo a >out && cat out", "cat <f", "echo x >>out; cat out",
    "cat < <(echo sub)",
    "echo a 2>&1", "ls no-such 2>/dev/null; echo $?", "exec 3<f; cat <&3", "echo a >&2",
    "{ time -p true; } 2>/dev/null; echo t", "coproc cat; echo c",
    "if true; then echo y; fi", "for i in 1 2; do echo $i; done", "while read -r l; do echo \"[$l]\"; done <f",
    "case a in (a) echo A;; esac",
    "select_=1; echo $select_", "until true; do :; done; echo $?", "function g { echo g; }; g", "alias x=echo; x a",
    "echo a \\\n  b",
    "echo a \\", "echo a\\\nb", "echo ;", ";", "&&", "echo (", ")", "}", "fi", "do", "echo a; }", "|", "<", "<<",
    "echo <<<", "echo %s %d %%",
    "printf '%s\\n' %s", "echo -e 'a\\tb'", "echo -n a", "echo *", "echo =", "a==; echo $a", "a=b=c; echo $a",
    "echo a=b", "echo @ : , . / + -",
    "echo ~nobody-here", "echo 'a  b   c'", "echo a  b   c", "  echo leading blanks", "echo trailing blanks   ",
    "\techo tab", "echo a\tb",
    "\n\necho newlines before", "echo newlines behind\n\n\n", "echo a\n\necho b", "echo a\r", "echo 'a\rb'",
    "echo '\x0b\x0c|'", "echo '\x1b[31mred'",
    "echo '\x7f' | wc -c", "echo '\x01\x02' | wc -c", "a=1\nb=2\necho $((a+b))", "echo a;\n# c\necho b",
    "set -e; false; echo no", "set -u; echo $nope",
    "set -o pipefail; false | true; echo $?", "set -x; echo x", "exit 0", "exit 7", "exit 255", "exit 256", "exit -1",
    "return 3", "kill -TERM $$",
    "kill -KILL $$", "(kill -INT $BASHPID); echo $?", "false", "true", ":", "no-such-command-here",
    "/no/such/program", "./f", ". ./f; echo $?",
    "source no-such", "cd sub && pwd -P | sed 's,.*/,,'", "cd no-such",
    "pushd sub >/dev/null; popd >/dev/null; echo $?", "ulimit -c 0; echo $?",
    "umask 077; touch private; stat -c %a private; rm private", "echo a >&-", "exec 1>&-; echo a",
    "exec echo replaced", "command echo c", "builtin echo b",
    "type -t echo", "test -e f && echo there", "[ 1 -lt 2 ]; echo $?", "[ '(' = '(' ] && echo p", "wait; echo $?",
    "true &", "shopt -s nullglob; echo x*y*z",
]

DASHES = [
    "-x", "--help", "-", "--", "-c 'echo a'", "--version", "-- echo a", "-n", "--policy x", "--force", "-e 's/a/b/'",
    "---", "-\n", "- -", "-'", "--cwd=/",
]

HEREDOCS = [
    "cat <<E\nit's \"a\" $((1+1)) `echo b` \\$ \\\\\nE", "cat <<'E'\nit's $a `b` \\ \nE", 'cat <<"E"\n$a\nE',
    "cat <<\\E\n$a\nE", "cat <<-E\n\t\ttabs\n\tE",
    "cat <<E", "cat <<E\nno end", "cat <<A; cat <<B\na\nA\nb\nB", "cat <<A <<B\na\nA\nb\nB",
    "cat <<E | tr a-z A-Z\nit's\nE", "cat <<'it'\\''s'\nx\nit's",
    "cat <<E\n$(cat <<F\ninner\nF\n)\nE", "cat <<E >out && cat out\ntext\nE", "bash <<'E'\necho \"it's\"\nE",
    "cat <<< \"it's\"", "cat <<''\nempty\n\n",
    "cat <<E\nE", "cat <<E\n\nE", "cat <<E\nE \nE", "while read -r l; do echo \"$l\"; done <<E\na'b\nc\"d\nE",
    "cat <<E\n'\nE", "cat <<E\n''''\nE\necho after",
    "cat <<'EOF' | python3 -c 'import sys; print(len(sys.stdin.read()))'\nö'\"\\\nEOF",
    "python3 - <<'E'\nprint('it\\'s', \"q\")\nE", "cat <<E # it's\nx\nE",
]

TEXTS = [
    "echo \u00fc\u00f1\u00ed", "echo '\u4f60\u597d'", "echo \U0001f600 \"\U0001f469\u200d\U0001f680\"",
    "echo '\u202eevil'", "echo a\u0301", "echo '\u00a0'",
    "echo \u2018quoted\u2019 \u201ctoo\u201d", "echo '\ufeff' | wc -c", "echo '\u2028' | wc -c",
    "x=\u00e9; echo ${#x} >/dev/null; echo $x", "echo '\ufffd\uffff'",
    "echo \u00e9 | od -An -c | tr -d ' '", "mkdir -p \u00f6; ls -d \u00f6; rmdir \u00f6",
    "echo '\u0000'"[:6] + "zero'", "echo '" + "x" * 5000 + "' | wc -c",
    "echo " + "a' 'b' '" * 300 + "'' | wc -c", "echo " + "\\'" * 500 + " | wc -c",
    "echo " + "'\"'\"'" * 100 + " | wc -c",
    "\n".join("echo line%d" % i for i in range(200)), "echo '" + "\n" * 300 + "' | wc -l",
    "echo \"" + "\\\\" * 400 + "\" | wc -c",
    "x='" + "\u00fc" * 2000 + "'; echo ${#x} >/dev/null; printf %s \"$x\" | wc -c", "echo '" + "%s%n" * 50 + "'",
    "printf '%b' '\\0101\\n'",
]

COMMANDS = QUOTES + DOLLARS + SPECIALS + DASHES + HEREDOCS + TEXTS
