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

/**
 * The same load on a server with another number of cores.
 *
 * @param {Load} load whose queries share cores
 * @param {number} cores
 * @returns {Load}
 */
export function withCores({ source }, cores) {
  if (source?.kind === 'scenario') return createLoad({ ...source, server: { ...source.server, cores } });
  const { trace, options } = /** @type {Extract<LoadSource, { kind: 'trace' }>} */ (source);
  const { sharing } = trace;
  return createLoad({ kind: 'trace', trace: { ...trace, sharing: sharing && { ...sharing, cores } }, options });
}
