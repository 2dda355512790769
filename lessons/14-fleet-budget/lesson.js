import { compareFleet } from 'mongodb-pool-predictor';
import { defineLesson, right, wrong } from '../../lab/workshop/define-lesson.js';

const FLEET = { instances: 400, servers: 3, serverLimit: 3000 };
const TWIST_FLEET = { ...FLEET, instances: 2 * 40 };
const TWIST_POOL_SIZE = 16;

export const lesson = defineLesson({
  minutes: 4,
  goal: 'add up the connections of a fleet, also during a rollout',
  hints: [
    'A server accepts 3000 connections. Divide them by the instances.',
    '3000 / 400 = 7.5. Each instance also has two connections that monitor the server.',
    '7 - 2 = 5: npx pool-lab workshop verify 14 --answer 5',
  ],
  asks: {
    question: 'With 400 instances, how large can each pool be?',
    unit: 'connections',
    isCount: true,
  },
  check({ answer }) {
    const { instances, serverLimit } = FLEET;
    const { monitors, perServer, largestPool } = compareFleet(FLEET, answer);
    const sum = `${instances} x (${answer} + ${monitors}) = ${perServer} connections per server`;
    if (perServer > serverLimit) return wrong(`${sum}. It accepts only ${serverLimit}.`);
    if (answer !== largestPool) return wrong(`${sum}. There is room for more.`);
    return right(`${sum}. One more does not fit. The load needs 17, so use fewer and larger instances.`);
  },
  twist: {
    asks: {
      question: 'How many connections can a server see at the worst moment of the rollout?',
      unit: 'connections',
      isCount: true,
    },
    key:
      '2 x 40 x (16 + 2) = 1440 at each server, if all new instances start before the first old one ends. A ' +
      'rolling update in steps needs less.',
    check({ answer }) {
      const { instances, monitors, perServer } = compareFleet(TWIST_FLEET, TWIST_POOL_SIZE);
      if (answer !== perServer) return wrong('Count the old and the new instances, their pools and their monitors.');
      return right(
        `${instances} x (${TWIST_POOL_SIZE} + ${monitors}) = ${perServer}. The limit must have room for a rollout.`,
      );
    },
  },
});
