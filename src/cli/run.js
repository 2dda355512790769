import path from 'node:path';
import { Command } from 'commander';
import { runLab } from '../bench/run-lab.js';
import { labs } from '../labs/index.js';
import { MIXED_SCENARIO } from '../labs/mixed.js';
import { parsePoolSizes } from '../predict/pool-sizes.js';
import { renderTable } from '../report/table.js';
import { readSettings } from '../settings.js';
import { abortOnSignal } from './abort.js';
import { orInvalid, parsePositive } from './options.js';
import { createProgress } from './progress.js';
import { saveResult } from './save.js';

/** `pool-lab run LAB` */
export function createRunCommand() {
  return new Command('run')
    .description('run an experiment and report what it measured')
    .addCommand(createMixedCommand());
}

function createMixedCommand() {
  return withRunOptions(new Command('mixed'))
    .description('slow queries starve fast ones when the pool is small: one load, several pool sizes')
    .option('--pool-sizes <list>', 'maxPoolSize of each run, e.g. 1,3,10 or 1..5', orInvalid(parsePoolSizes), [1, 3, 10])
    .option('--slow-ms <ms>', 'how long a query of /slow takes', parsePositive, 5000)
    .option('--scenario <file>', 'Artillery scenario to run', MIXED_SCENARIO)
    .option('--environment <name>', "one of the scenario's environments")
    .action((options) => runAndReport('mixed', options));
}

/** @param {Command} command */
function withRunOptions(command) {
  return command
    .option('--repeat <n>', 'how often each variant is measured, interleaved', parsePositive, 1)
    .option('--parallel', 'measure all variants at once', false)
    .option('--out <dir>', 'where the report and the raw result go (default: a new folder in results/)')
    .option('--json', 'print the result as one JSON object on stdout', false);
}

/**
 * @param {string} name of a lab
 * @param {any} options
 */
async function runAndReport(name, { out, json, ...options }) {
  const lab = labs[name];
  const settings = readSettings();
  const progress = createProgress(process.stderr);
  const { signal, release } = abortOnSignal();
  try {
    const result = await runLab(lab, options, {
      settings, signal, report: progress.report, onStep: progress.step,
    });
    progress.stop();
    const files = await saveResult(lab, result, out ?? defaultFolder(result));
    process.stderr.write(`\n${renderTable(lab, result)}\n\nReport: ${files.report}\nResult: ${files.result}\n`);
    if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
    if (result.variants.some(({ error }) => error)) process.exitCode = 1;
  } finally {
    progress.stop();
    release();
  }
}

/** @param {import('../report/types.js').Result} result */
function defaultFolder({ lab, startedAt }) {
  return path.join('results', `${lab}-${startedAt.slice(0, 19).replaceAll(':', '-')}`);
}
