#!/usr/bin/env bats
# bailey run at a terminal: the command has one of its own.
# shellcheck disable=SC2016,SC2154 # the command is for bailey, which only reads; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

# python < CODE: with terminal.py, where bailey() is the program
python() {
        {
                echo 'from terminal import *'
                cat
        } | "${clean[@]}" TERM=xterm BAILEY="$BAILEY" PYTHONPATH="$BATS_TEST_DIRNAME" PYTHONDONTWRITEBYTECODE=1 python3 - "$@"
}

# ---- tmux ----

tm() {
        tmux -S ../tmux "$@"
}

screen() {
        tm capture-pane -p
}

teardown() {
        tm kill-server 2>/dev/null || true
}

# at_shell COLUMNS ROWS: a shell at a terminal
at_shell() {
        # shellcheck disable=SC2230 # the program, not what bats has
        command -v tmux >/dev/null || skip 'no tmux'
        tm -f /dev/null new-session -d -x "$1" -y "$2" "${clean[@]}" TERM=screen PS1='out> ' BAILEY="$BAILEY" bash --norc --noprofile
        at_prompt
}

on_screen() {
        screen | grep -qE -- "$1"
}

# shows REGEX: on a line of the screen
shows() {
        eventually on_screen "$1" || {
                screen
                return 1
        }
}

last_on_screen() {
        screen | grep . | tail -n 1 | grep -qE -- "$1"
}

# at REGEX: the last line of the screen is a prompt, and what was typed before is done. What is typed earlier goes to the program that ends,
# as with ssh; and a key such as Ctrl-D means nothing to a program that only then makes its terminal raw.
at() {
        eventually last_on_screen "$1" || {
                screen
                return 1
        }
}

at_prompt() {
        at '^out>$'
}

keys() {
        tm send-keys "$@"
}

needs() {
        command -v "$1" >/dev/null || skip "no $1"
}

# ---- whole programs ----

@test "a shell has jobs, Ctrl-Z and Ctrl-C; the size follows" {
        at_shell 90 24
        # A job that says when it is in the foreground: a key that comes before is for the shell.
        cat >job <<'END'
trap 'echo went on' CONT
echo begun
while :; do
        sleep 0.05
done
END
        keys '"$BAILEY" run -t 0 -- env PS1="in> " bash --norc --noprofile -i' Enter
        at '^in>$'
        keys 'tty; stty size' Enter
        shows '^/dev/pts/0'
        shows '^24 90'
        at '^in>$'
        keys 'sh job' Enter
        shows '^begun'
        keys C-z
        shows 'Stopped .*sh job'
        at '^in>$'
        keys 'fg' Enter
        shows '^went on'
        keys C-c
        at '^in>$'
        keys 'echo status $?' Enter
        shows '^status 130'
        at '^in>$'
        tm resize-window -x 70 -y 20
        keys 'until [ "$(stty size)" = "20 70" ]; do sleep 0.1; done; echo resized' Enter # tmux takes its time
        shows '^resized'
        at '^in>$'
        keys 'exit 3' Enter
        at_prompt
        keys 'echo left $?; stty -a | grep -ow -e -icanon -e icanon' Enter
        shows '^left 3'
        shows '^icanon'
}

@test "vim edits a file" {
        needs vim
        at_shell 80 24
        keys '"$BAILEY" run -t 0 -- vim -u NONE file' Enter
        shows '^~$'
        keys 'ifirst' Enter 'second' Escape
        shows '^second'
        keys ':wq' Enter
        at_prompt
        [ "$(cat file)" = $'first\nsecond' ]
        # The screen is as it was: vim has left the other one.
        run ! on_screen '^second'
}

@test "a python that is talked to, top, less" {
        needs less
        at_shell 80 24
        keys '"$BAILEY" run -t 0 -- python3 -q' Enter
        at '^>>>$'
        keys '6 * 7' Enter
        shows '^42'
        at '^>>>$'
        keys 'int(input("more? ")) + 1' Enter
        shows '^more\?'
        keys '41000' Enter
        shows '^41001'
        at '^>>>$'
        keys C-d
        at_prompt
        keys 'clear; "$BAILEY" run -t 0 top' Enter
        shows 'PID +USER'
        keys q
        at_prompt
        keys 'clear; "$BAILEY" run "seq 1000 | less"' Enter
        shows '^20$'
        keys G
        shows '^1000$'
        keys q
        at_prompt
        keys 'clear; echo done' Enter
        shows '^done'
        keys 'stty -a | grep -ow -e -icanon -e icanon' Enter
        shows '^icanon'
}

# ---- what the command has ----

@test "the terminal is its controlling terminal, by all names" {
        for backend in native bwrap landlock; do
                python $backend <<'END'
t = Terminal(bailey("--backend", sys.argv[1], "--", "python3", "-c", """
import os, termios
for fd in range(3):
    assert os.isatty(fd), fd
for name in "/dev/tty", "/proc/self/fd/0", "/dev/stderr":
    fd = os.open(name, os.O_RDWR)
    termios.tcsetattr(fd, termios.TCSADRAIN, termios.tcgetattr(fd))
assert os.ttyname(0).startswith("/dev/pts/")
assert os.getsid(0) == os.getpid() and os.tcgetpgrp(0) == os.getpgrp()
print("size", *os.get_terminal_size(0))
"""), rows=33, columns=101)
t.wait_for("size 101 33")
check(t.end() == 0, t.seen)
t.assert_restored()
END
        done
}

@test "keys arrive as bytes: a program in raw mode" {
        for backend in native bwrap landlock; do
                python $backend <<'END'
t = Terminal(bailey("--backend", sys.argv[1], "--", "python3", "-c", """
import os, tty
tty.setraw(0)
print("ready", flush=True)
got = b""
while not got.endswith(b"q"):
    got += os.read(0, 100)
print(got.hex())
"""))
t.wait_for("ready")
sent = bytes(range(1, 32)) + b"\x7f\x1b[A\xc3\xa4\xff" + b"q"
t.type(sent)
t.wait_for(sent.hex())
check(t.end() == 0, t.seen)
t.assert_restored()
END
        done
}

@test "a resize reaches the program" {
        python <<'END'
t = Terminal(bailey("--", "python3", "-c", """
import os, signal
signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b"resized %d %d " % tuple(os.get_terminal_size(0))))
print("ready", flush=True)
while True:
    signal.pause()
"""))
t.wait_for("ready")
t.resize(50, 132)
t.wait_for("resized 132 50 ")
t.type("\x03")
check(t.end() == 130, t.seen)
END
}

@test "Ctrl-C and Ctrl-\\ end a command, inside" {
        python <<'END'
for key, status in ("\x03", 130), ("\x1c", 131):
    t = Terminal(bailey("exec sh -c 'echo ready; exec sleep 1000'"))  # bash itself ignores SIGQUIT
    t.wait_for("ready")
    t.wait_raw(True)
    t.type(key)
    check(t.end() == status, status, t.seen)
    t.assert_restored()
END
}

# ---- however it ends ----

@test "the terminal is restored after signals to bailey, and to the command" {
        python <<'END'
shown = r"printf '\e[?1049h\e[?1000h\e[?25l'; exec sh -c 'echo ready; exec sleep 1000'"
undone = b"\x1b[?1049l\x1b[?25h\x1b[?1000l"
for number, status in (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGQUIT, 131):
    t = Terminal(bailey("-t", "0", shown))
    t.wait_for("ready")
    t.wait_raw(True)
    os.kill(t.pid, number)
    check(t.end() == status, number, t.seen)
    t.assert_restored()
    t.wait_for(undone)
t = Terminal(bailey("-t", "0", shown.replace("sleep 1000", "kill -9 $$")))
check(t.end() == 137, t.seen)
t.assert_restored()
t.wait_for(undone)
for seconds in "1", "4", "16", "64": # until it is enough for the command to begin
    t = Terminal(bailey("-t", seconds, shown))
    check(t.end() == 124, t.seen)
    t.assert_restored()
    if b"ready" in t.seen:
        break
t.wait_for(undone)
# Killed itself: what it has left behind restores it.
t = Terminal(bailey("-t", "0", shown))
t.wait_for("ready")
t.wait_raw(True)
os.kill(t.pid, signal.SIGKILL)
check(t.end() == 137, t.seen)
t.wait_raw(False)
t.assert_restored()
t.wait_for(undone)
# A command that is refused, or cannot be found, or has ended before anything was typed.
for arguments, status in (["rm -rf /"], 126), (["--", "no-such-program"], 127), (["true"], 0):
    t = Terminal(bailey(*arguments))
    check(t.end() == status, t.seen)
    t.assert_restored()
END
}

@test "bailey can be stopped, and continues" {
        python <<'END'
import subprocess
t = Terminal(["bash", "--norc", "-i"])
t.type('"$BAILEY" run -t 0 -- cat\n')
t.type("echo\n")
t.wait_for("echo\r\necho\r\n")
t.wait_raw(True)
os.kill(int(subprocess.check_output(["pgrep", "-P", str(t.pid)])), signal.SIGTSTP)
t.wait_for("Stopped")
t.type("stty -a | grep -ow -e -icanon -e icanon\n") # readline has the terminal before and after it
t.wait_for("\r\n")
t.wait_for("icanon\r\n")
t.type("fg\n")
t.wait_for("run -t 0 -- cat")
t.type("more\n")
t.wait_for("more\r\nmore\r\n")
t.type("\x04")
t.wait_for("\x1b[?2004h") # what comes before is for cat
t.type("exit 5\n")
check(t.end() == 5, t.seen)
END
}

# ---- when there is one ----

@test "--tty, --no-tty, and what is the default" {
        echo 'test -t 0; i=$?; test -t 1; o=$?; test -t 2; echo $i$o$?' >kinds # 0: a terminal
        python <<'END'
def kinds(*arguments, replace=None):
    t = Terminal(bailey(*arguments, "bash kinds"), replace=replace)
    check(t.end() == 0, t.seen)
    t.assert_restored()
    return t.seen.decode().strip()


null = os.open("/dev/null", os.O_RDWR)
file = os.open("out", os.O_RDWR | os.O_CREAT, 0o600)


def from_file(*arguments, replace):
    os.truncate("out", 0)
    os.lseek(file, 0, os.SEEK_SET)
    kinds(*arguments, replace=replace)
    return open("out").read().strip()


check(kinds() == "000")
check(kinds("--no-tty") == "111")
check(kinds("--json")[:1] == "{")
# One of them is none: as without a terminal, unless asked for.
check(kinds(replace={0: null}) == "111")
check(from_file(replace={1: file}) == "111")
check("000" in kinds("--tty", replace={0: null}))
check(from_file("--tty", replace={1: file}) == "000")
# An stderr that goes elsewhere still does.
check(kinds(replace={2: file}) == "001")
check(kinds("--tty", replace={2: null}) == "001")
END
        run bailey run --tty --json true
        [ "$status" = 125 ]
        [[ $output == *'--tty cannot be combined with --json'* ]]
        run bailey run --tty --no-tty true
        [ "$status" = 125 ]
}

# shown ARGUMENT...: without the Ctrl-D that the terminal echoes
shown() {
        bailey run --tty "$@" | sed 's/\^D\x08\x08//g' | tr -d '\r'
}

@test "--tty without a terminal: input that ends is typed as Ctrl-D" {
        for backend in native bwrap landlock; do
                [ "$(printf 'one\ntwo' | shown --backend $backend 'cat >got; cat got; rm got')" = $'one\ntwoone\ntwo' ] # echoed, and printed
                run -7 bailey run --backend $backend --tty 'read -r x; exit 7' </dev/null
                [ "$(shown --backend $backend 'stty size' </dev/null)" = '24 80' ]
        done
        # All of it is shown before the end.
        [ "$(shown 'seq 100000' </dev/null | cmp - <(seq 100000) && echo same)" = same ]
}

@test "a backend without terminals says so, if one is asked for" {
        run bailey run --backend sandbox-exec --tty true </dev/null
        [ "$status" = 125 ]
}

# ---- attacks ----

@test "a command reaches no other terminal" {
        for backend in native bwrap landlock; do
                cp "$BATS_TEST_DIRNAME/tty_attacks.py" .
                python $backend <<'END'
master, slave = pty.openpty() # another one of this user
attack = ["env", "CALLER=" + os.ttyname(slave), "python3", "tty_attacks.py"]
t = Terminal(attack) # they do work
check(t.end() == 0, t.seen)
check(b"worked: " + os.ttyname(slave).encode() in t.seen, t.seen)
t = Terminal(bailey("--backend", sys.argv[1], "--", *attack))
check(t.end() == 0, t.seen)
check(b"worked" not in t.seen, t.seen)
check(b"own terminal: True True" in t.seen, t.seen)
t.assert_restored()
END
        done
}

@test "what is typed after the end is for the next one" {
        python <<'END'
t = Terminal(["bash", "--norc", "-c", '"$BAILEY" run "(sleep 1000 </dev/tty &) ; echo ready; sleep 1"; read -r line; echo "outside: $line"'])
t.wait_for("ready")
t.wait_raw(False)
t.type("secret\n")
t.wait_for("outside: secret")
check(t.end() == 0, t.seen)
END
}

@test "sequences that answer back, set the clipboard or print do not come through" {
        cat >attack.py <<'END'
import os, time
for chunk in (
    b"begin\x1b]52;c;cm0gLXJmIH4K\x07\x1b]0;title\x07\x1b[21t\x1b[20t\x05\x1bZ\x1b[5i\x1b[?5i",
    b"\x1b]5", b"2;c;eA=", b"=\x1b", b"\\\x1bP$q", b"m\x1b\\\x1b_G\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\",
    b"\x9b5i\xc2\x9b5i\xc2\x9d52;c;eA==\xc2\x9c\xff\xfe\xc2", b"\x9b21t",
    b"\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\\x1b]1337;File=:QQ==\x07\x1b]8;;file:///x\x07\x1b%@\x1b[1;1;1;1;9;9*y",
    b"\x1b[6n\x1b[31mred\x1b[m\x1b[?2004h\x1b[?2004lend\n",
):
    os.write(1, chunk)
    time.sleep(0.05)
END
        python <<'END'
t = Terminal(bailey("--", "python3", "attack.py"))
check(t.end() == 0, t.seen)
fffd = "\ufffd".encode()
check(t.seen == b"begin\x1b]0;title\x1b\\" + fffd + b"5i" + fffd + fffd + b"\x1b[6n\x1b[31mred\x1b[m\x1b[?2004h\x1b[?2004lend\r\n", t.seen)
END
}

@test "a sequence without an end shows nothing, and what comes after it does" {
        python <<'END'
t = Terminal(bailey("-t", "0", r"printf '\e]52;c;'; head -c 64M /dev/zero | tr '\0' A; printf '\aend\n'"))
check(t.end() == 0)
check(t.seen == b"end\r\n", t.seen[:100])
END
}

@test "no input of the caller's terminal, nor its terminal, without one of its own" {
        python <<'END'
t = Terminal(bailey("--no-tty", "cat; echo end; test -e /dev/tty && (: </dev/tty) && echo reached"))
t.wait_for("end")
t.type("x\n")
check(t.end() != 0, t.seen)
check(b"reached" not in t.seen, t.seen)
END
}
