// TAP for the suites in node: test() registers, run() runs them, several at a time, and says how it went.
import assert from 'node:assert/strict';

const WIDTH = Number(process.env.TEST_WIDTH ?? 4);
const only = process.env.TEST_ONLY && new RegExp(process.env.TEST_ONLY);
const groups = new Map();

export { assert };

// test(NAME, BODY, GROUP): those of a group run one after the other
export function test(name, body, group = name) {
        if (only && !only.test(name))
                return;
        if (!groups.has(group))
                groups.set(group, []);
        groups.get(group).push({ name, body });
}

// figure(TEXT): something measured; shown when a suite is run by itself
export function figure(text) {
        console.log(`# ${text}`);
}

// A test that throws this cannot run here, because.
export class Skip extends Error {}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// until(WHAT, CONDITION): waits until the condition gives something true, and returns that
export async function until(what, condition, ms = 60_000) {
        const end = Date.now() + ms;

        for (;;) {
                const value = await condition();
                if (value)
                        return value;
                if (Date.now() > end)
                        throw new Error(`waited ${ms} ms in vain until ${what}`);
                await sleep(10);
        }
}

// within(WHAT, MS, PROMISE): the same for a promise
export async function within(what, ms, promise) {
        let timer;
        const late = new Promise((_, reject) => {
                timer = setTimeout(() => reject(new Error(`${what}: nothing within ${ms} ms`)), ms);
        });

        try {
                return await Promise.race([promise, late]);
        } finally {
                clearTimeout(timer);
        }
}

function comment(text) {
        return String(text).slice(0, 4000).replace(/^/gm, '# ');
}

// run({ width, limitMs }): a test that hangs is a failure, not the end of the suite
export async function run({ width = WIDTH, limitMs = 400_000 } = {}) {
        const waiting = [...groups.values()];
        let number = 0, failed = 0;

        async function one({ name, body }) {
                try {
                        await within(name, limitMs, body());
                        console.log(`ok ${++number} - ${name}`);
                } catch (error) {
                        if (error instanceof Skip) {
                                console.log(`ok ${++number} - ${name} # skip ${error.message}`);
                                return;
                        }
                        failed++;
                        console.log(comment(error.stack ?? error));
                        console.log(`not ok ${++number} - ${name}`);
                }
        }

        async function worker() {
                while (waiting.length)
                        for (const each of waiting.shift())
                                await one(each);
        }

        process.on('unhandledRejection', () => {}); // of a test that has failed already
        await Promise.all(Array.from({ length: width }, worker));
        if (only)
                console.log(`# only ${only.source}`);
        console.log(`1..${number}`);
        process.exit(failed ? 1 : 0); // whoever still waits for something waits in vain
}
