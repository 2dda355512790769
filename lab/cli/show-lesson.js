import { choosePaint } from '../base/paint.js';
import { readSettings } from '../../src/settings.js';
import { writeCard } from '../workshop/card.js';
import { readProgress } from '../workshop/lesson-progress.js';
import { findLesson, findTask, readLessons } from '../workshop/lessons.js';
import { renderLessonList } from '../workshop/list-view.js';
import { renderMarkdown } from '../workshop/markdown.js';
import { WIDTH } from './lesson-text.js';
import { readResults } from './evidence.js';

/** @import { Puzzle } from '../workshop/lesson-types.js' */

/** @type {Record<string, import('../base/paint.js').Style>} */
const STYLES = { title: ['bold', 'underline'], strong: ['bold'], code: ['cyan'] };

/** @param {string | undefined} name @param {{ all: boolean }} options */
export async function showLessons(name, { all }) {
  const lessons = await readLessons();
  const progress = await readProgress(readSettings().dataDir, lessons);
  if (name === undefined) {
    process.stdout.write(`${renderLessonList(lessons, progress)}\n`);
    return;
  }
  const lesson = findLesson(lessons, name);
  const isOpen = all || progress.lessons[lesson.name]?.doneAt;
  // The explanation gives the answer away.
  showText(
    isOpen
      ? lesson.text
      : `${lesson.text.split('## Why')[0]}When the check says "Right", ` +
          `\`npx pool-lab workshop ${lesson.name}\` also shows why, and a twist. \`--all\` shows them now.\n`,
  );
}

/** @param {string} name */
export async function showPuzzle(name) {
  showText(/** @type {Puzzle} */ (findTask(await readLessons(), name, { puzzle: true })).text);
}

/** @param {{ results: string }} options */
export async function showCard({ results }) {
  showText(await writeCard(await readResults(results, 'utilisation')));
}

/** @param {string} markdown */
function showText(markdown) {
  const paint = choosePaint(process.stdout);
  const paintPart = paint && ((/** @type {string} */ part, /** @type {string} */ text) => paint(STYLES[part], text));
  process.stdout.write(`${renderMarkdown(markdown, { width: WIDTH, paint: paintPart })}\n`);
}
