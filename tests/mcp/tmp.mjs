// The /tmp of a session: one for all of its commands, of limited size, and gone with it.
import fs from 'node:fs';
import path from 'node:path';
import * as processes from './processes.mjs';
import { bailey, leave, nothingLeft, place, serve, Server, text } from './server.mjs';
import { assert, Skip, test, until, within } from './tap.mjs';

const native = ['--backend', 'native'];
const landlock = ['--backend', 'landlock', '--set', 'sandbox.protect_workspace=false'];

// said(SERVER, COMMAND): what it prints; it has to succeed
async function said(server, command, more) {
        const { structuredContent: answer } = await server.bash(command, more);

        assert.equal(answer.exit_code, 0, JSON.stringify(answer));
        return answer.output.trim();
}

function holders(server) {
        return processes.descendants(server.pid).filter(({ name }) => name === 'bailey-tmp');
}

test('tmp: files are there for the next commands', () => serve({ args: native }, async (server) => {
        await said(server, 'echo text >/tmp/file; mkdir /tmp/d; ln -s d /tmp/link; mkfifo /tmp/d/fifo; echo x >/var/tmp/x; echo x >/dev/shm/x');
        for (let n = 0; n < 5; n++) {
                assert.equal(await said(server, 'cat /tmp/file; ls /tmp/link; ls /var/tmp/x /dev/shm/x 2>/dev/null || echo none'), 'text\nfifo\nnone');
                await said(server, 'echo text >/tmp/file');
        }
        await said(server, 'rm -r /tmp/file /tmp/d /tmp/link');
        assert.equal(await said(server, 'ls -d /tmp/file /tmp/d /tmp/link 2>/dev/null || echo none'), 'none');
        assert.equal(holders(server).length, 1);
}));

test('tmp: it belongs to the user whom commands are', () => serve({ args: native }, async (server) => {
        const who = `${process.getuid()}:${process.getgid()}`;

        assert.equal(await said(server, 'stat -c %u:%g:%a /tmp; echo text >/tmp/file; chmod 600 /tmp/file'), `${who}:1777`);
        assert.equal(await said(server, 'stat -c %u:%g /tmp/file; cat /tmp/file; mkdir -m 700 /tmp/d; echo x >/tmp/d/x'), `${who}\ntext`);
        assert.equal(await said(server, 'mv /tmp/d /tmp/e; cat /tmp/e/x; rm -r /tmp/e /tmp/file; ls -d /tmp/[def]* 2>/dev/null || echo none'), 'x\nnone');
}));

test('tmp: commands at the same time share it', () => serve({ args: native }, async (server) => {
        const shell = await server.background('mkfifo /tmp/fifo && echo ready && cat /tmp/fifo && cat /tmp/other');

        await until('it is ready', async () => (await server.output(shell)).stdout.includes('ready'));
        await Promise.all(Array.from({ length: 12 }, (_, n) => said(server, `echo ${n} >/tmp/file.${n}`)));
        await said(server, 'echo other >/tmp/other; echo through >/tmp/fifo');
        const end = await server.ended(shell);
        assert.equal(end.exit_code, 0, JSON.stringify(end));
        assert.match(JSON.stringify(end), /through.*other/);
        assert.equal(await said(server, 'cat /tmp/file.* | sort -n | paste -sd " "'), '0 1 2 3 4 5 6 7 8 9 10 11');
}));

const listen = `perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Local => "/tmp/socket", Listen => 1) or die; $| = 1; print "ready\\n"; $c = $s->accept; print $c "hello\\n"'`;
const connect = `perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "no: $!\\n"; print <$s>'`;

for (const network of ['deny', 'inherit'])
        test(`tmp: a command reaches the socket of another one, with network = ${network}`, () => serve({ args: [...native, '--set', `sandbox.network=${network}`, '--set', 'guard.mode=off'] }, async (server) => {
                const shell = await server.background(listen);

                await until('it listens', async () => (await server.output(shell)).stdout.includes('ready'));
                assert.equal(await said(server, `${connect} /tmp/socket`), 'hello');
                await server.ended(shell);
        }));

test('tmp: its size is that of all commands together', () => serve({ args: [...native, '--set', 'sandbox.tmp_bytes=1MiB'] }, async (server) => {
        await said(server, 'head -c 700000 /dev/zero >/tmp/one');
        const { structuredContent: full } = await server.bash('head -c 700000 /dev/zero >/tmp/two');
        assert.notEqual(full.exit_code, 0);
        assert.match(full.output, /No space left on device/);
        await said(server, 'head -c 700000 /dev/zero >/var/tmp/two'); // is of its own
        await said(server, 'rm /tmp/one /tmp/two; head -c 700000 /dev/zero >/tmp/two');
        const { structuredContent: many } = await server.bash('for i in {1..2000}; do : >/tmp/many.$i || exit 3; done');
        assert.equal(many.exit_code, 3, JSON.stringify(many).slice(0, 500));
}));

test('tmp: servers do not share it, and a later one finds nothing', () => serve({ args: native }, async (server, made) => {
        const other = new Server(made, { args: native });

        await other.initialize();
        await said(server, 'echo text >/tmp/file');
        assert.equal(await said(other, 'cat /tmp/file 2>/dev/null || echo none'), 'none');
        assert.equal((await bailey(made, 'run', '--workspace', made.workspace, 'cat /tmp/file 2>/dev/null || echo none')).stdout, 'none\n');
        await other.end();
        assert.equal(await said(server, 'cat /tmp/file'), 'text');
}));

test('tmp: nothing is left after kill -9', async () => {
        const made = place(), server = new Server(made, { args: native });

        try {
                await server.initialize();
                await server.background('echo text >/tmp/left-by-kill; sleep 1000');
                await until('it has written', async () => (await server.bash('cat /tmp/left-by-kill')).structuredContent.exit_code === 0);
                assert.equal(holders(server).length, 1);
                const [holder] = holders(server);
                server.child.kill('SIGKILL');
                await server.exited;
                await until('the holder is gone', () => !processes.alive(holder));
                await nothingLeft(made.dir);
                assert.ok(!fs.existsSync('/tmp/left-by-kill'));
        } finally {
                server.child.kill('SIGKILL');
        }
        await leave(made);
});

test('tmp: it survives a change of the policy', () => serve({ args: native }, async (server, made) => {
        await said(server, 'echo text >/tmp/file');
        const changed = await bailey(made, 'deny', 'whoami');
        assert.equal(changed.status, 0, changed.stderr);
        assert.ok((await server.bash('whoami')).isError);
        assert.equal(await said(server, 'cat /tmp/file'), 'text');
}));

test('tmp: one that was lost is replaced, and that is said', () => serve({ args: native }, async (server) => {
        await said(server, 'echo text >/tmp/file');
        const [holder] = holders(server);
        process.kill(holder.pid, 'SIGKILL');
        await until('it is dead', () => !processes.alive(holder));
        const { structuredContent: answer } = await server.bash('cat /tmp/file 2>/dev/null || echo none');
        assert.equal(answer.output, 'none\n');
        assert.match(JSON.stringify(answer.warnings), /\/tmp of this session were lost/);
        await said(server, 'echo text >/tmp/file');
        const { structuredContent: next } = await server.bash('cat /tmp/file');
        assert.equal(next.output, 'text\n');
        assert.doesNotMatch(JSON.stringify(next), /lost/);
}));

test('tmp: run.tmp = "command" gives each command its own', () => serve({ args: [...native, '--set', 'run.tmp=command'] }, async (server) => {
        await said(server, 'echo text >/tmp/file');
        assert.equal(await said(server, 'cat /tmp/file 2>/dev/null || echo none'), 'none');
        assert.equal(holders(server).length, 0);
}));

// What is told to agents is what is so.
for (const [name, args, kept] of [['native', native, true], ['native, for each command', [...native, '--set', 'run.tmp=command'], false],
        ['bwrap', ['--backend', 'bwrap'], false], ['landlock', landlock, true]])
        test(`tmp: the tool says whether it is kept: ${name}`, () => serve({ args }, async (server) => {
                const { tools } = (await server.request('tools/list')).result;
                const { description } = tools.find((tool) => tool.name === 'Bash');
                const first = await server.bash('echo text >"${TMPDIR:-/tmp}/file"');

                if (first.isError && /bwrap: not installed|not supported/.test(text(first)))
                        throw new Skip(text(first));
                assert.match(description, kept ? /kept for the session/ : /empty for each command/);
                assert.equal(await said(server, 'cat "${TMPDIR:-/tmp}/file" 2>/dev/null || echo none'), kept ? 'text' : 'none');
        }));

test('tmp: with landlock it is a directory of the host, removed at the end or by the next one', async () => {
        const made = place();
        const start = async () => {
                const server = new Server(made, { args: landlock });
                await server.initialize();
                return { server, directory: await said(server, 'echo text >$TMPDIR/file; mkdir -m 0 $TMPDIR/closed; echo $TMPDIR') };
        };
        const first = await start();

        try {
                assert.equal(await said(first.server, 'cat $TMPDIR/file'), 'text');
                assert.match(first.directory, /^\/tmp\/\.bailey-tmp-/);
                assert.equal(fs.statSync(first.directory).mode & 0o777, 0o700);
                first.server.child.kill('SIGKILL');
                await first.server.exited;
                const second = await start();
                await until('it is removed', () => !fs.existsSync(first.directory));
                await second.server.end();
                assert.ok(!fs.existsSync(second.directory));
        } finally {
                first.server.child.kill('SIGKILL');
        }
        await leave(made);
});

// ---- a workspace in /tmp ----

// inTmp(NAME, BODY): a workspace at /tmp/UNIQUE/NAME
async function inTmp(name, body) {
        const top = fs.mkdtempSync('/tmp/bailey-ws.');
        const workspace = path.join(top, name);
        const made = { ...place(), workspace };

        fs.mkdirSync(workspace, { recursive: true });
        const server = new Server(made, { args: [...native, '--set', 'guard.mode=off'] });
        try {
                await server.initialize();
                await body(server, { workspace, top });
                await server.end();
        } finally {
                server.child.kill('SIGKILL');
                fs.rmSync(top, { recursive: true, force: true });
        }
        await leave(made);
}

for (const name of ['.', 'deep/er'])
        test(`tmp: with a workspace in it: ${name}`, () => inTmp(name, async (server, { workspace, top }) => {
                fs.writeFileSync(path.join(workspace, 'file'), 'of the host\n');
                await said(server, 'echo text >/tmp/file; echo new >new');
                for (let n = 0; n < 4; n++)
                        assert.equal(await said(server, `cat file /tmp/file ${workspace}/new; ls -d ${top} /tmp/file`),
                                `of the host\ntext\nnew\n${top}\n/tmp/file`);
                assert.equal(fs.readFileSync(path.join(workspace, 'new'), 'utf8'), 'new\n');
                // Nobody moves the place where others find theirs.
                assert.equal(await said(server, `mv ${top} /tmp/moved 2>/dev/null || rmdir ${top} 2>/dev/null || echo busy`), 'busy');
                await Promise.all(Array.from({ length: 8 }, () => said(server, 'cat file')));
                await within('commands at the same time', 60_000, said(server, 'cat file'));
        }));
