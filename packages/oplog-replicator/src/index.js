export { connectEnds } from './connect-ends.js';
export { ConflictError } from './errors.js';
export { CHECKPOINT_DATABASE } from './namespaces.js';
export { replicate } from './replicate.js';
export { restoreTtl } from './ttl-indexes.js';

/**
 * @typedef {import('./replicate.js').ReplicateOptions} ReplicateOptions
 * @typedef {import('./replication-figures.js').Figures} Figures
 * @typedef {import('./unsupported.js').Unsupported} Unsupported
 */
