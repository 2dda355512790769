import { defineLesson, isClose, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

const CASE = 11;
const WORKERS = 8;
const COMMAND = `npx pool-lab run replication --cases ${CASE}`;

export const lesson = defineLesson({
  minutes: 8,
  goal: 'replicate a database that is in use, and say what a crash and more workers change',
  lab: 'replication',
  guess: {
    question:
      'A replicator repeats a long list of inserts in five collections on a MongoDB that is 20 ms away. How many ' +
      'times as many operations per second do 8 workers write as 1 worker?',
    unit: 'times',
    why: 'A worker sends everything that has come while it waited in one batch, and eight share the same list.',
  },
  hints: [
    'You need the column ops/s of two lines: 1 worker and 8.',
    'Divide the figure of 8 workers by that of 1 worker. It is less than 8.',
    '61666 / 40532 = 1.5 with the figures in the text. Use your own.',
  ],
  asks: { question: '8 workers write how many times as many operations per second as 1 worker?', unit: 'times' },
  check({ results, answer }) {
    const runs = results.filter((run) => findRate(run, 1) && findRate(run, WORKERS));
    return judgeRuns(runs, `There is no run of both yet: ${COMMAND} --workers 1,${WORKERS}`, (run) => {
      const times = Number(findRate(run, WORKERS)) / Number(findRate(run, 1));
      if (!isClose(answer, times)) return wrong('Divide the operations per second of 8 workers by those of 1.');
      return right(`${times.toFixed(1)} times as many operations, with ${WORKERS} times as many workers.`, {
        truth: times,
      });
    });
  },
  twist: {
    lab: 'replication',
    asks: { question: `How many of the ${WORKERS} workers have anything to write?`, unit: 'workers', isCount: true },
    key: 'Five, because there are five collections. They are about as fast as eight, because their batches are fuller.',
    check({ results, answer }) {
      const runs = results.filter((run) => findVariant(run, WORKERS, 'collection'));
      return judgeRuns(runs, `There is no such run yet: ${COMMAND} --hash collection`, (run) => {
        const { collections } = Object(findVariant(run, WORKERS, 'collection')?.settings);
        if (answer !== collections)
          return wrong('Each collection has one worker. The column "data" counts collections.');
        return right(`${answer} collections keep ${answer} workers busy. The others have nothing to do.`);
      });
    },
  },
});

/** Operations per second. @param {SavedResult} run @param {number} workers @returns {number | undefined} */
function findRate(run, workers) {
  return findVariant(run, workers, 'id')?.measured?.ratePerSec;
}

/** The case as the lesson has it. @param {SavedResult} run @param {number} count @param {string} hashedBy */
function findVariant({ variants }, count, hashedBy) {
  return variants.find(
    ({ settings: { case: number, workers, hash, mode, merge }, error }) =>
      number === CASE && workers === count && hash === hashedBy && mode === 'direct' && merge === 'all' && !error,
  );
}
