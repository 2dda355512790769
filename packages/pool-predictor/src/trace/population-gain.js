import { SAME_MS } from './lag-kernel.js';

/** How many times as many callers there may be as were ever seen in the system at once. */
const CALLERS_PER_PEAK = [1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 4];

/** Of the requests. */
const MIN_WAITING_SHARE = 0.25;

/**
 * How much better a finite number of callers explains the starts than a constant rate does. Of N callers who wait for their
 * answers, the n in the system can't start: the rate is in proportion to N - n, as in the machine repair model,
 * https://en.wikipedia.org/wiki/Machine_repair_problem. N is fitted by maximum likelihood. It counts only
 * where a queue forms: otherwise evenly spaced arrivals look alike.
 *
 * @param {object} events
 * @param {ArrayLike<number>} events.startsMs of all requests, ascending
 * @param {ArrayLike<number>} events.endsMs of all requests, ascending
 * @param {number[]} events.members indices of the starts to explain
 * @param {number} events.poolSize
 * @param {number} events.durationMs
 * @returns {number} log-likelihood in nats; 0 if few requests have to wait
 */
export function fitPopulation({ startsMs, endsMs, members, poolSize, durationMs }) {
  const inSystem = new Float64Array(startsMs.length);
  let ended = 0;
  let occupiedMs = 0;
  for (let start = 0; start < startsMs.length; start++) {
    while (ended < start && endsMs[ended] <= startsMs[start] + SAME_MS) ended++;
    inSystem[start] = start - ended;
    occupiedMs += durationMs - startsMs[start] - Math.max(0, durationMs - endsMs[start]);
  }
  if (members.filter((start) => inSystem[start] >= poolSize).length < MIN_WAITING_SHARE * members.length) return 0;
  const mean = occupiedMs / durationMs;
  const peak = inSystem.reduce((max, count) => Math.max(max, count), 0) + 1;
  return Math.max(0, ...CALLERS_PER_PEAK.map((times) => (
    members.reduce((gain, start) => gain + Math.log((times * peak - inSystem[start]) / (times * peak - mean)), 0))));
}
