import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { escapeControls, wrap } from '../printable.js';
import { readSettings } from '../settings.js';
import { findLesson, findTask, listTasks, readLessons } from '../workshop/lessons.js';
import { renderLessonList } from '../workshop/list-view.js';
import { renderMarkdown } from '../workshop/markdown.js';
import { findNextLesson, noteLesson, readProgress, writeProgress } from '../workshop/lesson-progress.js';
import { askForGuess, checkTask, noteGuess, WIDTH } from './check-task.js';
import { createJoinCommand, createLeaveCommand } from './join-command.js';
import { parseUpTo } from './option-parsers.js';
import { parseAppUrl } from './running-app.js';
import { sendReport } from './send-report.js';
import { abortOnSignal } from './signals.js';
import { watchTask } from './watch-task.js';

/** @import { Task } from '../workshop/lesson-types.js' */
/** @typedef {import('../workshop/markdown.js').Paint} Paint */
/** @typedef {{ results: string, app?: string, trace?: string, answer?: number, twist?: boolean, puzzle?: boolean }} CheckOptions */

const STYLES = { title: ['bold', 'underline'], strong: ['bold'], code: ['cyan'] };
const HINTS = 3;

/** `pool-lab workshop` */
export function createWorkshopCommand() {
  const command = new Command('workshop')
    .description('list the lessons, or show one; each takes 5 to 15 minutes')
    .argument('[lesson]', 'name or number of a lesson')
    .option('--all', 'with the explanation, even before the check', false)
    .action(showLessons);
  command.command('guess')
    .description('note what you expect, before you measure it')
    .argument('<lesson>', 'name or number of the lesson')
    .argument('<value>', 'a number', parseNumber)
    .action(guess);
  addCheckOptions(command.command('verify')
    .description('check your results and your answer; exits with 1 until they are right')
    .argument('<lesson>', 'name or number of the lesson')
    .action(verify));
  addCheckOptions(command.command('watch')
    .description('check by itself whenever there is a new result, until it is right')
    .argument('<lesson>', 'name or number of the lesson')
    .action(watch));
  addPartOptions(command.command('hint')
    .description('give the next of three hints; the last one is the answer')
    .argument('<lesson>', 'name or number of the lesson')
    .option('--step <n>', 'give this one instead, from 1 to 3', parseUpTo(HINTS))
    .action(giveHint));
  command.command('puzzle')
    .description('show the puzzle of a lesson; every third lesson has one')
    .argument('<lesson>', 'name or number of the lesson')
    .action(showPuzzle);
  addEvidenceOptions(command.command('check-all')
    .description('check all lessons, twists and puzzles; exits with 1 until all lessons are right')
    .action(checkAll));
  command.addCommand(createJoinCommand());
  command.addCommand(createLeaveCommand());
  command.command('reset')
    .description('start over: forget what you have done and measured so far')
    .action(resetProgress);
  return command;
}

/** @param {Command} command */
function addCheckOptions(command) {
  addPartOptions(command).option('--answer <number>', "the answer to the lesson's question", parseNumber);
  return addEvidenceOptions(command);
}

/** @param {Command} command */
function addPartOptions(command) {
  return command.option('--twist', "the lesson's twist instead").option('--puzzle', "the lesson's puzzle instead");
}

/** @param {Command} command */
function addEvidenceOptions(command) {
  return command
    .option('--results <dir>', 'folder where `pool-lab run` saved its results', 'results')
    .option('--app <url>', 'the running app (default: on this machine, at PORT)')
    .option('--trace <file>', 'trace file, for lessons about one');
}

/** @param {string | undefined} name @param {{ all: boolean }} options */
async function showLessons(name, { all }) {
  const lessons = await readLessons();
  const progress = await readProgress(readSettings().dataDir, lessons);
  if (name === undefined) {
    process.stdout.write(`${renderLessonList(lessons, progress)}\n`);
    return;
  }
  const lesson = findLesson(lessons, name);
  const isOpen = all || progress.lessons[lesson.name]?.doneAt;
  // The explanation gives the answer away.
  showText(isOpen ? lesson.text : `${lesson.text.split('## Why')[0]}When the check says "Right", `
    + `\`pool-lab workshop ${lesson.name}\` also shows why, and a twist. \`--all\` shows them now.\n`);
}

/** @param {string} name */
async function showPuzzle(name) {
  showText(/** @type {import('../workshop/lesson-types.js').Puzzle} */ (findTask(await readLessons(), name, { puzzle: true })).text);
}

/** @param {string} markdown */
function showText(markdown) {
  process.stdout.write(`${renderMarkdown(markdown, { width: WIDTH, paint: choosePaint(process.stdout) })}\n`);
}

/** @param {string} name @param {number} value */
async function guess(name, value) {
  const lessons = await readLessons();
  const lesson = findLesson(lessons, name);
  if (!lesson.guess) throw new Error(`${lesson.name} does not ask for a guess`);
  const note = await noteGuess(lesson, value, { dataDir: readSettings().dataDir, lessons });
  process.stdout.write(`${wrap(`Noted: ${value} ${lesson.guess.unit}. Now measure it.`, WIDTH)}\n`);
  warn(note);
}

/** @param {string} name @param {CheckOptions} options */
async function verify(name, options) {
  const lessons = await readLessons();
  const task = findTask(lessons, name, options);
  const { dataDir } = readSettings();
  const { signal, release } = abortOnSignal();
  try {
    await askForGuess(task, { dataDir, lessons }, signal);
    const { isRight, text, report } = await checkTask(task, withApp(options), { dataDir, lessons });
    process.stdout.write(`${text}\n`);
    warn(await sendReport(dataDir, lessons, report));
    if (isRight) await showNext(task);
    else process.exitCode = 1;
  } finally {
    release();
  }
}

/** @param {Task} task that is done */
async function showNext({ name }) {
  const lessons = await readLessons();
  const lesson = lessons.find((one) => one.name === name);
  const next = findNextLesson(lessons, await readProgress(readSettings().dataDir, lessons));
  if (lesson) process.stdout.write(`\nWhy, and a twist: pool-lab workshop ${name}\n`);
  if (next) process.stdout.write(`${lesson ? '' : '\n'}Next: pool-lab workshop ${next.name}\n`);
}

/** @param {string} name @param {CheckOptions} options */
async function watch(name, options) {
  const lessons = await readLessons();
  const task = findTask(lessons, name, options);
  const { signal, release } = abortOnSignal();
  process.stderr.write(`Watching ${describeSource(task, options)} for ${task.name}. Press Ctrl-C to stop.\n`);
  try {
    await watchTask(task, withApp(options), { dataDir: readSettings().dataDir, lessons }, {
      signal, print: (text) => process.stdout.write(`\n${text}\n`), warn,
    });
    await showNext(task);
  } catch (error) {
    // Nothing was lost by Ctrl-C, so there is nothing to say.
    if (!signal.aborted) throw error;
  } finally {
    release();
  }
}

/** @param {Task} task @param {CheckOptions} options */
function describeSource({ lab, app }, { results }) {
  if (lab) return `${results}/ for results of ${lab}`;
  return app ? 'the app' : 'your answer';
}

/** @param {string} name @param {{ step?: number, twist?: boolean, puzzle?: boolean }} options */
async function giveHint(name, { step, ...part }) {
  const lessons = await readLessons();
  const task = findTask(lessons, name, part);
  if (!task.hints) throw new Error(`${task.name} has no hints. The lesson has: pool-lab workshop hint ${name}`);
  const { dataDir } = readSettings();
  const progress = await readProgress(dataDir, lessons);
  const { hints = 0 } = progress.lessons[task.name] ?? {};
  const number = step ?? Math.min(hints + 1, HINTS);
  await writeProgress(dataDir, noteLesson(progress, task.name, { hints: Math.max(hints, number) }));
  process.stdout.write(`${wrap(`Hint ${number} of ${HINTS}${number === HINTS ? ', the answer' : ''}: ${task.hints[number - 1]}`, WIDTH)}\n`);
}

/** @param {CheckOptions} options */
async function checkAll(options) {
  const lessons = await readLessons();
  const { dataDir } = readSettings();
  let open = 0;
  for (const lesson of lessons) {
    for (const task of listTasks(lesson)) {
      const { doneAt, answer } = (await readProgress(dataDir, lessons)).lessons[task.name] ?? {};
      const { isRight, text } = await checkTask(task, withApp({ ...options, answer }), { dataDir, lessons })
        .catch((error) => ({ isRight: false, text: /** @type {Error} */ (error).message }));
      if (task === lesson && !isRight && !doneAt) open += 1;
      const state = isRight ? 'right' : doneAt ? 'done before' : `not yet. ${text.replace('Not yet. ', '').split('\n\n')[0]}`;
      process.stdout.write(`${wrap(escapeControls(`${task.name}: ${state}`), WIDTH)}\n`);
    }
  }
  process.stdout.write(`\n${open === 0 ? 'All lessons are right.' : `${open} of ${lessons.length} lessons are open.`}\n`);
  if (open > 0) process.exitCode = 1;
}

/** @param {CheckOptions} options */
function withApp(options) {
  return {
    ...options,
    app: options.app === undefined ? {
      option: 'the app at', url: `http://127.0.0.1:${readSettings().port}`, headers: {},
      hint: '; start it with npm start, or choose another one with --app',
    } : parseAppUrl('--app', options.app),
  };
}

async function resetProgress() {
  await writeProgress(readSettings().dataDir, { since: new Date().toISOString(), lessons: {} });
  process.stdout.write('Your progress is reset. Start with the first lesson.\n');
}

/** @param {string | undefined} note */
function warn(note) {
  if (note) process.stderr.write(`${wrap(note, WIDTH)}\n`);
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
