import { createReport } from '../workshop/class-report.js';
import { judge, scoreVerdict } from '../workshop/judge-task.js';
import { changeProgress, noteLesson, readProgress } from '../workshop/lesson-progress.js';
import { escapeControls, wrap } from '../../src/base/printable.js';
import { ask } from './confirm.js';
import { gatherEvidence } from './evidence.js';
import { WIDTH } from './lesson-text.js';
import { sendReport } from './send-report.js';

/** @import { Question, Task, Verdict } from '../workshop/lesson-types.js' */
/** @import { Report } from '../workshop/class-report.js' */
/** @import { Workshop } from './open-workshop.js' */
/** @import { EvidenceOptions } from './evidence.js' */

/**
 * Checks one task, and records the outcome.
 * @param {Task} task
 * @param {EvidenceOptions} options
 * @param {Workshop} workshop
 * @returns {Promise<{ isRight: boolean, text: string, report: Report }>} text for a terminal; report for the class
 * @throws {Error} saying what is missing and how to provide it
 */
export async function checkTask(task, options, { dataDir, lessons }) {
  const before = await readProgress(dataDir, lessons);
  const evidence = await gatherEvidence(task, before, options);
  const verdict = await judge(task, evidence);
  const known = before.lessons[task.name] ?? {};
  const score = scoreVerdict(task, known.guess, verdict);
  const { isRight } = verdict;
  const news = {
    ...(options.answer !== undefined && { answer: options.answer }),
    evidenceSince: verdict.needs && new Date().toISOString(),
    ...(isRight && {
      doneAt: new Date().toISOString(),
      ...(score && { points: known.points ?? score.points }),
    }),
  };
  await changeProgress(dataDir, lessons, (progress) => noteLesson(progress, task.name, news));
  return { isRight, text: renderVerdict(verdict, score?.words), report: createReport(task, known.guess, verdict) };
}

/** The outcome where something is missing. @param {Error} error of checkTask */
export function failTask({ message }) {
  return { text: message, isRight: false, report: undefined };
}

/** @param {Verdict} verdict @param {string} [score] of the guess */
function renderVerdict({ isRight, words, figures = [], runs = [], needs }, score) {
  const width = Math.max(0, ...figures.map(([label]) => label.length));
  const blocks = [
    figures.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join('\n'),
    wrap(`${isRight ? 'Right.' : 'Not yet.'} ${words}`, WIDTH),
    score && wrap(score, WIDTH),
    runs.map(({ file }) => `Judged: ${file}`).join('\n'),
    needs,
  ];
  return escapeControls(blocks.filter(Boolean).join('\n\n'));
}

/** Records a guess, and sends it to the class. @param {Task} task @param {number} value @param {Workshop} workshop */
export async function noteGuess(task, value, workshop) {
  const guess = { value, at: new Date().toISOString() };
  await changeProgress(workshop.dataDir, workshop.lessons, (progress) => noteLesson(progress, task.name, { guess }));
  return sendReport(workshop, { lesson: task.name, guess: value });
}

/**
 * Asks a person for the guess, if there is a terminal to ask on.
 * @param {Task} task
 * @param {Workshop} workshop
 * @param {AbortSignal} signal
 */
export async function askForGuess(task, workshop, signal) {
  if (!task.guess || (await readProgress(workshop.dataDir, workshop.lessons)).lessons[task.name]?.guess) return;
  const value = await askNumber(task.guess, signal);
  if (value !== undefined) await noteGuess(task, value, workshop);
}

/**
 * @param {Question} question
 * @param {AbortSignal} signal
 * @returns {Promise<number | undefined>} undefined without a terminal, or without a number
 */
export async function askNumber({ question, unit }, signal) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const text = await ask(`${wrap(question, WIDTH)}\n(${unit})`, {
    input: process.stdin,
    output: process.stderr,
    signal,
  });
  return text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
}
