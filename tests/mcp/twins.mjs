// Two servers in one place, one with sandboxes that are ready before they are needed and one without, and `bailey run`: whatever
// happens between two calls, a command sees and may do the same in all three.
import { execFileSync } from 'node:child_process';
import * as processes from './processes.mjs';
import { bailey, leave, place, Server } from './server.mjs';
import { assert, until } from './tap.mjs';

const KEPT = 2; // sandboxes

// now(): as processes' starts are counted
export function now() {
        return Number(execFileSync('/bin/cat', ['/proc/self/stat'], { encoding: 'latin1' }).split(') ').pop().split(' ')[19]);
}

// later(): all that is started from now on has started later than all that is there
export async function later() {
        const start = now();

        return until('the clock ticks', () => now() > start + 1 && now());
}

// waiting(SERVER): sandboxes without a command: pid 1, and a shell that was called for nothing yet
export function waiting(server) {
        const everybody = processes.all();
        const inits = everybody.filter(({ parent }) => parent === server.pid);

        return inits.filter((init) => everybody.some(({ pid, parent, state }) =>
                parent === init.pid && state === 'S' && processes.commandLine(pid) === 'bash -c :'));
}

// start(ANSWER): when pid 1 around the command was started
const tell = `awk '{ print "start " $22 }' /proc/1/stat`;

function take(output) {
        const [, text, start] = /^([^]*)start (\d+)\n$/.exec(output) ?? assert.fail(`no start in: ${output}`);

        return { output: text, start: Number(start) };
}

function wrapped(command) {
        return `{ ${command}\n} 2>&1; code=$?; ${tell}; exit $code`;
}

async function asked(server, command, more) {
        const { structuredContent: answer } = await server.bash(wrapped(command), more);

        assert.equal(answer.backend, 'native', JSON.stringify(answer));
        const warnings = answer.warnings?.map((text) => text.replace(/(bailey restore )[0-9a-f]{8}$/, '$1ID')); // each has its own
        return { code: answer.exit_code, warnings, ...take(answer.output) };
}

// A server that is started when the place is as it should be.
export class Twins {
        constructor(options = {}) {
                this.args = ['--backend', 'native', ...(options.args ?? [])];
                this.place = place({ config: `[guard]\nmode = "${options.guard ?? 'off'}"\n` });
        }

        // `prefix` starts the first; other(IT), all others
        async begin({ workspace, prefix, other } = {}) {
                const made = { ...this.place, ...(workspace && { workspace }) };

                this.place = made;
                this.warm = new Server(made, { prefix, args: [...this.args, '--set', `run.warm=${KEPT}`] });
                await this.warm.initialize();
                this.prefix = other?.(this.warm) ?? [];
                this.cold = new Server(made, { prefix: this.prefix, args: [...this.args, '--set', 'run.warm=0'] });
                await this.cold.initialize();
        }

        // ready(): sandboxes wait, made before what happens from now on
        async ready() {
                await this.warm.bash('true');
                await until('sandboxes wait', () => waiting(this.warm).length >= KEPT);
                return later();
        }

        run(command) {
                const words = ['run', '--backend', 'native', '--workspace', this.place.workspace, wrapped(command)];
                const [program, ...rest] = [...this.prefix, this.place.bailey, ...words];

                return bailey({ ...this.place, bailey: program }, ...rest);
        }

        // makers(): who makes them
        makers() {
                return processes.all().filter(({ pid, parent, session, name }) =>
                        parent === this.warm.pid && session === pid && name !== 'bailey-tmp');
        }

        // same(COMMAND): what all of them answer; `apart`: `bailey run` may answer something else
        async same(command, { apart } = {}) {
                const warm = await asked(this.warm, command), cold = await asked(this.cold, command);

                assert.deepEqual({ ...warm, start: 0 }, { ...cold, start: 0 }, `${command}: warm, cold`);
                if (apart)
                        return warm;
                const { status, stdout } = await this.run(command);
                assert.deepEqual({ code: warm.code, output: warm.output }, { code: status, output: take(stdout).output }, `${command}: warm, run`);
                return warm;
        }

        async end() {
                await this.warm.end();
                await this.cold.end();
                await leave(this.place);
        }

        kill() {
                this.warm?.child.kill('SIGKILL');
                this.cold?.child.kill('SIGKILL');
        }
}

// twins(OPTIONS, BODY): a place with both, and the end of them
export async function twins(options, body) {
        const pair = new Twins(options);

        try {
                await options.prepare?.(pair.place);
                await pair.begin(options.begin?.(pair.place));
                await body(pair);
                await pair.end();
        } catch (error) {
                error.stack += `\nstderr: ${pair.warm?.stderr}${pair.cold?.stderr}`;
                throw error;
        } finally {
                pair.kill();
        }
}
