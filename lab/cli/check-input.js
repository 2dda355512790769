import { checkRecording, pickReplayed, poolOfRecording } from 'mongodb-pool-predictor';
import { readShown } from './progress-bar.js';

/** @import { TraceCheck } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { LoadInput, LoadOptions } from './load-options.js' */

/**
 * Checks whether a trace can be predicted, see checkRecording; with `--check`, from the other trace that was given.
 *
 * @param {Pick<LoadInput, 'load' | 'pool' | 'others'> & { trace: Trace }} input load: of that trace
 * @param {Pick<LoadOptions, 'check' | 'client' | 'process'> & { firstSeed?: number }} options check: file of the other
 *   trace
 * @returns {Promise<TraceCheck>}
 * @throws {Error} if the file can't be read, or does not say its maxPoolSize
 */
export async function checkInput({ trace, load, pool, others = [] }, { check, client, process, firstSeed }) {
  const settings = pool?.settings;
  const other = check === undefined ? undefined : pickReplayed(await readShown(check), { client, process }).trace;
  if (other && !poolOfRecording(other, settings)) throw new Error(`--check ${check}: it has to say its maxPoolSize`);
  return checkRecording({ trace, load, settings, others }, { other, firstSeed });
}
