import { expect, test } from '@jest/globals';
import { measureUntil } from 'test-support/waiting.js';
import { serveApp } from '../../../test/support/serve-app.js';
import { sendRequests } from '../../harness/loads/open-loop.js';
import { BURSTS, SLOW_MS, burst, simulateBurst } from './app-bursts.js';

/** Answers that are simulated this close to each other may change places. */
const TOGETHER_MS = 20;

test.each(BURSTS)(
  'a burst on a real app ends in the order that is simulated from its GET /pool: $name',
  async ({ env, pool, statuses, customerAtMs }) => {
    const load = burst(customerAtMs);
    const url = await serveApp({ ...env, SLOW_MS: String(SLOW_MS) });
    const { settings } = await (await fetch(`${url}/pool`)).json();
    expect(settings).toMatchObject(pool);
    const simulated = simulateBurst(settings, customerAtMs);
    const endOf = (/** @type {{ tookMs: number }} */ { tookMs }, /** @type {number} */ index) =>
      load[index].atMs + tookMs;
    const areInOrder = (/** @type {{ tookMs: number }[]} */ answers) =>
      simulated.every((one, i) =>
        simulated.every(
          (other, j) => endOf(one, i) + TOGETHER_MS > endOf(other, j) || endOf(answers[i], i) < endOf(answers[j], j),
        ),
      );
    const send = () => sendRequests(load, { url, patienceMs: 10_000, signal: new AbortController().signal });
    await send(); // opens the connections
    const answers = await measureUntil(
      send,
      (all) => areInOrder(all) && all.every(({ status }, index) => status === statuses[index]),
    );
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(areInOrder(answers)).toBe(true);
  },
);
