import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { CASES } from '../../benchmarks/doctor/cases.js';
import { KINDS, slugOf } from '../../benchmarks/predicted-vs-measured/recorded-loads.js';
import { compareFigures, judgeAdvice, summariseFigures, tabulateVerdicts } from '../../scripts/corpus/accuracy.js';
import { compareAnswers, hasChanged } from '../../scripts/corpus/compare-answers.js';
import { CORPUS, askAll, listRecordings } from '../../scripts/corpus/recordings.js';
import { findThresholds, moveThreshold } from '../../scripts/thresholds/find-thresholds.js';

const MAX_BYTES = 4e6;
const recordings = await listRecordings();

// `npm run corpus` says what a change does to right and wrong, and stores the new answers.
test('doctor, predict and advise say of each recording what is stored, to the digit', async () => {
  const answers = await askAll(recordings);
  const changed = recordings.flatMap(({ name, stored }, index) =>
    hasChanged(stored, answers[index]) ? [[name, stored && compareAnswers(stored, answers[index])]] : [],
  );
  expect(changed).toEqual([]);
});

test('each kind of load is there at two sizes with its truth, each cause twice, and two jams, in 4 MB', async () => {
  const names = [
    ...Object.keys(KINDS).flatMap((kind) => [2, 8].map((size) => `loads/${slugOf(kind)}/recorded-at-${size}`)),
    ...Object.keys(CASES).flatMap((cause) => ['open', 'closed'].map((loop) => `causes/${cause}/${loop}-loop`)),
    ...['mixed', 'users-and-admins'].map((scenario) => `causes/jam/${scenario}`),
    ...['left-open', 'closed'].map((name) => `causes/clientPerRequest/${name}`),
    'causes/manyClients/tenants',
    ...['repeatedQueries/in-turn', 'failedOperations/socket-timeout', 'jobAtOnce/every-1-7-s'].map(
      (name) => `causes/${name}`,
    ),
    'causes/busyMachine/aggregations',
  ];
  expect(recordings.map(({ name }) => name)).toEqual(names.toSorted());
  expect(recordings.filter(({ measured, injected }) => !measured && !injected)).toEqual([]);
  const files = (await readdir(CORPUS, { recursive: true })).filter((file) => file.endsWith('.gz'));
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(CORPUS, file))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
});

test('changes are told apart: verdicts, figures that came, went or moved, and the rest', () => {
  const before = {
    doctor: { verdict: { cause: 'none' } },
    predict: { p50Ms: 5, p95Ms: null, meanMs: 10, maxMs: 10, n: 1 },
  };
  const after = {
    doctor: { verdict: { cause: 'fullPool' } },
    predict: { p50Ms: null, p95Ms: 9, meanMs: 11, maxMs: 10.05, n: 2 },
  };
  expect(compareAnswers({ ...before, advise: {} }, { ...after, advise: {} })).toEqual({
    verdicts: ['doctor.verdict.cause: none -> fullPool'],
    withheld: ['predict.p50Ms: 5 -> null'],
    shown: ['predict.p95Ms: null -> 9'],
    moved: ['predict.meanMs: 10 -> 11', 'predict.n: 1 -> 2'],
    other: ['predict.maxMs: 10 -> 10.05'],
  });
});

/** @param {number} count @param {number} ms */
const routes = (count, ms) => ({ '/a': { count, meanMs: ms, p50Ms: ms, p95Ms: ms, useMs: 5 } });
const RECORDING = /** @type {any} */ ({
  name: 'loads/one/recorded-at-2',
  measured: {
    goal: '/a p95 < 50 ms',
    measured: { 1: routes(20, 100), 2: routes(20, 60), 4: routes(20, 20), 8: routes(19, 9) },
  },
});
/** @param {number} poolSize @param {number | null} ms */
const variant = (poolSize, ms) => {
  const of = { '/a': { meanMs: ms, p50Ms: ms, p95Ms: ms } };
  return { settings: { poolSize }, predicted: { routes: of, low: { routes: of }, high: { routes: of } } };
};

test('figures are compared at other sizes than the recorded one, from 20 requests on', () => {
  const predict = { variants: [variant(1, 250), variant(2, 60), variant(4, 20), variant(8, 9)] };
  const all = compareFigures(RECORDING, /** @type {any} */ ({ predict }));
  expect(all.map(({ poolSize, figure }) => `${poolSize} ${figure}`)).toEqual(
    [1, 4].flatMap((size) => ['meanMs', 'p50Ms', 'p95Ms'].map((figure) => `${size} ${figure}`)),
  );
  expect(summariseFigures(all)).toEqual({
    figures: 6,
    'shown, %': 100,
    'within 15 % or 5 ms, %': 50,
    'mean error, %': 75,
    'median error, %': 0,
    'in band, %': 50,
    'off by × 2': 3,
  });
});

test('a figure is withheld if it is null, or if two readings differ', () => {
  const predict = {
    variants: [variant(1, null), variant(4, 20)],
    closedReading: { variants: [variant(1, 9), variant(4, 30)] },
  };
  const all = compareFigures(RECORDING, /** @type {any} */ ({ predict }));
  expect(all.map(({ predictedMs }) => predictedMs)).toEqual(new Array(6).fill(null));
});

test.each([
  [4, 'right'],
  [3, 'right'],
  [2, 'false pass'],
  [5, 'too large'],
])('advice of %i connections is judged by what was measured: %s', (poolSize, judgement) => {
  expect(judgeAdvice(RECORDING, /** @type {any} */ ({ advise: { verdict: 'size', poolSize } }))).toBe(judgement);
});

test('a verdict is right if it has the injected cause and names the client', () => {
  const injected = { cause: 'fullPool', client: 'reports', goal: '' };
  const all = ['reports', 'main', 'reports'].map((client, index) => ({
    recording: /** @type {any} */ ({ name: 'causes/twoClients/open-loop', injected }),
    answers: /** @type {any} */ ({
      doctor: { verdict: { cause: index === 2 ? 'none' : 'fullPool', facts: { client } } },
    }),
  }));
  expect(tabulateVerdicts(all)).toMatchObject([{ injected: 'twoClients', right: 1, wrong: 2 }]);
});

test('thresholds are found by name, and moved by 30 %, or 20 % above 0.7', async () => {
  const all = await findThresholds('packages/pool-predictor/src/predict');
  const texts = await Promise.all(all.map(({ file }) => readFile(file, 'utf8')));
  expect(all.map(({ start, value }, index) => texts[index].slice(start, start + value.length))).toEqual(
    all.map(({ value }) => value),
  );
  expect(all).toContainEqual(expect.objectContaining({ name: 'MAX_BUSY_SHARE 2', value: '2 / 3' }));
  const moved = (/** @type {string} */ value, /** @type {'up' | 'down'} */ direction, name = 'N') =>
    Number(moveThreshold(`= ${value};`, { file: '', name, value, start: 2 }, direction).slice(2, -1));
  expect([moved('0.5', 'up'), moved('0.9', 'down'), moved('1', 'up'), moved('1', 'up', 'N_MS')]).toEqual([
    0.65,
    expect.closeTo(0.72),
    2,
    1.3,
  ]);
});
