// What does watching cost, and how do the last milliseconds compare? Each part is a file in bench/. Whoever is compared
// takes turns in one run, because the speed of a machine drifts. The ratios are medians over the turns.
//
//   npm run bench -- [--only app,monitor] [--runs 10]
import { runParts } from './parts/run-parts.js';

await runParts(new URL('bench/', import.meta.url), {
  name: 'npm run bench --',
  about: 'Compares the lab with its peers, and with the figures we want.',
  runs: 10,
});
