import { createScenarioLoad } from './load.js';
import { createTraceLoad } from './trace/trace-load.js';

/** @import { Load, LoadSource } from './load.js' */

/** Makes a load again, in another thread. @param {LoadSource} source @returns {Load} */
export function createLoad(source) {
  if (source.kind === 'scenario') {
    const { workload, ...options } = source;
    return createScenarioLoad(workload, options);
  }
  return createTraceLoad(source.trace, source.options);
}
