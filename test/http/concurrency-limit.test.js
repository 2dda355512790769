import { expect, test } from '@jest/globals';
import { ConcurrencyLimitError, createConcurrencyLimit } from '../../src/http/concurrency-limit.js';

/** Work that goes on until it is told to end. */
function hold() {
  /** @type {(value: string) => void} */
  let end = () => {};
  /** @type {Promise<string>} */
  const done = new Promise((resolve) => { end = resolve; });
  return { work: () => done, end };
}

test('as many as the cap says run, the next is refused without having begun', async () => {
  const cap = createConcurrencyLimit(2);
  const [first, second] = [hold(), hold()];
  const runs = [cap.run(first.work), cap.run(second.work)];
  let hasBegun = false;
  await expect(cap.run(async () => { hasBegun = true; })).rejects.toThrow(new ConcurrencyLimitError('2 requests are running, the limit is 2'));
  expect(hasBegun).toBe(false);
  expect(cap.snapshot()).toEqual({ max: 2, running: 2, refused: 1 });

  first.end('done');
  expect(await runs[0]).toBe('done');
  const third = cap.run(async () => 'in its place');
  expect(await third).toBe('in its place');
  second.end('done');
  await runs[1];
  expect(cap.snapshot()).toEqual({ max: 2, running: 0, refused: 1 });
});

test('work that fails leaves its place', async () => {
  const cap = createConcurrencyLimit(1);
  const fail = async () => { throw new Error('it broke'); };
  await expect(cap.run(fail)).rejects.toThrow('it broke');
  await expect(cap.run(fail)).rejects.toThrow('it broke');
  expect(cap.snapshot()).toMatchObject({ running: 0, refused: 0 });
});

test('without a cap nothing is refused', async () => {
  const cap = createConcurrencyLimit();
  await Promise.all(Array.from({ length: 100 }, () => cap.run(async () => {})));
  expect(cap.snapshot()).toEqual({ max: Infinity, running: 0, refused: 0 });
});
