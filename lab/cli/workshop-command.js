import { escapeControls, wrap } from '../../src/base/printable.js';
import { readSettings } from '../../src/settings.js';
import { findLesson, findTask, listTasks } from '../workshop/lessons.js';
import {
  changeProgress,
  findNextLesson,
  noteLesson,
  readProgress,
  resetProgress,
} from '../workshop/lesson-progress.js';
import { askForGuess, checkTask, failTask, noteGuess } from './check-task.js';
import { openWorkshop } from './open-workshop.js';
import { joinCommand, leaveCommand } from './join-command.js';
import { WIDTH } from './lesson-text.js';
import { parseText } from './option-parsers.js';
import { parseAppUrl } from './running-app.js';
import { refuseWord } from './refuse-word.js';
import { sendReport } from './send-report.js';
import { showCard, showLessons, showPuzzle } from './show-lesson.js';
import { runUntilSignal } from './signals.js';
import { watchTask } from './watch-task.js';

/** @import { Command } from 'commander' */
/** @import { ArgumentRow, CommandData, OptionRow } from './add-command.js' */
/** @import { Workshop } from './open-workshop.js' */
/** @import { Task } from '../workshop/lesson-types.js' */
/** @typedef {{ results: string, app?: string, trace?: string, answer?: number, twist?: boolean, puzzle?: boolean,
 *   cause?: string, route?: string }} CheckOptions */

const HINTS = 3;

/** @type {ArgumentRow} */
const LESSON = ['<lesson>', 'name or number of the lesson'];
/** @type {OptionRow[]} */
const EVIDENCE = [
  ['--results <dir>', 'folder where `pool-lab run` saved its results', parseText, 'results'],
  ['--app <url>', 'the running app (default: on this machine, at PORT)'],
  ['--trace <file>', 'trace file, for lessons about one; of a case: a recording of the shop'],
];
/** @type {OptionRow[]} */
const PARTS = [
  ['--twist', "the lesson's twist instead"],
  ['--puzzle', "the lesson's puzzle instead"],
];
/** @type {OptionRow[]} */
const CHECK = [...PARTS, ['--answer <number>', "the answer to the lesson's question", parseNumber], ...EVIDENCE];

/** @type {CommandData} */
export const command = {
  about: 'list the lessons, or show one; each takes about 5 minutes',
  usage: '[options] [command] [lesson]',
  arguments: [['[lesson...]', 'name or number of a lesson']],
  options: [['--all', 'with the explanation, even before the check']],
  example: '1',
  run: showWorkshop,
  commands: {
    guess: onLesson('record what you expect, before you measure it', guess, {
      arguments: [LESSON, ['<value>', 'a number', parseNumber]],
      example: '2 15',
    }),
    verify: onLesson('check your results, your answer or a case; exits with 1 until they are right', verify, {
      options: [
        ...CHECK,
        ['--cause <name>', 'of a case: why the shop is slow'],
        ['--route <path>', 'of a case: which one has the cause, or all'],
      ],
    }),
    watch: onLesson('check by itself whenever there is a new result, until it is right', watch, { options: CHECK }),
    hint: onLesson('give the next of three hints; the last one is the answer', giveHint, { options: PARTS }),
    puzzle: onLesson('show the puzzle of a lesson; every third lesson has one', showPuzzle, { example: '3' }),
    card: {
      about: 'print a summary to take home, with one of your own figures',
      options: EVIDENCE.slice(0, 1),
      run: showCard,
    },
    'check-all': {
      about: 'check all lessons, twists and puzzles; exits with 1 until all lessons are right',
      options: EVIDENCE,
      run: checkAll,
    },
    join: joinCommand,
    leave: leaveCommand,
    reset: { about: 'start over: forget what you have done and measured so far', run: startOver },
  },
};

/**
 * @param {string} about
 * @param {CommandData['run']} run
 * @param {Partial<CommandData>} more
 * @returns {CommandData}
 */
function onLesson(about, run, more) {
  return { about, arguments: [LESSON], example: '2', run, ...more };
}

/** @param {string[]} words @param {{ all: boolean }} options @param {Command} self */
async function showWorkshop(words, options, self) {
  // Names of lessons begin with their number. Another word may be a command in the wrong place.
  const other = words.find((word) => !/^\d/.test(word));
  if (other !== undefined) refuseWord(self, other, `there is no lesson or command '${other}'`);
  const [name, second] = words;
  if (second !== undefined) refuseWord(self, second, `one lesson at a time: leave out '${second}'`);
  await showLessons(name, options);
}

/** @param {string} name @param {number} value */
async function guess(name, value) {
  const workshop = await openWorkshop();
  const lesson = findLesson(workshop.lessons, name);
  if (!lesson.guess) throw new Error(`${lesson.name} does not ask for a guess`);
  const note = await noteGuess(lesson, value, workshop);
  process.stdout.write(`${wrap(`Noted: ${value} ${lesson.guess.unit}. Now measure it.`, WIDTH)}\n`);
  warn(note);
}

/** @param {string} name @param {CheckOptions} options */
async function verify(name, options) {
  const workshop = await openWorkshop();
  const task = findTask(workshop.lessons, name, options);
  await runUntilSignal(async (signal) => {
    await askForGuess(task, workshop, signal);
    const { isRight, text, report } = await checkTask(task, withApp(options), workshop);
    process.stdout.write(`${text}\n`);
    warn(await sendReport(workshop, report));
    if (isRight) await showNext(task, options, workshop);
    else process.exitCode = 1;
  });
}

/** @param {Task} task that is done @param {{ results: string }} options @param {Workshop} workshop */
async function showNext({ name }, options, { dataDir, lessons }) {
  const lesson = lessons.find((one) => one.name === name);
  const next = findNextLesson(lessons, await readProgress(dataDir, lessons));
  if (lesson) process.stdout.write(`\nWhy, and a twist: npx pool-lab workshop ${name}\n`);
  if (next) process.stdout.write(`${lesson ? '' : '\n'}Next: npx pool-lab workshop ${next.name}\n`);
  else if (lesson) {
    process.stdout.write('\n');
    await showCard(options);
  }
}

/** @param {string} name @param {CheckOptions} options */
async function watch(name, options) {
  const workshop = await openWorkshop();
  const task = findTask(workshop.lessons, name, options);
  if (task.causes)
    throw new Error(`A case is measured once you have named its cause: npx pool-lab workshop verify ${name}`);
  await runUntilSignal(async (signal) => {
    process.stderr.write(`Watching ${describeSource(task, options)} for ${task.name}. Press Ctrl-C to stop.\n`);
    try {
      const print = (/** @type {string} */ text) => process.stdout.write(`\n${text}\n`);
      await watchTask(task, withApp(options), workshop, { signal, print, warn });
      await showNext(task, options, workshop);
    } catch (error) {
      // Ctrl-C loses nothing here, so exit silently.
      if (!signal.aborted) throw error;
    }
  });
}

/** @param {Task} task @param {CheckOptions} options */
function describeSource({ lab, app }, { results }) {
  if (lab) return `${results}/ for results of ${lab}`;
  return app ? 'the app' : 'your answer';
}

/** @param {string} name @param {{ twist?: boolean, puzzle?: boolean }} part */
async function giveHint(name, part) {
  const workshop = await openWorkshop();
  const { dataDir, lessons } = workshop;
  const task = findTask(lessons, name, part);
  if (!task.hints) throw new Error(`${task.name} has no hints. The lesson has: npx pool-lab workshop hint ${name}`);
  let number = 0;
  await changeProgress(dataDir, lessons, (progress) => {
    const { hints = 0 } = progress.lessons[task.name] ?? {};
    number = Math.min(hints + 1, HINTS);
    return noteLesson(progress, task.name, { hints: number });
  });
  const heading = `Hint ${number} of ${HINTS}${number === HINTS ? ', the answer' : ''}`;
  process.stdout.write(`${wrap(`${heading}: ${task.hints[number - 1]}`, WIDTH)}\n`);
  warn(await sendReport(workshop, { lesson: task.name, hint: number }));
}

/** @param {CheckOptions} options */
async function checkAll(options) {
  const workshop = await openWorkshop();
  const { dataDir, lessons } = workshop;
  let open = 0;
  for (const lesson of lessons) {
    for (const task of listTasks(lesson)) {
      const { doneAt, answer } = (await readProgress(dataDir, lessons)).lessons[task.name] ?? {};
      const given = withApp({ ...options, answer: task.asks && answer });
      const { isRight, text } = await checkTask(task, given, workshop).catch(failTask);
      if (task === lesson && !isRight && !doneAt) open += 1;
      const state = isRight
        ? 'right'
        : doneAt
          ? 'done before'
          : `not yet. ${text.replace('Not yet. ', '').split('\n\n')[0]}`;
      process.stdout.write(`${wrap(escapeControls(`${task.name}: ${state}`), WIDTH)}\n`);
    }
  }
  process.stdout.write(
    `\n${open === 0 ? 'All lessons are right.' : `${open} of ${lessons.length} lessons are open.`}\n`,
  );
  if (open > 0) process.exitCode = 1;
}

/** @param {CheckOptions} options */
function withApp({ app, ...options }) {
  if (app !== undefined) return { ...options, app: parseAppUrl('--app', app) };
  const hint = '; start it with npm start, or choose another one with --app';
  const url = `http://127.0.0.1:${readSettings().port}`;
  return { ...options, app: { option: 'the app at', url, headers: {}, hint } };
}

async function startOver() {
  await resetProgress((await openWorkshop()).dataDir);
  process.stdout.write('Your progress is reset. Start with the first lesson.\n');
}

/** @param {string | undefined} note */
function warn(note) {
  if (note) process.stderr.write(`${wrap(note, WIDTH)}\n`);
}

/** @param {string} text */
function parseNumber(text) {
  const number = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(number)) throw new Error('It must be a number, such as 12 or 0.5.');
  return number;
}
