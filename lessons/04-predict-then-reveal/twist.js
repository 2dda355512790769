import { simulate } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { isClose, right, wrong } from '../../src/workshop/verdict.js';

const SCENARIO = 'loadtests/mixed.yaml';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  asks: { question: 'How long does the slowest Ferrari take then?', unit: 'seconds' },
  key: '1 second: the third bus finds both lanes taken, waits a second, and keeps the second Ferrari out.',
  async check({ answer }) {
    const workload = await readScenario(new URL(`../../${SCENARIO}`, import.meta.url).pathname);
    const fixed = (/** @type {number} */ ms) => ({ kind: /** @type {const} */ ('fixed'), ms });
    const services = { '/slow': fixed(2000), '/fast': fixed(2) };
    const { routes } = simulate({ workload, pool: { maxPoolSize: 2 }, services });
    const seconds = routes['/fast'].maxMs / 1000;
    if (!isClose(answer, seconds)) return wrong('Look at the column max of /fast.');
    return right('Buses of 2 seconds still block a pool of 2, though only for a second.');
  },
};
