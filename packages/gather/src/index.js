export { gatherInserts } from './gather-inserts.js';
export { gatherLookups } from './gather-lookups.js';
export { OutcomeUnknownError } from './gather-inserts.js';
