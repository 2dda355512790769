import { ADVICE } from '../assumptions/advice-assumptions.js';
import { quantile, sum } from '../base/sample-statistics.js';
import { createRandom } from '../simulator/random.js';
import { planInTurn } from '../simulator/request-plan.js';
import { createRequestTimes, resample } from '../simulator/service-time.js';
import { upperLimit } from './confidence.js';

/** @import { Service } from '../simulator/service-time.js' */
/** @import { Slo } from './slo.js' */

/**
 * The least time to expect for a response beyond the wait and the query, by share of the responses, when nothing else
 * is running. Measured with this lab's app on a virtual machine with 2 cores, 1200 lone requests to /fast in a quiet
 * minute. A Node.js client, less the use of the connection: 1.5, 4.5, 5.6, 9.5, 26.8 and at most 28.4 ms. Artillery,
 * less the median use of 1.3 ms: 1.7, 3.7, 4.7, 8.8, 22.5 and 33.7 ms. With other work on the machine, p99 was 20 to 31
 * ms.
 */
const NOISE_MS = [
  [0.5, 2],
  [0.9, 5],
  [0.95, 6],
  [0.99, 10],
  [0.999, 25],
  [1, 30],
];

/** More would not change the percentiles. */
const MAX_DRAWS = 10_000;

/**
 * @typedef {object} Noise
 * @property {number} noiseMs the rest of a response at the goal's percentile, on an idle app
 * @property {number} bestMs the time of the goal without a limit on connections
 * @property {boolean} isBelow the goal leaves less above bestMs than the noise, so it can't be judged without the
 *   overhead
 */

/**
 * @param {Slo} slo
 * @param {number} bestMs
 * @param {number} requests of the goal's route in one run
 * @returns {Noise}
 */
export function compareWithNoise({ share, limitMs }, bestMs, requests) {
  // 95 of 100 maxima of a few requests are below a percentile of many requests.
  const atShare = share === 1 ? ADVICE.confidence ** (1 / requests) : share;
  const [, noiseMs] = /** @type {number[]} */ (NOISE_MS.find(([upTo]) => upTo >= atShare));
  return { noiseMs, bestMs, isBelow: limitMs - bestMs < noiseMs };
}

/**
 * @typedef {object} ResponseParts of a response that waits for no connection: limits that 95 of 100 runs keep at a
 *   goal's percentile
 * @property {number} serviceMs
 * @property {number} overheadMs
 * @property {number | null} places that the app has for requests of the route at once; null: it has no limit
 */

/**
 * @param {Slo} slo
 * @param {Service} service
 * @param {Service} overhead
 * @param {number} requests of the goal's route in one run
 * @param {number[]} seeds of the runs
 * @returns {ResponseParts}
 */
export function splitResponse({ share }, service, overhead, requests, seeds) {
  const draws = Math.min(requests, MAX_DRAWS);
  /** @type {import('../simulator/service-time.js').DrawnRequest} */
  const drawn = { plan: planInTurn(0), servicesMs: [], drawnMs: [] };
  const runs = seeds.map((seed) => {
    const [drawRequest, drawOverhead] = [service, overhead].map((each, part) => {
      const random = createRandom(seed, `part ${part}`);
      return createRequestTimes(resample(each, random), random, 'a part of the response');
    });
    const [servicesMs, overheadsMs] = [new Float64Array(draws), new Float64Array(draws)];
    for (let i = 0; i < draws; i++) {
      drawRequest(drawn);
      servicesMs[i] = useMsOf(drawn);
      overheadsMs[i] = drawn.plan.restMs;
      drawOverhead(drawn);
      overheadsMs[i] += useMsOf(drawn);
    }
    return { serviceMs: quantile(servicesMs, share), overheadMs: quantile(overheadsMs, share) };
  });
  return {
    serviceMs: upperLimit(runs.map((run) => run.serviceMs)),
    overheadMs: upperLimit(runs.map((run) => run.overheadMs)),
    places: service.limit?.places ?? null,
  };
}

/** @param {import('../simulator/service-time.js').DrawnRequest} drawn */
function useMsOf({ servicesMs }) {
  return sum(/** @type {number[]} */ (servicesMs));
}
