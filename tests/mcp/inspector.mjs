// The inspector's command line against the server.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { packages } from './official.mjs';
import { TOOLS, leave, place, text } from './server.mjs';
import { assert, run, test } from './tap.mjs';

const program = path.join(packages, 'node_modules/.bin/mcp-inspector');

// inspect(PLACE, ARGUMENT...): what it printed
function inspect(made, ...args) {
        return new Promise((resolve, reject) => {
                const command = [program, '--cli', made.bailey, 'mcp', '--workspace', made.workspace, ...args];
                const child = spawn(process.execPath, command, { cwd: made.workspace,
                        env: { ...made.environment, PATH: `${path.dirname(process.execPath)}:${made.environment.PATH}` } });
                const said = { stdout: '', stderr: '' };

                for (const stream of ['stdout', 'stderr'])
                        child[stream].setEncoding('utf8').on('data', (piece) => { said[stream] += piece; });
                child.on('error', reject);
                child.on('close', (code) => {
                        try {
                                resolve({ code, answer: JSON.parse(said.stdout) });
                        } catch {
                                reject(new Error(`exit ${code}\n${said.stdout}\n${said.stderr}`));
                        }
                });
        });
}

function tool(made, name, ...args) {
        const pairs = args.flatMap((pair) => ['--tool-arg', pair]);

        return inspect(made, '--method', 'tools/call', '--tool-name', name, ...pairs);
}

function inspector(name, body) {
        test(`inspector: ${name}`, async () => {
                const made = place();

                await body(made);
                await leave(made);
        });
}

inspector('lists the tools', async (made) => {
        const { code, answer } = await inspect(made, '--method', 'tools/list');

        assert.equal(code, 0);
        assert.deepEqual(answer.tools.map((each) => each.name).sort(), TOOLS);
        for (const each of answer.tools)
                assert.ok(each.title && each.description && each.inputSchema && each.outputSchema && each.annotations, each.name);
});

inspector('runs a command', async (made) => {
        const { code, answer } = await tool(made, 'Bash', 'command=echo hello; exit 3', 'description=greets');

        assert.equal(code, 0);
        assert.equal(text(answer).trimEnd(), 'hello\nexit: 3');
        assert.equal(answer.structuredContent.output, 'hello\n');
        assert.equal(answer.structuredContent.exit_code, 3);
});

inspector('shows a refusal', async (made) => {
        const { answer } = await tool(made, 'Bash', 'command=rm -rf /', 'description=deletes');

        assert.equal(answer.isError, true);
        assert.match(text(answer), /recursive-delete-root/);
});

inspector('starts a shell in the background', async (made) => {
        const { answer } = await tool(made, 'Bash', 'command=sleep 1000', 'description=waits', 'run_in_background=true');

        assert.match(answer.structuredContent.shell_id, /^[0-9a-f-]{36}$/);
});

inspector('judges a command', async (made) => {
        const { code, answer } = await tool(made, 'bash_sandbox_test', 'command=rm -rf /');

        assert.equal(code, 0);
        assert.equal(answer.structuredContent.action, 'blocked');
});

inspector('tells about containers', async (made) => {
        const { code, answer } = await tool(made, 'bash_container_status');

        assert.equal(code, 0);
        assert.match(JSON.stringify(answer.structuredContent), /runtimes/);
});

await run({ width: 2 });
