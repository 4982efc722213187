// Background shells: reading, waiting, filtering, killing, limits.
import fs from 'node:fs';
import path from 'node:path';
import * as processes from './processes.mjs';
import { FIRST, serve, tag, text } from './server.mjs';
import { assert, figure, sleep, test, until } from './tap.mjs';

function shells(name, options, body) {
        test(`shells: ${name}`, () => serve(options, body));
}

function go(server, name = 'go') {
        fs.writeFileSync(path.join(server.place.workspace, name), '');
}

const untilGo = (name = 'go') => `until [ -e ${name} ]; do sleep 0.05; done`;

shells('ids are random UUIDs, and are answered at once', {}, async (server) => {
        const start = performance.now();
        const ids = await Promise.all(Array.from({ length: 8 }, () => server.background('sleep 1000')));

        assert.ok(performance.now() - start < 60_000);
        assert.equal(new Set(ids).size, 8);
        for (const id of ids)
                assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

shells('a cursor gives each byte once', {}, async (server) => {
        const shell = await server.background('for i in {1..300}; do echo "out $i"; echo "err $i" >&2; if ((i % 50 == 0)); then sleep 0.1; fi; done');
        let out = '', err = '', now = { next: undefined };

        do {
                now = await server.output(shell, { wait_ms: 1000, ...(now.next && { since: now.next }) });
                out += now.stdout;
                err += now.stderr;
        } while (now.status === 'running' || now.stdout || now.stderr);
        assert.equal(out, Array.from({ length: 300 }, (_, i) => `out ${i + 1}\n`).join(''));
        assert.equal(err, out.replaceAll('out', 'err'));
        assert.equal(now.stdout_bytes, out.length);
        assert.equal(now.stderr_bytes, err.length);
        assert.equal(now.status, 'completed (exit 0)');
        assert.equal((await server.output(shell)).stdout, out, 'without a cursor all is there');
});

shells('wait_ms returns early on output and on the end, and late without', {}, async (server) => {
        const shell = await server.background(`echo up; ${untilGo()}; echo more; ${untilGo('end')}`);
        const first = await until('it is up', async () => {
                const now = await server.output(shell);
                return now.stdout && now;
        });
        let start = performance.now();
        const nothing = await server.output(shell, { since: first.next, wait_ms: 600 });
        const waited = performance.now() - start;
        const pending = server.output(shell, { since: first.next, wait_ms: 30_000 });

        assert.equal(nothing.stdout, '');
        assert.ok(waited >= 550, `${waited} ms`);
        start = performance.now();
        await sleep(200);
        go(server);
        const more = await pending;
        assert.equal(more.stdout, 'more\n');
        assert.ok(performance.now() - start < 30_000, 'it waited on');
        start = performance.now();
        const end = server.output(shell, { since: more.next, wait_ms: 30_000 });
        await sleep(200);
        go(server, 'end');
        assert.equal((await end).status, 'completed (exit 0)');
        assert.ok(performance.now() - start < 30_000, 'it waited on');
        const after = performance.now();
        await server.output(shell, { since: more.next, wait_ms: 30_000 });
        assert.ok(performance.now() - after < 30_000, 'it waited for one that has ended');
});

shells('a waiting BashOutput can be cancelled', {}, async (server) => {
        const shell = await server.background(`${untilGo()}; echo more; sleep 1000`);

        server.send({ jsonrpc: '2.0', id: 'waits', method: 'tools/call',
                params: { name: 'BashOutput', arguments: { shell_id: shell, wait_ms: 30_000 } } });
        await sleep(100);
        server.notify('notifications/cancelled', { requestId: 'waits' });
        go(server); // which would be an answer
        await until('it says more', async () => (await server.output(shell, { wait_ms: 1000 })).stdout === 'more\n');
        await server.request('ping');
        assert.deepEqual(server.about('waits'), []);
        assert.equal((await server.output(shell)).status, 'running');
});

shells('a filter shows the lines that match', {}, async (server) => {
        const shell = await server.background('for i in {1..30}; do echo "line $i"; done; echo error: 7 >&2; echo fine >&2');

        await server.ended(shell);
        const filtered = await server.output(shell, { filter: '(^line 2|^error)' });
        assert.equal(filtered.stdout, ['2', ...Array.from({ length: 10 }, (_, i) => `${20 + i}`)].map((n) => `line ${n}\n`).join(''));
        assert.equal(filtered.stderr, 'error: 7\n');
        assert.equal((await server.output(shell, { filter: 'nothing like it' })).stdout, '');
        for (const filter of ['(', '[a', 'x'.repeat(100_000), 5]) {
                const result = await server.call('BashOutput', { shell_id: shell, filter });
                assert.equal(result.isError, true, String(filter).slice(0, 20));
                assert.match(text(result), /filter/);
        }
});

shells('a filter that would take forever does not', {}, async (server) => {
        const shell = await server.background(`printf '%s\\n' ${'a'.repeat(60)}b ${'a'.repeat(60)}c`);

        await server.ended(shell);
        const slow = server.call('BashOutput', { shell_id: shell, filter: '^(a+)+$|^((a|aa)+)+$|(x+x+)+y' });
        const start = performance.now();
        await server.request('ping');
        figure(`an answer behind an evil filter: ${Math.round(performance.now() - start)} ms`);
        await slow;
        assert.ok(performance.now() - start < 60_000);
});

shells('a filter that takes too long over much output says what to do instead', {}, async (server) => {
        const shell = await server.background(`yes ${'a'.repeat(60)}b | head -n 15000 | tee /dev/stderr`);
        const { next } = await server.ended(shell, 60_000);
        const slow = await server.call('BashOutput', { shell_id: shell, filter: '^(a+)+$|^((a|aa)+)+$|(x+x+)+y' });

        assert.equal(slow.isError, true);
        assert.match(text(slow), /filter: .*simpler.*since/);
        assert.equal((await server.output(shell, { since: next, filter: '^(a+)+$' })).stdout, '');
});

shells('a filter that takes too long over much output says what to do instead', {}, async (server) => {
        const shell = await server.background(`yes ${'a'.repeat(60)}b | head -n 15000 | tee /dev/stderr`);
        const { next } = await server.ended(shell, 60_000);
        const slow = await server.call('BashOutput', { shell_id: shell, filter: '^(a+)+$|^((a|aa)+)+$|(x+x+)+y' });

        assert.equal(slow.isError, true);
        assert.match(text(slow), /filter: .*simpler.*since/);
        assert.equal((await server.output(shell, { since: next, filter: '^(a+)+$' })).stdout, '');
});

shells('wrong arguments are told', {}, async (server) => {
        const shell = await server.background('true');
        const wrong = [['BashOutput', {}], ['BashOutput', { shell_id: 5 }], ['BashOutput', { shell_id: 'nobody' }],
                ['BashOutput', { shell_id: '' }], ['BashOutput', { shell_id: shell, since: 'never' }],
                ['BashOutput', { shell_id: shell, since: 5 }], ['BashOutput', { shell_id: shell, wait_ms: -1 }],
                ['BashOutput', { shell_id: shell, wait_ms: 'long' }], ['KillShell', {}], ['KillShell', { shell_id: 'nobody' }],
                ['KillShell', { shell_id: shell, signal: 'SIGNOTHING' }], ['KillShell', { shell_id: shell, signal: {} }],
                ['bash_sandbox_test', {}], ['bash_sandbox_test', { command: '' }], ['bash_sandbox_test', { command: 5 }]];

        for (const [name, args] of wrong) {
                const result = await server.call(name, args);
                assert.equal(result.isError, true, JSON.stringify([name, args]));
                assert.match(text(result), /shell_id|no shell|since|wait_ms|signal|command/, JSON.stringify([name, args]));
        }
});

shells('one that does not want to end is killed after two seconds, with all it started', {}, async (server) => {
        const mark = tag();
        const shell = await server.background(`trap '' TERM; echo up; (setsid sleep 1000.${mark}) & sleep 2000.${mark}; sleep 3000.${mark}`);

        await until('it runs', () => processes.running(`sleep 1000.${mark}`).length && processes.running(`sleep 2000.${mark}`).length);
        const start = performance.now();
        const [first, second] = await Promise.all([server.call('KillShell', { shell_id: shell }), server.call('KillShell', { shell_id: shell })]);
        await until('it is gone', () => processes.marked(mark).length === 0);
        const took = performance.now() - start;
        const after = await server.ended(shell);

        figure(`killed in ${Math.round(took)} ms`);
        assert.ok(!first.isError && !second.isError);
        assert.ok(took > 500, `${took} ms`);
        assert.equal(after.status, 'killed');
        assert.equal(after.stdout, 'up\n');
});

shells('one that ends when it is asked may say its last words', { config: '[run]\nkill_grace = 60\n' }, async (server) => {
        for (const signal of [undefined, 'SIGINT', 'SIGHUP']) {
                const name = (signal ?? 'SIGTERM').slice(3);
                const shell = await server.background(`trap 'echo last words; exit 0' ${name}; echo up; while :; do sleep 0.05; done`);

                await until('it is up', async () => (await server.output(shell, { wait_ms: 1000 })).stdout === 'up\n');
                assert.ok(!(await server.call('KillShell', { shell_id: shell, ...(signal && { signal }) })).isError);
                const { status, stdout } = await server.ended(shell);
                assert.equal(stdout, 'up\nlast words\n', name);
                assert.match(status, /^(killed|completed \(exit 0\))$/);
        }
});

shells('killing one that has ended changes nothing', {}, async (server) => {
        const shell = await server.background('echo x; exit 7');

        await server.ended(shell);
        for (let i = 0; i < 3; i++)
                assert.ok(!(await server.call('KillShell', { shell_id: shell })).isError);
        const { status, stdout } = await server.output(shell);
        assert.deepEqual([status, stdout], ['completed (exit 7)', 'x\n']);
});

shells('they have no timeout but the one that is asked for', { config: '[run]\ntimeout = 1\n' }, async (server) => {
        const mark = tag();
        const [timed, endless] = await Promise.all([
                server.background(`echo a; sleep 1000.${mark}`, { timeout: 15 }), server.background('sleep 1000')]);
        const { status, stdout } = await server.ended(timed);

        assert.deepEqual([status, stdout], ['timed out', 'a\n']);
        assert.deepEqual(processes.marked(mark), []);
        await sleep(1000);
        assert.equal((await server.output(endless)).status, 'running');
});

shells('a timeout that is asked for is clamped, too', { config: '[run]\ntimeout_max = 15\n' }, async (server) => {
        const ids = await Promise.all([{ timeout: 999 }, { timeout_ms: 999_000 }, { timeout: 1e300 }].map((more) => (
                server.background('echo a; sleep 1000', more))));

        for (const id of ids) {
                const { status, stdout } = await server.ended(id, 60_000);
                assert.deepEqual([status, stdout], ['timed out', 'a\n']);
        }
        const { tools } = (await server.request('tools/list')).result;
        assert.match(tools[0].inputSchema.properties.run_in_background.description, /killed after 86400 s unless a timeout is given \(maximum: 15 s\)/);
});

shells('what is left of one when its command ends goes with it', {}, async (server) => {
        const mark = tag();

        await server.ended(await server.background(`setsid sleep 1000.${mark} & echo started`));
        await until('nothing is left', () => processes.marked(mark).length === 0);
});

shells('only so many live at a time', { config: '[run]\nmax_shells = 3\n' }, async (server) => {
        const ids = [];

        for (let i = 0; i < 3; i++)
                ids.push(await server.background('sleep 1000'));
        const refused = await server.bash('touch made', { run_in_background: true });
        assert.equal(refused.isError, true);
        assert.match(text(refused), /3 background shells.*kill one/);
        assert.ok(!(await server.bash('echo foreground')).isError);
        await server.call('KillShell', { shell_id: ids[1] });
        await server.ended(ids[1]);
        ids[1] = await server.background('sleep 1000');
        assert.ok(!fs.existsSync(path.join(server.place.workspace, 'made')));
});

shells('of ended ones only so many are kept, the newest', { config: '[run]\nkept_shells = 2\n' }, async (server) => {
        const ids = [];

        for (let i = 0; i < 4; i++) {
                ids.push(await server.background(`echo ${i}`));
                await server.ended(ids[i]).catch(() => {});
        }
        assert.equal((await server.call('BashOutput', { shell_id: ids[0] })).isError, true);
        assert.equal((await server.output(ids[3])).stdout, '3\n');
        assert.equal((await server.output(ids[2])).stdout, '2\n');
});

shells('of ended ones none is kept for longer than that', { config: '[run]\nkeep_shells_for = 10\n' }, async (server) => {
        const shell = await server.background('echo x');

        assert.equal((await server.ended(shell)).stdout, 'x\n');
        await until('it is forgotten', async () => (await server.call('BashOutput', { shell_id: shell })).isError);
});

// pages(SERVER, SHELL): all that is kept, as many answers as it takes
async function pages(server, shell) {
        const all = { stdout: '', stderr: '', count: 0 };

        for (let now = { next: FIRST, stdout: 'x' }; now.stdout || now.stderr; all.count++) {
                now = await server.output(shell, { since: now.next });
                all.stdout += now.stdout;
                all.stderr += now.stderr;
        }
        return all;
}

shells('keep head and tail of each stream', {}, async (server) => {
        const shell = await server.background('seq 1000000 1400000; seq 2000000 2400000 >&2');
        const { stdout, stderr, status, ...bytes } = await server.ended(shell, 60_000);
        const all = await pages(server, shell), total = 400001 * 8;

        assert.equal(status, 'completed (exit 0)');
        assert.deepEqual([bytes.stdout_bytes, bytes.stderr_bytes], [total, total]);
        for (const missing of [bytes.stdout_truncated_bytes, bytes.stderr_truncated_bytes])
                assert.ok(missing > 0 && missing < total, `${missing} bytes left out`);
        for (const [first, streams] of [[1, [stdout, all.stdout]], [2, [stderr, all.stderr]]])
                for (const stream of streams) {
                        assert.ok(stream.startsWith(`${first}000000\n`) && stream.endsWith(`${first}400000\n`));
                        assert.ok(stream.length < 1100 * 1024, `${stream.length} characters`);
                }
        assert.ok(all.stdout.length > 1000 * 1024 && all.stderr.length > 1000 * 1024, `${all.stdout.length} characters`);
        for (const since of ['18446744073709551615.0', '99999999.99999999', '0.18446744073709551615', '99999999999999999999999.0'])
                assert.ok(text(await server.call('BashOutput', { shell_id: shell, since })).length < 500_000, since);
});

shells('a refusal is one in the background, too', {}, async (server) => {
        const refused = await server.bash('sudo ls', { run_in_background: true });

        assert.equal(refused.isError, true);
        assert.match(text(refused), /privilege-escalation/);
});

// In files, as the guard takes such code on a command line for a remote shell.
function servers(server) {
        const put = (name, code) => fs.writeFileSync(path.join(server.place.workspace, name), `use IO::Socket::INET; $| = 1;\n${code}`);

        put('listen.pl', `$s = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1", LocalPort => $ARGV[0], ReuseAddr => 1) or die;
print "listening\\n"; while ($c = $s->accept) { print $c "from the shell\\n"; close $c }\n`);
        put('connect.pl', `$c = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or exit 1; print <$c>;\n`);
}

shells('a port of one is there for the commands after it, until it ends', {}, async (server) => {
        servers(server);
        const shell = await server.background('perl listen.pl 3000');

        await until('it listens', async () => (await server.output(shell)).stdout.includes('listening'));
        for (let i = 0; i < 3; i++)
                assert.equal((await server.bash('perl connect.pl 3000')).structuredContent.output, 'from the shell\n');
        assert.notEqual((await server.bash('perl connect.pl 3001')).structuredContent.exit_code, 0);
        await server.call('KillShell', { shell_id: shell });
        await server.ended(shell);
        assert.notEqual((await server.bash('perl connect.pl 3000')).structuredContent.exit_code, 0);
});

shells('a port of one that listens only while another command runs', {}, async (server) => {
        servers(server);
        await server.background(`${untilGo()}; perl listen.pl 3000`);
        const answer = await server.bash('touch go; until perl connect.pl 3000; do sleep 0.05; done');

        assert.equal(answer.structuredContent.output, 'from the shell\n');
});

shells('a command reads what BashInput writes', {}, async (server) => {
        const shell = await server.background('while read -r line; do echo "got $line"; done; echo end', { stdin: true });
        const given = await server.call('BashInput', { shell_id: shell, input: 'öne\n"two"\n' });

        assert.deepEqual(given.structuredContent, { shell_id: shell, taken_bytes: 11, waiting_bytes: 0 });
        await until('it has read that', async () => (await server.output(shell, { wait_ms: 1000 })).stdout === 'got öne\ngot "two"\n');
        assert.ok(!(await server.call('BashInput', { shell_id: shell, input: 'three', eof: true })).isError);
        assert.equal((await server.ended(shell)).stdout, 'got öne\ngot "two"\nend\n');
        assert.match(text(await server.call('BashInput', { shell_id: shell, input: 'x' })), /has ended/);
});

shells('what a shell is given is checked', {}, async (server) => {
        const shell = await server.background('bash', { stdin: true });

        assert.ok(!(await server.call('BashInput', { shell_id: shell, input: 'cd /etc\n' })).isError);
        for (const input of ['rm -rf *\n', 'rm -rf /\n'])
                assert.match(text(await server.call('BashInput', { shell_id: shell, input })), /blocked, and not written: recursive-delete-root/);
        await server.call('BashInput', { shell_id: shell, input: 'echo "in $PWD"\nexit\n' });
        assert.equal((await server.ended(shell)).stdout, 'in /etc\n');
});

shells('BashInput sends signals', {}, async (server) => {
        const shell = await server.background('trap "echo interrupted" INT; echo up; while :; do sleep 0.05; done');

        await until('it is up', async () => (await server.output(shell)).stdout === 'up\n');
        assert.ok(!(await server.call('BashInput', { shell_id: shell, signal: 'int' })).isError);
        await until('it was told', async () => (await server.output(shell, { wait_ms: 1000 })).stdout === 'up\ninterrupted\n');
});

shells('BashInput says what is wrong', {}, async (server) => {
        const shell = await server.background('sleep 1000', { stdin: true }), other = await server.background('sleep 1000');
        const wrong = [[{}, /expected input, keys/], [{ input: '' }, /expected input, keys/], [{ input: 5 }, /input must be a string/],
                [{ input: 'a\0b' }, /NUL/], [{ signal: 'KILL' }, /unknown signal/], [{ signal: 'NOTHING' }, /unknown signal/],
                [{ eof: 'yes' }, /eof must be/], [{ input: 'x'.repeat(2 << 20) }, /too many/],
                [{ shell_id: 'nobody', input: 'x' }, /no shell has the id/], [{ shell_id: other, input: 'x' }, /not started with an open one/]];

        for (const [args, why] of wrong) {
                const result = await server.call('BashInput', { shell_id: shell, ...args });
                assert.equal(result.isError, true, JSON.stringify(args).slice(0, 80));
                assert.match(text(result), why);
        }
        assert.match(text(await server.call('Bash', { command: 'cat', stdin: true })), /run_in_background/);
});

shells('nobody writes to the shell of another session', {}, async (server) => {
        const shell = await server.background('read -r line; echo "got $line"', { stdin: true });

        await serve({}, async (other) => {
                for (const args of [{ input: 'x\n' }, { eof: true }, { signal: 'INT' }])
                        assert.match(text(await other.call('BashInput', { shell_id: shell, ...args })), /no shell has the id/);
                assert.match(text(await other.call('BashOutput', { shell_id: shell })), /there is no such shell/);
                assert.match(text(await other.call('KillShell', { shell_id: shell })), /there is no such shell/);
        });
        await server.call('BashInput', { shell_id: shell, input: 'mine\n' });
        assert.equal((await server.ended(shell)).stdout, 'got mine\n');
});

shells('a pty shows its screen and takes keys', {}, async (server) => {
        const shell = await server.background("PS1='ready> ' exec bash --norc --noprofile -i", { pty: true, rows: 10, columns: 40 });
        const screen = async (wanted) => until(`the screen has ${wanted}`, async () => {
                const now = await server.output(shell, { screen: true });
                return now.screen.text.includes(wanted) && now;
        });

        await screen('ready>');
        await server.call('BashInput', { shell_id: shell, input: 'stty size', keys: ['Enter'] });
        await screen('10 40\nready>');
        await server.call('BashInput', { shell_id: shell, rows: 20, columns: 60 });
        await server.call('BashInput', { shell_id: shell, keys: ['C-l', 'Up', 'Enter'] });
        const now = await screen('20 60\nready>'); // an end of input that comes earlier means nothing to the shell
        assert.deepEqual([now.screen.rows, now.screen.columns, now.stdout], [20, 60, '']);
        assert.match(text(await server.call('BashOutput', { shell_id: shell, screen: true })), /screen: 20 rows, 60 columns, cursor at row/);
        for (const [args, why] of [[{ keys: ['Nothing'] }, /no key/], [{ keys: 'Enter' }, /array of strings/], [{ keys: [5] }, /array of strings/],
                [{ rows: 5 }, /rows and columns/], [{ rows: 1e9, columns: 1e9 }, /at most 200 of 500/]])
                assert.match(text(await server.call('BashInput', { shell_id: shell, ...args })), why);
        assert.match(text(await server.call('Bash', { command: 'true', pty: true })), /run_in_background/);
        assert.match(text(await server.call('Bash', { command: 'true', rows: 5 })), /pty/);
        await server.call('BashInput', { shell_id: shell, eof: true });
        assert.match((await server.ended(shell)).status, /completed/);
});
