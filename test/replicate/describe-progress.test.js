import { expect, test } from '@jest/globals';
import { formatBytes, formatDuration, ProgressWords } from '../../src/replicate/describe-progress.js';

/** @import { CopyFigures, Figures } from 'oplog-replicator' */

/** @param {Partial<Figures>} figures @returns {Figures} */
const figuresWith = (figures) => /** @type {any} */ ({ ops: 0, lagMs: 0, copy: null, ...figures });
/** @param {Partial<CopyFigures>} copy @returns {CopyFigures} */
const copyWith = (copy) => ({
  phase: 'copying', documents: 0, bytes: 0, totalDocuments: 100, totalBytes: 100e6, indexes: 0, totalIndexes: 0, ...copy,
});

test('a copy has a share, a rate and the time left', () => {
  const words = new ProgressWords();
  expect(words.describe(figuresWith({ copy: copyWith({}) }), 0)).toBe('copying: 0 %, 0 documents, 0 kB of 100.0 MB, 0 kB/s');
  expect(words.describe(figuresWith({ copy: copyWith({ documents: 2500, bytes: 25e6 }) }), 1000)).toBe(
    'copying: 25 %, 2,500 documents, 25.0 MB of 100.0 MB, 25.0 MB/s, about 3 s left');
});

test('a source that has grown does not make a share above 100 %', () => {
  expect(new ProgressWords().describe(figuresWith({ copy: copyWith({ bytes: 2e8 }) }), 0)).toBe(
    'copying: 100 %, 0 documents, 200.0 MB of 200.0 MB, 0 kB/s');
});

test('catching up has the time left, from how fast the lag shrinks', () => {
  const words = new ProgressWords();
  const copy = copyWith({ phase: 'catching up' });
  words.describe(figuresWith({ copy, ops: 0, lagMs: 60_000 }), 0);
  expect(words.describe(figuresWith({ copy, ops: 4000, lagMs: 40_000 }), 2000)).toBe(
    'catching up with what changed during the copy: 4,000 operations, 2,000/s, 40 s behind, about 4 s left');
  expect(words.describe(figuresWith({ copy, ops: 8000, lagMs: 80_000 }), 4000)).toBe(
    'catching up with what changed during the copy: 8,000 operations, 2,000/s, 80 s behind');
});

test('following has the lag, and a rate of the last seconds only', () => {
  const words = new ProgressWords();
  words.describe(figuresWith({ ops: 0 }), 0);
  words.describe(figuresWith({ ops: 90_000 }), 10_000);
  expect(words.describe(figuresWith({ ops: 91_000, lagMs: 12.4 }), 20_000)).toBe(
    'following the oplog: 91,000 operations, 100/s, 12 ms behind');
});

test('building indexes counts them', () => {
  const copy = copyWith({ phase: 'building indexes', indexes: 3, totalIndexes: 10 });
  expect(new ProgressWords().describe(figuresWith({ copy }))).toBe('building indexes: 3 of 10');
});

test('amounts have units that people read', () => {
  expect([0, 1500, 2.5e6, 3e12].map(formatBytes)).toEqual(['0 kB', '2 kB', '2.5 MB', '3000.0 GB']);
  expect([0.2, 119, 121, 7200].map(formatDuration)).toEqual(['1 s', '119 s', '3 min', '2.0 h']);
});
