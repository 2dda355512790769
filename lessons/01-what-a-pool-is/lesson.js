import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';

/** @typedef {import('mongodb-pool-monitor').CheckoutRecord & { checkedOutAtMs: number }} Served */

const LANES = 2;
/** Shorter waits do not count as waiting in line. */
export const MIN_WAIT_MS = 50;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  app: true,
  guess: {
    question: 'Five buses arrive one second apart, and there are two lanes. How long will the longest wait be?',
    unit: 'seconds',
  },
  hints: [
    'A bus that finds both lanes taken waits until the first bus ahead of it leaves.',
    'Buses arrive at 0, 1, 2, 3 and 4 s and take 5 s each. Write down when each one enters a lane.',
    'They enter at 0, 1, 5, 6 and 10 s. The last one arrived at 4 s, so it waits 6 s. Start the app with '
      + 'MONGO_POOLSIZE=2, send loadtests/slow-only.yaml, then verify.',
  ],
  check({ app }) {
    const served = listServed(app);
    const buses = served.filter(isBus);
    if (buses.length === 0) return wrong('No bus has come through the tunnel yet. Send the load.');
    const waits = buses.map((bus) => ({ ms: waitMsOf(bus), lanes: countBusyLanes(served, bus) })).filter(({ ms }) => ms >= MIN_WAIT_MS);
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
      + `${formatQuantity(Math.max(...waitsMs), 'ms')}. Each borrowed a lane and gave it back.`, { truth: Math.max(...waitsMs) / 1000 });
  },
};

/** @param {import('../../src/workshop/lesson-types.js').Evidence['app']} app @returns {Served[]} */
export function listServed({ checkouts }) {
  return checkouts.flatMap((checkout) => (
    checkout.checkedOutAtMs === null ? [] : { ...checkout, checkedOutAtMs: checkout.checkedOutAtMs }));
}

/** @param {Served} served */
export const isBus = ({ route }) => route === '/slow';

/** @param {Served} served */
export const waitMsOf = ({ checkOutStartedAtMs, checkedOutAtMs }) => checkedOutAtMs - checkOutStartedAtMs;

/** How many lanes were busy halfway through a wait. @param {Served[]} served @param {Served} waiter */
export function countBusyLanes(served, { checkOutStartedAtMs, checkedOutAtMs }) {
  const thenMs = (checkOutStartedAtMs + checkedOutAtMs) / 2;
  return served.filter((other) => other.checkedOutAtMs <= thenMs && thenMs < (other.checkedInAtMs ?? Infinity)).length;
}
