import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { listLoads } from '../../scripts/rules/loads.js';
import { drawChart, fillPage } from '../../scripts/rules/page.js';
import { RULES, waitShare } from '../../scripts/rules/rules.js';
import { judgeMeasured, readTable, scoreRules, writeTable } from '../../scripts/rules/table.js';
import { tryRules } from '../../scripts/rules/trial.js';

/** @import { LoadUse } from '../../scripts/rules/load-use.js' */

const text = await readFile('docs/rules.csv', 'utf8');
const page = await readFile('docs/rules.md', 'utf8');
const rows = readTable(text);
const scores = Object.fromEntries(scoreRules(rows).map((score) => [score.rule, score]));

describe('docs/rules.md', () => {
  test('has the figures and the chart of the raw table: npm run rules', async () => {
    expect(fillPage(page, rows)).toBe(page);
    expect(await readFile('docs/rules.svg', 'utf8')).toBe(drawChart(rows));
  });

  test('tries all rules on 40 loads, and measures a tenth of the sizes', () => {
    expect(new Set(rows.map(({ load }) => load))).toEqual(new Set(Object.keys(listLoads())));
    expect(rows).toHaveLength(40 * RULES.length);
    expect(text).toBe(writeTable(rows));
    const { pairs, measured, inBand } = judgeMeasured(rows);
    expect(measured / pairs).toBeGreaterThanOrEqual(0.1);
    expect(inBand / measured).toBeGreaterThanOrEqual(0.85);
  });

  test('says in words what the table says', () => {
    const common = scores['operations x duration + 20 %'];
    expect(common.small).toBeGreaterThan(common.right + common.large);
    const erlang = scores['Erlang C'];
    expect(erlang.groups[0]).toEqual([16, 16]);
    expect(Math.max(...Object.values(scores).map(({ right }) => right))).toBe(erlang.right);
    expect(scores['default of 100'].small + scores['maximum / members - 1'].small).toBe(0);
    const sizes = [...new Map(rows.map(({ load, best }) => [load, best])).values()].sort((a, b) => a - b);
    expect(sizes[19]).toBe(5);
  });
});

describe('the rules', () => {
  /** @param {string} name @param {Partial<LoadUse>} use */
  const sizeOf = (name, use) => {
    const rule = /** @type {typeof RULES[number]} */ (RULES.find((each) => each.name === name));
    return rule.sizeOf(/** @type {LoadUse} */ (use), () => ({ utilisation: 0, meanWaitMs: 0 }));
  };

  test.each([
    ['operations x duration + 20 %', { meanInUse: 10_000 * 0.01 }, 120],
    ['operations x duration', { meanInUse: 500 * 0.02 }, 10],
    ['operations x duration x 2', { meanInUse: 200 * 0.015 }, 6],
    ['operations x p95 / 0.8 + 20 %', { ratePerSec: 750, p95UseMs: 45 }, 51],
    ['peak at once + 25 %', { peakAtOnce: 40 }, 50],
    ['cores x 2 + spindles', { cores: 4 }, 9],
    ['maximum / members - 1', {}, 165],
  ])('%s: the example of its source', (name, use, size) => {
    expect(sizeOf(name, use)).toBe(size);
  });

  test('Erlang C, by hand: of 2 connections in use on average and 3 in all, 4 of 9 arrivals wait', () => {
    // 2^3/3! x 3 = 4, beside 1 + 2 + 2 = 5.
    expect(waitShare(3, 2)).toBeCloseTo(4 / 9, 12);
    expect(sizeOf('Erlang C', { meanInUse: 2 })).toBe(6);
  });

  test('a rule does not give a size where its own limits forbid it', () => {
    const sizes = [0.5, 2].map((variationOfUse) =>
      ['operations x duration + 15 % if even', 'start with 10 to 20'].map((name) =>
        sizeOf(name, { meanInUse: 2, variationOfUse }),
      ),
    );
    expect(sizes).toEqual([
      [3, null],
      [null, 15],
    ]);
  });
});

test.each(['loadtests/mixed.yaml', 'corpus/loads/one-query/recorded-at-2'])('%s gives its rows again', async (load) => {
  const again = await tryRules(await listLoads()[load]());
  const stored = rows.filter((row) => row.load === load).map((row) => ({ ...row, measuredMs: null }));
  expect(again.map((row) => ({ ...row, measuredMs: null }))).toEqual(stored);
});
