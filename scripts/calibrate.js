// What do the assumptions decide, and the rules that hide figures? Moves one at a time, asks the corpus, and writes
// docs/assumptions.md.
import { readFile, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { ASSUMPTIONS } from 'mongodb-pool-predictor/assumptions';
import { listIdleRules, renderAssumptions } from './calibrate/assumptions-page.js';
import { calibrateBands } from './calibrate/calibrate-bands.js';
import { CalibrationThreads } from './calibrate/calibration-threads.js';
import { RULES, countHidden } from './calibrate/count-hidden.js';
import { createRangeFinder } from './calibrate/find-range.js';
import { layOutJson } from './corpus/facts.js';
import { listRecordings, questionsOf } from './corpus/recordings.js';

/** @import { Calibration } from './calibrate/assumptions-page.js' */

const STORED = new URL('../corpus/calibration.json', import.meta.url);
const PAGE = new URL('../docs/assumptions.md', import.meta.url);
/** Words that choose more than assumptions. */
const [RULES_WORD, BANDS_WORD] = ['rules', 'bands'];

const program = new Command('npm run calibrate --')
  .description(
    'move one assumption of the predictor at a time, and find the range in which no answer to the corpus changes; ' +
      'move one assumption of the predictor at a time, and find the range in which no answer to the corpus changes; ' +
      'npm run corpus before',
  )
  .argument('[what...]', 'assumptions such as doctor.growth, topics such as doctor, rules, bands (default: all)')
  .option('--missing', 'only assumptions without a range, or with another value than then', false)
  .parse();
/** @type {[string[]]} */
const [words] = /** @type {any} */ (program.processedArgs);
const { missing } = program.opts();
const isChosen = (/** @type {string} */ name) =>
  words.length === 0 || words.some((word) => name === word || name.startsWith(`${word}.`));
const names = [...ASSUMPTIONS.map(({ id }) => id), RULES_WORD, BANDS_WORD];
const unknown = words.find((word) => !names.some((name) => name === word || name.startsWith(`${word}.`)));
if (unknown !== undefined) program.error(`${unknown}: no assumption and no topic has this name; try doctor.growth`);

/** @type {Calibration} */
const before = JSON.parse(await readFile(STORED, 'utf8').catch(() => '{"ranges":{},"rules":{}}'));
/** @type {Calibration} */
const found = {
  ...before,
  rules: Object.fromEntries(Object.entries(before.rules).filter(([code]) => code in RULES)),
  ranges: Object.fromEntries(ASSUMPTIONS.flatMap(({ id }) => (before.ranges[id] ? [[id, before.ranges[id]]] : []))),
};
const recordings = await listRecordings();
const threads = new CalibrationThreads(recordings);
const findRange = createRangeFinder(threads, recordings);
for (const assumption of ASSUMPTIONS) {
  const { id, value } = assumption;
  if (!isChosen(id) || (missing && before.ranges[id]?.value === value)) continue;
  found.ranges[id] = await findRange(assumption);
  process.stderr.write(`${id}: ${JSON.stringify(found.ranges[id])}\n`);
  await store();
}
if (isChosen(RULES_WORD) || isChosen(BANDS_WORD)) {
  const answers = await threads.askEach(recordings.map((recording) => ({ question: questionsOf(recording)[1] })));
  const answered = recordings.map((recording, index) => ({
    ...recording,
    stored: { doctor: {}, predict: answers[index], advise: {} },
  }));
  if (isChosen(BANDS_WORD)) found.bands = calibrateBands(answered);
  await store();
  for (const code of isChosen(RULES_WORD) ? Object.keys(RULES) : []) {
    found.rules[code] = await countHidden(code, answered, threads);
    const { alone, measured, right } = found.rules[code];
    process.stderr.write(`${code} hides alone ${alone} figures, ${right} of ${measured} that were measured right\n`);
    await store();
  }
}
await threads.close();
await store();
const idle = listIdleRules(found);
if (isChosen(RULES_WORD) && idle.length > 0) program.error(`These rules hide no figure alone: ${idle.join(', ')}`);

/** Writes what was found until now. */
async function store() {
  await writeFile(STORED, `${layOutJson(found)}\n`);
  await writeFile(PAGE, renderAssumptions(ASSUMPTIONS, found));
}
