import { expect, test } from '@jest/globals';
import { createStatsLine } from '../../../src/labs/replication/stats-line.js';

/** @param {Record<string, number>} changes */
const figuresOf = (changes) => /** @type {any} */ ({ ops: 0, queued: 0, queueDepths: [], lagMs: 0, ...changes });

test('a line tells what happened since the last one', () => {
  const describe = createStatsLine('case 3');
  describe({ figures: figuresOf({ ops: 1000 }), cpuMs: 900, elapsedMs: 1000, peakRssMB: 80 });
  const figures = { ...figuresOf({ ops: 4000, queued: 12, lagMs: 1500 }), queueDepths: [5, 7] };
  expect(describe({ figures, cpuMs: 1500, elapsedMs: 3000, peakRssMB: 99.6 })).toBe(
    'case 3: 1500 ops/s · CPU 30 % · peak RSS 100 MB · queued 12, in the longest queue 7 · lag 1500 ms');
});
