import { expect, test } from '@jest/globals';
import { createReportFormatter } from '../../../src/labs/replication/start-replicator.js';

/** @param {Record<string, number>} changes */
const figuresOf = (changes) => /** @type {any} */ ({ ops: 0, backlog: 0, backlogByWorker: [], lagMs: 0, ...changes });

test('a line describes what happened since the last one', () => {
  const describe = createReportFormatter('case 3');
  describe({ figures: figuresOf({ ops: 1000 }), cpuMs: 900, elapsedMs: 1000, peakRssMB: 80 });
  const figures = { ...figuresOf({ ops: 4000, backlog: 12, lagMs: 1500 }), backlogByWorker: [5, 7] };
  expect(describe({ figures, cpuMs: 1500, elapsedMs: 3000, peakRssMB: 99.6 })).toBe(
    'case 3: 1500 ops/s · CPU 30 % · peak RSS 100 MB · backlog 12, largest of a worker 7 · lag 1500 ms');
});
