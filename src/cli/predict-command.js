import { Command, Option } from 'commander';
import { parsePoolSizes, predict, summariseTrace } from 'mongodb-pool-predictor';
import { describeEnvironment } from '../harness/environment.js';
import { poolOfApp } from '../predictions/app-pool.js';
import { describePool } from '../predictions/describe-input.js';
import { createPredictView } from '../predictions/predict-view.js';
import { renderHtml } from '../report/html.js';
import { escapeControls, wrap } from '../printable.js';
import { renderTable, WIDEST_TEXT } from '../report/table.js';
import { writeAtomically } from '../write-atomically.js';
import { readLoad, withLoadOptions } from './load-options.js';
import { MAX_SEEDS, orInvalid, parseUpTo } from './option-parsers.js';
import { createRunProgress } from './progress-bar.js';
import { widthOf } from './terminal-width.js';

/** @import { PoolOptions } from 'mongodb-pool-predictor' */

const DEFAULT_SIZES = '1..20';

/**
 * The pool of each version of the driver. The old one starts with one connection, as in the article's load tests: the order
 * in which it opens the others decides which query waits behind which.
 * @type {Record<string, (maxPoolSize: number) => PoolOptions>}
 */
const POOL_OF = {
  7: (maxPoolSize) => ({ maxPoolSize }),
  3: (maxPoolSize) => ({ kind: 'pipelining', maxPoolSize, warm: false, connectMs: 3 }),
};

/** `pool-lab predict SCENARIO.yaml`, or with a trace */
export function createPredictCommand() {
  return withLoadOptions(new Command('predict')
    .description('predict what a load test would measure at each pool size, in milliseconds instead of minutes')
    .argument('[scenario]', 'Artillery scenario')
    .addOption(new Option('--pool-sizes <list>', 'e.g. 1,3,10 or 1..20')
      .argParser(orInvalid(parsePoolSizes)).default(parsePoolSizes(DEFAULT_SIZES), DEFAULT_SIZES))
    .addOption(new Option('--driver <version>', 'version of the Node.js driver; 3: the driver of 2020, which sent new '
      + 'queries down busy connections').choices(['7', '3']).default('7')))
    .option('--seeds <n>', 'simulation runs of a random load', parseUpTo(MAX_SEEDS))
    .option('--html <file>', 'also write a page with charts')
    .option('--json', 'print the result as one JSON object on stdout', false)
    .action(showPrediction);
}

/**
 * @param {string | undefined} scenario
 * @param {import('./load-options.js').LoadOptions & { poolSizes: number[], driver: string, seeds?: number, html?: string,
 *   json: boolean }} options
 */
async function showPrediction(scenario, { poolSizes, driver, seeds, html, json, ...loadOptions }) {
  if (loadOptions.trace && driver !== '7') {
    throw new Error(`--driver ${driver} needs a scenario: a trace has the timing of the driver that recorded it`);
  }
  const { load, services, overhead, resolutionMs, pool, notes: coverage, settings, warnings, trace } = await readLoad({
    ...loadOptions, scenario,
  });
  // The driver of 2020 has none of the settings.
  const known = driver === '7' ? pool : undefined;
  const poolOf = known ? (/** @type {number} */ poolSize) => poolOfApp({ ...known.settings, poolSize }) : POOL_OF[driver];
  const notes = [...coverage, ...(known ? [describePool(known)] : [])];
  const progress = createRunProgress(process.stderr);
  const prediction = await predict({
    load, poolSizes, services, overhead, resolutionMs, seeds, poolOf, onProgress: progress.onProgress,
  }).finally(progress.stop);
  const recorded = trace && summariseTrace(trace);
  const result = {
    lab: 'predict',
    startedAt: new Date().toISOString(),
    environment: describeEnvironment(null),
    settings: { ...settings, driver: Number(driver), poolSizes, seeds: prediction.seeds },
    load: prediction.load,
    variants: prediction.variants.map((variant) => (
      recorded && variant.settings.poolSize === trace.header.maxPoolSize
        ? { ...variant, measured: recorded }
        : variant)),
    notes,
    warnings,
  };
  const view = createPredictView({ load: prediction.load, isRandom: prediction.seeds > 1, isReplay: Boolean(trace), notes });
  const width = widthOf(process.stderr);
  process.stderr.write(`${[renderTable(view, result, { width }),
    ...notes.map((note) => escapeControls(wrap(note, Math.min(width, WIDEST_TEXT))))].join('\n\n')}\n`);
  if (html) {
    await writeAtomically(html, renderHtml([{ lab: view, result }]));
    process.stderr.write(`\nReport: ${html}\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
}
