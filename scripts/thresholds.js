// Is every threshold guarded? Moves one named constant at a time by 30 % (a share above 0.7 by 20 %), up and down, in a
// copy of the repository, and says what notices: the corpus, or a quick test of the predictor.
import { Command } from 'commander';
import { parsePositive } from '../lab/cli/option-parsers.js';
import { abortOnSignal } from '../lab/cli/signals.js';
import { copyRepository } from './thresholds/copy-repository.js';
import { findThresholds, moveThreshold } from './thresholds/find-thresholds.js';

/** @import { Threshold } from './thresholds/find-thresholds.js' */
/** @import { Copy } from './thresholds/copy-repository.js' */

const SOURCES = 'packages/pool-predictor/src';
const FOLDERS = ['doctor', 'predict'];
const TESTS = 'packages/pool-predictor/test';
const DIRECTIONS = /** @type {const} */ (['up', 'down']);

const program = new Command('npm run thresholds --')
  .description('move one named threshold at a time, and say whether the corpus or a quick test notices')
  .argument('[names...]', `only these constants, or those of these folders of ${SOURCES}`, FOLDERS)
  .option('--jobs <n>', 'how many to try at once', parsePositive, 2)
  .parse();
/** @type {[string[]]} */
const [words] = /** @type {any} */ (program.processedArgs);
const all = await findThresholds(SOURCES);
const chosenBy = (/** @type {string} */ word) =>
  all.filter(({ name, file }) => name.split(' ')[0] === word || file.startsWith(`${SOURCES}/${word}/`));
const unknown = words.find((word) => chosenBy(word).length === 0);
if (unknown !== undefined)
  program.error(`${unknown}: no constant and no folder of ${SOURCES} has this name; try NOTICED_MS, doctor or trace`);
const thresholds = [...new Set(words.flatMap(chosenBy))];
const left = thresholds.flatMap((threshold) => DIRECTIONS.map((direction) => ({ threshold, direction })));
/** @type {Map<Threshold, Record<string, string>>} */
const caught = new Map(thresholds.map((threshold) => [threshold, {}]));
const { signal, release } = abortOnSignal();
// Each job removes its copy, also if another one fails.
const ends = await Promise.allSettled(Array.from({ length: program.opts().jobs }, tryAll));
release();
const failed = ends.find(({ status }) => status === 'rejected');
if (failed) {
  process.stderr.write(`${/** @type {any} */ (failed).reason.message}\n`);
  process.exit(process.exitCode || 1);
}
/** @type {Record<string, string>[]} */
const rows = [...caught].map(([{ file, name, value }, by]) => ({
  constant: `${file.slice(SOURCES.length + 1)} ${name}`,
  value,
  ...by,
}));
// eslint-disable-next-line no-console
console.table(rows);
for (const [what, is] of /** @type {const} */ ([
  ['both ways', 'every'],
  ['one way at least', 'some'],
])) {
  const count = rows.filter((row) => DIRECTIONS[is]((direction) => row[direction] !== '-')).length;
  process.stdout.write(`${count} of ${rows.length} are caught when moved ${what}.\n`);
}

async function tryAll() {
  const copy = await copyRepository(signal);
  try {
    const isGreen = (await asksCorpus(copy)) && (await copy.runTests(TESTS));
    if (!isGreen) throw new Error('The corpus or a quick test fails without any change: mend that first');
    for (let next = left.shift(); next && !signal.aborted; next = left.shift()) {
      const { threshold, direction } = next;
      const by = await whoNotices(copy, threshold, direction);
      Object.assign(/** @type {object} */ (caught.get(threshold)), { [direction]: by });
      process.stderr.write(`${threshold.file} ${threshold.name}, ${direction}: ${by}\n`);
    }
  } finally {
    await copy.remove();
  }
}

/** @param {Copy} copy @param {Threshold} threshold @param {typeof DIRECTIONS[number]} direction */
async function whoNotices(copy, threshold, direction) {
  const restore = await copy.edit(threshold.file, (text) => moveThreshold(text, threshold, direction));
  try {
    // The tests of its folder first: a place for a threshold's own tests.
    const folder = threshold.file.slice(SOURCES.length + 1).split('/')[0];
    if (!(await copy.runTests(`${TESTS}/${folder}`))) return 'test';
    if (!(await asksCorpus(copy, folder === 'doctor' ? ['doctor'] : undefined))) return 'corpus';
    return '-';
  } finally {
    await restore();
  }
}

/** @param {Copy} copy @param {string[]} [commands] @returns {Promise<boolean>} if all answers are the stored ones */
function asksCorpus(copy, commands = ['doctor', 'predict', 'advise']) {
  return copy.run(['scripts/thresholds/ask-corpus.js', ...commands]);
}
