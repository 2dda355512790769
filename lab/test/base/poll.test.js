import { expect, test } from '@jest/globals';
import { poll, repeatUntil } from '../../base/poll.js';

test('asks until there is an answer, be it false', async () => {
  const answers = [undefined, undefined, false, true];
  expect(await poll(async () => answers.shift(), { everyMs: 1 })).toBe(false);
  expect(answers).toEqual([true]);
});

test('has no answer once the time is up, and asks at least once', async () => {
  let asked = 0;
  const ask = () => {
    asked += 1;
    return undefined;
  };
  expect(await poll(ask, { everyMs: 5, timeoutMs: 0 })).toBeUndefined();
  expect(asked).toBeGreaterThanOrEqual(1);
});

test('an abort ends the asking at once, with its reason', async () => {
  const controller = new AbortController();
  const ask = () => controller.abort(new Error('enough'));
  await expect(poll(ask, { everyMs: 60_000, signal: controller.signal })).rejects.toThrow('enough');
});

test('what is repeated is done once more after it was stopped, also if it was stopped meanwhile', async () => {
  const stopping = new AbortController();
  let acts = 0;
  await repeatUntil(
    async () => {
      acts += 1;
      if (acts === 2) stopping.abort();
    },
    { everyMs: 1, stop: stopping.signal },
  );
  expect(acts).toBe(3);
});
