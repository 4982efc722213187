// Nothing passes from one command to the next: after a command that leaves behind what it can, the next one has of the world what
// one has that is the first in a new sandbox, field by field.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import * as processes from './processes.mjs';
import { FIRST, root } from './server.mjs';
import { twins } from './twins.mjs';
import { assert, test, until } from './tap.mjs';

const TRIES = 30;

// What differs between any two processes, or any two sandboxes, and tells nothing.
const numbers = [
        [/^(\/proc\/self\/mountinfo: )\d+ \d+ \d+:\d+ /, '$1'],
        [/^(\/proc\/\w+\/status: )(Vm|Rss|Hugetlb|.*ctxt_switches|FDSize|State).*/, '$1$2'],
        [/^(\/proc\/\w+\/status: SigQ:\s+)\d+/, '$1'],
        [/(?<=^\/proc\/1\/status: ShdPnd:\s+0{11})1(?=0{4}$)/, '0'], // SIGCHLD, until pid 1 has come to that
];

// Keyrings of the user are those of all that the user has running.
function others(line) {
        return line.startsWith('/proc/keys: ') && !line.includes('state-left');
}

function plain(line) {
        return numbers.reduce((text, [pattern, by]) => text.replace(pattern, by), line);
}

// Mounts stand in the order of their ids, and of those of root bailey makes some outside while the sandbox makes others.
function inOrder(lines) {
        const isMount = (line) => line.startsWith('/proc/self/mountinfo: ');
        const mounts = lines.filter(isMount).sort();

        return lines.map((line) => isMount(line) ? mounts.shift() : line);
}

// view(SERVER): all facts, and when the sandbox was made
async function view(server) {
        const { structuredContent: answer } = await server.bash('exec ./state view');
        const lines = answer.output.split('\n').filter(Boolean);

        assert.equal(answer.exit_code, 0, answer.output);
        assert.ok(lines.length > 150, answer.output);
        return { start: Number(lines.pop().replace('start: ', '')), facts: inOrder(lines.filter((line) => !others(line)).map(plain)) };
}

function build(made) {
        execFileSync('cc', ['-std=gnu17', '-D_GNU_SOURCE', '-O1', '-w', '-o', path.join(made.workspace, 'state'), path.join(root, 'tests/mcp/state.c')]);
}

// warmly(PAIR): the view out of a sandbox that was ready before
async function warmly(pair) {
        for (let n = 0; n < TRIES; n++) {
                const ready = await pair.ready();
                const seen = await view(pair.warm);
                if (seen.start < ready)
                        return seen.facts;
        }
        assert.fail('no sandbox that was ready is ever used');
}

function compare(warm, cold) {
        const more = (some, others) => some.filter((line) => !others.includes(line));

        assert.deepEqual({ warm: more(warm, cold), cold: more(cold, warm) }, { warm: [], cold: [] });
        assert.deepEqual(warm, cold);
        assert.deepEqual(warm.filter((line) => /state-left|STATE_LEFT/.test(line)), []);
}

const alone = { prepare: build, args: ['--set', 'run.tmp=command', '--set', 'run.state=command'] }; // or some would be passed on
const dirty = `trap '' USR1; ./state dirty`; // which everybody gets from it

const shells = {
        'nothing at all': 'true',
        'files, processes, sockets, shared memory, keys, limits': dirty,
        'the same, and a shell full of settings': `cd /; umask 077; ulimit -n 20 -c 0; export STATE_LEFT=1 PATH=/; trap '' TERM; set -x
                hash -r; alias ls=state-left; exec 9</etc/passwd; trap '' USR1; nice -n 19 ./state dirty; (setsid nohup sleep 1000 &); sleep 1000 &`,
        'the same, ended by a signal': `${dirty}; kill -9 $$`,
};

for (const [name, script] of Object.entries(shells))
        test(`state: after ${name}`, () => twins(alone, async (pair) => {
                const cold = (await view(pair.cold)).facts;

                compare((await view(pair.cold)).facts, cold); // or this test is wrong
                for (let n = 0; n < 3; n++) {
                        await pair.warm.bash(script);
                        compare(await warmly(pair), cold);
                }
        }));

// What a background command listens at is there for others, on purpose.
function ownFact(line) {
        return !/^port: |^\/proc\/net\/tcp6?: .*:1387 /.test(line);
}

test('state: beside a command that is dirty, and runs', () => twins(alone, async (pair) => {
        const cold = (await view(pair.cold)).facts;
        const shell = await pair.warm.background(`${dirty}; sleep 1000`);

        await until('it is', async () => (await pair.warm.output(shell, { since: FIRST })).stdout.includes('dirty'));
        compare((await warmly(pair)).filter(ownFact), cold.filter(ownFact));
        await pair.warm.call('KillShell', { shell_id: shell });
}));

test('state: hundreds of commands leave nothing behind', () => twins(alone, async (pair) => {
        const cold = (await view(pair.cold)).facts;

        await pair.ready();
        const files = processes.openFiles(pair.warm.pid);
        for (let n = 0; n < 30; n++)
                await Promise.all(Array.from({ length: 10 }, () => pair.warm.bash('true')));
        await pair.ready();
        compare(await warmly(pair), cold);
        await pair.ready();
        assert.ok(processes.openFiles(pair.warm.pid) <= files + 64, 'open files');
        assert.ok(processes.descendants(pair.warm.pid).length <= 64, processes.describe(processes.descendants(pair.warm.pid)));
}));
