/**
 * @param {import('./replicate.js').ReplicateOptions} options
 * @throws {Error} that names what is wrong and what is allowed
 */
export function assertOptions({ sources, target, tunnel, workers, hash }) {
  if (sources.length === 0) throw new Error('a replication needs a source');
  if (tunnel !== 'direct' && tunnel !== 'mock') throw new Error(`the tunnel is direct or mock, not ${tunnel}`);
  if (tunnel === 'direct' && !target) throw new Error('the tunnel direct needs a target');
  if (hash !== 'id' && hash !== 'collection') throw new Error(`workers are chosen by a hash of id or collection, not ${hash}`);
  if (!Number.isInteger(workers) || workers < sources.length) {
    throw new Error(`workers have to be a whole number, at least one for each source: ${sources.length}, not ${workers}`);
  }
}
