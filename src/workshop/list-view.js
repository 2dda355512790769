import { renderRows } from '../report/table.js';
import { MOST_POINTS } from './guess-score.js';
import { findNextLesson } from './lesson-progress.js';
import { listTasks } from './lessons.js';

/** @import { Lesson, Task } from './lesson-types.js' */
/** @import { LessonProgress, Progress } from './lesson-progress.js' */

/** @param {Lesson[]} lessons @param {Progress} progress @returns {string} for a terminal */
export function renderLessonList(lessons, progress) {
  /** @param {Task} task */
  const isDone = ({ name }) => Boolean(progress.lessons[name]?.doneAt);
  const table = renderRows([
    { heading: 'lesson', value: ({ name }) => name },
    { heading: 'topic', value: ({ title }) => title },
    { heading: 'minutes', value: ({ minutes }) => minutes },
    { heading: 'guess', value: ({ name }) => describeGuess(progress.lessons[name]) },
    { heading: '', value: (lesson) => listTasks(lesson).filter(isDone).map(describePart).join(', ') },
  ], lessons);
  const next = findNextLesson(lessons, progress);
  const count = lessons.filter(isDone).length;
  const points = lessons.flatMap(({ name }) => progress.lessons[name]?.points ?? []);
  const sum = points.reduce((total, each) => total + each, 0);
  return `${table}\n\n${count} of ${lessons.length} done. ${
    next ? `Next: pool-lab workshop ${next.name}` : 'Well done.'}${
    points.length > 0 ? ` Your guesses: ${sum} of ${points.length * MOST_POINTS} points.` : ''}`;
}

/** @param {LessonProgress | undefined} progress */
function describeGuess({ points } = {}) {
  return points === undefined ? '' : `${points} of ${MOST_POINTS}`;
}

/** @param {Task} task */
function describePart({ name }) {
  const [, part = 'done'] = name.split('/');
  return part;
}
