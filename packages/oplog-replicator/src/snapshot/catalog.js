import { BSON } from 'mongodb';
import { emptyIfDropped } from '../base/errors.js';
import { awaitLast } from '../source/oplog.js';
import { listIndexes } from '../collections/ttl-indexes.js';
import { listCollections } from '../collections/collection-info.js';

/** @import { Source } from '../base/connect-deployments.js' */
/** @import { Deployment } from '../base/deployment.js' */
/** @import { Filter } from '../base/namespaces.js' */
/** @import { Position } from '../source/position.js' */
/** @import { Unsupported, CollectionInfo } from '../collections/collection-info.js' */

/**
 * @typedef {object} Catalog
 * @property {Position} position
 * @property {(CollectionInfo & { indexes: Record<string, any>[] })[]} collections
 * @property {Unsupported[]} unsupported
 */

/**
 * Reads which collections and indexes exist at a position of the oplog. A server can't be asked about the past, so they
 * are read before and after the position, until they are the same.
 *
 * @param {Source} source
 * @param {object} options
 * @param {Filter} [options.filter]
 * @param {boolean} options.withIndexes
 * @returns {Promise<Catalog>}
 */
export async function readCatalog(source, { filter, withIndexes }) {
  const read = async () => {
    const { replicated, unsupported } = await listCollections(source.deployment, filter);
    const collections = [];
    for (const listed of replicated) {
      collections.push({ ...listed, indexes: withIndexes ? await listFinishedIndexes(source.deployment, listed) : [] });
    }
    return { collections, unsupported };
  };
  let before = await read();
  for (;;) {
    const position = await awaitLast(source);
    const after = await read();
    if (BSON.EJSON.stringify(before) === BSON.EJSON.stringify(after)) return { position, ...after };
    before = after;
  }
}

/**
 * An index that is being built is not enforced yet. The oplog will say when its build is committed.
 * @param {Deployment} deployment
 * @param {{ database: string, collection: string }} namespace
 */
async function listFinishedIndexes(deployment, namespace) {
  const indexes = await listIndexes(deployment, namespace).catch(emptyIfDropped);
  if (indexes.length === 0) return indexes;
  const pipeline = [{ $indexStats: {} }, { $match: { building: true } }, { $project: { name: 1 } }];
  const unfinished = await deployment
    .readAll(namespace.database, { aggregate: namespace.collection, pipeline, cursor: {} })
    .catch(emptyIfDropped);
  const names = unfinished.map(({ name }) => name);
  return indexes.filter(({ name }) => !names.includes(name));
}
