// What changes between two calls: a sandbox that was ready before must not show how things were, nor allow what is not allowed now.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { bailey, text } from './server.mjs';
import * as processes from './processes.mjs';
import { twins, waiting } from './twins.mjs';
import { assert, Skip, test, until } from './tap.mjs';

const ROUNDS = 30;

function write(file, content = 'x\n') {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, content);
}

// replace(FILE, CONTENT): as editors do
function replace(file, content) {
        write(`${file}.new`, content);
        fs.renameSync(`${file}.new`, file);
}

// swap(DIRECTORY, NAME, CONTENT): another directory is in its place now, with this file
function swap(directory, name, content) {
        write(path.join(`${directory}.new`, name), content);
        fs.renameSync(directory, `${directory}.old${content.trim()}`);
        fs.renameSync(`${directory}.new`, directory);
}

function git(directory, ...words) {
        execFileSync('git', ['-C', directory, ...words], { env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_GLOBAL: '/dev/null' } });
}

// Not one that a command could have made: that would not be covered.
function repository(directory) {
        git(directory, 'init', '-q');
        git(directory, 'config', 'core.editor', 'true');
}

// listens(PLACE, N, PAIR): somebody on the host, anew each time
function listens(made, n, pair) {
        pair.listener?.close();
        return new Promise((resolve) => {
                pair.listener = net.createServer().listen(path.join(made.home, 'socket'), resolve);
        });
}

const ws = (name) => (made) => path.join(made.workspace, name);
const adds = (file) => `cat ${file}; echo more >>${file} && echo fine; sed -i '$d' ${file}`;
const connects = `perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new(Peer => "$ENV{HOME}/socket") ? "CONNECTED\\n" : "no\\n"'`;
const writes = (file) => `echo evil >>${file} && echo WRITTEN; cat ${file}`;

/*
 * stays: what was ready is as good as new, and has to be used. All others need a new one.
 * change(PLACE, N, PAIR) is done between two calls, and `look` then has to show `after`; so it does without the pool.
 */
// Of what is in the home directory they see only this way.
const hostHome = '[sandbox]\nhome = "host"\n';

const cases = {
        'a file is made': {
                stays: true,
                change: (made, n) => write(ws(`file${n}`)(made), `text ${n}\n`),
                look: (n) => `cat file${n}`,
                after: /^text/,
        },
        'a file is replaced': {
                stays: true,
                prepare: (made) => write(ws('file')(made), '0\n'),
                change: (made, n) => replace(ws('file')(made), `text ${n}\n`),
                look: () => 'cat file',
                after: /^text/,
        },
        'a file is removed': {
                stays: true,
                change(made, n) {
                        write(ws(`file${n}`)(made));
                        fs.rmSync(ws(`file${n}`)(made));
                },
                look: (n) => `cat file${n}`,
                after: /No such file/,
        },
        'a directory is replaced': {
                stays: true,
                prepare: (made) => write(ws('dir/file')(made), '0\n'),
                change: (made, n) => swap(ws('dir')(made), 'file', `text${n}\n`),
                look: () => adds('dir/file'),
                after: /^text\d+\nfine/,
        },
        'what may be done with a file': {
                stays: true,
                prepare: (made) => write(ws('file')(made)),
                change: (made, n) => fs.chmodSync(ws('file')(made), n % 2 ? 0o755 : 0o600),
                look: () => 'stat -c %A file',
        },
        'a file in the home directory is made': {
                config: hostHome,
                stays: true,
                change: (made, n) => write(path.join(made.home, `file${n}`), `text ${n}\n`),
                look: (n) => `cat ~/file${n}; echo >>~/file${n}`,
                after: /^text[^]*Read-only/,
        },
        'a file in the home directory is made, which is not shown': {
                stays: true,
                change: (made, n) => write(path.join(made.home, `.netrc${n}`), 'CANARY\n'),
                look: (n) => `cat ~/.netrc${n}`,
                after: /^cat: .*No such file/,
        },
        'a directory of tools is made in the home directory': {
                change: (made) => write(path.join(made.home, '.cargo/bin/tool'), 'text\n'),
                look: () => 'cat ~/.cargo/bin/tool',
                after: /^text/,
        },
        'settings in the home directory are changed': {
                any: true, // they are copied, and the home is the same
                prepare: (made) => write(path.join(made.home, '.gitconfig'), '[user]\n\tname = one\n'),
                change: (made) => write(path.join(made.home, '.gitconfig'), '[user]\n\tname = another\n'),
                look: () => 'cat ~/.gitconfig',
                after: /another/,
        },
        'the workspace is another directory': {
                prepare: (made) => write(ws('file')(made), '0\n'),
                change: (made) => swap(made.workspace, 'file', 'text\n'),
                look: () => `pwd; ${adds('file')}`,
                after: /text\nfine/,
        },
        'the workspace has gone and come again': {
                prepare: (made) => write(ws('file')(made)),
                change(made) {
                        fs.rmSync(made.workspace, { recursive: true });
                        write(ws('file')(made), 'text\n');
                },
                look: () => `pwd; ${adds('file')}`,
                after: /text\nfine/,
        },
        'a link on the way to the workspace leads elsewhere': {
                prepare(made) {
                        write(path.join(made.dir, 'one/ws/file'), '1\n');
                        write(path.join(made.dir, 'two/ws/file'), '2\n');
                        fs.symlinkSync('one', path.join(made.dir, 'link'));
                },
                begin: (made) => ({ workspace: path.join(made.dir, 'link/ws') }),
                change(made) {
                        fs.symlinkSync('two', path.join(made.dir, 'link.new'));
                        fs.renameSync(path.join(made.dir, 'link.new'), path.join(made.dir, 'link'));
                },
                look: () => `pwd; ${adds('file')}`,
                any: true,
                apart: true, // a server goes on where it began
        },
        'it becomes a repository': {
                change: (made) => git(made.workspace, 'init', '-q'),
                look: () => `${writes('.git/config')}; echo >.git/hooks/post-checkout; ls .git/hooks/post-checkout`,
                after: /Read-only[^]*Read-only/,
        },
        'a repository gets hooks': {
                prepare(made) {
                        git(made.workspace, 'init', '-q', '--template=');
                        fs.rmSync(ws('.git/hooks')(made), { recursive: true, force: true });
                },
                change: (made) => write(ws('.git/hooks/pre-commit')(made), '#!/bin/sh\n'),
                look: () => writes('.git/hooks/pre-commit'),
                after: /Read-only/,
        },
        'the config of a repository is replaced': {
                prepare: (made) => git(made.workspace, 'init', '-q'),
                change: (made, n) => git(made.workspace, 'config', 'user.name', `text ${n}`),
                look: () => `git config user.name; ${writes('.git/config')}; echo more >.git/description && echo fine`,
                after: /^text[^]*Read-only[^]*fine/,
        },
        'the config of a repository says that hooks are elsewhere': {
                prepare(made) {
                        git(made.workspace, 'init', '-q');
                        write(ws('tools/hooks/pre-commit')(made), '#!/bin/sh\n');
                },
                change: (made) => fs.appendFileSync(ws('.git/config')(made), '[core]\n\thooksPath = tools/hooks\n'),
                look: () => `grep -q hooksPath .git/config && { ${writes('tools/hooks/pre-commit')}; mv tools t; }`,
                after: /Read-only[^]*busy/,
        },
        'a directory with a repository is moved in': {
                prepare(made) {
                        write(path.join(made.dir, 'elsewhere/a/file'));
                        repository(path.join(made.dir, 'elsewhere/a'));
                },
                change: (made) => fs.renameSync(path.join(made.dir, 'elsewhere'), ws('b')(made)),
                look: () => `test ! -e b || { ${writes('b/a/.git/config')}; mv b c; }`,
                after: /Read-only[^]*busy/,
        },
        'a directory is replaced, and the new one becomes a repository': {
                prepare: (made) => write(ws('a/b/file')(made)),
                async change(made, n, pair) {
                        swap(ws('a')(made), 'b/file', 'text');
                        await pair.same('cat a/b/file');
                        await pair.ready();
                        repository(ws('a/b')(made));
                },
                look: () => `test ! -e a/b/.git || { ${writes('a/b/.git/config')}; mv a c; ls; }`,
                after: /Read-only[^]*busy/,
                any: true, // it was made ready a second time
        },
        'the workspace is another directory, and gets a protected file': {
                prepare: (made) => write(ws('file')(made)),
                async change(made, n, pair) {
                        swap(made.workspace, 'file', 'text');
                        await pair.same('cat file');
                        await pair.ready();
                        write(ws('.envrc')(made));
                },
                look: () => `test ! -e .envrc || { ${writes('.envrc')}; }`,
                after: /Read-only/,
                any: true,
        },
        'more happens than anybody can be told': {
                change(made) {
                        for (let i = 0; i < 20_000; i++)
                                fs.closeSync(fs.openSync(ws(`file${i % 2}`)(made), 'w'));
                        for (let i = 0; i < 10_000; i++)
                                fs.renameSync(ws(`file${i ? 2 + (i - 1) % 2 : 0}`)(made), ws(`file${2 + i % 2}`)(made));
                        write(ws('.envrc')(made));
                },
                look: () => `test ! -e .envrc || { ${writes('.envrc')}; }`,
                after: /Read-only/,
        },
        'a repository in the repository is made': {
                prepare: (made) => write(ws('a/b/file')(made)),
                change: (made) => repository(ws('a/b')(made)),
                look: () => `test ! -e a/b/.git || { ${writes('a/b/.git/config')}; mv a c; ls; }`,
                after: /Read-only[^]*busy/,
        },
        'a repository in the repository is moved': {
                prepare(made) {
                        write(ws('a/file')(made));
                        repository(ws('a')(made));
                },
                change: (made) => fs.renameSync(ws('a')(made), ws('b')(made)),
                look: () => `${writes('b/.git/config')}; mv b a; ls`,
                after: /Read-only[^]*busy/,
        },
        'the repository is that of a worktree': {
                prepare: (made) => write(path.join(made.dir, 'elsewhere/HEAD')),
                change: (made) => write(ws('.git')(made), `gitdir: ${made.dir}/elsewhere\n`),
                look: () => writes('.git'),
                after: /Read-only/,
        },
        'a protected name is there no more': {
                prepare: (made) => write(ws('.envrc')(made)),
                change: (made) => fs.rmSync(ws('.envrc')(made)),
                look: () => 'ls -A; echo evil >.envrc; ls -A',
        },
        'a protected file is replaced': {
                prepare: (made) => write(ws('.envrc')(made)),
                change: (made, n) => replace(ws('.envrc')(made), `text ${n}\n`),
                look: () => writes('.envrc'),
                after: /Read-only[^]*text/,
        },
        'a protected directory is replaced': {
                prepare: (made) => write(ws('.vscode/tasks.json')(made)),
                change: (made, n) => swap(ws('.vscode')(made), 'tasks.json', `text${n}\n`),
                look: () => writes('.vscode/tasks.json'),
                after: /Read-only[^]*text/,
        },
        'a protected name becomes a link': {
                prepare: (made) => write(ws('real')(made)),
                change: (made) => fs.symlinkSync('real', ws('.envrc')(made)),
                look: () => `test ! -e .envrc || { ${writes('real')}; ls -l .envrc | cut -c 1; }`,
                after: /Read-only[^]*\nl\n/,
        },
        'a credential store is replaced': {
                config: hostHome,
                prepare: (made) => write(path.join(made.home, '.aws/credentials'), 'CANARY\n'),
                change: (made, n) => swap(path.join(made.home, '.aws'), 'credentials', `CANARY${n}\n`),
                look: () => 'cat ~/.aws/credentials',
                after: /^cat: .*(denied|No such)/,
        },
        'a file with credentials is replaced': {
                config: hostHome,
                prepare: (made) => write(path.join(made.home, '.netrc'), 'CANARY\n'),
                change: (made, n) => replace(path.join(made.home, '.netrc'), `CANARY ${n}\n`),
                look: () => 'cat ~/.netrc',
                after: /^cat: .*denied/,
        },
        'a directory that can be read is replaced': {
                config: '[sandbox]\nfs_read_allow = ["@DIR@/more"]\n',
                prepare: (made) => write(path.join(made.dir, 'more/file'), '0\n'),
                change: (made, n) => swap(path.join(made.dir, 'more'), 'file', `text${n}\n`),
                look: (n, made) => writes(`${made.dir}/more/file`),
                after: /Read-only[^]*text/,
        },
        'a file that can be read is replaced': {
                config: '[sandbox]\nfs_read_allow = ["@DIR@/hosts"]\n',
                prepare: (made) => write(path.join(made.dir, 'hosts'), '0\n'),
                change: (made, n) => replace(path.join(made.dir, 'hosts'), `text ${n}\n`),
                look: (n, made) => writes(`${made.dir}/hosts`),
                after: /Read-only[^]*text/,
        },
        'a directory that can be written is replaced': {
                config: '[sandbox]\nfs_write_allow = ["@DIR@/more"]\n',
                prepare: (made) => write(path.join(made.dir, 'more/file'), '0\n'),
                change: (made, n) => swap(path.join(made.dir, 'more'), 'file', `text${n}\n`),
                look: (n, made) => adds(`${made.dir}/more/file`),
                after: /^text\d+\nfine/,
        },
        'what may not be read comes into being': {
                config: '[sandbox]\nfs_read_deny = ["@WS@/a/secret"]\n',
                prepare: (made) => write(ws('a/file')(made)),
                change: (made) => write(ws('a/secret/file')(made), 'CANARY\n'),
                look: () => 'test ! -e a/secret || { cat a/secret/file; mv a b; ls; }',
                after: /denied[^]*busy/,
        },
        'what may not be written is replaced': {
                config: '[sandbox]\nfs_write_deny = ["@WS@/a/kept"]\n',
                prepare: (made) => write(ws('a/kept')(made), '0\n'),
                change: (made, n) => replace(ws('a/kept')(made), `text ${n}\n`),
                look: () => writes('a/kept'),
                after: /Read-only[^]*text/,
        },
        'a link to a credential store leads elsewhere': {
                config: hostHome,
                prepare(made) {
                        write(path.join(made.home, 'one/id'), 'CANARY\n');
                        write(path.join(made.home, 'two/id'), 'CANARY\n');
                        fs.symlinkSync('one', path.join(made.home, '.ssh'));
                },
                change(made) {
                        fs.symlinkSync('two', path.join(made.home, '.ssh.new'));
                        fs.renameSync(path.join(made.home, '.ssh.new'), path.join(made.home, '.ssh'));
                },
                look: () => 'cat ~/.ssh/id',
                after: /^cat: .*denied/,
        },
        'somebody listens on a socket where there was another': {
                config: hostHome,
                prepare: (made) => new Promise((resolve) => {
                        made.listener = net.createServer().listen(path.join(made.home, 'socket'), () => {
                                fs.renameSync(path.join(made.home, 'socket'), path.join(made.home, 'other'));
                                resolve();
                        });
                }),
                stays: true, // who may be connected to is decided when it is
                change: listens,
                look: () => connects,
                after: /^no\n/,
                done(pair) {
                        pair.listener.close();
                        pair.place.listener.close();
                },
        },
        'somebody listens on a socket': {
                config: hostHome,
                stays: true, // who may be connected to is decided when it is
                change: listens,
                look: () => connects,
                after: /^no\n/,
                done: (pair) => pair.listener.close(),
        },
};

for (const [name, file, content] of [
        ['.claude', '.claude/settings.json'], ['.mcp.json', '.mcp.json'], ['.vscode', '.vscode/settings.json'], ['.envrc', '.envrc'],
        ['.bashrc', '.bashrc'], ['.husky', '.husky/pre-commit'], ['.gitmodules', '.gitmodules'], ['.bailey.toml', '.bailey.toml', '# x\n']])
        cases[`${name} is made`] = {
                change: (made) => write(ws(file)(made), content),
                look: () => writes(file),
                after: /Read-only/,
        };

for (const file of ['.ssh/id_ed25519', '.aws/credentials', '.local/share/keyrings/login.keyring', '.git-credentials', '.config/gh/hosts.yml'])
        cases[`~/${file} is made`] = {
                config: hostHome,
                change: (made) => write(path.join(made.home, file), 'CANARY\n'),
                look: () => `cat ~/${file}`,
                after: /^cat: .*denied/,
        };

function check(one, answer) {
        assert.ok(!/WRITTEN|CANARY|CONNECTED/.test(answer.output), answer.output);
        if (one.after)
                assert.match(answer.output, one.after);
}

// Rounds, until one of them was in a sandbox from before the change; then it did not pass by chance.
async function differ(one, pair) {
        const look = (n) => one.look(n, pair.place);
        let answer, ready, used = false;

        await pair.same(look(0), one);
        for (let n = 1; n <= (one.stays ? ROUNDS : 1) && !used; n++) {
                ready = await pair.ready();
                await one.change(pair.place, n, pair);
                answer = await pair.same(look(n), one);
                check(one, answer);
                used = answer.start < ready;
        }
        one.done?.(pair);
        if (!one.any)
                assert.equal(used, one.stays === true, used ? 'in a sandbox from before' : 'no sandbox that was ready is ever used');
}

function config(one, made) {
        return (one.config ?? '').replaceAll('@DIR@', made.dir).replaceAll('@WS@', made.workspace);
}

for (const [name, one] of Object.entries(cases))
        test(`between calls: ${name}`, () => twins({
                prepare(made) {
                        fs.appendFileSync(path.join(made.home, '.config/bailey/config.toml'), config(one, made));
                        return one.prepare?.(made);
                },
                begin: one.begin,
        }, (pair) => differ(one, pair)));

// ---- while one is made ----

// A mount goes with the directory that it is on. What was mounted while others stood in its place does not help when it is back.
function away(name, from, to) {
        test(`between calls: ${name}`, () => twins({
                prepare(made) {
                        fs.appendFileSync(path.join(made.home, '.config/bailey/config.toml'), `[sandbox]\nfs_read_deny = ["${made.workspace}/a/b/secret"]\n`);
                        write(ws('a/b/secret/file')(made), 'CANARY\n');
                        write(ws('other/b/secret/file')(made));
                },
        }, async (pair) => {
                const { workspace } = pair.place;
                const move = (one, another) => fs.renameSync(path.join(workspace, one), path.join(workspace, another));

                await pair.ready();
                const [maker] = pair.makers();
                process.kill(maker.pid, 'SIGSTOP');
                check({ after: /denied/ }, await pair.same('cat a/b/secret/file')); // and it is asked for one more
                move(from, 'aside');
                move(to, from);
                process.kill(maker.pid, 'SIGCONT');
                await until('it has made it, or refused', () => !processes.alive(maker) || waiting(pair.warm).length >= 2);
                move(from, to);
                move('aside', from);
                for (let i = 0; i < 4; i++)
                        check({ after: /denied/ }, await pair.same('cat a/b/secret/file'));
                await pair.ready(); // again
        }));
}

away('what may not be read is elsewhere while a sandbox is made', 'a/b/secret', 'other/b/secret');
away('a directory on the way to it is elsewhere while a sandbox is made', 'a', 'other');

// ---- mounts ----

// in(SERVER): a way into its namespaces
function way(server) {
        return ['nsenter', ...(process.getuid() ? ['-U', '--preserve-credentials'] : []), '-m', '-t', String(server.pid)];
}

const mounts = {
        'something is mounted': {
                change: 'mount -t tmpfs none dir && echo text >dir/file',
                after: /text\nfine/,
        },
        'something is unmounted': {
                before: 'mount -t tmpfs none dir && echo x >dir/file',
                change: 'umount dir; echo text >dir/file',
                after: /text\nfine/,
        },
        'something is mounted over the home directory': {
                change: 'mount -t tmpfs none "$HOME" && mkdir "$HOME/.ssh" && echo CANARY >"$HOME/.ssh/id"',
                after: /id: No such file/,
        },
        'something is made read-only': {
                before: 'mount --bind dir dir; echo text >dir/file',
                change: 'mount -o remount,bind,ro dir',
                after: /text\n.*Read-only/,
        },
};

for (const [name, one] of Object.entries(mounts))
        test(`between calls: ${name}`, () => twins({
                prepare: (made) => fs.mkdirSync(ws('dir')(made)),
                begin() {
                        const apart = ['unshare', ...(process.getuid() ? ['--user', '--map-root-user'] : []), '--mount'];
                        if (spawnSync(apart[0], [...apart.slice(1), 'true']).status !== 0)
                                throw new Skip('no mount namespaces: needs root or user namespaces');
                        return { prefix: apart, other: way };
                },
        }, async (pair) => {
                const look = `cat dir/file; echo x >dir/made && echo fine; cat ~/.ssh/id`;
                const { place: made } = pair;
                const [enter, ...words] = way(pair.warm);
                const there = (script) => script && execFileSync(enter,
                        [...words, 'sh', '-ec', `cd ${made.workspace}; HOME=${made.home}; ${script}`]);

                there(one.before);
                await pair.same(look);
                const ready = await pair.ready();
                there(one.change);
                const answer = await pair.same(look);
                check(one, answer);
                assert.ok(answer.start >= ready, 'in a sandbox from before');
        }));

// ---- the policy ----

async function sessions(made) {
        const { stdout } = await bailey(made, 'status', '--json');

        return JSON.parse(stdout).sessions.map(({ session }) => session);
}

test('between calls: a command is refused from now on', () => twins({ guard: 'enforce' }, async (pair) => {
        let used = false;

        assert.match((await pair.same('uname')).output, /Linux/);
        for (let n = 0; n < ROUNDS && !used; n++) { // as in differ()
                const name = n ? `uname${n}` : 'uname', ready = await pair.ready();
                for (const id of await sessions(pair.place))
                        assert.equal((await bailey(pair.place, 'deny', '--session', id, name)).status, 0);
                const answers = [await pair.warm.bash(name), await pair.cold.bash(name)];
                for (const answer of answers)
                        assert.match(text(answer), /uname/);
                assert.deepEqual(answers.map(({ structuredContent }) => structuredContent.exit_code), [126, 126]);
                assert.equal(text(answers[0]), text(answers[1]));
                const answer = await pair.same('echo still');
                assert.match(answer.output, /still/);
                used = answer.start < ready;
        }
        assert.ok(used, 'the walls are the same as before');
}));
