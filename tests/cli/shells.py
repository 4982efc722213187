"""Real shells, asked what they would complete: bash and zsh at a terminal, fish by its own command for that.

Each has ask(line) -> (the candidates, the line as it stands after a TAB). Fish leaves the line alone.
"""

import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli", "shells")
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"  # completes the arguments of a program, if it is there
PATIENCE = 60  # seconds
MARK = b"\1"  # stands behind all that was shown: a terminal may be slower than a file

BASH = r"""
PS1= HISTFILE=
set +o history
for line in 'set show-all-if-ambiguous on' 'set completion-query-items 0' 'set page-completions off' 'set bell-style none' \
        'set completion-display-width 1' 'set enable-bracketed-paste off' '"\C-xc": complete' '"\C-xt": "\C-xc\C-xd"'; do
        bind "$line"
done
answer() { printf '%s' "$READLINE_LINE" >"$ANSWER.new" && mv "$ANSWER.new" "$ANSWER" && printf '\001'; }
bind -x '"\C-xd": answer'
"""

# Matches are taken where they are made, and not from the screen.
ZSH = r"""
PS1= LISTMAX=100000 HISTFILE=
setopt no_auto_menu no_beep
zstyle ':completion:*' menu no
compadd() {
        local -a hits
        if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
                builtin compadd -A hits "$@"
                if (($#hits)); then print -rl -- $hits >>$ANSWER.hits; fi
        fi
        builtin compadd "$@"
}
answer() {
        zle expand-or-complete
        print -rn -- $BUFFER >$ANSWER.new
        mv $ANSWER.new $ANSWER
        print -n '\001'
}
zle -N answer
bindkey '^Xt' answer
"""


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Terminal:
    """A shell at a terminal of its own. `prepare` is what it is told first."""

    def __init__(self, argv, prepare, directory, environment):
        own = tempfile.mkdtemp(dir=environment["HOME"])
        self.answer, script = os.path.join(own, "answer"), os.path.join(own, "prepare")
        with open(script, "w", encoding="utf-8") as file:
            file.write(prepare + '\nprintf ready >"$ANSWER"; printf "\\001"\n')
        environment = dict(environment, ANSWER=self.answer, TERM="dumb", INPUTRC="/dev/null")
        self.process, self.fd = pty.fork()
        if self.process == 0:
            os.chdir(directory)
            os.execvpe(argv[0], argv, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, 200, 0, 0))
        os.write(self.fd, b" source %s\n" % shlex.quote(script).encode())
        self.wait()

    def wait(self):
        """What was shown until the answer came."""
        shown, end = b"", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.02)[0]:
                shown += os.read(self.fd, 65536)
            elif MARK in shown and os.path.exists(self.answer):
                return shown.replace(MARK, b"").decode("utf-8", "replace")
        raise TimeoutError("no answer from the shell; it showed %r" % shown)

    def press(self, line):
        if os.path.exists(self.answer):
            os.unlink(self.answer)
        os.write(self.fd, line.encode() + b"\x18t")
        shown = self.wait()
        after = read_file(self.answer)
        os.write(self.fd, b"\x15")
        return shown, after

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.fd)


class Bash(Terminal):
    def __init__(self, directory, environment, load=None):
        load = load or "source %s; source %s" % (BASH_COMPLETION, shlex.quote(os.path.join(SCRIPTS, "bailey.bash")))
        super().__init__(["bash", "--norc", "--noprofile", "-i"], BASH + load, directory, environment)

    def ask(self, line):
        shown, after = self.press(line)
        shown = [text.strip() for text in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).splitlines()]
        listed = {text for text in shown if text and not text.startswith("bailey")}
        if not listed and after != line:
            listed = {re.split(r"[ =:]", after.rstrip(" "))[-1]}
        return listed, after


class Zsh(Terminal):
    def __init__(self, directory, environment, load=None):
        load = load or "fpath=(%s $fpath); autoload -Uz compinit; compinit -D -u" % shlex.quote(SCRIPTS)
        super().__init__(["zsh", "-f", "-i"], ZSH + load, directory, environment)

    def ask(self, line):
        hits = self.answer + ".hits"
        if os.path.exists(hits):
            os.unlink(hits)
        _, after = self.press(line)
        return set(read_file(hits).splitlines()) if os.path.exists(hits) else set(), after


class Fish:
    def __init__(self, directory, environment, load=None):
        self.load = load or "source " + shlex.quote(os.path.join(SCRIPTS, "bailey.fish"))
        self.directory, self.environment = directory, environment

    def ask(self, line):
        command = "%s; complete -C %s" % (self.load, "'%s'" % line.replace("\\", "\\\\").replace("'", "\\'"))
        said = subprocess.run(["fish", "--no-config", "-c", command], cwd=self.directory, env=self.environment, check=True,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        return {text.split("\t")[0] for text in said.stdout.splitlines()}, line

    def close(self):
        pass


SHELLS = {"bash": Bash, "zsh": Zsh, "fish": Fish}


def is_there(name):
    return shutil.which(name) is not None
