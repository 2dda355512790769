import { readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseJson } from '../../base/read-json.js';
import { saveResult, toResult } from '../../cli/result-file.js';
import { showResult } from '../../cli/report-command.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { createSampleResult } from '../report/sample-result.js';
import { scratchFolder } from 'test-support/cleanup.js';

/** @param {unknown} value */
const read = (value) => toResult(value, 'x.json');
const [variant] = createSampleResult().variants;

test('a result is read unchanged', () => {
  const result = createSampleResult({ warnings: ['the machine was busy'] });
  expect(read(result)).toEqual({ lab: expect.objectContaining({ name: 'mixed' }), result });
  expect(
    read({
      ...result,
      warnings: undefined,
      variants: [{ ...variant, measured: null, exact: undefined, repeats: undefined, error: 'ill' }],
    }),
  ).toBeTruthy();
});

test('a result of version 0.1 is read in the words of today', () => {
  const old = {
    ...createSampleResult(),
    lab: 'remedies',
    variants: [
      {
        name: 'cap of 3',
        settings: { remedy: 'cap', load: 'all', env: { SLOW_CONCURRENCY: 3 } },
        measured: null,
        runs: [{ measured: { requests: 1 }, arrivalsMs: [0] }],
      },
    ],
  };
  expect(read(old).result.variants).toEqual([
    {
      name: 'limit of 3',
      settings: { remedy: 'limit', load: 'all', env: { SLOW_CONCURRENCY: 3 } },
      measured: null,
      repeats: [{ measured: { requests: 1 }, arrivalsMs: [0] }],
    },
  ]);
});

test('causes that the lab saturation no longer has are left out, with a warning', () => {
  const measured = (/** @type {string} */ cause) => ({
    name: `${cause}: best`,
    settings: { cause, role: 'best', load: 'closed' },
    measured: null,
  });
  const old = {
    ...createSampleResult(),
    lab: 'saturation',
    variants: ['processor', 'hotDocument', 'tickets'].map(measured),
    warnings: ['busy'],
  };
  expect(read(old).result.variants.map(({ name }) => name)).toEqual(['processor: best']);
  const { table } = showResult('old.json', read(old), 200);
  expect(table).toContain(
    '! busy\n\n! This result also has a hot document or read tickets, which the lab no longer measures.',
  );
  const none = showResult('old.json', read({ ...old, variants: [measured('tickets')], warnings: undefined }), 200);
  expect(none.table).toContain('! This result also has');
});

test('a report shows a result of version 0.1 with its repeats', () => {
  const result = createSampleResult();
  const old = { ...result, variants: result.variants.map(({ repeats, ...rest }) => ({ ...rest, runs: repeats })) };
  const { page } = showResult('old.json', read(old));
  expect(page).toBe(showResult('new.json', read(result)).page);
  expect(page).toContain('0, 1001, 2003, 3002, 4004');
});

describe('anything else is refused, with the reason', () => {
  test.each([
    ['{', 'x.json is not JSON: '],
    ['null', 'x.json is not a result of pool-lab run or sweep: its "lab" must be one of mixed'],
    ['{"lab":"constructor","variants":[]}', 'its "lab" must be one of'],
    ['{"lab":["mixed"]}', 'its "lab" must be one of'],
  ])('%s', (text, message) => {
    expect(() => toResult(parseJson(text, 'x.json'), 'x.json')).toThrow(message);
  });

  test.each([
    [{ startedAt: 5 }, 'startedAt must be text'],
    [{ environment: null }, 'environment must be an object'],
    [{ settings: [] }, 'settings must be an object'],
    [{ warnings: [{ toString: 1 }] }, 'warnings[0] must be text'],
    [{ variants: {} }, 'variants must be a list'],
    [{ variants: [variant, null] }, 'variants[1] must be an object'],
    [{ variants: [{ ...variant, name: undefined }] }, 'variants[0].name must be text'],
    [{ variants: [{ ...variant, measured: 5 }] }, 'variants[0].measured must be an object'],
    [
      { variants: [{ ...variant, repeats: [{ measured: {}, arrivalsMs: ['x'] }] }] },
      'variants[0].repeats[0].arrivalsMs[0] must be a number',
    ],
  ])('%j', (changes, message) => {
    expect(() => read({ ...createSampleResult(), ...changes })).toThrow(
      `x.json is not a result of pool-lab run or sweep: ${message}`,
    );
  });
});

test.each([[{}], [{ ...variant.measured, routes: { '/fast': { maxMs: { toString: 1 } } } }]])(
  'a result without the figures of its lab is refused, too: %j',
  (measured) => {
    const entry = read(createSampleResult({ variants: [{ ...variant, measured }] }));
    expect(() => showResult('x.json', entry)).toThrow("x.json can't be shown: it lacks figures of mixed");
  },
);

test('a folder that can not be created is one clear line', async () => {
  const file = path.join(await scratchFolder(), 'file');
  await writeFile(file, '');
  const folder = path.join(file, 'results');
  await expect(saveResult(mixed, /** @type {any} */ ({}), folder)).rejects.toThrow(
    'The result is not saved: not a directory',
  );
});

/** A file that takes nothing, as a full disk. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux.each([
  ['mixed.json', /^The result is not saved: .*mixed.json can't be written: no space left on device/, []],
  [
    'mixed.html',
    /^The result is saved in .*mixed.json, but there is no report: .*mixed.html can't be written: no space left on device/,
    ['mixed.json'],
  ],
])('a disk that is full at %s: it says what is saved', async (name, message, saved) => {
  const folder = await scratchFolder();
  await symlink('/dev/full', path.join(folder, `${name}.${process.pid}.partial`));
  await expect(saveResult(mixed, createSampleResult(), folder)).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual(saved);
});
