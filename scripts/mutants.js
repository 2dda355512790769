// Does a wrong line turn a test red? Changes one line at a time, drawn by a seed, in a copy of the repository, and says
// whether a quick test that reads the file, or one of its workspace, notices.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { createRandom } from 'mongodb-pool-predictor';
import { parsePositive } from '../lab/cli/option-parsers.js';
import { abortOnSignal } from '../lab/cli/signals.js';
import { listMutants } from './mutants/list-mutants.js';
import { copyRepository } from './mutants/copy-repository.js';

/** @import { Mutant } from './mutants/list-mutants.js' */
/** @import { Copy } from './mutants/copy-repository.js' */

const SOURCES = /^(?:src|lab|packages\/[\w-]+\/(?:src|page|universal))\/(?!.*\btest\/).+\.js$/;
/** A change can make a loop endless. */
const TIMEOUT_MS = 240_000;
/** Tests that read nearly everything: they come last. */
const WHOLE = '/test/(repository|cli)/';

const { seed, count, only } = new Command('npm run mutants --')
  .description('change one line at a time, drawn by a seed, and say whether a quick test notices')
  .option('--seed <n>', 'which changes', parsePositive, 1)
  .option('--count <n>', 'how many changes', parsePositive, 60)
  .option('--only <path>', 'only files whose path begins so', '')
  .parse()
  .opts();

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => SOURCES.test(file) && file.startsWith(only));
const all = (await Promise.all(files.map(async (file) => listMutants(file, await readFile(file, 'utf8'))))).flat();
const random = createRandom(seed, 'mutants');
/** @type {Mutant[]} */
const drawn = Array.from({ length: Math.min(count, all.length) }, () =>
  all.splice(Math.floor(random.uniform() * all.length), 1),
).flat();

const { signal, release } = abortOnSignal();
const copy = await copyRepository(signal);
let seen = 0;
try {
  for (const folder of new Set(drawn.map(({ file }) => testsBeside(file))))
    if (!(await copy.runQuick(folder, TIMEOUT_MS)))
      throw new Error(`A quick test of ${folder} fails without any change: mend that first`);
  for (const [index, mutant] of drawn.entries()) {
    const isSeen = await isNoticed(copy, mutant);
    if (isSeen) seen++;
    const { file, line, before, after } = mutant;
    const verdict = isSeen ? 'seen    ' : 'NOT SEEN';
    process.stdout.write(`${index + 1}. ${verdict} ${file}:${line}\n   - ${before.trim()}\n   + ${after.trim()}\n`);
  }
} finally {
  await copy.remove();
  release();
}
const share = Math.round((100 * seen) / drawn.length);
process.stdout.write(`seed ${seed}: ${seen} of ${drawn.length} changes were seen by a quick test, ${share} %\n`);

/** @param {string} file @returns {string} folder of the tests of its workspace */
function testsBeside(file) {
  const [, workspace] = /^(lab|packages\/[\w-]+)\//.exec(file) ?? [];
  return workspace ? `${workspace}/test/` : '/test/(?:\\w+\\.|http|load-tests|mongo|page)';
}

/** @param {Copy} copy @param {Mutant} mutant */
async function isNoticed({ edit, runRelated, runQuick }, { file, line, after }) {
  const restore = await edit(file, (text) =>
    text
      .split('\n')
      .with(line - 1, after)
      .join('\n'),
  );
  try {
    const isGreen =
      (await runRelated(file, { timeoutMs: TIMEOUT_MS, without: WHOLE })) &&
      (await runRelated(file, { timeoutMs: TIMEOUT_MS })) &&
      // Tests that start a process read more than they import.
      (await runQuick(testsBeside(file), TIMEOUT_MS));
    return !isGreen;
  } finally {
    await restore();
  }
}
