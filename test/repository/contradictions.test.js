import { expect, test } from '@jest/globals';
import { findContradictions } from '../../scripts/corpus/contradictions.js';

const DOCTOR =
  '91 % of the requests wait 16 ms on average, because the server is busy: it uses 0.9 of its 2 cores. ' +
  'Best guess: 4 connections, because more would not help at the recorded load; pool-lab advise finds the size for a ' +
  'goal, with headroom.';
const PREDICT = `Best guess: 3 to 4 connections, because more would not help at the recorded
load; pool-lab advise finds the size for a goal, with headroom.
Trust: 9 of 10 measured figures lie in their bands.

With 1 connection the slowest /a request takes 287 ms. Without a limit, it uses up to 5 connections at once, 1.4 on
average. Above 8 connections the server is the bottleneck: with 16, p99 of /a is
1.3 times as long (118 ms instead of 88 ms).

                 /a ms
pool     fail   p50  p95
─────── ───── ───── ────
1 to 2      0     – 9-99
4          12    23   27
8 to 16     0    22   25

--explain says what the figures assume.
`;
const ADVISE = `5 connections: 4 meet /a p95 < 38 ms at the recorded load, 5 also with 30 % more
requests, in 95 of 100 runs.
"/a p95 < 38 ms": at most 37.8 ms at load x1 and 37.9 ms at load x1.3, in 95 of
100 runs.
With 3, "/a p95 < 38 ms" takes up to 38.2 ms at load x1.
The queries share the 1.7 cores that the server could use. At load x1, nobody
would wait for a connection.
`;
const TIMES = { p50Ms: 22, p95Ms: 25, p99Ms: 26, maxMs: 30 };
const ANSWERS = {
  doctor: { verdict: { waitingShare: 0.9 }, totals: { waiting: 90 } },
  predict: {
    variants: [
      { settings: { poolSize: 2 }, measured: {}, predicted: { routes: { '/a': { ...TIMES, p50Ms: null } } } },
      {
        settings: { poolSize: 8 },
        predicted: { routes: { '/a': TIMES }, low: { routes: { '/a': TIMES } }, high: { routes: { '/a': TIMES } } },
      },
    ],
  },
  advise: { poolSize: 5, sizeNow: 4 },
};
const TEXTS = { doctor: DOCTOR, predict: PREDICT, advise: ADVISE };

test('commands that agree contradict nothing', () => {
  expect(findContradictions(ANSWERS, TEXTS)).toEqual([]);
});

/** @typedef {[command: keyof typeof TEXTS, from: string | RegExp, to: string, found: string[]]} Change of a text */

test.each(
  /** @type {Change[]} */ ([
    ['advise', 'share the', 'need 3.2 cores, more than the 3.2 cores of the', ['more than there is']],
    [
      'advise',
      'The queries',
      'The load needs 2.0 of the 2.0 cores, which is more than it has. It',
      ['more than there is'],
    ],
    ['predict', '1.4 on', '0.0 on', ['a zero that is not none']],
    ['advise', 'The queries', 'A size that does: 0 connections. The queries', ['a zero that is not none']],
    ['advise', 'The queries', 'No figures for any size: not so.', ['figures of any size, where there are none']],
    ['predict', '--explain', 'No figures for 8, 16: a wide band.', ['figures of a size that has none']],
    ['predict', '23   27', ' –    –', ['a best guess without figures']],
    ['predict', '3 to 4 connections', '17 connections', ['a best guess without figures', 'another best guess']],
    ['predict', '3 to 4', 'more than 8', ['another best guess']],
    ['predict', 'at the recorded\nload', 'at all', ['another size without the reason']],
    ['predict', ', with headroom', '', ['another size without the reason']],
    ['advise', ' at the recorded load', '', ['another size without the reason']],
    ['advise', ', 5 also with 30 % more\nrequests', '', ['another size without the reason']],
    ['advise', /^5/, '4', ['another size than the advised one']],
    ['predict', 'Above 8', 'Above 2', ['another best guess']],
    ['predict', /^(\d\S*(?: to \d+)?).*$/gm, '$1', ['a best guess without figures', 'a table of nothing but sizes']],
    ['advise', '38.2', '38', []],
    ['advise', '38.2', '37.9', ['a figure on the other side of its limit']],
    ['advise', '37.8', '38', ['a figure on the other side of its limit']],
    ['advise', '37.9 ms', '1.2 s', ['a figure on the other side of its limit']],
    ['advise', 'nobody\nwould wait', 'nobody waits', ['nobody who waits']],
    ['doctor', /Best .*/, 'More connections would not help', ['more connections that would not help']],
    ['doctor', /Best .*/, 'Leave the pool as it is', ['another pool than as it is']],
    ['doctor', 'guess: 4', 'guess: 7', ['a size that would not do']],
    ['doctor', ' at the recorded load', '', ['another size without the reason']],
    ['advise', 'the 1.7', "the server's 1.7", ['two numbers of cores']],
    ['advise', '1.7', '13.9', ['two numbers of cores']],
  ]),
)('%s: %s -> %s', (command, from, to, found) => {
  const changed = TEXTS[command].replace(from, to);
  expect(changed).not.toBe(TEXTS[command]);
  const all = findContradictions(ANSWERS, { ...TEXTS, [command]: changed });
  expect([...new Set(all.map((each) => each.replace(/: .*/, '')))]).toEqual(found);
});

test.each([
  ['a p95 below its p50', { p95Ms: 21 }, 'routes'],
  ['a p95 above its band', { p95Ms: 24 }, 'high'],
  ['a p50 below its band', { p50Ms: 23 }, 'low'],
])('%s is out of order', (_, times, part) => {
  const answers = structuredClone(ANSWERS);
  const { predicted } = /** @type {any} */ (answers.predict.variants[1]);
  (part === 'routes' ? predicted : predicted[part]).routes = { '/a': { ...TIMES, ...times } };
  expect(findContradictions(answers, TEXTS)).toEqual(['figures out of order: /a with 8']);
});
