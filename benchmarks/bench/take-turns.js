import { quantile } from 'mongodb-pool-predictor';

/** @import { Turn } from './contender.js' */

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
