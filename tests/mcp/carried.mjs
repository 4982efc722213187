// The state of a session: what commands leave for the next ones, what they cannot leave, and that nothing else changes by it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { texts } from './carried_texts.mjs';
import * as processes from './processes.mjs';
import { bailey, FIRST, place, serve, shipped, text } from './server.mjs';
import { assert, figure, run, test } from './tap.mjs';

const CALLS = Number(process.env.TEST_CALLS ?? 400);
const GROWTH = 8 << 10; // KiB; of an allocator that is not in its place yet
const SIZES = { fields: 1000, value: 40_000 };

const unguarded = ['--backend', 'native', '--set', 'guard.mode=off'];

function prepare(made) {
        fs.mkdirSync(path.join(made.workspace, 'sub/deep'), { recursive: true });
        return { args: unguarded };
}

const state = (name, body, more = {}) => test(`carried: ${name}`, () => serve({ prepare, ...more }, body));

// gives(SERVER, COMMAND, OUTPUT): the whole answer
async function gives(server, command, output, more) {
        const { structuredContent: answer } = await server.bash(command, more);

        assert.equal(answer.output.trim(), output, JSON.stringify(answer));
        return answer;
}

// leaves(SERVER, COMMAND, CWD): the answer, and where the next one starts
async function leaves(server, command, cwd, more) {
        const { structuredContent: answer } = await server.bash(command, more);

        assert.equal(answer.cwd, cwd, JSON.stringify(answer));
        return answer;
}

state('the directory and exported variables', async (server, { workspace }) => {
        const sub = path.join(workspace, 'sub');

        await leaves(server, 'pwd', workspace);
        await leaves(server, 'cd sub; export A=1 B="x  y"; C=3; f() { :; }; alias l=ls; set -f', sub);
        await gives(server, 'pwd; echo "$A|$B|$C|$-"; type -t f l; bash -c \'echo $A\'', `${sub}\n1|x  y||hBc\n1`);
        await leaves(server, 'cd deep; unset A; export B=', path.join(sub, 'deep'));
        await gives(server, 'pwd; echo "${A-unset}|${B-unset}"', `${path.join(sub, 'deep')}\nunset|`);
        await leaves(server, 'cd ../..; unset B', workspace);
        await gives(server, 'cd sub; exec pwd', sub);
        await gives(server, 'export D=$\'a\\nb\\xff\' E="é="; pwd', sub);
        await gives(server, 'printf %s "$D$E" | od -An -tx1', '61 0a 62 ff c3 a9 3d');
        await leaves(server, `cd '${workspace}'`, workspace);
});

state('a name of one command, a local variable and a subshell leave nothing', async (server, { workspace }) => {
        await leaves(server, 'A=1 bash -c true; B=2 eval exit', workspace);
        await leaves(server, 'f() { local -x L=1; cd sub; cd ..; exit; }; f', workspace);
        await leaves(server, '(cd sub; export S=1); export T=1 | cat; { export U=1; cd sub; } & wait', workspace);
        await leaves(server, 'V=1 exec true', workspace);
        await gives(server, 'echo "[$A$B$L$S$T$U$V]"', '[]');
});

for (const [name, end] of Object.entries({
        exit: 'exit 3', trap: 'trap "echo bye" EXIT; false', 'set -e': 'set -e; false', exec: 'exec false', syntax: 'false\nif', 'set -u': 'set -u; : $UNSET_NAME',
        'a here-document': 'false <<E\nx\nE', 'a comment': 'false # x', 'a failed exec': 'exec /nonexistent' }))
        state(`left by ${name}`, async (server, { workspace }) => {
                const answer = await leaves(server, `cd sub; export A=1; ${end}`, path.join(workspace, 'sub'));

                assert.notEqual(answer.exit_code, 0);
                await gives(server, 'echo $A', '1');
        });

state('killed, out of time and in the background: nothing is left', async (server, { workspace }) => {
        await leaves(server, 'cd sub; export A=1; kill -9 $$', workspace);
        await leaves(server, 'cd sub; export A=1; kill -TERM $$', workspace);
        await leaves(server, 'cd sub; export A=1; while :; do :; done', workspace, { timeout: 1 });
        await leaves(server, 'cd sub; export A=1', path.join(workspace, 'sub'));
        const shell = await server.background('pwd; echo $A; cd deep; export A=2');
        assert.equal((await server.ended(shell)).status, 'completed (exit 0)');
        assert.equal((await server.output(shell, { since: FIRST })).stdout, `${path.join(workspace, 'sub')}\n1\n`);
        await gives(server, 'pwd; echo $A', `${path.join(workspace, 'sub')}\n1`);
});

state('fresh, cwd, and several at once', async (server, { workspace }) => {
        const sub = path.join(workspace, 'sub');

        await leaves(server, 'cd sub; export A=1', sub);
        await gives(server, 'pwd', path.join(sub, 'deep'), { cwd: 'sub/deep' });
        await gives(server, 'pwd; echo $A', `${sub}\n1`);
        await leaves(server, 'echo "[$A]"; pwd; export B=1', workspace, { fresh: true });
        await gives(server, 'echo "[$A$B]"; pwd', `[1]\n${workspace}`);
        const last = server.bash('export C=1; until [ -e go ]; do :; done; cd sub');
        await leaves(server, 'export C=2 D=2', workspace);
        fs.writeFileSync(path.join(workspace, 'go'), '');
        await last;
        await gives(server, 'echo $C $D; pwd', `1 2\n${sub}`);
});

state('the config turns it off', async (server, { workspace }) => {
        await leaves(server, 'cd sub; export A=1', workspace);
        await gives(server, 'echo "[$A]"; pwd', `[]\n${workspace}`);
}, { prepare: (made) => ({ args: [...prepare(made).args, '--set', 'run.state=command'] }) });

state('where the sandbox cannot tell, it is said once', async (server, { workspace }) => {
        const answer = await leaves(server, 'cd sub; export A=1', workspace);

        assert.match(answer.warnings.join('\n'), /landlock does not tell what a command leaves/);
        assert.doesNotMatch((await gives(server, 'echo "[$A]"; pwd', `[]\n${workspace}`)).warnings.join('\n'), /leaves/);
}, { prepare: (made) => ({ args: [...prepare(made).args, '--backend', 'landlock', '--set', 'sandbox.protect_workspace=false'] }) });

state('the guard starts from it', async (server, { workspace }) => {
        await server.bash('export D=/ R="rm -rf"; cd sub');
        assert.equal((await server.bash('$R "$D"')).structuredContent.status, 'refused');
        await server.bash('export D=deep');
        assert.equal((await server.bash('$R "$D"')).structuredContent.status, 'completed');
        assert.equal(fs.existsSync(path.join(workspace, 'sub/deep')), false);
}, { prepare: (made) => ({ args: prepare(made).args.slice(0, 2) }) });

// ---- attacks ----

state('what makes programs run code, looks like a secret or is the shell\'s own is not kept', async (server) => {
        const names = ['LD_PRELOAD', 'LD_LIBRARY_PATH', 'BASH_ENV', 'ENV', 'IFS', 'PS4', 'PROMPT_COMMAND', 'GIT_SSH_COMMAND', 'NODE_OPTIONS', 'API_TOKEN', 'https_proxy', 'HOME',
                'CDPATH', 'GLOBIGNORE', 'POSIXLY_CORRECT', 'BASH_COMPAT', 'TMPDIR', 'GCONV_PATH', 'GLIBC_TUNABLES', 'LD_AUDIT', 'LOCPATH', 'PYTHONPATH', 'PERL5OPT', 'GIT_DIR',
                'GIT_CONFIG_COUNT', 'GIT_CONFIG_GLOBAL', 'BASH_LOADABLES_PATH', 'PS1', 'PAGER', 'EDITOR', 'MAKEFLAGS'];
        const before = await server.bash(`for n in ${names.join(' ')}; do echo "$n \${!n-unset}"; done`);
        const answer = (await server.bash(`export ${names.map((name) => `${name}=/evil`).join(' ')}; f() { :; }; export -f f; set -x; export SHELLOPTS`)).structuredContent;
        const told = answer.warnings.find((warning) => warning.startsWith('not kept for the next command: '));

        for (const name of names)
                if (name !== 'https_proxy')
                        assert.ok(told?.includes(`${name} (`) || / more$/.test(told), `${name}: ${told}`);
        const after = await server.bash(`for n in ${names.join(' ')}; do echo "$n \${!n-unset}"; done`);
        assert.equal(after.structuredContent.output.replace('https_proxy /evil', 'https_proxy unset'), before.structuredContent.output);
        await gives(server, 'type -t f; echo $-', 'hBc');
});

state('PATH', async (server, { workspace }) => {
        const old = (await server.bash('echo "$PATH"')).structuredContent.output.trim();

        for (const bad of ['.', '', 'sub', '/tmp', '/tmp/x', '/dev/shm', '/proc/self/cwd', `${workspace}/../x`, '//tmp', '/./tmp'])
                for (const value of [`${bad}:$PATH`, `$PATH:${bad}`]) {
                        const { warnings } = (await server.bash(`export PATH="${value}"`)).structuredContent;

                        assert.match(warnings.join('\n'), /not kept for the next command: PATH /, value);
                }
        await gives(server, 'echo "$PATH"', old);
        fs.mkdirSync(path.join(workspace, 'venv/bin'), { recursive: true });
        fs.writeFileSync(path.join(workspace, 'venv/bin/tool'), '#!/bin/sh\necho tool\n', { mode: 0o755 });
        const { warnings } = (await server.bash(`export PATH="$PWD/venv/bin:$PATH" VIRTUAL_ENV="$PWD/venv"`)).structuredContent;
        assert.deepEqual(warnings, [`the next commands also find programs in ${workspace}/venv/bin: PATH is kept`]);
        await gives(server, 'tool; echo "$VIRTUAL_ENV"', `tool\n${workspace}/venv`);
});

state('a directory that is outside, gone, or replaced by a link', async (server, { workspace }) => {
        const sub = path.join(workspace, 'sub');
        const outside = await leaves(server, 'cd /tmp', workspace);

        assert.deepEqual(outside.warnings, [`/tmp is not in the workspace: the next command starts in ${workspace}`]);
        await leaves(server, 'cd sub', sub);
        await leaves(server, 'cd /', sub);
        await leaves(server, 'ln -s / out; cd out', sub);
        await leaves(server, 'cd deep', path.join(sub, 'deep'));
        fs.rmdirSync(path.join(sub, 'deep'));
        fs.symlinkSync('/', path.join(sub, 'deep'));
        assert.match((await gives(server, 'pwd', workspace)).warnings.join('\n'), /is not there any more: this one starts in the workspace/);
        await leaves(server, 'mkdir gone; cd gone', path.join(workspace, 'gone'));
        fs.rmdirSync(path.join(workspace, 'gone'));
        await gives(server, 'pwd', workspace);
        await leaves(server, 'mkdir gone; cd gone; rmdir ../gone; true', workspace);
        await gives(server, 'pwd', workspace);
        await leaves(server, 'ln -s sub link; cd link', sub);
});

state('a directory with a strange name, and one by another name', async (server, { workspace }) => {
        const name = path.join(workspace, 'a\nb \x1b[31m\u202e');

        fs.mkdirSync(name);
        await leaves(server, 'cd a*', name);
        const { warnings } = await gives(server, 'pwd | od -An -c | tr -d " \\n" | grep -c "a.nb033"; cd /proc/self/root', '1');
        assert.equal(warnings.length, 1);
        assert.match(warnings[0], /^\/ is not in the workspace: the next command starts in .*\/a\\nb \\x1b\[31m/);
        assert.doesNotMatch(warnings[0], /[\n\x1b\u202e]/);
        for (const one of [`/proc/self/root${workspace}/sub`, '/proc/self/cwd', '/proc/$$/root/', '/dev/fd/..', `/../..${workspace}/../..`]) {
                const { cwd } = (await server.bash(`cd "${one}"`)).structuredContent;

                assert.ok([name, path.join(workspace, 'sub')].includes(cwd), `${one}: ${cwd}`);
                await leaves(server, `cd '${workspace}'; cd a*`, name);
        }
});

state('too much of it', async (server) => {
        const { warnings } = (await server.bash('A=x; while [ ${#A} -lt 1048576 ]; do A=$A$A; done; export A; export B=1; true')).structuredContent;

        assert.deepEqual(warnings, ['not kept for the next command: A (too long)']);
        await gives(server, 'echo ${#A} $B', '0 1');
        await server.bash(`for i in {1..${SIZES.fields}}; do export N$i=$i; done`);
        const kept = Number((await server.bash('compgen -e | grep -c "^N[0-9]"')).structuredContent.output);
        assert.ok(kept > 100 && kept < SIZES.fields, `${kept}`);
        await server.bash('true', { fresh: true });
        await server.bash(`X=$(head -c ${SIZES.value} /dev/zero | tr '\\0' x); export X`);
        assert.match((await server.bash('export Y=$X')).structuredContent.warnings.join('\n'), /Y \(too much in all\)/);
        await gives(server, 'echo ${#X} ${#Y}', `${SIZES.value} 0`);
});

// ---- nothing else ----

function plainly(made, command) {
        const out = fs.openSync(path.join(made.dir, 'out'), 'w');
        const { status, signal } = spawnSync('/bin/bash', ['-c', command], { argv0: 'bash', cwd: made.workspace, env: { ...made.environment }, stdio: ['ignore', out, out] });

        fs.closeSync(out);
        return { output: fs.readFileSync(path.join(made.dir, 'out'), 'latin1'), status: status ?? signal };
}

const inside = /BASHPID|\/proc|ulimit|PWD|\bcd\b|pwd|environ|export -p|history|ps -o|SHLVL|exec -c|dirs|umask|declare -p|compgen|PATH|HOME|ls |echo \$_$|~|pushd|xff|\\0|set -o$|exec -a/;

// ending(SERVER, COMMAND): how it ends, and what it prints
async function ending(server, command, workspace) {
        for (const name of ['out', 'd'])
                fs.rmSync(path.join(workspace, name), { force: true, recursive: true });
        const { output, exit_code, signal, status } = (await server.call('Bash', { command, fresh: true, timeout: 60 })).structuredContent;
        return { output, exit_code, signal, status };
}

// How commands of the same text end and what they print is the same: without state, and with it in a sandbox that is new or ready;
// and, where a sandbox changes nothing, in a bash without any.
async function compare(commands, made, plain, ...servers) {
        const different = [];

        for (const command of commands) {
                const expected = await ending(plain, command, made.workspace);
                for (const server of servers)
                        assert.deepEqual(await ending(server, command, made.workspace), expected, command);
                if (inside.test(command))
                        continue;
                fs.rmSync(path.join(made.workspace, 'out'), { force: true });
                const { output, status } = plainly(made, command);
                fs.rmSync(path.join(made.workspace, 'out'), { force: true });
                if (output !== expected.output || (typeof status === 'number' ? expected.exit_code !== status : !expected.signal))
                        different.push({ command, expected, output, status });
        }
        assert.deepEqual(different, []);
}

function same(commands, name, binary) {
        const set = (...settings) => settings.flatMap((setting) => ['--set', setting]);

        test(`carried: ${commands.length} commands are as without state, and as in a bash without any sandbox${name}`, () => serve({
                binary, prepare: (made) => ({ args: [...prepare(made).args, ...set('run.warm=2')] }) }, (ready, made) => {
                const there = (...settings) => ({ binary, args: [...unguarded, ...set(...settings), '--workspace', made.workspace] });

                return serve(there('run.warm=0'), (fresh) => serve(there('run.warm=0', 'run.state=command'),
                        (plain) => compare(commands, made, plain, fresh, ready)));
        }));
}

// All of them with what is shipped, as there are many, and some under sanitizers.
const commands = texts.filter(Boolean);
assert.ok(commands.length >= 150 && commands.filter((each) => !inside.test(each)).length >= 150, `${commands.length}`);
same(commands, '', shipped);
same(commands.filter((_, n) => n % 10 === 0), ', under sanitizers');

// The release build, as sanitizers keep what was freed.
state('its memory does not grow', async (server) => {
        const turn = (n) => server.bash(`cd ${n % 2 ? 'sub' : '..'}; export A=${n} B${n % 50}=${n}`);

        for (let n = 0; n < CALLS; n++)
                await turn(n);
        const before = processes.residentKib(server.pid);
        for (let n = 0; n < CALLS; n++)
                await turn(n);
        const after = processes.residentKib(server.pid);
        figure(`${2 * CALLS} calls with state: ${before} to ${after} KiB`);
        assert.ok(after < before + GROWTH, `${before} to ${after} KiB`);
}, { binary: shipped });

// ---- what a command is for ----

state('the description is optional, and on record', async (server, made) => {
        const marked = 'counts the \u202efiles';
        const shell = (await server.call('Bash', { command: 'sleep 1000', description: marked, run_in_background: true })).structuredContent.shell_id;

        assert.equal((await server.call('Bash', { command: 'true' })).structuredContent.status, 'completed');
        assert.equal((await server.output(shell)).description, marked);
        assert.match(text(await server.call('BashOutput', { shell_id: shell })), /^# counts the /);
        const status = (await bailey(made, 'status')).stdout;
        assert.match(status, /# counts the \\u\{?202e\}?files|# counts the /);
        assert.doesNotMatch(status, /\u202e/);
        const records = fs.readFileSync(path.join(made.home, '.local/state/bailey/audit.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
        assert.ok(records.some((record) => record.command === 'sleep 1000' && record.description === marked));
        assert.ok(records.some((record) => record.command === 'true' && record.description === undefined));
        await server.call('KillShell', { shell_id: shell });
});

state('commands in the background have a maximum', async (server) => {
        const shell = await server.background('sleep 1000');
        const ended = await server.ended(shell);

        assert.equal(ended.status, 'timed out');
        assert.match(ended.message, /ended after 1 s, the maximum of run.background_max/);
}, { prepare: (made) => ({ args: [...prepare(made).args, '--set', 'run.background_max=1'] }) });

await run();
