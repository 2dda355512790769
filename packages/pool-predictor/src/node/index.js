export { readScenario, readTrace } from './input-files.js';
export { createSimulationThreads } from './simulation-threads.js';

/** @typedef {import('../trace/trace.js').Trace} Trace */
