// Compares what the monitor says with the driver's own pool, on random schedules: node compare-with-driver.js COUNT
// [FIRST_SEED] [FOLDER of the driver's package]. Prints one JSON object. It replaces the clock of its process.
import { loadDriverPool } from 'test-support/driver-pool.js';
import { createSchedule, shrinkSchedule } from 'test-support/driver-schedules.js';
import { planRequests } from './plan-requests.js';
import { WatchedPool } from './watched-pool.js';

/** @import { WatchedSchedule } from './plan-requests.js' */

const [count, firstSeed = '1', folder] = process.argv.slice(2);
const follow = loadDriverPool(folder);

/** @param {WatchedSchedule} plan */
async function watch(plan) {
  const watched = new WatchedPool(plan);
  await follow(plan, watched);
  watched.finish();
  return watched;
}

const createTotals = () => ({
  schedules: 0,
  different: 0,
  ...new WatchedPool(planRequests(createSchedule(0, 'plain'))).counts,
});
const [told, untold] = [createTotals(), createTotals()];
let first;
for (let seed = Number(firstSeed); seed < Number(firstSeed) + Number(count); seed++) {
  const plan = planRequests(createSchedule(seed, 'everything'));
  const { counts, differences } = await watch(plan);
  const totals = plan.areAbortsTold ? told : untold;
  totals.schedules++;
  if (differences.length > 0) totals.different++;
  for (const name of /** @type {(keyof typeof counts)[]} */ (Object.keys(counts))) totals[name] += counts[name];
  if (first || !plan.areAbortsTold || differences.length === 0) continue;
  const schedule = await shrinkSchedule(plan, async (smaller) => (await watch(smaller)).differences.length > 0);
  first = { schedule, differences: (await watch(schedule)).differences };
}
process.stdout.write(`${JSON.stringify({ told, untold, first })}\n`);
