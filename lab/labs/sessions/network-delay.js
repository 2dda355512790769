import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { addLatency } from '../../harness/latency.js';
import { createClient } from '../../../src/mongo/client.js';
import { findNewest } from './sessions-data.js';

/** @import { Context } from '../../harness/run-lab.js' */
/** @import { SessionLabOptions } from './plan-sessions.js' */

/** The shortest of three medians, each of this many queries: the machine may be busy with something else. */
const QUERIES = 500;
const TURNS = 3;

/** @typedef {{ url: string, rttMs: number, close: () => Promise<unknown> }} Distance */

/**
 * Puts the network delay in front of the MongoDB that the options ask for: `rtt`, or what makes one worker's query take
 * `queryMs`.
 * @param {Pick<SessionLabOptions, 'rtt' | 'queryMs'>} options
 * @param {Context} context
 * @returns {Promise<Distance>}
 */
export async function openDistance({ rtt = 0, queryMs }, context) {
  if (!queryMs) return openDelay(rtt, context);
  const nearMs = await timeQuery(context);
  const rttMs = Math.max(0, queryMs - nearMs);
  const near = `One worker's query takes ${nearMs.toFixed(2)} ms here`;
  context.report(
    rttMs > 0
      ? `${near}. With a network delay of ${rttMs.toFixed(2)} ms it takes ${queryMs} ms.`
      : `${near}, which is more than ${queryMs} ms: no network delay is added.`,
  );
  return openDelay(rttMs, context);
}

/** @param {number} rttMs @param {Context} context @returns {Promise<Distance>} */
async function openDelay(rttMs, { mongoUrl, settings }) {
  if (rttMs === 0) return { url: mongoUrl, rttMs, close: async () => {} };
  return { ...(await addLatency(mongoUrl, settings, rttMs)), rttMs };
}

/** @param {Context} context @returns {Promise<number>} ms */
async function timeQuery({ mongoUrl, settings, signal }) {
  const client = createClient(mongoUrl, settings);
  let shortestMs = Infinity;
  try {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const load = { workers: 1, total: QUERIES, task: (/** @type {number} */ n) => findNewest(client, n) };
      shortestMs = Math.min(shortestMs, (await runClosedLoop(load, { signal })).p50Ms);
    }
    return shortestMs;
  } finally {
    await client.close();
  }
}
