import { Command, Option } from 'commander';
import { parsePoolSizes, predict, summariseTrace } from 'mongodb-pool-predictor';
import { choosePaint } from '../base/paint.js';
import { describeEnvironment } from '../harness/environment.js';
import { poolOfApp } from '../predictions/app-pool.js';
import { describePool } from '../predictions/describe-input.js';
import { explainCheck } from '../predictions/explain-check.js';
import { describeDoubt } from '../predictions/describe-callers.js';
import { createPredictView } from '../predictions/predict-view.js';
import { renderHtml } from '../report/html.js';
import { renderTable, widthOf, layOutText } from '../report/table.js';
import { requireWritable, writeAtomically } from '../base/write-atomically.js';
import { checkRecording } from './check-recording.js';
import { inThreads } from './in-threads.js';
import { readLoad, withLoadOptions } from './load-options.js';
import { streamForText } from './result-file.js';
import { MAX_SEEDS, orInvalid, parseFirstSeed, parseUpTo } from './option-parsers.js';

/** @import { Load, PoolOptions } from 'mongodb-pool-predictor' */

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
export function createCommand() {
  return withLoadOptions(
    new Command('predict')
      .description('predict what a load test would measure at each pool size, in milliseconds instead of minutes')
      .argument('[scenario]', 'Artillery scenario')
      .addOption(
        new Option('--pool-sizes <list>', 'e.g. 1,3,10 or 1..20')
          .argParser(orInvalid(parsePoolSizes))
          .default(parsePoolSizes(DEFAULT_SIZES), DEFAULT_SIZES),
      )
      .addOption(
        new Option(
          '--driver <version>',
          'version of the Node.js driver; 3: the driver of 2020, which sent new ' + 'queries down busy connections',
        )
          .choices(['7', '3'])
          .default('7'),
      ),
  )
    .option(
      '--seeds <n>',
      'simulation runs of a random load: 19, 39, 59, 79, 99\nor another multiple of 20, minus 1',
      parseUpTo(MAX_SEEDS),
    )
    .option('--first-seed <n>', 'seed of the first run; another seed gives other runs', parseFirstSeed, 1)
    .option('--bands', 'show the 90 % band of every figure, not just of p95', false)
    .option('--html <file>', 'also write a page with charts')
    .option('--json', 'print the result as one JSON object on stdout', false)
    .action(showPrediction);
}

/**
 * @param {string | undefined} scenario
 * @param {import('./load-options.js').LoadOptions & { poolSizes: number[], driver: string, seeds?: number, firstSeed: number,
 *   bands: boolean, html?: string, json: boolean }} options
 */
async function showPrediction(scenario, { poolSizes, driver, seeds, firstSeed, bands, html, json, ...loadOptions }) {
  if (loadOptions.trace && driver !== '7') {
    throw new Error(`--driver ${driver} needs a scenario: a trace has the timing of the driver that recorded it`);
  }
  if (html) await requireWritable(html, '--html');
  const {
    load,
    services,
    overhead,
    resolutionMs,
    pool,
    notes: coverage,
    settings,
    warnings,
    trace,
    others,
  } = await readLoad({ ...loadOptions, scenario });
  // The driver of 2020 has none of the settings.
  const known = driver === '7' ? pool : undefined;
  const poolOf = known
    ? (/** @type {number} */ poolSize) => poolOfApp({ ...known.settings, poolSize })
    : POOL_OF[driver];
  const check = trace && (await checkRecording({ trace, pool, others }, { ...loadOptions, firstSeed }));
  const notes = [
    ...(check === undefined ? [] : [explainCheck(check)]),
    ...coverage,
    ...(known ? [describePool(known)] : []),
  ];
  /** @param {typeof load} one */
  const predictOn = (one) =>
    inThreads({ load: one, services, overhead, resolutionMs }, (hooks) =>
      predict({
        load: one,
        poolSizes,
        services,
        overhead,
        resolutionMs,
        seeds,
        firstSeed,
        poolOf,
        ...hooks,
      }),
    );
  const prediction = await predictOn(load);
  const doubt = load.otherwise && (await predictOn(load.otherwise));
  const recorded = trace && summariseTrace(trace);
  const result = {
    lab: 'predict',
    startedAt: new Date().toISOString(),
    environment: describeEnvironment(null),
    settings: { ...settings, driver: Number(driver), poolSizes, seeds: prediction.seeds, firstSeed },
    load: prediction.load,
    ...(check !== undefined && { check }),
    ...(load.server && { server: describeServer(load.server) }),
    variants: prediction.variants.map((variant) =>
      recorded && variant.settings.poolSize === trace.header.maxPoolSize ? { ...variant, measured: recorded } : variant,
    ),
    ...(doubt && { otherwise: { load: doubt.load, variants: doubt.variants } }),
    notes,
    warnings,
  };
  const viewOf = (/** @type {boolean} */ hasBands) =>
    createPredictView({
      load: prediction.load,
      isRandom: prediction.seeds > 1,
      hasBands,
      isReplay: Boolean(trace),
      notes,
    });
  const stream = streamForText(json);
  const width = widthOf(stream);
  const paint = choosePaint(stream);
  stream.write(
    `${[
      renderTable(viewOf(bands), result, { width, paint }),
      ...notes.map((note) => layOutText(note, width)),
      ...(doubt?.load.callers
        ? [
            layOutText(describeDoubt(doubt.load.callers), width),
            renderTable(
              createPredictView({ load: doubt.load, isRandom: doubt.seeds > 1, hasBands: bands, notes: [] }),
              { ...result, variants: doubt.variants, warnings: [] },
              { width, paint },
            ),
          ]
        : []),
    ].join('\n\n')}\n`,
  );
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  if (html) {
    await writeAtomically(html, renderHtml([{ lab: viewOf(true), result }]));
    process.stderr.write(`Report: ${html}\n`);
  }
}

/** What is known of the server, without the times of each checkout. @param {NonNullable<Load['server']>} server */
function describeServer(server) {
  return Object.fromEntries(Object.entries(server).filter(([key]) => key !== 'aloneMs'));
}
