// How far are predictions from measurements? Each part is a file in predicted-vs-measured/, with its rules in its first
// lines.
// It prints figures and measurements side by side, and whether the rules are met.
//
//   node benchmarks/predicted-vs-measured.js [--only apps,article] [--quick] [--runs 3] [--loads 1000] [--keep FOLDER]
import { runParts } from './parts/run-parts.js';

await runParts(new URL('predicted-vs-measured/', import.meta.url), {
  name: 'predicted-vs-measured.js',
  about: 'Compares predictions with measurements.',
  runs: 3,
  hasLoads: true,
});
