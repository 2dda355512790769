import { describe, expect, test } from '@jest/globals';
import { chooseCores } from '../../src/server/choose-cores.js';

/** @import { Likelihood } from '../../src/server/likelihood.js' */
/** @import { Trace } from '../../src/trace/trace.js' */

/**
 * @param {object} facts
 * @param {[count: number, share: number][]} [facts.levels] queries at work, and for which share of the time
 * @param {Trace['server']} [facts.server]
 * @param {number[]} [facts.waitMs]
 * @param {number} [facts.slowed] share of the time of queries that is due to others
 * @param {(cores: number) => number} [facts.of] twice the logarithm of the likelihood, above that of no slowdown
 */
function choose({ levels = [[4, 1]], server, waitMs = [9], slowed = 1, of = () => 0 }) {
  const trace = { server, waitMs, useMs: [2], routeOf: [0], routes: ['/a'] };
  const meanOf = (/** @type {(count: number) => number} */ value) =>
    levels.reduce((sum, [count, share]) => sum + share * value(count), 0);
  const likelihood = /** @type {Likelihood} */ (
    /** @type {unknown} */ ({
      parts: [{ trace, routeOf: [0] }],
      routes: [{ fastestMs: 1 }],
      atWork: () => ({ meanOf, most: 20 }),
      slowedShare: () => slowed,
      of: (/** @type {number} */ cores) => (cores === Infinity ? 0 : of(cores)),
    })
  );
  return chooseCores(likelihood, [1]);
}

/** 1 in all times between two numbers of cores. @param {number} from @param {number} to */
const within = (from, to) => (/** @type {number} */ cores) => Number(cores > from && cores < to);
/** Waits of 100 checkouts. @param {number} count @param {number} ms */
const waits = (count, ms) => Array.from({ length: 100 }, (_, row) => (row < count ? ms : 0));

// A little below each threshold, and a little above it.
describe('the cores that a server reports are taken', () => {
  const server = { cores: 4, busyCores: 3 };

  test.each(
    /** @type {[string, [number, number], (value: number) => Parameters<typeof choose>[0]][]} */ ([
      ['if 0.6 of them were in use', [2.3, 2.5], (busyCores) => ({ server: { cores: 4, busyCores } })],
      ['if 0.1 of the checkouts waited', [9, 11], (count) => ({ server, slowed: 0, waitMs: waits(count, 9) })],
      ['for 1 ms', [0.95, 1.05], (ms) => ({ server, slowed: 0, waitMs: waits(50, ms) })],
      ['or queries slow each other down by 0.1', [0.095, 0.105], (slowed) => ({ server, waitMs: [0], slowed })],
    ]),
  )('%s', (_, values, factsOf) => {
    expect(values.map((value) => choose(factsOf(value))?.source)).toEqual([undefined, 'recorded']);
  });

  test('as far as it used them, if more queries than cores were at work for 0.9 of the time', () => {
    const coresAt = (/** @type {number} */ share) =>
      choose({
        server,
        levels: [
          [5, share],
          [4, 1 - share],
        ],
      })?.cores;
    expect([coresAt(0.88), coresAt(0.92)]).toEqual([4, 3]);
  });
});

describe('cores are fitted', () => {
  /** Below two cores for a tenth of the time. @type {[number, number][]} */
  const levels = [
    [1, 0.1],
    [8, 0.9],
  ];

  test.each(
    /** @type {[string, number[], (string | undefined)[], (value: number) => Parameters<typeof choose>[0]][]} */ ([
      [
        'by evidence of 19.5',
        [19, 20],
        [undefined, 'fitted'],
        (nats) => ({ levels, of: (cores) => nats * within(2, 3)(cores) }),
      ],
      [
        'if they slow queries down by 0.1',
        [0.095, 0.105],
        [undefined, 'fitted'],
        (slowed) => ({ levels, slowed, of: (cores) => 50 * within(2, 3)(cores) }),
      ],
      [
        'if their ends differ by a factor of 2',
        [4, 3.8],
        ['guessed', 'fitted'],
        (high) => ({ levels, of: (cores) => 50 * within(2, high)(cores) }),
      ],
      [
        'if its machine has as many',
        [2, 3],
        ['recorded', 'fitted'],
        (cores) => ({ levels, server: { cores, busyCores: 1.9 }, of: (each) => 50 * within(2.2, 2.9)(each) }),
      ],
      [
        'if few were at work for 0.03 of the time',
        [0.028, 0.032],
        ['guessed', 'fitted'],
        (share) => ({
          levels: [
            [1, share],
            [8, 1 - share],
          ],
          of: (cores) => 50 * within(2, 3)(cores),
        }),
      ],
      [
        'if many were at work for 0.03 of the time',
        [0.028, 0.032],
        ['guessed', 'fitted'],
        (share) => ({
          levels: [
            [1, 1 - share],
            [8, share],
          ],
          of: (cores) => 50 * within(2, 3)(cores),
        }),
      ],
    ]),
  )('%s', (_, values, sources, factsOf) => {
    expect(values.map((value) => choose(factsOf(value))?.source)).toEqual(sources);
  });

  test('with all that are less likely by 3.84 at most', () => {
    const highOf = (/** @type {number} */ loss) =>
      choose({ levels, of: (cores) => 50 * within(2, 3)(cores) - loss * within(2.5, 3)(cores) })?.range?.[1];
    expect([highOf(3.7), highOf(4)].map((high) => Number(high) > 2.8)).toEqual([true, false]);
  });
});
