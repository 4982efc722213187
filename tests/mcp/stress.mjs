// The server under load, for long, and killed at any moment. `stress.mjs full` is what was promised, and asserts the figures; without
// it this is small enough for every day, and asserts nothing that a busy machine could make wrong.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import * as processes from './processes.mjs';
import { allGone, bailey, FIRST, leave, nothingLeft, place, root, serve, Server, shipped, tag } from './server.mjs';
import { assert, figure, run, sleep, test, until } from './tap.mjs';

const full = process.argv[2] === 'full';
const size = full ? { shells: 64, calls: 1000, rounds: 10, latencies: 60, ends: 30, soak: 20_000, kills: 100 } :
        { shells: 16, calls: 200, rounds: 2, latencies: 25, ends: 3, soak: 2_000, kills: 10 };
const AT_A_TIME = 8;
const description = 'something a test needs';

const binary = shipped;

function md5(text) {
        return createHash('md5').update(text).digest('hex');
}

// many(COUNT, BODY): that many, a few at a time
async function many(count, body) {
        let next = 0;

        await Promise.all(Array.from({ length: AT_A_TIME }, async () => {
                while (next < count)
                        await body(next++);
        }));
}

// checked(TEXT, WHAT): its last line is the checksum of the others
function checked(output, what) {
        const body = output.slice(0, output.lastIndexOf('\n', output.length - 2) + 1);

        assert.equal(output.slice(body.length).slice(0, 32), md5(body), `${what}: not what was printed`);
        return body;
}

// standing(SERVER): what there is when nothing runs; a sandbox that is being made ready may come and go, so the least of some looks
async function standing(server) {
        const now = { files: Infinity, processes: Infinity, zombies: Infinity };

        for (let i = 0; i < 20; i++) {
                const family = processes.descendants(server.pid);
                now.files = Math.min(now.files, processes.openFiles(server.pid));
                now.processes = Math.min(now.processes, family.length);
                now.zombies = Math.min(now.zombies, family.filter((process) => process.state === 'Z').length);
                await sleep(50);
        }
        return now;
}

// nothingMore(BEFORE, AFTER): as many sandboxes are ready as were wanted lately, and the files of those that nobody has taken in yet
// are not the server's; what is left behind by calls would be far more
const READY = { sandboxes: 8, files: 5, processes: 2 };

// What is on its way to its end may take its time; what is left behind stays.
async function nothingMore(server, before) {
        const more = (now) => now.zombies > 0 ||
                ['files', 'processes'].some((kind) => now[kind] > before[kind] + READY.sandboxes * READY[kind]);
        let after;

        await until('nothing more is there', async () => !more(after = await standing(server))).catch(() => {
                assert.fail(`${JSON.stringify(before)} -> ${JSON.stringify(after)}`);
        });
        return after;
}

function foreground(server, i) {
        const lines = 1 + (i * 37) % 1500;

        return server.bash(`x=$(for ((j = 0; j < ${lines}; j++)); do echo "call ${i} $j"; done); echo "$x"; echo "$x" | md5sum`)
                .then(({ structuredContent: { output } }) => {
                        const expected = Array.from({ length: lines }, (_, j) => `call ${i} ${j}\n`).join('');
                        assert.equal(checked(output, `call ${i}`), expected);
                });
}

// follow(SERVER, SHELL): all it prints, read piece by piece
async function follow(server, shell) {
        let all = '', now = { next: FIRST };

        do {
                now = await server.output(shell, { wait_ms: 2000, since: now.next });
                all += now.stdout;
        } while (now.status === 'running' || now.stdout);
        assert.equal(now.status, 'completed (exit 0)');
        assert.equal(now.stdout_bytes, all.length);
        return all;
}

test(`load: ${size.shells} shells that print, ${size.calls} calls beside them`, () => serve({ binary }, async (server, { workspace }) => {
        fs.copyFileSync(path.join(root, 'tests/mcp/noise.pl'), path.join(workspace, 'noise.pl'));
        await many(50, (i) => foreground(server, i));
        const before = await standing(server);
        const start = performance.now();
        const shells = [];

        for (let i = 0; i < size.shells; i++)
                shells.push(await server.background(`perl noise.pl shell-${i} 300000`));
        const followed = shells.slice(0, size.shells / 2).map((shell) => follow(server, shell));
        await many(size.calls, (i) => foreground(server, i));
        const seconds = (performance.now() - start) / 1000;
        const peak = processes.peakKib(server.pid);
        fs.writeFileSync(path.join(workspace, 'stop'), '');
        const outputs = await Promise.all(followed);
        for (const shell of shells.slice(followed.length))
                outputs.push(await follow(server, shell));
        outputs.forEach((output, i) => {
                const lines = checked(output, `shell ${i}`).split('\n').slice(0, -1);
                assert.ok(lines.length > 0 && lines.every((line, n) => line.startsWith(`shell-${i} ${n} `)), `shell ${i}: mixed`);
        });
        const after = await nothingMore(server, before);
        const bytes = outputs.reduce((sum, output) => sum + output.length, 0);

        figure(`load: ${size.calls} calls in ${seconds.toFixed(1)} s (${(size.calls / seconds).toFixed(0)}/s), ${shells.length} shells printed ${
                (bytes / 2 ** 20).toFixed(1)} MiB; RSS at most ${(peak / 1024).toFixed(1)} MiB; files ${before.files} -> ${after.files
        }, processes ${before.processes} -> ${after.processes}`);
        if (!processes.sanitized(server.pid))
                assert.ok(peak < 64 * 1024, `${peak} KiB`);
}));

function percentile(values, p) {
        return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))];
}

function summary(values) {
        const at = (p) => percentile(values, p).toFixed(1);

        return `median ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, most ${Math.max(...values).toFixed(1)} ms`;
}

async function timed(body) {
        const start = performance.now();

        await body();
        return performance.now() - start;
}

// With and without by turns, so that whatever else the machine does happens to both.
test('flood: one shell that prints without end does not delay others', () => serve({ binary }, async (server) => {
        const calls = { calm: [], flood: [] }, pings = { calm: [], flood: [] };

        for (let i = 0; i < 10; i++)
                await server.bash('true');
        for (let round = 0; round < size.rounds; round++) {
                for (const kind of ['calm', 'flood']) {
                        const shell = kind === 'flood' && await server.background('yes');
                        if (shell)
                                await until('it floods', async () => (await server.output(shell)).stdout_bytes > 2 ** 21);
                        for (let i = 0; i < size.latencies; i++) {
                                calls[kind].push(await timed(() => server.bash('true')));
                                pings[kind].push(await timed(() => server.request('ping')));
                        }
                        if (shell)
                                await server.call('KillShell', { shell_id: shell });
                }
        }
        for (const [name, seen] of Object.entries({ call: calls, ping: pings })) {
                figure(`flood: ${name} without ${summary(seen.calm)}; with ${summary(seen.flood)}`);
                for (const p of full ? [0.5, 0.95, 0.99] : [0.5, 0.95]) { // of a few, the last of a hundred is the most
                        const delay = percentile(seen.flood, p) - percentile(seen.calm, p);
                        assert.ok(delay < (full ? 50 : 5000), `${name}: ${delay} ms at ${p}`);
                }
        }
}));

// Beside background commands that do what they like with their signals.
async function stubborn(server, mark) {
        const command = `trap '' TERM INT; (setsid sleep 1000.${mark}) & sleep 2000.${mark}; sleep 3000.${mark}`;

        for (let i = 0; i < AT_A_TIME; i++)
                await server.background(command);
        await until('they run', () => processes.running(`sleep 2000.${mark}`).length >= AT_A_TIME);
        return command;
}

test(`cancel: ${size.ends} calls`, () => serve({ binary }, async (server) => {
        const command = (await stubborn(server, tag())).replaceAll(/000\.\d+/g, '000.MARK'), took = [];

        for (let i = 0; i < size.ends; i++) {
                const mark = tag(), id = `cancel ${i}`;

                server.send({ jsonrpc: '2.0', id, method: 'tools/call',
                        params: { name: 'Bash', arguments: { command: command.replaceAll('MARK', mark), description } } });
                await until('it runs', () => processes.running(`sleep 1000.${mark}`).length && processes.running(`sleep 2000.${mark}`).length);
                took.push(await timed(async () => {
                        server.notify('notifications/cancelled', { requestId: id });
                        await until('it is gone', () => processes.marked(mark).length === 0);
                }));
                assert.deepEqual(server.about(id), []);
        }
        figure(`cancel: ${summary(took)}`);
        assert.ok(Math.max(...took) < (full ? 500 : 60_000), summary(took));
}));

test(`end: ${size.ends} servers at work`, async () => {
        const made = place({ binary }), took = [];

        for (let i = 0; i < size.ends; i++) {
                const server = new Server(made), mark = tag();

                await server.initialize();
                await stubborn(server, mark);
                took.push(await server.end(i % 2 ? 'SIGTERM' : undefined));
                await nothingLeft(mark);
        }
        assert.equal((await bailey(made, 'audit', 'verify')).status, 0);
        figure(`end: ${summary(took)}`);
        assert.ok(Math.max(...took) < (full ? 2000 : 60_000), summary(took));
        await leave(made);
});

// One call of a soak: most are plain, some fail, are refused, killed, cancelled, or run in the background.
async function soakCall(server, i, ids) {
        const kind = i % 20;

        if (kind === 0) {
                assert.equal((await server.bash('rm -rf /')).isError, true);
        } else if (kind === 1) {
                assert.equal((await server.bash('sleep 10', { timeout_ms: 20 })).structuredContent.timed_out, true);
        } else if (kind === 2) {
                const id = `soak ${i}`;
                server.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'Bash', arguments: { command: 'sleep 10', description } } });
                server.notify('notifications/cancelled', { requestId: id });
                await server.request('ping');
        } else if (kind < 9) {
                ids.push(await server.background(`echo ${i}`));
                if (ids.length > AT_A_TIME)
                        await server.call(i % 2 ? 'KillShell' : 'BashOutput', { shell_id: ids.shift() });
        } else {
                const { structuredContent } = await server.bash(`echo ${i}; exit ${kind}`);
                assert.deepEqual([structuredContent.output, structuredContent.exit_code], [`${i}\n`, kind]);
        }
}

// The small one keeps less, so that everything that is kept is there before the first look.
const LOOKS = 5; // at the beginning, and at the end; the one in the middle counts
const little = full ? '' : '[run]\nkept_shells = 32\n[audit]\nring_size = 100\n';

test(`soak: ${size.soak} calls`, () => serve({ binary, config: little }, async (server) => {
        const ids = [], warm = size.soak / 4, step = size.soak / 20, rss = [];
        const start = performance.now();

        await many(warm, (i) => soakCall(server, i, ids));
        const before = await standing(server);
        for (let done = warm; done < size.soak; done += step) {
                await many(step, (i) => soakCall(server, done + i, ids));
                server.messages.length = 0;
                await standing(server);
                rss.push(processes.residentKib(server.pid));
                figure(`soak: ${done + step} calls, RSS ${rss.at(-1)} KiB`);
        }
        const seconds = (performance.now() - start) / 1000;
        // What an allocator has at hand goes up and down with what happens to run at a time; what is lost only adds up.
        const first = percentile(rss.slice(0, LOOKS), 0.5), growth = percentile(rss.slice(-LOOKS), 0.5) - first;
        const after = await nothingMore(server, before);

        figure(`soak: ${size.soak} calls in ${seconds.toFixed(0)} s; RSS ${first} KiB at first, growth ${growth} KiB; files ${
                before.files} -> ${after.files}, processes ${before.processes} -> ${after.processes}, zombies ${after.zombies}`);
        if (!processes.sanitized(server.pid))
                assert.ok(growth < 2048, `${growth} KiB`);
}));

// Where no sandbox is ready beforehand, what is there after calls is what was there before them, to the last file. The journals that
// are kept for the next commands are there once as many have run at a time.
test('leftovers: none at all without sandboxes that are ready', () => serve({ binary, args: ['--set', 'run.warm=0'] }, async (server) => {
        const ids = await Promise.all(Array.from({ length: 2 * AT_A_TIME }, () => server.background('sleep 1000')));
        const endAll = () => Promise.all(ids.splice(0).map((shell_id) => server.call('KillShell', { shell_id })));

        await endAll();
        const before = await standing(server);
        await many(100, (i) => soakCall(server, i, ids));
        await endAll();
        const after = await until('nothing more is there', async () => {
                const now = await standing(server);
                return now.files <= before.files && now.processes <= before.processes && now;
        }, 60_000);

        figure(`leftovers: files ${before.files} -> ${after.files}, processes ${before.processes} -> ${after.processes}`);
        assert.equal(after.zombies, 0);
}));

// One life of a server that is cut short.
async function killOnce(made, i) {
        const server = new Server(made), mark = tag();

        server.initialize().catch(() => {});
        for (let j = 0; j < 6; j++) {
                const command = [`sleep 1000.${mark}`, `(setsid sleep 1001.${mark} &); sleep 1002.${mark}`, `yes ${mark}`, 'true'][j % 4];
                server.send({ jsonrpc: '2.0', id: `call ${j}`, method: 'tools/call', params: { name: 'Bash',
                        arguments: { command, description, run_in_background: j % 3 === 0 }, _meta: { progressToken: j } } });
        }
        if (i % 2) // of those, at work; of the others, most while they start
                await until('it is at work', () => processes.descendants(server.pid).length > 2);
        await sleep(Math.random() * 80);
        const family = processes.descendants(server.pid);
        server.child.kill('SIGKILL');
        await server.exited;
        const start = performance.now();
        await nothingLeft(mark);
        await nothingLeft(made.dir);
        await allGone(family); // one that is dying has no command line any more
        assert.deepEqual(server.noise.slice(1), []); // the last line may be torn
        return { took: performance.now() - start, family: family.length };
}

test(`kill -9: ${size.kills} times, at any moment`, async () => {
        const made = place({ binary });
        const ends = [];

        for (let i = 0; i < size.kills; i++) {
                ends.push(await killOnce(made, i));
                const verified = await bailey(made, 'audit', 'verify');
                assert.equal(verified.status, 0, `after ${i + 1} kills: ${verified.stdout}${verified.stderr}`);
        }
        const server = new Server(made); // and the next one works
        await server.initialize();
        assert.equal((await server.bash('echo fine')).structuredContent.output, 'fine\n');
        await server.end();
        assert.equal((await bailey(made, 'audit', 'verify')).status, 0);
        figure(`kill -9: ${ends.length} times, ${ends.reduce((sum, { family }) => sum + family, 0)} processes killed with it, all gone after ${
                Math.round(Math.max(...ends.map(({ took }) => took)))} ms at most`);
        await leave(made);
});

await run({ width: 1, limitMs: full ? 3_600_000 : 600_000 });
