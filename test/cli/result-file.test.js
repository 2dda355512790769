import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseJson, saveResult, toResult } from '../../src/cli/result-file.js';
import { showResult } from '../../src/cli/report-command.js';
import { mixed } from '../../src/labs/mixed/mixed-lab.js';
import { createSampleResult } from '../report/sample-result.js';
import { scratchFolder } from '../support/scratch-folder.js';

/** @param {unknown} value */
const read = (value) => toResult(value, 'x.json');
const [variant] = createSampleResult().variants;

test('a result is read unchanged', () => {
  const result = createSampleResult({ warnings: ['the machine was busy'] });
  expect(read(result)).toEqual({ lab: expect.objectContaining({ name: 'mixed' }), result });
  expect(read({ ...result, warnings: undefined, variants: [{ ...variant, measured: null, exact: undefined, repeats: undefined, error: 'ill' }] })).toBeTruthy();
});

test('a result of version 0.1 is read in the words of today', () => {
  const old = {
    ...createSampleResult(), lab: 'remedies', variants: [{
      name: 'cap of 3', settings: { remedy: 'cap', load: 'all', env: { SLOW_CONCURRENCY: 3 } }, measured: null,
      runs: [{ measured: { requests: 1 }, arrivalsMs: [0] }],
    }],
  };
  expect(read(old).result.variants).toEqual([{
    name: 'limit of 3', settings: { remedy: 'limit', load: 'all', env: { SLOW_CONCURRENCY: 3 } }, measured: null,
    repeats: [{ measured: { requests: 1 }, arrivalsMs: [0] }],
  }]);
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
    [{ variants: [{ ...variant, repeats: [{ measured: {}, arrivalsMs: ['x'] }] }] }, 'variants[0].repeats[0].arrivalsMs[0] must be a number'],
  ])('%j', (changes, message) => {
    expect(() => read({ ...createSampleResult(), ...changes })).toThrow(`x.json is not a result of pool-lab run or sweep: ${message}`);
  });
});

test.each([[{}], [{ ...variant.measured, routes: { '/fast': { maxMs: { toString: 1 } } } }]])(
  'a result without the figures of its lab is refused, too: %j', (measured) => {
    const entry = read(createSampleResult({ variants: [{ ...variant, measured }] }));
    expect(() => showResult('x.json', entry)).toThrow('x.json can\'t be shown: it lacks figures of mixed');
  });

test('a folder that can not be created is one clear line', async () => {
  const file = path.join(await scratchFolder(), 'file');
  await writeFile(file, '');
  const folder = path.join(file, 'results');
  await expect(saveResult(mixed, /** @type {any} */ ({}), folder)).rejects.toThrow(`the folder ${folder} can't be created: ENOTDIR`);
});
