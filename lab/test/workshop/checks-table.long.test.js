import { expect, test } from '@jest/globals';
import { listTasks, readLessons } from '../../workshop/lessons.js';
import { checkSample } from '../support/check-lesson.js';
import { listApps, listRuns } from '../support/saved-runs.js';

/** @import { Task } from '../../workshop/lesson-types.js' */
/** @import { Sample } from '../support/check-lesson.js' */

/** Whatever a learner may answer: small numbers, and all others to 5 %, which no check is stricter than. */
const ANSWERS = [
  ...Array.from({ length: 21 }, (_, index) => index),
  ...Array.from({ length: 260 }, (_, index) => Number((0.05 * 1.05 ** index).toPrecision(3))),
];

/** Answers to try where no run is needed. */
const COUNTS = Array.from({ length: 2001 }, (_, index) => index);

const tasks = (await readLessons()).flatMap(listTasks);

test('what each check accepts and refuses of all that was saved', async () => {
  const rows = [];
  for (const task of tasks) {
    const elsewhere = findOtherTest(task);
    if (elsewhere) {
      rows.push(`${task.name}\n  see ${elsewhere}`);
      continue;
    }
    const samples = listSamples(task);
    const verdicts = await Promise.all(
      samples.map(async (sample) => ({ sample, answers: await accept(task, sample) })),
    );
    const accepted = verdicts.filter(({ answers }) => answers.length > 0);
    const refused = verdicts.filter(({ answers }) => answers.length === 0);
    const lists = Object.entries({ accepts: accepted, refuses: refused }).filter(([, { length }]) => length > 0);
    rows.push(
      [task.name, ...lists.map(([verb, list]) => `  ${verb} ${list.map(describeSample).join(', ')}`)].join('\n'),
    );
  }
  expect(`\n${rows.join('\n')}\n`).toMatchSnapshot();
});

/** @param {Task} task @returns {string | undefined} the test of what judges a trace or a running shop */
function findOtherTest({ trace, causes }) {
  if (causes) return 'cases.release.test.js';
  return trace ? 'checks/answers.release.test.js' : undefined;
}

/**
 * Each saved run of its lab alone, all of its own on a quiet and on a busy machine together, or each app. The answer
 * alone where it needs neither.
 * @param {Task} task
 */
function listSamples({ name, lab, app }) {
  if (app) return listApps().map((saved) => ({ app: saved }));
  if (!lab) return [{}];
  const runs = listRuns(String(lab)).map(({ file }) => file);
  const own = ['quiet', 'busy'].map((state) => runs.filter((run) => run.startsWith(`${state} ${name.slice(0, 2)}`)));
  return [
    ...runs.map((run) => ({ runs: [run] })),
    ...own.filter(({ length }) => length > 1).map((all) => ({ runs: all })),
  ];
}

/** The answers with which a check is right. @param {Task} task @param {Sample} sample */
async function accept({ name, lab, asks }, sample) {
  const answers = asks ? [...ANSWERS, ...(lab ? [] : COUNTS)] : [undefined];
  const verdicts = await Promise.all(answers.map((answer) => checkSample(name, { ...sample, answer })));
  return answers.filter((_, index) => verdicts[index].isRight);
}

/** @param {{ sample: Sample, answers: (number | undefined)[] }} verdict */
function describeSample({ sample: { runs = [], app }, answers }) {
  const [least, ...more] = answers.toSorted((a, b) => Number(a) - Number(b));
  const most = more.at(-1) ?? least;
  const range = least === undefined ? '' : ` (${least === most ? least : `${least} to ${most}`})`;
  return `${app ?? (runs.join(' + ') || 'the answer alone')}${range}`;
}
