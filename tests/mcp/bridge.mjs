// The server over HTTP, for test programs that speak nothing else: each session has a server of its own, and requests without one share one.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { meta, Server } from './server.mjs';

const STATELESS = Object.keys(meta())[0];
const SESSION = 'mcp-session-id';
const STATUS = { [-32601]: 404, [-32700]: 400, [-32600]: 400, [-32602]: 400, [-32022]: 400 }; // of errors, where there are no sessions

async function body(request) {
        const pieces = [];

        for await (const piece of request)
                pieces.push(piece);
        return JSON.parse(Buffer.concat(pieces).toString() || 'null');
}

function reply(response, status, message, headers = {}) {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(message && JSON.stringify(message));
}

export class Bridge {
        constructor(made) {
                this.place = made;
                this.servers = new Map();
                this.ids = 0;
                this.http = http.createServer((request, response) => {
                        this.#take(request, response).catch((error) => reply(response, 500, { error: String(error) }));
                });
        }

        async listen() {
                await new Promise((resolve) => this.http.listen(0, '127.0.0.1', resolve));
                return `http://127.0.0.1:${this.http.address().port}/mcp`;
        }

        async close() {
                this.http.closeAllConnections();
                await new Promise((resolve) => this.http.close(resolve));
                for (const server of this.servers.values())
                        await server.end();
        }

        #server(session) {
                if (!this.servers.has(session))
                        this.servers.set(session, new Server(this.place));
                return this.servers.get(session);
        }

        async #take(request, response) {
                if (request.method !== 'POST')
                        return reply(response, 405);
                const message = await body(request);
                const stateless = message.params?._meta?.[STATELESS] !== undefined || message.method === 'server/discover';
                const session = message.method === 'initialize' ? randomUUID() : stateless ? 'none' : request.headers[SESSION] ?? 'none';
                const server = this.#server(session);

                if (message.id === undefined || message.method === undefined) {
                        server.send(message);
                        return reply(response, 202);
                }
                return this.#ask(server, message, response, stateless, session === 'none' ? {} : { [SESSION]: session });
        }

        // Ids and progress tokens of different clients may be the same, so each gets one of the bridge's own.
        async #ask(server, message, response, stateless, headers) {
                const id = ++this.ids, token = message.params?._meta?.progressToken;
                const sent = structuredClone({ ...message, id });
                const event = (what) => {
                        if (!response.headersSent)
                                response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
                        response.write(`event: message\ndata: ${JSON.stringify(what)}\n\n`);
                };

                if (token !== undefined)
                        sent.params._meta.progressToken = id;
                server.progressed.set(id, (params) => event({ jsonrpc: '2.0', method: 'notifications/progress', params: { ...params, progressToken: token } }));
                const answer = server.answer(id);
                server.send(sent);
                const done = { ...await answer, id: message.id };
                server.progressed.delete(id);
                if (response.headersSent) {
                        event(done);
                        return response.end();
                }
                return reply(response, stateless && done.error ? STATUS[done.error.code] ?? 200 : 200, done, headers);
        }
}
