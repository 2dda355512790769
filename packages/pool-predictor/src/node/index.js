export { readScenario } from './read-scenario.js';
export { TRACE_NAME, TRACE_VERSION, readTrace } from './trace.js';

/**
 * @typedef {import('./trace.js').Trace} Trace
 */
