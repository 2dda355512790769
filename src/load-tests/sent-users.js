import { planUsers } from 'mongodb-pool-predictor';
import { WORKERS } from './artillery.js';

/** @import { Workload } from 'mongodb-pool-predictor' */
/** @import { ArtilleryReport } from './artillery.js' */

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
