import { TraceLines } from 'mongodb-pool-monitor';
import {
  advise,
  hideUncertain,
  judgeTrust,
  openRecording,
  poolOfApp,
  predict,
  readTraceText,
} from 'mongodb-pool-predictor';
import { mean, median } from 'mongodb-pool-predictor/statistics';
import { describeDenial, explainHidden } from '../predictions/explain-check.js';

/** @import { Advice, CodedFinding, Load, PredictedFigures, RecordedTrace, Slo } from 'mongodb-pool-predictor' */
/** @import { Trust } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { Seen } from '../harness/monitor-reader.js' */

/** What was recorded of one measurement. @typedef {{ poolSize: number, trace: RecordedTrace }} SweepRecording */

const RUNS = 19;
/** Predictions from more measurements do not get better. */
const MAX_PREDICTIONS = 5;

/**
 * Records a measurement, as `pool-lab record` would.
 *
 * @param {number} poolSize
 * @param {Pick<Seen, 'checkouts' | 'requests'>} seen
 * @param {{ settings?: object, clients?: any[], server?: Trace['server'] }} snapshot of the app; server: what it did
 * @returns {Promise<SweepRecording>}
 */
export async function recordMeasurement(poolSize, { checkouts, requests }, { settings, clients = [], server }) {
  const lines = new TraceLines();
  const text = [
    lines.ofTrace({ pool: settings }),
    ...clients.flatMap(({ name: pool, servers, options }) =>
      servers.map((/** @type {string} */ server) => lines.ofPool({ pool, server, options })),
    ),
    ...checkouts.map((checkout) => lines.ofCheckout(checkout)),
    ...requests.map((request) => lines.ofRequest(request)),
    [{ end: 'closed', ...(server && { server }) }],
  ]
    .flatMap((each) => each.map((/** @type {object} */ line) => `${JSON.stringify(line)}\n`))
    .join('');
  return { poolSize, trace: await readTraceText(text) };
}

/**
 * Predicts the requests that were measured at a size, as they arrived there, from each other size: with the times of
 * its queries. A figure is the median of these predictions, so that a measurement that was disturbed does not count,
 * and its band holds all of theirs. What `predict` would not show has no figures here, either.
 *
 * @param {number} poolSize
 * @param {SweepRecording[]} recordings at any sizes
 * @param {{ isScenario: boolean }} load isScenario: it came from users who wait for their answers
 * @returns {Promise<Record<string, any>>} figures, and why some are hidden; empty with nothing to predict them from
 */
export async function predictSize(poolSize, recordings, { isScenario }) {
  const own = recordings.filter((recording) => recording.poolSize === poolSize);
  const others = recordings.filter((recording) => recording.poolSize !== poolSize).slice(0, MAX_PREDICTIONS);
  if (own.length === 0 || others.length === 0) return {};
  const opened = await Promise.all(others.map((other) => openAmong(other, others)));
  // Users of a scenario are known: nobody else can have sent their requests.
  const loads = own.map(({ trace }) => {
    const { load } = openRecording([trace]);
    return isScenario ? { ...load, otherReading: undefined } : load;
  });
  /** @type {PredictedFigures[]} */
  const predictions = [];
  for (const { recording, trust } of opened)
    for (const arrived of loads) {
      const { settings, overhead, load, trace } = recording;
      const { variants } = await predict({
        load: repeatArrivals(arrived, trace.sharing),
        services: { ...arrived.services, ...load.services },
        overhead,
        poolSizes: [poolSize],
        seeds: RUNS,
        poolOf: (size) => poolOfApp({ ...settings, poolSize: size }),
        widen: trust.widen,
      });
      predictions.push(variants[0].predicted);
    }
  /** @param {(trust: Trust) => CodedFinding | null} judge @returns {CodedFinding | null} null: one recording tells */
  const askAll = (judge) => {
    const reasons = opened.map(({ trust }) => judge(trust));
    return reasons.includes(null) ? null : reasons[0];
  };
  /** @type {Pick<Trust, 'reasonToHide' | 'whyUnknownFailures'>} */
  const trusted = {
    reasonToHide: (figure) => askAll((trust) => trust.reasonToHide(figure)),
    whyUnknownFailures: (size, figures) => askAll((trust) => trust.whyUnknownFailures(size, figures)),
  };
  const [low, high] = /** @type {const} */ (['low', 'high']).map((end) => predictions.map((each) => each[end]));
  const predicted = {
    ...combine(predictions, (...values) => median(values)),
    low: combine(low, Math.min),
    high: combine(high, Math.max),
  };
  const { variants, hidden } = hideUncertain(trusted, [{ settings: { poolSize }, predicted }]);
  // A sweep shows the failures that it measured.
  return { ...variants[0].predicted, hidden: hidden.filter(({ reason }) => reason.code !== 'unknownFailures') };
}

/**
 * Asks `advise` about the most typical measurement.
 *
 * @param {SweepRecording[]} recordings
 * @param {Slo[]} slos
 * @param {{ isScenario: boolean }} load see predictSize
 * @returns {Promise<Advice & { recordedSize: number, knowsUsers: boolean }>} recordedSize: that of the measurement;
 *   knowsUsers: a recording alone would allow for other callers
 * @throws {Error} saying why there is none
 */
export async function adviseFrom(recordings, slos, { isScenario }) {
  const typical = pickTypical(recordings);
  const { recording, trust } = await openAmong(typical, recordings);
  if (trust.refusal) throw new Error(explainHidden({ reason: trust.refusal, poolSizes: ['any size'], isAll: true }));
  const { load, overhead } = recording;
  const options = { services: load.services, overhead, slos, marginAt: trust.marginAt };
  // Users of a scenario are known: nobody else can have sent their requests.
  const advice = await advise({ load: isScenario ? { ...load, otherReading: undefined } : load, ...options });
  const denial = describeDenial(advice);
  if (denial) throw new Error(explainHidden({ reason: denial, poolSizes: ['any size'], isAll: true }));
  return { ...advice, recordedSize: typical.poolSize, knowsUsers: isScenario && load.otherReading !== undefined };
}

/** Picks the recording whose queries took neither long nor short. @param {SweepRecording[]} recordings at least one */
function pickTypical(recordings) {
  const useMsOf = (/** @type {SweepRecording} */ { trace }) => mean(trace.checkouts.useMs.filter((ms) => ms >= 0));
  const sorted = recordings.toSorted((a, b) => useMsOf(a) - useMsOf(b));
  return sorted[(sorted.length - 1) >> 1];
}

/**
 * Opens a recording. Others at other sizes show how queries slow each other down.
 * @param {SweepRecording} measured
 * @param {SweepRecording[]} recordings
 */
async function openAmong(measured, recordings) {
  const others = recordings.filter((each) => each.poolSize !== measured.poolSize);
  const recording = openRecording([measured, ...others].map(({ trace }) => trace));
  // At another size, the load may have been another one by chance: that is no reason to doubt the model.
  return { recording, trust: judgeTrust(recording, null) };
}

/**
 * Combines figures one by one.
 * @param {any[]} sets of the same shape: numbers and nested objects
 * @param {(...values: number[]) => number} pick
 * @returns {any}
 */
function combine(sets, pick) {
  const known = sets.filter((set) => set !== undefined);
  if (typeof known[0] !== 'object') return pick(...known.filter((value) => !Number.isNaN(value)));
  const keys = [...new Set(known.flatMap(Object.keys))];
  const setsOf = (/** @type {string} */ key) => known.map((set) => set[key]);
  return Object.fromEntries(keys.map((key) => [key, combine(setsOf(key), pick)]));
}

/**
 * A load whose every run has the arrivals that were recorded. The times of their queries are drawn anew.
 * @param {Load} load
 * @param {Load['server']} server
 * @returns {Load}
 */
function repeatArrivals({ routes, durationMs, withOpenings, recordedSeed, otherReading, ...load }, server) {
  const seed = Number(recordedSeed);
  const drawn = { serviceMs: NaN, handoverMs: 0, known: undefined };
  return {
    routes,
    durationMs,
    server,
    otherReading: otherReading && repeatArrivals(otherReading, server),
    withOpenings: withOpenings && ((pool, _, factor) => withOpenings(pool, seed, factor)),
    isRandom: () => true,
    arrivals: (_, factor) => ({
      *[Symbol.iterator]() {
        for (const arrival of load.arrivals(seed, factor))
          yield { ...arrival, ...drawn, requests: arrival.requests?.map((request) => ({ ...request, ...drawn })) };
      },
    }),
  };
}
