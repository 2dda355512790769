import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { escapeControls, wrap } from '../printable.js';
import { readSettings } from '../settings.js';
import { findLesson, readLessons } from '../workshop/lessons.js';
import { renderLessonList } from '../workshop/list-view.js';
import { renderMarkdown } from '../workshop/markdown.js';
import { findNextLesson, noteLesson, readProgress, writeProgress } from '../workshop/lesson-progress.js';
import { gatherEvidence } from './evidence.js';
import { parseAppUrl } from './running-app.js';

/** @import { Evidence, Lesson, Verdict } from '../workshop/lesson-types.js' */
/** @typedef {import('../workshop/markdown.js').Paint} Paint */

const WIDTH = 80;
const STYLES = { title: ['bold', 'underline'], strong: ['bold'], code: ['cyan'] };

export function createWorkshopCommand() {
  const command = new Command('workshop')
    .description('list the lessons, or show one; each takes 5 to 15 minutes')
    .argument('[lesson]', 'name or number of a lesson')
    .action(showLessons);
  command.command('guess')
    .description('note what you expect, before you measure it')
    .argument('<lesson>', 'name or number of the lesson')
    .argument('<value>', 'a number', parseNumber)
    .action(noteGuess);
  command.command('verify')
    .description('check your results and your answer; exits with 1 until they are right')
    .argument('<lesson>', 'name or number of the lesson')
    .option('--answer <number>', "the answer to the lesson's question", parseNumber)
    .option('--results <dir>', 'folder where `pool-lab run` saved its results', 'results')
    .option('--app <url>', 'the running app (default: on this machine, at PORT)')
    .option('--trace <file>', 'trace file, for lessons about one')
    .action(verifyLesson);
  command.command('reset')
    .description('start over: forget what you have done and measured so far')
    .action(resetProgress);
  return command;
}

/** @param {string | undefined} name */
async function showLessons(name) {
  const lessons = await readLessons();
  const text = name === undefined
    ? renderLessonList(lessons, await readProgress(readSettings().dataDir, lessons))
    : renderMarkdown(findLesson(lessons, name).text, { width: WIDTH, paint: choosePaint(process.stdout) });
  process.stdout.write(`${text}\n`);
}

/** @param {string} name @param {number} value */
async function noteGuess(name, value) {
  const lessons = await readLessons();
  const lesson = findLesson(lessons, name);
  if (!lesson.guess) throw new Error(`${lesson.name} does not ask for a guess`);
  const { dataDir } = readSettings();
  const guess = { value, at: new Date().toISOString() };
  await writeProgress(dataDir, noteLesson(await readProgress(dataDir, lessons), lesson.name, { guess }));
  process.stdout.write(`${wrap(`Noted: ${value} ${lesson.guess.unit}. Now measure it.`, WIDTH)}\n`);
}

/** @param {string} name @param {Omit<import('./evidence.js').EvidenceOptions, 'app'> & { app?: string }} options */
async function verifyLesson(name, options) {
  const lessons = await readLessons();
  const lesson = findLesson(lessons, name);
  const { dataDir, port } = readSettings();
  const before = await readProgress(dataDir, lessons);
  const app = options.app === undefined
    ? { option: 'the app at', url: `http://127.0.0.1:${port}`, headers: {}, hint: '; start it with npm start, or choose another one with --app' }
    : parseAppUrl('--app', options.app);
  const evidence = await gatherEvidence(lesson, before, { ...options, app });
  const { isRight, words, figures = [], runs = [] } = await judge(lesson, evidence);

  const width = Math.max(0, ...figures.map(([label]) => label.length));
  process.stdout.write(`${escapeControls([
    figures.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join('\n'),
    wrap(`${isRight ? 'Right.' : 'Not yet.'} ${words}`, WIDTH),
    runs.map(({ file }) => `Judged: ${file}`).join('\n'),
  ].filter(Boolean).join('\n\n'))}\n`);
  if (!isRight) {
    process.exitCode = 1;
    return;
  }
  const progress = noteLesson(before, lesson.name, { doneAt: new Date().toISOString() });
  await writeProgress(dataDir, progress);
  const next = findNextLesson(lessons, progress);
  if (next) process.stdout.write(`\nNext: pool-lab workshop ${next.name}\n`);
}

/**
 * @param {Lesson} lesson
 * @param {Evidence} evidence
 * @returns {Promise<Verdict>}
 * @throws {Error} naming the lesson and the cause: checks trust results and apps to have all figures
 */
export async function judge(lesson, evidence) {
  try {
    return await lesson.check(evidence);
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new Error(`The check of lesson ${lesson.name} failed: ${message}`, { cause });
  }
}

async function resetProgress() {
  await writeProgress(readSettings().dataDir, { since: new Date().toISOString(), lessons: {} });
  process.stdout.write('Your progress is reset. Start with the first lesson.\n');
}

/** @param {NodeJS.WriteStream} stream @returns {Paint | undefined} */
function choosePaint(stream) {
  // hasColors() reads NO_COLOR and FORCE_COLOR.
  if (!stream.isTTY || !stream.hasColors()) return undefined;
  return (style, text) => styleText(/** @type {any} */ (STYLES[style]), text);
}

/** @param {string} text */
function parseNumber(text) {
  const number = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.');
  return number;
}
