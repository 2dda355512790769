import { checkTrace, pickPool } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { poolOfRecording, separateRoutes } from '../predictions/app-pool.js';

/** @import { TraceCheck } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { LoadInput, LoadOptions } from './load-options.js' */

/**
 * Checks whether a trace can be predicted: from another trace, if there is one at another size, else by its own waits.
 * `predict`, `advise` and `doctor` all do it this way.
 *
 * @param {Pick<LoadInput, 'load' | 'pool' | 'others'> & { trace: Trace }} input load: of that trace
 * @param {Pick<LoadOptions, 'check' | 'client' | 'process'> & { firstSeed?: number }} [options] check: file of the other trace
 * @returns {Promise<TraceCheck>}
 * @throws {Error} if the file can't be read, or does not say its maxPoolSize
 */
export async function checkRecording({ trace, load, pool, others = [] }, { check, client, process, firstSeed } = {}) {
  const settings = pool?.settings;
  const given = check === undefined ? undefined : pickPool(await readTrace(check), { client, process }).trace;
  if (given && !poolOfRecording(given, settings)) throw new Error(`--check ${check}: it has to say its maxPoolSize`);
  const other =
    given ??
    others.find((each) => poolOfRecording(each) && each.header.maxPoolSize !== trace.header.maxPoolSize) ??
    undefined;
  return checkTrace(trace, {
    pool: poolOfRecording(other ?? trace, settings),
    other,
    separateRoutes: settings && separateRoutes(settings),
    followUps: load.source?.kind === 'trace' ? load.source.options.followUps : undefined,
    firstSeed,
  });
}
