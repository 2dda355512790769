import { guessBest, hideUncertain, parsePoolSizes, poolOfApp, predict, summariseTrace } from 'mongodb-pool-predictor';
import { describeEnvironment } from '../harness/environment.js';
import { describePool } from '../predictions/describe-input.js';
import { explainHidden, explainTrust } from '../predictions/explain-check.js';
import { explainGuess } from '../predictions/explain-prediction.js';
import { createPredictView, foldSizes, pickRows } from '../predictions/predict-view.js';
import { pickFilled, pickMain } from '../report/columns.js';
import { renderHtml } from '../report/html.js';
import { renderTable } from '../report/table.js';
import { paintText } from '../base/paint.js';
import { requireWritable, writeAtomically } from '../base/write-atomically.js';
import { inThreads } from './in-threads.js';
import { LOAD_OPTIONS, reword } from './options.js';
import { readLoad } from './read-load.js';

/** @import { CommandData } from './add-command.js' */
/** @import { HiddenFigures, Load, PoolOptions, PredictedFigures, Slowdown } from 'mongodb-pool-predictor' */
/** @import { Output } from './output.js' */

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
  const lists = { about, notes };
  if (trust?.refusal) {
    const all = { reason: trust.refusal, poolSizes, isAll: true };
    const [gaps, hidden] = [[explainHidden(all)], listCodes([all])];
    return {
      ...lists,
      gaps,
      result: { lab: 'predict', check, withheld: poolSizes, hidden, variants: [], notes: gaps },
    };
  }
  const common = { load, ...simulation };
  const options = { poolSizes, seeds, firstSeed, poolOf, widen: trust?.widen };
  const prediction = await inThreads(common, (hooks) => predict({ ...common, ...options, ...hooks }));
  const { variants, hidden } = trust ? hideUncertain(trust, prediction.variants) : { ...prediction, hidden: [] };
  const slowdown = keepShown(prediction.load.slowdown, variants);
  const recorded = trace && summariseTrace(trace);
  // What is not sure is null in JSON, too.
  const result = {
    lab: 'predict',
    startedAt: new Date().toISOString(),
    environment: describeEnvironment(null),
    settings: { ...settings, driver: Number(driver), poolSizes, seeds: prediction.seeds, firstSeed },
    load: { ...prediction.load, slowdown, best: guessBest({ ...prediction.load, slowdown }) },
    ...(check !== undefined && { check }),
    ...(load.server && { server: describeServer(load.server) }),
    ...(hidden.length > 0 && { hidden: listCodes(hidden) }),
    variants: variants.map((variant) =>
      recorded && variant.settings.poolSize === trace.header.maxPoolSize ? { ...variant, measured: recorded } : variant,
    ),
    notes: [...about, ...notes],
    warnings,
  };
  return { ...lists, result, trust, hidden, hasBands: bands, isExplained: explain || bands, html };
}

/** @param {Awaited<ReturnType<typeof predictSizes>>} found @param {Output} output */
async function printPrediction(found, { look, layOut, print }) {
  if (!('isExplained' in found)) return print(found.gaps.map(layOut), found.result);
  const { result, about, notes, trust, hidden, hasBands, isExplained, html } = found;
  const { load, settings, variants } = result;
  const { size: best } = load.best;
  const unknown = hidden.flatMap(({ reason, poolSizes }) => (HARMLESS.includes(reason.code) ? [] : poolSizes));
  const largest = settings.poolSizes[settings.poolSizes.length - 1];
  const isGuess = !unknown.includes(settings.poolSizes.find((each) => best !== null && each >= best) ?? largest);
  const isRandom = settings.seeds > 1;
  const facts = { load, isRandom, isReplay: trust !== undefined, isGuess, notes };
  const view = createPredictView({ ...facts, hasBands, isExplained, isGuessSaid: true });
  const shown = isExplained
    ? result
    : { ...result, variants: pickRows(foldSizes(view, variants), [best, trust?.recordedSize ?? null]) };
  const isShown = pickFilled(pickMain(view.columns), shown.variants).length > 1;
  const guess = isGuess && isShown ? explainGuess(load, settings.poolSizes, facts.isReplay) : '';
  const tableLook = { ...look, isFirst: false };
  const texts = [
    ...about,
    ...new Set(hidden.map(explainHidden)),
    ...(isExplained ? notes : ['--explain says what the figures assume, --bands how exact they are.']),
  ];
  const blocks = [
    [paintText(layOut(guess), 'bold', look.paint), layOut(trust ? explainTrust(trust) : '')].filter(Boolean).join('\n'),
    isShown
      ? renderTable(view, shown, tableLook)
      : layOut('No figure is sure enough to show. Record for longer, with more requests.'),
    ...texts.map(layOut),
  ];
  print(blocks, result);
  if (!html) return;
  await writeAtomically(html, renderHtml([{ lab: createPredictView({ ...facts, hasBands: true }), result }]));
  process.stderr.write(`Report: ${html}\n`);
}

/**
 * Leaves out a slowdown if a figure of it is hidden.
 * @param {Slowdown | null} slowdown
 * @param {{ settings: { poolSize: number }, predicted: PredictedFigures }[]} variants
 */
function keepShown(slowdown, variants) {
  if (slowdown === null) return null;
  const isShown = (/** @type {number} */ size) =>
    variants.some(
      ({ settings, predicted }) => settings.poolSize === size && predicted.routes[slowdown.route].p99Ms >= 0,
    );
  return isShown(slowdown.poolSize) && isShown(slowdown.largerSize) ? slowdown : null;
}

/** Why figures are null, for JSON. @param {HiddenFigures[]} hidden */
function listCodes(hidden) {
  return hidden.map(({ reason: { code }, poolSizes, isAll }) => ({ code, poolSizes, isAll }));
}

/** What is known of the server, without the times of each checkout. @param {NonNullable<Load['server']>} server */
function describeServer(server) {
  return Object.fromEntries(Object.entries(server).filter(([key]) => key !== 'aloneMs'));
}
