import { isPoisson, planUsers } from 'mongodb-pool-predictor';
import { WORKERS } from './artillery.js';

/** @import { Workload } from 'mongodb-pool-predictor' */
/** @import { ArtilleryReport } from './artillery.js' */

/**
 * How late Artillery notices an arrival of a poisson phase, and so begins the next gap. On a core of its own it
 * was 0.2 to 0.4 ms at 300 to 500 users per second of one request each, and 0.7 ms at 150 per second of five.
 */
const LATE_MS = 0.3;
const NOTABLE_SHARE = 0.03;

/**
 * @param {Pick<Workload, 'phases'>} workload
 * @param {number} workers Artillery's worker threads
 * @returns {string[]} a warning when Artillery is going to lose users of a poisson phase
 */
export function foreseeLostUsers({ phases }, workers) {
  const rate = Math.max(0, ...phases.filter(isPoisson).map(({ arrivalRate = 0 }) => Math.ceil(arrivalRate / workers)));
  const meanGapMs = 1000 / rate;
  const share = LATE_MS / (meanGapMs + LATE_MS);
  if (share < NOTABLE_SHARE - 0.001) return [];
  return [
    `mode poisson, with up to ${rate} users per second in a worker thread: Artillery never makes up for a late arrival, so ` +
      `it will send about ${Math.round(share * 100)} % fewer, and far fewer on a busy machine. The prediction has all of them. ` +
      'arrivalCount and mode uniform lose none',
  ];
}

/**
 * Compares the users that Artillery sent with those of the scenario. It may fall behind, or lose arrivals.
 *
 * @param {Pick<Workload, 'phases'>} workload
 * @param {ArtilleryReport} report
 * @returns {{ figures: { usersPlanned: number, usersSent: number }, warnings: string[] }} a warning when they differ by
 *   more than chance. Users that maxVusers keeps away count as sent.
 */
export function compareUsers({ phases }, { counters }) {
  const { users, spread } = planUsers(phases, { workers: WORKERS });
  const sent = (counters['vusers.created'] ?? 0) + (counters['vusers.skipped'] ?? 0);
  const isFar = Math.abs(sent - users) > spread;
  const percent = Math.round((sent / users - 1) * 1000) / 10;
  const warning =
    `Artillery sent ${sent} users instead of ${users} (${percent > 0 ? '+' : ''}${percent} %), which is not ` +
    "chance: the load was not the scenario's";
  return { figures: { usersPlanned: users, usersSent: sent }, warnings: isFar ? [warning] : [] };
}
