// `bailey run -- node server.js`: the official clients talk to an official server in the sandbox over stdin and stdout, byte for byte.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { packages } from './official.mjs';
import { leave, place } from './server.mjs';
import { assert, run, test } from './tap.mjs';

const need = createRequire(path.join(packages, 'any.cjs'));
const info = { name: 'bailey-tests', version: '1' };

// Logs what comes in, as bytes.
const SERVER = `
const need = require('node:module').createRequire(process.argv[2] + '/any.cjs');
const { McpServer } = need('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = need('@modelcontextprotocol/sdk/server/stdio.js');
const { z } = need('zod');
const server = new McpServer({ name: 'inside', version: '1' });
process.stdin.on('data', (bytes) => require('node:fs').appendFileSync('received', bytes));
server.registerTool('echo', { inputSchema: { text: z.string() } },
        ({ text }) => ({ content: [{ type: 'text', text: text + '|' + process.stdin.isTTY }] }));
server.connect(new StdioServerTransport());
`;

const clients = [
        ['sdk 1', '@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'],
        ['client 2', '@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'],
];

const texts = ['text', '\u001b]52;c;eA==\u0007\u0000\u009b5i \u{1f600} \u202e\r\n', 'x'.repeat(300_000)];

for (const [name, client, stdio] of clients)
        for (const backend of ['native', 'bwrap', 'landlock'])
                test(`inside: ${name}, ${backend}`, async () => {
                        const made = place();
                        const { Client } = need(client), { StdioClientTransport } = need(stdio);
                        const transport = new StdioClientTransport({
                                command: made.bailey,
                                args: ['run', '--backend', backend, '--set', 'sandbox.protect_workspace=' + (backend !== 'landlock'),
                                        '--read', packages, '-t', '0', '--', process.execPath, 'server.cjs', packages],
                                env: made.environment, cwd: made.workspace, stderr: 'inherit',
                        });
                        const session = new Client(info);
                        let sent = '';

                        fs.writeFileSync(path.join(made.workspace, 'server.cjs'), SERVER);
                        await session.connect(transport);
                        const { send } = transport;
                        transport.send = (message, ...more) => {
                                sent += JSON.stringify(message) + '\n';
                                return send.call(transport, message, ...more);
                        };
                        assert.deepEqual((await session.listTools()).tools.map((each) => each.name), ['echo']);
                        for (const text of texts)
                                assert.equal((await session.callTool({ name: 'echo', arguments: { text } })).content[0].text, `${text}|undefined`);
                        assert.ok(sent.length > 300_000);
                        assert.ok(fs.readFileSync(path.join(made.workspace, 'received'), 'utf8').endsWith(sent), 'not what was sent');
                        await session.close();
                        await leave(made);
                });

await run();
