import { advise, createTraceLoad, parseSlo } from 'mongodb-pool-predictor';
import { right, wrong } from '../../src/workshop/verdict.js';

const PROMISE = parseSlo('/fast p99 < 50ms');

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  trace: true,
  asks: {
    question: 'How many connections are enough if tomorrow is no busier than today?', unit: 'connections', isCount: true,
  },
  check({ trace, answer }) {
    const load = createTraceLoad(trace, { resample: true });
    const { poolSize } = advise({ load, services: load.services, slos: [PROMISE], headroom: 1 });
    if (poolSize === null) return wrong(`No pool keeps the promise "${PROMISE.text}" there: take another trace.`);
    if (answer < poolSize) return wrong(`${answer} break the promise too often. Ask advise with --headroom 1.`);
    if (answer > poolSize) return wrong(`${answer} are enough, but so are fewer. Ask advise with --headroom 1.`);
    return right(`${poolSize} connections keep "${PROMISE.text}". The margin for a busier day comes on top.`);
  },
};
