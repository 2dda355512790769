// Compares the model of the driver's pool with the driver's own, on random schedules: node compare-with-driver.js KINDS COUNT
// [FIRST_SEED] [FOLDER of the driver's package]. Prints one JSON object. It replaces the clock of its process.
import { isDeepStrictEqual } from 'node:util';
import { loadDriverPool } from 'test-support/driver-pool.js';
import { createSchedule, followModel } from './driver-schedules.js';

/** @import { Schedule } from 'test-support/driver-pool.js' */

const [kinds, count, firstSeed = '1', folder] = process.argv.slice(2);
const follow = loadDriverPool(folder);

/** @param {Schedule} schedule */
async function differs(schedule) {
  return !isDeepStrictEqual(await follow(schedule), followModel(schedule));
}

/** Leaves out checkouts that the difference does not need. @param {Schedule} schedule @returns {Promise<Schedule>} */
async function shrink(schedule) {
  for (let index = schedule.checkouts.length - 1; index >= 0; index--) {
    const smaller = { ...schedule, checkouts: schedule.checkouts.toSpliced(index, 1) };
    if (await differs(smaller)) return shrink(smaller);
  }
  return schedule;
}

let [schedules, checkouts, different] = [0, 0, 0];
let first;
const seeds = Array.from({ length: Number(count) }, (_, index) => Number(firstSeed) + index);
for (const [kind, seed] of kinds
  .split(',')
  .flatMap((each) => seeds.map((seed) => /** @type {const} */ ([each, seed])))) {
  const schedule = createSchedule(seed, kind);
  schedules++;
  checkouts += schedule.checkouts.length;
  if (!(await differs(schedule))) continue;
  different++;
  if (first) continue;
  const smallest = await shrink(schedule);
  first = { schedule: smallest, driver: await follow(smallest), model: followModel(smallest) };
}
process.stdout.write(`${JSON.stringify({ schedules, checkouts, different, first })}\n`);
