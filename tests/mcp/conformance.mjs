// The conformance test of the protocol, in the revisions whose requirements it knows. It speaks HTTP, hence the bridge. What fails must be
// in conformance.yml, and what is there must fail.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { Bridge } from './bridge.mjs';
import { leave, place, root } from './server.mjs';
import { assert, figure, run, test } from './tap.mjs';

const program = path.join(root, 'build/npm/node_modules/.bin/conformance');
const expected = path.join(root, 'tests/mcp/conformance.yml');
const revisions = { '2025-11-25': 35, '2026-07-28': 60 }; // checks that passed when this was written, and some less

function conformance(made, url, revision) {
        return new Promise((resolve, reject) => {
                const words = [program, 'server', '--url', url, '--requirements', revision, '--expected-failures', expected, '--timeout', '120000'];
                const child = spawn(process.execPath, words, { cwd: made.dir, env: { ...made.environment, NO_COLOR: '1' } });
                let said = '';

                for (const stream of ['stdout', 'stderr'])
                        child[stream].setEncoding('utf8').on('data', (piece) => { said += piece; });
                child.on('error', reject);
                child.on('close', (code) => resolve({ code, said }));
        });
}

for (const [revision, least] of Object.entries(revisions))
        test(`conformance: ${revision}`, async () => {
                const made = place(), bridge = new Bridge(made);
                const { code, said } = await conformance(made, await bridge.listen(), revision);
                const [, passed, failed] = /Total: (\d+) passed, (\d+) failed/.exec(said) ?? [];

                await bridge.close();
                assert.equal(code, 0, said.slice(-3500));
                figure(`conformance ${revision}: ${passed} checks passed, ${failed} failed, which are listed or not scored`);
                assert.ok(Number(passed) >= least, `${passed} checks passed, not ${least}`);
                await leave(made);
        });

await run();
