import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { createSlowQuery } from 'test-support/mongod.js';
import { createRandom } from 'test-support/random.js';
import { openRecordedClient } from './recorded-client.js';

const SLOW_MS = 400;
const TOLERANCE_MS = 2;

test.each([1, 3])('with a pool of %i under load, the times of checkouts are right', async (maxPoolSize) => {
  const { client, send, listSteps } = await openRecordedClient(maxPoolSize);
  cleanUp(() => client.close());
  const runSlowQuery = createSlowQuery(client);
  // The first query of each kind costs more, and on a cold pool it would wait for a new connection.
  await Promise.all(Array.from({ length: maxPoolSize }, () => runSlowQuery(20)));
  const { exponential, uniform } = createRandom(maxPoolSize);
  const sent = [];
  for (let number = 0; number < 80; number += 1) {
    await wait(exponential() * 8);
    const isSlow = uniform() < 0.05;
    sent.push(send(isSlow ? '/slow' : '/fast', `r${number}`, isSlow ? () => runSlowQuery(SLOW_MS) : undefined));
  }
  const contexts = await Promise.all(sent);

  const errors = contexts.map(({ waitMs, useMs, totalMs }) => totalMs - waitMs - useMs);
  for (const [, checkedOutMs, startedMs, endedMs, checkedInMs] of listSteps())
    errors.push(startedMs - checkedOutMs, checkedInMs - endedMs);
  expect(errors).toHaveLength(3 * sent.length);
  const [medianMs] = errors.sort((a, b) => a - b).slice(errors.length / 2);
  // Not the maximum: on a busy machine the process itself waits between two steps.
  expect(medianMs).toBeLessThan(TOLERANCE_MS);
});
