import { renderRows } from '../report/table.js';
import { MAX_SCORE } from './judge-task.js';
import { findNextLesson } from './lesson-progress.js';
import { listTasks } from './lessons.js';

/** @import { CaseCause, Lesson, Task } from './lesson-types.js' */
/** @import { LessonProgress, Progress } from './lesson-progress.js' */

/** @param {Lesson[]} lessons @param {Progress} progress @returns {string} for a terminal */
export function renderLessonList(lessons, progress) {
  /** @param {Task} task */
  const isDone = ({ name }) => Boolean(progress.lessons[name]?.doneAt);
  const table = renderRows(
    [
      { heading: 'lesson', value: (lesson) => lessons.indexOf(lesson) + 1 },
      { heading: 'topic', value: ({ title }) => title },
      { heading: 'min', value: ({ minutes }) => minutes },
      { heading: 'guess', value: ({ name }) => describeGuess(progress.lessons[name]) },
      { heading: '', value: (lesson) => listTasks(lesson).filter(isDone).map(describePart).join(', ') },
    ],
    lessons,
  );
  const next = findNextLesson(lessons, progress);
  const count = lessons.filter(isDone).length;
  const points = lessons.flatMap(({ name }) => progress.lessons[name]?.points ?? []);
  const sum = points.reduce((total, each) => total + each, 0);
  return [
    `${table}\n`,
    `${count} of ${lessons.length} done. ${next ? `Next: npx pool-lab workshop ${next.name}` : 'Well done.'}`,
    ...(points.length > 0 ? [`Your guesses: ${sum} of ${points.length * MAX_SCORE} points.`] : []),
  ].join('\n');
}

/** @param {LessonProgress | undefined} progress */
function describeGuess({ points } = {}) {
  return points === undefined ? '' : `${points} of ${MAX_SCORE}`;
}

/** @param {Task} task */
function describePart({ name }) {
  const [, part = 'done'] = /(?:\/|^(?=case))(twist|puzzle|case)/.exec(name) ?? [];
  return part;
}

/**
 * Replaces the table of lessons in a Markdown page.
 * @param {string} page @param {Lesson[]} lessons @throws {Error} when the page has no markers for it
 */
export function insertContents(page, lessons) {
  return insertTable(
    page,
    ['lesson', 'minutes'],
    lessons.map(({ name, title, minutes }, index) => [`[${index + 1}. ${title}](${name}/README.md)`, minutes]),
  );
}

/** Does the same in the page for teachers. @param {string} page @param {Lesson[]} lessons */
export function insertGoals(page, lessons) {
  return insertTable(
    page,
    ['lesson', 'afterwards a learner can', 'minutes', 'points for phones'],
    lessons.map(({ title, goal, minutes, guess }, index) => [
      `${index + 1}. ${title}`,
      goal,
      minutes,
      guess ? (guess.answer ? 'yes' : 'after a measurement') : 'no question',
    ]),
  );
}

/** @param {string} page @param {string[]} headings @param {(string | number)[][]} rows */
function insertTable(page, headings, rows) {
  const place = /(?<=<!-- lessons -->\n).*(?=<!-- \/lessons -->)/s;
  if (!place.test(page)) throw new Error('the page needs the lines <!-- lessons --> and <!-- /lessons -->');
  const lines = [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return page.replace(place, () => lines.join(''));
}

/** Renders the answer keys for teachers, as Markdown. @param {Lesson[]} lessons */
export function renderAnswerKeys(lessons) {
  return [
    '# Answer keys',
    'For teachers. `node scripts/write-docs.js` writes this page from the lessons.',
    ...lessons.flatMap(({ title, hints, twist, puzzle, case: ownCase }, index) => [
      `## ${index + 1}. ${title}`,
      [
        `- **Lesson.** ${hints[hints.length - 1]}`,
        `- **Twist.** ${twist.key}`,
        ...(puzzle ? [`- **Puzzle, ${puzzle.title}.** ${puzzle.hints[puzzle.hints.length - 1]}`] : []),
        ...(ownCase ? [`- **Case ${ownCase.number}.** ${ownCase.causes.map(describeCause).join('; ')}.`] : []),
      ].join('\n'),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** @param {CaseCause} cause */
function describeCause({ name, route, sign }) {
  return `${name} (${route}): ${sign}`;
}
