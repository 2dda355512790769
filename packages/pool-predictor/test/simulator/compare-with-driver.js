// node compare-with-driver.js KINDS COUNT [FIRST_SEED] [FOLDER of the driver's package]
// Compares the model of the driver's pool with the driver's own, on random schedules. Prints one JSON object. It
// replaces the clock of its process.
import { isDeepStrictEqual } from 'node:util';
import { loadDriverPool } from 'test-support/driver-pool.js';
import { createSchedule, shrinkSchedule } from 'test-support/driver-schedules.js';
import { createRandom } from '../../src/simulator/random.js';
import { followModel } from './follow-model.js';

/** @import { Followed, PoolEvent, Schedule } from 'test-support/driver-pool.js' */

const [kinds, count, firstSeed = '1', folder] = process.argv.slice(2);
const follow = loadDriverPool(folder);

/**
 * The order of events is a difference of its own, because the model can't know the order of two timers that the driver
 * happened to set for one instant.
 *
 * @param {Schedule} schedule
 * @returns {Promise<'no' | 'order' | 'yes'>}
 */
async function differs(schedule) {
  const [driver, model] = [await follow(schedule), followModel(schedule)];
  if (isDeepStrictEqual(driver, model)) return 'no';
  return isDeepStrictEqual(sortInstants(driver), sortInstants(model)) ? 'order' : 'yes';
}

/** @param {Followed} followed */
function sortInstants({ events, ...rest }) {
  const nameOf = (/** @type {PoolEvent} */ { type, connectionId }) => `${type} ${connectionId}`;
  return { ...rest, events: events.toSorted((a, b) => a.atMs - b.atMs || (nameOf(a) < nameOf(b) ? -1 : 1)) };
}

let [schedules, checkouts, different, reordered] = [0, 0, 0, 0];
let first;
const seeds = Array.from({ length: Number(count) }, (_, index) => Number(firstSeed) + index);
for (const [kind, seed] of kinds
  .split(',')
  .flatMap((each) => seeds.map((seed) => /** @type {const} */ ([each, seed])))) {
  const schedule = createSchedule(seed, kind, createRandom(seed, kind));
  schedules++;
  checkouts += schedule.checkouts.length;
  const difference = await differs(schedule);
  if (difference === 'no') continue;
  if (difference === 'yes') different++;
  else reordered++;
  if (first) continue;
  const smallest = await shrinkSchedule(schedule, async (smaller) => (await differs(smaller)) === difference);
  first = { schedule: smallest, driver: await follow(smallest), model: followModel(smallest) };
}
process.stdout.write(`${JSON.stringify({ schedules, checkouts, different, reordered, first })}\n`);
