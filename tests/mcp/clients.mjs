// What the official clients see of the server: each test, with each client, in each revision.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020, clients } from './official.mjs';
import * as processes from './processes.mjs';
import { TOOLS, allGone, bailey, leave, place, tag, text } from './server.mjs';
import { assert, figure, run, sleep, test, until } from './tap.mjs';

const CANCEL_MS = 60_000; // promised: 500, which the figure shows; a busy machine gets more
const description = 'something a test needs';
const BASH = ['exit_code', 'signal', 'timed_out', 'cancelled', 'output', 'truncated_bytes', 'duration_ms', 'backend', 'enforced',
        'warnings', 'explanation'];
const BASH_OUTPUT = ['shell_id', 'command', 'status', 'started', 'stdout', 'stderr', 'stdout_bytes', 'stderr_bytes',
        'stdout_truncated_bytes', 'stderr_truncated_bytes', 'next'];

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

function tool(session, name) {
        return session.tools.find((each) => each.name === name);
}

// The client has validated it already, or should have: this is a second opinion.
function check(session, name, result) {
        const validate = ajv.compile(tool(session, name).outputSchema);

        assert.ok(Array.isArray(result.content) && result.content.length > 0, 'no content');
        if (!result.isError || result.structuredContent)
                assert.ok(validate(result.structuredContent), JSON.stringify([validate.errors, result.structuredContent]));
        return result;
}

async function call(session, name, args, options) {
        return check(session, name, await session.call(name, args, options));
}

function bash(session, command, more, options) {
        return call(session, 'Bash', { command, description, ...more }, options);
}

const cases = {
        async 'agrees on the revision, and says who it is'(session, { revision, place }) {
                assert.equal(session.revision, revision);
                assert.equal(session.server?.name, 'bailey');
                assert.ok((await bailey(place, '--version')).stdout.includes(session.server.version));
        },

        'lists its tools'(session) {
                assert.deepEqual(session.tools.map((each) => each.name).sort(), TOOLS);
                for (const each of session.tools) {
                        assert.ok(each.title, `${each.name}: no title`);
                        assert.ok(each.description.length > 40, `${each.name}: too short a description`);
                        assert.equal(each.inputSchema.type, 'object');
                        assert.equal(each.outputSchema.type, 'object');
                        assert.ok(ajv.compile(each.inputSchema) && ajv.compile(each.outputSchema));
                        for (const [name, property] of Object.entries(each.inputSchema.properties))
                                assert.ok(property.description && property.type, `${each.name}: ${name} is not described`);
                        for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'])
                                assert.equal(typeof each.annotations[hint], 'boolean', `${each.name}: ${hint}`);
                }
        },

        'says the truth in hints and schemas'(session) {
                const hints = (name) => tool(session, name).annotations;
                const properties = (name) => Object.keys(tool(session, name).inputSchema.properties).sort();

                for (const name of ['BashOutput', 'bash_container_status', 'bash_sandbox_test'])
                        assert.ok(hints(name).readOnlyHint && !hints(name).destructiveHint, name);
                assert.ok(!hints('Bash').readOnlyHint && hints('Bash').destructiveHint && !hints('Bash').idempotentHint);
                assert.ok(!hints('KillShell').readOnlyHint && hints('KillShell').idempotentHint);
                assert.deepEqual(properties('Bash'),
                        ['columns', 'command', 'cwd', 'description', 'fresh', 'needs', 'pty', 'rows', 'run_in_background', 'stdin', 'timeout',
                                'timeout_ms']);
                assert.deepEqual([...tool(session, 'Bash').inputSchema.required].sort(), ['command']);
                assert.deepEqual(properties('BashOutput'), ['filter', 'screen', 'shell_id', 'since', 'wait_ms']);
                assert.deepEqual(tool(session, 'BashOutput').inputSchema.required, ['shell_id']);
                assert.deepEqual(properties('BashInput'), ['columns', 'eof', 'input', 'keys', 'rows', 'shell_id', 'signal']);
                assert.deepEqual(tool(session, 'BashInput').inputSchema.required, ['shell_id']);
                assert.deepEqual(properties('KillShell'), ['shell_id', 'signal']);
                assert.deepEqual(tool(session, 'KillShell').inputSchema.required, ['shell_id']);
                assert.deepEqual(properties('bash_sandbox_test'), ['command']);
        },

        async 'runs a command'(session) {
                const result = await bash(session, 'echo hello; echo "$PWD"');
                const structured = result.structuredContent;

                assert.ok(!result.isError);
                assert.equal(text(result).trimEnd(), structured.output.trimEnd());
                assert.match(structured.output, /^hello\n\/.*\/ws\n$/);
                for (const name of BASH)
                        assert.ok(name in structured, `no ${name}`);
                assert.equal(structured.exit_code, 0);
                assert.equal(structured.timed_out, false);
                assert.equal(structured.cancelled, false);
                assert.equal(structured.truncated_bytes, 0);
                assert.ok(structured.backend && structured.enforced.length > 0);
        },

        async 'merges stdout and stderr in their true order'(session) {
                const lines = Array.from({ length: 50 }, (_, i) => `out ${i}\nerr ${i}\n`).join('');
                const { structuredContent } = await bash(session, 'for i in {0..49}; do echo "out $i"; echo "err $i" >&2; done');

                assert.equal(structuredContent.output, lines);
        },

        async 'tells exit codes and signals'(session) {
                const failed = await bash(session, 'echo before; exit 3');
                const killed = await bash(session, 'kill -SEGV $$');
                const unfinished = await bash(session, 'printf "no newline"; exit 1');

                assert.equal(text(failed).trimEnd(), 'before\nexit: 3');
                assert.equal(failed.structuredContent.exit_code, 3);
                assert.match(text(killed).trimEnd(), /(^|\n)exit: 139$/);
                assert.equal(killed.structuredContent.exit_code, 139);
                assert.ok([11, 'SIGSEGV'].includes(killed.structuredContent.signal), String(killed.structuredContent.signal));
                assert.equal(text(unfinished).trimEnd(), 'no newline\nexit: 1');
        },

        async 'ends what takes too long'(session) {
                const mark = tag();
                const inSeconds = await bash(session, `echo before; sleep 1000.${mark}`, { timeout: 8 }); // time to begin, too
                const inMilliseconds = await bash(session, `sleep 1000.${mark}`, { timeout_ms: 300 });

                assert.match(text(inSeconds), /^before\n(bailey: .*\n)*bailey: The command timed out after 8 s and was killed\. .*\nexit: 124\n?$/);
                assert.match(text(inMilliseconds), /^(bailey: .*\n)*bailey: The command timed out after 0\.3 s and was killed\. .*\nexit: 124\n?$/);
                for (const { structuredContent } of [inSeconds, inMilliseconds]) {
                        assert.equal(structuredContent.timed_out, true);
                        assert.equal(structuredContent.exit_code, 124);
                }
                assert.deepEqual(processes.marked(mark), []);
        },

        async 'reports progress, and none after the result'(session, { place }) {
                const seen = [];
                const command = 'i=0; until [ -e enough ]; do echo "line $((++i))"; sleep 0.1; done; rm enough';
                const start = performance.now();
                const running = bash(session, command, {}, { onprogress: (progress) => seen.push(progress) });

                await until('there are some', () => seen.length >= 2);
                fs.writeFileSync(path.join(place.workspace, 'enough'), '');
                const result = await running;
                const seconds = (performance.now() - start) / 1000;

                assert.equal(result.structuredContent.exit_code, 0);
                assert.ok(seen.length <= seconds + 1, `${seen.length} messages in ${seconds} s`);
                seen.reduce((before, { progress }) => {
                        assert.ok(progress > before, 'progress goes up');
                        return progress;
                }, -1);
                assert.match(seen.at(-1).message, /line \d/);
                await sleep(1500); // a late one would be seen
        },

        async 'a cancelled call ends, with all its processes, and is never answered'(session, { name }) {
                const mark = tag(), stop = new AbortController();
                const cancelled = bash(session, `sleep 1000.${mark} & sleep 2000.${mark}`, {}, { signal: stop.signal });

                cancelled.catch(() => {});
                await until('it runs', () => processes.running(`sleep 1000.${mark}`).length && processes.running(`sleep 2000.${mark}`).length);
                const start = performance.now();
                stop.abort('enough');
                await assert.rejects(cancelled);
                await until('it is gone', () => processes.marked(mark).length === 0);
                const took = Math.round(performance.now() - start);
                figure(`${name}: cancelled in ${took} ms`);
                assert.ok(took < CANCEL_MS, `${took} ms`);
                assert.equal((await bash(session, 'echo next')).structuredContent.output, 'next\n');
                await sleep(1000); // an answer that came now would be an error of the client's
        },

        async 'keeps background shells'(session, { place }) {
                const started = await bash(session,
                        'rm -f go; echo one; echo two >&2; until [ -e go ]; do sleep 0.05; done; echo three; exit 4',
                        { run_in_background: true });
                const { shell_id } = started.structuredContent;
                const first = await until('it said something', async () => {
                        const { structuredContent: now } = await call(session, 'BashOutput', { shell_id, wait_ms: 500 });
                        return now.stdout && now.stderr && now;
                });
                fs.writeFileSync(path.join(place.workspace, 'go'), '');
                const last = await until('it has ended', async () => {
                        const { structuredContent: now } = await call(session, 'BashOutput',
                                { shell_id, since: first.next, wait_ms: 5000 });
                        return now.status !== 'running' && now;
                });
                const all = (await call(session, 'BashOutput', { shell_id })).structuredContent;

                assert.match(shell_id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
                assert.ok(text(started).includes(shell_id));
                for (const name of BASH_OUTPUT)
                        assert.ok(name in first, `no ${name}`);
                assert.deepEqual([first.stdout, first.stderr, first.status], ['one\n', 'two\n', 'running']);
                assert.equal(last.status, 'completed (exit 4)');
                assert.deepEqual([last.stdout, last.stderr], ['three\n', '']);
                assert.deepEqual([all.stdout, all.stderr, all.stdout_bytes, all.stderr_bytes], ['one\nthree\n', 'two\n', 10, 4]);
        },

        async 'kills background shells, and again'(session) {
                const mark = tag();
                const { structuredContent: { shell_id } } = await bash(session, `echo up; sleep 1000.${mark}`,
                        { run_in_background: true });

                await until('it runs', () => processes.running(`sleep 1000.${mark}`).length > 0);
                await call(session, 'BashOutput', { shell_id, wait_ms: 5000 });
                const first = await call(session, 'KillShell', { shell_id });
                await until('it is gone', () => processes.marked(mark).length === 0);
                const again = await call(session, 'KillShell', { shell_id });
                const after = await call(session, 'BashOutput', { shell_id });
                const nobody = await call(session, 'KillShell', { shell_id: '00000000-0000-4000-8000-000000000000' });

                assert.ok(!first.isError && !again.isError);
                assert.equal(after.structuredContent.status, 'killed');
                assert.equal(after.structuredContent.stdout, 'up\n');
                assert.equal(nobody.isError, true);
        },

        async 'answers 50 calls at once, each its own'(session) {
                const commands = Array.from({ length: 50 }, (_, i) => `x=$(for j in {1..20}; do echo "${i} $j"; done); echo "$x"; echo "$x" | md5sum`);
                const results = await Promise.all(commands.map((command) => bash(session, command)));

                results.forEach(({ structuredContent: { output } }, i) => {
                        const lines = Array.from({ length: 20 }, (_, j) => `${i} ${j + 1}\n`).join('');
                        assert.equal(output, `${lines}${createHash('md5').update(lines).digest('hex')}  -\n`);
                });
        },

        async 'refuses, and says why and what to do instead'(session) {
                const refused = await bash(session, 'echo first > made; rm -rf /');

                assert.equal(refused.isError, true);
                assert.match(text(refused), /recursive-delete-root/);
                assert.match(text(refused), /recursive delete reaches \//);
                assert.match(text(refused), /Name a directory inside the workspace/);
                assert.match(text(await bash(session, 'ls')), /^(?!.*made)/s);
        },

        async 'tells what is wrong with arguments'(session) {
                const wrong = [
                        [{ description }, 'command'], [{ command: '', description }, 'command'], [{ command: 5, description }, 'command'],
                        [{ command: 'true', description: '' }, 'description'],
                        [{ command: 'true', description: ['x'] }, 'description'], [undefined, 'command'],
                        [{ command: 'true', description, timeout: 'soon' }, 'timeout'],
                        [{ command: 'true', description, run_in_background: 'yes' }, 'run_in_background'],
                ];

                for (const [args, name] of wrong) {
                        const result = await session.call('Bash', args);
                        assert.equal(result.isError, true, JSON.stringify(args));
                        assert.ok(text(result).includes(name), `${JSON.stringify(args)}: ${text(result)}`);
                }
        },

        async 'knows no other tool'(session) {
                const answer = await session.call('Bush', { command: 'true', description }).catch((error) => error);

                assert.ok(answer.isError || answer.code === -32602, JSON.stringify(answer));
                assert.match(JSON.stringify(answer) + answer.message, /Bush/);
        },

        async 'judges a command without running it'(session) {
                const judge = async (command) => (await call(session, 'bash_sandbox_test', { command })).structuredContent;

                assert.equal((await judge('touch judged')).action, 'allowed');
                assert.equal((await judge('chmod 777 judged')).action, 'warned');
                const blocked = await judge('rm -rf /');
                assert.equal(blocked.action, 'blocked');
                assert.ok(blocked.reasons.some((reason) => reason.rule === 'recursive-delete-root'));
                assert.match(text(await call(session, 'bash_sandbox_test', { command: 'echo x | tee y; rm -rf /' })),
                        /^blocked\nrecursive-delete-root: .*\ncommands\n {2}echo x\n {2}tee y\n {2}rm -rf \/$/s);
                assert.equal((await bash(session, 'ls -A judged')).structuredContent.exit_code, 2);
        },

        async 'tells about containers'(session) {
                const result = await call(session, 'bash_container_status', {});

                assert.ok(!result.isError);
                assert.match(JSON.stringify(result.structuredContent), /runtimes/);
                assert.match(JSON.stringify(result.structuredContent), /ubuntu:22\.04/);
        },
};

for (const { name, revision, connect } of clients) {
        const context = { name, revision };
        let session;

        test(`${name}: connects`, async () => {
                context.place = place();
                session = await connect(context.place);
        }, name);
        for (const [what, body] of Object.entries(cases)) // one server for all
                test(`${name}: ${what}`, async () => body(session, context), name);
        test(`${name}: nothing came that the client did not expect, and the server goes with it`, async () => {
                const family = processes.descendants(session.pid);
                const start = performance.now();

                assert.deepEqual(session.errors, []);
                await session.client.close();
                figure(`${name}: closed in ${Math.round(performance.now() - start)} ms`);
                await allGone(family);
                assert.equal((await bailey(context.place, 'audit', 'verify')).status, 0);
                await leave(context.place);
        }, name);
}

await run();
