import { afterEach, describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { createFuzzer } from './fuzzer.js';
import { requireClear } from 'test-support/fuzz-outcome.js';

const SEED = 1;
const mongoUrl = sharedMongoUrl();
const fuzzer = await createFuzzer({ mongoUrl });
const badFuzzer = await createFuzzer({ mongoUrl, file: './bad-targets.js' });
cleanUp(fuzzer.close);
cleanUp(badFuzzer.close);

describe('a few cases of each target (npm run fuzz tries thousands)', () => {
  test.each(fuzzer.names)('%s', async (name) => {
    expect(await fuzzer.run({ name, cases: 3, seed: SEED })).toMatchObject({ failure: null });
  });
});

// run-fuzz.long.test.js has what hangs.
describe('the fuzzer', () => {
  afterEach(badFuzzer.close);

  test.each([
    ['fails', /failed: 8 is too many\nSmallest counterexample found: 8$/],
    ['pollutes', /failed: a prototype is polluted/],
  ])('notices what %s', async (name, failure) => {
    const outcome = await badFuzzer.run({ name, cases: 20, seed: SEED });
    expect(outcome.failure).toMatch(failure);
  });

  test('accepts what holds', async () => {
    const outcome = await badFuzzer.run({ name: 'holds', cases: 20, seed: SEED });
    expect(outcome).toEqual({ name: 'holds', cases: 20, failure: null });
  });
});

describe('an error', () => {
  const names = (/** @type {string} */ message) => message.includes('x.yaml');

  test('that names its cause is clear', () => {
    expect(() => requireClear(new Error("x.yaml can't be read"), names)).not.toThrow();
  });

  test.each([
    ['a TypeError', new TypeError('x.yaml'), /^a bug: TypeError/],
    ['a wrapped TypeError', new Error('x.yaml: Cannot read properties of undefined'), /^a bug/],
    ['a stack trace', new Error('x.yaml\n    at main (x.js:1:1)'), /^not a clear message/],
    ['a vague message', new Error('something went wrong'), /^does not say what was wrong/],
    ['a string', 'x.yaml', /^no error was thrown, but something else/],
  ])('%s is not', (_, error, complaint) => {
    expect(() => requireClear(error, names)).toThrow(complaint);
  });
});
