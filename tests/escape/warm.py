#!/usr/bin/env python3
"""warm.py BAILEY FLAG... COMMAND: as `bailey run`, but by a call to an MCP server, in a sandbox that was ready before. For lib.sh.

Prints the output and ends with the status of the command. WARM_LOG says afterwards whether the sandbox was one that was ready.
With --before COMMAND, which may be given several times, the server runs that first, and no sandbox is waited for.
"""
import json
import os
import re
import subprocess
import sys
import time

START = 'read -r started </proc/1/stat; set -- ${started##*) }; echo "STARTED ${20}"; set --; unset started\n'
PATIENCE = 60  # seconds for a sandbox to be ready
LOOK = 0.02  # seconds between looks at all processes: each takes a while
GRACE = 3  # seconds for somebody to begin to make one; where there can be none, that is all that is lost


def take_apart(words):
    """What is said to a server when it starts, and with each call."""
    flags, more, before = [], {}, []
    words = iter(words)
    for word in words:
        if word in ('--timeout', '--cwd'):
            value = next(words)
            more[word[2:]] = int(value) if word == '--timeout' else value
        elif word == '--before':
            before.append(next(words))
        else:
            flags.append(word)
    return flags, more, before


def contents(path):
    """Of a file of a process; nothing, if that has ended."""
    try:
        with open(path, 'rb', buffering=0) as file:
            return file.read()
    except OSError:
        return b''


class Server:
    def __init__(self, bailey, flags):
        # Some attacks kill bailey, and mean the server.
        self.process = subprocess.Popen(['setpriv', '--pdeathsig', 'KILL', bailey, 'mcp', *flags, '--set', 'run.output_bytes=4MiB'],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
        self.count = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({'jsonrpc': '2.0', **message}).encode() + b'\n')
        self.process.stdin.flush()

    def ask(self, method, params):
        self.count += 1
        self.send({'id': self.count, 'method': method, 'params': params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError
            answer = json.loads(line)
            if answer.get('id') == self.count:
                return answer['result']

    def begin(self):
        self.ask('initialize', {'protocolVersion': '2025-11-25', 'capabilities': {}, 'clientInfo': {'name': 'escape', 'version': '1'}})
        self.send({'method': 'notifications/initialized'})

    def bash(self, command, **more):
        return self.ask('tools/call', {'name': 'Bash', 'arguments': {'command': command, 'description': 'an attack', **more}})

    def family(self):
        """Its children, one of which makes sandboxes, and shells that wait: each is a child of the first process of a sandbox."""
        parents = {}
        for entry in filter(str.isdigit, os.listdir('/proc')):
            if stat := contents(f'/proc/{entry}/stat'):
                parents[int(entry)] = int(stat.rpartition(b')')[2].split()[1])
        children = [pid for pid, parent in parents.items() if parent == self.process.pid]
        return children, [pid for pid, parent in parents.items()
                          if parent in children and contents(f'/proc/{pid}/cmdline') == b'bash\0-c\0:\0']

    def end(self):
        self.process.stdin.close()
        try:
            return self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return -1


def now():
    """As processes' starts are counted."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf('SC_CLK_TCK'))


def wait_for_sandbox(server):
    begun = time.monotonic()
    children, sandboxes = server.family()
    while not sandboxes and time.monotonic() - begun < (PATIENCE if children else GRACE):
        time.sleep(LOOK)
        children, sandboxes = server.family()
    tick = now()
    while now() <= tick + 1:
        time.sleep(LOOK)


def note(text):
    if 'WARM_LOG' in os.environ:
        with open(os.environ['WARM_LOG'], 'a', encoding='ascii') as log:
            log.write(text + '\n')


def show(result, ready):
    """What a person would see of it. A secret that was taken out of the output was in it."""
    content = result.get('structuredContent') or {}
    output = content.get('output', '')
    started = re.search(r'^STARTED (\d+)\n', output, re.M)
    if started:
        note('warm' if int(started[1]) < ready else 'cold')
        output = output.replace(started[0], '', 1)
    output = re.sub(r'\[(?:redacted|REDACTED)[^]]*\]', 'CANARY', output)
    if 'exit_code' not in content:
        output += ''.join(part.get('text', '') for part in result.get('content', []))
    for line in [output, content.get('message') or '']:
        sys.stdout.write(line if not line or line.endswith('\n') else line + '\n')
    return content.get('exit_code', 125)


def main():
    flags, more, before = take_apart(sys.argv[2:-1])
    server = Server(sys.argv[1], flags)
    try:
        server.begin()
    except (EOFError, BrokenPipeError):
        print('the server did not start:', server.end())
        return 125
    try:
        first = [server.bash(command) for command in before or ['true']][0]
        if not before and (first.get('structuredContent') or {}).get('exit_code') == 0:
            wait_for_sandbox(server)
        ready = now()
        status = show(server.bash(START + sys.argv[-1], **more), ready)
    except (EOFError, BrokenPipeError):
        print('SERVER DIED')
        return 1
    code = server.end()
    if code != 0:
        print('SERVER DIED', code)
    return status


sys.exit(main())
