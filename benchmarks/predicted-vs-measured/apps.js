// Kinds of load on a plain app that knows nothing of the lab (doctor/app.js), under attach: recorded at one pool size
// and predicted at others, as `record` and `predict --trace` do. What was recorded at a size is the measurement that
// predictions for it are compared with: mean, p50 and p95 of the answered requests of each route, as the app saw them,
// from 20 on.
//
// Rules, fixed before measuring:
// - Each kind runs for 8 s at 1, 2, 4, 8 and 16 connections (--quick: for 4 s at 2, 4 and 8), and is recorded until the
//   last answer: without those that a small pool answers late, a measurement would look too good. The recordings at 2
//   and at 8 predict the other sizes.
// - On a busy machine the same query takes longer at one moment than at another, and no model of a pool knows that. A
//   recording is made again, twice at most, if others than the server used more than 0.8 cores meanwhile. Two
//   recordings are compared only if the mean use of each route's queries differs by less than 25 % (CPU-bound: by any
//   factor, because there the pool size changes it).
// - A figure is shown unless judgeTrust hides it: nothing can be predicted, or its band allows × 2. Such a band may be
//   shown instead, which does not count as a figure.
// - At least 67 % of all figures are shown.
// - Of these, at least 88 % are within 15 % or 5 ms, 88 to 92 % are in their 90 % band, and at most 1 % are off by more
//   than × 2 (and 5 ms).
import { checkRecording, judgeTrust, openRecording, poolOfApp, predict } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { isAlike, measureRoutes } from './measure-routes.js';
import { KINDS, recordKinds } from './recorded-loads.js';

/** @import { RecordedTrace } from 'mongodb-pool-predictor' */
/** @import { PartContext } from '../parts/run-parts.js' */
/** @import { Kind } from './recorded-loads.js' */

/** The sizes that each kind is recorded at. */
export const POOLS = [1, 2, 4, 8, 16];
const QUICK_POOLS = [2, 4, 8];
/** The sizes whose recordings predict the others. */
export const RECORDED = [2, 8];
export const [SECONDS, QUICK_SECONDS] = [8, 4];
export const FIGURES = /** @type {const} */ (['meanMs', 'p50Ms', 'p95Ms']);
/** A percentile of fewer requests is chance. */
export const MIN_REQUESTS = 20;
const SEEDS = 19;
const ALLOWED = { share: 0.15, ms: 5, ratio: 2 };
const WANTED = { shown: 67, close: 88, inBand: 88, inBandMost: 92, far: 1 };

/**
 * @typedef {object} Figure
 * @property {string} kind
 * @property {number} from recorded size
 * @property {number} to
 * @property {string} route
 * @property {string} figure
 * @property {string | null} why it is hidden
 * @property {number} measuredMs
 * @property {number} predictedMs
 * @property {boolean} isInBand
 * @property {number} lowMs
 * @property {number} highMs
 */

export const PART = {
  name: 'apps',
  about: 'kinds of load on a plain app under attach, from a recording at another pool size (16 minutes; --quick: 6)',
  /** @param {PartContext} context */
  async run(context) {
    /** @type {Figure[]} */
    const figures = [];
    for (const [kind, settings] of Object.entries(KINDS)) {
      const recorded = await readRecordings(kind, context);
      for (const from of RECORDED)
        figures.push(...(await predictFrom(settings, from, recorded)).map((figure) => ({ kind, ...figure })));
    }
    return judge(figures);
  },
};

/**
 * @param {string} kind
 * @param {PartContext} context
 * @param {boolean} [again] a second time
 * @returns {Promise<Record<number, RecordedTrace>>} by size
 */
export async function readRecordings(kind, context, again) {
  const [pools, seconds] = context.isQuick ? [QUICK_POOLS, QUICK_SECONDS] : [POOLS, SECONDS];
  const files = await recordKinds(context, { kinds: { [kind]: KINDS[kind] }, pools, seconds, again });
  const recorded = await Promise.all(pools.map((pool) => readTrace(files[kind][pool])));
  return Object.fromEntries(pools.map((pool, index) => [pool, recorded[index]]));
}

/**
 * @param {Kind} kind
 * @param {number} from
 * @param {Record<number, RecordedTrace>} recorded by size
 * @returns {Promise<Omit<Figure, 'kind'>[]>}
 */
export async function predictFrom({ options, isCpuBound }, from, recorded) {
  const choice = { client: options?.appName };
  const input = openRecording([recorded[from]], choice);
  const poolSizes = Object.keys(recorded)
    .map(Number)
    .filter((size) => size !== from);
  const { load, overhead, settings } = input;
  const { services } = load;
  const check = await checkRecording(input);
  const trust = judgeTrust(input, check);
  const poolOf = (/** @type {number} */ poolSize) => poolOfApp({ ...settings, poolSize });
  const { variants } = await predict({ load, services, overhead, poolSizes, seeds: SEEDS, poolOf, widen: trust.widen });
  return variants.flatMap(({ settings: { poolSize }, predicted: { routes, low, high } }) => {
    const measured = measureRoutes(recorded[poolSize], choice.client);
    if (!isCpuBound && !isAlike(measureRoutes(recorded[from], choice.client), measured)) return [];
    return Object.entries(measured)
      .filter(([route, { count, failures }]) => count - failures >= MIN_REQUESTS && routes[route])
      .flatMap(([route, measuredOf]) =>
        FIGURES.map((name) => {
          const [ms, lowMs, highMs] = [routes, low?.routes, high?.routes].map((each) => Number(each?.[route][name]));
          return {
            ...{ from, to: poolSize, route, figure: name },
            why: trust.reasonToHide({ poolSize, ms, lowMs, highMs })?.code ?? null,
            measuredMs: measuredOf[name],
            predictedMs: ms,
            isInBand: measuredOf[name] >= lowMs && measuredOf[name] <= highMs,
            ...{ lowMs, highMs },
          };
        }),
      );
  });
}

/** @param {Pick<Figure, 'measuredMs' | 'predictedMs'>} figure */
export function isClose({ measuredMs, predictedMs }) {
  return Math.abs(predictedMs - measuredMs) <= Math.max(ALLOWED.share * measuredMs, ALLOWED.ms);
}

/** @param {Pick<Figure, 'measuredMs' | 'predictedMs'>} figure */
export function isFar({ measuredMs, predictedMs }) {
  const ratio = Math.max(predictedMs / measuredMs, measuredMs / predictedMs);
  return ratio > ALLOWED.ratio && Math.abs(predictedMs - measuredMs) > ALLOWED.ms;
}

/** In %, to a tenth. @param {Figure[]} figures @param {(figure: Figure) => boolean} is */
function shareOf(figures, is) {
  return Number(((100 * figures.filter(is).length) / figures.length).toFixed(1));
}

/** @param {Figure[]} figures */
export function judge(figures) {
  const describe = (/** @type {Figure[]} */ some) => {
    const shown = some.filter(({ why }) => why === null);
    return {
      figures: some.length,
      'shown, %': shareOf(some, ({ why }) => why === null),
      'within 15 %': shareOf(shown, isClose),
      'in band, %': shareOf(shown, ({ isInBand }) => isInBand),
      'off by × 2, %': shareOf(shown, isFar),
      'within 15 %, of all': shareOf(some, isClose),
    };
  };
  const rows = Object.keys(KINDS).flatMap((kind) =>
    RECORDED.map((from) => ({
      kind,
      from,
      ...describe(figures.filter((each) => each.kind === kind && each.from === from)),
    })),
  );
  const all = describe(figures);
  const reasons = [...new Set(figures.map(({ why }) => why))]
    .filter((why) => why !== null)
    .map((reason) => {
      const hidden = figures.filter(({ why }) => why === reason);
      return {
        reason,
        figures: hidden.length,
        'within 15 %': hidden.filter(isClose).length,
        'in band': hidden.filter(({ isInBand }) => isInBand).length,
        'off by × 2': hidden.filter(isFar).length,
      };
    });
  const worst = figures
    .toSorted(
      (a, b) => Math.abs(Math.log(b.predictedMs / b.measuredMs)) - Math.abs(Math.log(a.predictedMs / a.measuredMs)),
    )
    .slice(0, 12)
    .map(({ measuredMs, predictedMs, ...rest }) => ({
      ...rest,
      measuredMs: Number(measuredMs.toFixed(1)),
      predictedMs: Number(predictedMs.toFixed(1)),
    }));
  return [
    {
      title:
        `Figures of requests, by kind of load; wanted: ${WANTED.shown} % shown, ${WANTED.close} % of them within ` +
        `15 % or 5 ms, ${WANTED.inBand} to ${WANTED.inBandMost} % in band, at most ${WANTED.far} % off by × 2`,
      rows: [...rows, { kind: 'all', from: '', ...all }],
      isMet:
        all['shown, %'] >= WANTED.shown &&
        all['within 15 %'] >= WANTED.close &&
        all['in band, %'] >= WANTED.inBand &&
        all['in band, %'] <= WANTED.inBandMost &&
        all['off by × 2, %'] <= WANTED.far,
    },
    { title: 'Why figures were hidden, and how they would have done', rows: reasons },
    { title: 'The figures that are off most', rows: worst },
  ];
}
