import { quantile } from 'mongodb-pool-predictor';

/** They fill the pools and let the code be compiled. */
const WARM_UP_TURNS = 2;

/**
 * Lets contenders take turns, because the speed of a machine drifts. Each comes in each place equally often.
 *
 * @template Turn
 * @param {number} count of contenders
 * @param {number} turns of each
 * @param {(index: number, isWarmUp: boolean) => Promise<Turn>} play
 * @returns {Promise<Turn[][]>} by contender
 */
export async function takeTurns(count, turns, play) {
  /** @type {Turn[][]} */
  const played = Array.from({ length: count }, () => []);
  for (let turn = -WARM_UP_TURNS; turn < turns; turn += 1) {
    for (let place = 0; place < count; place += 1) {
      const index = (place + turn + WARM_UP_TURNS) % count;
      const result = await play(index, turn < 0);
      if (turn >= 0) played[index].push(result);
    }
  }
  return played;
}

/** @param {number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * @template Turn
 * @param {Turn[]} ours
 * @param {Turn[]} peers the same number of turns
 * @param {(turn: Turn) => number} read
 * @returns {number} the median of the ratios, turn by turn
 */
export function medianRatio(ours, peers, read) {
  return median(ours.map((turn, index) => read(turn) / read(peers[index])));
}
