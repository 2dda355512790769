import { diagnose, pickPool, readTraceText } from 'mongodb-pool-predictor';
import { explainVerdict } from 'mongodb-pool-page/universal/explain-diagnosis.js';

/** @import { Trip } from './simulation.js' */

/**
 * What happened in a recorded pool.
 *
 * @typedef {object} Incident
 * @property {string} verdict why its requests waited
 * @property {number | null} lanes null where the pool had no limit, or the trace does not say
 * @property {Trip[]} trips in the order of their arrival
 */

/** @param {string} text of a trace @returns {Promise<Incident>} of the pool that predictions are about */
export async function readIncident(text) {
  const recorded = await readTraceText(text);
  const { pool } = pickPool(recorded);
  const row = recorded.pools.indexOf(pool);
  const { poolOf, startedMs, waitMs, useMs, routeOf } = recorded.checkouts;
  const rows = [...poolOf.keys()].filter((each) => poolOf[each] === row);
  const [firstMs] = rows.map((each) => startedMs[each]);
  return {
    verdict: explainVerdict(diagnose(recorded)),
    lanes: pool.maxPoolSize || null,
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
