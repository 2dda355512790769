import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { defineLesson, right, wrong } from '../../lab/workshop/define-lesson.js';
import { simulateAnswer, waitMsOf } from '../../lab/workshop/simulate-answer.js';

/** @import { Evidence } from '../../lab/workshop/lesson-types.js' */
/** @typedef {import('mongodb-pool-monitor').CheckoutRecord & { checkedOutAtMs: number }} ServedCheckout */

const LANES = 2;
const TWIST_LANES = 4;
/** Shorter waits do not count as waiting in line. */
const MIN_WAIT_MS = 50;
/** Buses that come one second apart, on a machine that may be busy. */
const BUSES = 5;
const MIN_GAP_MS = 500;
const MAX_GAP_MS = 1500;

const REPLAY = { scenario: 'loadtests/slow-only.yaml', poolSize: LANES };

export const lesson = defineLesson({
  minutes: 4,
  goal: 'explain what a pool does: a query borrows a connection, or waits for one',
  app: true,
  guess: {
    question:
      'Five buses arrive one second apart. Each takes 5 s, and there are two lanes. How long will the ' +
      'longest wait for a lane be?',
    unit: 'seconds',
    why: 'The buses enter at 0, 1, 5, 6 and 10 s, so the fifth, which came at 4 s, waits for 6 s.',
    replay: REPLAY,
    answer: async () => Math.max(...(await simulateAnswer(REPLAY)).trips.map(waitMsOf)) / 1000,
  },
  hints: [
    'A bus that finds both lanes taken waits until the first bus ahead of it leaves.',
    'Buses arrive at 0, 1, 2, 3 and 4 s and take 5 s each. Write down when each one enters a lane.',
    'They enter at 0, 1, 5, 6 and 10 s. The last one arrived at 4 s, so it waits 6 s. Start the app with ' +
      'MONGO_POOLSIZE=2, send loadtests/slow-only.yaml, then verify.',
  ],
  check({ app }) {
    const buses = listBuses(app);
    if (buses.length === 0) return wrong('No bus has come through the tunnel yet. Send the load.');
    const waiting = buses.filter(({ waitMs }) => waitMs >= MIN_WAIT_MS);
    if (waiting.length === 0) {
      return wrong(`No bus had to wait, because there are ${app.max} lanes. Start the app with MONGO_POOLSIZE=2.`);
    }
    if (waiting.every(({ busyLanes }) => busyLanes !== LANES)) {
      const [{ busyLanes }] = waiting;
      return wrong(
        `Buses waited, but in a tunnel with ${busyLanes === 1 ? '1 lane' : `${busyLanes} lanes`}. Start the app with ` +
          'MONGO_POOLSIZE=2.',
      );
    }
    const waitsMs = findLoad(buses)
      .filter(({ waitMs, busyLanes }) => waitMs >= MIN_WAIT_MS && busyLanes === LANES)
      .map(({ waitMs }) => waitMs);
    if (waitsMs.length === 0) {
      return wrong('Buses waited, but not five that came one second apart. Send loadtests/slow-only.yaml.');
    }
    return right(
      `With both lanes taken, ${waitsMs.length} buses waited, the longest for ` +
        `${formatQuantity(Math.max(...waitsMs), 'ms')}. Each borrowed a lane and gave it back.`,
      { truth: Math.max(...waitsMs) / 1000 },
    );
  },
  twist: {
    app: true,
    key: 'With 5 lanes nobody waits. With 4, the fifth bus waits until the first one leaves: about 5 s.',
    check({ app }) {
      const fifths = listBuses(app).filter(({ busyLanes }) => busyLanes === TWIST_LANES);
      if (fifths.every(({ waitMs }) => waitMs >= MIN_WAIT_MS)) {
        return wrong(
          'No bus has found four lanes taken and a fifth one free. Set the pool to 5 and click "a bus" five times, ' +
            'quickly.',
        );
      }
      const longestMs = Math.max(...fifths.map(({ waitMs }) => waitMs));
      if (longestMs < MIN_WAIT_MS) {
        return wrong('With 5 lanes nobody waited. Now set the pool to 4 and click "a bus" five times, quickly.');
      }
      return right(
        `With a lane for each bus nobody waited. With 4, the fifth bus waited for ${formatQuantity(longestMs, 'ms')}.`,
      );
    },
  },
});

/**
 * The load of the lesson: five buses that came one second apart, the first of which found a free lane.
 * @param {ReturnType<typeof listBuses>} buses
 */
function findLoad(buses) {
  const inOrder = buses.toSorted((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  const isNext = (/** @type {number} */ index) => {
    const gapMs = inOrder[index].arrivedAtMs - inOrder[index - 1].arrivedAtMs;
    return gapMs > MIN_GAP_MS && gapMs < MAX_GAP_MS;
  };
  const first = inOrder.findIndex(
    ({ waitMs }, index) =>
      waitMs < MIN_WAIT_MS && index + BUSES <= inOrder.length && [1, 2, 3, 4].every((step) => isNext(index + step)),
  );
  return first < 0 ? [] : inOrder.slice(first, first + BUSES);
}

/**
 * The buses that got a lane. One waited in line only if somebody left meanwhile: otherwise its lane had to be opened.
 * @param {Evidence['app']} app
 * @returns {{ arrivedAtMs: number, waitMs: number, busyLanes: number }[]} busyLanes: those of others while it waited,
 *   or when it entered
 */
function listBuses({ checkouts }) {
  const served = checkouts.filter(
    /** @returns {checkout is ServedCheckout} */ (checkout) => checkout.checkedOutAtMs !== null,
  );
  return served
    .filter(({ route }) => route === '/slow')
    .map((bus) => {
      const { checkOutStartedAtMs, checkedOutAtMs } = bus;
      const others = served
        .filter((other) => other !== bus)
        .map((other) => ({ fromMs: other.checkedOutAtMs, toMs: other.checkedInAtMs ?? Infinity }));
      const isQueued = others.some(({ toMs }) => toMs > checkOutStartedAtMs && toMs <= checkedOutAtMs);
      const atMs = isQueued ? (checkOutStartedAtMs + checkedOutAtMs) / 2 : checkedOutAtMs;
      return {
        arrivedAtMs: checkOutStartedAtMs,
        waitMs: isQueued ? checkedOutAtMs - checkOutStartedAtMs : 0,
        busyLanes: others.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).length,
      };
    });
}
