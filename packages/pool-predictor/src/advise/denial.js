import { isMuchLonger } from '../predict/size-comparison.js';
import { summariseTrace } from '../trace/trace.js';

/** @import { Load } from '../load/load.js' */
/** @import { LoadStudy } from './study.js' */
/** @import { Slo } from './slo.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Trace } from '../trace/trace.js' */

/**
 * A goal whose recorded figure is none that the simulation gives at the recorded size: it misreads the load.
 *
 * @typedef {object} Denial
 * @property {string} route
 * @property {string} figure such as p95
 * @property {number} poolSize that was recorded
 * @property {number} recordedMs
 * @property {number} lowMs of all runs, but for that which replays the recording itself
 * @property {number} highMs
 */

/**
 * @param {Load} load of a trace; any other one is not denied
 * @param {LoadStudy} study of its likely reading, as it is
 * @param {Slo[]} slos
 * @returns {Promise<Denial | null>}
 */
export async function findDenial({ source, recordedSeed }, study, slos) {
  if (source?.kind !== 'trace') return null;
  const poolSize = Number(source.trace.header.maxPoolSize);
  if (!(poolSize > 0)) return null;
  const { runs: all } = await study.judge({ maxPoolSize: poolSize });
  const runs = all.filter((_, index) => study.seeds[index] !== recordedSeed);
  return compareRuns(source.trace, runs, slos);
}

/**
 * Compares what was recorded with runs at the recorded size.
 *
 * @param {Trace} trace
 * @param {SimulationResult[]} runs but for that which replays the trace itself
 * @param {{ route: string, figure: Slo['figure'] | 'meanMs' }[]} slos
 * @returns {Denial | null}
 */
export function compareRuns(trace, runs, slos) {
  const poolSize = Number(trace.header.maxPoolSize);
  const recorded = summariseTrace(trace).routes;
  for (const { route, figure } of slos) {
    const name = figure in recorded[route] ? /** @type {'p95Ms'} */ (figure) : 'p95Ms';
    const times = runs.map(({ routes }) => routes[route]?.[name]).filter((ms) => ms >= 0);
    const { [name]: recordedMs } = recorded[route];
    const [lowMs, highMs] = [Math.min(...times), Math.max(...times)];
    const isFar = isMuchLonger(lowMs, recordedMs) || isMuchLonger(recordedMs, highMs);
    if (times.length > 0 && isFar)
      return { route, figure: name.replace('Ms', ''), poolSize, recordedMs, lowMs, highMs };
  }
  return null;
}
