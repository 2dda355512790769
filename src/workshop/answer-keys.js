/** @import { Lesson } from './lesson-types.js' */

/** The answer keys for teachers, as Markdown. @param {Lesson[]} lessons */
export function renderAnswerKeys(lessons) {
  return [
    '# Answer keys',
    'For teachers. `node scripts/write-docs.js` writes this page from the lessons.',
    ...lessons.flatMap(({ title, hints, twist, puzzle }, index) => [
      `## ${index + 1}. ${title}`,
      [
        `- **Lesson.** ${hints[hints.length - 1]}`,
        `- **Twist.** ${twist.key}`,
        ...(puzzle ? [`- **Puzzle, ${puzzle.title}.** ${puzzle.hints[puzzle.hints.length - 1]}`] : []),
      ].join('\n'),
    ]),
  ].join('\n\n').concat('\n');
}
