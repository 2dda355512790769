import path from 'node:path';
import { wrap } from '../../src/base/printable.js';
import { takePublished } from '../harness/lab-options.js';
import { estimateRun } from '../harness/run-lab.js';
import { labs } from '../labs/index.js';
import { explainWords, MAX_TEXT_WIDTH, widthOf } from '../report/table.js';
import { readSettings } from '../../src/settings.js';
import { reword } from './options.js';
import { refuseWord } from './refuse-word.js';
import { runShown } from './run-shown.js';
import { reportResult, requireWritableResult } from './result-file.js';
import { runUntilSignal } from './signals.js';

/** @import { Command } from 'commander' */
/** @import { CommandData, OptionRow } from './add-command.js' */
/** @import { AnyLab } from '../harness/run-lab.js' */

const INDENT = '  ';

/** @type {OptionRow} */
const URL_OPTION = ['--url <url>', 'connection string of the MongoDB to use, instead of MONGO_URL'];

/** @type {CommandData} */
export const command = {
  about: 'run an experiment and report the results, or list all experiments',
  usage: '[experiment] [options]',
  arguments: [['[experiment...]', '']],
  example: 'mixed',
  run: listExperiments,
  commands: Object.fromEntries(Object.values(labs).map((lab) => [lab.name, createLabCommand(lab)])),
};

/** @param {string[]} words @param {object} _options @param {Command} self */
async function listExperiments([name], _options, self) {
  if (name) refuseWord(self, name, `there is no experiment '${name}', only ${Object.keys(labs).join(', ')}`);
  const texts = await Promise.all(Object.values(labs).map(describeLab));
  process.stdout.write(`${texts.join('\n\n')}\n`);
}

/** Its question, its words, and how long it takes. @param {AnyLab} lab */
async function describeLab(lab) {
  const { name, title, question, source } = lab;
  const width = Math.min(widthOf(process.stdout), MAX_TEXT_WIDTH) - INDENT.length;
  const text = [
    ...[question, ...explainWords(lab)].map((paragraph) => wrap(paragraph, width)),
    ...(source ? [`First published: ${source.url}`] : []),
  ].join('\n');
  return `${name}: ${title} (${describeDuration(await estimateRun(lab))})\n${text.replaceAll(/^/gm, INDENT)}`;
}

/** @param {number} ms */
function describeDuration(ms) {
  return ms < 60_000 ? `about ${Math.ceil(ms / 10_000) * 10} s` : `about ${Math.round(ms / 60_000)} min`;
}

/** @param {AnyLab} lab @returns {CommandData} */
function createLabCommand(lab) {
  return {
    summary: lab.summary,
    about: lab.question,
    options: [
      ...Object.entries(lab.options).map(createLabOption),
      ...(lab.mongo?.urlOption ? [] : [URL_OPTION]),
      ['--preset <name>', 'use the settings of the published experiment', ['published']],
      lab.repeat ? reword('repeat', lab.repeat.about, lab.repeat.default) : 'repeat',
      'outFolder',
      'json',
    ],
    example: lab.name === 'mixed' ? '--pool-sizes 1,3,10' : undefined,
    run({ preset, ...options }, /** @type {Command} */ self) {
      const isGiven = (/** @type {string} */ name) => self.getOptionValueSource(name) === 'cli';
      return runAndReport(lab, preset ? takePublished(lab.options, options, isGiven) : options);
    },
  };
}

/** @param {[string, AnyLab['options'][string]]} option by its name in camel case @returns {OptionRow} */
function createLabOption([name, { value, about, parse, default: initial, published }]) {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const shown = initial === undefined ? undefined : describeValue(initial);
  return [value ? `${flag} <${value}>` : flag, describeOption(about, initial, published), parse, initial, shown];
}

/** @param {string} about @param {unknown} initial @param {unknown} published */
function describeOption(about, initial, published) {
  const isOther = published !== undefined && describeValue(published) !== describeValue(initial);
  return isOther ? `${about} (published: ${describeValue(published)})` : about;
}

/** @param {unknown} value */
function describeValue(value) {
  return path.isAbsolute(String(value)) ? path.relative(process.cwd(), String(value)) : String(value);
}

/** @param {AnyLab} lab @param {any} options */
async function runAndReport(lab, { out, json, ...options }) {
  const settings = readSettings();
  await requireWritableResult(out);
  await runUntilSignal(async (signal) => {
    await reportResult(lab, await runShown(lab, options, { settings, signal }), { out, json });
  });
}
