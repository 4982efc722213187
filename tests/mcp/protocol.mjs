// What is on the wire, and what the server makes of lines that no official client would send.
import { meta, serve, text } from './server.mjs';
import * as processes from './processes.mjs';
import { assert, figure, sleep, test, until } from './tap.mjs';

const description = 'something a test needs';
const MIB = 1 << 20;

function wire(name, options, body) {
        test(`wire: ${name}`, () => serve(options, body));
}

// errors(SERVER): those that belong to no request
function errors(server) {
        return server.messages.filter(({ message }) => message.error && (message.id ?? null) === null).map(({ message }) => message.error);
}

async function lives(server) {
        assert.deepEqual((await server.request('ping')).result, {});
}

// refuses(SERVER, TEXT, CODES): a line that is answered by one error, and by nothing else
async function refuses(server, line, codes) {
        const before = server.messages.length;

        server.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
        await lives(server);
        const said = server.messages.slice(before, -1).map(({ message }) => message);
        assert.equal(said.length, 1, `${line.slice(0, 80)}: ${JSON.stringify(said)}`);
        assert.ok(codes.includes(said[0].error?.code), `${line.slice(0, 80)}: ${JSON.stringify(said)}`);
        assert.ok(said[0].error.message, 'an error without a message');
        assert.equal(said[0].jsonrpc, '2.0');
        return said[0];
}

// What agents are told has to hold for the policy in force: [name, options of the server, what the text says, what it does not].
const described = [
        ['default', {},
                [/in a sandbox/, /can write the workspace and \/tmp/, /no network access except to localhost/, /killed after 120 s/, /longer than 600 s/],
                [/WITHOUT/, /read-only/, /Only these commands/]],
        ['readonly', { args: ['--policy', 'readonly'] },
                [/workspace is read-only/, /Only these commands are allowed: grep, cat, ls/, /killed after 10 s/, /longer than 60 s/],
                [/can write the workspace/]],
        ['another network, times and no allowlist', {
                args: ['--network', 'inherit', '--set', 'guard.allow_curl_to_arbitrary_domains=true', '--set', 'run.timeout=2.5'] },
                [/has network access\./, /killed after 2\.5 s/], [/no network access/, /may name only/]],
        ['a network with an allowlist', { args: ['--network', 'inherit'] },
                [/has network access, but may name only hosts that the policy allows/], [/no network access/]],
        ['no sandbox and no guard', { args: ['--set', 'guard.mode=off'], env: { BAILEY_SANDBOX: 'none', BAILEY_ALLOW_NO_SANDBOX: '1' } },
                [/WITHOUT a sandbox/, /everything that the user can/, /has network access\./, /Commands are not blocked/],
                [/in a sandbox/, /no network/, /A blocked command does not run/]],
];

for (const [name, options, says, never] of described)
        wire(`descriptions follow the policy: ${name}`, { ...options, version: null }, async (server) => {
                const { instructions } = await server.initialize('2025-11-25');
                const { tools } = (await server.request('tools/list')).result;
                const bash = tools.find((tool) => tool.name === 'Bash');

                for (const pattern of says)
                        assert.match(bash.description, pattern);
                for (const pattern of never) {
                        assert.doesNotMatch(bash.description, pattern);
                        assert.doesNotMatch(instructions, pattern);
                }
                for (const pattern of says.filter((each) => !/killed|longer/.test(each.source)))
                        assert.match(instructions, pattern);
        });

wire('descriptions of arguments follow the policy', { config: '[run]\ntimeout = 7\ntimeout_max = 21\nkill_grace = 3\nmax_shells = 5\n' },
        async (server) => {
                const { tools } = (await server.request('tools/list')).result;
                const [bash, kill] = ['Bash', 'KillShell'].map((name) => tools.find((tool) => tool.name === name));

                assert.match(bash.inputSchema.properties.timeout.description, /default: 7 s, maximum: 21 s/);
                assert.match(bash.inputSchema.properties.run_in_background.description, /At most 5 can run/);
                assert.match(kill.description, /SIGKILL after 3 s/);
        });

for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
        wire(`${version} is spoken when it is asked for`, { version: null }, async (server) => {
                const result = await server.initialize(version);

                assert.equal(result.protocolVersion, version);
                assert.ok(result.capabilities.tools);
                assert.equal(result.serverInfo.name, 'bailey');
                assert.equal((await server.request('tools/list')).result.tools.length, 6);
        });

wire('a revision that nobody knows is answered with the newest', { version: null }, async (server) => {
        assert.equal((await server.initialize('1999-12-31')).protocolVersion, '2025-11-25');
        assert.equal((await server.bash('echo x')).structuredContent.output, 'x\n');
});

wire('an initialize without a revision is an error', { version: null }, async (server) => {
        for (const params of [undefined, {}, { protocolVersion: 5, capabilities: {} }])
                assert.equal((await server.request('initialize', params)).error?.code, -32602, JSON.stringify(params));
        await server.initialize();
});

wire('2026-07-28 needs no handshake', { version: null }, async (server) => {
        const discovered = await server.request('server/discover', { _meta: meta() }, { id: 'server-discover-probe-1' });
        const listed = (await server.request('tools/list', { _meta: meta() })).result;
        const called = (await server.request('tools/call', { name: 'Bash', arguments: { command: 'echo x', description }, _meta: meta() }))
                .result;

        assert.ok(discovered.result.supportedVersions.includes('2026-07-28'));
        assert.ok(discovered.result.capabilities.tools);
        for (const result of [discovered.result, listed, called])
                assert.equal(result.resultType, 'complete');
        for (const result of [discovered.result, listed]) {
                assert.ok(Number.isInteger(result.ttlMs) && result.ttlMs >= 0);
                assert.ok(['private', 'public'].includes(result.cacheScope));
        }
        assert.equal(listed.tools.length, 6);
        assert.equal(called.structuredContent.output, 'x\n');
        const { error } = await server.request('tools/list', { _meta: meta('2031-01-01') });
        assert.equal(error.code, -32022);
        assert.ok(JSON.stringify(error.data).includes('2026-07-28'), 'it says what it speaks');
});

wire('server/discover without _meta is told what is missing', { version: null }, async (server) => {
        const names = ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'];
        const { [names[1]]: capabilities, ...lacking } = meta();
        const { [names[0]]: version, ...unversioned } = meta();

        assert.ok(capabilities && version);
        for (const params of [undefined, {}, { _meta: {} }, { _meta: unversioned }, { _meta: lacking }]) {
                const { error } = await server.request('server/discover', params);

                assert.equal(error?.code, -32602, JSON.stringify(params));
                for (const name of names)
                        assert.ok(error.message.includes(name), error.message);
        }
        assert.equal((await server.request('ping', { _meta: meta() })).error?.code, -32601);
        assert.ok((await server.request('server/discover', { _meta: meta() })).result);
});

wire('older revisions have nothing of the newer ones', {}, async (server) => {
        assert.ok(!('resultType' in (await server.request('tools/list')).result));
        assert.ok(!('resultType' in await server.bash('true')));
});

wire('an unknown method is -32601, an unknown notification nothing', {}, async (server) => {
        for (const method of ['tools/lists', 'resources/list', 'prompts/list', 'completion/complete', '', 'x'.repeat(5000)]) {
                const { error } = await server.request(method, {});
                assert.equal(error?.code, -32601, method.slice(0, 50));
                assert.ok(error.message);
        }
        const before = server.messages.length;
        server.notify('notifications/whatever', { x: 1 });
        server.notify('notifications/cancelled', { requestId: 'nobody' });
        server.notify('notifications/cancelled', {});
        server.notify('notifications/cancelled', { requestId: { a: 1 } });
        server.notify('tools/call', { name: 'Bash', arguments: { command: 'touch made', description } });
        server.send({ jsonrpc: '2.0', id: 99, result: {} });
        server.send({ jsonrpc: '2.0', id: 98, error: { code: 1, message: 'x' } });
        await lives(server);
        assert.equal(server.messages.length, before + 1, JSON.stringify(server.messages.slice(before)));
        assert.equal((await server.bash('ls made')).structuredContent.exit_code, 2, 'a call without an id was carried out');
});

wire('ids come back as they were', {}, async (server) => {
        const ids = [0, 1, '1', -5, 2 ** 53 - 1, -(2 ** 53 - 1), '', 'ü"\\\n\u0000', 'x'.repeat(500), '2', 2];

        await Promise.all(ids.map(async (id) => {
                const { output } = (await server.bash(`sleep 0.2; echo ${typeof id}`, {}, { id })).structuredContent;
                assert.equal(output, `${typeof id}\n`);
        }));
});

wire('a number that is too large is told to whoever sent it', {}, async (server) => {
        const ping = (id, params = '{}') => `{"jsonrpc":"2.0","id":${id},"method":"ping","params":${params}}\n`;

        for (const [sent, known] of [['9223372036854775808', 2 ** 63], ['-9223372036854775809', -(2 ** 63)], ['1' + '0'.repeat(300), 1e300]]) {
                const answer = server.answer(known);
                server.write(ping(sent));
                const { error } = await answer;
                assert.equal(error.code, -32600);
                assert.match(error.message, /range.* ids .*9223372036854775807/);
        }
        for (const id of [17, -17, 'seventeen']) {
                const answer = server.answer(id), before = server.messages.length;
                server.write(ping(JSON.stringify(id), '{"large":9223372036854775808}'));
                assert.equal((await answer).error.code, -32600);
                assert.equal(server.messages.length, before + 1);
        }
        for (const line of [ping('1' + '0'.repeat(400)), ping('null', '{"large":9223372036854775808}'), '9223372036854775808\n'])
                assert.equal((await refuses(server, line.trim(), [-32600])).id ?? null, null, line.slice(0, 80));
        await lives(server);
});

wire('malformed lines get an error, and the server lives on', {}, async (server) => {
        for (const line of ['not json', '{', '{"jsonrpc":"2.0","id":1,"method":"ping"', '{"a":1}}', "{'a':1}", '\u0000', '{"a":\u0001}',
                '{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}'])
                assert.equal((await refuses(server, line, [-32700])).id ?? null, null);
        await refuses(server, Buffer.from('{"jsonrpc":"2.0","id":1,"method":"pi\xff\xfeng"}', 'latin1'), [-32700]);
        await refuses(server, '{"jsonrpc":"2.0","id":1\0,"method":"ping"}', [-32700]);
        for (const line of ['5', '"x"', 'null', 'true', '{}', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":7}',
                '{"jsonrpc":"2.0","id":7,"method":5}', '{"id":7,"method":"ping"}', '{"jsonrpc":"1.0","id":7,"method":"ping"}',
                '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"2.0","id":[1],"method":"ping"}',
                '{"jsonrpc":"2.0","id":true,"method":"ping"}'])
                await refuses(server, line, [-32600, -32700]);
        await refuses(server, '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}', [-32600, -32602]);
        await refuses(server, '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":"x"}', [-32600, -32602]);
        assert.equal((await server.bash('echo fine')).structuredContent.output, 'fine\n');
});

wire('a batch is refused, or answered as 2025-03-26 wants it', { version: null }, async (server) => {
        await server.initialize('2025-03-26');
        const before = server.messages.length;
        server.write('[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]\n[]\n');
        await lives(server);
        const said = server.messages.slice(before, -1).map(({ message }) => message);
        assert.equal(said.length, 2, JSON.stringify(said));
        if (Array.isArray(said[0]))
                assert.deepEqual(said[0].map((each) => each.id).sort(), ['a', 'b']);
        else
                assert.equal(said[0].error.code, -32600);
        assert.equal(said[1].error.code, -32600);
});

wire('calls that are no calls are errors of the protocol', {}, async (server) => {
        for (const params of [undefined, {}, { name: 5 }, { name: 'Bash', arguments: 'x' }, { name: 'Bash', arguments: [] }]) {
                const { error, result } = await server.request('tools/call', params);
                assert.ok(error?.code === -32602 || result?.isError, JSON.stringify([params, error, result]));
        }
        const unknown = await server.request('tools/call', { name: 'Bush', arguments: {} });
        assert.equal(unknown.error?.code, -32602, JSON.stringify(unknown));
        assert.match(unknown.error.message, /Bush/);
});

wire('any number of quick calls may come at once, and as many slow ones as there is room for', {}, async (server) => {
        const ask = (id, name, args) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;
        const quick = Array.from({ length: 400 }, (_, i) => server.answer(`quick ${i}`));

        server.write(quick.map((_, i) => ask(`quick ${i}`, 'bash_sandbox_test', { command: 'ls' })).join(''));
        for (const { result, error } of await Promise.all(quick))
                assert.equal(result?.structuredContent.action, 'allowed', JSON.stringify(error));
        const shell = await server.background('sleep 1000');
        const slow = Array.from({ length: 400 }, (_, i) => server.answer(`slow ${i}`));
        server.write(slow.map((_, i) => ask(`slow ${i}`, 'BashOutput', { shell_id: shell, wait_ms: 1000 })).join(''));
        const answers = await Promise.all(slow);
        assert.ok(answers.filter(({ result }) => result?.structuredContent.status === 'running').length >= 64);
        for (const { error } of answers)
                assert.ok(!error || /too many/.test(error.message), JSON.stringify(error));
        await lives(server);
});

wire('messages may come in any pieces', {}, async (server) => {
        const line = JSON.stringify({ jsonrpc: '2.0', id: 'pieces', method: 'ping', params: { note: 'grün\\u2028' } });
        const answer = server.answer('pieces');

        server.child.stdin.setDefaultEncoding('latin1');
        for (const byte of Buffer.from(line)) {
                server.write(Buffer.from([byte]));
                await sleep(1);
        }
        server.write('\n');
        assert.ok((await answer).result);
        const together = ['x', 'y', 'z'].map((id) => server.answer(id));
        server.write('\n  \n\r\n'); // empty lines are nothing
        server.write(['x', 'y', 'z'].map((id) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}\r\n`).join(''));
        await Promise.all(together);
        assert.deepEqual(errors(server), []);
});

wire('huge lines and deep nesting are refused in bounded memory', {}, async (server) => {
        const before = processes.residentKib(server.pid);

        await refuses(server, '['.repeat(500_000), [-32700, -32600]);
        await refuses(server, `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`,
                [-32700, -32600]);
        const chunk = 'x'.repeat(MIB);
        const start = server.messages.length;
        server.write('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"note":"');
        for (let i = 0; i < 96; i++) {
                if (!server.child.stdin.write(chunk))
                        await new Promise((resolve) => server.child.stdin.once('drain', resolve));
        }
        const during = processes.residentKib(server.pid);
        server.write('"}}\n');
        await lives(server);
        const said = server.messages.slice(start, -1).map(({ message }) => message);
        assert.equal(said.length, 1, JSON.stringify(said).slice(0, 500));
        assert.ok([-32700, -32600].includes(said[0].error?.code));
        figure(`a line of 96 MiB: RSS ${before} -> ${during} KiB`);
        if (!processes.sanitized(server.pid))
                assert.ok(during < 64 * 1024, `${during} KiB`);
        const long = await server.bash(`: ${'x'.repeat(2 * MIB)}`); // a line that is fine, with a command that is not
        assert.equal(long.isError, true);
        assert.match(text(long), /long|length|bytes/);
});

wire('a client that does not read for a while loses nothing', {}, async (server) => {
        const command = 'head -c 60000 /dev/zero | tr "\\0" x; echo';

        server.child.stdout.pause();
        const calls = Array.from({ length: 60 }, () => server.bash(command));
        await sleep(2000);
        const held = processes.residentKib(server.pid);
        server.child.stdout.resume();
        for (const { structuredContent } of await Promise.all(calls))
                assert.equal(structuredContent.output, `${'x'.repeat(60000)}\n`);
        figure(`60 calls with 60 kB each, unread: RSS ${held} KiB`);
        await lives(server);
});

wire('the last line needs no end', {}, async (server) => {
        const answer = server.answer('last');

        server.write('{"jsonrpc":"2.0","id":"last","method":"tools/list"}');
        server.child.stdin.end();
        assert.equal((await answer).result.tools.length, 6);
        await until('it is gone', () => server.child.exitCode !== null);
});

wire('what came before the end of input is answered', {}, async (server) => {
        const answer = server.answer('last');

        server.write('{"jsonrpc":"2.0","id":"last","method":"tools/list"}\n');
        server.child.stdin.end();
        assert.equal((await answer).result.tools.length, 6);
        await until('it is gone', () => server.child.exitCode !== null);
});
