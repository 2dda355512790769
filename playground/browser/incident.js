import { judgeTrace, judgeTrust, openRecording, readTraceText } from 'mongodb-pool-predictor';
import { explainVerdict } from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { explainHidden } from '../../lab/predictions/explain-check.js';

/** @import { Trip } from 'mongodb-pool-page/page/traffic-picture.js' */

/**
 * What happened in a recorded pool.
 *
 * @typedef {object} Incident
 * @property {string} verdict why its requests waited
 * @property {number | null} lanes null where the pool had no limit, or the trace does not say
 * @property {Trip[]} trips in the order of their arrival
 * @property {number[]} withheld sizes that nothing can be said about
 * @property {string} why that is so; empty if there are none
 */

/** Those that the reader can choose. */
const SIZES = Array.from({ length: 100 }, (_, index) => index + 1);

/** @param {string} text of a trace @returns {Promise<Incident>} of the pool that predictions are about */
export async function readIncident(text) {
  const recorded = await readTraceText(text);
  const recording = openRecording([recorded]);
  const { pool } = recording.picked;
  const { refusal } = judgeTrust(recording, null);
  const row = recorded.pools.indexOf(pool);
  const { poolOf, startedMs, waitMs, useMs, routeOf } = recorded.checkouts;
  const rows = [...poolOf.keys()].filter((each) => poolOf[each] === row);
  const [firstMs] = rows.map((each) => startedMs[each]);
  return {
    verdict: explainVerdict(judgeTrace(recorded)),
    lanes: pool.maxPoolSize || null,
    withheld: refusal ? SIZES : [],
    why: refusal ? explainHidden({ reason: refusal, poolSizes: ['other sizes'], isAll: true }) : '',
    trips: rows.map((each) => {
      const arrivedAtMs = startedMs[each] - firstMs;
      const isRefused = Number.isNaN(useMs[each]);
      return {
        route: recorded.routes[routeOf[each]],
        arrivedAtMs,
        startedAtMs: isRefused ? NaN : arrivedAtMs + waitMs[each],
        finishedAtMs: arrivedAtMs + waitMs[each] + (isRefused ? 0 : useMs[each]),
        outcome: isRefused ? 'refused' : 'ok',
      };
    }),
  };
}
