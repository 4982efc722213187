// Secrets of the server's environment and of credential files do not come out, however they are printed.
import fs from 'node:fs';
import path from 'node:path';
import { serve, text } from './server.mjs';
import { assert, sleep, test, until } from './tap.mjs';

const KEY = 'sk-live-51Hq8ZkWm3TzR7';
const options = {
        env: { PAYMENT_API_KEY: KEY, SHORT_TOKEN: 'abc1234' },
        prepare: ({ workspace }) => {
                fs.writeFileSync(path.join(workspace, 'key'), KEY);
                fs.writeFileSync(path.join(workspace, 'short'), 'abc1234\n');
        },
};
const halves = 'head -c 9 key; sleep 0.8; tail -c +10 key; echo; echo end';

// everything(SERVER): all that it ever sent
function everything(server) {
        return server.messages.map(({ message }) => JSON.stringify(message)).join('\n');
}

function secrets(name, body, more = options) {
        test(`secrets: ${name}`, () => serve(more, async (server, made) => {
                await body(server, made);
                assert.ok(!everything(server).includes(KEY.slice(0, 9)), 'a part of it came out');
                assert.ok(!everything(server).includes(KEY.slice(9)), 'a part of it came out');
        }));
}

secrets('a value is replaced by its name', async (server) => {
        const result = await server.bash('cat key; echo; cat key key; echo " <"; cat key >&2; exit 2');

        assert.equal(result.structuredContent.output, ('[redacted PAYMENT_API_KEY]\n' +
                '[redacted PAYMENT_API_KEY][redacted PAYMENT_API_KEY] <\n[redacted PAYMENT_API_KEY]'));
        assert.match(text(result), /\[redacted PAYMENT_API_KEY\]\nexit: 2\n?$/);
});

secrets('nor does one printed in two halves', async (server) => {
        assert.equal((await server.bash(halves)).structuredContent.output, '[redacted PAYMENT_API_KEY]\nend\n');
});

secrets('nor byte by byte', async (server) => {
        const command = 'for ((i = 1; i <= 22; i++)); do head -c $i key | tail -c 1; sleep 0.01; done; echo';

        assert.equal((await server.bash(command)).structuredContent.output, '[redacted PAYMENT_API_KEY]\n');
});

secrets('nor with terminal escapes in it', async (server) => {
        const { output } = (await server.bash("head -c 9 key; printf '\\033[0m'; tail -c +10 key; echo")).structuredContent;

        assert.equal(output, '[redacted PAYMENT_API_KEY]\n');
});

secrets('nor in progress', async (server) => {
        const call = server.bash('head -c 9 key; sleep 1.5; tail -c +10 key; echo; until [ -e enough ]; do sleep 0.1; done', {},
                { progressToken: 't' });

        await until('there is some', () => server.progress('t').some(({ message }) => message.params.message?.includes('redacted')));
        fs.writeFileSync(path.join(server.place.workspace, 'enough'), '');
        await call;
});

secrets('nor where output is cut', async (server) => {
        await server.bash('key=$(cat key); for ((i = 0; i < 8000; i++)); do printf %s "$key"; done');
        await server.bash("head -c 51190 /dev/zero | tr '\\0' x; cat key; head -c 200000 /dev/zero | tr '\\0' x; cat key; " +
                "head -c 51190 /dev/zero | tr '\\0' x");
});

secrets('nor in a background shell that is read in between', async (server) => {
        const shell = await server.background(halves);
        let all = '', now = {};

        do {
                now = await server.output(shell, now.next ? { since: now.next } : {});
                all += now.stdout;
                await sleep(20);
        } while (now.status === 'running');
        all += (await server.output(shell, { since: now.next })).stdout;
        assert.equal(all, '[redacted PAYMENT_API_KEY]\nend\n');
        assert.equal((await server.output(shell)).stdout, all);
});

secrets('the beginning of one that never ends is text', async (server) => {
        const shell = await server.background('head -c 6 key; touch printed; sleep 1000');

        await until('it is printed', () => fs.existsSync(path.join(server.place.workspace, 'printed')));
        await server.call('KillShell', { shell_id: shell });
        assert.equal((await server.ended(shell)).stdout, KEY.slice(0, 6));
        assert.equal((await server.bash('head -c 6 key')).structuredContent.output, KEY.slice(0, 6));
});

secrets('short values are not', async (server) => {
        assert.equal((await server.bash('cat short')).structuredContent.output, 'abc1234\n');
});

const PASSWORD = 'Tr0ub4dor-and-3-more-words';

secrets('what is in credential files', async (server) => {
        const { output } = (await server.bash('cat copy')).structuredContent;

        assert.ok(!everything(server).includes(PASSWORD), output);
        assert.match(output, /\[redacted [^\]]+\]/);
}, {
        prepare: ({ home, workspace }) => {
                const netrc = `machine example.com login me password ${PASSWORD}\n`;
                fs.writeFileSync(path.join(home, '.netrc'), netrc, { mode: 0o600 });
                fs.writeFileSync(path.join(workspace, 'copy'), netrc);
        },
});

const FILES = {
        '.netrc': ['machine git.example.com login mary-ann password hunter2x9!kQ\nmachine b login c password correcthorsebatterystaple\n',
                'hunter2x9!kQ', 'correcthorsebatterystaple'],
        '.pgpass': ['db.example.com:5432:orders:app_reader:S3cretPw99\n', 'S3cretPw99'],
        '.git-credentials': ['https://mary-ann:p%40ssphrase@git.example.com\n', 'p%40ssphrase'],
        '.npmrc': ['//registry.example.com/:_authToken=onlyletters\nregistry=https://registry.example.com/\n', 'onlyletters'],
};

secrets('passwords are known by the format of their file', async (server) => {
        for (const [name, [content, ...values]] of Object.entries(FILES)) {
                const { output } = (await server.bash(`cat copy${name}`)).structuredContent;

                assert.equal(output, values.reduce((all, value) => all.replace(value, `[redacted ~/${name}]`), content));
        }
}, {
        prepare: ({ home, workspace }) => {
                for (const [name, [content]] of Object.entries(FILES)) {
                        fs.writeFileSync(path.join(home, name), content, { mode: 0o600 });
                        fs.writeFileSync(path.join(workspace, `copy${name}`), content);
                }
        },
});

secrets('a file that is too long is said', async (server, { home }) => {
        const record = path.join(home, '.local/state/bailey/audit.jsonl');
        const partial = () => fs.readFileSync(record, 'utf8').match(/"redactions_partial":true/g)?.length ?? 0;
        const first = (await server.bash('cat copy')).structuredContent;

        assert.equal(first.output, 'machine a login b password [redacted ~/.netrc]\n');
        assert.equal(first.warnings.filter((line) => line.startsWith('~/.netrc contains more')).length, 1, `${first.warnings}`);
        assert.deepEqual((await server.bash('true')).structuredContent.warnings, []);
        await server.ended(await server.background('true'));
        await until('all three are on record', () => partial() === 3);
}, {
        prepare: ({ home, workspace }) => {
                const line = 'machine a login b password hunter2x9!kQ\n';
                fs.writeFileSync(path.join(home, '.netrc'), line + '#\n'.repeat(40_000), { mode: 0o600 });
                fs.writeFileSync(path.join(workspace, 'copy'), line);
        },
});

test('secrets: they are not on record', () => serve(options, async (server, { home }) => {
        await server.bash('cat key; exit 1');
        await server.ended(await server.background('cat key'));
        const record = path.join(home, '.local/state/bailey/audit.jsonl');
        await until('both are written', () => fs.readFileSync(record, 'utf8').match(/"redactions":\s*[1-9]/g)?.length === 2);
        assert.ok(!fs.readFileSync(record, 'utf8').includes(KEY));
}));
