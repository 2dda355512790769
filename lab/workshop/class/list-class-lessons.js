import { listTasks, readLessons } from '../lessons.js';
import { simulateAnswer } from '../simulate-answer.js';

/** @import { ClassLesson } from './class-roll.js' */

/** The lessons for a class, with their answers where those can be calculated. @returns {Promise<ClassLesson[]>} */
export async function listClassLessons() {
  return Promise.all(
    (await readLessons()).map(async (lesson) => ({
      name: lesson.name,
      title: lesson.title,
      ...lesson.guess,
      replay: lesson.guess?.replay && (await simulateAnswer(lesson.guess.replay)),
      answer: await lesson.guess?.answer?.(),
      asks: lesson.asks,
      tasks: listTasks(lesson).map(({ name }) => name),
    })),
  );
}
