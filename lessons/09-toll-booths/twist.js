import { right, wrong } from '../../src/workshop/verdict.js';

const LANES = 2;
const BUSES = 30;
/** Shorter waits do not count as waiting in line. */
const MIN_WAIT_MS = 50;

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  app: true,
  key: 'Only buses wait: two drive at a time in a tunnel of their own. Ferraris have 64 lanes, wait for none, and '
    + 'share the cores with two buses only.',
  check({ app: { checkouts } }) {
    const waitsMs = (/** @type {string} */ wanted) => checkouts.flatMap(({ route, checkOutStartedAtMs, checkedOutAtMs }) => (
      route === wanted && checkedOutAtMs !== null ? [checkedOutAtMs - checkOutStartedAtMs] : []));
    const buses = checkouts.filter(({ route, checkedOutAtMs }) => route === '/slow' && checkedOutAtMs !== null);
    const together = Math.max(0, ...buses.map((bus) => buses.filter((other) => (
      Number(other.checkedOutAtMs) <= Number(bus.checkedOutAtMs) && Number(bus.checkedOutAtMs) < (other.checkedInAtMs ?? Infinity))).length));
    const [slow, fast] = ['/slow', '/fast'].map((route) => waitsMs(route).filter((ms) => ms >= MIN_WAIT_MS).length);
    if (buses.length < BUSES || waitsMs('/fast').length < 10) {
      return wrong('Send thirty buses and ten Ferraris, and wait for the last bus.');
    }
    if (together !== LANES) return wrong(`${together} buses drove at once. Start the app with SLOW_POOLSIZE=${LANES}.`);
    if (fast > 0) return wrong(`${fast} Ferraris waited for a lane. Start the app with MONGO_POOLSIZE=64.`);
    return right(`${slow} buses waited, and no Ferrari did.`);
  },
};
