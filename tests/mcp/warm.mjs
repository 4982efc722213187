// Sandboxes that are ready before they are needed: nobody can tell them from new ones, but by their age.
import './warm_changes.mjs';
import './warm_state.mjs';
import { run } from './tap.mjs';

await run();
