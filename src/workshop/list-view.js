import { renderRows } from '../report/table.js';
import { findNextLesson } from './lesson-progress.js';

/** @import { Lesson } from './lesson-types.js' */
/** @import { Progress } from './lesson-progress.js' */

/** @param {Lesson[]} lessons @param {Progress} progress @returns {string} for a terminal */
export function renderLessonList(lessons, progress) {
  /** @param {Lesson} lesson */
  const isDone = ({ name }) => Boolean(progress.lessons[name]?.doneAt);
  const table = renderRows([
    { heading: 'lesson', value: ({ name }) => name },
    { heading: 'topic', value: ({ title }) => title },
    { heading: 'minutes', value: ({ minutes }) => minutes },
    { heading: '', value: (lesson) => (isDone(lesson) ? 'done' : '') },
  ], lessons);
  const next = findNextLesson(lessons, progress);
  const count = lessons.filter(isDone).length;
  return `${table}\n\n${count} of ${lessons.length} done. ${
    next ? `Next: pool-lab workshop ${next.name}` : 'Well done.'}`;
}
