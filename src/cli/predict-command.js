import { Command, Option } from 'commander';
import { describeEnvironment } from '../harness/environment.js';
import { parsePoolSizes, predict, summariseTrace } from 'mongodb-pool-predictor';
import { createPredictView } from '../predictions/predict-view.js';
import { renderHtml } from '../report/html.js';
import { renderTable } from '../report/table.js';
import { writeAtomically } from '../write-atomically.js';
import { readLoad, withLoadOptions } from './load-options.js';
import { MAX_SEEDS, orInvalid, parseUpTo } from './option-parsers.js';
import { widthOf } from './terminal-width.js';

const DEFAULT_SIZES = '1..20';

/** `pool-lab predict SCENARIO.yaml`, or of a trace */
export function createPredictCommand() {
  return withLoadOptions(new Command('predict')
    .description('what a load test would measure at each pool size, worked out in milliseconds')
    .argument('[scenario]', 'Artillery scenario')
    .addOption(new Option('--pool-sizes <list>', 'e.g. 1,3,10 or 1..20')
      .argParser(orInvalid(parsePoolSizes)).default(parsePoolSizes(DEFAULT_SIZES), DEFAULT_SIZES)))
    .option('--seeds <n>', 'runs to simulate when the load has chance in it', parseUpTo(MAX_SEEDS))
    .option('--html <file>', 'also write a page with charts')
    .option('--json', 'print the result as one JSON object on stdout', false)
    .action(showPrediction);
}

/**
 * @param {string | undefined} scenario
 * @param {import('./load-options.js').LoadOptions & { poolSizes: number[], seeds?: number, html?: string,
 *   json: boolean }} options
 */
async function showPrediction(scenario, { poolSizes, seeds, html, json, ...loadOptions }) {
  const { load, services, settings, warnings, trace } = await readLoad({ ...loadOptions, scenario });
  const prediction = predict({ load, poolSizes, services, seeds });
  const recorded = trace && summariseTrace(trace);
  const result = {
    lab: 'predict',
    startedAt: new Date().toISOString(),
    environment: describeEnvironment(null),
    settings: { ...settings, poolSizes, seeds: prediction.seeds },
    load: prediction.load,
    variants: prediction.variants.map((variant) => (
      recorded && variant.settings.poolSize === trace.header.maxPoolSize
        ? { ...variant, measured: recorded }
        : variant)),
    warnings,
  };
  const view = createPredictView({ load: prediction.load, isDrawn: prediction.seeds > 1, isReplay: Boolean(trace) });
  process.stderr.write(`${renderTable(view, result, { width: widthOf(process.stderr) })}\n`);
  if (html) {
    await writeAtomically(html, renderHtml([{ lab: view, result }]));
    process.stderr.write(`\nReport: ${html}\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
}
