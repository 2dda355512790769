import { renderRows } from '../report/table.js';
import { nextLesson } from './lesson-progress.js';

/** @import { Lesson } from './lesson-types.js' */
/** @import { Progress } from './lesson-progress.js' */

/**
 * The lessons and how far somebody has come, for a terminal.
 * @param {Lesson[]} lessons
 * @param {Progress} progress
 * @returns {string}
 */
export function renderLessonList(lessons, progress) {
  /** @param {Lesson} lesson */
  const isDone = ({ name }) => Boolean(progress.lessons[name]?.doneAt);
  const table = renderRows([
    { heading: 'lesson', value: ({ name }) => name },
    { heading: 'what it is about', value: ({ title }) => title },
    { heading: 'minutes', value: ({ minutes }) => minutes },
    { heading: '', value: (lesson) => (isDone(lesson) ? 'done' : '') },
  ], lessons);
  const next = nextLesson(lessons, progress);
  const count = lessons.filter(isDone).length;
  return `${table}\n\n${count} of ${lessons.length} done. ${
    next ? `Next: pool-lab workshop ${next.name}` : 'Well done.'}`;
}
