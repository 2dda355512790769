import { expect, test } from '@jest/globals';
import { createScenarioLoad, predict } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { createPredictView, foldSizes, pickRows } from '../../predictions/predict-view.js';
import { renderHtml } from '../../report/html.js';
import { renderTable } from '../../report/table.js';

/** @param {string} scenario @param {number} slowMs @param {number[]} poolSizes @param {boolean} [hasBands] */
async function show(scenario, slowMs, poolSizes, hasBands = false) {
  const load = createScenarioLoad(await readScenario(`loadtests/${scenario}.yaml`));
  const prediction = await predict({
    load,
    poolSizes,
    seeds: 19,
    services: { '/slow': { kind: 'fixed', ms: slowMs }, '/fast': { kind: 'fixed', ms: 2 } },
  });
  const view = createPredictView({ load: prediction.load, isRandom: prediction.seeds > 1, hasBands });
  const result = {
    lab: 'predict',
    startedAt: '2026-01-01T00:00:00.000Z',
    environment: {},
    settings: {},
    variants: prediction.variants,
  };
  return { table: renderTable(view, result), page: renderHtml([{ lab: view, result }]), view, prediction };
}

test('the fastest route comes first, and the sentence says what to do', async () => {
  const { table, view } = await show('mixed', 5000, [1, 5, 10]);
  expect(view.charts.map(({ title }) => title)).toEqual([
    'Response time of /fast',
    'Response time of /slow',
    'Mean wait for a connection',
  ]);
  expect(table.replaceAll('\n', ' ')).toContain(
    'More than 5 connections do not help. With 1 connection the slowest /fast request takes 20.0 s, with 10 ' +
      'connections 2 ms. Without a limit, the load lasts 9.0 s and uses up to 5 connections at once, 2.8 on average. With ' +
      'fewer than 3, requests pile up until it ends.',
  );
  expect(table).not.toContain('band');
});

test('a route without queries comes last, and the sentence is about the fastest query', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 100, arrivalCount: 10 }],
    scenarios: [{ steps: ['/livez', '/b', '/a'].map((route) => ({ kind: /** @type {const} */ ('request'), route })) }],
  });
  const prediction = await predict({
    load,
    poolSizes: [1, 2],
    services: {
      '/livez': { kind: 'none' },
      '/a': { kind: 'fixed', ms: 50 },
      '/b': { kind: 'fixed', ms: 70 },
    },
  });
  const view = createPredictView({ load: prediction.load, isRandom: false });
  expect(view.charts.map(({ title }) => title).slice(0, 3)).toEqual(
    ['/a', '/b', '/livez'].map((route) => `Response time of ${route}`),
  );
  expect(
    view.takeaway({ lab: 'predict', startedAt: '', environment: {}, settings: {}, variants: prediction.variants }),
  ).toContain(' slowest /a request ');
});

test('the sentence is right for one connection, too', async () => {
  const { table } = await show('mixed', 5000, [1]);
  expect(table.replaceAll('\n', ' ')).toContain('More than 1 connection would still help.');
});

test('a random load shows its band, and fits 80 columns', async () => {
  const { table } = await show('users-and-admins', 5000, [1, 6, 20]);
  expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(table).toMatch(/^ +6 .* \d+-\d+ /m);
});

test('every figure has its band, within 80 columns', async () => {
  const { table, page, prediction } = await show('users-and-admins', 5000, [1, 6, 20], true);
  expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  const rows = table
    .split('\n')
    .filter((line) => /^ +6 /.test(line))
    .join(' ');
  const { low, high } = prediction.variants[1].predicted;
  // A pool of 1 has hundreds of ms, so no size has a decimal.
  const rounded = (/** @type {number | undefined} */ ms) => Number(ms).toFixed(0);
  for (const figure of /** @type {const} */ (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs'])) {
    const [from, to] = [low, high].map((end) => rounded(end?.routes['/fast'][figure]));
    expect(rows).toContain(from === to ? ` ${from} ` : ` ${from}-${to} `);
  }
  for (const figure of /** @type {const} */ (['meanWaitMs', 'peakActive', 'peakWaiting'])) {
    const [from, to] = [low, high].map((end) => rounded(end?.[figure]));
    expect(`${rows} `).toContain(from === to ? ` ${from} ` : ` ${from}-${to} `);
  }
  expect(table).toContain('band: one more measurement lies in it with a probability of 90 %.');
  expect(page).toContain('mean wait');
  expect(page).toContain(`${rounded(low?.meanWaitMs)}-${rounded(high?.meanWaitMs)}`);
});

test('times below 10 ms have a decimal, so that a figure lies in its band', async () => {
  const { table } = await show('users-and-admins', 500, [20]);
  expect(table).toMatch(/^ +20 +2 +2 +2 /m);
});

test('rows that look the same are one, but a measured one, and only some sizes are shown of many', () => {
  const figures = (/** @type {number} */ maxMs) => ({
    failures: 0,
    routes: { '/a': { count: 30, p95Ms: maxMs, maxMs } },
  });
  const variants = [50, 9, 2, 2, 2, 2].map((maxMs, index) => ({
    name: '',
    settings: { poolSize: index + 1 },
    measured: index === 4 ? {} : null,
    predicted: figures(maxMs),
  }));
  const load = /** @type {any} */ ({ routes: { '/a': { queries: 1, meanMs: 2 } }, knee: 3, peakActive: 5 });
  const folded = foldSizes(createPredictView({ load, isRandom: false }), variants);
  expect(folded.map(({ settings: { poolSize, upTo } }) => [poolSize, upTo])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, 4],
    [5, undefined],
    [6, undefined],
  ]);
  const many = Array.from({ length: 30 }, (_, index) => ({
    name: '',
    settings: { poolSize: index + 1 },
    measured: null,
  }));
  expect(pickRows(many, [7, null]).map(({ settings }) => settings.poolSize)).toEqual([1, 2, 3, 4, 6, 7, 8, 12, 16, 20]);
  expect(pickRows(many.slice(0, 9), [])).toHaveLength(9);
});

test('below 20 requests, only the maximum is shown', () => {
  const load = /** @type {any} */ ({ routes: { '/a': { queries: 1, meanMs: 2 } }, knee: 1, peakActive: 1 });
  const { columns } = createPredictView({ load, isRandom: true });
  const show = (/** @type {number} */ count) =>
    columns
      .filter(({ group }) => group === '/a')
      .map(({ value }) => {
        const times = { routes: { '/a': { count, p50Ms: 1, p95Ms: 2, p99Ms: 3, maxMs: 4 } } };
        return value(/** @type {any} */ ({ settings: {}, predicted: { ...times, low: times, high: times } }));
      });
  expect(show(20)).toEqual([1, 2, [2, 2], 3, 4]);
  expect(show(19)).toEqual([undefined, undefined, undefined, undefined, 4]);
});
