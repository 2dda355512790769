export { connectEnds } from './connect-ends.js';
export { ConflictError } from './errors.js';
export { CHECKPOINT_DATABASE } from './namespaces.js';
export { replicate } from './replicate.js';
export { restoreTtl } from './ttl-indexes.js';
export { verify } from './verify/verify.js';

/**
 * @typedef {import('./replicate.js').ReplicateOptions} ReplicateOptions
 * @typedef {import('./replicate.js').Replication} Replication
 * @typedef {import('./namespaces.js').Filter} Filter
 * @typedef {import('./replication-figures.js').CopyFigures} CopyFigures
 * @typedef {import('./replication-figures.js').Figures} Figures
 * @typedef {import('./verify/verify.js').Verification} Verification
 * @typedef {import('./unsupported.js').Unsupported} Unsupported
 */
