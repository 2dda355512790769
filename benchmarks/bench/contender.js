import { quantile } from 'mongodb-pool-predictor';
import { fileURLToPath } from 'node:url';
import { forkScript } from '../../lab/harness/forked-process.js';
import { runHttpLoad } from '../../lab/harness/loads/http.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';

/** @import { PartContext } from '../parts/run-parts.js' */

/** The lab's app. */
export const LAB_APP = fileURLToPath(new URL('../../src/server.js', import.meta.url));

/** Loaded before an app: answers 'usage' with the CPU time since the start. */
const USAGE = `data:text/javascript,${encodeURIComponent(
  "process.on('message', (message) => message === 'usage' && process.send(process.cpuUsage()))",
)}`;

/**
 * An app in a separate process that takes part in a comparison.
 * @typedef {Awaited<ReturnType<typeof forkScript>>} Contender
 *
 * @typedef {{ ratePerSec: number, cpuUs: number }} Turn cpuUs: the app's CPU time for each request
 *
 * @typedef {(script: string, options?: { env?: Record<string, string>, args?: string[] }) => Promise<Contender>} Start
 */

/**
 * Starts an embedded MongoDB for a comparison. Stops it and all contenders when the comparison ends.
 *
 * @template T
 * @param {PartContext} context
 * @param {(start: Start) => Promise<T>} compare
 * @returns {Promise<T>}
 */
export async function withContenders({ settings, say, signal }, compare) {
  const mongo = await startEmbeddedMongo({ ...settings, report: say, signal });
  /** @type {Contender[]} */
  const contenders = [];
  try {
    return await compare(async (script, { env, args } = {}) => {
      const contender = await forkScript(script, {
        name: script,
        args,
        signal,
        execArgv: ['--import', USAGE],
        env: { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error', NODE_ENV: 'production', MONGO_URL: mongo.url, ...env },
      });
      contenders.push(contender);
      return contender;
    });
  } finally {
    await Promise.allSettled(contenders.map(({ stop }) => stop()));
    await mongo.stop();
  }
}

/**
 * Loads an app for a while in a closed loop.
 * @param {Contender} contender whose first message was its `url`
 * @param {{ path: string, connections: number, durationMs: number, signal: AbortSignal }} load
 * @returns {Promise<Turn>}
 * @throws {Error} if a request fails
 */
export async function runTurn({ message, ask }, { path, connections, durationMs, signal }) {
  const url = `${message.url}${path}`;
  const before = await ask('usage');
  const { measured, failed } = await runHttpLoad({ url, connections, warmUpMs: 0, durationMs }, { signal });
  const after = await ask('usage');
  if (failed || !measured?.ratePerSec) throw new Error(`${url}: ${failed ?? 'no answer'}`);
  const cpuUs = after.user + after.system - before.user - before.system;
  return { ratePerSec: measured.ratePerSec, cpuUs: cpuUs / measured.requests };
}

/** They fill the pools and let the code be compiled. */
const WARM_UP_TURNS = 2;

/**
 * Lets contenders take turns, because the speed of a machine drifts. Each of them is in each place equally often.
 *
 * @template Contender
 * @param {Record<string, Contender>} contenders by name
 * @param {number} count of turns of each
 * @param {(contender: Contender, name: string) => Promise<Turn>} runTurn
 * @returns {Promise<Record<string, Turn[]>>} by name
 */
export async function takeTurns(contenders, count, runTurn) {
  const names = Object.keys(contenders);
  /** @type {Record<string, Turn[]>} */
  const turns = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < WARM_UP_TURNS + count; round += 1) {
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(place + round) % names.length];
      const turn = await runTurn(contenders[name], name);
      if (round >= WARM_UP_TURNS) turns[name].push(turn);
    }
  }
  return turns;
}

/**
 * Makes a row for each contender. The ratios are medians, turn by turn.
 *
 * @param {Record<string, Turn[]>} turns by contender
 * @param {string} peer the contender to which all are compared
 */
export function compareTurns(turns, peer) {
  return Object.entries(turns).map(([name, own]) => {
    const median = (/** @type {keyof Turn} */ figure) =>
      Math.round(
        quantile(
          own.map((turn) => turn[figure]),
          0.5,
        ),
      );
    const ratio = (/** @type {keyof Turn} */ figure) =>
      quantile(
        own.map((turn, index) => turn[figure] / turns[peer][index][figure]),
        0.5,
      ).toFixed(3);
    return {
      name,
      'per second': median('ratePerSec'),
      [`throughput to ${peer}`]: ratio('ratePerSec'),
      'CPU us each': median('cpuUs'),
      [`CPU to ${peer}`]: ratio('cpuUs'),
    };
  });
}
