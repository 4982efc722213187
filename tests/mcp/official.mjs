// The official clients, each in the revisions of the protocol that it can speak, behind one small face.
import { createRequire } from 'node:module';
import path from 'node:path';
import { flags, root } from './server.mjs';

// Packages are not beside this file: tests/mcp/install puts them into build/.
export const packages = path.join(root, 'build/npm');
const need = createRequire(path.join(packages, 'any.cjs'));

const sdk = need('@modelcontextprotocol/sdk/client/index.js');
const sdkTypes = need('@modelcontextprotocol/sdk/types.js');
const sdkStdio = need('@modelcontextprotocol/sdk/client/stdio.js');
const client = need('@modelcontextprotocol/client');
const clientStdio = need('@modelcontextprotocol/client/stdio');
export const { Ajv2020 } = need('ajv/dist/2020.js');

const info = { name: 'bailey-tests', version: '1' };
const timeout = 200_000; // theirs is a minute, which a busy machine may need for 50 calls at once

// One that asks for an older revision in the handshake, as an older client does.
class Older extends sdkStdio.StdioClientTransport {
        constructor(parameters, revision) {
                super(parameters);
                this.revision = revision;
        }

        send(message) {
                if (message.method === 'initialize')
                        message = { ...message, params: { ...message.params, protocolVersion: this.revision } };
                return super.send(message);
        }

        setProtocolVersion(revision) {
                this.agreed = revision;
        }
}

function parameters(place) {
        return { command: place.bailey, args: ['mcp', '--workspace', place.workspace, ...flags], env: place.environment,
                cwd: place.workspace, stderr: 'pipe' };
}

// Clients take answers at once, and notifications a moment later: where both come in one piece, as they do to a client that has been
// waiting for a processor, they complain of a progress whose call has been answered. So who came first is seen here.
function watch(session, transport) {
        const take = transport.onmessage, answered = new Set();

        transport.onmessage = (message, ...more) => {
                if (message.method === 'notifications/progress' && answered.has(message.params.progressToken))
                        session.errors.push(`progress behind the answer: ${JSON.stringify(message)}`);
                if (message.method === undefined)
                        answered.add(message.id);
                return take.call(transport, message, ...more);
        };
}

async function connected(session, transport) {
        session.errors = [];
        session.client.onerror = ({ message }) => {
                if (!/^Received a progress notification for an unknown token/.test(message))
                        session.errors.push(message);
        };
        transport.stderr?.resume();
        await session.client.connect(transport);
        watch(session, transport);
        session.pid = transport.pid;
        session.server = session.client.getServerVersion();
        session.tools = (await session.client.listTools()).tools; // validators of output are made here
        return session;
}

const asks = { capabilities: { elicitation: { form: {} } } };

// asking(CLIENT, METHOD, ANSWER): its user is ANSWER, which gets the parameters of a question; without one, nobody can be asked
function asking(made, method, answer) {
        if (answer)
                made.setRequestHandler(method, (request) => answer(request.params));
        return made;
}

function connectSdk(revision) {
        return async (place, answer) => {
                const transport = new Older(parameters(place), revision);
                const session = await connected({
                        client: asking(new sdk.Client(info, answer && asks), sdkTypes.ElicitRequestSchema, answer),
                        call(name, args, options) {
                                return this.client.callTool({ name, arguments: args }, undefined, { timeout, ...options });
                        },
                }, transport);

                session.revision = transport.agreed;
                return session;
        };
}

function connectClient(mode) {
        return async (place, answer) => {
                const transport = new clientStdio.StdioClientTransport(parameters(place));
                const session = await connected({
                        client: asking(new client.Client(info, { versionNegotiation: { mode }, ...(answer && asks) }), 'elicitation/create', answer),
                        call(name, args, options) {
                                return this.client.callTool({ name, arguments: args }, { timeout, ...options });
                        },
                }, transport);

                session.revision = session.client.getNegotiatedProtocolVersion();
                return session;
        };
}

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

export const clients = [
        ...legacy.map((revision) => ({ name: `sdk 1 at ${revision}`, revision, connect: connectSdk(revision) })),
        { name: 'client 2, legacy', revision: '2025-11-25', connect: connectClient('legacy') },
        { name: 'client 2, auto', revision: '2026-07-28', connect: connectClient('auto') },
        { name: 'client 2, pinned', revision: '2026-07-28', connect: connectClient({ pin: '2026-07-28' }) },
];
