import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';

/** @typedef {import('mongodb-pool-monitor').CheckoutRecord & { checkedOutAtMs: number }} Served */

const LANES = 2;
/** Shorter waits do not count as waiting in line. */
const MIN_WAIT_MS = 50;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  app: true,
  check({ app }) {
    const served = app.checkouts.flatMap((checkout) => (
      checkout.checkedOutAtMs === null ? [] : { ...checkout, checkedOutAtMs: checkout.checkedOutAtMs }));
    const buses = served.filter(({ route }) => route === '/slow');
    if (buses.length === 0) return wrong('No bus has come through the tunnel yet. Send the load.');
    const waits = buses.map((bus) => ({ ms: bus.checkedOutAtMs - bus.checkOutStartedAtMs, lanes: countBusyLanes(served, bus) }))
      .filter(({ ms }) => ms >= MIN_WAIT_MS);
    if (waits.length === 0) {
      return wrong(`No bus had to wait, because there are ${app.max} lanes. Start the app with MONGO_POOLSIZE=2.`);
    }
    const waitsMs = waits.filter(({ lanes }) => lanes === LANES).map(({ ms }) => ms);
    if (waitsMs.length === 0) {
      const [{ lanes }] = waits;
      return wrong(`Buses waited, but in a tunnel with ${lanes === 1 ? '1 lane' : `${lanes} lanes`}. Start the app with `
        + 'MONGO_POOLSIZE=2.');
    }
    return right(`With both lanes taken, ${waitsMs.length} buses waited, the longest for `
      + `${formatQuantity(Math.max(...waitsMs), 'ms')}. Each borrowed a lane and gave it back.`);
  },
};

/** How many lanes were busy halfway through a wait. @param {Served[]} served @param {Served} waiter */
function countBusyLanes(served, { checkOutStartedAtMs, checkedOutAtMs }) {
  const thenMs = (checkOutStartedAtMs + checkedOutAtMs) / 2;
  return served.filter((other) => other.checkedOutAtMs <= thenMs && thenMs < (other.checkedInAtMs ?? Infinity)).length;
}
