import { readTrace } from 'mongodb-pool-predictor/node';
import { mean } from 'mongodb-pool-predictor/statistics';
import { savedRun } from '../support/saved-runs.js';

/**
 * A figure, or several, that a lesson quotes: where they stand in its prose, in the groups of the pattern; and what
 * they follow from, with the cells of a row of the lesson's tables.
 *
 * @typedef {[pattern: RegExp, valuesOf: (row: (name: string) => number[]) => number[]]} Quote
 */

const administrators = savedRun('quiet 08').variants[1].measured.routes['/slow'].count;

const { checkouts, routes } = await readTrace('examples/ordinary-minute.jsonl');
const slow = checkouts.routeOf.filter((route) => routes[route] === '/slow').length;
const seconds =
  Math.max(...checkouts.startedMs.map((ms, row) => ms + checkouts.waitMs[row] + checkouts.useMs[row])) / 1000;
const [ratePerSec, meanUseMs] = [checkouts.useMs.length / seconds, mean(Array.from(checkouts.useMs))];
const inUse = (ratePerSec * meanUseMs) / 1000;

/** What queries of 100 ms wait in the end: the formula of lesson 12. @param {number} utilisation */
const finalWaitMs = (utilisation) => (100 * utilisation) / (2 * (1 - utilisation));

/** @type {Record<string, Quote[]>} by lesson */
export const QUOTES = {
  '01-what-a-pool-is': [
    [/fifth bus took (\d+) seconds/, (row) => [row('| 5 |')[2] - row('| 5 |')[0]]],
    [/They enter at (\d), (\d), (\d), (\d) and (\d+) s\./, (row) => [1, 2, 3, 4, 5].map((bus) => row(`| ${bus} |`)[1])],
    [/arrived at (\d) s, so it waits (\d) s/, (row) => [row('| 5 |')[0], row('| 5 |')[3]]],
  ],
  '02-one-lane': [
    [/4 x 5 = (\d+) seconds/, (row) => [row('1')[1] / 1000]],
    [/four buses: 4 x 5 = (\d+) s/, (row) => [row('1')[1] / 1000]],
  ],
  '03-find-the-knee': [
    [
      /From 1 to 3 lanes the longest response drops by (\d+) seconds, from 3 to 5 by (\d)/,
      (row) => [(row('1')[0] - row('3')[0]) / 1000, (row('3')[0] - row('5')[0]) / 1000],
    ],
    [/the query itself: (\d) seconds/, (row) => [row('5')[0] / 1000]],
    [/Why (\d) seconds in the article, and (\d) here/, (row) => [row('3')[1] / 1000, row('3')[0] / 1000]],
    [/bus 4 took (\d) seconds instead of (\d)/, (row) => [row('3')[1] / 1000, row('3')[0] / 1000]],
  ],
  '04-predict-then-reveal': [[/from 21 to 7 says (\d+), and half of 21 is ([\d.]*\d)/, () => [(21 + 7) / 2, 21 / 2]]],
  '05-wait-queue': [
    [/longest response fell from (\d+) to (\d) seconds/, (row) => [row('1')[5] / 1000, row('1')[4] / 1000]],
    [/But (\d) of (\d+) requests got no answer/, (row) => [row('1')[1], row('1')[0]]],
    [/ (\d): two buses and one Ferrari are served, the other (\w+)/, (row) => [row('1')[1], row('1')[1]]],
  ],
  '08-remedies': [
    [
      /waits for them: (\d+) of the (\d+) administrators gave up/,
      (row) => [row('second client 2+3')[6], administrators],
    ],
    [/above the limit, at once: (\d+) of the (\d+)/, (row) => [row('limit of 3')[5], administrators]],
    [
      /waits too long: (\d+) customers and (\d+) administrators/,
      (row) => [row('timeout 500 ms')[2], row('timeout 500 ms')[5]],
    ],
  ],
  '09-toll-booths': [
    [/heavy queries is (\w+) times as long/, (row) => [row('compared: 100')[5] / row('compared: best')[5]]],
    [
      /always busy: (\d+) queries a second with 2, (\d+) with 16/,
      (row) => ['2', '16'].map((size) => row(`closed, ${size}`)[1]),
    ],
    [/64 \/ (\d+) = ([\d.]+) seconds on average/, (row) => [row('compared: 100')[1], 64 / row('compared: 100')[1]]],
  ],
  '10-one-client-or-several': [
    [
      /20 connections for (\d+) requests a second are each held for 20 \/ (\d+) = ([\d.]+) ms/,
      (row) => [row('c128 one')[0], row('c128 one')[0], 20_000 / row('c128 one')[0]],
    ],
    [
      /the other (\d+) requests wait for 108 \/ (\d+) = (\d+) ms/,
      (row) => [128 - 20, row('c128 one')[0], 108_000 / row('c128 one')[0]],
    ],
    [/does not take those ([\d.]+) ms/, (row) => [20_000 / row('c128 one')[0]]],
    [
      /Here (\d+) requests of (\d+) µs each kept it busy for (\d+) %/,
      (row) => [row('c128 one')[0], row('c128 one')[2], (row('c128 one')[0] * row('c128 one')[2]) / 10_000],
    ],
    [/without it, and answers (\w+) times as many/, (row) => [row('c128 bare')[0] / row('c128 gathered')[0]]],
    [/Copy answered ([\d.]+) times as many/, (row) => [row('50 workers: copy 4096')[4] / row('50 workers: fixed')[4]]],
    [/several handles: ([\d.]+) times as many/, (row) => [row('c128 several')[1] / row('c128 one')[1]]],
    [/cost (\d+) µs instead of (\d+)/, (row) => [row('c128 gathered')[2], row('c128 one')[2]]],
    [
      /(\d+) \/ (\d+) = ([\d.]+) with the figures/,
      (row) => [row('c128 one')[2], row('c128 gathered')[2], row('c128 one')[2] / row('c128 gathered')[2]],
    ],
  ],
  '11-batching': [
    [
      /(\d+) \/ (\d+) = ([\d.]+) with the figures/,
      (row) => [row('1/100 gathered')[1], row('100/100 plain')[1], row('1/100 gathered')[1] / row('100/100 plain')[1]],
    ],
  ],
  '12-utilisation': [
    [/or (\d+), (\d+), (\d+) and (\d+) ms here/, () => [0.5, 0.8, 0.9, 0.95].map(finalWaitMs)],
    [
      /([\d.]+) x ([\d.]+) = ([\d.]+) with the figures/,
      (row) => [
        row('random, 90 %')[0],
        row('random, 90 %')[2] / 1000,
        (row('random, 90 %')[0] * row('random, 90 %')[2]) / 1000,
      ],
    ],
    [/they wait for (\d+) ms on average/, () => [finalWaitMs(0.5)]],
    [/200 x ([\d.]+) = (\d) connection/, () => [5 / 1000, (200 * 5) / 1000]],
  ],
  '13-your-own-pool': [
    [
      /(\d+) slow queries in (\d+) seconds, or ([\d.]+) a second, of 5 seconds each keep ([\d.]+) x 5 = ([\d.]+)/,
      () => [slow, seconds, slow / seconds, slow / seconds, (5 * slow) / seconds],
    ],
    [/([\d.]+) operations a second took (\d+) ms on average/, () => [ratePerSec, meanUseMs]],
    [
      /([\d.]+) x ([\d.]+) = ([\d.]+), and with 20 % more that is (\d+) connections/,
      () => [ratePerSec, meanUseMs / 1000, inUse, Math.ceil(inUse * 1.2)],
    ],
  ],
  '14-fleet-budget': [
    [/opens (\d+) connections to the primary/, () => [17 + 2]],
    [/each secondary has (\d+) as well/, () => [17 + 2]],
    [/(\d+) \/ (\d+) = ([\d.]*\d)\. Each/, () => [3000, 400, 3000 / 400]],
    [/(\d) - (\d) = (\d): /, () => [Math.floor(3000 / 400), 2, Math.floor(3000 / 400) - 2]],
    [/2 x 40 x \(16 \+ 2\) = (\d+) at each server/, () => [2 * 40 * (16 + 2)]],
  ],
  '16-replication': [
    [/(\d+) \/ (\d+) = ([\d.]+) with the figures/, (row) => [row('8')[0], row('1')[0], row('8')[0] / row('1')[0]]],
    [/an average of (\d+) operations instead of (\d+)/, (row) => [row('8')[1], row('1')[1]]],
  ],
};

/** Figures that no table has: what a lesson sets, or another test checks. @type {Record<string, string>} by lesson */
export const GIVEN = {
  '01-what-a-pool-is': '0 1 2 3 4 5 5000 11000',
  '02-one-lane': '1 2 3 5 10 20 21 95 100 2020',
  '03-find-the-knee': '1 2 3 4 5 6 8 10 50 2020',
  '04-predict-then-reveal': '0 1 2 3 4 5 6 7 10 11 12 14 15 21',
  '05-wait-queue': '2 2.5 5 6.11 6.21 7 7.0 7.7 7.9 10 25 100 503 2500',
  '06-cold-start': '1 20 50 99 100',
  '07-change-streams': '1 2 4 5 10 20 95 99 100 1000',
  '08-remedies': '1 2 3 5 6 20 50 99 100',
  '09-toll-booths': '0.5 1 2 3 4 8 16 17 20 50 64 99 100 1000',
  '10-one-client-or-several': '1 1.27 2 3.4 3.9 5 10 20 36 40 50 100 103 128 256 2021 4096 9484',
  '11-batching': '0.5 1 8 64 100 9,917 21,828 24,547 84,428',
  '12-utilisation': '1 2 5 8 40 50 75 80 90 95 100 200',
  '13-your-own-pool': '1 1.3 5 6 8 9 9.5 11 14 14.9 17 20 30 54 95 98 99 100 1200',
  '14-fleet-budget': '2 4 10 16 17 40 1000 3000 400 100 000',
  '15-your-own-app': '1 3 4,5 5 10 50 100',
  '16-replication': '1 5 7 8 20',
};
