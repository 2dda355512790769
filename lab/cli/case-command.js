import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { toPrintable, wrap } from '../../src/base/printable.js';
import { poll } from '../base/poll.js';
import { loadShop, ROUTES } from '../workshop/cases/measure-shop.js';
import { openShop } from '../workshop/cases/open-shop.js';
import { changeProgress, noteLesson } from '../workshop/lesson-progress.js';
import { findTask } from '../workshop/lessons.js';
import { shopFile, writeShop } from './case-shop.js';
import { WIDTH } from './lesson-text.js';
import { openWorkshop } from './open-workshop.js';
import { parseUpTo } from './option-parsers.js';
import { runUntilSignal } from './signals.js';

/** @import { CommandData } from './add-command.js' */
/** @import { CaseTask } from '../workshop/lesson-types.js' */
/** @import { Progress } from '../workshop/lesson-progress.js' */
/** @import { Shop, ShopApp } from '../workshop/cases/open-shop.js' */

const CASES = 3;
/** One line is printed for each. */
const SECONDS = 5;
const LOOK_MS = 300;
/** Columns between a cause's name and what it is. */
const GAP = 2;

/** @type {CommandData} */
export const command = {
  about: 'start a shop that is slow, and find out why: the cases belong to lessons 5, 10 and 15',
  arguments: [['<number>', 'which case, from 1 to 3', parseUpTo(CASES)]],
  options: [['--new', 'with a new cause, drawn at random']],
  example: '1',
  run: runCase,
};

/** @param {number} number @param {{ new: boolean }} options */
async function runCase(number, { new: isNew }) {
  const { dataDir, lessons } = await openWorkshop();
  const task = /** @type {CaseTask} */ (findTask(lessons, `case-${number}`, {}));
  const file = shopFile(dataDir, task);
  await changeProgress(dataDir, lessons, async (progress) => {
    if (!isNew && progress.lessons[task.name]?.cause && existsSync(file)) return progress;
    const cause = drawCause(task, progress, isNew);
    await writeShop(file, cause);
    return noteLesson(progress, task.name, { cause: cause.name, evidenceSince: undefined });
  });
  await runUntilSignal(async (signal) => {
    const shop = await openShop({ report: (line) => process.stderr.write(`${line}\n`), signal });
    await runShop(shop, { file, task, signal }).finally(shop.close);
  }, 'The shop is closed. Your file stays.');
}

/** A class gets the same cause. @param {CaseTask} task @param {Progress} progress @param {boolean} isNew */
function drawCause({ name, causes }, progress, isNew) {
  const seed = progress.class && !isNew ? `${progress.class.url} ${name}` : randomBytes(8);
  return causes[createHash('sha256').update(seed).digest().readUInt32LE() % causes.length];
}

/**
 * Runs the shop under its load, and again each time its file has changed, until `signal` is aborted.
 * @param {Shop} shop
 * @param {{ file: string, task: CaseTask, signal: AbortSignal }} options
 */
async function runShop(shop, { file, task, signal }) {
  let port = '0';
  for (;;) {
    const { mtimeMs: writtenAtMs } = await stat(file);
    const changed = new AbortController();
    const ended = watchFile(file, writtenAtMs, signal).finally(() => changed.abort());
    try {
      const app = await shop.start(file, port);
      if (port === '0') process.stdout.write(`${introduce(task, app, file)}\n\n`);
      port = new URL(app.url).port;
      try {
        await showLoad({ ...app, signal: AbortSignal.any([app.signal, changed.signal]) });
      } finally {
        await app.stop();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!changed.signal.aborted) process.stdout.write(`${toPrintable(/** @type {Error} */ (error).message)}\n`);
    }
    await ended;
    signal.throwIfAborted();
    process.stdout.write('The file has changed, so the shop starts again.\n');
  }
}

/**
 * Resolves when a file is written, or `signal` is aborted.
 * @param {string} file
 * @param {number} writtenAtMs
 * @param {AbortSignal} signal
 */
async function watchFile(file, writtenAtMs, signal) {
  const findChange = async () => {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: writtenAtMs }));
    return mtimeMs !== writtenAtMs || undefined;
  };
  await poll(findChange, { everyMs: LOOK_MS, signal }).catch(() => {});
}

/** @param {ShopApp} app @returns {Promise<never>} */
async function showLoad(app) {
  for (;;) {
    const routes = await loadShop(app, { seconds: SECONDS });
    const found = Object.entries(routes).map(
      ([route, { p90Ms, failures }]) =>
        `${route} ${formatQuantity(p90Ms, 'ms')}${failures > 0 ? ` (${failures} failed)` : ''}`,
    );
    process.stdout.write(`9 of 10 requests took at most: ${found.join(', ')}\n`);
  }
}

/** @param {CaseTask} task @param {ShopApp} app @param {string} file */
function introduce({ name, causes }, { url, pid }, file) {
  const width = Math.max(...causes.map((cause) => cause.name.length));
  return [
    wrap(
      `The shop is slow, for one of the reasons below. It is process ${pid}, at ${url}${ROUTES[0]}?id=1, and already ` +
        'has customers: a line every five seconds shows how long they wait. Investigate from another terminal:',
      WIDTH,
    ),
    `  npx pool-lab attach ${pid}`,
    wrap(
      'Find the cause and the route that has it, and fix it in its file. When you save it, the shop starts again.',
      WIDTH,
    ),
    `  ${file}`,
    'Then:',
    `  npx pool-lab workshop verify ${name} --cause NAME --route ROUTE`,
    `ROUTE is ${ROUTES.join(', ')} or all, and NAME one of these:`,
    '',
    ...causes.map(
      (cause) =>
        cause.name.padEnd(width + GAP) +
        wrap(cause.about, WIDTH - width - GAP).replaceAll('\n', `\n${' '.repeat(width + GAP)}`),
    ),
  ].join('\n');
}
