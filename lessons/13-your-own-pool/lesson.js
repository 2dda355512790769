import { advise, createTraceLoad, parseSlo } from 'mongodb-pool-predictor';
import { defineLesson, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { Evidence } from '../../lab/workshop/lesson-types.js' */

const GOAL = parseSlo('/fast p99 < 100ms');

export const lesson = defineLesson({
  minutes: 4,
  trace: true,
  hints: [
    "Run the lesson's advise command again, with one more option.",
    "--headroom 1 asks for today's load alone. The first line of the answer is the number.",
    '14 connections: npx pool-lab workshop verify 13 --trace examples/ordinary-minute.jsonl --answer 14',
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
  twist: {
    trace: true,
    asks: {
      question: 'With --headroom 1, how many connections does a separate pool for /slow need in total?',
      unit: 'connections',
      isCount: true,
    },
    key:
      '6: five for /slow and one for the others, instead of 14. Its price: the p95 of /slow is about 9 s instead ' +
      'of 5.',
    async check({ trace, answer }) {
      const { remedies } = await adviseToday(trace);
      const split = remedies.find(({ kind }) => kind === 'split');
      if (!split) return wrong('With this trace, advise knows no separate pool that helps. Use another trace.');
      if (answer !== split.connections) {
        return wrong(`It is not ${answer}. Read "A separate pool" under "Alternatives".`);
      }
      return right(
        `${split.connections} connections, of which /slow gets ${split.slowSize}. The ` +
          'administrators pay with their waits.',
      );
    },
  },
});

/** What advise says if tomorrow is no busier. @param {Evidence['trace']} trace */
function adviseToday(trace) {
  const load = createTraceLoad(trace, { resample: true });
  const { overhead } = /** @type {{ overhead?: import('mongodb-pool-predictor').Service }} */ (trace.header);
  return advise({ load, services: load.services, overhead, slos: [GOAL], headroom: 1 });
}
