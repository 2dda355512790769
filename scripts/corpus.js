// What a change of the code does to right and wrong: asks the commands about all recordings of the corpus, and prints
// what changed.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { judgeAdvice, listErrors, summariseAdvice, summariseFigures, tabulateVerdicts } from './corpus/accuracy.js';
import { compareAll, compareAllMeasurements } from './corpus/accuracy-table.js';
import { findContradictions } from './corpus/contradictions.js';
import { compareAnswers, hasChanged } from './corpus/compare-answers.js';
import { writePages } from './corpus/fill-pages.js';
import { layOutJson } from './corpus/facts.js';
import { importRecordings } from './corpus/import-recordings.js';
import { CORPUS, askAll, listRecordings } from './corpus/recordings.js';

/** @import { Answers, Recording } from './corpus/recordings.js' */

/** Most lines that are printed for each kind of change. */
const MAX_LINES = 12;
/** The second measurement of the figures that are shown beside the first, by the same rules. */
const NOISE = 'measured twice';
const HEADINGS = {
  verdicts: 'Verdicts that flipped',
  shown: 'Figures shown that were withheld',
  withheld: 'Figures withheld that were shown',
  moved: 'Figures that moved by more than 1 %',
  other: 'Other facts that changed',
};

const { check, import: folders } = new Command('npm run corpus --')
  .description('ask doctor, predict and advise about all recordings of the corpus, print what changed, and store it')
  .option('--check', 'store nothing, and exit with 1 if anything changed', false)
  .option('--import <folders...>', "first take over recordings from folders of the benchmarks' --keep", [])
  .parse()
  .opts();

for (const folder of folders) await importRecordings(folder);
const recordings = await listRecordings();
/** @type {string[]} */
const contradictions = [];
const answers = await askAll(recordings, {
  read: ({ name }, said, texts) =>
    contradictions.push(...findContradictions(said, texts).map((each) => `${name}: ${each}`)),
});
const now = recordings.map((recording, index) => ({ recording, answers: answers[index] }));
const count = printChanges();
printAccuracy();
printLines('Contradictions', contradictions);
if (check) process.exitCode = count + contradictions.length > 0 ? 1 : 0;
else {
  for (const { recording, answers: said } of now)
    await writeFile(path.join(CORPUS, `${recording.name}.json`), `${layOutJson(said)}\n`);
  await writePages(now);
}

/** @returns {number} recordings whose answers changed */
function printChanges() {
  const changed = recordings.flatMap(({ name, stored }, index) =>
    stored && hasChanged(stored, answers[index]) ? [{ name, changes: compareAnswers(stored, answers[index]) }] : [],
  );
  const added = recordings.filter(({ stored }) => stored === undefined).length;
  process.stdout.write(
    `${recordings.length} recordings${added > 0 ? `, ${added} of them new` : ''}: the answers of ` +
      `${changed.length === 0 ? 'none' : changed.length} changed\n`,
  );
  for (const [kind, heading] of Object.entries(HEADINGS)) {
    const lines = changed.flatMap(({ name, changes }) =>
      changes[/** @type {keyof typeof HEADINGS} */ (kind)].map((line) => `${name}: ${line}`),
    );
    printLines(heading, lines, '; git diff shows all');
  }
  return changed.length + added;
}

/** @param {string} heading @param {string[]} lines @param {string} [where] the rest is */
function printLines(heading, lines, where = '') {
  if (lines.length === 0) return;
  const more = lines.length > MAX_LINES ? [`and ${lines.length - MAX_LINES} more${where}`] : [];
  process.stdout.write(`\n${heading}: ${lines.length}\n${[...lines.slice(0, MAX_LINES), ...more].join('\n')}\n`);
}

function printAccuracy() {
  const known = recordings.flatMap((recording) => (recording.stored ? { recording, answers: recording.stored } : []));
  const both = known.length > 0 ? { before: known, now } : { now };
  const figures = Object.entries(both).map(([when, all]) => ({ when, compared: compareAll(loadsOf(all)) }));
  const noise = { when: NOISE, compared: compareAllMeasurements(loadsOf(now)) };
  printTable(
    `Predicted figures against measured ones: means, p50 and p95. "bands alone" are shown without a figure`,
    [...figures, noise].map(({ when, compared }) => ({ '': when, ...summariseFigures(compared) })),
  );
  printTable(
    'The same, as errors in % of the measured figure, where 5 ms do not excuse any',
    [...figures, noise].flatMap(({ when, compared }) => listErrors(compared).map((row) => ({ '': when, ...row }))),
  );
  printTable(
    'Advised sizes against measured ones, which are 1, 2, 4, 8 and 16: "right" may be too large by less than the next',
    Object.entries(both).map(([when, all]) => ({
      '': when,
      ...summariseAdvice(loadsOf(all).map((each) => judgeAdvice(each.recording, each.answers))),
    })),
  );
  for (const [when, all] of Object.entries(both)) printTable(`What the doctor says, ${when}`, tabulateVerdicts(all));
}

/** @param {{ recording: Recording, answers: Answers }[]} all */
function loadsOf(all) {
  return all.filter(({ recording }) => recording.measured);
}

/** @param {string} title @param {object[]} rows */
function printTable(title, rows) {
  process.stdout.write(`\n${title}\n`);
  // eslint-disable-next-line no-console
  console.table(rows);
}
