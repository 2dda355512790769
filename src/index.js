/** What the package offers to other projects; src/index.d.ts declares it. */
export { gatherInserts } from './gather/gather-inserts.js';
export { OutcomeUnknownError } from './gather/outcome-unknown-error.js';
export { monitorPool } from './pool/monitor.js';
export { createTraceWriter } from './predict/trace/trace-writer.js';
