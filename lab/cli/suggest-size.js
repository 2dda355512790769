import { checkRecording, openRecording, poolOfApp, predict } from 'mongodb-pool-predictor';
import { inThreads } from './in-threads.js';

/** @import { Diagnosis, RecordedTrace } from 'mongodb-pool-predictor' */

/** Sizes up to this many times the recorded one are tried. */
const MOST = 4;
const MAX_SIZES = 60;

/**
 * Finds the size from which on more connections would not help, for a pool that is full.
 *
 * @param {RecordedTrace} recorded
 * @param {Diagnosis} diagnosis of it
 * @returns {Promise<number | null>} null for a history, and unless the pool is too small for its load, a replay
 *   explains the recorded waits, and there is such a size
 */
export async function suggestSize(recorded, { verdict: { cause, facts } }) {
  if (recorded.header.history) return null;
  if (cause !== 'fullPool' || !facts?.maxPoolSize) return null;
  const recording = openRecording([recorded], { client: facts.client });
  const { load, settings, trace } = recording;
  const { services } = load;
  if (!settings || trace.header.maxPoolSize !== facts.maxPoolSize) return null;
  const size = facts.maxPoolSize;
  const poolOf = (/** @type {number} */ poolSize) => poolOfApp({ ...settings, poolSize });
  if ((await checkRecording(recording)).status !== 'holds') return null;
  const poolSizes = Array.from({ length: Math.min(MAX_SIZES, (MOST - 1) * size) }, (_, index) => size + index + 1);
  const knees = [];
  // Where the trace can't tell whether callers wait for their answers, the size must do for both.
  for (const one of [load, ...(load.otherwise ? [load.otherwise] : [])]) {
    const { knee } = (
      await inThreads({ load: one, services, resolutionMs: 0 }, (hooks) =>
        predict({ load: one, services, poolSizes, poolOf, seeds: 19, ...hooks }),
      )
    ).load;
    if (knee === null) return null;
    knees.push(knee);
  }
  return Math.max(...knees);
}
