// A place to work in (home, workspace, a copy of the program that nobody else runs), and the server there, spoken to line by line.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as processes from './processes.mjs';
import { assert, until, within } from './tap.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

// For all servers of a suite: --set run.warm=0, ...
export const flags = (process.env.TEST_FLAGS ?? '').split(' ').filter(Boolean);

// Of the server, sorted.
export const TOOLS = ['Bash', 'BashInput', 'BashOutput', 'KillShell', 'bash_container_status', 'bash_sandbox_test'];

const program = path.resolve(process.env.BAILEY ?? path.join(root, 'build/asan/bailey'));
const release = path.join(root, 'build/bailey');

// For what is measured, or done very often: the release build, if there is one.
export const shipped = fs.existsSync(release) ? release : program;

const places = new Set();
let tags = 0;

// tag(): a number that stands in no other command line: `sleep 1000.TAG`; all are of one length, so none is a part of another's
export function tag() {
        return `${String(process.pid).padStart(7, '0')}${String(++tags).padStart(4, '0')}`;
}

// place({ CONFIG }): CONFIG is the text of the user's config.toml
export function place({ config = '', binary = program } = {}) {
        const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bailey-mcp.'));
        const made = { dir, home: path.join(dir, 'home'), workspace: path.join(dir, 'ws'), bailey: path.join(dir, 'bailey') };

        fs.mkdirSync(path.join(made.home, '.config/bailey'), { recursive: true });
        fs.mkdirSync(made.workspace);
        fs.copyFileSync(binary, made.bailey);
        fs.writeFileSync(path.join(made.home, '.config/bailey/config.toml'), config);
        made.environment = { HOME: made.home, PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', BAILEY_HOME_DIR: path.join(made.dir, 'homes') };
        for (const name of ['ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS'])
                if (process.env[name])
                        made.environment[name] = process.env[name];
        places.add(made);
        return made;
}

// leave(PLACE): nothing of it may be left running
export async function leave(made) {
        places.delete(made);
        await nothingLeft(made.dir);
        fs.rmSync(made.dir, { recursive: true, force: true });
}

export async function nothingLeft(text, ms = 60_000) {
        try {
                await until('nothing is left', () => processes.marked(text).length === 0, ms);
        } catch {
                assert.fail(`still running:\n${processes.describe(processes.marked(text))}`);
        }
}

export async function allGone(family, ms = 60_000) {
        await until('all are gone', () => !family.some(processes.alive), ms).catch(() => {
                assert.fail(`still running:\n${processes.describe(family.filter(processes.alive))}`);
        });
}

process.on('exit', () => {
        for (const made of places)
                fs.rmSync(made.dir, { recursive: true, force: true });
});

// bailey(PLACE, ARGUMENT...): the program itself, in the same place
export function bailey(made, ...args) {
        return new Promise((resolve) => {
                execFile(made.bailey, args, { cwd: made.workspace, env: made.environment, timeout: 200_000, maxBuffer: 1 << 26 },
                        (error, stdout, stderr) => resolve({ status: error ? error.code : 0, stdout, stderr }));
        });
}

// The cursor before all output: without one, what is more than an answer holds has its middle left out.
export const FIRST = '0.0';

const MODERN = '2026-07-28';
const clientInfo = { name: 'bailey-tests', version: '1' };

// meta(VERSION): what every request of the stateless revision carries
export function meta(version = MODERN, capabilities = {}) {
        return {
                'io.modelcontextprotocol/protocolVersion': version,
                'io.modelcontextprotocol/clientInfo': clientInfo,
                'io.modelcontextprotocol/clientCapabilities': capabilities,
        };
}

// A server and everything it said. Whatever is no JSON object in a line of its own goes to `noise`.
export class Server {
        constructor(made, { args = [], env = {}, prefix = [] } = {}) {
                this.place = made;
                this.messages = [];
                this.noise = [];
                this.stderr = '';
                this.waiting = new Map();
                this.progressed = new Map(); // whoever wants progress, by its token
                this.nextId = 1;
                const [command, ...words] = [...prefix, made.bailey, 'mcp', '--workspace', made.workspace, ...flags, ...args];
                this.child = spawn(command, words, { cwd: made.workspace, env: { ...made.environment, ...env } });
                this.pid = this.child.pid;
                this.exited = new Promise((resolve) => {
                        this.child.on('exit', (code, signal) => resolve({ code, signal, at: performance.now() }));
                });
                this.closed = new Promise((resolve) => this.child.on('close', resolve));
                this.child.stdin.on('error', () => {}); // it may be gone already
                this.child.stderr.setEncoding('utf8').on('data', (text) => { this.stderr += text; });
                this.pieces = [];
                this.child.stdout.on('data', (bytes) => this.#take(bytes));
                this.child.stdout.on('end', () => {
                        if (this.pieces.length)
                                this.noise.push(Buffer.concat(this.pieces).toString('latin1'));
                });
        }

        #take(bytes) {
                for (let end; (end = bytes.indexOf(10)) >= 0; bytes = bytes.subarray(end + 1)) {
                        this.#line(Buffer.concat([...this.pieces, bytes.subarray(0, end)]));
                        this.pieces = [];
                }
                if (bytes.length)
                        this.pieces.push(bytes);
        }

        #line(bytes) {
                const at = performance.now();
                let message;

                try {
                        message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
                } catch {
                        message = undefined;
                }
                if (message === null || typeof message !== 'object' || bytes.includes(13)) {
                        this.noise.push(bytes.toString('latin1'));
                        return;
                }
                this.messages.push({ at, bytes: bytes.length, message });
                if (message.method === 'notifications/progress')
                        this.progressed.get(message.params.progressToken)?.(message.params);
                const key = JSON.stringify(message.id);
                if (!message.method && this.waiting.has(key)) {
                        this.waiting.get(key)(message);
                        this.waiting.delete(key);
                }
        }

        write(text) {
                this.child.stdin.write(text);
        }

        send(message) {
                this.write(`${JSON.stringify(message)}\n`);
        }

        notify(method, params) {
                this.send({ jsonrpc: '2.0', method, ...(params && { params }) });
        }

        // answer(ID): the response to that request, whoever sent it; to be asked for before it is sent
        answer(id, ms = 200_000) {
                const answer = within(`the answer to ${JSON.stringify(id)}`, ms, new Promise((resolve) => {
                        this.waiting.set(JSON.stringify(id), resolve);
                }));

                answer.catch(() => {}); // whoever waits hears of it; a test that failed already does not
                return answer;
        }

        request(method, params, { id = this.nextId++, ms } = {}) {
                const answer = this.answer(id, ms);

                this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
                return answer;
        }

        async initialize(version = '2025-11-25', capabilities = {}) {
                const answer = await this.request('initialize', { protocolVersion: version, capabilities, clientInfo });

                assert.ok(answer.result, JSON.stringify(answer));
                this.notify('notifications/initialized');
                return answer.result;
        }

        // call(TOOL, ARGUMENTS): the tool's result; a JSON-RPC error is a failure here
        async call(name, args, { id, ms, progressToken } = {}) {
                const params = { name, arguments: args, ...(progressToken !== undefined && { _meta: { progressToken } }) };
                const answer = await this.request('tools/call', params, { id, ms });

                assert.ok(answer.result, JSON.stringify(answer));
                return answer.result;
        }

        bash(command, more = {}, options = {}) {
                return this.call('Bash', { command, description: 'something a test needs', ...more }, options);
        }

        async background(command, more = {}) {
                const result = await this.bash(command, { run_in_background: true, ...more });

                assert.ok(!result.isError, JSON.stringify(result));
                return result.structuredContent.shell_id;
        }

        async output(shell_id, more = {}) {
                return (await this.call('BashOutput', { shell_id, ...more })).structuredContent;
        }

        // ended(SHELL_ID): what it said in the end
        ended(shell_id, ms) {
                return until(`shell ${shell_id} has ended`, async () => {
                        const now = await this.output(shell_id, { wait_ms: 1000 });
                        return now.status !== 'running' && now;
                }, ms);
        }

        about(id) {
                return this.messages.filter(({ message }) => message.id === id);
        }

        progress(token) {
                return this.messages.filter(({ message }) => message.params?.progressToken === token);
        }

        // end(): EOF, or a signal, and then it has to go, in peace, with all its processes, having said nothing but JSON
        async end(signal) {
                const family = processes.descendants(this.pid);
                const start = performance.now();

                if (signal)
                        this.child.kill(signal);
                else
                        this.child.stdin.end();
                const { code, signal: by, at } = await within('its end', 120_000, this.exited);
                await within('the end of its output', 120_000, this.closed);
                assert.deepEqual({ code, by, stderr: this.stderr }, { code: 0, by: null, stderr: this.stderr });
                assert.deepEqual(this.noise, [], 'something on stdout that is no JSON');
                await allGone(family);
                return Math.round(at - start);
        }
}

// serve(OPTIONS, BODY): a place, a server, what is done with it, and the end of both. `prepare` is asked before the start, and may
// give more options
export async function serve({ config, binary, version, capabilities, args, env, prepare } = {}, body) {
        const made = place({ config, binary });

        const server = new Server(made, { args, env, ...prepare?.(made) });
        try {
                if (version !== null)
                        await server.initialize(version, capabilities);
                await body(server, made);
                if (server.child.signalCode !== 'SIGKILL') // which the test has sent
                        await server.end();
        } catch (error) {
                if (server.stderr)
                        error.stack += `\nstderr: ${server.stderr}`;
                throw error;
        } finally {
                server.child.kill('SIGKILL');
        }
        await leave(made);
}

export function text(result) {
        return result.content.filter((part) => part.type === 'text').map((part) => part.text).join('');
}
