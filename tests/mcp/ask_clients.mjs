// Questions as the official clients hand them to their users, and what comes of each answer.
import fs from 'node:fs';
import path from 'node:path';
import { clients } from './official.mjs';
import { allGone, leave, place, text } from './server.mjs';
import * as processes from './processes.mjs';
import { assert, run, test } from './tap.mjs';

const config = '[guard]\nask = ["touch"]\n';

async function withUser(connect, answer, body) {
        const made = place({ config }), seen = [];
        const session = await connect(made, (params) => {
                seen.push(params);
                return typeof answer === 'function' ? answer(params) : answer;
        });
        const family = processes.descendants(session.pid);

        await body(session, seen, (name = 'made') => fs.existsSync(path.join(made.workspace, name)));
        assert.deepEqual(session.errors, []);
        await session.client.close();
        await allGone(family);
        await leave(made);
}

const touch = (session, more = {}) => session.call('Bash', { command: 'touch made', ...more });

for (const { name, revision, connect } of clients.filter((one) => one.revision >= '2025-06-18')) {
        test(`${name}: a question that is answered`, () => withUser(connect, { action: 'accept', content: { decision: 'once' } }, async (session, seen, made) => {
                const result = await touch(session);

                assert.equal(result.structuredContent.exit_code, 0, JSON.stringify(result));
                assert.ok(made());
                assert.match(seen[0].message, /\n\| touch made\n/);
                assert.deepEqual(seen[0].requestedSchema.required, ['decision']);
                await touch(session);
                assert.equal(seen.length, 2);
        }), name);

        for (const action of ['decline', 'cancel'])
                test(`${name}: ${action}`, () => withUser(connect, { action }, async (session, seen, made) => {
                        const result = await touch(session);

                        assert.equal(result.isError, true);
                        assert.match(text(result), /The user was asked, and has not agreed/);
                        assert.deepEqual([seen.length, made()], [1, false]);
                }), name);

        test(`${name}: for the session`, () => withUser(connect, { action: 'accept', content: { decision: 'session' } }, async (session, seen) => {
                assert.equal((await touch(session)).structuredContent.exit_code, 0);
                assert.equal((await touch(session, { command: 'touch more' })).structuredContent.exit_code, 0);
                assert.equal(seen.length, 1);
        }), name);

        if (revision < '2026') // since then no call is open while its user is asked
                test(`${name}: a call that is cancelled while its user is asked`, () => {
                        let asked;
                        const stop = new AbortController(), shown = new Promise((resolve) => { asked = resolve; });
                        const never = () => {
                                asked();
                                return new Promise(() => {});
                        };

                        return withUser(connect, never, async (session, seen, made) => {
                                const call = session.call('Bash', { command: 'touch made' }, { signal: stop.signal });

                                call.catch(() => {});
                                await shown;
                                stop.abort('enough');
                                await assert.rejects(call);
                                assert.equal((await session.call('Bash', { command: 'echo next' })).structuredContent.output, 'next\n');
                                assert.equal(made(), false);
                        });
                }, name);

        test(`${name}: hosts and paths`, () => withUser(connect, { action: 'accept', content: { decision: 'deny' } }, async (session, seen) => {
                const result = await session.call('Bash', { command: 'true', needs: { hosts: ['one.invalid'], reason: 'to look' } });

                assert.equal(result.isError, true);
                assert.match(seen[0].message, /one\.invalid/);
        }), name);
}

await run();
