import { defineLesson, isClose, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

const CASES = ['1/100 gathered', '100/100 plain'];
/** A larger ratio of two lone callers is none of batching. */
const NOISE = 1.3;
const TWIST_CASES = ['1/1 gathered', '1/1 plain'];

export const lesson = defineLesson({
  minutes: 4,
  goal: 'replace many small commands by one batch',
  lab: 'inserts',
  guess: {
    question:
      'A hundred callers each store a small document, wait until it is safe, and store the next. One connection ' +
      'sends the documents of the same moment in one command. A hundred connections send each document in a command ' +
      'of its own. How many times as many documents does the one connection store?',
    unit: 'times',
    why:
      'One command carries the documents of many callers, so they wait together for one answer instead of each ' +
      'for its own.',
  },
  hints: [
    'You need the column docs/s of two lines: 1/100 gathered and 100/100 plain.',
    'Divide the first by the second. A bus carries many documents in one trip.',
    '25267 / 2395 = 10.5 with the figures in the text. Use your own.',
  ],
  asks: { question: `"${CASES[0]}" stores how many times as many documents as "${CASES[1]}"?`, unit: 'times' },
  check({ results, answer }) {
    const runs = results.filter((run) => compareCases(run, CASES));
    return judgeRuns(runs, 'There is no run of both yet: npx pool-lab run inserts --cases 1/100,100/100', (run) => {
      const times = compareCases(run, CASES);
      if (!isClose(answer, times)) return wrong('Divide one rate (documents per second) by the other.');
      return right(`${times.toFixed(1)} times as many documents, with a hundredth of the connections.`, {
        truth: times,
      });
    });
  },
  twist: {
    lab: 'inserts',
    key: 'Little or nothing: about as many documents per second. A lone caller neither gains nor loses much.',
    check({ results }) {
      const runs = results.filter((run) => compareCases(run, TWIST_CASES));
      const command = 'npx pool-lab run inserts --cases 1/1';
      return judgeRuns(runs, `There is no run of a single caller yet: ${command}`, (run) => {
        const times = compareCases(run, TWIST_CASES);
        const found = `Alone, batching stores ${times.toFixed(2)} times as many documents.`;
        return Math.max(times, 1 / times) > NOISE
          ? wrong(`${found} Something else used this machine: close other programs and run it again: ${command}`)
          : right(`${found} A lone caller has nobody to share a bus with.`);
      });
    },
  },
});

/** How many times as many documents the first case stores as the second; NaN where one is missing.
 * @param {SavedResult} run @param {string[]} cases */
function compareCases({ variants, settings }, cases) {
  if (settings.writeConcern !== 'majority') return NaN;
  const [one, other] = cases.map(
    (wanted) => variants.find(({ name, error }) => name === wanted && !error)?.measured?.ratePerSec,
  );
  return one / other;
}
