import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ASSUMPTIONS, VALUES } from 'mongodb-pool-predictor/assumptions';
import { listIdleRules, renderAssumptions } from '../../scripts/calibrate/assumptions-page.js';
import { calibrateBands } from '../../scripts/calibrate/calibrate-bands.js';
import { createRangeFinder } from '../../scripts/calibrate/find-range.js';
import { listVerdicts } from '../../scripts/calibrate/verdicts.js';
import { listRecordings } from '../../scripts/corpus/recordings.js';

const SOURCES = 'packages/pool-predictor/src';
const calibration = JSON.parse(await readFile('corpus/calibration.json', 'utf8'));

describe('the assumptions of the predictor', () => {
  test('are at most 150, each with a reason of its own', () => {
    expect(ASSUMPTIONS.length).toBeLessThanOrEqual(150);
    expect(new Set(ASSUMPTIONS.map(({ why }) => why)).size).toBe(ASSUMPTIONS.length);
  });

  test('are calibrated with their values: npm run calibrate', () => {
    const calibrated = ASSUMPTIONS.map(({ id }) => [id, calibration.ranges[id]?.value]);
    expect(calibrated).toEqual(ASSUMPTIONS.map(({ id, value }) => [id, value]));
    expect(listIdleRules(calibration)).toEqual([]);
  });

  test('have the recordings of the corpus that notice them as evidence', async () => {
    const recordings = (await listRecordings()).map(({ name }) => name);
    expect(ASSUMPTIONS.flatMap(({ evidence }) => evidence).filter((name) => !recordings.includes(name))).toEqual([]);
    expect(ASSUMPTIONS.map(({ id, evidence }) => [id, evidence])).toEqual(
      ASSUMPTIONS.map(({ id }) => [id, calibration.ranges[id].evidence]),
    );
  });

  test('are what docs/assumptions.md says', async () => {
    expect(await readFile('docs/assumptions.md', 'utf8')).toBe(renderAssumptions(ASSUMPTIONS, calibration));
  });
});

/** Numbers that are no assumptions, see assumption.js. */
const OTHERS = {
  'limits of inputs, outputs and time': [
    ...[
      'MAX_HEADER_BYTES',
      'MIN_WORK_MS',
      'PIECES',
      'BUSIEST_MS',
      'MAX_COMPARED',
      'MAX_BEHIND',
      'PROOFS',
      'MAX_LENGTH',
      'MAX_BYTE',
    ],
    ...['MAX_OVERHEADS', 'MAX_CORES', 'MAX_ID', 'MAX_STEPS', 'DEVIATIONS', 'MAX_RUNS', 'MIN_LONG_LOAD_REQUESTS'],
    ...[
      'MAX_DRAWS',
      'MAX_RATE',
      'MAX_LEVELS',
      'MAX_CHOICES',
      'MAX_ROUNDS',
      'MAX_CHECKOUTS',
      'MAX_ROUTES',
      'MAX_SIZES',
      'MAX_OPERATIONS',
      'MAX_GROWTH',
      'MAX_CLOSE',
    ],
    ...['MAX_SIMULATED_REQUESTS', 'MAX_REPLAYED_REQUESTS', 'MAX_QUERIES', 'MAX_DURATION_MS', 'MAX_BLOCK_MS'],
  ],
  'steps, runs and sizes of methods': [
    ...[
      'STEP',
      'COARSE_STEP',
      'SHARES',
      'MAX_DEVIATION',
      'MAX_FACTOR',
      'NEIGHBOURS',
      'RUNS',
      'CORE_RATIOS',
      'FIRST_RUNS',
    ],
    ...[
      'FACTORS',
      'RANKED_BY',
      'CLOSE_RUNS',
      'QUICK_RUNS',
      'MIN_BAND_RUNS',
      'RECORDED_SEED',
      'SIZES',
      'MIN_LARGEST',
      'FIRST_CAPACITY',
      'GROWTH',
      'STEPS_MS',
    ],
    ...['FINEST_MS', 'ERROR_MS', 'SAME_STEPS', 'SAME_MORE_MS', 'SUB_BUCKETS', 'LOWEST_EXPONENT', 'HIGHEST_EXPONENT'],
  ],
  'facts of the driver and of tools, and what was measured': [
    ...['BUFFER_TIMEOUT_MS', 'SECOND_MS', 'CHECK_EVERY_MS', 'SELECTION_MS', 'AGENT_TIMEOUT_MS', 'MONITORS', 'NOISE_MS'],
    ...['TRACE_VERSION', 'OLD_VERSIONS'],
  ],
  'places and marks': ['AT_ONCE', 'MIXED', 'NONE', 'KINDS', 'UNLIMITED', 'SUM', 'MIN', 'MAX'],
};
const CONSTANT = /^(?:export )?const \[?([A-Z][A-Z0-9_, ]*)\]? = ([^;]*);/gm;

/** One, a list, an object, or the result of a formula. */
const NUMBERS = /^(?:-?\d|[[\s]+-?\d|\{ \w+: \d|Array\.from|[A-Z_]+ [-*+/] )/;

test('no other number of the predictor has a name, but for limits, steps, facts and places', async () => {
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => /^(?!assumptions).*\.js$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(SOURCES, file), 'utf8')));
  const named = texts.flatMap((text) =>
    [...text.matchAll(CONSTANT)].filter(([, , value]) => NUMBERS.test(value)).flatMap(([, names]) => names.split(', ')),
  );
  const known = Object.values(OTHERS).flat();
  expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !named.includes(name))).toEqual([]);
});

test('each value is read where it is used, so that it can be moved', async () => {
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => /^(?!assumptions).*\.js$/.test(file));
  const text = (await Promise.all(files.map((file) => readFile(path.join(SOURCES, file), 'utf8')))).join('\n');
  const isRead = (/** @type {string} */ topic, /** @type {string} */ name) =>
    new RegExp(`\\b${topic}\\.${name}\\b|^ +const \\{[^}]*\\b${name}\\b[^}]*\\} = ${topic};`, 'm').test(text);
  const unread = Object.entries(VALUES).flatMap(([topic, values]) =>
    Object.keys(values).filter((name) => !isRead(topic.toUpperCase(), name)),
  );
  expect(unread).toEqual([]);
});

describe('calibrate', () => {
  test('says the same of two answers that differ only by figures', () => {
    const answer = { check: { status: 'holds' }, load: { knee: 4 }, variants: [{ p95Ms: 20 }] };
    const same = listVerdicts(answer);
    expect(listVerdicts({ ...answer, variants: [{ p95Ms: 30 }] })).toBe(same);
    expect(listVerdicts({ ...answer, variants: [{ p95Ms: null }] })).not.toBe(same);
    expect(listVerdicts({ ...answer, load: { knee: 5 } })).not.toBe(same);
    expect(listVerdicts({ ...answer, check: { status: 'fails' } })).not.toBe(same);
  });

  /** @param {number} low @param {number} high values in which nobody notices */
  const rangeOf = (low, high, value = 10, unit = 'ms') => {
    const threads = /** @type {any} */ ({
      findNoticing: async (/** @type {{ value: number }} */ probe) =>
        probe.value < low ? 'small' : probe.value > high ? 'large' : undefined,
    });
    return createRangeFinder(threads, [])({ id: 'doctor.one', value, unit, why: '', evidence: [] });
  };

  test('finds the values that were tried without a change, and who notices the next ones', async () => {
    expect(await rangeOf(5, 20)).toEqual({ value: 10, low: 5, high: 20, evidence: ['small', 'large'] });
    expect(await rangeOf(9, Infinity)).toEqual({ value: 10, low: 10, high: null, evidence: ['small'] });
    expect(await rangeOf(0, Infinity)).toEqual({ value: 10, low: null, high: null, evidence: [] });
    // What a share near 1 is short of it is moved.
    expect(await rangeOf(0.84, 0.96, 0.9, 'share')).toMatchObject({ low: 0.85, high: 0.95 });
  });

  /** @param {string} kind @param {number} measuredMs where 20 ms are predicted, and a band from 10 to 30 */
  const recordingOf = (kind, measuredMs) => {
    const figures = (/** @type {number} */ ms) => ({ meanMs: ms, p50Ms: ms, p95Ms: ms, p99Ms: ms });
    const route = { count: 20, failures: 0, useMs: 5, ...figures(measuredMs) };
    const [low, predicted, high] = [10, 20, 30].map((ms) => ({ routes: { '/a': figures(ms) } }));
    return /** @type {any} */ ({
      name: `loads/${kind}/recorded-at-2`,
      measured: { kind, isCpuBound: true, measured: { 2: { '/a': route }, 4: { '/a': route } } },
      stored: { predict: { variants: [{ settings: { poolSize: 4 }, predicted: { ...predicted, low, high } }] } },
    });
  };

  test('multiplies bands for a kind of load by what all other kinds need', () => {
    const bands = calibrateBands([recordingOf('near', 25), recordingOf('far', 40), recordingOf('below', 18)]);
    expect(bands).toMatchObject({ kinds: 3, figures: 12, factor: 2, low: 0.5, high: 2, heldShare: 8 / 12 });
  });
});
