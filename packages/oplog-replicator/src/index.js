export { connectDeployments } from './base/connect-deployments.js';
export { ConflictError, LeaseError } from './base/errors.js';
export { CHECKPOINT_DATABASE } from './base/namespaces.js';
export { replicate } from './replication/replicate.js';
export { restoreTtl } from './collections/ttl-indexes.js';
export { verify } from './verify/verify.js';
export { MERGE_RULES } from './workers/worker.js';

/**
 * @typedef {import('./replication/replicate.js').ReplicateOptions} ReplicateOptions
 * @typedef {import('./replication/replicate.js').Replication} Replication
 * @typedef {import('./workers/worker.js').MergeRule} MergeRule
 * @typedef {import('./base/namespaces.js').Filter} Filter
 * @typedef {import('./base/replication-figures.js').CopyFigures} CopyFigures
 * @typedef {import('./base/replication-figures.js').Figures} Figures
 * @typedef {import('./verify/verify.js').Verification} Verification
 * @typedef {import('./collections/collection-info.js').Unsupported} Unsupported
 */
