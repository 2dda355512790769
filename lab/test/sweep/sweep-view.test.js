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

test('says why requests waited, at each size', () => {
  const words = ['Pool size 1: Requests wait 3.0 s on average, because /slow holds the only connection.'];
  const { page } = showResult('x.json', read({ doctor: { words } }), 80);
  expect(page).toContain(`<li>${words[0]}</li>`);
  expect(() => showResult('x.json', read({ doctor: { words: [5] } }), 80)).toThrow('doctor.words[0] must be text');
});

test('compares the slowest requests of a route that has few', () => {
  const result = createSampleResult({ lab: 'sweep' });
  const few = { ...result.variants[0].measured, routes: { '/fast': { count: 19, p50Ms: 1, p95Ms: 2, maxMs: 30 } } };
  Object.assign(result.variants[0], { measured: few });
  const { table, page } = showResult('x.json', toResult(result, 'x.json'), 80);
  expect(table.replaceAll(/\s+/g, ' ')).toContain(
    'With 1 connection, the slowest request to /fast took 30 ms; with 10 connections, 6 ms. /fast ms',
  );
  expect(table).toMatch(/^pool reqs .*max/m);
  expect(page).toContain('/fast: the slowest request');
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

test('columns and charts are of the routes that hold connections and of those that wait', () => {
  const times = { count: 100, p50Ms: 1, p95Ms: 2, p99Ms: 3, maxMs: 4 };
  const routes = {
    '/quick': { ...times, count: 900, useP50Ms: 0.1, waitP95Ms: 0 },
    '/bus': { ...times, useP50Ms: 500, waitP95Ms: 9000 },
    '/tram': { ...times, useP50Ms: 50, waitP95Ms: 0 },
    '/victim': { ...times, useP50Ms: 1, waitP95Ms: 9000 },
    '/other-victim': { ...times, useP50Ms: 1, waitP95Ms: 8000 },
    '/bystander': { ...times, useP50Ms: 2, waitP95Ms: 3 },
  };
  const { lab } = read({
    variants: [{ name: 'pool 1', settings: { poolSize: 1 }, measured: { requests: 1, failures: 0, maxMs: 4, routes } }],
  });
  const listGroups = (/** @type {import('../../report/result-types.js').Column[]} */ columns) => [
    ...new Set(columns.map(({ group }) => group).filter((group) => group?.startsWith('/'))),
  ];
  expect(listGroups(lab.columns)).toEqual(['/bus', '/other-victim', '/tram', '/victim']);
  // A terminal has room for one of each kind.
  expect(listGroups(lab.columns.filter(({ detail }) => !detail))).toEqual(['/bus', '/victim']);
});

test('the verdict is the first column, the table fits a terminal, and the command is named', () => {
  const result = createSampleResult({ lab: 'sweep' });
  result.settings.command = 'node app.js --db-password ***';
  for (const { measured } of result.variants) {
    Object.assign(measured ?? {}, {
      goals: { '/fast max < 1 s': measured?.routes['/fast'].maxMs, '/fast p95 < 1 s': 1 },
      goalRequests: { '/fast max < 1 s': 5, '/fast p95 < 1 s': 5 },
    });
  }
  const { table, page } = showResult('x.json', toResult(result, 'x.json'), 80);
  const lines = table.split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  // Too few requests for a p95: whatever it is, there is no verdict.
  expect(lines.filter((line) => /^(goals|missed|no verdict)/.test(line)).map((line) => line.split(/ {2,}/)[0])).toEqual(
    ['goals', 'missed', 'missed', 'no verdict'],
  );
  expect(page).toContain('It was started with: node app.js --db-password ***');
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
