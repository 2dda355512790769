import { expect, test } from '@jest/globals';
import { showResult } from '../../cli/report-command.js';
import { toResult } from '../../cli/result-file.js';
import { createSampleResult } from '../report/sample-result.js';

/** @param {object} [changes] */
function read(changes) {
  return toResult({ ...createSampleResult({ lab: 'sweep' }), ...changes }, 'x.json');
}

test('shows a sweep: its routes, its takeaway and what advise said', () => {
  const { table, page } = showResult(
    'x.json',
    read({ advice: { words: ['Measured: the goal is met at pool size 3, 10.', 'advise says so.'] } }),
    80,
  );
  expect(table).toMatch(/\/fast ms +\/slow ms/);
  expect(table.replaceAll(/\s+/g, ' ')).toContain(
    'Measured: the goal is met at pool size 3, 10. ' +
      'With 1 connection, 95 of 100 requests to /fast took at most 20.1 s; with 10 connections, 5.2 ms.',
  );
  expect(page).toContain('<li>advise says so.</li>');
});

test('explains a heading again where it means something else', () => {
  const result = createSampleResult({ lab: 'sweep' });
  for (const { measured } of result.variants)
    Object.assign(measured ?? {}, { pool: { waitP50Ms: 1, waitP95Ms: 2, useP50Ms: 3, useP95Ms: 4 } });
  const words = showResult('x.json', toResult(result, 'x.json'), 80).page.replaceAll(/<[^>]*>/g, '');
  expect(words).toMatch(/ p50 50 % of requests took this long or less /);
  expect(words).toMatch(/pool wait p50 wait for a connection: 50 % took this long or less /);
  expect(words).toMatch(/use p50 time that a query had its connection: 50 % took this long or less /);
});

test('only the routes with most requests have columns', () => {
  const routes = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`/r${index}`, { count: index, p50Ms: 1, p95Ms: 2, p99Ms: 3, maxMs: 4 }]),
  );
  const { lab } = read({
    variants: [{ name: 'pool 1', settings: { poolSize: 1 }, measured: { requests: 1, failures: 0, maxMs: 4, routes } }],
  });
  expect([...new Set(lab.columns.map(({ group }) => group).filter((group) => group?.startsWith('/')))]).toEqual([
    '/r14',
    '/r15',
    '/r16',
    '/r17',
    '/r18',
    '/r19',
  ]);
});

test.each([
  [{ advice: { words: [5] } }, 'advice.words[0] must be text'],
  [
    { variants: [{ name: 'pool 1', settings: {}, measured: { routes: { '/a': null } } }] },
    'variants[0].measured.routes./a must be an object',
  ],
  [
    { variants: [{ name: 'pool 1', settings: {}, measured: { routes: {}, goals: { x: 'y' } } }] },
    'variants[0].measured.goals.x must be a number',
  ],
])('%j is refused', (changes, message) => {
  expect(() => read(changes)).toThrow(`x.json is not a result of pool-lab run or sweep: ${message}`);
});
