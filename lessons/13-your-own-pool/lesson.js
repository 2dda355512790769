import { advise, createTraceLoad, parseSlo } from 'mongodb-pool-predictor';
import { right, wrong } from '../../src/workshop/verdict.js';

const GOAL = parseSlo('/fast p99 < 100ms');

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  trace: true,
  asks: {
    question: 'How many connections are enough if tomorrow is no busier than today?', unit: 'connections', isCount: true,
  },
  async check({ trace, answer }) {
    const load = createTraceLoad(trace, { resample: true });
    const { overhead } = /** @type {{ overhead?: import('mongodb-pool-predictor').Service }} */ (trace.header);
    const { poolSize } = await advise({ load, services: load.services, overhead, slos: [GOAL], headroom: 1 });
    if (poolSize === null) return wrong(`With this trace, advise finds no size for the goal "${GOAL.text}". Use another trace.`);
    if (answer < poolSize) return wrong(`${answer} connections miss the goal too often. Run advise with --headroom 1.`);
    if (answer > poolSize) return wrong(`${answer} connections are enough, but so are fewer. Run advise with --headroom 1.`);
    return right(`${poolSize} connections meet "${GOAL.text}". Add a margin for busier days.`);
  },
};
