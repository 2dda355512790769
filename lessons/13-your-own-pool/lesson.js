import { advise, createTraceLoad, parseSlo } from 'mongodb-pool-predictor';
import { right, wrong } from '../../src/workshop/verdict.js';

const GOAL = parseSlo('/fast p99 < 100ms');

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  trace: true,
  hints: [
    'Run the advise command of the lesson again, with one option more.',
    '--headroom 1 asks for today\'s load alone. The first line of the answer is the number.',
    '14 connections: pool-lab workshop verify 13 --trace examples/ordinary-minute.jsonl --answer 14',
  ],
  asks: {
    question: 'How many connections are enough if tomorrow is no busier than today?',
    unit: 'connections',
    isCount: true,
  },
  async check({ trace, answer }) {
    const { poolSize } = await adviseToday(trace);
    if (poolSize === null) {
      return wrong(`With this trace, advise finds no size for the goal "${GOAL.text}". Use another trace.`);
    }
    if (answer < poolSize) return wrong(`${answer} connections miss the goal too often. Run advise with --headroom 1.`);
    if (answer > poolSize) {
      return wrong(`${answer} connections are enough, but so are fewer. Run advise with --headroom 1.`);
    }
    return right(`${poolSize} connections meet "${GOAL.text}". Add a margin for busier days.`);
  },
};

/** What advise says if tomorrow is no busier. @param {import('mongodb-pool-predictor/node').Trace} trace */
export function adviseToday(trace) {
  const load = createTraceLoad(trace, { resample: true });
  const { overhead } = /** @type {{ overhead?: import('mongodb-pool-predictor').Service }} */ (trace.header);
  return advise({ load, services: load.services, overhead, slos: [GOAL], headroom: 1 });
}
