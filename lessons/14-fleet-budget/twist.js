import { compareFleet } from 'mongodb-pool-predictor';
import { right, wrong } from '../../src/workshop/verdict.js';

const FLEET = { instances: 2 * 40, servers: 3, serverLimit: 3000 };
const POOL_SIZE = 16;

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  asks: { question: 'How many connections can a server see at the worst moment of the rollout?', unit: 'connections', isCount: true },
  key: '2 x 40 x (16 + 2) = 1440 at each server, if all new instances start before the first old one ends. A '
    + 'rolling update in steps needs less.',
  check({ answer }) {
    const { instances, monitors, perServer } = compareFleet(FLEET, POOL_SIZE);
    if (answer !== perServer) return wrong('Count the old and the new instances, their pools and their monitors.');
    return right(`${instances} x (${POOL_SIZE} + ${monitors}) = ${perServer}. The limit must have room for a rollout.`);
  },
};
