import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { escapeControls, wrap } from '../printable.js';
import { readSettings } from '../settings.js';
import { findLesson, readLessons } from '../workshop/lessons.js';
import { renderLessonList } from '../workshop/list-view.js';
import { renderMarkdown } from '../workshop/markdown.js';
import { nextLesson, noteLesson, readProgress, writeProgress } from '../workshop/lesson-progress.js';
import { parseAppUrl } from './app-url.js';
import { gatherEvidence } from './evidence.js';

/** @import { Evidence, Lesson, Verdict } from '../workshop/lesson-types.js' */
/** @typedef {import('../workshop/markdown.js').Paint} Paint */

const WIDTH = 80;
const STYLES = { title: ['bold', 'underline'], strong: ['bold'], code: ['cyan'] };

/** `pool-lab workshop` */
export function createWorkshopCommand() {
  const command = new Command('workshop')
    .description('a course in lessons of 5 to 15 minutes: lists them, or shows one')
    .argument('[lesson]', 'its name or number')
    .action(showLessons);
  command.command('guess')
    .description('say what you expect, before you measure it')
    .argument('<lesson>', 'its name or number')
    .argument('<value>', 'a number', parseNumber)
    .action(noteGuess);
  command.command('verify')
    .description("check what you measured and answered; exits with 1 until it is right")
    .argument('<lesson>', 'its name or number')
    .option('--answer <number>', "the answer to the lesson's question", parseNumber)
    .option('--results <dir>', 'where `pool-lab run` kept its results', 'results')
    .option('--app <url>', 'the app that runs (default: on this machine, at PORT)')
    .option('--trace <file>', 'the trace, for lessons about one')
    .action(verifyLesson);
  command.command('reset')
    .description('start over: what was done and measured until now no longer counts')
    .action(resetProgress);
  return command;
}

/** @param {string | undefined} name */
async function showLessons(name) {
  const lessons = await readLessons();
  const text = name === undefined
    ? renderLessonList(lessons, await readProgress(readSettings().dataDir))
    : renderMarkdown(findLesson(lessons, name).text, { width: WIDTH, paint: choosePaint(process.stdout) });
  process.stdout.write(`${text}\n`);
}

/** @param {string} name @param {number} value */
async function noteGuess(name, value) {
  const lesson = findLesson(await readLessons(), name);
  if (!lesson.guess) throw new Error(`${lesson.name} asks for no guess`);
  const { dataDir } = readSettings();
  const guess = { value, at: new Date().toISOString() };
  await writeProgress(dataDir, noteLesson(await readProgress(dataDir), lesson.name, { guess }));
  process.stdout.write(`${wrap(`Noted: ${value} ${lesson.guess.unit}. Now measure it.`, WIDTH)}\n`);
}

/**
 * @param {string} name
 * @param {Omit<import('./evidence.js').EvidenceOptions, 'app'> & { app?: string }} options
 */
async function verifyLesson(name, options) {
  const lessons = await readLessons();
  const lesson = findLesson(lessons, name);
  const { dataDir, port } = readSettings();
  const before = await readProgress(dataDir);
  const app = options.app === undefined
    ? { option: 'the app at', url: `http://127.0.0.1:${port}`, headers: {}, hint: '; start it with npm start, or name another with --app' }
    : parseAppUrl('--app', options.app);
  const evidence = await gatherEvidence(lesson, before, { ...options, app });
  const { isRight, words, figures = [], runs = [] } = judge(lesson, evidence);

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
  const next = nextLesson(lessons, progress);
  if (next) process.stdout.write(`\nNext: pool-lab workshop ${next.name}\n`);
}

/**
 * @param {Lesson} lesson
 * @param {Evidence} evidence
 * @returns {Verdict}
 * @throws {Error} naming the lesson: a check takes for granted that it looks at what a lab or an app has made
 */
export function judge(lesson, evidence) {
  try {
    return lesson.check(evidence);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Error(`${lesson.name}: the result lacks the figures that this lesson looks at`, { cause });
  }
}

async function resetProgress() {
  await writeProgress(readSettings().dataDir, { since: new Date().toISOString(), lessons: {} });
  process.stdout.write('You start over: the first lesson is next.\n');
}

/** @param {NodeJS.WriteStream} stream @returns {Paint | undefined} */
function choosePaint(stream) {
  // It knows of NO_COLOR and FORCE_COLOR.
  if (!stream.isTTY || !stream.hasColors()) return undefined;
  return (style, text) => styleText(/** @type {any} */ (STYLES[style]), text);
}

/** @param {string} text */
function parseNumber(text) {
  const number = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.');
  return number;
}
