export { readScenario } from './read-scenario.js';
export { TRACE_NAME, TRACE_VERSION } from '../formats/lab-trace.js';
export { readServiceTimes } from './read-service-times.js';
export { createSimulationThreads } from './simulation-threads.js';
export { readTrace } from './read-trace.js';

/**
 * @typedef {import('../formats/trace.js').Trace} Trace
 */
