import path from 'node:path';
import { Command, Option } from 'commander';
import { wrap } from '../../src/base/printable.js';
import { takePublished } from '../harness/lab-options.js';
import { estimateRun } from '../harness/run-lab.js';
import { labs } from '../labs/index.js';
import { explainWords, MAX_TEXT_WIDTH, widthOf } from '../report/table.js';
import { readSettings } from '../../src/settings.js';
import { orInvalid, parseText, parseUpTo } from './option-parsers.js';
import { refuseWord } from './refuse-word.js';
import { runShown } from './run-shown.js';
import { reportResult, requireWritableResult } from './result-file.js';
import { runUntilSignal } from './signals.js';

/** @import { AnyLab } from '../harness/run-lab.js' */

const INDENT = '  ';

export function createCommand() {
  const command = new Command('run')
    .description('run an experiment and report the results, or list all experiments')
    .argument('[experiment...]')
    .usage('[experiment] [options]')
    .action(async ([name], _options, self) => {
      if (name) refuseWord(self, name, `there is no experiment '${name}', only ${Object.keys(labs).join(', ')}`);
      const texts = await Promise.all(Object.values(labs).map(describeLab));
      process.stdout.write(`${texts.join('\n\n')}\n`);
    });
  for (const lab of Object.values(labs)) command.addCommand(createLabCommand(lab));
  return command;
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

/** @param {AnyLab} lab */
function createLabCommand(lab) {
  const command = new Command(lab.name).summary(lab.summary).description(lab.question);
  for (const [name, { value, about, parse, default: initial, published }] of Object.entries(lab.options)) {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const option = new Option(value ? `${flag} <${value}>` : flag, describeOption(about, initial, published));
    if (value) option.argParser(orInvalid(parse ?? parseText));
    if (initial !== undefined) option.default(initial, describeValue(initial));
    command.addOption(option);
  }
  if (!lab.mongo?.urlOption) {
    command.option(
      '--url <url>',
      'connection string of the MongoDB to use, instead of MONGO_URL',
      orInvalid(parseText),
    );
  }
  return command
    .addOption(new Option('--preset <name>', 'use the settings of the published experiment').choices(['published']))
    .option(
      '--repeat <n>',
      lab.repeat?.about ?? 'how many times to measure each variant; the repeats are interleaved',
      parseUpTo(1000),
      lab.repeat?.default ?? 1,
    )
    .option('--out <dir>', 'folder for the report and the result (default: a new folder in results/)')
    .option('--json', 'print the result as one JSON object on stdout', false)
    .action(({ preset, ...options }) => {
      const isGiven = (/** @type {string} */ name) => command.getOptionValueSource(name) === 'cli';
      return runAndReport(lab, preset ? takePublished(lab.options, options, isGiven) : options);
    });
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
