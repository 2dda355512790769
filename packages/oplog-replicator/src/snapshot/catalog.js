import { BSON } from 'mongodb';
import { emptyIfDropped } from '../errors.js';
import { awaitLast } from '../source/oplog.js';
import { withoutTtl } from '../ttl-indexes.js';
import { listCollections } from './list-collections.js';

/** @import { Source } from '../connect-ends.js' */
/** @import { End } from '../end.js' */
/** @import { Filter } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */
/** @import { Unsupported } from '../unsupported.js' */
/** @import { Listed } from './list-collections.js' */

/**
 * @typedef {object} Catalog
 * @property {Position} position
 * @property {(Listed & { indexes: Record<string, any>[] })[]} collections
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
    const { replicated, unsupported } = await listCollections(source.end, filter);
    const collections = [];
    for (const listed of replicated) {
      collections.push({ ...listed, indexes: withIndexes ? await listFinishedIndexes(source.end, listed) : [] });
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
 * @param {End} end
 * @param {{ database: string, collection: string }} namespace
 * @returns {Promise<Record<string, any>[]>} without those that every collection has
 */
export async function listIndexes(end, { database, collection }) {
  const indexes = await end.readAll(database, { listIndexes: collection });
  return indexes.filter(({ name, clustered }) => name !== '_id_' && !clustered).map(withoutTtl);
}

/**
 * An index that is being built is not enforced yet. The oplog will say when its build is committed.
 * @param {End} end
 * @param {{ database: string, collection: string }} namespace
 */
async function listFinishedIndexes(end, namespace) {
  const indexes = await listIndexes(end, namespace).catch(emptyIfDropped);
  if (indexes.length === 0) return indexes;
  const pipeline = [{ $indexStats: {} }, { $match: { building: true } }, { $project: { name: 1 } }];
  const unfinished = await end.readAll(namespace.database, { aggregate: namespace.collection, pipeline, cursor: {} })
    .catch(emptyIfDropped);
  const names = unfinished.map(({ name }) => name);
  return indexes.filter(({ name }) => !names.includes(name));
}
