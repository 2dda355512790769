import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { poll } from '../base/poll.js';
import { progressFile, readProgress } from '../workshop/lesson-progress.js';
import { askForGuess, askNumber, checkTask, failTask } from './check-task.js';
import { sendReport } from './send-report.js';

/** @import { Task } from '../workshop/lesson-types.js' */
/** @import { EvidenceOptions } from './evidence.js' */
/** @import { Workshop } from './open-workshop.js' */

const EVERY_MS = 500;

/**
 * Checks a task whenever there is something new to check, until it is right. Another command may make it right, too.
 * @param {Task} task
 * @param {EvidenceOptions} options
 * @param {Workshop} workshop
 * @param {object} terminal
 * @param {AbortSignal} terminal.signal
 * @param {(text: string) => void} terminal.print
 * @param {(note: string | undefined) => void} terminal.warn
 * @throws what `signal` was aborted with
 */
export async function watchTask(task, options, workshop, { signal, print, warn }) {
  const doneBefore = await readDoneAt(task, workshop);
  let seen = { results: '', progress: '' };
  let said = '';
  await askForGuess(task, workshop, signal);
  /** @returns {Promise<true | undefined>} whether it is right */
  async function checkNews() {
    const state = await readState(task, options.results, workshop);
    if (state.isReady && (state.results !== seen.results || state.progress !== seen.progress || task.app)) {
      const asked = task.asks && options.answer === undefined ? await askNumber(task.asks, signal) : undefined;
      const { text, isRight, report } = await check(task, { ...options, answer: options.answer ?? asked }, workshop);
      if (text !== said || asked !== undefined) {
        print(text);
        warn(report && (await sendReport(workshop, report)));
      }
      if (isRight) return true;
      said = text;
      // The check itself writes the progress, but a result that came meanwhile is new. A person may answer again.
      const progress = asked === undefined ? await readTime(progressFile(workshop.dataDir)) : '';
      seen = { results: state.results, progress };
    }
    if ((await readDoneAt(task, workshop)) === doneBefore) return undefined;
    print('Right. (Another command checked it.)');
    return true;
  }
  await poll(checkNews, { everyMs: EVERY_MS, signal });
}

/** @param {Task} task @param {EvidenceOptions} options @param {Workshop} workshop */
async function check(task, options, workshop) {
  const { answer } = (await readProgress(workshop.dataDir, workshop.lessons)).lessons[task.name] ?? {};
  // What is missing may come.
  return checkTask(task, { ...options, answer: options.answer ?? (task.asks && answer) }, workshop).catch(failTask);
}

/**
 * @param {Task} task
 * @param {string} folder of the results
 * @param {Workshop} workshop
 * @returns {Promise<{ results: string, progress: string, isReady: boolean }>} results and progress: what changes with
 *   them; isReady: whether there is anything to check
 */
async function readState({ lab }, folder, { dataDir }) {
  const names = lab ? await readdir(folder).catch(() => []) : [];
  const files = names.map((name) => path.join(folder, name, `${lab}.json`));
  const [progress, ...times] = await Promise.all([progressFile(dataDir), ...files].map(readTime));
  const known = times.filter((time) => time !== 'none');
  return { results: known.join(' '), progress, isReady: !lab || known.length > 0 };
}

/** @param {string} file @returns {Promise<string>} when it was last written; `none` if it is not there */
async function readTime(file) {
  return stat(file).then(
    ({ mtimeMs }) => String(mtimeMs),
    () => 'none',
  );
}

/** @param {Task} task @param {Workshop} workshop */
async function readDoneAt({ name }, { dataDir, lessons }) {
  return (await readProgress(dataDir, lessons)).lessons[name]?.doneAt;
}
