import { VirtualTime } from 'test-support/driver-pool.js';
import { ModelPool } from './model-pool.js';

/** @import { Followed, Schedule } from 'test-support/driver-pool.js' */
/** @import { ModelConnection } from './model-pool.js' */

/** Runs a schedule on the model of the driver's pool. @param {Schedule} schedule @returns {Followed} */
export function followModel({ options, openings, failureClears, checkouts, verbs, untilMs }) {
  const time = new VirtualTime();
  /** @type {Followed['waits']} */
  const waits = checkouts.map(() => null);
  /** @type {Followed['events']} */
  const events = [];
  let opened = 0;
  const pool = new ModelPool(options, {
    time,
    planOpening: () => openings[opened++ % openings.length],
    failureClears,
    emit: (event) => events.push(event),
  });
  checkouts.forEach(({ atMs, useMs, abortAtMs }, index) => {
    time.at(atMs, () => {
      /** @type {ModelConnection | undefined} */
      let used;
      const checkIn = () => {
        if (used) pool.checkIn(used);
        used = undefined;
      };
      if (abortAtMs < Infinity) time.at(abortAtMs, () => (used ? pool.break(used) : giveUp()));
      const giveUp = pool.checkOut({
        served(connection) {
          used = connection;
          used.onBreak = checkIn;
          waits[index] = { outcome: 'checkedOut', atMs: time.nowMs, connection: connection.id };
          time.at(time.nowMs + useMs, checkIn);
        },
        failed: (outcome) => (waits[index] = { outcome, atMs: time.nowMs, connection: 0 }),
      });
    });
  });
  for (const { atMs, verb } of verbs)
    time.at(atMs, () => {
      if (verb === 'interrupt') pool.clear({ interruptInUseConnections: true });
      else pool[verb]();
    });
  pool.ready();
  while (pool.nextMs() <= untilMs) pool.next();
  time.nowMs = untilMs;
  const end = pool.counts();
  return { waits, events, end };
}
