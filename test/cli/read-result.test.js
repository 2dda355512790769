import { describe, expect, test } from '@jest/globals';
import { parseJson } from '../../src/cli/read-json.js';
import { toResult } from '../../src/cli/read-result.js';
import { showResult } from '../../src/cli/report-command.js';
import { createSampleResult } from '../report/sample-result.js';

/** @param {unknown} value */
const read = (value) => toResult(value, 'x.json');
const [variant] = createSampleResult().variants;

test('a result is taken as it is', () => {
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

describe('what is no result is refused in words', () => {
  test.each([
    ['{', 'x.json is not JSON: '],
    ['null', 'x.json is not a result of pool-lab run: it has no "lab" that is one of mixed'],
    ['{"lab":"constructor","variants":[]}', 'it has no "lab"'],
    ['{"lab":["mixed"]}', 'it has no "lab"'],
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
    expect(() => read({ ...createSampleResult(), ...changes })).toThrow(`x.json is not a result of pool-lab run: ${message}`);
  });
});

test.each([[{}], [{ ...variant.measured, routes: { '/fast': { maxMs: { toString: 1 } } } }]])(
  'figures that are not those of its lab are refused, too: %j', (measured) => {
    const entry = read(createSampleResult({ variants: [{ ...variant, measured }] }));
    expect(() => showResult('x.json', entry)).toThrow('x.json can\'t be shown: it has not the figures of pool-lab run mixed');
  });
