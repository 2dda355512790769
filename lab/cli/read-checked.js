import { checkRecording, judgeTrust, pickReplayed, poolOfRecording } from 'mongodb-pool-predictor';
import { explainCheck } from '../predictions/explain-check.js';
import { readLoad } from './load-options.js';
import { readShown } from './progress-bar.js';

/** @import { TraceCheck } from 'mongodb-pool-predictor' */
/** @import { LoadInput, LoadOptions } from './load-options.js' */

/**
 * @typedef {LoadInput & { about: string[], simulation: Pick<LoadInput, 'services' | 'overhead' | 'resolutionMs'>,
 *   check?: TraceCheck, trust?: ReturnType<typeof judgeTrust> }} CheckedInput the first note is about the check
 */

/**
 * Reads a load. Checks whether a trace can be predicted, see checkRecording; with `--check`, from the other trace that
 * was given.
 * @param {LoadOptions & { firstSeed: number }} options
 * @returns {Promise<CheckedInput>} check and trust: of a trace
 * @throws {Error} if a file can't be read, or the other trace does not say its maxPoolSize
 */
export async function readChecked({ firstSeed, ...options }) {
  const input = { about: [], ...(await readLoad(options)) };
  const { load, trace, pool, others = [], services, overhead, resolutionMs } = input;
  const simulation = { services, overhead, resolutionMs };
  if (!trace) return { ...input, simulation };
  const settings = pool?.settings;
  const other = options.check === undefined ? undefined : pickReplayed(await readShown(options.check), options).trace;
  if (other && !poolOfRecording(other, settings))
    throw new Error(`--check ${options.check}: it has to say its maxPoolSize`);
  const check = await checkRecording({ trace, load, settings, others }, { other, firstSeed });
  const trust = judgeTrust({ trace, load, others, serverCores: options.serverCores }, check);
  return { ...input, simulation, check, trust, notes: [explainCheck(check), ...input.notes] };
}
