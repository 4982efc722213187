// Texts of commands that would notice if something were added to them, or if their shell ended otherwise than without state.
const traps = ['EXIT', '0', 'ERR', 'DEBUG', 'RETURN'].flatMap((name) => [
        `trap 'echo trap $?' ${name}; true`,
        `trap 'echo trap $?' ${name}; false`,
        `trap 'echo trap $?' ${name}; (exit 3); exit 4`,
        `trap 'echo trap $?; exit 7' ${name}; f() { return 2; }; f; echo after`,
        `trap 'echo trap $BASH_COMMAND $LINENO' ${name}\ntrue\nfalse`,
        `trap 'cd sub; export LEFT=1' ${name}; pwd; trap -p`,
        `trap - ${name}; trap -p; echo $?`,
]);

const ends = [
        'true', 'false', ':', '', ' ', '\n', '# a comment', 'echo x # a comment', 'echo x #', 'echo x\\', 'echo x;', 'echo x &&\ntrue',
        'exit', 'exit 0', 'exit 3', 'exit 256', 'exit -1', 'exit x', 'exit 1 2', '(exit 5)', '(exit 5); exit', '{ exit 6; }', 'false; exit',
        'exit 3 | exit 4', 'set -o pipefail; exit 3 | true', '! exit 3', '! false', 'echo $(exit 3) $?', 'x=$(exit 3)', 'x=$(exit 3); echo $?',
        'return', 'return 3', 'return 3; echo after', 'break', 'continue 2', 'f() { exit 4; }; f; echo after', 'f() { return 4; }; f',
        'eval "exit 5"', 'eval "return 5"', 'eval "("', 'source /dev/stdin <<<"exit 6"', 'source /nonexistent', '. ./nonexistent; echo $?',
        'exec true', 'exec false', 'exec echo x', 'exec /nonexistent', 'exec /nonexistent; echo after', 'shopt -s execfail; exec /nonexistent; echo $?',
        'exec', 'exec; echo after', 'exec -a name bash -c \'echo $0\'', 'exec -c env', 'cd sub; exec pwd', 'exec bash -c "exit 9"', '(exec false); echo $?',
        'exec </dev/null; cat; echo $?', 'exec >/dev/null; echo x', 'exec 2>&1; ls /nonexistent', 'exec 3>out; echo x >&3; cat out; exec 3>&-',
        'exec 1>&-; echo x; echo $? >&2', 'exec 0<&- 1>&- 2>&-; exit 3', 'exec {fd}</dev/null; echo $fd',
        'kill -9 $$', 'kill -TERM $$', 'kill -INT $$; echo after', 'kill -PIPE $$', 'kill -0 $$; echo $?', 'trap "echo t" TERM; kill -TERM $$; echo after',
        'trap "exit 8" TERM; kill -TERM $$; echo after', 'trap "" TERM; kill -TERM $$; echo after', '(kill -9 $BASHPID); echo $?',
        'bash -c \'kill -9 $$\'', 'trap "echo bye" EXIT; kill -TERM $$', 'yes | head -1', 'ulimit -f 0; echo x >out; echo $?',
];

const settings = [
        'set -e; false; echo after', 'set -e; true; echo after', 'set -e; false || true; echo after', 'set -e; f() { false; echo in; }; f; echo after',
        'set -e; (false); echo after', 'set -e; x=$(false); echo after', 'set -ee; trap "echo e $?" EXIT; false',
        'set -u; echo $UNSET_NAME; echo after', 'set -u; trap "echo e $?" EXIT; echo $UNSET_NAME', 'set -u; echo ${UNSET_NAME-x}', 'echo ${UNSET_NAME:?gone}; echo after',
        'set -x; echo x; cd sub', 'set -v\necho x', 'set -n\necho x', 'set -f; echo *', 'set -a; A=1; bash -c \'echo $A\'', 'set -t; echo x; echo y', 'set -C; echo x >out; echo $?',
        'set -T; trap "echo d" DEBUG; f() { :; }; f', 'set -E; trap "echo err" ERR; f() { false; }; f', 'set -o posix; echo $SHELLOPTS', 'set -P; cd sub; pwd',
        'echo $-', 'echo $SHELLOPTS', 'echo $BASHOPTS', 'shopt -s lastpipe; echo x | read -r a; echo $a', 'shopt -s extglob\necho !(x)', 'shopt -s expand_aliases\nalias e=echo\ne x',
        'shopt -p | head -5', 'set -o', 'enable -n echo; echo x', 'umask 077; umask', 'readonly A=1; A=2; echo after', 'readonly A=1; export A; echo $A',
        'declare -r A=1\nunset A\necho $?', 'hash -r; hash', 'jobs; sleep 0 & wait; echo $?', 'sleep 0 & wait $!; echo $?', 'coproc cat; echo $?; kill %1', 'set -m; sleep 0; echo $-',
];

const looks = [
        'echo $0', 'echo $#', 'echo "$@"', 'echo "$*" end', 'echo $LINENO', '\n\necho $LINENO', 'echo $BASH_COMMAND', 'echo "$BASH_EXECUTION_STRING"', 'echo $BASH_SUBSHELL',
        'echo ${#BASH_SOURCE[@]} ${#FUNCNAME[@]}', 'caller; echo $?', 'f() { caller 0; echo $LINENO; }\nf', 'declare -F', 'declare -f', 'alias', 'trap', 'trap -p', 'echo $SHLVL', 'echo $_',
        'true x; echo $_', 'echo $PWD $OLDPWD', 'cd sub; echo $PWD $OLDPWD; cd -', 'pwd; cd ..; cd - >/dev/null; pwd', 'echo $?', 'ls -1 /proc/self/fd | wc -l', 'ls /proc/$$/fd',
        'echo ${LD_PRELOAD-none}', 'declare -p LD_PRELOAD', 'compgen -v | grep -i -e preload -e bailey', 'tr "\\0" "\\n" </proc/$$/cmdline', 'tr "\\0" "\\n" </proc/self/cmdline',
        'export -p | wc -l', 'tr "\\0" "\\n" </proc/$$/environ | wc -l', 'bash -c \'tr "\\0" "\\n" </proc/$$/environ | wc -l\'', 'bash -c \'echo $0 $SHLVL\'', 'sh -c \'echo $0\'', 'command -v exit',
        'type execve exit', 'ps -o args= $$ 2>/dev/null | tail -1', 'history; echo $?', 'times >/dev/null; echo $?', 'echo "$BASH_ARGV0"', 'dirs', 'pushd sub; dirs; popd',
];

const words = [
        'cat <<E\nx\nE', 'cat <<E\nx', 'cat <<E\n$PWD\nE\n', 'cat <<\'E\'\n$x\nE', 'cat <<-E\n\tx\n\tE', 'cat <<A <<B\na\nA\nb\nB', 'cat <<<x', 'echo "$(cat <<E\nx\nE\n)"',
        'if', 'if true', 'for', 'case x in', 'echo "x', 'echo \'x', 'echo $(', 'echo ${', 'echo `', ')', '}', ';;', '&&', '| x', 'echo x; )', 'true\n)', 'echo x\nif\necho y', 'f() {', '((', '(( 1 + ))',
        '[[ x', '[[ x == ]]', 'echo $((1/0)); echo after', 'let 1/0; echo $?', 'nonexistent-program', 'nonexistent-program; echo $?', './sub', '/', '\\', '"', '!', '{', '{ echo x; }', '(echo x)',
        'TIMEFORMAT=x; time true', 'echo {a,b}{1,2}', 'echo ~+ ~-', 'a=(1 2); export a; echo ${a[1]}', 'declare -A a=([x]=1); export a; echo ${a[x]}', 'declare -n r=x; x=1; export r; echo $r',
        'export A=1; unset A', 'export -n PATH; echo ok', 'unset PATH; echo ok', 'unset HOME; cd; echo $?', 'export A=$\'a\\nb\'', 'export A=$\'\\xff\'', 'A=1 true', 'A=1 eval exit 3', 'A=1 exec true',
        'f() { local -x L=1; exit 3; }; f', 'export -f nothing; echo $?', 'f() { :; }; export -f f; bash -c "type -t f"', 'printf -v A x; export A', 'read -r a; echo $? "$a"', 'mapfile a; echo ${#a[@]}',
        'mkdir d; cd d; rmdir ../d; pwd; echo $?', 'mkdir d; cd d; rmdir ../d; exit 3', 'cd /; pwd', 'cd sub/..; pwd', 'cd nonexistent; pwd', 'ulimit -n 3; exit 3', 'ulimit -v 200000; exit 3',
        'echo x >&2; echo y', 'echo x | cat >&2', 'for i in 1 2 3; do echo $i; done', 'select x in a; do echo $x; done </dev/null; echo $?', 'printf "no newline"', 'printf "a\\0b"', 'echo -e "\\xff"',
];

export const texts = [...traps, ...ends, ...settings, ...looks, ...words];
