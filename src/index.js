/** What the package offers to other projects; src/index.d.ts declares it. */
export { monitorPool } from './pool/monitor.js';
export { createTraceWriter } from './predict/trace-writer.js';
