import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { advise, judgeTrust, openRecording, parseSlo } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { defineLesson, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { Advice, Recording } from 'mongodb-pool-predictor' */

const GOAL = parseSlo('/fast p99 < 100ms');
/** The recordings that come with the lab. */
const EXAMPLES = new URL('../../examples/', import.meta.url);
const NO_SIZE = `With this recording, advise finds no size for "${GOAL.text}". Close other programs and record again.`;

export const lesson = defineLesson({
  minutes: 6,
  goal: 'record an app, and size its pool from the recording',
  trace: true,
  hints: [
    "Run the lesson's advise command again, with one more option.",
    "--headroom 1 asks for today's load alone. The first line of the answer is the number.",
    '14 connections are enough for examples/ordinary-minute.jsonl. Take the number that advise gives for ' +
      'my-minute.jsonl: it is about as large, as the load is the same.',
  ],
  asks: {
    question: 'How many connections are enough if tomorrow is no busier than today?',
    unit: 'connections',
    isCount: true,
  },
  async check({ recording, answer }) {
    if (await isShipped(recording)) {
      return wrong('This recording comes with the lab. Make one of your own: npx pool-lab record, as in the lesson.');
    }
    const poolSize = (await adviseToday(recording))?.poolSize ?? null;
    if (poolSize === null) return wrong(NO_SIZE);
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
      '6: five for /slow and one for the others, instead of 14. Its price: the p95 of /slow is about 11 s instead ' +
      'of 5.',
    async check({ recording, answer }) {
      const advice = await adviseToday(recording);
      if (!advice) return wrong(NO_SIZE);
      const [split] = advice.remedies;
      if (!split) return wrong('With this recording, advise knows no separate pool that helps. Use another one.');
      if (answer !== split.connections) {
        return wrong(`It is not ${answer}. Read "Alternative: a separate pool".`);
      }
      return right(
        `${split.connections} connections, of which /slow gets ${split.slowSize}. The ` +
          'administrators pay with their waits.',
      );
    },
  },
});

/** Whether a recording comes with the lab, whatever its file is called. @param {Recording} recording */
async function isShipped({ trace }) {
  const names = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.jsonl'));
  const shipped = names.map(async (name) => openRecording([await readTrace(fileURLToPath(new URL(name, EXAMPLES)))]));
  return (await Promise.all(shipped)).some(
    (one) =>
      one.trace.useMs.length === trace.useMs.length &&
      Array.from(one.trace.useMs).every((ms, row) => ms === trace.useMs[row]),
  );
}

/**
 * What `pool-lab advise --headroom 1` says.
 * @param {Recording} recording
 * @returns {Promise<Advice | undefined>} undefined if the recording can't be predicted
 */
async function adviseToday(recording) {
  const trust = judgeTrust(recording, null);
  if (trust.refusal) return undefined;
  const { load, overhead } = recording;
  const { services } = load;
  const advice = await advise({ load, services, overhead, slos: [GOAL], headroom: 1, marginAt: trust.marginAt });
  return advice.denial ? undefined : advice;
}
