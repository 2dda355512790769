import { compareFleet } from 'mongodb-pool-predictor';
import { right, wrong } from '../../src/workshop/verdict.js';

const FLEET = { instances: 400, servers: 3, serverLimit: 3000 };

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  hints: [
    'A server accepts 3000 connections. Divide them by the instances.',
    '3000 / 400 = 7.5. Each instance also has two connections that monitor the server.',
    '7 - 2 = 5: pool-lab workshop verify 14 --answer 5',
  ],
  asks: {
    question: 'With 400 instances, how large can each pool be?', unit: 'connections', isCount: true,
  },
  check({ answer }) {
    const { instances, serverLimit } = FLEET;
    const { monitors, perServer, largestPool } = compareFleet(FLEET, answer);
    const sum = `${instances} x (${answer} + ${monitors}) = ${perServer} connections per server`;
    if (perServer > serverLimit) return wrong(`${sum}. It accepts only ${serverLimit}.`);
    if (answer !== largestPool) return wrong(`${sum}. There is room for more.`);
    return right(`${sum}. One more does not fit. The load needs 16, so use fewer and larger instances.`);
  },
};
