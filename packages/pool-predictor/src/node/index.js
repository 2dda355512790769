export { readScenario } from './read-scenario.js';
export { TRACE_NAME, TRACE_VERSION } from './lab-trace.js';
export { readServiceTimes } from './read-service-times.js';
export { createSimulationThreads } from './simulation-threads.js';
export { readTrace } from './trace.js';

/**
 * @typedef {import('./trace.js').Trace} Trace
 */
