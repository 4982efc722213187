// What /proc knows: who is left, who belongs to whom, and what a process has in memory and open.
import fs from 'node:fs';

function read(path) {
        try {
                return fs.readFileSync(path, 'latin1');
        } catch {
                return '';
        }
}

// A process is known by its number and its start; a number alone may come again. Zombies of other parents are dead.
function look(pid) {
        const stat = read(`/proc/${pid}/stat`);
        const field = stat.slice(stat.lastIndexOf(')') + 2).split(' ');

        if (!stat)
                return null;
        return { pid, name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')), state: field[0], parent: Number(field[1]),
                session: Number(field[3]), start: field[19] };
}

export function all() {
        return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => look(Number(name))).filter(Boolean);
}

export function commandLine(pid) {
        return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

// descendants(PID): all that it started, and what these started
export function descendants(pid) {
        const everybody = all();
        const found = [];

        for (let parents = new Set([pid]); parents.size;) {
                const children = everybody.filter((process) => parents.has(process.parent));
                found.push(...children);
                parents = new Set(children.map((process) => process.pid));
        }
        return found;
}

export function alive(process) {
        const now = look(process.pid);

        return now !== null && now.start === process.start && now.state !== 'Z' && now.state !== 'X';
}

// marked(TEXT): living processes that have the text in their command line, with all they could be
export function marked(text) {
        return all().filter((process) => process.state !== 'Z' && commandLine(process.pid).includes(text));
}

// running(COMMAND): those that are it, and not, as the shell that is to start it, merely have it in their command line
export function running(command) {
        return all().filter((process) => process.state !== 'Z' && commandLine(process.pid) === command);
}

export function describe(list) {
        return list.map((process) => `${process.pid} ${process.state} ${process.name}: ${commandLine(process.pid).slice(0, 100)}`).join('\n');
}

function kib(pid, key) {
        return Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

export function residentKib(pid) {
        return kib(pid, 'VmRSS');
}

export function peakKib(pid) {
        return kib(pid, 'VmHWM');
}

// The address sanitizer reserves terabytes, and what it has in memory says nothing.
export function sanitized(pid) {
        return kib(pid, 'VmSize') > 2 ** 30;
}

export function openFiles(pid) {
        try {
                return fs.readdirSync(`/proc/${pid}/fd`).length;
        } catch {
                return 0;
        }
}
