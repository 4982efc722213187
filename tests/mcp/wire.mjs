// What the official clients hide, with a line client of our own.
import './protocol.mjs';
import './calls.mjs';
import './shells.mjs';
import './secrets.mjs';
import './life.mjs';
import './runtimes.mjs';
import './tmp.mjs';
import { run } from './tap.mjs';

await run();
