import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readTraceText } from 'mongodb-pool-predictor';
import { CASES } from '../../benchmarks/doctor/cases.js';
import { POOLS } from '../../benchmarks/predicted-vs-measured/apps.js';
import { isAlike, measureRoutes } from '../../benchmarks/predicted-vs-measured/measure-routes.js';
import { KINDS, slugOf } from '../../benchmarks/predicted-vs-measured/recorded-loads.js';
import {
  compareFigures,
  compareMeasurements,
  judgeAdvice,
  listErrors,
  summariseAdvice,
  summariseFigures,
  tabulateVerdicts,
} from '../../scripts/corpus/accuracy.js';
import { findContradictions } from '../../scripts/corpus/contradictions.js';
import { compareAnswers, hasChanged } from '../../scripts/corpus/compare-answers.js';
import { fillPages } from '../../scripts/corpus/fill-pages.js';
import { CORPUS, askAll, listRecordings } from '../../scripts/corpus/recordings.js';

const MAX_BYTES = 4e6;
const recordings = await listRecordings();

/** @type {Promise<import('../../scripts/corpus/recordings.js').Answers[]> | undefined} */
let asked;
/** @type {string[]} */
const contradictions = [];
const ASK_MS = 400_000;

/** Asks once for all tests: it takes a minute and a half of CPU time, and several times as long on a busy machine. */
function askOnce() {
  asked ??= askAll(recordings, {
    read: ({ name }, answers, texts) =>
      contradictions.push(...findContradictions(answers, texts).map((each) => `${name}: ${each}`)),
  });
  return asked;
}

// `npm run corpus` says what a change does to right and wrong, and stores the new answers.
test(
  'doctor, predict and advise say of each recording what is stored, to the digit',
  async () => {
    const answers = await askOnce();
    const changed = recordings.flatMap(({ name, stored }, index) =>
      hasChanged(stored, answers[index]) ? [[name, stored && compareAnswers(stored, answers[index])]] : [],
    );
    expect(changed).toEqual([]);
  },
  ASK_MS,
);

test(
  'they contradict neither each other nor themselves',
  async () => {
    await askOnce();
    expect(contradictions).toEqual([]);
  },
  ASK_MS,
);

test('each kind of load is there at two sizes, measured twice at five, and each cause twice, in 4 MB', async () => {
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
  const incomplete = recordings.filter(
    ({ measured: truth }) => truth && !POOLS.every((size) => truth.measured[size] && truth.again?.[size]),
  );
  expect(incomplete.map(({ name }) => name)).toEqual([]);
  const files = (await readdir(CORPUS, { recursive: true })).filter((file) => file.endsWith('.gz'));
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(CORPUS, file))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
});

test('both READMEs and docs/doctor.md have what the stored answers give; `npm run corpus` writes it', async () => {
  const stored = recordings.filter((recording) => recording.stored);
  const answered = stored.map((recording) => ({ recording, answers: /** @type {any} */ (recording.stored) }));
  const pages = await fillPages(answered);
  expect(pages).toHaveLength(3);
  for (const { text, filled } of pages) expect(text).toBe(filled);
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

/** @param {number} count @param {number} ms @param {number} [failures] */
const routes = (count, ms, failures = 0) => ({
  '/a': { count, failures, meanMs: ms, p50Ms: ms, p95Ms: ms, p99Ms: ms, useMs: 5 },
});
const RECORDING = /** @type {any} */ ({
  name: 'loads/one/recorded-at-2',
  measured: {
    goal: '/a p95 < 50 ms',
    measured: { 1: routes(20, 100), 2: routes(20, 60), 4: routes(20, 20), 8: routes(19, 9) },
    again: { 2: routes(20, 60), 4: routes(20, 50) },
  },
});
/** @param {number} poolSize @param {number | null} ms @param {[low: number | null, high: number | null]} [band] */
const variant = (poolSize, ms, band = [ms, ms]) => {
  const [routesOf, low, high] = [ms, ...band].map((each) => ({
    routes: { '/a': { meanMs: each, p50Ms: each, p95Ms: each, p99Ms: each } },
  }));
  return { settings: { poolSize }, predicted: { ...routesOf, low, high } };
};
/** @param {ReturnType<typeof variant>[]} variants */
const compare = (...variants) => compareFigures(RECORDING, /** @type {any} */ ({ predict: { variants } }));

test('a measurement has all requests of a route: failed ones counted, those without a query timed', async () => {
  const pool = {
    define: 'pool',
    id: 0,
    name: null,
    address: 'db:1',
    options: { maxPoolSize: { value: 2, from: 'code' } },
  };
  const ends = [
    { durationMs: 6, status: 200 },
    { durationMs: 2, status: 404 },
    { durationMs: 300, status: 0 },
    { durationMs: 100, status: 503 },
  ].map((end, request) => ({ request, atMs: request * 10, route: 0, ...end }));
  const lines = [
    { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001 },
    ...[pool, { define: 'route', id: 0, name: '/a' }, ends[1]],
    { atMs: 0, waitMs: 1, useMs: 4, pool: 0, connection: 1, route: 0, request: 0 },
    ...[ends[0], ends[2], ends[3]],
  ];
  const recorded = await readTraceText(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(measureRoutes(recorded)).toEqual({
    '/a': { count: 4, failures: 2, meanMs: 4, p50Ms: 2, p95Ms: 6, p99Ms: 6, useMs: 4 },
  });
});

test('figures are compared at other sizes than the recorded one, from 20 requests on', () => {
  const all = compare(variant(1, 250), variant(2, 60), variant(4, 20), variant(8, 9));
  expect(all.map(({ poolSize, figure }) => `${poolSize} ${figure}`)).toEqual(
    [1, 4].flatMap((size) => ['meanMs', 'p50Ms', 'p95Ms', 'p99Ms'].map((figure) => `${size} ${figure}`)),
  );
  expect(summariseFigures(all)).toEqual({
    figures: 6,
    'shown, %': 100,
    'within 15 % or 5 ms, %': 50,
    'in band, %': 50,
    'off by × 2': 3,
    'off by × 2, %': 50,
    'bands alone': 0,
    'of these right, %': NaN,
  });
  const errors = { 'shown, %': 100, 'mean error, %': 75, 'median error, %': 0, 'in band, %': 50 };
  expect(listErrors(all)).toEqual(['mean', 'p50', 'p95', 'p99'].map((figure) => ({ figure, ...errors })));
});

test('a figure is withheld if it is null, and a band without a figure is counted apart', () => {
  const all = compare(variant(1, null, [90, 110]), variant(4, null));
  expect(summariseFigures(all)).toMatchObject({ 'shown, %': 0, 'bands alone': 3, 'of these right, %': 100 });
});

test('what was measured twice is compared as if the second time were a prediction', () => {
  expect(compareMeasurements(RECORDING).map(({ poolSize, predictedMs }) => [poolSize, predictedMs])).toEqual([
    ...new Array(4).fill([2, 60]),
    ...new Array(4).fill([4, 50]),
  ]);
});

test('measurements are compared if the queries of all routes took equally long, with a factor of 1.25', () => {
  const of = (/** @type {number} */ useMs) => ({ '/a': { useMs }, '/b': { useMs: 7 } });
  expect([12, 13, 8.1, 7.9].map((useMs) => isAlike(of(10), of(useMs)))).toEqual([true, false, true, false]);
  expect(isAlike(of(10), { '/a': { useMs: 10 } })).toBe(false);
});

test.each([
  [4, 'right', undefined],
  [3, 'right', undefined],
  [2, 'false pass', undefined],
  [5, 'too large', 1],
  [7, 'too large', 3],
])('advice of %i connections is judged by what was measured: %s', (poolSize, judgement, by) => {
  const judged = judgeAdvice(RECORDING, /** @type {any} */ ({ advise: { verdict: 'size', poolSize } }));
  expect([judged.judgement, judged.by]).toEqual([judgement, by]);
  expect(summariseAdvice([judged])).toMatchObject({
    ...{ [judgement]: 1, 'by 2 connections or more': Number(by === 3) },
  });
});

test('a size at which more than 5 % of the requests fail misses a goal for p95', () => {
  const recording = structuredClone(RECORDING);
  recording.measured.measured[4] = routes(40, 20, 3);
  expect(judgeAdvice(recording, /** @type {any} */ ({ advise: { verdict: 'size', poolSize: 4 } })).judgement).toBe(
    'false pass',
  );
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
