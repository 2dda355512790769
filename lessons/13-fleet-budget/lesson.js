import { compareFleet } from 'mongodb-pool-predictor';
import { right, wrong } from '../../src/workshop/verdict.js';

const FLEET = { instances: 400, servers: 3, serverLimit: 3000 };

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  asks: {
    question: 'How large can each pool be at the most, with 400 instances?', unit: 'connections', isCount: true,
  },
  check({ answer }) {
    const { instances, serverLimit } = FLEET;
    const { monitors, perServer, largestPool } = compareFleet(FLEET, answer);
    const sum = `${instances} x (${answer} + ${monitors}) = ${perServer} connections at each server`;
    if (perServer > serverLimit) return wrong(`${sum}: it takes only ${serverLimit}.`);
    if (answer !== largestPool) return wrong(`${sum}: there is room for more.`);
    return right(`${sum}, and not one more fits. The load needs 15: time for fewer and larger instances.`);
  },
};
