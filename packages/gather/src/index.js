export { gatherInserts } from './gather-inserts.js';
export { gatherLookups } from './gather-lookups.js';
export { OutcomeUnknownError } from './outcome-unknown-error.js';
