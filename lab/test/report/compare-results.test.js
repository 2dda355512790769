import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { scratchFolder } from 'test-support/cleanup.js';
import { compareResults, describeComparison } from '../../report/compare-results.js';
import { runCli } from '../support/run-cli.js';
import { createSampleResult } from './sample-result.js';

/** @import { Result } from '../../report/result-types.js' */

/**
 * @param {Record<string, number[][]>} routes p95 of each repeat, at two pool sizes
 * @param {{ failures?: number, settings?: object, environment?: object }} [options]
 */
function createRun(routes, { failures = 0, settings, environment } = {}) {
  const sample = createSampleResult({ lab: 'sweep' });
  const figuresOf = (/** @type {number} */ size, /** @type {number} */ repeat) => ({
    requests: 100,
    failures,
    maxMs: 1,
    routes: Object.fromEntries(
      Object.entries(routes).map(([route, sizes]) => [
        route,
        { count: 100, failures, p50Ms: 1, p95Ms: sizes[size][repeat], p99Ms: 1, maxMs: 1 },
      ]),
    ),
  });
  const [sizes] = Object.values(routes);
  return /** @type {Result} */ ({
    ...sample,
    settings: { ...sample.settings, ...settings },
    environment: { ...sample.environment, ...environment },
    variants: [1, 3].map((poolSize, size) => ({
      name: `pool ${poolSize}`,
      settings: { poolSize },
      measured: figuresOf(size, 0),
      repeats: sizes[size].map((_, repeat) => ({ measured: figuresOf(size, repeat) })),
    })),
  });
}

const THREE = [
  [100, 102, 104],
  [50, 51, 52],
];
const scale = (/** @type {number} */ factor) => THREE.map((values) => values.map((value) => value * factor));
const before = createRun({ '/a': THREE });

/** @param {Result} after @param {Result} [other] */
const verdictsOf = (after, other = before) => compareResults(other, after).routes.map(({ verdict }) => verdict);

test('slower than before at each size, and by more than the repeats differ', () => {
  const { routes } = compareResults(before, createRun({ '/a': scale(1.5) }));
  expect(routes).toEqual([{ route: '/a', verdict: 'worse', why: 'p95 153 ms at pool 1 instead of 102 ms' }]);
  expect(verdictsOf(createRun({ '/a': scale(0.5) }))).toEqual(['better']);
});

test('a clear difference that is small is none', () => {
  expect(verdictsOf(createRun({ '/a': scale(1.07) }))).toEqual(['same']);
  expect(verdictsOf(createRun({ '/a': scale(0.015) }), createRun({ '/a': scale(0.01) }))).toEqual(['same']);
});

test('repeats that differ as much as the runs, and opposite changes, give no verdict', () => {
  const noisy = [
    [60, 180, 150],
    [80, 30, 90],
  ];
  expect(verdictsOf(createRun({ '/a': noisy }))).toEqual(['unknown']);
  expect(verdictsOf(createRun({ '/a': [scale(2)[0], scale(0.5)[1]] }))).toEqual(['unknown']);
});

test('the more routes there are, the clearer one must be', () => {
  const names = ['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h', '/i', '/j', '/k', '/l'];
  const all = (/** @type {number} */ factor) =>
    createRun(Object.fromEntries(names.map((name) => [name, name === '/a' ? scale(factor) : THREE])));
  // All values are on one side, in 2 of 400 orders; 5 % over 12 routes is less.
  const [{ verdict, why }] = compareResults(all(1), all(2)).routes;
  expect({ verdict, why }).toEqual({ verdict: 'unknown', why: expect.stringContaining('too few repeats to tell') });
});

test('more failures are worse, whatever the times of the others', () => {
  const { routes } = compareResults(before, createRun({ '/a': scale(0.5) }, { failures: 3 }));
  expect(routes).toEqual([{ route: '/a', verdict: 'worse', why: '0 % of its requests failed before, 3 % now' }]);
});

test('fewer failures are better; where about as many requests fail, the times decide', () => {
  const verdictOf = (/** @type {number} */ failuresBefore, /** @type {number} */ failures) =>
    verdictsOf(createRun({ '/a': scale(1.5) }, { failures }), createRun({ '/a': THREE }, { failures: failuresBefore }));
  expect([verdictOf(3, 0), verdictOf(3, 3), verdictOf(1, 0)]).toEqual([['better'], ['worse'], ['worse']]);
});

test('a route without a request has no share of failures', () => {
  const [was, is] = [THREE, scale(1.5)].map((values) => createRun({ '/a': values }));
  for (const { measured } of [...was.variants, ...is.variants]) measured.routes['/a'].count = 0;
  expect(compareResults(was, is).routes).toMatchObject([{ why: expect.not.stringContaining('failed') }]);
});

test('runs at other sizes only have nothing to compare', () => {
  const after = createRun({ '/a': THREE });
  for (const variant of after.variants) variant.name += '0';
  expect(compareResults(before, after)).toEqual({ problem: 'they have no size in common', routes: [] });
});

test.each([
  [{ settings: { scenario: 'other.yaml' } }, 'the loads differ in scenario (loadtests/mixed.yaml, then other.yaml)'],
  [{ environment: { cores: 64 } }, 'they were measured on different machines (cores)'],
])('%j: no verdict', (changes, problem) => {
  expect(compareResults(before, createRun({ '/a': scale(2) }, changes))).toEqual({ problem, routes: [] });
});

test('another command, other goals and other versions can be compared', () => {
  const changes = { settings: { command: 'node new.js', goals: [] }, environment: { node: '26.0.0', driver: '8.0.0' } };
  expect(verdictsOf(createRun({ '/a': scale(2) }, changes))).toEqual(['worse']);
});

test('report says first what changed, on the terminal and on the page', async () => {
  const folder = await scratchFolder();
  const runs = {
    'a.json': createRun({ '/a': THREE, '/b': THREE, '/c': THREE }),
    'b.json': createRun({ '/a': scale(3), '/b': scale(0.3), '/c': THREE }),
    'once.json': createRun({ '/a': THREE.map((values) => values.slice(0, 1)) }),
  };
  for (const [name, run] of Object.entries(runs)) await writeFile(path.join(folder, name), JSON.stringify(run));
  const [a, b, once] = Object.keys(runs).map((name) => path.join(folder, name));
  const page = path.join(folder, 'page.html');
  const { stdout } = await runCli(['report', a, b, once, '--out', page]);
  const words = stdout.replaceAll(/\s+/g, ' ');
  const news =
    '/a (p95 306 ms at pool 1 instead of 102 ms) got worse; /b (p95 31 ms at pool 1 instead of 102 ms) got better; ' +
    'the same within the noise: /c.';
  expect(words.startsWith(`From ${a} to ${b}, ${news} From ${a} to ${once}: can't tell, one run each.`)).toBe(true);
  expect(await readFile(page, 'utf8')).toContain(`<p class="takeaway">From run A to run B, ${news}</p>`);
});

test('results without routes are shown as before', () => {
  const result = createSampleResult({ lab: 'saturation' });
  for (const { measured } of result.variants) delete measured.routes;
  expect(describeComparison(compareResults(result, result), 'a', 'b')).toBe('');
});
