import { hideUncertain, parsePoolSizes, poolOfApp, predict, summariseTrace } from 'mongodb-pool-predictor';
import { describeEnvironment } from '../harness/environment.js';
import { describePool } from '../predictions/describe-input.js';
import { explainHidden, explainTrust } from '../predictions/explain-check.js';
import { bestSize } from '../predictions/explain-prediction.js';
import { describeDoubt } from '../predictions/describe-callers.js';
import { createPredictView, foldSizes, pickRows } from '../predictions/predict-view.js';
import { DASH, formatCell } from '../report/columns.js';
import { renderHtml } from '../report/html.js';
import { renderTable } from '../report/table.js';
import { paintText } from '../base/paint.js';
import { requireWritable, writeAtomically } from '../base/write-atomically.js';
import { inThreads } from './in-threads.js';
import { LOAD_OPTIONS, reword } from './options.js';
import { readLoad } from './read-load.js';

/** @import { CommandData } from './add-command.js' */
/** @import { Load, PoolOptions } from 'mongodb-pool-predictor' */
/** @import { Output } from './output.js' */
/** @import { Facts } from '../predictions/explain-prediction.js' */
/** @import { LabView, Variant } from '../report/result-types.js' */

const DEFAULT_SIZES = '1..20';
/** Reasons that say nothing against the best guess. */
const HARMLESS = ['wideBand', 'unknownFailures'];

/**
 * The pool of each version of the driver. The old one starts with one connection, as in the article's load tests: the
 * order in which it opens the others decides which query waits behind which.
 * @type {Record<string, (maxPoolSize: number) => PoolOptions>}
 */
const POOL_OF = {
  7: (maxPoolSize) => ({ maxPoolSize }),
  3: (maxPoolSize) => ({ kind: 'pipelining', maxPoolSize, warm: false, connectMs: 3 }),
};

/** @type {CommandData} */
export const command = {
  about: 'predict what a load test would measure at each pool size, in milliseconds instead of minutes',
  arguments: [['[scenario...]', 'Artillery scenario; further files are merged into it']],
  options: [
    ['--pool-sizes <list>', 'e.g. 1,3,10 or 1..20', parsePoolSizes, parsePoolSizes(DEFAULT_SIZES), DEFAULT_SIZES],
    [
      '--driver <version>',
      'version of the Node.js driver; 3: the driver of 2020, which sent new queries down busy connections',
      ['7', '3'],
      '7',
    ],
    ...LOAD_OPTIONS,
    reword('seeds', 'simulation runs of a random load: 19, 39, 59, 79, 99\nor another multiple of 20, minus 1'),
    'firstSeed',
    ['--bands', 'show the 90 % band of every figure, not just of p95'],
    ['--explain', 'show all columns, and what the figures assume'],
    ['--html <file>', 'also write a page with charts'],
    'json',
  ],
  example: 'loadtests/mixed.yaml --service /slow=5000 --service /fast=2',
  run: predictSizes,
  print: printPrediction,
};

/**
 * @param {string[]} scenario
 * @param {import('./read-load.js').LoadOptions & { poolSizes: number[], driver: string, seeds?: number,
 *   firstSeed: number, bands: boolean, explain: boolean, html?: string }} options
 */
async function predictSizes(scenario, { poolSizes, driver, seeds, firstSeed, bands, explain, html, ...loadOptions }) {
  if (loadOptions.trace && driver !== '7')
    throw new Error(`--driver ${driver} needs a scenario: a trace has the timing of the driver that recorded it`);
  if (html) await requireWritable(html, '--html');
  const input = await readLoad({ ...loadOptions, scenario, firstSeed });
  const { load, simulation, about, settings, warnings, trace, check, trust } = input;
  // The driver of 2020 has none of the settings.
  const pool = driver === '7' ? input.pool : undefined;
  const poolOf = pool ? (/** @type {number} */ poolSize) => poolOfApp({ ...pool.settings, poolSize }) : POOL_OF[driver];
  const notes = [...input.notes, ...(pool ? [describePool(pool)] : [])];
  const withheld = poolSizes.filter((size) => trust?.refusalAt(size));
  const sizes = poolSizes.filter((size) => !withheld.includes(size));
  const gaps =
    trust?.refusal && withheld.length > 0
      ? [explainHidden({ reason: trust.refusal, poolSizes: withheld, isAll: true })]
      : [];
  const lists = { about, gaps, notes };
  if (sizes.length === 0) return { ...lists, result: { lab: 'predict', check, withheld, variants: [], notes: gaps } };
  /** @param {Load} one */
  async function predictOn(one) {
    const common = { load: one, ...simulation };
    const options = { poolSizes: sizes, seeds, firstSeed, poolOf, widen: trust?.widen };
    const prediction = await inThreads(common, (hooks) => predict({ ...common, ...options, ...hooks }));
    return { hidden: [], ...prediction, ...(trust && hideUncertain(trust, prediction.variants)) };
  }
  const prediction = await predictOn(load);
  const closed = load.closedReading && (await predictOn(load.closedReading));
  const recorded = trace && summariseTrace(trace);
  // What is not sure is null in JSON, too.
  const result = {
    lab: 'predict',
    startedAt: new Date().toISOString(),
    environment: describeEnvironment(null),
    settings: { ...settings, driver: Number(driver), poolSizes, seeds: prediction.seeds, firstSeed },
    load: prediction.load,
    ...(check !== undefined && { check }),
    ...(withheld.length > 0 && { withheld }),
    ...(load.server && { server: describeServer(load.server) }),
    variants: prediction.variants.map((variant) =>
      recorded && variant.settings.poolSize === trace.header.maxPoolSize ? { ...variant, measured: recorded } : variant,
    ),
    ...(closed && { closedReading: { load: closed.load, variants: closed.variants } }),
    notes: [...about, ...gaps, ...notes],
    warnings,
  };
  // The first line says why a recording was not checked.
  const hidden = prediction.hidden.filter(({ reason }) => reason.code !== check?.reason);
  return { ...lists, result, trust, hidden, hasBands: bands, isExplained: explain || bands, html };
}

/** @param {Awaited<ReturnType<typeof predictSizes>>} found @param {Output} output */
async function printPrediction(found, { look, layOut, print }) {
  if (!('isExplained' in found)) return print(found.gaps.map(layOut), found.result);
  const { result, about, gaps, notes, trust, hidden, hasBands, isExplained, html } = found;
  const { load, closedReading, withheld = [], settings, variants } = result;
  const readings = [load, ...(closedReading ? [closedReading.load] : [])];
  const best = readings.map(bestSize);
  const unknown = [
    ...withheld,
    ...hidden.flatMap(({ reason, poolSizes }) => (HARMLESS.includes(reason.code) ? [] : poolSizes)),
  ];
  const isGuess = best.every((size) => !unknown.includes(size ?? settings.poolSizes[settings.poolSizes.length - 1]));
  const isRandom = settings.seeds > 1;
  const facts = { load, isRandom, isReplay: trust !== undefined, isGuess, notes };
  const view = createPredictView({
    ...facts,
    ...(!isExplained && { load: needOf(readings) }),
    hasBands,
    isExplained,
    hasClosedReading: closedReading && !isExplained,
  });
  const shown = isExplained ? result : brief(view, result, [...best, trust?.recordedSize ?? null]);
  const guess = isGuess ? describeBest(best, variants[variants.length - 1].settings.poolSize) : '';
  const first = [guess, trust && explainTrust(trust)].filter(Boolean).join(' ');
  const tableLook = { ...look, isFirst: false };
  const texts = [
    ...about,
    ...gaps,
    ...new Set(hidden.map(explainHidden)),
    ...(isExplained ? notes : ['--explain says what the figures assume, --bands how exact they are.']),
  ];
  const blocks = [
    layOut(first).replace(guess, paintText(guess, 'bold', look.paint)),
    hasFigures(view, shown.variants)
      ? renderTable(view, shown, tableLook)
      : layOut('No figure is sure enough to show. Record for longer, with more requests.'),
    ...texts.map(layOut),
  ];
  if (closedReading?.load.callers && isExplained) {
    const other = createPredictView({ load: closedReading.load, isRandom, hasBands, isExplained });
    blocks.push(layOut(describeDoubt(closedReading.load.callers)));
    blocks.push(renderTable(other, { ...result, variants: closedReading.variants, warnings: [] }, tableLook));
  }
  print(blocks, result);
  if (!html) return;
  await writeAtomically(html, renderHtml([{ lab: createPredictView({ ...facts, hasBands: true }), result }]));
  process.stderr.write(`Report: ${html}\n`);
}

/** Whether a table says more than sizes. @param {LabView} view @param {Variant[]} variants */
function hasFigures({ columns }, variants) {
  const [, ...figures] = columns.filter(({ detail }) => !detail);
  return figures.some((column) => variants.some((variant) => formatCell(column, variant) !== DASH));
}

/** The answer. @param {(number | null)[]} best of each reading @param {number} largest size that was simulated */
function describeBest(best, largest) {
  if (best.includes(null)) return `Best guess: more than ${largest}.`;
  return `Best guess: ${Math.max(...best.map(Number))}.`;
}

/** What the load needs in the worst of its readings. @param {Facts[]} readings @returns {Facts} */
function needOf(readings) {
  const knees = readings.map(({ knee }) => knee);
  return {
    ...readings[0],
    knee: knees.includes(null) ? null : Math.max(...knees.map(Number)),
    peakActive: Math.max(...readings.map(({ peakActive }) => peakActive)),
  };
}

/**
 * A result with fewer rows.
 *
 * @template {{ variants: Variant[], closedReading?: { variants: Variant[] } }} R
 * @param {LabView} view
 * @param {R} result
 * @param {(number | null)[]} sizes that must be shown
 * @returns {R}
 */
function brief(view, result, sizes) {
  const variants = result.variants.map((variant, index) => ({
    ...variant,
    ...(result.closedReading && { closedReading: result.closedReading.variants[index].predicted }),
  }));
  return { ...result, variants: pickRows(foldSizes(view, variants), sizes) };
}

/** What is known of the server, without the times of each checkout. @param {NonNullable<Load['server']>} server */
function describeServer(server) {
  return Object.fromEntries(Object.entries(server).filter(([key]) => key !== 'aloneMs'));
}
