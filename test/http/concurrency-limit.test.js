import { expect, test } from '@jest/globals';
import { ConcurrencyLimitError, createConcurrencyLimit } from '../../src/http/concurrency-limit.js';

/** Work that runs until the test ends it. */
function hold() {
  /** @type {(value: string) => void} */
  let end = () => {};
  /** @type {Promise<string>} */
  const done = new Promise((resolve) => { end = resolve; });
  return { work: () => done, end };
}

test('work beyond the limit is refused without starting', async () => {
  const limit = createConcurrencyLimit(2);
  const [first, second] = [hold(), hold()];
  const runs = [limit.run(first.work), limit.run(second.work)];
  let hasBegun = false;
  await expect(limit.run(async () => { hasBegun = true; })).rejects.toThrow(new ConcurrencyLimitError('2 requests are running, the limit is 2'));
  expect(hasBegun).toBe(false);
  expect(limit.snapshot()).toEqual({ max: 2, running: 2, refused: 1 });

  first.end('done');
  expect(await runs[0]).toBe('done');
  const third = limit.run(async () => 'in its place');
  expect(await third).toBe('in its place');
  second.end('done');
  await runs[1];
  expect(limit.snapshot()).toEqual({ max: 2, running: 0, refused: 1 });
});

test('work that fails frees its place', async () => {
  const limit = createConcurrencyLimit(1);
  const fail = async () => { throw new Error('it broke'); };
  await expect(limit.run(fail)).rejects.toThrow('it broke');
  await expect(limit.run(fail)).rejects.toThrow('it broke');
  expect(limit.snapshot()).toMatchObject({ running: 0, refused: 0 });
});

test('the default limit refuses nothing', async () => {
  const limit = createConcurrencyLimit();
  await Promise.all(Array.from({ length: 100 }, () => limit.run(async () => {})));
  expect(limit.snapshot()).toEqual({ max: Infinity, running: 0, refused: 0 });
});
