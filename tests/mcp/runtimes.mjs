// bash_container_status asks programs that may hang or talk out of turn.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as processes from './processes.mjs';
import { nothingLeft, serve, tag } from './server.mjs';
import { assert, Skip, sleep, test, until } from './tap.mjs';

// Runtimes are sought in fixed places, so the server gets a view of the files in which these are others.
const unshare = ['unshare', ...(process.getuid() === 0 ? [] : ['--map-root-user']), '--mount'];

// runtimes(NAME, SCRIPT, BODY): a server that finds this script as every runtime
function runtimes(name, script, body) {
        const mark = tag();

        function prepare({ dir }) {
                const bin = path.join(dir, 'bin');

                fs.mkdirSync(bin);
                for (const each of ['docker', 'podman', 'runsc'])
                        fs.writeFileSync(path.join(bin, each), `#!/bin/sh\n${script.replaceAll('MARK', mark).replaceAll('BIN', bin)}\n`, { mode: 0o755 });
                const cover = 'for place in /usr/bin /usr/local/bin /usr/sbin /usr/local/sbin; do ' +
                        'for name in docker podman runsc; do if [ -e $place/$name ]; then mount --bind "$0/$name" $place/$name; fi; done; done; ' +
                        'mount --bind "$0" /usr/local/sbin; exec "$@"';
                return { prefix: [...unshare, 'sh', '-c', cover, bin] };
        }

        test(`runtimes: ${name}`, () => {
                if (spawnSync(unshare[0], [...unshare.slice(1), 'true']).status !== 0)
                        throw new Skip('no mount namespace: needs root or user namespaces');
                return serve({ prepare }, (server) => body(server, mark));
        });
}

const ask = { name: 'bash_container_status', arguments: {} };

runtimes('they neither hear nor say anything on the wire', 'touch BIN/asked; cat; echo noise; echo noise >&2; exit 1',
        async (server, mark) => {
                const answers = [server.request('tools/call', ask), ...Array.from({ length: 20 }, () => server.request('ping'))];

                for (const { error } of await Promise.all(answers))
                        assert.equal(error, undefined);
                assert.deepEqual(server.noise, []);
                assert.ok(fs.existsSync(path.join(server.place.dir, 'bin/asked')), 'the wrong runtimes were asked');
                await nothingLeft(mark);
        });

runtimes('one that hangs holds up nobody', 'sleep 1000.MARK', async (server, mark) => {
        const answer = server.call(ask.name, {});

        await until('it hangs', () => processes.marked(mark).length > 0);
        assert.equal((await server.request('ping')).error, undefined);
        assert.match(JSON.stringify((await answer).structuredContent), /runtimes/);
        await nothingLeft(mark);
});

runtimes('one that hangs goes when the call is cancelled', 'sleep 1000.MARK', async (server, mark) => {
        let soon = false;

        // It would go after five seconds, too: one time out of some is enough to see that it did not wait for these.
        for (let i = 0; i < 10 && !soon; i++) {
                server.send({ jsonrpc: '2.0', id: `asked ${i}`, method: 'tools/call', params: ask });
                await until('it hangs', () => processes.marked(mark).length > 0);
                const start = performance.now();
                server.notify('notifications/cancelled', { requestId: `asked ${i}` });
                await nothingLeft(mark);
                soon = performance.now() - start < 3000;
                await sleep(500);
                assert.deepEqual(server.about(`asked ${i}`), []);
        }
        assert.ok(soon, 'it went when its time was over');
});

for (const signal of ['SIGTERM', 'SIGKILL'])
        runtimes(`one that hangs goes with the server: ${signal}`, 'sleep 1000.MARK', async (server, mark) => {
                server.send({ jsonrpc: '2.0', id: 'asked', method: 'tools/call', params: ask });
                await until('it hangs', () => processes.marked(mark).length > 0);
                server.child.kill(signal);
                await server.exited;
                await nothingLeft(mark);
        });
