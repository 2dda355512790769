import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';
import { countBusyLanes, isBus, listServed, MIN_WAIT_MS, waitMsOf } from './lesson.js';

const LANES = 4;

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  app: true,
  key: 'With 5 lanes nobody waits. With 4, the fifth bus waits until the first one leaves: about 5 s.',
  check({ app }) {
    const served = listServed(app);
    const buses = served.filter(isBus);
    const free = buses.filter((bus) => waitMsOf(bus) < MIN_WAIT_MS && countBusyLanes(served, bus) === LANES);
    if (free.length === 0) {
      return wrong('No bus has found four lanes taken and a fifth one free. Set the pool to 5 and send five buses at once.');
    }
    const waits = buses.filter((bus) => waitMsOf(bus) >= MIN_WAIT_MS && countBusyLanes(served, bus) === LANES).map(waitMsOf);
    if (waits.length === 0) {
      return wrong('With 5 lanes nobody waited. Now set the pool to 4 and send five buses at once.');
    }
    return right(`With 5 lanes nobody waited. With 4, a bus waited for ${formatQuantity(Math.max(...waits), 'ms')}.`);
  },
};
